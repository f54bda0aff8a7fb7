/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * MySQL's option files (my.cnf), by the rules of MySQL's manual, "Using Option Files":
 *
 *     [client]                 # to the end of the line
 *     host = db1               ; a line of comment
 *     password = "with # and blanks\tand escapes"
 *     compress
 *     !include /etc/more.cnf
 *     !includedir /etc/mysql/conf.d       # its *.cnf files, sorted by name
 *
 * The client library could read them (MYSQL_READ_DEFAULT_FILE), but not as it must be.  libmariadb
 * does so within the connect, and what it finds there replaces what was set before: a CA or a
 * cipher of the command line.  It does not know ssl-mode, so `ssl-mode=REQUIRED` would connect in
 * clear text, and it would run an init-command.  And the program itself needs
 * the hosts, for its reports and to find the server's process, and the mode of TLS before it
 * connects.
 *
 * A URI (--mysql-url) is a file of one line, whose names are the same, and comes before the files.
 *
 * Among the files, the last setting of a name wins; an option that was given on the command line or
 * in a --config-file stays as it is.  MySQL's clients silently skip a missing included file or a
 * world-writable file; here it is an error, because the user asked for the file.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text_file.h"
#include "opt/mask.h"
#include "sql/sql_options.h"

#define MAX_DEPTH 10

/* Names of MySQL's clients, and of sysbench for [sysbench]. */
static const struct rename {
    const char *name, *option;
    /* NULL: the value is the option's; else it is a flag; "": see say_open() */
    const char *on, *off;
} renames[] = {
    {"host", "mysql-host", NULL, NULL},
    {"port", "mysql-port", NULL, NULL},
    {"socket", "mysql-socket", NULL, NULL},
    {"user", "mysql-user", NULL, NULL},
    {"password", "mysql-password", NULL, NULL},
    {"database", "mysql-db", NULL, NULL},
    {"ssl-mode", "mysql-ssl", NULL, NULL},
    {"ssl", "mysql-ssl", "", "disabled"},
    {"skip-ssl", "mysql-ssl", "disabled", ""},
    {"disable-ssl", "mysql-ssl", "disabled", ""},
    {"ssl-verify-server-cert", "mysql-ssl", "verify-identity", ""},
    {"ssl-key", "mysql-ssl-key", NULL, NULL},
    {"ssl-cert", "mysql-ssl-cert", NULL, NULL},
    {"ssl-ca", "mysql-ssl-ca", NULL, NULL},
    {"ssl-capath", "mysql-ssl-capath", NULL, NULL},
    {"ssl-cipher", "mysql-ssl-cipher", NULL, NULL},
    {"tls-version", "mysql-tls-version", NULL, NULL},
    {"compress", "mysql-compression", "on", "off"},
    {"compression-algorithms", "mysql-compression-algorithms", NULL, NULL},
};
#define RENAMES  (sizeof renames / sizeof *renames)
#define SOCKET   2 /* of renames */
#define SSL_MODE 6

/* What restricts whom to trust or how to encrypt, and cannot be passed on. */
static const char *const refused[] = {"ssl-crl", "ssl-crlpath", "ssl-fp",          "ssl-fplist",
                                      "tls-fp",  "tls-fplist",  "tls-ciphersuites"};

static const char *const groups[] = {"client", "client-server", "client-mariadb", "sysbench"};
#define GROUPS ((int)(sizeof groups / sizeof *groups))
#define OURS   (GROUPS - 1)

struct position {
    const char *path;
    int line, depth;
    bool in_group; /* a group has begun */
    int group;     /* index into groups, -1: none of ours */
};

struct reader {
    struct opts *o;
    bool given[RENAMES]; /* by the user; read before the files' settings look the same */
    bool tls_given;      /* what needs TLS, which then no file switches off */
    bool open;           /* TLS was not switched off, and no mode was named: see open_mode() */
    bool on;             /* ... but TLS was asked for */
    bool moded;          /* the files have a mode of TLS */
    bool named;          /* by ssl-mode */
    bool off;            /* it is "disabled" */
    bool identity;       /* ssl-verify-server-cert, which ssl=0 does not switch off */
    bool verifies;       /* the files' mode is one of verify-... */
    bool unverified;     /* the server's certificate need not be verified */
    const char *suffix;  /* also read the groups with this suffix */
    struct position at;
};

static int read_file(struct reader *r, const char *path, struct err *e);

static int bad(const struct reader *r, struct err *e, const char *why, const char *what)
{
    return err_set(e, ERR_USAGE, "%s:%d: %s: %s", r->at.path, r->at.line, why, what);
}

static char *trim(char *s)
{
    char *end = s + strlen(s);

    while (end > s && isspace((unsigned char)end[-1]))
        *--end = '\0';
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

/* In place: removes quotes around the whole value and resolves escapes. */
static void unquote(char *s)
{
    static const char from[] = "btnrs\\\"'", to[] = "\b\t\n\r \\\"'";
    size_t n = strlen(s);
    char *w = s;

    if (n >= 2 && (*s == '\'' || *s == '"') && s[n - 1] == *s) {
        s[n - 1] = '\0';
        s++;
    }
    for (; *s; s++) {
        const char *known = *s == '\\' && s[1] ? strchr(from, s[1]) : NULL;
        *w++ = known ? to[known - from] : *s;
        s += known != NULL;
    }
    *w = '\0';
}

/* No longer switched off: by a later setting that needs TLS, as in MariaDB's clients. */
static void say_on(struct reader *r)
{
    r->open = r->open || r->off;
    r->moded = r->moded && !r->off;
    r->off = false;
}

/* ssl, skip-ssl=0, or ssl-verify-server-cert=0, which takes back that a certificate is verified. */
static void say_open(struct reader *r, const char *name)
{
    bool unverified = strcmp(name, "ssl-verify-server-cert") == 0;

    if (unverified && r->verifies)
        opt_set(r->o, "mysql-ssl", "required", NULL);
    if (!unverified)
        say_on(r);
    r->on = r->on || strcmp(name, "ssl") == 0;
    r->identity = r->identity && !unverified;
    r->verifies = r->verifies && !unverified;
    r->open = true;
    r->unverified = r->unverified || unverified;
}

/* The mode where the files say no more than say_open(): what a CA, certificate, ... needs. */
static void open_mode(const struct reader *r)
{
    const char *mode = r->on ? "required" : "preferred";

    if (!r->open || r->tls_given || r->moded || r->given[SSL_MODE])
        return;
    for (int i = 0; i < SQL_TLS_TEXTS; i++) {
        const char *text = opt_str(r->o, sql_tls_options[i]);
        bool ca = i == SQL_TLS_CA || i == SQL_TLS_CAPATH;
        if (text && *text && strcmp(mode, "verify-ca") != 0)
            mode = ca && !r->unverified ? "verify-ca" : "required";
    }
    opt_set(r->o, "mysql-ssl", mode, NULL);
}

/* value NULL: the name stood alone. */
static int apply(struct reader *r, char *name, const char *value, struct err *e)
{
    static const char *const flags[] = {"0", "1", "off", "on", "false", "true", "no", "yes"};
    const struct rename *to = renames;

    for (char *c = name; *c; c++)
        if (*c == '_')
            *c = '-';
    bool loose = strncmp(name, "loose-", 6) == 0;
    const char *bare = loose ? name + 6 : name;
    while (to < renames + RENAMES && strcmp(bare, to->name) != 0 && strcmp(bare, to->option) != 0)
        to++;
    for (size_t i = 0; i < sizeof refused / sizeof *refused && !loose; i++)
        if (strcmp(bare, refused[i]) == 0)
            return err_set(e, ERR_USAGE,
                           "'%s' is not supported, and a connection without it may be less safe "
                           "than you want (loose-%s skips it)",
                           name, name);
    if (to == renames + RENAMES) { /* in [client] it is another program's */
        if (r->at.group != OURS || loose)
            return 0;
        return err_set(e, ERR_USAGE,
                       "'%s' is not a connection option (put other options into a --config-file)",
                       name);
    }
    if (to->on) {
        int on = value ? -1 : 1;
        for (int i = 0; value && i < 8; i++)
            if (strcasecmp(value, flags[i]) == 0)
                on = i % 2;
        if (on < 0)
            return err_set(e, ERR_USAGE, "'%s' is on or off, not '%s'", name, value);
        value = on ? to->on : to->off;
    }
    if (!value)
        return err_set(e, ERR_USAGE, "'%s' needs a value", name);
    if (r->given[to - renames])
        return 0;
    if (strcmp(to->option, "mysql-ssl") == 0) {
        bool off = opt_same_word(value, "disabled");
        if (!*value)
            return say_open(r, to->name), 0;
        if (off && (r->tls_given || (to->on && r->identity)))
            return 0;
        r->verifies = strncasecmp(value, "verify", 6) == 0;
        r->unverified = r->unverified && !r->verifies;
        r->named = !to->on;
        r->identity = to->on && r->verifies;
        r->off = off;
        r->moded = true;
    }
    for (int i = 0; i < SQL_TLS_VERSION; i++)
        if (!r->named && strcmp(to->option, sql_tls_options[i]) == 0)
            say_on(r);
    opt_set(r->o, to->option, value, NULL);
    return opts_check(r->o, e);
}

static int read_setting(struct reader *r, char *line, struct err *e)
{
    char *value = NULL, quote = '\0';

    if (!r->at.in_group)
        return bad(r, e, "an option before the first [group]", line);
    if (r->at.group < 0)
        return 0;
    for (char *s = line; *s; s++) { /* '#' begins a comment, but not within quotes */
        if (*s == '\\' && s[1])
            s++;
        else if (quote)
            quote = *s == quote ? '\0' : quote;
        else if (*s == '\'' || *s == '"')
            quote = *s;
        else if (*s == '#') {
            *s = '\0';
            break;
        }
    }
    char *eq = strchr(line, '=');
    if (eq) {
        *eq = '\0';
        value = trim(eq + 1);
        unquote(value);
    }
    line = trim(line);
    if (!*line)
        return bad(r, e, "there is no name before", "=");
    return apply(r, line, value, e) ? err_add(e, "%s:%d", r->at.path, r->at.line) : 0;
}

static int begin_group(struct reader *r, char *line, struct err *e)
{
    char *close = strchr(line, ']');

    if (!close)
        return bad(r, e, "a group without its ']'", line);
    *close = '\0';
    const char *name = trim(line + 1);
    r->at.in_group = true;
    for (r->at.group = GROUPS - 1; r->at.group >= 0; r->at.group--) {
        size_t n = strlen(groups[r->at.group]);
        if (strncmp(name, groups[r->at.group], n) == 0 &&
            (!name[n] || (*r->suffix && strcmp(name + n, r->suffix) == 0)))
            break;
    }
    return 0;
}

static int is_cnf(const struct dirent *d)
{
    size_t n = strlen(d->d_name);

    return n > 4 && strcmp(d->d_name + n - 4, ".cnf") == 0;
}

static int include(struct reader *r, char *line, struct err *e)
{
    size_t word = strcspn(line, " \t");
    char *what = trim(line + word);
    bool directory = word == 11 && strncmp(line, "!includedir", word) == 0;
    struct dirent **names = NULL;

    if ((!directory && !(word == 8 && strncmp(line, "!include", word) == 0)) || !*what)
        return bad(r, e, "neither !include FILE nor !includedir DIRECTORY", line);
    int n = directory ? scandir(what, &names, is_cnf, alphasort) : 0;
    int rc = n < 0        ? err_sys(e, errno, "cannot read the directory '%s'", what)
             : !directory ? read_file(r, what, e)
                          : 0;
    for (int i = 0; i < n; i++) {
        char *path = mem_printf("%s/%s", what, names[i]->d_name);
        if (rc == 0)
            rc = read_file(r, path, e);
        free(path);
        free(names[i]);
    }
    free(names);
    return rc ? err_add(e, "%s:%d", r->at.path, r->at.line) : 0;
}

static int read_file(struct reader *r, const char *path, struct err *e)
{
    struct position outer = r->at;
    struct text_file t;
    char *line;

    if (r->at.depth == MAX_DEPTH)
        return err_set(e, ERR_USAGE, "'%s': more than %d nested option files", path, MAX_DEPTH);
    r->at.depth++;
    r->at.path = path;
    r->at.in_group = false;
    r->at.group = -1;
    int rc = text_file_read(&t, path, TEXT_FILE_WAIT_MS, e);
    if (rc)
        err_add(e, "cannot read the option file '%s'", path);
    else if (S_ISREG(t.mode) && (t.mode & S_IWOTH))
        rc = err_set(e, ERR_USAGE, "option file '%s' is world-writable and was not read", path);
    while (rc == 0 && (line = text_file_line(&t)) != NULL) {
        r->at.line = t.line;
        line = trim(line);
        if (*line == '!')
            rc = include(r, line, e);
        else if (*line == '[')
            rc = begin_group(r, line, e);
        else if (*line && *line != '#' && *line != ';')
            rc = read_setting(r, line, e);
    }
    text_file_free(&t); /* overwritten: it may have a password */
    r->at = outer;
    return rc;
}

static int read_if_exists(struct reader *r, const char *path, struct err *e)
{
    struct stat st;

    return stat(path, &st) == 0 || errno != ENOENT ? read_file(r, path, e) : 0;
}

/* In place: "%2F" is a byte. */
static int decode(char *s, struct err *e)
{
    char *w = s;

    for (; *s; s++) {
        char hex[3] = {0};
        if (*s == '%') {
            memcpy(hex, s + 1, strnlen(s + 1, 2));
            if (strspn(hex, "0123456789abcdefABCDEF") != 2 || strcmp(hex, "00") == 0)
                return err_set(e, ERR_USAGE, "a %% is no encoded byte; write it as %%25");
            s += 2;
        }
        *w++ = *hex ? (char)strtol(hex, NULL, 16) : *s;
    }
    *w = '\0';
    return 0;
}

/* "mysql://user:password@host:port/database?ssl-mode=required&ssl-ca=ca.pem", which is changed. */
static int read_url(struct reader *r, char *url, struct err *e)
{
    char names[][9] = {"user", "password", "host", "port", "database"};
    char *parts[5] = {0}, *end, *query, *next;
    char *host = strncmp(url, "mysql://", 8) == 0      ? url + 8
                 : strncmp(url, "mariadb://", 10) == 0 ? url + 10
                                                       : NULL;
    size_t len;
    const char *password = mask_find_in_uri(url, &len); /* what is hidden is what is read */

    if (!host)
        return err_set(e, ERR_USAGE, "it begins neither with mysql:// nor with mariadb://");
    if (url[strcspn(url, " \t\n\"")]) /* what is behind one would not be hidden */
        return err_set(e, ERR_USAGE, "blanks and quotes are written as %%20 and %%22");
    end = password ? url + (password - url) + len : host + strcspn(host, "@/?");
    if (*end == '@') {
        *end = '\0';
        parts[0] = strsep(&host, ":");
        parts[1] = host;
        host = end + 1;
    }
    query = strchr(host, '?');
    if (query)
        *query++ = '\0';
    parts[4] = strchr(host, '/');
    if (parts[4])
        *parts[4]++ = '\0';
    if (*host == '[' && (end = strchr(host, ']')) != NULL) {
        host++;
        *end++ = '\0';
        if (*end && *end != ':')
            return err_set(e, ERR_USAGE, "a port after ] begins with a colon");
        parts[3] = *end ? end + 1 : NULL;
    } else if ((end = strchr(host, ':')) != NULL && end == strrchr(host, ':')) {
        *end = '\0';
        parts[3] = end + 1;
    }
    parts[2] = host;
    for (int i = 0; i < 5; i++) /* an empty password is one */
        if (parts[i] && (*parts[i] || i == 1) &&
            (decode(parts[i], e) || apply(r, names[i], parts[i], e)))
            return -1;
    for (; query; query = next) {
        next = query;
        query = strsep(&next, "&");
        char *value = query, *name = strsep(&value, "=");
        if (*name && (decode(name, e) || (value && decode(value, e)) || apply(r, name, value, e)))
            return -1;
    }
    return 0;
}

/* What the user has given, which no file changes. */
static struct reader reader_of(struct opts *o)
{
    struct reader r = {.o = o, .suffix = opt_str(o, "defaults-group-suffix"), .at.group = OURS};

    for (size_t i = 0; i < RENAMES; i++)
        r.given[i] = opt_given(o, renames[i].option);
    for (int i = 0; i < SQL_TLS_TEXTS; i++)
        r.tls_given = r.tls_given || opt_given(o, sql_tls_options[i]);
    return r;
}

int mysql_option_files(struct opts *o, struct err *e)
{
    struct reader r = reader_of(o);
    const char *only = opt_str(o, "defaults-file"), *extra = opt_str(o, "defaults-extra-file");
    const char *home = getenv("HOME");
    bool standard = opt_bool(o, "mysql-read-defaults");
    char *url = mem_strdup(opt_str(o, "mysql-url"));
    size_t n = strlen(url);
    int rc = n > 0 && read_url(&r, url, e) ? err_add(e, "--mysql-url") : 0;

    explicit_bzero(url, n);
    free(url);
    if (rc)
        return -1;
    open_mode(&r);
    r = reader_of(o);
    if (*only && (*extra || standard))
        return err_set(e, ERR_USAGE, "--defaults-file and --defaults-file=%s cannot be combined",
                       *extra ? "extra" : "standard");
    if (!*only && !*extra && !standard)
        return !*r.suffix ? 0
                          : err_set(e, ERR_USAGE,
                                    "--defaults-file=suffix needs --defaults-file, "
                                    "--defaults-file=extra or --defaults-file=standard");
    if (*only)
        rc = read_file(&r, only, e);
    if (standard &&
        (read_if_exists(&r, "/etc/my.cnf", e) || read_if_exists(&r, "/etc/mysql/my.cnf", e)))
        rc = -1;
    if (rc == 0 && *extra)
        rc = read_file(&r, extra, e);
    if (rc == 0 && standard && home && *home) {
        char *path = mem_printf("%s/.my.cnf", home);
        rc = read_if_exists(&r, path, e);
        free(path);
    }
    if (rc)
        return -1;
    open_mode(&r);
    /* as in MySQL's clients: the socket of a file is for the local host only */
    char **hosts = sql_options_mysql_hosts(o, &n);
    while (n > 0 && strcasecmp(hosts[n - 1], "localhost") == 0)
        n--;
    if (!r.given[SOCKET] && n > 0)
        opt_set(o, "mysql-socket", "", NULL);
    return 0;
}
