/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: what the files of the MySQL driver share:
 *     drv_mysql_setup.c   options -> struct mydrv_cfg; initializes the client library
 *     drv_mysql_tls.c     TLS and compression: modes -> the library's options, and checks
 *     drv_mysql_auth.c    passwords in clear text, plugins of the library
 *     drv_mysql_errors.c  error number -> outcome, and the lines stock prints
 *     drv_mysql.c         connections, plain queries, their results; the table of functions
 *     drv_mysql_stmt.c    prepared statements and their results
 *     drv_mysql_load.c    LOAD DATA LOCAL, with rows of our own or the file that it names
 *
 * Supports libmariadb 3.1 or later and libmysqlclient 8.0 or later; mysql.h tells them apart at
 * compile time.  Neither needs a call per thread: mysql_thread_init does nothing in libmariadb and
 * in release builds of libmysqlclient 8.
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

/* The result of --mysql-ssl and the options for its files. */
struct mydrv_tls {
    enum sql_ssl_mode mode; /* never ON */
    bool warn_plain;        /* it was ON: warn once if a connection is not encrypted */
    bool cleartext;         /* --mysql-cleartext */
    const char *key, *cert, *ca, *capath, *cipher, *version; /* NULL: none */
    char *compression; /* algorithms in the library's syntax, NULL: none; owned */
};

/* Settings of the driver; constant after open, except for the atomic members. */
struct mydrv_cfg {
    struct sql_login_mysql login;
    char **sources; /* --source-address */
    size_t nsources;
    struct mydrv_tls tls;
    unsigned *ports;
    bool ignore_all;
    unsigned *ignored; /* error numbers */
    size_t nignored;
    enum log_level refused;    /* of the line about a refused statement */
    bool trace;                /* --mysql-debug: each call into the library as a DEBUG line */
    _Atomic bool warned_plain; /* see warn_plain */
};

struct mydrv_endpoint {
    const char *host, *socket; /* socket NULL: TCP (or the library's default for "localhost") */
    unsigned port;
    const char *source; /* --source-address, NULL: the system's choice.  The list moves on by one
                           when each server has had its turn, so every server sees all of it. */
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

/* Server number `position`, round robin: ports advance first, then hosts; or only sockets. */
struct mydrv_endpoint mydrv_endpoint_at(const struct mydrv_cfg *cfg, uint64_t position);

/* drv_mysql_errors.c */
/* What the list of errors to ignore makes of it. */
enum sql_outcome mydrv_classify(const struct mydrv_cfg *cfg, unsigned errnum);
/* sql_fail() of an established connection. */
void mydrv_fail(struct sql_conn *c, unsigned errnum, const char *state, const char *msg);
/* The outcome of the failure in c->fail. */
enum sql_outcome mydrv_decide(struct sql_conn *c);
/* After a failed call on the connection (or a statement): sets c->fail and, if it is fatal, prints
 * the FATAL line; text NULL: without a query. */
enum sql_outcome mydrv_report_failure(struct sql_conn *c, const char *function, const char *text,
                                      size_t len);
enum sql_outcome mydrv_report_stmt_failure(struct sql_conn *c, MYSQL_STMT *st, const char *function,
                                           const char *text, size_t len);
/* The same after an answer that breaks the protocol, which the library has not noticed. */
enum sql_outcome mydrv_report_broken(struct sql_conn *c, const char *function, const char *text,
                                     size_t len);
/* Did connect fail because the local server's listen queue was full? */
bool mydrv_queue_full(unsigned errnum, const char *msg);
bool mydrv_transaction_open(struct sql_conn *c);

/* drv_mysql_tls.c */
/* Modes, files and algorithms that this library does not support: -1 and a sentence. */
int mydrv_tls_check(const struct sql_login_mysql *l, struct err *e);
/* For stock's --mysql-ssl=on, looks for the files in the current folder. */
void mydrv_tls_open(struct mydrv_tls *t, const struct sql_login_mysql *l);
void mydrv_tls_close(struct mydrv_tls *t);
/* Before a connect. */
void mydrv_tls_apply(const struct mydrv_tls *t, MYSQL *m);
/* After a connect: NULL if the connection is encrypted as required, else what is wrong. */
const char *mydrv_tls_missing(struct mydrv_cfg *cfg, MYSQL *m);
/* Writes the library's message of a failed connect, with details that it leaves out, into `size`
 * bytes of out, and corrects its number. */
void mydrv_tls_explain(char *out, size_t size, unsigned *errnum, const char *msg, const char *host);

/* drv_mysql_auth.c */
/* Once, before the first connection and before other threads: -1 after a FATAL line. */
int mydrv_auth_open(const struct mydrv_cfg *cfg);

/* drv_mysql_stmt.c */
struct mydrv_column {
    char *buf;
    unsigned long size, len;
    mydrv_flag is_null;
};

struct mydrv_stmt {
    MYSQL_STMT *st;
    unsigned long *lengths; /* of parameters without a data_len */
    bool measure;           /* there are such parameters */
    struct mydrv_column *columns;
    MYSQL_BIND *binds; /* of the columns */
    unsigned ncolumns;
    bool bound; /* the library has the current buffers */
};

enum sql_outcome mydrv_prepare(struct sql_stmt *s, bool first);
int mydrv_bind(struct sql_stmt *s);
enum sql_outcome mydrv_execute(struct sql_stmt *s);
enum sql_outcome mydrv_next_stmt_result(struct sql_stmt *s);
bool mydrv_fetch_stmt_row(struct sql_stmt *s);
void mydrv_free_stmt_result(struct sql_stmt *s);
void mydrv_close_stmt(struct sql_stmt *s);
void mydrv_wrong_count(struct sql_conn *c);

/* drv_mysql_load.c */
/* Before a connect: what the server may ask for. */
void mydrv_allow_load(struct sql_conn *c, MYSQL *m);
/* Is the (first) statement LOAD DATA or LOAD XML, with LOCAL INFILE 'name' spelled like this? */
bool mydrv_names_file(const char *text, size_t len, const char *name);
enum sql_outcome mydrv_load(struct sql_conn *c, const char *text, size_t len,
                            struct sql_feed *feed);

/* drv_mysql.c */
extern const struct sql_ops mydrv_ops;
/* The result of a statement without rows; the counter depends on the rows changed. */
void mydrv_store_status(struct sql_conn *c, my_ulonglong affected);

#endif
