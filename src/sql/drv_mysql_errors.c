/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Classifies error numbers of the server and the client library.  The user's list decides whether
 * an error is ignored; the number decides whether the connection survived it.
 */
#include <errmsg.h>
#include <errno.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/client_errors.h"
#include "sql/drv_mysql.h"
#include "sql/sql_excerpt.h"

#ifndef ER_CONNECTION_KILLED
#define ER_CONNECTION_KILLED 1927 /* MariaDB's */
#endif
#ifndef ER_CLIENT_INTERACTION_TIMEOUT
#define ER_CLIENT_INTERACTION_TIMEOUT 4031 /* MySQL 8.0.24's */
#endif

/* The server does not follow the protocol, so nobody knows what it will send next. */
static bool is_broken(unsigned errnum)
{
    return errnum == CR_COMMANDS_OUT_OF_SYNC || errnum == CR_MALFORMED_PACKET ||
           errnum == CR_UNKNOWN_ERROR; /* it asked for a file */
}

/* The library found the connection lost, or the server announced that it closes it. */
static bool means_lost(unsigned errnum)
{
    switch (errnum) {
    case CR_SERVER_GONE_ERROR:    /* 2006 */
    case CR_SERVER_LOST:          /* 2013 */
    case CR_SERVER_LOST_EXTENDED: /* 2055 */
    case CR_TCP_CONNECTION:       /* 2011 */
    case ER_SERVER_SHUTDOWN:
    case ER_CONNECTION_KILLED:
    case ER_CLIENT_INTERACTION_TIMEOUT: return true;
    }
    return is_broken(errnum);
}

static bool is_ignored(const struct mydrv_cfg *cfg, unsigned errnum)
{
    if (cfg->ignore_all)
        return errnum != 0;
    for (size_t i = 0; i < cfg->nignored; i++)
        if (cfg->ignored[i] == errnum)
            return true;
    return false;
}

enum sql_outcome mydrv_classify(const struct mydrv_cfg *cfg, unsigned errnum)
{
    if (!is_ignored(cfg, errnum))
        return SQL_FATAL;
    return means_lost(errnum) ? SQL_LOST : SQL_IGNORABLE;
}

enum sql_outcome mydrv_decide(struct sql_conn *c)
{
    unsigned errnum = (unsigned)c->fail.errnum;

    return sql_decide(c, mydrv_classify(c->cfg, errnum), means_lost(errnum));
}

/* Error 0: the library lost track of the server, which proxies and Galera nodes in a bad state
 * cause.  libmariadb reports the loss of an encrypted connection as a failure of TLS. */
void mydrv_fail(struct sql_conn *c, unsigned errnum, const char *state, const char *msg)
{
    char text[sizeof c->fail.msg];

    if (errnum == CR_SSL_CONNECTION_ERROR) {
        errnum = CR_SERVER_LOST;
        snprintf(text, sizeof text, "Lost connection to server: %s", msg);
        msg = text;
    }
    sql_fail(c, (int)errnum, state, msg);
    if (errnum == 0)
        c->fail.class = ERROR_CLUSTER;
    if (is_broken(errnum))
        shutdown(c->ops->socket(c), SHUT_RDWR); /* or the library reads on when it closes */
}

static enum sql_outcome refused_statement(struct sql_conn *c, const char *function,
                                          const char *text, size_t len)
{
    const struct mydrv_cfg *cfg = c->cfg;
    enum sql_outcome v = mydrv_decide(c);

    if (v != SQL_FATAL || c->manners & DB_QUIET)
        return v;
    client_errors_code(c->fail.errnum, "");
    if (text) {
        struct str shown = STR_INIT;
        sql_excerpt(&shown, text, len, log_verbosity() >= LOG_DEBUG);
        log_msg(cfg->refused, "%s returned error %d (%s) for query '%s'", function, c->fail.errnum,
                c->fail.msg, str_cstr(&shown));
        str_free(&shown);
    } else {
        log_msg(cfg->refused, "%s returned error %d (%s)", function, c->fail.errnum, c->fail.msg);
    }
    return v;
}

enum sql_outcome mydrv_report_failure(struct sql_conn *c, const char *function, const char *text,
                                      size_t len)
{
    MYSQL *m = mydrv_lib(c);

    mydrv_fail(c, mysql_errno(m), mysql_sqlstate(m), mysql_error(m));
    MYDRV_TRACE(c, "mysql_errno(%p) = %d", (void *)m, c->fail.errnum);
    MYDRV_TRACE(c, "mysql_state(%p) = %s", (void *)m, c->fail.state);
    MYDRV_TRACE(c, "mysql_error(%p) = %s", (void *)m, c->fail.msg);
    return refused_statement(c, function, text, len);
}

enum sql_outcome mydrv_report_stmt_failure(struct sql_conn *c, MYSQL_STMT *st, const char *function,
                                           const char *text, size_t len)
{
    mydrv_fail(c, mysql_stmt_errno(st), mysql_stmt_sqlstate(st), mysql_stmt_error(st));
    MYDRV_TRACE(c, "mysql_stmt_errno(%p) = %d", (void *)st, c->fail.errnum);
    MYDRV_TRACE(c, "mysql_stmt_sqlstate(%p) = %s", (void *)st, c->fail.state);
    MYDRV_TRACE(c, "mysql_stmt_error(%p) = %s", (void *)st, c->fail.msg);
    return refused_statement(c, function, text, len);
}

enum sql_outcome mydrv_report_broken(struct sql_conn *c, const char *function, const char *text,
                                     size_t len)
{
    mydrv_fail(c, CR_MALFORMED_PACKET, "HY000", "Malformed packet");
    return refused_statement(c, function, text, len);
}

bool mydrv_queue_full(unsigned errnum, const char *msg)
{
    char code[16];

    /* only the message contains errno: "... through socket '...' (11)" */
    snprintf(code, sizeof code, "(%d)", EAGAIN);
    return errnum == CR_CONNECTION_ERROR && strstr(msg, code);
}

/*
 * A deadlock rolls the whole transaction back; a lock wait timeout (1205), a changed record (1020)
 * and all other errors only roll back their statement.  Error packets carry no status, so for the
 * other errors this uses the status of the last success.
 */
bool mydrv_transaction_open(struct sql_conn *c)
{
    unsigned status = mydrv_lib(c)->server_status;

    switch (c->fail.errnum) {
    case ER_LOCK_DEADLOCK: return false;
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_CHECKREAD: return true;
    }
    return (status & SERVER_STATUS_IN_TRANS) || !(status & SERVER_STATUS_AUTOCOMMIT);
}
