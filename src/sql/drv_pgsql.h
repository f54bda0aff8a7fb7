/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of the PostgreSQL driver share:
 *     drv_pgsql_setup.c   options -> struct pgdrv_cfg -> connection parameters
 *     drv_pgsql_errors.c  SQLSTATE -> verdict, and the lines stock prints
 *     drv_pgsql.c         connections, plain queries, results; the table of functions
 *     drv_pgsql_stmt.c    prepared statements
 *
 * Written for libpq 12 and later.  libpq keeps its sockets non-blocking and waits in poll(2) only.
 */
#ifndef SB_SQL_DRV_PGSQL_H
#define SB_SQL_DRV_PGSQL_H

#include <libpq-fe.h>

#include "base/log.h"
#include "sql/sql_driver.h"

/* What the loss of a connection is called when the server did not give it a code:
 * connection_failure. */
#define PGDRV_LOST "08006"
/* A connection that did not come up: sqlclient_unable_to_establish_sqlconnection. */
#define PGDRV_REFUSED "08001"

/* Settings of the driver; constant after open. */
struct pgdrv_cfg {
    struct sql_login_pgsql login;
    char *db;     /* a name, or a connection string as libpq takes it */
    bool service; /* db is a string that names a service */
    bool ignore_all, ignore_lost;
    char (*ignored)[6]; /* SQLSTATEs */
    size_t nignored;
    char *queue_full; /* the system's words for EAGAIN, all that libpq passes on */
};

/* Keywords and values for PQconnectdbParams, both ended by NULL. */
#define PGDRV_PARAMS 10
struct pgdrv_params {
    const char *keyword[PGDRV_PARAMS], *value[PGDRV_PARAMS];
    size_t n;
};

#define PGDRV_NAME 32

/*
 * names_note: a statement's name is two random numbers, so that connections may share a server
 * session (poolers). As in stock they come from the client's own stream when a script prepares: a
 * seeded run then sends what stock sends.  Closing a statement costs no round trip: its name is
 * kept, and whoever prepares next first deallocates one that was kept.
 */
struct pgdrv_conn {
    PGconn *lib;
    int row;      /* of the open result: the next one to hand out */
    char lost[6]; /* SQLSTATE of the loss of this connection */
    char (*closed)[PGDRV_NAME];
    size_t nclosed, room;
};

static inline struct pgdrv_conn *pgdrv_of(const struct sql_conn *c)
{
    return c->handle;
}

static inline PGconn *pgdrv_lib(const struct sql_conn *c)
{
    return pgdrv_of(c)->lib;
}

/* drv_pgsql_setup.c */
/* `again`: a reconnect, with a time limit. */
void pgdrv_connect_params(const struct pgdrv_cfg *cfg, bool again, struct pgdrv_params *out);
/* The value of --pgsql-db as libpq reads it: a name, a connection string or a URI; "NAME key=value
 * ...", as 1.1 accepts it, becomes a connection string.  The caller frees it. */
char *pgdrv_dbname(const char *db);

/* drv_pgsql_errors.c */
/* `lost`: the connection did not survive it; then state may be "". */
enum sql_verdict pgdrv_judge(const struct pgdrv_cfg *cfg, const char *state, bool lost);
/* A result that is no success: fills c->fail, prints the FATAL lines when it is fatal; text NULL:
 * no query to show.  r may be NULL, it stays the caller's. */
enum sql_verdict pgdrv_refused(struct sql_conn *c, const PGresult *r, const char *function,
                               const char *text, size_t len);
/* The same without lines. */
enum sql_verdict pgdrv_failed(struct sql_conn *c, const PGresult *r);
/* What libpq says about it, newline included. */
const char *pgdrv_message(const struct sql_conn *c, const PGresult *r);
/* The message of a connect that failed: sets c->fail, and how bad it is. */
enum sql_verdict pgdrv_connect_failed(struct sql_conn *c, const char *msg);
/* libpq takes texts up to the first NUL byte, and the server has no NUL in any text: true, with
 * *v set, when there is one within. */
bool pgdrv_has_nul(struct sql_conn *c, const char *function, const char *text, size_t len,
                   enum sql_verdict *v);

/* drv_pgsql_stmt.c */
enum sql_verdict pgdrv_prepare(struct sql_stmt *s, bool first);
int pgdrv_bind(struct sql_stmt *s);
enum sql_verdict pgdrv_execute(struct sql_stmt *s);
void pgdrv_close_stmt(struct sql_stmt *s);

/* drv_pgsql.c */
extern const struct sql_ops pgdrv_ops;
/* After a PQsend* call and what it returned: waits for all that the server has to say about it and
 * returns the last result, or the first error.  NULL: nothing could be sent.  The caller's. */
PGresult *pgdrv_answer(struct sql_conn *c, int sent);
/* Takes what the server answered, success or not, and owns r from then on. */
enum sql_verdict pgdrv_take(struct sql_conn *c, PGresult *r, const char *function, const char *text,
                            size_t len);

#endif
