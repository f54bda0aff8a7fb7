/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of the MySQL driver share:
 *     drv_mysql_setup.c   options -> struct mydrv_cfg, life of the client library
 *     drv_mysql_tls.c     TLS and compression: modes -> the library's options, what came of them
 *     drv_mysql_errors.c  error number -> verdict, and the lines stock prints
 *     drv_mysql.c         connections, plain queries, their results; the table of functions
 *     drv_mysql_stmt.c    prepared statements and their results
 *     drv_mysql_warm.c    which of the library's memory a statement touches
 *
 * Written for libmariadb (3.1 and later) and for libmysqlclient (8.0 and later); where they differ,
 * mysql.h says at compile time which it is.  Neither needs calls per thread: mysql_thread_init does
 * nothing in libmariadb and in release builds of libmysqlclient 8.
 */
#ifndef SB_SQL_DRV_MYSQL_H
#define SB_SQL_DRV_MYSQL_H

#include <mysql.h>
#include <stdatomic.h>

#include "base/log.h"
#include "sql/sql_driver.h"

#if defined(LIBMARIADB) || defined(MARIADB_BASE_VERSION)
#define SB_LIBMARIADB 1
typedef my_bool mydrv_flag;
#else
#define SB_LIBMARIADB 0
typedef bool mydrv_flag;
#endif

/* What --mysql-ssl and its files come to. */
struct mydrv_tls {
    enum sql_ssl_mode mode; /* never ON */
    bool warn_plain;        /* it was ON: say so once when a connection is not encrypted */
    const char *key, *cert, *ca, *capath, *cipher, *version; /* NULL: none */
    char *compression; /* algorithms as the library takes them, NULL: none; ours */
};

/* Settings of the driver; constant after open, but for the position in the list of servers. */
struct mydrv_cfg {
    struct sql_login_mysql login;
    struct mydrv_tls tls;
    unsigned *ports;
    bool ignore_all;
    unsigned *ignored; /* error numbers */
    size_t nignored;
    bool trace; /* --mysql-debug: each call into the library as a DEBUG line */
    _Atomic uint64_t next_endpoint;
    _Atomic bool told_plain; /* the warning of mydrv_check_tls was given */
};

struct mydrv_endpoint {
    const char *host, *socket; /* socket NULL: TCP (or the library's default for "localhost") */
    unsigned port;
};

#define MYDRV_TRACE(c, ...)                                                                        \
    do {                                                                                           \
        if (((const struct mydrv_cfg *)(c)->cfg)->trace)                                           \
            log_debug(__VA_ARGS__);                                                                \
    } while (0)

static inline MYSQL *mydrv_lib(const struct sql_conn *c)
{
    return c->handle;
}

/* Server number `position` of the round: ports advance first, then hosts; or sockets only. */
struct mydrv_endpoint mydrv_endpoint_at(const struct mydrv_cfg *cfg, uint64_t position);

/* drv_mysql_errors.c */
enum sql_verdict mydrv_judge(const struct mydrv_cfg *cfg, unsigned errnum);
/* A call that failed on the connection (or in a statement): fills c->fail, prints the FATAL line
 * when it is fatal; text NULL: no query to show. */
enum sql_verdict mydrv_refused(struct sql_conn *c, const char *function, const char *text,
                               size_t len);
enum sql_verdict mydrv_stmt_refused(struct sql_conn *c, MYSQL_STMT *st, const char *function,
                                    const char *text, size_t len);
/* Is it the local server's listen queue that was full when connect failed? */
bool mydrv_queue_full(unsigned errnum, const char *msg);
bool mydrv_leaves_transaction(struct sql_conn *c);

/* drv_mysql_tls.c */
/* Modes, files and algorithms that this library cannot do: -1 and a sentence. */
int mydrv_tls_check(const struct sql_login_mysql *l, struct err *e);
/* The files of stock's --mysql-ssl=on are looked for in the current folder. */
void mydrv_tls_open(struct mydrv_tls *t, const struct sql_login_mysql *l);
void mydrv_tls_close(struct mydrv_tls *t);
/* Before a connect. */
void mydrv_tls_apply(const struct mydrv_tls *t, MYSQL *m);
/* After one: is the connection as encrypted as it has to be?  NULL, or what is wrong. */
const char *mydrv_tls_missing(struct mydrv_cfg *cfg, MYSQL *m);
/* The library's message of a connect that failed, with what it left out; `room` bytes of out. */
void mydrv_tls_explain(char *out, size_t room, unsigned errnum, const char *msg, const char *host);

/* drv_mysql_stmt.c */
struct mydrv_column {
    char *buf;
    unsigned long room, len;
    mydrv_flag is_null;
};

struct mydrv_stmt {
    MYSQL_STMT *st;
    unsigned long *lengths; /* of parameters that come without one of their own */
    bool measure;           /* there are such parameters */
    struct mydrv_column *columns;
    MYSQL_BIND *binds; /* of the columns */
    unsigned ncolumns;
    bool bound; /* the library knows the present buffers */
};

enum sql_verdict mydrv_prepare(struct sql_stmt *s, bool first);
int mydrv_bind(struct sql_stmt *s);
enum sql_verdict mydrv_execute(struct sql_stmt *s);
enum sql_verdict mydrv_next_stmt_result(struct sql_stmt *s);
bool mydrv_fetch_stmt_row(struct sql_stmt *s);
void mydrv_free_stmt_result(struct sql_stmt *s);
void mydrv_close_stmt(struct sql_stmt *s);
void mydrv_wrong_count(struct sql_conn *c);

/* drv_mysql_warm.c */
void mydrv_warm(const struct sql_conn *c, struct warm_list *l);
void mydrv_warm_stmt(const struct sql_stmt *s, struct warm_list *l);

/* drv_mysql.c */
extern const struct sql_ops mydrv_ops;
/* A statement without rows: counted by what it changed. */
void mydrv_take_status(struct sql_conn *c, my_ulonglong affected);

#endif
