/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of the MySQL driver share:
 *     drv_mysql_setup.c   options -> struct mydrv_cfg, life of the client library
 *     drv_mysql_errors.c  error number -> verdict, and the lines stock prints
 *     drv_mysql.c         connections, plain queries, their results; the table of functions
 *     drv_mysql_stmt.c    prepared statements and their results
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

/* Settings of the driver; constant after open, but for the position in the list of servers. */
struct mydrv_cfg {
    struct sql_login_mysql login;
    unsigned *ports;
    bool ignore_all;
    unsigned *ignored; /* error numbers */
    size_t nignored;
    bool trace; /* --mysql-debug: each call into the library as a DEBUG line */
    _Atomic uint64_t next_endpoint;
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

/* drv_mysql_stmt.c */
enum sql_verdict mydrv_prepare(struct sql_stmt *s, bool first);
int mydrv_bind(struct sql_stmt *s);
enum sql_verdict mydrv_execute(struct sql_stmt *s);
enum sql_verdict mydrv_next_stmt_result(struct sql_stmt *s);
bool mydrv_fetch_stmt_row(struct sql_stmt *s);
void mydrv_free_stmt_result(struct sql_stmt *s);
void mydrv_close_stmt(struct sql_stmt *s);
void mydrv_wrong_count(struct sql_conn *c);

/* drv_mysql.c */
extern const struct sql_ops mydrv_ops;
/* A statement without rows: counted by what it changed. */
void mydrv_take_status(struct sql_conn *c, my_ulonglong affected);

#endif
