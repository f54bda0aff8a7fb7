/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The driver interface: what a database driver implements, as one struct of functions, and the
 * private part of the handles that scripts hold.  sql.c and sql_conn.c decide (which state, what to
 * count, whether to reconnect); a driver only calls its client library and returns the outcome:
 *
 *     script -> sql.c --- ops->query() ---> drv_*.c -> client library -> server
 *                   <-- outcome, c->res or c->fail --
 *
 * A driver writes its result into c->res and the text of a failure into c->fail (sql_fail).  It
 * prints the FATAL lines of fatal failures, because they name its library's functions.  It never
 * reconnects, counts or retries.
 *
 * Drivers must not depend on the thread: any thread may run a client, and a blocking call may
 * switch to another client.  So they use no thread-local data and hold no lock while they call the
 * library.
 */
#ifndef SB_SQL_SQL_DRIVER_H
#define SB_SQL_SQL_DRIVER_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/err.h"
#include "base/log.h"
#include "base/prefetch.h"
#include "base/rng.h"
#include "base/str.h"
#include "sql/sql_policy.h"
#include "sql/sql_bind.h"
#include "sql/sql_host.h"
#include "sql/sql_servers.h"
#include "sql/sql_sessions.h"
#include "sql/sql_types.h"

/* The lists of base/prefetch.h that are the SQL floor's. */
enum { PREFETCH_OF_CONNECTION = 1, PREFETCH_OF_STATEMENT = 2 };

/* The outcome of a call to the server. */
enum sql_outcome {
    SQL_DONE,      /* success; a statement has filled c->res */
    SQL_IGNORABLE, /* an error that the user ignores: roll back, go on */
    SQL_LOST,      /* likewise, but go on with a new connection */
    SQL_BUSY,      /* connect only: the server's listen queue was full, retry */
    SQL_FATAL      /* any other error; the driver has printed it (connect: print_connect_error) */
};

struct sql_failure {
    int errnum;
    enum error_class class;
    enum error_action action; /* never ACTION_LISTED once sql_decide() has seen it */
    bool given_up;            /* a limit of ours ended the wait or the answer */
    bool by_policy;           /* the action is --on-error's */
    bool lost;                /* the connection did not survive */
    char state[6];
    char msg[512];
};

/*
 * CLOSED  the script disconnected (or never connected): using it is an error (ALERT)
 * UP      connected; the next call may find that the connection is dead
 * LOST    dropped after a loss and not replaced, because the run was ending; the next call
 * reconnects
 */
enum sql_state { SQL_STATE_CLOSED, SQL_STATE_UP, SQL_STATE_LOST };

/* What the client is waiting for, when that has a limit (sql_conn.h). */
enum sql_waiting { WAIT_NONE, WAIT_CONNECT, WAIT_RECONNECT, WAIT_STATEMENT, WAIT_PEEK };

/* The longest attempt to reconnect without --connect-timeout: to an unreachable server it would
 * otherwise take the kernel's two minutes. */
#define SQL_RECONNECT_LIMIT (10 * NS_PER_SEC)

/* --connect-timeout, --query-timeout, --max-result-size, --connect-timeout=rate; of a driver's
 * connections. */
struct sql_limits {
    dur_ns connect, statement; /* 0: none */
    int64_t answer;            /* bytes that the server may answer a statement with; 0: no limit */
    int hosts;                 /* that one attempt to connect tries */
    double reconnects;         /* a second; 0: no limit */
    _Atomic int64_t next_turn;
};

/* A multi-row INSERT; begun when `active`. */
struct sql_bulk {
    struct str text; /* the prefix and the rows gathered so far, joined by commas */
    size_t prefix_len, rows;
    bool active;
};

/* What is known of a connection's loss, until a statement succeeds on the new one. */
struct sql_loss {
    dur_ns backoff; /* wait before the next attempt to connect, 0 after a success (sql_conn.c) */
    bool refused;   /* an attempt to replace the lost connection has failed */
    bool given_up;  /* and a FATAL line says so */
    /* where the first attempt begins in the driver's list of servers; it changes only where
     * --on-error leaves a read-only server */
    uint64_t home;
};

struct sql_conn {
    sql_connection pub; /* what scripts see; first, so that the pointers are interchangeable */

    /* the next members are what every statement uses */
    const struct sql_ops *ops;
    const struct sql_host *host; /* borrowed */
    void *cfg;                   /* the driver's settings, constant */
    const struct sql_policy *policy;
    void *handle;            /* the driver's, NULL unless UP */
    struct sql_stmt *source; /* the statement that res and more belong to; NULL: a plain query */
    enum sql_state state;
    bool ps_server;        /* statements are prepared on the server */
    bool ps_lazy;          /* not before their first execution */
    unsigned char waiting; /* enum sql_waiting */
    bool counting;         /* the answer that the library reads, see sql_count_answer() */
    bool too_long;         /* the driver has given up an answer beyond limits->answer */
    bool astray;           /* the server has sent what no statement asked for */
    unsigned waits;        /* sched_waits, at the end of the last statement */
    unsigned mode;         /* DB_KEEP_TRANSACTION ..., what the script has taken over */
    bool open;             /* res holds a result set that is not freed yet */
    bool more;             /* the server has more results; the driver sets it after each one */
    bool late;             /* statements are to be closed or freed once no results are unread */
    struct sql_loss loss;
    sql_result res;

    uint64_t endpoint; /* position of this attempt in the driver's list (sql_servers.h) */
    int server;        /* number of the server that it is at; -1: none, or there is no list */
    sql_value *values; /* the current row, with space for nvalues columns */
    size_t nvalues;

    struct sql_limits *limits;   /* the driver's */
    struct sql_failure fail;     /* the driver's last failure */
    struct sql_failure reported; /* what pub.sql_state and sql_errmsg point into */
    struct rng rng;              /* jitter of the back-off */

    struct sql_stmt *stmts; /* all handles not freed yet, closed ones too */
    bool freed;             /* the owner released it; freed together with the last statement */
    struct sql_bulk bulk;
    struct sql_session *session; /* NULL: not noted */
    struct sql_feed *feed;       /* of the sql_load() that is running; NULL: none is */
    const char *text;            /* of the plain query that is running; NULL: none is (MySQL) */
    size_t text_len;

    /* sql_stats.c: scratch; the name of plain queries, "" for none */
    struct str digest, stmt_name;
    unsigned kind; /* its number */
};

struct sql_stmt {
    sql_statement pub; /* first */
    struct sql_conn *conn;
    void *handle; /* the driver's; NULL: not prepared on this server connection (yet) */
    bool closed;
    bool orphan;          /* its owner has freed it while its results are unread */
    bool close_talks;     /* ops->close() waits for the server, and reads what is unread */
    bool forgotten;       /* the server had prepared it and does not know it */
    bool emulated;        /* parameters are written into the text, see template */
    size_t nplaceholders; /* number of ? */
    size_t nparams;       /* parameters bound */

    sql_bind *params;  /* a copy; the buffers belong to the script */
    sql_bind *results; /* likewise, for rows; NULL: none */
    size_t nresults;
    char *query;
    size_t query_len;
    struct sql_stmt *prev, *next;

    struct sql_template template;
    struct str text;
    unsigned kind; /* sql_stats.c */
    int count_as;  /* enum counter; -1: what the server's answer says */
};

/* Unless noted otherwise, functions are called with a connection that is UP. */
struct sql_ops {
    bool dry; /* there is no server: nothing is checked, statements are not emulated */

    /* Opens c->handle to c->endpoint.  `again`: a reconnect, which must time out.  Not SQL_DONE:
     * c->fail says why, SQL_BUSY: it may succeed at once.  Prints nothing. */
    enum sql_outcome (*connect)(struct sql_conn *c, bool again);
    /* Prints the FATAL lines of the connect that failed last. */
    void (*print_connect_error)(struct sql_conn *c);
    /* Releases c->handle, dead or alive; its statements have been closed. */
    void (*disconnect)(struct sql_conn *c);
    /* The connection's socket, -1 if unknown. */
    int (*socket)(struct sql_conn *c);
    /* What the server calls it (sql_sessions.h).  NULL: there is no such thing. */
    uint64_t (*session)(struct sql_conn *c);
    bool counts_login; /* the server, as a transaction */
    /* The host that the library chose, where it tries several, and its port; NULL: that of
     * c->endpoint. */
    const char *(*chosen)(struct sql_conn *c, const char **port);

    /* Runs one NUL-terminated text; fills c->res (counter, nfields, nrows, ptr) and c->more. */
    enum sql_outcome (*query)(struct sql_conn *c, const char *text, size_t len);
    /* The next result of c->source or of the plain query, like query(); only if c->more.  NULL: the
     * driver never sets it. */
    enum sql_outcome (*next)(struct sql_conn *c);
    /* The next row into c->values (sql_row_reserve); false after the last, or when the row cannot
     * be read: then *v, which is SQL_DONE, says so. */
    bool (*fetch)(struct sql_conn *c, enum sql_outcome *v);
    void (*free_result)(struct sql_conn *c);
    /* Before a statement, once the connection has been idle (or c->astray): SQL_DONE unless the
     * server has sent what would be taken for the answer.  NULL: it cannot. */
    enum sql_outcome (*in_step)(struct sql_conn *c);

    /* Did the failure in c->fail leave a transaction open, which a restart would continue? */
    bool (*transaction_open)(struct sql_conn *c);
    bool (*rollback)(struct sql_conn *c); /* false: failed; the next statement will fail, too */
    /* Has the server count what it has done so far, see sql_settle.  False: no statement was
     * committed.  NULL: it counts at once. */
    bool (*settle)(struct sql_conn *c);

    /* What takes the place of "SELECT" in a query that waits for no lock and ends after a quarter
     * of a second, as far as this server can promise that.  NULL: nothing does. */
    const char *hasty_select;

    /* Lexical rules for emulation (SQL_LEX_*); a string as a literal of that server. */
    unsigned (*lex)(struct sql_conn *c);
    void (*quote)(void *conn, struct str *out, const char *bytes, size_t n);

    /* Prepares s->query on the server: sets s->handle and s->nplaceholders, or s->emulated if the
     * server cannot prepare it.  `first`: called by the script; every failure but SQL_LOST prints
     * its lines.  Otherwise the statement is prepared again on a new connection, and failures are
     * treated as those of an execute. */
    enum sql_outcome (*prepare)(struct sql_stmt *s, bool first);
    /* Binds s->params to s->handle, which may need the server; 0, or -1 with c->fail set.  If the
     * connection is lost and that is ignored: 0, and the execute finds it again. */
    int (*bind)(struct sql_stmt *s);
    enum sql_outcome (*execute)(struct sql_stmt *s);
    /* Releases s->handle; unless s->close_talks, without a wait. */
    void (*close)(struct sql_stmt *s);
    /* Runs a COPY or LOAD DATA LOCAL statement with the rows of the feed.  NULL: the server has no
     * such statement.  A failure with feed->begun false: the server did not ask for the rows. */
    enum sql_outcome (*load)(struct sql_conn *c, const char *text, size_t len,
                             struct sql_feed *feed);
    /* Notes what the driver and its library touch when the statement is executed (s NULL: the
     * connection's share, for any of its statements).  NULL: nothing is known. */
    void (*note)(const struct sql_conn *c, const struct sql_stmt *s, struct prefetch_list *l);
    /* what is logged when the script has bound a wrong number of parameters */
    struct {
        enum log_level level;
        const char *text;
    } wrong_count;
};

extern const struct sql_driver_class sql_class_mysql;
extern const struct sql_driver_class sql_class_pgsql;
extern const struct sql_ops sql_ops_null; /* dry runs: answers at once */

/* An open driver; the sql_driver that scripts hold is its first member. */
struct sql_driver_slot {
    sql_driver pub;
    const struct sql_driver_class *class;
    const struct sql_ops *ops;
    void *cfg;
    bool ready;
    const struct sql_options *options;
    struct sql_limits limits;
    struct sql_servers servers;  /* of the options' driver alone */
    _Atomic uint64_t next_place; /* of connections that take turns */
};

/* By a driver, before it sends what the server counts (sql_sessions.h), and with the answer. */
static inline void sql_note_sent(struct sql_conn *c)
{
    if (c->session)
        atomic_fetch_add(&c->session->sent, 1);
}
static inline void sql_note_answered(struct sql_conn *c)
{
    if (c->session)
        atomic_fetch_add(&c->session->answered, 1);
}

/* By a driver: the answer to a statement that has changed so many rows (UINT64_MAX: it does not
 * say), and returns none. */
static inline void sql_set_status(struct sql_conn *c, uint64_t affected)
{
    affected = affected == UINT64_MAX ? 0 : affected;
    c->res.counter = affected > 0 ? CNT_WRITE : CNT_OTHER;
    c->res.nfields = 0;
    c->res.nrows = (uint32_t)affected;
    c->res.ptr = NULL;
}

/* The host's clock. */
static inline mono_ns sql_now(const struct sql_conn *c)
{
    return c->host->now ? c->host->now(c->host->arg) : clock_mono();
}

/* Copies what the library says into c->fail, with its class; state and msg may be NULL. */
void sql_fail(struct sql_conn *c, int errnum, const char *state, const char *msg);

/* The outcome of the failure in c->fail.  `listed`: what the driver's list of errors to ignore
 * makes of it; `lost`: the connection did not survive. */
enum sql_outcome sql_decide(struct sql_conn *c, enum sql_outcome listed, bool lost);

/* sql_setup.c: records that this connection stays lost (c->fail says why) for
 * sql_check_recovered(). */
void sql_note_lost(const struct sql_conn *c);

/* sql_setup.c: the server accepts no further prepared statement: this connection sends plain
 * queries from now on.  One line for the run says so.  msg NULL: the server does not know a
 * statement that it has prepared. */
void sql_stop_preparing(struct sql_conn *c, int errnum, const char *msg);

/* Makes space for n columns in c->values. */
void sql_row_reserve(struct sql_conn *c, size_t n);

#endif
