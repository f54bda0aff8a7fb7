/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: what the files of the PostgreSQL driver share:
 *     drv_pgsql_setup.c   options -> struct pgdrv_cfg -> connection parameters; errors
 *     drv_pgsql.c         connections, queries, prepared statements, COPY; the table of functions
 *
 * Supports libpq 12 or later.  libpq's sockets are non-blocking, and it waits in poll(2) only.
 */
#ifndef SB_SQL_DRV_PGSQL_H
#define SB_SQL_DRV_PGSQL_H

#include <libpq-fe.h>

#include "base/log.h"
#include "sql/sql_driver.h"

/* The SQLSTATE of a lost connection if the server did not send one: connection_failure. */
#define PGDRV_LOST "08006"
/* The SQLSTATE of a server that does not follow the protocol: protocol_violation. */
#define PGDRV_BROKEN "08P01"
/* The SQLSTATE of a failed connect: sqlclient_unable_to_establish_sqlconnection. */
#define PGDRV_REFUSED "08001"

/* Hosts and ports as libpq takes them: lists of the same length, or one port. */
struct pgdrv_place {
    char *host, *port;
};

/* Settings of the driver; constant after open. */
struct pgdrv_cfg {
    struct sql_login_pgsql login;
    /* --pgsql-host and --pgsql-port as lists, from each of their items on: libpq tries them in
     * order */
    struct pgdrv_place *from;
    struct pgdrv_place *alone; /* their items; with one host the values of the options */
    size_t nhosts;
    bool watches;       /* --server=host: auxiliary connections go to one host only */
    char *db;           /* a name, or a connection string for libpq */
    bool service;       /* db is a string that names a service */
    double scram_limit; /* s that a login may compute */
    bool limited;       /* by --connect-timeout */
    char *queue_full;   /* strerror(EAGAIN): libpq passes on only the message */
};

/* Keywords and values for PQconnectdbParams, each NULL-terminated. */
#define PGDRV_PARAMS 11
struct pgdrv_params {
    const char *keyword[PGDRV_PARAMS], *value[PGDRV_PARAMS];
    size_t n;
    char timeout[16]; /* of connect_timeout */
};

#define PGDRV_NAME 48

/*
 * Names of statements: behind a pooler, a statement outlives its connection, and its session may be
 * given to any other client.  So a name is unique: it ends in 64 bits of the connection's own
 * stream, which no seed determines.  It begins as in stock, with two numbers that a prepare by the
 * script draws from the client's stream, so that the draws that follow are stock's, too.  Closing a
 * statement needs no round trip: its name is queued, and each prepare first deallocates one queued
 * name.
 */
struct pgdrv_conn {
    PGconn *lib;
    int row;            /* of the open result: the next one to fetch */
    int results;        /* in the last answer */
    unsigned unsettled; /* transactions that the server may not have counted yet */
    char lost[6];       /* SQLSTATE of the loss of this connection */
    char (*closed)[PGDRV_NAME];
    size_t nclosed;
};

static inline struct pgdrv_conn *pgdrv_of(const struct sql_conn *c)
{
    return c->handle;
}

static inline PGconn *pgdrv_lib(const struct sql_conn *c)
{
    return pgdrv_of(c)->lib;
}

static inline bool pgdrv_is_copy(ExecStatusType t)
{
    return t == PGRES_COPY_IN || t == PGRES_COPY_OUT || t == PGRES_COPY_BOTH;
}

/* drv_pgsql_setup.c */
/* `seconds`: the limit for each host of a list, 0: libpq's; `at`: in the order in which they are
 * tried. */
void pgdrv_connect_params(const struct pgdrv_cfg *cfg, const struct pgdrv_place *at,
                          unsigned seconds, struct pgdrv_params *out);
/* The value of --pgsql-db as libpq reads it: a name, a connection string or a URI; "NAME key=value
 * ...", as 1.1 accepts it, becomes a connection string.  The caller frees it. */
char *pgdrv_dbname(const char *db);

/* What the list of errors to ignore makes of it.  `lost`: the connection did not survive the error;
 * then state may be "". */
enum sql_outcome pgdrv_classify(const struct pgdrv_cfg *cfg, const char *state, bool lost);
/* For a result that is an error: sets c->fail.  r may be NULL; the caller still owns it. */
enum sql_outcome pgdrv_set_failure(struct sql_conn *c, const PGresult *r);
/* The same, and prints the FATAL lines if it is fatal; text NULL: without a query. */
enum sql_outcome pgdrv_report_failure(struct sql_conn *c, const PGresult *r, const char *function,
                                      const char *text, size_t len);
/* The same for a server that has sent what no statement asked for: the connection is lost. */
enum sql_outcome pgdrv_astray(struct sql_conn *c, const char *function);
/* The message of libpq, with its newline. */
const char *pgdrv_message(const struct sql_conn *c, const PGresult *r);
/* For the message of a failed connect: sets c->fail and returns the outcome. */
enum sql_outcome pgdrv_connect_failed(struct sql_conn *c, const char *msg);
/* Neither libpq nor the server support NUL bytes in a text: true, with *v set, if there is one. */
bool pgdrv_has_nul(struct sql_conn *c, const char *function, const char *text, size_t len,
                   enum sql_outcome *v);

/* drv_pgsql.c */
extern const struct sql_ops pgdrv_ops;

#endif
