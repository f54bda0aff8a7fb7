/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The servers that the options name, when they are a list:
 *
 *     --mysql-host=db1,db2 --mysql-port=3306,3307     positions 0 to 3: db1:3306, db1:3307,
 * db2:3306 ...
 *     --pgsql-host=db1,db2                            positions 0 and 1: db1:5432, db2:5432
 *     --pgsql-host=db1,db2 --pgsql-port=5432,5433     positions 0 and 1: db1:5432, db2:5433
 *
 * A connection begins at a position, and positions go on without end, modulo the length of the
 * list.  A server that the list has twice has two positions and one number, so the list also says
 * how the clients are weighted; reports show each server once, by its name.
 *
 * sql_conn.c chooses positions, drivers connect to them, reports get numbers and names.
 */
#ifndef SB_SQL_SQL_SERVERS_H
#define SB_SQL_SQL_SERVERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sql/sql_host.h"

struct sql_servers {
    char **name; /* "db1:3306", "[::1]:3306", or the path of a socket */
    char **host; /* of that server, as the user wrote it */
    char **port; /* ... where ports tell servers apart; NULL: elsewhere */
    size_t n;
    unsigned *number; /* of the server at a position */
    size_t positions; /* 0: the driver connects to nothing that has a name here */
};

/* The servers of a driver's options.  A connection string with lists of its own is libpq's alone:
 * then there is no position but one.  The caller frees it. */
void sql_servers_read(struct sql_servers *s, const struct sql_options *o, const char *driver);
void sql_servers_free(struct sql_servers *s);

/* The two lists that libpq gets, of the same length; a list of one port has `*nports` = 1 and goes
 * with all hosts.  NULL-terminated; the caller frees both with sql_hosts_free(). */
void sql_hosts_pgsql(const struct sql_login_pgsql *p, char ***host, size_t *nhosts, char ***port,
                     size_t *nports);

/* The number of the server at that position; -1: there is none. */
int sql_servers_at(const struct sql_servers *s, uint64_t position);

/* The first position of the server with that name or host; -1: the list has none. */
int sql_servers_find(const struct sql_servers *s, const char *name);

/* 0 if each host is a name, an address or the path of a socket; -1 with a message otherwise, as for
 * "db1:3306" and "[::1]", and for "" unless it is libpq's.  `option`: "mysql" or
 * "pgsql". */
int sql_hosts_check(const char *option, char *const *host, size_t n, struct err *e);

/* Removes blanks around it. */
void sql_host_trim(char *host);

/* The items of a list of hosts as libpq reads it: an empty one is an item, too.  Blanks around an
 * item are not part of it.  NULL-terminated; the caller frees it with sql_hosts_free(). */
char **sql_hosts_split(const char *list, size_t *n);
void sql_hosts_free(char **host);

#endif
