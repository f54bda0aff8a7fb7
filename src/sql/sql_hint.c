/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_hint.h.  When libpq cannot connect, it gives a message but no SQLSTATE.
 */
#include "sql/sql_hint.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define NO_TABLE                                                                                   \
    "a table is missing: run the command 'prepare' first, with the same --tables and the same database"
#define TABLE_EXISTS                                                                               \
    "the table exists already, or another 'prepare' is making it now: to make it anew, run the command 'cleanup' with the same --tables first"
#define NO_PORT                                                                                    \
    "this host has no local port left for the connection: see net.ipv4.ip_local_port_range, or use a socket"
#define MORE_PORTS                                                                                 \
    "this host has no local port left for the connection: name more of its addresses with "        \
    "--source-address, widen net.ipv4.ip_local_port_range, or use a socket"
#define FULL "the server accepts fewer connections than this run needs: raise its max_connections"

static const struct {
    int errnum;        /* MySQL; 0: the row is PostgreSQL's */
    const char *state; /* PostgreSQL; NULL: known by the text */
    const char *text;  /* in the message; NULL: any */
    const char *hint;
} hints[] = {
    {1146, NULL, NULL, NO_TABLE},
    {0, "42P01", NULL, NO_TABLE},
    {1050, NULL, NULL, TABLE_EXISTS},
    {0, "42P07", NULL, TABLE_EXISTS},
    {1049, NULL, NULL,
     "create the database on the server (CREATE DATABASE), or name another with --mysql-db"},
    {1044, NULL, NULL,
     "the database does not exist, or this user has no privilege on it: see --mysql-db, CREATE DATABASE "
     "and GRANT"},
    {1045, NULL, NULL,
     "the server does not accept this user from this host with this password: see --mysql-user and "
     "--mysql-password"},
    {1130, NULL, NULL,
     "the server has no user for the address that this host comes from: see CREATE USER"},
    {1698, NULL, NULL, "the server does not accept this user with a password: see --mysql-user"},
    {1142, NULL, NULL, "this user lacks a privilege on the database: see GRANT"},
    {0, "42501", NULL, "this user lacks a privilege on the database: see GRANT"},
    {2002, NULL, "(99)", MORE_PORTS}, /* EADDRNOTAVAIL */
    {2003, NULL, "(99)", MORE_PORTS},
    {2004, NULL, "(98)", MORE_PORTS}, /* EADDRINUSE, with --source-address */
    {2002, NULL, NULL,
     "no server answers there: --mysql-socket, or --mysql-host and --mysql-port, say where it is"},
    {2003, NULL, NULL,
     "no server answers there: --mysql-socket, or --mysql-host and --mysql-port, say where it is"},
    {2005, NULL, NULL, "no host of that name is known: see --mysql-host"},
    {1040, NULL, NULL, FULL},
    {1203, NULL, NULL,
     "the server accepts fewer connections of one user than this run needs: raise max_user_connections"},
    {0, "53300", NULL, FULL},
    {0, NULL, "too many clients already", FULL},
    {0, NULL, "remaining connection slots are reserved", FULL},
    {1461, NULL, NULL,
     "raise the server's max_prepared_stmt_count, or do without with --db-ps-mode=disable"},
    {1286, NULL, NULL, "the server has no such storage engine: see --mysql-storage-engine"},
    {0, NULL, "password authentication failed", "see --pgsql-user and --pgsql-password"},
    {0, NULL, "no password supplied", "the server wants a password: see --pgsql-password"},
    {0, NULL, "no pg_hba.conf entry",
     "the server's pg_hba.conf does not admit this user from this host: see --pgsql-user"},
    {0, NULL, "role \"", "the server has no such user: see --pgsql-user and CREATE ROLE"},
    {0, NULL, "database \"",
     "create the database on the server (CREATE DATABASE), or name another with --pgsql-db"},
    {0, NULL, "could not translate host name", "no host of that name is known: see --pgsql-host"},
    {0, NULL, "annot assign requested address", NO_PORT},
    {0, NULL, "onnection refused",
     "no server answers there: --pgsql-host and --pgsql-port say where it is"},
    {0, NULL, "o such file or directory",
     "no server answers there: --pgsql-host (a host, or the folder of the socket) and "
     "--pgsql-port say where it is"},
};

const char *sql_hint_for(int errnum, const char *state, const char *msg)
{
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        bool named = hints[i].state ? strcmp(hints[i].state, state) == 0 : true;
        bool said = hints[i].text ? strstr(msg, hints[i].text) != NULL : true;
        if (hints[i].errnum == errnum && (errnum || named) && said)
            return hints[i].hint;
    }
    return NULL;
}

/* All of PostgreSQL's are refusals of a connection, which carry a text alone. */
static const struct {
    int errnum;
    const char *text;
    struct sql_limit_of limit;
} limits[] = {
    {1040, NULL, {"max_connections", "SELECT @@max_connections"}},
    {1203, NULL, {"max_user_connections", "SELECT @@max_user_connections"}},
    {1461, NULL, {"max_prepared_stmt_count", "SELECT @@max_prepared_stmt_count"}},
    {0, "too many clients already", {"max_connections", "SHOW max_connections"}},
    {0, "remaining connection slots are reserved", {"max_connections", "SHOW max_connections"}},
};

const struct sql_limit_of *sql_hint_limit(int errnum, const char *msg)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        bool same = limits[i].text ? !errnum && strstr(msg, limits[i].text) != NULL
                                   : errnum == limits[i].errnum;
        if (same)
            return &limits[i].limit;
    }
    return NULL;
}
