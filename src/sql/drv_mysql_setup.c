/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Turns the --mysql-* options into the driver's settings.  Numbers are parsed strictly: a mistyped
 * port or error number is rejected at start-up, not read as another number.
 *
 * Errors: the user's list of numbers decides whether an error is ignored; the number decides
 * whether the connection survived it.
 *
 * Encryption and compression of connections: the modes mean the same with both libraries, although
 * their interfaces differ.  libmysqlclient has the modes; libmariadb uses TLS if the server has it,
 * verifies the chain if and only if it is given a CA, and has a flag for the host name.
 *
 *     mode             encrypted                       CA given to the library  name verified
 *     preferred        if the server supports it       no                       no
 *     required         always                          no                       no
 *     verify-ca        always                          yes, required            no
 *     verify-identity  always                          yes, or the system's     yes
 *
 * libmariadb would log in without TLS to a server that has none: TLS_ONLY keeps it from
 * sending anything.
 *
 * Stock's `on` is verify-ca if there is a CA, otherwise preferred.
 */
#include "config.h"

#include <errmsg.h>
#include <errno.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/client_errors.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "interpose/interpose.h"
#include "sql/drv_mysql.h"
#include "sql/sql_text.h"

#if SB_LIBMARIADB
#define LIBRARY "libmariadb"
#else
#define LIBRARY "libmysqlclient"
#endif

#define NO_TLS "TLS/SSL error: SSL is required, but the server does not support it"

/* --- TLS and compression --- */

static const enum mysql_option tls_options[SQL_TLS_TEXTS] = {
    MYSQL_OPT_SSL_KEY,    MYSQL_OPT_SSL_CERT,   MYSQL_OPT_SSL_CA,
    MYSQL_OPT_SSL_CAPATH, MYSQL_OPT_SSL_CIPHER, MYSQL_OPT_TLS_VERSION};

int mydrv_tls_check(const struct sql_login_mysql *l, struct err *e)
{
    bool ca = mydrv_or_null(l->tls[SQL_TLS_CA]) || mydrv_or_null(l->tls[SQL_TLS_CAPATH]);
    bool usable = l->nalgorithms == 0;
    struct stat st;

    for (size_t i = 0; i < l->nalgorithms; i++) {
        const char *name = l->algorithms[i];
        bool zstd = strcmp(name, "zstd") == 0;
        if (!zstd && strcmp(name, "zlib") != 0 && strcmp(name, "uncompressed") != 0)
            return err_set(e, ERR_USAGE,
                           "Invalid value for --mysql-compression-algorithms: '%s' is none of "
                           "zlib, zstd and uncompressed",
                           name);
        usable = usable || !SB_LIBMARIADB || !zstd;
    }
    if (l->compression && !usable)
        return err_set(e, ERR_USAGE,
                       "--mysql-compression-algorithms=zstd: this client library (%s) compresses "
                       "with zlib only",
                       LIBRARY);
    if (l->ssl == SQL_SSL_DISABLED || l->dry_run)
        return 0;
    for (int i = 0; i < SQL_TLS_FILES; i++) {
        const char *path = mydrv_or_null(l->tls[i]);
        if (path && access(path, R_OK) != 0)
            return err_sys(e, errno, "--%s: cannot read '%s'", sql_tls_options[i], path);
        /* the libraries would only say that no certificate was found there, or fits */
        if (path && stat(path, &st) == 0 && !S_ISDIR(st.st_mode) != (i != SQL_TLS_CAPATH))
            return err_set(e, ERR_USAGE, "--%s: '%s' is %s", sql_tls_options[i], path,
                           i == SQL_TLS_CAPATH ? "no directory (--mysql-ssl-ca takes a file)"
                                               : "a directory (--mysql-ssl-capath takes one)");
    }
    if (!mydrv_or_null(l->tls[SQL_TLS_KEY]) != !mydrv_or_null(l->tls[SQL_TLS_CERT]))
        return err_set(e, ERR_USAGE, "--mysql-ssl-key and --mysql-ssl-cert need each other");
    if (l->ssl == SQL_SSL_VERIFY_CA && !ca)
        return err_set(e, ERR_USAGE,
                       "--mysql-ssl=verify-ca needs --mysql-ssl-ca or --mysql-ssl-capath");
    /* libmysqlclient would fail at each connect; libmariadb uses the system's CAs */
    if (!SB_LIBMARIADB && l->ssl == SQL_SSL_VERIFY_IDENTITY && !ca)
        return err_set(e, ERR_USAGE,
                       "--mysql-ssl=verify-identity needs --mysql-ssl-ca or --mysql-ssl-capath "
                       "with this client library (%s)",
                       LIBRARY);
    /* the library would ignore a version that it does not know */
    static const char *const known[] = {"TLSv1.2", "TLSv1.3", "TLSv1.1", "TLSv1.0"};
    size_t nknown = SB_LIBMARIADB ? 4 : 2;
    for (const char *list = l->tls[SQL_TLS_VERSION]; list && *list;) {
        size_t n = strcspn(list, ","), i = 0;
        while (i < nknown && (strlen(known[i]) != n || strncasecmp(list, known[i], n) != 0))
            i++;
        if (i == nknown)
            return err_set(e, ERR_USAGE,
                           "Invalid value for --mysql-tls-version: '%.*s' is no version that this "
                           "client library (%s) knows",
                           (int)n, list, LIBRARY);
        list += n + (list[n] == ',');
    }
    return 0;
}

/* "zstd,zlib" for libmysqlclient; libmariadb supports only zlib and has no list. */
static char *algorithms(const struct sql_login_mysql *l)
{
    struct str list = STR_INIT;
    bool zlib = l->nalgorithms == 0;

    if (!l->compression)
        return NULL;
    for (size_t i = 0; i < l->nalgorithms; i++) {
        zlib = zlib || strcmp(l->algorithms[i], "zlib") == 0;
        str_printf(&list, "%s%s", i > 0 ? "," : "", l->algorithms[i]);
    }
    if (SB_LIBMARIADB || l->nalgorithms == 0) {
        str_free(&list);
        return zlib ? mem_strdup("zlib") : NULL;
    }
    return list.s;
}

static const char *if_readable(const char *path)
{
    return access(path, R_OK) == 0 ? path : NULL;
}

void mydrv_tls_open(struct mydrv_tls *t, const struct sql_login_mysql *l)
{
    const void *library = (const void *)(uintptr_t)mysql_real_connect;

    *t =
        (struct mydrv_tls){.mode = l->ssl, .cleartext = l->cleartext, .compression = algorithms(l)};
    tls_rules(library, 0);
    if (l->ssl == SQL_SSL_DISABLED)
        return;
    const char **key = &t->text[SQL_TLS_KEY], **cert = &t->text[SQL_TLS_CERT],
               **ca = &t->text[SQL_TLS_CA], **capath = &t->text[SQL_TLS_CAPATH];
    for (int i = 0; i < SQL_TLS_TEXTS; i++)
        t->text[i] = mydrv_or_null(l->tls[i]);
    if (l->ssl == SQL_SSL_ON) {
        if (!*key && !*cert && !*ca && !*capath) { /* stock's, in the current directory */
            *key = if_readable("client-key.pem");
            *cert = if_readable("client-cert.pem");
            *ca = if_readable("cacert.pem");
            if (!*key || !*cert)
                *key = *cert = NULL;
        }
        t->mode = *ca || *capath             ? SQL_SSL_VERIFY_CA
                  : t->text[SQL_TLS_VERSION] ? SQL_SSL_REQUIRED
                                             : SQL_SSL_PREFERRED;
        t->warn_plain = "on";
    }
    if (t->mode == SQL_SSL_PREFERRED && !t->warn_plain)
        t->warn_plain = "preferred";
    if (t->mode < SQL_SSL_VERIFY_CA && (*ca || *capath)) {
        log_stderr("WARNING: --mysql-ssl=%s does not verify the server's certificate, so --%s is "
                   "not used (--mysql-ssl=verify-ca verifies it)",
                   t->mode == SQL_SSL_REQUIRED ? "required" : "preferred",
                   sql_tls_options[*ca ? SQL_TLS_CA : SQL_TLS_CAPATH]);
        *ca = *capath = NULL; /* with a CA, libmariadb would verify */
    }
    tls_rules(library, (t->mode < SQL_SSL_VERIFY_IDENTITY ? TLS_SKIP_STORE : 0) |
                           (t->mode == SQL_SSL_VERIFY_CA ? TLS_ANY_NAME : 0) |
                           (t->mode >= SQL_SSL_REQUIRED ? TLS_ONLY : 0));
}

void mydrv_tls_apply(const struct mydrv_tls *t, MYSQL *m)
{
#if SB_LIBMARIADB
    mydrv_flag encrypt = t->mode != SQL_SSL_DISABLED, verify = t->mode == SQL_SSL_VERIFY_IDENTITY;

    if (t->compression)
        mysql_options(m, MYSQL_OPT_COMPRESS, NULL);
    /* always set both: newer versions of the library turn them on by default */
    mysql_optionsv(m, MYSQL_OPT_SSL_ENFORCE, &encrypt);
    mysql_optionsv(m, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
#else
    static const unsigned modes[] = {[SQL_SSL_DISABLED] = SSL_MODE_DISABLED,
                                     [SQL_SSL_PREFERRED] = SSL_MODE_PREFERRED,
                                     [SQL_SSL_REQUIRED] = SSL_MODE_REQUIRED,
                                     [SQL_SSL_VERIFY_CA] = SSL_MODE_VERIFY_CA,
                                     [SQL_SSL_VERIFY_IDENTITY] = SSL_MODE_VERIFY_IDENTITY};
    mydrv_flag key = true, clear = t->cleartext || t->mode >= SQL_SSL_REQUIRED;

    if (t->compression)
        mysql_options(m, MYSQL_OPT_COMPRESSION_ALGORITHMS, t->compression);
    mysql_options(m, MYSQL_OPT_SSL_MODE, &modes[t->mode]);
    mysql_options(m, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &key); /* sha2 passwords without TLS */
    mysql_options(m, MYSQL_ENABLE_CLEARTEXT_PLUGIN, &clear);
#endif
    for (int i = 0; t->mode != SQL_SSL_DISABLED && i < SQL_TLS_TEXTS; i++)
        if (t->text[i] || i != SQL_TLS_VERSION)
            mysql_options(m, tls_options[i], t->text[i]);
}

const char *mydrv_tls_missing(struct mydrv_cfg *cfg, MYSQL *m)
{
    const struct mydrv_tls *t = &cfg->tls;

    if (t->mode == SQL_SSL_DISABLED || mysql_get_ssl_cipher(m))
        return NULL;
    if (t->mode >= SQL_SSL_REQUIRED)
        return NO_TLS;
    if (t->warn_plain && !atomic_exchange(&cfg->warned_plain, true))
        log_stderr("WARNING: --mysql-ssl=%s, but the server has no TLS: connections are not "
                   "encrypted (--mysql-ssl=required refuses that)",
                   t->warn_plain);
    return NULL;
}

void mydrv_tls_explain(char *out, size_t size, unsigned *errnum, const char *msg, const char *host)
{
    if (tls_refused()) {
        *errnum = CR_SSL_CONNECTION_ERROR;
        msg = NO_TLS;
    }
    if (strstr(msg, "Validation of SSL server certificate failed") ||
        strstr(msg, "Hostname verification failed")) /* libmariadb's messages */
        snprintf(out, size, "%s: it is not for '%s'", msg, host);
    else
        snprintf(out, size, "%s", msg);
}

/* A decimal number of two bytes; NO_NUMBER: anything else. */
#define NO_NUMBER 65536u
static unsigned number_of(const char *text)
{
    int64_t v;

    return *text == '+' || units_int(text, 0, 65535, &v, NULL) ? NO_NUMBER : (unsigned)v;
}

/* --- errors --- */

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
           errnum == CR_OUT_OF_MEMORY || /* for the rest of the answer */
           errnum == CR_UNKNOWN_ERROR;   /* it asked for a file */
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

enum sql_outcome mydrv_classify(const struct mydrv_cfg *cfg, unsigned errnum)
{
    const struct sql_login_mysql *l = &cfg->login;

    for (size_t i = 0; errnum != 0 && i < l->nignore; i++)
        if (strcmp(l->ignore_errors[i], "all") == 0 || number_of(l->ignore_errors[i]) == errnum)
            return means_lost(errnum) ? SQL_LOST : SQL_IGNORABLE;
    return SQL_FATAL;
}

/* The outcome of the failure in c->fail. */
enum sql_outcome mydrv_decide(struct sql_conn *c)
{
    unsigned errnum = (unsigned)c->fail.errnum;

    return sql_decide(c, mydrv_classify(c->cfg, errnum), means_lost(errnum));
}

/* sql_fail() of an established connection.  Error 0: the library lost track of the server, which
 * proxies and Galera nodes in a bad state cause.  libmariadb reports the loss of an encrypted
 * connection as a failure of TLS. */
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

enum sql_outcome mydrv_refused(struct sql_conn *c, const char *function, const char *text,
                               size_t len)
{
    const struct mydrv_cfg *cfg = c->cfg;
    enum sql_outcome v = mydrv_decide(c);

    if (v != SQL_FATAL || c->mode & DB_QUIET)
        return v;
    client_errors_code(c->fail.errnum, "");
    struct str shown = STR_INIT;
    if (text)
        sql_excerpt(&shown, text, len, log_verbosity() >= LOG_DEBUG);
    log_msg(cfg->refused, "%s returned error %d (%s)%s%s%s", function, c->fail.errnum, c->fail.msg,
            text ? " for query '" : "", str_cstr(&shown), text ? "'" : "");
    str_free(&shown);
    return v;
}

/* After a failed call on the connection, or on a statement (st): sets c->fail and, if it is fatal,
 * prints the FATAL line; text NULL: without a query. */
enum sql_outcome mydrv_failed(struct sql_conn *c, MYSQL_STMT *st, const char *function,
                              const char *text, size_t len)
{
    MYSQL *m = ((struct mydrv_conn *)c->handle)->lib;
    const char *of = st ? "stmt_" : "";
    const void *p = st ? (const void *)st : (const void *)m;

    if (st)
        mydrv_fail(c, mysql_stmt_errno(st), mysql_stmt_sqlstate(st), mysql_stmt_error(st));
    else
        mydrv_fail(c, mysql_errno(m), mysql_sqlstate(m), mysql_error(m));
    MYDRV_TRACE(c, "mysql_%serrno(%p) = %d", of, p, c->fail.errnum);
    MYDRV_TRACE(c, "mysql_%s(%p) = %s", st ? "stmt_sqlstate" : "state", p, c->fail.state);
    MYDRV_TRACE(c, "mysql_%serror(%p) = %s", of, p, c->fail.msg);
    return mydrv_refused(c, function, text, len);
}

bool mydrv_queue_full(unsigned errnum, const char *msg)
{
    char code[16];

    /* only the message contains errno: "... through socket '...' (11)" */
    snprintf(code, sizeof code, "(%d)", EAGAIN);
    return errnum == CR_CONNECTION_ERROR && strstr(msg, code);
}

/* --- the driver --- */

static int mydrv_check(const struct sql_options *o, struct err *e)
{
    const struct sql_login_mysql *l = &o->mysql;

    for (size_t i = 0; i < l->nports; i++)
        if (number_of(l->ports[i]) == NO_NUMBER)
            return err_set(e, ERR_USAGE,
                           "Invalid value for --mysql-port: '%s' is not a port number",
                           l->ports[i]);
    for (size_t i = 0; i < l->nignore; i++)
        if (strcmp(l->ignore_errors[i], "all") != 0 &&
            number_of(l->ignore_errors[i]) == NO_NUMBER) /* 0 is no error's: it ignores none */
            return err_set(e, ERR_USAGE,
                           "Invalid value for --mysql-ignore-errors: '%s' is neither an error "
                           "number nor 'all'",
                           l->ignore_errors[i]);
    return mydrv_tls_check(l, e);
}

static void mydrv_shut(void *arg)
{
    struct mydrv_cfg *cfg = arg;

    if (!cfg->login.dry_run)
        mysql_library_end();
    free(cfg->tls.compression);
    free(cfg);
}

static int mydrv_open(const struct sql_options *o, const struct sql_ops **ops, void **cfg_out)
{
    const struct sql_login_mysql *l = &o->mysql;

    if (l->nhosts == 0 || l->nports == 0) {
        log_fatal("No MySQL %s specified, aborting", l->nhosts ? "ports" : "hosts");
        return -1;
    }
    if (l->debug && log_verbosity() < LOG_DEBUG)
        log_set_verbosity(LOG_DEBUG);
    if (!l->dry_run && mysql_library_init(0, NULL, NULL)) {
        log_fatal("mysql_library_init() failed");
        return -1;
    }
    struct mydrv_cfg *cfg = mem_alloc(sizeof *cfg);
    cfg->login = *l;
    cfg->sources = o->sources;
    cfg->nsources = o->nsources;
    if (o->nsources)
        bind_late_for((const void *)mysql_real_connect);
    cfg->refused = o->alerts ? LOG_ALERT : LOG_FATAL;
    mydrv_tls_open(&cfg->tls, &cfg->login);
    if (!l->dry_run && mydrv_auth_open(cfg)) {
        mydrv_shut(cfg);
        return -1;
    }
    if (l->debug && !l->dry_run)
        log_debug("mysql_library_init(0, (nil), (nil))");
    *ops = l->dry_run ? &sql_ops_null : &mydrv_ops;
    *cfg_out = cfg;
    return 0;
}

struct mydrv_endpoint mydrv_endpoint_at(const struct mydrv_cfg *cfg, uint64_t position)
{
    const struct sql_login_mysql *l = &cfg->login;

    if (l->nsockets > 0)
        return (struct mydrv_endpoint){.host = "localhost",
                                       .socket = l->sockets[position % l->nsockets]};
    return (struct mydrv_endpoint){
        .host = l->hosts[position / l->nports % l->nhosts],
        .port = number_of(l->ports[position % l->nports]),
        .source =
            cfg->nsources ? cfg->sources[position / l->nports / l->nhosts % cfg->nsources] : NULL};
}

static const char *mydrv_library(void)
{
    static char text[64]; /* the same each time it is written */

    snprintf(text, sizeof text, "%s %s", SB_MYSQL_LIB, mysql_get_client_info());
    return text;
}

const struct sql_driver_class sql_class_mysql = {
    .library = mydrv_library,
    .names = {.sname = "mysql", .lname = "MySQL driver"},
    .options = OPT_GROUP_MYSQL,
    .check = mydrv_check,
    .open = mydrv_open,
    .close = mydrv_shut,
    .entry = (const void *)mysql_real_connect,
};
