/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Connections, statements and results above the drivers: checks the state of the handle, calls the
 * driver (sql_driver.h), classifies and counts the outcome, keeps the one result a connection may
 * hold, and runs the state machine  CLOSED -> UP -> LOST -> (back-off, reconnect) -> UP.
 *
 * Outcomes of the server are data (con->error, sql_errno, sql_state, sql_errmsg), not surprises: a
 * refused statement returns NULL with con->error set to DB_ERROR_IGNORABLE or DB_ERROR_FATAL.
 * FATAL/ALERT lines that stock prints at the moment of failure are printed here and in the drivers.
 *
 * Statements survive a reconnect: it forgets their server side, and each is prepared anew at its
 * next execute, with the parameters it was bound to.
 *
 * A connection belongs to one client; only that client's thread calls.  Calls may block (in
 * poll(2), in the client library): whoever carries the client decides what blocking means.
 *
 * Who frees what: sql_connection_free and sql_statement_free release the handles, once each, in any
 * order (a garbage collector knows no order); sql_disconnect and sql_close only end their use, so a
 * script that goes on using a closed handle gets an ALERT and an error, never freed memory.  A
 * result lives inside its connection and needs no finalizer.
 */
#ifndef SB_SQL_SQL_H
#define SB_SQL_SQL_H

#include <stddef.h>

#include "base/clock.h"
#include "base/err.h"
#include "sql/sql_types.h"
#include "stats/counters.h"
#include "stats/kinds.h"

/* What the SQL floor needs to know about the client it works for. All functions may be NULL. */
struct sql_host {
    void *arg;
    struct counters *counters;          /* never NULL */
    struct kinds_shard *kinds;          /* NULL: statements are not timed by kind */
    bool (*keep_trying)(void *arg);     /* reconnect loops ask: has the run ended meanwhile? */
    void (*pause)(void *arg, dur_ns d); /* sleep between attempts, woken when the run ends */
    /* The making of a connection begins (false: the run has ended, do not), or is over: fd of its
     * socket, -1 when it failed. */
    bool (*connecting)(void *arg, bool begins, int fd);
    void (*connected)(void *arg, int fd); /* a connection is up: fd of its socket (-1 unknown) */
    uint64_t (*random)(void *arg);        /* draws from the client's own stream, where stock does */
    bool aside;                           /* no client's: a failure of it is none of the run */
};

/* --mysql-ssl.  ON is stock's: encrypted where the server can, verified where a CA is given. */
enum sql_ssl_mode {
    SQL_SSL_DISABLED,
    SQL_SSL_ON,
    SQL_SSL_PREFERRED,
    SQL_SSL_REQUIRED,
    SQL_SSL_VERIFY_CA,
    SQL_SSL_VERIFY_IDENTITY
};

/* Options of all drivers, copied at sql_setup(); strings and lists stay the option table's. */
struct sql_login_mysql {
    char **hosts;
    size_t nhosts;
    char **ports;
    size_t nports;
    char **sockets;
    size_t nsockets;
    const char *user, *password, *db;
    enum sql_ssl_mode ssl;
    const char *ssl_key, *ssl_ca, *ssl_capath, *ssl_cert, *ssl_cipher, *tls_version; /* "": none */
    bool compression, debug, dry_run;
    bool small_buffers; /* connections are so many that their memory counts more than a long
                           statement's speed */
    char **algorithms;  /* of compression, in order of preference */
    size_t nalgorithms;
    char **ignore_errors;
    size_t nignore; /* numbers, or "all" */
};

/* Empty values are libpq's business: its environment variables, service file, defaults. */
struct sql_login_pgsql {
    const char *host, *port, *user, *password, *sslmode;
    const char *db;                          /* a name, or a connection string */
    bool host_given, port_given, user_given; /* by the user: then a connection string yields */
    char **ignore_errors;
    size_t nignore; /* SQLSTATEs, "connection" or "all" */
};

struct sql_options {
    const char *driver; /* --db-driver; "" when none was given */
    bool ps_server;     /* --db-ps-mode=auto */
    bool debug;         /* --db-debug */
    struct sql_login_mysql mysql;
    struct sql_login_pgsql pgsql;
    /* NULL, or asked once about each client library before it is used, by the address of one of its
     * functions; -1 with a sentence: it is not to be used. */
    int (*check_library)(const void *function, struct err *e);
};

/* Copies the options and checks the values that can be wrong (ports, error numbers): -1 with a
 * sentence in *e.  Main thread, before any other call here.  The client library itself is
 * initialized by the first sql_driver_get of its driver, so tests without a database pay nothing.
 * sql_teardown undoes both, when no connection is left; sql_setup may follow again. */
int sql_setup(const struct sql_options *o, struct err *e);
void sql_teardown(void);

/* Driver by name (NULL or "": --db-driver).  NULL after a FATAL line.  Any thread;
 * sets sql_in_use() from then on, which selects the SQL form of the reports. */
sql_driver *sql_driver_get(const char *name);
bool sql_in_use(void);
/* Whoever asked for a driver needs it no more.  Its connections go on and it may be asked for
 * again: the client library is every client's, and closed by sql_teardown.  0; 1 after an ALERT
 * when it is no driver.  Any thread. */
int sql_driver_release(const sql_driver *d);

/* Connections whose loss was to be ignored, but that were not back when their client's run ended:
 * 0, or -1 with a sentence about how many and why.  After the run. */
int sql_all_back(struct err *e);

/* What the user can do about the first error that was no outcome of the load but a refusal; NULL:
 * there was none, or nothing is known about it.  The text is constant. */
const char *sql_hint(void);

/* The drivers that were compiled in, for --help: index 0.. until NULL. */
const sql_driver *sql_driver_at(size_t i);
/* The client library of every driver passes a check (as sql_options.check_library); -1 with the
 * sentence of the first that does not. */
int sql_check_libraries(int (*check)(const void *function, struct err *e), struct err *e);
/* The client library of such a driver and its version, as it is at run time. */
const char *sql_driver_library(size_t i);

/* NULL after two FATAL lines. `host` is borrowed, it must outlive the connection. */
sql_connection *sql_connect(sql_driver *d, const struct sql_host *host);
void *sql_connection_owner(const sql_connection *c); /* host->arg */
sql_connection *sql_result_connection(sql_result *r);
int sql_disconnect(sql_connection *c); /* 0; an ALERT when it was closed already */
int sql_reconnect(sql_connection *c);  /* 0 or -1; counts one reconnect */
void sql_hang_up(
    sql_connection *c); /* as sql_disconnect, for whoever cleans up: no counts, no ALERT */
/* Disconnects and lets go; the memory goes with the last statement handle. */
void sql_connection_free(sql_connection *c);

/* query[len] is NUL, as in every string of Lua. NULL: no result set, or con->error says why.
 * Results of an earlier call that nobody asked for (the rest of a multi-statement text, of a CALL)
 * are read and dropped first, uncounted; when one of them is an error that is not ignorable, or the
 * connection was lost, this call fails with it.
 */
sql_result *sql_query(sql_connection *c, const char *query, size_t len);

/* Further results of whatever ran last on the connection, query or prepared statement. */
bool sql_more_results(sql_connection *c);
sql_result *sql_next_result(sql_connection *c);

sql_statement *sql_prepare(sql_connection *c, const char *query, size_t len);
int sql_bind_param(sql_statement *s, const sql_bind *params, size_t n); /* 0, 1 on failure */
/* Where sql_fetch_row also puts the columns of the statement's rows, from the next one on: integers
 * as int64_t, floating point as double, all else as bytes, of which at most max_len are stored
 * while *data_len is the whole length; *is_null says NULL, and then the buffer is left alone.  The
 * list is copied, buffers stay the caller's; n = 0: nowhere.  0; 1 after an ALERT. */
int sql_bind_result(sql_statement *s, const sql_bind *results, size_t n);
sql_result *sql_execute(sql_statement *s);
/* After a failure that the script wants to try again although it is not on the list: ROLLBACK when
 * the failure left a transaction open, uncounted, as after a failure that is on the list. */
void sql_undo(sql_connection *c);
int sql_close(sql_statement *s);           /* 0 (1 for an emulated statement, as stock) */
void sql_statement_free(sql_statement *s); /* closes it if need be and frees the handle */

/* What the statement, or the plain texts on the connection from now on, are called in the report by
 * kind of statement; "" takes the name away.  Bytes are copied; nothing happens where nobody
 * measures. */
void sql_name_statement(sql_statement *s, const char *name, size_t len);
void sql_name_queries(sql_connection *c, const char *name, size_t len);

/* Next row of a buffered result as text (prepared statements too), NULL after the last. */
sql_row *sql_fetch_row(sql_result *r);
int sql_free_results(sql_result *r);

int sql_bulk_init(sql_connection *c, const char *prefix, size_t len);
int sql_bulk_next(sql_connection *c, const char *row, size_t len);
int sql_bulk_done(sql_connection *c);

#endif
