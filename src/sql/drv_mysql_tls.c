/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Encryption and compression of connections.  The modes mean the same with both libraries, although
 * their interfaces differ: libmysqlclient has the modes; libmariadb uses TLS if the server has it,
 * verifies the chain if and only if it is given a CA, and has a flag for the host name.
 *
 *     mode             encrypted                       CA given to the library  name verified
 *     preferred        if the server supports it       no                       no
 *     required         always                          no                       no
 *     verify-ca        always                          yes, required            no
 *     verify-identity  always                          yes, or the system's     yes
 *
 * libmariadb would log in without TLS to a server that has none: tls_hook_only() keeps it from
 * sending anything.
 *
 * Stock's `on` is verify-ca if there is a CA, otherwise preferred.
 */
#include <errmsg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "sql/drv_mysql.h"
#include "sql/tls_hook.h"

#if SB_LIBMARIADB
#define LIBRARY "libmariadb"
#else
#define LIBRARY "libmysqlclient"
#endif

#define NO_TLS "TLS/SSL error: SSL is required, but the server does not support it"

static const char *or_null(const char *s)
{
    return s && *s ? s : NULL;
}

/* --- checks at start-up --- */

static int check_file(const char *option, const char *path, struct err *e)
{
    if (!or_null(path) || access(path, R_OK) == 0)
        return 0;
    return err_sys(e, errno, "--%s: cannot read '%s'", option, path);
}

static int check_files(const struct sql_login_mysql *l, struct err *e)
{
    if (check_file("mysql-ssl-key", l->ssl_key, e) ||
        check_file("mysql-ssl-cert", l->ssl_cert, e) || check_file("mysql-ssl-ca", l->ssl_ca, e) ||
        check_file("mysql-ssl-capath", l->ssl_capath, e))
        return -1;
    if (!or_null(l->ssl_key) != !or_null(l->ssl_cert))
        return err_set(e, ERR_USAGE, "--mysql-ssl-key and --mysql-ssl-cert need each other");
    return 0;
}

/* The library would ignore a version that it does not know. */
static int check_versions(const char *list, struct err *e)
{
    static const char *const known[] = {"TLSv1.2", "TLSv1.3", "TLSv1.1", "TLSv1.0"};
    size_t nknown = SB_LIBMARIADB ? 4 : 2;

    while (*list) {
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

static int check_mode(const struct sql_login_mysql *l, struct err *e)
{
    bool ca = or_null(l->ssl_ca) || or_null(l->ssl_capath);

    if (l->ssl == SQL_SSL_VERIFY_CA && !ca)
        return err_set(e, ERR_USAGE,
                       "--mysql-ssl=verify-ca needs --mysql-ssl-ca or --mysql-ssl-capath");
    /* libmysqlclient would fail at each connect; libmariadb uses the system's CAs */
    if (!SB_LIBMARIADB && l->ssl == SQL_SSL_VERIFY_IDENTITY && !ca)
        return err_set(e, ERR_USAGE,
                       "--mysql-ssl=verify-identity needs --mysql-ssl-ca or --mysql-ssl-capath "
                       "with this client library (%s)",
                       LIBRARY);
    return 0;
}

static bool is_algorithm(const char *name)
{
    return strcmp(name, "zlib") == 0 || strcmp(name, "zstd") == 0 ||
           strcmp(name, "uncompressed") == 0;
}

static int check_compression(const struct sql_login_mysql *l, struct err *e)
{
    bool usable = l->nalgorithms == 0;

    for (size_t i = 0; i < l->nalgorithms; i++) {
        if (!is_algorithm(l->algorithms[i]))
            return err_set(e, ERR_USAGE,
                           "Invalid value for --mysql-compression-algorithms: '%s' is none of "
                           "zlib, zstd and uncompressed",
                           l->algorithms[i]);
        usable = usable || !SB_LIBMARIADB || strcmp(l->algorithms[i], "zstd") != 0;
    }
    if (l->compression && !usable)
        return err_set(e, ERR_USAGE,
                       "--mysql-compression-algorithms=zstd: this client library (%s) compresses "
                       "with zlib only",
                       LIBRARY);
    return 0;
}

int mydrv_tls_check(const struct sql_login_mysql *l, struct err *e)
{
    if (check_compression(l, e))
        return -1;
    if (l->ssl == SQL_SSL_DISABLED || l->dry_run)
        return 0;
    return check_files(l, e) || check_mode(l, e) ||
                   check_versions(l->tls_version ? l->tls_version : "", e)
               ? -1
               : 0;
}

/* --- settings --- */

static const char *if_readable(const char *path)
{
    return access(path, R_OK) == 0 ? path : NULL;
}

/* The files that stock's --mysql-ssl=on uses when none is given. */
static void use_default_files(struct mydrv_tls *t)
{
    if (t->key || t->cert || t->ca || t->capath)
        return;
    t->key = if_readable("client-key.pem");
    t->cert = if_readable("client-cert.pem");
    t->ca = if_readable("cacert.pem");
    if (!t->key || !t->cert)
        t->key = t->cert = NULL;
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

void mydrv_tls_open(struct mydrv_tls *t, const struct sql_login_mysql *l)
{
    *t =
        (struct mydrv_tls){.mode = l->ssl, .cleartext = l->cleartext, .compression = algorithms(l)};
    if (l->ssl == SQL_SSL_DISABLED) {
        tls_hook_only(NULL, false);
        return;
    }
    t->key = or_null(l->ssl_key);
    t->cert = or_null(l->ssl_cert);
    t->ca = or_null(l->ssl_ca);
    t->capath = or_null(l->ssl_capath);
    t->cipher = or_null(l->ssl_cipher);
    t->version = or_null(l->tls_version);
    if (l->ssl == SQL_SSL_ON) {
        use_default_files(t);
        t->mode = t->ca || t->capath ? SQL_SSL_VERIFY_CA : SQL_SSL_PREFERRED;
        t->warn_plain = t->mode == SQL_SSL_PREFERRED;
    }
    if (t->mode < SQL_SSL_VERIFY_CA)
        t->ca = t->capath = NULL; /* with a CA, libmariadb would verify */
    tls_hook_skip_store((const void *)(uintptr_t)mysql_real_connect,
                        t->mode < SQL_SSL_VERIFY_IDENTITY);
    tls_hook_skip_name_check((const void *)(uintptr_t)mysql_real_connect,
                             t->mode == SQL_SSL_VERIFY_CA);
    tls_hook_only((const void *)(uintptr_t)mysql_real_connect, t->mode >= SQL_SSL_REQUIRED);
}

void mydrv_tls_close(struct mydrv_tls *t)
{
    free(t->compression);
    t->compression = NULL;
}

/* --- connections --- */

static void set_mode(const struct mydrv_tls *t, MYSQL *m)
{
#if SB_LIBMARIADB
    mydrv_flag encrypt = t->mode != SQL_SSL_DISABLED;
    mydrv_flag verify = t->mode == SQL_SSL_VERIFY_IDENTITY;

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

    mysql_options(m, MYSQL_OPT_SSL_MODE, &modes[t->mode]);
    mysql_options(m, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &key); /* sha2 passwords without TLS */
    mysql_options(m, MYSQL_ENABLE_CLEARTEXT_PLUGIN, &clear);
#endif
}

static void set_compression(const struct mydrv_tls *t, MYSQL *m)
{
    if (!t->compression)
        return;
#if SB_LIBMARIADB
    mysql_options(m, MYSQL_OPT_COMPRESS, NULL);
#else
    mysql_options(m, MYSQL_OPT_COMPRESSION_ALGORITHMS, t->compression);
#endif
}

void mydrv_tls_apply(const struct mydrv_tls *t, MYSQL *m)
{
    set_compression(t, m);
    set_mode(t, m);
    if (t->mode == SQL_SSL_DISABLED)
        return;
    mysql_options(m, MYSQL_OPT_SSL_KEY, t->key);
    mysql_options(m, MYSQL_OPT_SSL_CERT, t->cert);
    mysql_options(m, MYSQL_OPT_SSL_CA, t->ca);
    mysql_options(m, MYSQL_OPT_SSL_CAPATH, t->capath);
    mysql_options(m, MYSQL_OPT_SSL_CIPHER, t->cipher);
    if (t->version)
        mysql_options(m, MYSQL_OPT_TLS_VERSION, t->version);
}

const char *mydrv_tls_missing(struct mydrv_cfg *cfg, MYSQL *m)
{
    const struct mydrv_tls *t = &cfg->tls;

    if (t->mode == SQL_SSL_DISABLED || mysql_get_ssl_cipher(m))
        return NULL;
    if (t->mode >= SQL_SSL_REQUIRED)
        return NO_TLS;
    if (t->warn_plain && !atomic_exchange(&cfg->warned_plain, true))
        log_stderr("WARNING: --mysql-ssl=on, but the server has no TLS: connections are not "
                   "encrypted (--mysql-ssl=required refuses that)");
    return NULL;
}

void mydrv_tls_explain(char *out, size_t size, unsigned *errnum, const char *msg, const char *host)
{
    if (tls_hook_refused()) {
        *errnum = CR_SSL_CONNECTION_ERROR;
        msg = NO_TLS;
    }
    if (strstr(msg, "Validation of SSL server certificate failed") ||
        strstr(msg, "Hostname verification failed")) /* libmariadb's messages */
        snprintf(out, size, "%s: it is not for '%s'", msg, host);
    else
        snprintf(out, size, "%s", msg);
}
