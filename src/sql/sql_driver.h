/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The driver contract: what a database must be able to do for the SQL floor, as one struct of
 * functions, and the private halves of the handles that scripts hold.  sql.c and sql_conn.c decide
 * (which state, what to count, reconnect or not), a driver only talks to its client library and
 * says how it went:
 *
 *     script -> sql.c --- ops->query() ---> drv_*.c -> client library -> server
 *                   <-- verdict, c->res or c->fail --
 *
 * A driver writes its result into c->res, the text of a failure into c->fail (sql_fail), and prints
 * the FATAL lines of statements that are refused for good, because they name its library's
 * functions. It never reconnects, counts or loops by itself.
 *
 * Drivers make no assumption on threads: a client may be carried by any thread, and a blocking call
 * may switch to another client.  So: no thread-local data, no lock held over a call into the
 * library.
 */
#ifndef SB_SQL_SQL_DRIVER_H
#define SB_SQL_SQL_DRIVER_H

#include <stddef.h>

#include "base/err.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/warm.h"
#include "sql/sql.h"
#include "sql/sql_bulk.h"
#include "sql/sql_emulate.h"
#include "sql/sql_types.h"

/* How a call to the server went. */
enum sql_verdict {
    SQL_DONE,      /* answered; a statement has filled c->res */
    SQL_IGNORABLE, /* refused, and the user said that such errors restart the transaction */
    SQL_LOST,      /* the connection is gone, and the user said to go on with a new one */
    SQL_BUSY,      /* connect only: the server's queue was full, worth trying again */
    SQL_FATAL      /* refused for good; the driver has printed why (connect: explain() will) */
};

struct sql_failure {
    int errnum;
    char state[6];
    char msg[512];
};

/*
 * CLOSED  the script disconnected (or never connected): use is a mistake, ALERT
 * UP      a connection to talk over; it may turn out to be dead at the next call
 * LOST    dropped after a loss and not replaced, because the run was ending; the next call tries
 */
enum sql_state { SQL_STATE_CLOSED, SQL_STATE_UP, SQL_STATE_LOST };

#define SQL_NO_ENDPOINT UINT64_MAX

struct sql_stmt;
struct sql_ops;

struct sql_conn {
    sql_connection pub; /* what scripts see; first, so that the pointers are interchangeable */

    /* with it, what every statement touches */
    const struct sql_ops *ops;
    const struct sql_host *host; /* borrowed */
    void *cfg;                   /* the driver's settings, constant */
    void *handle;                /* the driver's, NULL unless UP */
    struct sql_stmt *source;     /* whose results res and more are, NULL: plain text */
    enum sql_state state;
    bool ps_server;
    bool open;      /* res holds a result set that was not freed yet */
    bool more;      /* the server has further results: the driver sets it after each one */
    bool used;      /* there was a statement since it is UP: note_memory() in sql.c */
    dur_ns backoff; /* wait before the next connect attempt, 0 after a success */
    sql_result res;

    uint64_t endpoint; /* position in the driver's list of servers, kept for life */
    sql_value *values; /* the row handed out, room for nvalues columns */
    size_t nvalues;

    struct sql_failure fail; /* the driver's last failure */
    struct sql_failure told; /* what pub.sql_state and sql_errmsg point into */
    struct rng rng;          /* jitter of the back-off */

    struct sql_stmt *stmts; /* all handles not freed yet, closed ones too */
    bool freed;             /* the owner let go; the last statement takes the memory along */
    struct sql_bulk bulk;

    struct str digest,
        kind_name; /* sql_kinds.c: scratch; what plain texts are called, "" for nothing */
    unsigned kind; /* of that name */
};

struct sql_stmt {
    sql_statement pub; /* first */
    struct sql_conn *conn;
    void *handle; /* the driver's; NULL: not prepared on this server connection (yet) */
    bool closed;
    bool used;      /* executed since `handle` was set: likewise */
    bool emulated;  /* parameters are written into the text here, see template */
    size_t nmarks;  /* number of ? */
    size_t nparams; /* of what was bound */

    sql_bind *params;  /* copy of it; buffers stay the script's */
    sql_bind *results; /* likewise, where rows go; NULL: nowhere */
    size_t nresults;
    char *query;
    size_t query_len;
    struct sql_stmt *prev, *next;

    struct sql_template template;
    struct str text;
    unsigned kind; /* sql_kinds.c */
};

/* Every function gets a connection that is UP unless it says otherwise. */
struct sql_ops {
    bool dry; /* there is no server: nothing can be wrong, statements are not emulated */

    /* Opens c->handle to c->endpoint (choosing one when it is SQL_NO_ENDPOINT).  `again`: a
     * reconnect, which must not hang for ever.  SQL_DONE or why not, with c->fail filled; prints
     * nothing. */
    enum sql_verdict (*connect)(struct sql_conn *c, bool again);
    /* Prints the FATAL lines of the connect that failed last. */
    void (*explain)(struct sql_conn *c);
    /* Releases c->handle, dead or alive; its statements have been closed. */
    void (*disconnect)(struct sql_conn *c);
    /* Socket of the connection, -1 unknown. */
    int (*socket)(struct sql_conn *c);

    /* One plain text, with a NUL behind it; fills c->res (counter, nfields, nrows, ptr) and
     * c->more. */
    enum sql_verdict (*query)(struct sql_conn *c, const char *text, size_t len);
    /* The next result of c->source or of the plain text, as query(); only when c->more. */
    enum sql_verdict (*next)(struct sql_conn *c);
    /* The next row into c->values (sql_row_room); false after the last. */
    bool (*fetch)(struct sql_conn *c);
    void (*free_result)(struct sql_conn *c);

    /* Did the error in c->fail leave a transaction open that a restart would inherit? */
    bool (*transaction_open)(struct sql_conn *c);
    bool (*rollback)(struct sql_conn *c); /* false: refused, which shows in the next statement */

    /* Lexical rules for emulation (SQL_LEX_*), and a string as a literal of that server. */
    unsigned (*lex)(struct sql_conn *c);
    void (*quote)(void *conn, struct str *out, const char *bytes, size_t n);

    /* Prepares s->query on the server: sets s->handle and s->nmarks, or s->emulated when the server
     * cannot. `first`: the script is calling, a failure prints its lines whatever its number
     * (SQL_LOST excepted). Else a statement is being brought to a new connection, failures are
     * those of an execute. */
    enum sql_verdict (*prepare)(struct sql_stmt *s, bool first);
    /* Makes s->params known to s->handle, which may need the server; 0 or -1 with c->fail filled. A
     * loss that is to be ignored is 0, the execute meets it again. */
    int (*bind)(struct sql_stmt *s);
    enum sql_verdict (*execute)(struct sql_stmt *s);
    /* Releases s->handle. */
    void (*close)(struct sql_stmt *s);
    /* The memory that statements of this connection, and executions of this one, touch in the
     * library (base/warm.h). May be NULL. */
    void (*warm)(const struct sql_conn *c, struct warm_list *l);
    void (*warm_stmt)(const struct sql_stmt *s, struct warm_list *l);
    /* The script bound a wrong number of parameters: the driver's own words. */
    void (*wrong_count)(struct sql_conn *c);
};

/* What a driver file offers to the table in sql_setup.c. */
struct sql_driver_class {
    sql_driver names;
    const char *(*library)(void); /* "libmariadb 3.3.20": what is linked now */
    /* Values that cannot be right: -1 and a sentence.  Called for every driver at start-up; no
     * library calls. */
    int (*check)(const struct sql_options *o, struct err *e);
    /* Prepares the library; sets *ops and *cfg.  -1 after printing a FATAL line. */
    int (*open)(const struct sql_options *o, const struct sql_ops **ops, void **cfg);
    void (*close)(void *cfg);
    const void *entry; /* a function of the client library */
};

extern const struct sql_driver_class sql_class_mysql;
extern const struct sql_driver_class sql_class_pgsql;
extern const struct sql_ops sql_ops_null; /* answers at once: dry runs */

/* A driver that is open, behind the sql_driver that scripts hold (its first member). */
struct sql_driver_slot {
    sql_driver pub;
    const struct sql_driver_class *class;
    const struct sql_ops *ops;
    void *cfg;
    bool ps_server, ready;
};

/* Copies what the library says into c->fail; state and msg may be NULL. */
void sql_fail(struct sql_conn *c, int errnum, const char *state, const char *msg);

/* sql_setup.c: the server, or the way to it, refused something for good, c->fail says what; see
 * sql_hint(). */
void sql_refused(const struct sql_conn *c);

/* sql_setup.c: this connection is lost for good, c->fail says why; see sql_all_back(). */
void sql_gave_up(const struct sql_conn *c);

/* c->values with room for n columns. */
void sql_row_room(struct sql_conn *c, size_t n);

#endif
