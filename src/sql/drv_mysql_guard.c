/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a server may ask for.
 *
 * Passwords in clear text: with the plugin mysql_clear_password, or with dialog, which MariaDB's
 * PAM uses.  libmariadb's plugins of these names send it to whoever asks; those of this file,
 * registered before the library looks for its own, only over TLS, or with --mysql-cleartext.
 * libmysqlclient has a switch, and no dialog.
 *
 * libmariadb's plugins of SHA-2 send it, too, where TLS was only asked for: whether the server has
 * agreed is not what they look at.  Without TLS the functions of this file withdraw the wish first,
 * and the plugins encrypt the password with the server's key.  Through a socket,
 * caching_sha2_password sends it in clear text: MySQL's server expects no key there.
 *
 * mysql_old_password sends what takes seconds to break, so it counts as clear text.
 *
 * libmariadb loads the plugins of other accounts from files when it first needs them.  Two threads
 * that do so at once make one connection fail ("it is already loaded"), so they are loaded here,
 * before there are threads.
 *
 * Files, with LOAD DATA LOCAL: the server answers the statement with a file name and asks the
 * client for that file; a hostile one may ask for any file, after any statement.  The library would
 * open it; here it asks us.  For sql_load(), rows come from the feed, whatever the name.  For a
 * statement of the script, the file is the one that the statement names.  Everything else is
 * refused.
 */
#include <errmsg.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"
#include "sql/drv_mysql.h"
#include "sql/sql.h"
#include "sql/sql_text.h"

/* --- passwords --- */

#if SB_LIBMARIADB
#include <mysql/plugin_auth.h>

#define AUTHENTICATION 2 /* a type of plugins */

typedef int authenticate(MYSQL_PLUGIN_VIO *vio, MYSQL *m);

/* libmariadb's struct; Debian's header of it includes one that is not installed.  The servers of
 * hostile_mysql.t log in with each plugin, so a library with another struct is noticed. */
struct plugin {
    int type;
    unsigned interface_version;
    const char *name, *author, *description;
    unsigned version[3];
    const char *license;
    void *api;
    int (*init)(char *, size_t, int, va_list);
    int (*deinit)(void);
    int (*options)(const char *, const void *);
    authenticate *authenticate;
    int (*hash)(MYSQL *m, unsigned char *out, size_t *n); /* since interface 1.1 */
};

/* The first byte of a question of dialog: twice its kind, and whether it is the last. */
#define LAST_QUESTION 1
#define PASSWORD      2

/* A login may send the password in clear text: TLS precedes every login, or the user allows it.
 * File-scope, because a plugin has no context of ours. */
static _Atomic bool allowed;

static int refuse(MYSQL *m, const char *why)
{
    m->net.last_errno = CR_AUTH_PLUGIN_ERR;
    snprintf(m->net.sqlstate, sizeof m->net.sqlstate, "HY000");
    snprintf(m->net.last_error, sizeof m->net.last_error, "%s", why);
    return CR_ERROR;
}

static bool may_send(MYSQL *m)
{
    return atomic_load(&allowed) || mysql_get_ssl_cipher(m);
}

static int refuse_clear_text(MYSQL *m)
{
    return refuse(m, "The server asks for the password in clear text, and the connection is "
                     "not encrypted: --mysql-ssl=required encrypts it, --mysql-cleartext "
                     "allows it");
}

static int send_password(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
    const char *password = m->passwd ? m->passwd : "";

    if (!may_send(m))
        return refuse_clear_text(m);
    return vio->write_packet(vio, (const unsigned char *)password, (int)strlen(password) + 1)
               ? CR_ERROR
               : CR_OK;
}

static int answer_questions(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
    unsigned char *packet, kind;

    for (bool first = true;; first = false) {
        int n = vio->read_packet(vio, &packet), rc;
        if (n < 0)
            return CR_ERROR;
        kind = n > 0 ? *packet : PASSWORD * 2;
        if (kind == 0 || kind == 254)
            return CR_OK_HANDSHAKE_COMPLETE;
        if (!first || kind / 2 != PASSWORD)
            return refuse(m, "The server asks for more than the password");
        rc = send_password(vio, m);
        if (rc != CR_OK || kind & LAST_QUESTION)
            return rc;
    }
}

/* --- the library's plugins --- */

static authenticate guard_caching_sha2, guard_sha256, guard_old;

static struct {
    const char *name;
    authenticate *ours, *theirs;
} guarded[] = {{"caching_sha2_password", guard_caching_sha2, NULL},
               {"sha256_password", guard_sha256, NULL},
               {"mysql_old_password", guard_old, NULL}};

static int guard_sha2(authenticate *theirs, MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
    bool plain = !mysql_get_ssl_cipher(m);

    if (plain) {
        m->options.use_ssl = 0;
        m->client_flag &= ~(unsigned long)CLIENT_SSL;
    }
    int rc = theirs(vio, m);
    if (rc == CR_ERROR && plain && m->net.last_errno == 0)
        return refuse(m, "The server has no key that encrypts the password, and the connection is "
                         "not encrypted: --mysql-ssl=required encrypts it");
    return rc;
}

static int guard_caching_sha2(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
    return guard_sha2(guarded[0].theirs, vio, m);
}

static int guard_sha256(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
    return guard_sha2(guarded[1].theirs, vio, m);
}

static int guard_old(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
    return may_send(m) ? guarded[2].theirs(vio, m) : refuse_clear_text(m);
}

#define PLUGIN(called, function)                                                                   \
    {                                                                                              \
        .type = AUTHENTICATION, .interface_version = 0x0101, .name = (called), .author = "",       \
        .description = "", .license = "GPL", .authenticate = (function)                            \
    }
static struct plugin own[] = {PLUGIN("mysql_clear_password", send_password),
                              PLUGIN("dialog", answer_questions)};

int mydrv_auth_open(const struct mydrv_cfg *cfg)
{
    static const char *const files[] = {"client_ed25519", "parsec", "auth_gssapi_client"};
    MYSQL *m = mysql_init(NULL);
    int rc = m ? 0 : -1;

    atomic_store(&allowed, cfg->tls.cleartext || cfg->tls.mode >= SQL_SSL_REQUIRED);
    for (size_t i = 0; m && i < sizeof own / sizeof *own; i++)
        if (!mysql_client_register_plugin(m, (struct st_mysql_client_plugin *)&own[i]))
            rc = -1;
    for (size_t i = 0; m && i < sizeof files / sizeof *files; i++)
        mysql_client_find_plugin(m, files[i], AUTHENTICATION);
    for (size_t i = 0; m && i < sizeof guarded / sizeof *guarded; i++) {
        struct plugin *p =
            (struct plugin *)mysql_client_find_plugin(m, guarded[i].name, AUTHENTICATION);
        if (p && p->authenticate != guarded[i].ours) {
            guarded[i].theirs = p->authenticate;
            p->authenticate = guarded[i].ours;
        }
    }
    mysql_close(m);
    if (rc)
        log_fatal("this libmariadb does not accept plugins, so it would send passwords in clear "
                  "text to servers that ask for them");
    return rc;
}
#else
int mydrv_auth_open(const struct mydrv_cfg *cfg)
{
    (void)cfg;
    return 0;
}
#endif

/* --- files --- */

/* Packets of the library are 4 KiB of rows; so many bytes of them go in one write. */
#define WRITE_BUFFER (64u * 1024)

/* A file that the server asks for. */
struct load_file {
    struct sql_feed *feed; /* the rows, instead of a file */
    int fd, errnum;        /* -1 and why, errno or CR_UNKNOWN_ERROR */
    char *name;
};

/* --- the file that a statement names --- */

static size_t skip_blanks(const struct sql_scan *sc, size_t i)
{
    size_t end;

    for (; i < sc->len; i = end) {
        if (sc->s[i] && strchr(" \t\r\n\v\f", sc->s[i]))
            end = i + 1;
        else if (sql_scan_token(sc, i, &end) != SQL_TOKEN_COMMENT)
            break;
    }
    return i;
}

/* Is this the next word?  Then *i moves behind it and the blanks. */
static bool take(const struct sql_scan *sc, size_t *i, const char *word)
{
    size_t end = *i + strlen(word);

    if (end >= sc->len || strncasecmp(sc->s + *i, word, strlen(word)) != 0 ||
        sql_name_char(sc->s[end]))
        return false;
    *i = skip_blanks(sc, end);
    return true;
}

bool mydrv_names_file(const char *text, size_t len, const char *name)
{
    struct sql_scan sc = {text, len, SQL_LEX_MYSQL | SQL_LEX_BACKSLASH};
    size_t i = skip_blanks(&sc, 0), end, n = strlen(name);

    if (!take(&sc, &i, "LOAD") || !(take(&sc, &i, "DATA") || take(&sc, &i, "XML")))
        return false;
    if (!take(&sc, &i, "LOW_PRIORITY"))
        take(&sc, &i, "CONCURRENT");
    return take(&sc, &i, "LOCAL") && take(&sc, &i, "INFILE") && i < len &&
           sql_scan_token(&sc, i, &end) == SQL_TOKEN_STRING && end - i == n + 2 &&
           memcmp(text + i + 1, name, n) == 0 && text[end - 1] == text[i] &&
           !(end < len && text[end] == text[i]); /* 'a''b' */
}

/* --- the library's calls --- */

static int begin(void **out, const char *name, void *arg)
{
    struct sql_conn *c = arg;
    struct load_file *f = *out = mem_alloc(sizeof *f);

    f->feed = c->feed;
    f->name = mem_strdup(name);
    f->fd = -1;
    if (f->feed) {
        f->feed->begun = true;
        return 0;
    }
    f->errnum = CR_UNKNOWN_ERROR;
    if (!c->text || !mydrv_names_file(c->text, c->text_len, name))
        return 1;
    f->fd = open(name, O_RDONLY | O_CLOEXEC);
    f->errnum = errno;
    return f->fd < 0;
}

static int next_bytes(void *arg, char *out, unsigned int room)
{
    struct load_file *f = arg;

    if (f->feed)
        return (int)f->feed->read(f->feed->arg, out, room);
    ssize_t n = read(f->fd, out, room);
    f->errnum = errno;
    return (int)n;
}

static void end(void *arg)
{
    struct load_file *f = arg;

    if (!f) /* libmariadb has refused by itself */
        return;
    fd_close(f->fd);
    free(f->name);
    free(f);
}

static int why(void *arg, char *out, unsigned int size)
{
    const struct load_file *f = arg;

    if (f->errnum == CR_UNKNOWN_ERROR)
        snprintf(out, size, "The server asked for a file that the statement does not name: %s",
                 f->name);
    else
        snprintf(out, size, "File '%s' %s (Errcode: %d)", f->name,
                 f->fd < 0 ? "not found" : "cannot be read", f->errnum); /* as libmariadb does */
    for (; *out; out++)
        if (*out == '%')
            *out = '?'; /* libmariadb takes the text for a format */
    return f->errnum;
}

void mydrv_allow_load(struct sql_conn *c, MYSQL *m)
{
    unsigned on = ((const struct mydrv_cfg *)c->cfg)->login.local_infile;

    mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &on);
#if SB_LIBMARIADB
    if (c->host->loads)
        mysql_options(m, MYSQL_OPT_NET_BUFFER_LENGTH, &(size_t){WRITE_BUFFER});
#endif
    mysql_set_local_infile_handler(m, begin, next_bytes, end, why, c);
}
