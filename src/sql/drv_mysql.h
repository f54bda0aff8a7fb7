/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: what the files of the MySQL driver share:
 *     drv_mysql_setup.c   options -> struct mydrv_cfg; TLS and compression; errors
 *     drv_mysql_guard.c   what servers may ask for: passwords in clear text, files
 *     drv_mysql.c         connections, plain queries; the table of functions
 *     drv_mysql_stmt.c    prepared statements
 *     mysql_wire.c        executes them without the library; their rows are in mysql_row.c
 *
 * Supports libmariadb 3.1 or later and libmysqlclient 8.0 or later; mysql.h tells them apart at
 * compile time.  Neither needs a call per thread: mysql_thread_init does nothing in libmariadb and
 * in release builds of libmysqlclient 8.
 */
#ifndef SB_SQL_DRV_MYSQL_H
#define SB_SQL_DRV_MYSQL_H

#include <errmsg.h>
#include <mysql.h>
#include <stdatomic.h>

#include "base/log.h"
#include "sql/mysql_wire.h"
#include "sql/sql_driver.h"

#if defined(LIBMARIADB) || defined(MARIADB_BASE_VERSION)
#define SB_LIBMARIADB 1
typedef my_bool mydrv_flag;
#else
#define SB_LIBMARIADB 0
typedef bool mydrv_flag;
#endif

/* The result of --mysql-ssl and the options for its files. */
struct mydrv_tls {
    enum sql_ssl_mode mode; /* never ON */
    const char *warn_plain; /* mode to name, once, if a connection is not encrypted; or NULL */
    bool cleartext;         /* --mysql-cleartext */
    const char *text[SQL_TLS_TEXTS]; /* NULL: none */
    char *compression;               /* algorithms in the library's syntax, NULL: none; owned */
};

/* Settings of the driver; constant after open, except for the atomic members. */
struct mydrv_cfg {
    struct sql_login_mysql login;
    char **sources; /* --source-address */
    size_t nsources;
    struct mydrv_tls tls;
    enum log_level refused;    /* of the line about a refused statement */
    _Atomic bool warned_plain; /* see warn_plain */
};

/* A connection; c->handle. */
struct mydrv_conn {
    MYSQL *lib;
    bool wire_last;    /* what ran last was not the library's */
    struct wire wire;  /* fd -1: the library executes prepared statements, too */
    struct str unread; /* of a plain query with more results: its text, for their errors */
};

struct mydrv_endpoint {
    const char *host, *socket; /* socket NULL: TCP (or the library's default for "localhost") */
    unsigned port;
    const char *source; /* --source-address, NULL: the system's choice.  The list moves on by one
                           when each server has had its turn, so every server sees all of it. */
};

/* --mysql-debug: each call into the library as a DEBUG line. */
#define MYDRV_TRACE(c, ...)                                                                        \
    do {                                                                                           \
        if (((const struct mydrv_cfg *)(c)->cfg)->login.debug)                                     \
            log_debug(__VA_ARGS__);                                                                \
    } while (0)

static inline const char *mydrv_or_null(const char *s)
{
    return s && *s ? s : NULL;
}

/* Server number `position`, round robin: ports advance first, then hosts; or only sockets. */
struct mydrv_endpoint mydrv_endpoint_at(const struct mydrv_cfg *cfg, uint64_t position);

/* Modes, files and algorithms that this library does not support: -1 and a sentence. */
int mydrv_tls_check(const struct sql_login_mysql *l, struct err *e);
/* For stock's --mysql-ssl=on, looks for the files in the current directory. */
void mydrv_tls_open(struct mydrv_tls *t, const struct sql_login_mysql *l);
/* Before a connect. */
void mydrv_tls_apply(const struct mydrv_tls *t, MYSQL *m);
/* After a connect: NULL if the connection is encrypted as required, else what is wrong. */
const char *mydrv_tls_missing(struct mydrv_cfg *cfg, MYSQL *m);
/* Writes the library's message of a failed connect, with details that it leaves out, into `size`
 * bytes of out, and corrects its number. */
void mydrv_tls_explain(char *out, size_t size, unsigned *errnum, const char *msg, const char *host);

/* What the list of errors to ignore makes of it. */
enum sql_outcome mydrv_classify(const struct mydrv_cfg *cfg, unsigned errnum);
/* sql_fail() of an established connection. */
void mydrv_fail(struct sql_conn *c, unsigned errnum, const char *state, const char *msg);
/* The outcome of the failure in c->fail. */
enum sql_outcome mydrv_decide(struct sql_conn *c);
/* The same, and prints the FATAL line if it is fatal; text NULL: without a query. */
enum sql_outcome mydrv_refused(struct sql_conn *c, const char *function, const char *text,
                               size_t len);
/* The same, after a failed call on the connection, or on a statement (st). */
enum sql_outcome mydrv_failed(struct sql_conn *c, MYSQL_STMT *st, const char *function,
                              const char *text, size_t len);
/* Did connect fail because the local server's listen queue was full? */
bool mydrv_queue_full(unsigned errnum, const char *msg);

/* drv_mysql_guard.c */
/* Once, before the first connection and before other threads: -1 after a FATAL line. */
int mydrv_auth_open(const struct mydrv_cfg *cfg);
/* Before a connect: which files the server may ask for. */
void mydrv_allow_load(struct sql_conn *c, MYSQL *m);
/* Is the (first) statement LOAD DATA or LOAD XML, with LOCAL INFILE 'name' spelled like this? */
bool mydrv_names_file(const char *text, size_t len, const char *name);

static inline struct mydrv_conn *mydrv_of(const struct sql_conn *c)
{
    return c->handle;
}

static inline MYSQL *mydrv_lib(const struct sql_conn *c)
{
    return mydrv_of(c)->lib;
}

/* The server counts what it answers, also by an error of its own. */
static inline void mydrv_note_answer(struct sql_conn *c, int rc, unsigned errnum)
{
    bool library = (errnum >= CR_MIN_ERROR && errnum <= CR_MAX_ERROR) || errnum >= 5000;

    if (!rc || !library)
        sql_note_answered(c);
}

/* It may count another result, that of a statement, or not, that of a procedure. */
static inline void mydrv_note_more(struct sql_conn *c, bool more)
{
    c->more = more;
    if (more)
        sql_note_sent(c);
}

/* drv_mysql.c */
extern const struct sql_ops mydrv_ops;
/* The connection, for a call of the library, which goes on where mysql_wire.c was: it knows how
 * backslashes are meant, whether a transaction is open if the call fails, and that nothing can be
 * sent while results are unread. */
MYSQL *mydrv_use_lib(struct sql_conn *c);
/* Sets c->astray if the library has read more than the answer, which was the last one. */
void mydrv_note_surplus(struct sql_conn *c);

/* drv_mysql_stmt.c: members of sql_ops, and the same for a statement's results. */
enum sql_outcome mydrv_prepare(struct sql_stmt *s, bool first);
int mydrv_bind(struct sql_stmt *s);
enum sql_outcome mydrv_execute(struct sql_stmt *s);
void mydrv_close_stmt(struct sql_stmt *s);
void mydrv_note(const struct sql_conn *c, const struct sql_stmt *s, struct prefetch_list *l);
enum sql_outcome mydrv_stmt_next(struct sql_stmt *s);
bool mydrv_stmt_fetch(struct sql_stmt *s, enum sql_outcome *v);
void mydrv_stmt_free(struct sql_stmt *s);
#if SB_LIBMARIADB
/* Takes the statement out of its connection's list, as the end of the connection does, which the
 * library has no function for: mysql_stmt_close() then frees it and tells the server nothing. */
void mydrv_stmt_detach(MYSQL_STMT *st);
#endif

#endif
