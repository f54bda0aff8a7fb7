/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See secrets.h.  The kernel shows the memory that argv points to, so overwriting it is enough; the
 * time between exec and our main remains, which is why there are files.
 */
#include "cli/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

#define LONGEST 4096

/* --- the process list --- */

/* "***", or what of it fits, and nothing behind: the length is a secret too. */
static void hide(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        text[i] = i < 3 ? '*' : '\0';
}

/* The value when `arg` is --name=value, NULL otherwise; '-' and '_' are the same. */
static char *value_of(char *arg, const char *name)
{
    if (strncmp(arg, "--", 2) != 0)
        return NULL;
    for (arg += 2; *name; arg++, name++)
        if (*arg != *name && !(*arg == '_' && *name == '-'))
            return NULL;
    return *arg == '=' ? arg + 1 : NULL;
}

/* Hides text[0..len) and moves what follows up to it. */
static void hide_within(char *text, size_t len)
{
    size_t rest = strlen(text + len), shown = len < 3 ? len : 3;

    hide(text, shown);
    memmove(text + shown, text + len, rest);
    memset(text + shown + rest, '\0', len - shown);
}

/* "key='a value' password = secret": a value ends at a blank, or with its quote. */
static size_t conninfo_value(const char *v)
{
    size_t n = *v == '\'';

    for (; v[n] && (*v == '\'' ? v[n] != '\'' : !strchr(" \t", v[n])); n++)
        n += v[n] == '\\' && v[n + 1];
    return n + (*v == '\'' && v[n]);
}

/* A password in a connection string or URI of libpq. */
static void hide_in_conninfo(char *db)
{
    char *uri = strstr(db, "://"), *at, *colon, *p = db;

    if (uri && (at = strpbrk(uri + 3, "@/?")) && *at == '@' &&
        (colon = memchr(uri + 3, ':', (size_t)(at - uri - 3))))
        hide_within(colon + 1, (size_t)(at - colon - 1));
    while ((p = strcasestr(p, "password")) != NULL) {
        p += strlen("password");
        p += strspn(p, " \t");
        if (*p != '=')
            continue;
        p++;
        p += strspn(p, " \t");
        hide_within(p, uri ? strcspn(p, "&") : conninfo_value(p));
    }
}

char **secrets_hide(int argc, char **argv)
{
    static const char *const names[] = {"mysql-password", "pgsql-password"};
    char **copy = mem_array((size_t)argc + 1, sizeof *copy), *value;

    for (int i = 0; i < argc; i++) {
        copy[i] = mem_strdup(argv[i]);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if ((value = value_of(argv[i], names[k])) != NULL)
                hide(value, strlen(value));
        if ((value = value_of(argv[i], "pgsql-db")) != NULL)
            hide_in_conninfo(value);
    }
    return copy;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

char *secrets_shown(const char *option, const char *value)
{
    bool secret = *value && strcasestr(option, "password") && !ends_with(option, "file");
    char *copy = mem_strdup(secret ? "***" : value);

    if (strcmp(option, "pgsql-db") == 0 || strcmp(option, "pgsql_db") == 0)
        hide_in_conninfo(copy);
    return copy;
}

void secrets_free(char **copy)
{
    for (char **arg = copy; arg && *arg; arg++) {
        explicit_bzero(*arg, strlen(*arg));
        free(*arg);
    }
    free(copy);
}

/* --- files --- */

static void warn_readers(int fd, const char *option, const char *path)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & (S_IRWXG | S_IRWXO)))
        log_stderr("WARNING: --%s-file: '%s' is accessible to others (mode %04o); run chmod 600",
                   option, path, (unsigned)(st.st_mode & 07777));
}

/* One line from a terminal, unseen. */
static ssize_t ask(int fd, const char *option, char *text, size_t room)
{
    struct termios was, quiet;
    ssize_t n;

    if (tcgetattr(fd, &was))
        return -1;
    quiet = was;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(fd, TCSAFLUSH, &quiet);
    dprintf(STDERR_FILENO, "%s: ", option);
    n = read(fd, text, room);
    tcsetattr(fd, TCSAFLUSH, &was);
    log_stderr("%s", "");
    return n;
}

/* Up to `room` bytes, or to the end of the line of standard input: what follows is somebody else's.
 */
static ssize_t read_all(int fd, char *text, size_t room)
{
    bool line = fd == STDIN_FILENO;
    size_t n = 0;
    ssize_t got = 1;

    while (n < room && got > 0 && !(line && n > 0 && text[n - 1] == '\n')) {
        got = read(fd, text + n, line ? 1 : room - n);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            n += (size_t)got;
    }
    return got < 0 ? -1 : (ssize_t)n;
}

/* What was read is one line, with or without its end: becomes a string, or what is wrong with it.
 */
static const char *one_line(char *text, size_t n)
{
    if (n > LONGEST)
        return "it is longer than 4096 bytes";
    if (n > 0 && text[n - 1] == '\n')
        n--;
    if (n > 0 && text[n - 1] == '\r')
        n--;
    text[n] = '\0';
    if (strlen(text) < n)
        return "it has a NUL byte in it";
    return strchr(text, '\n') ? "it has more than one line" : NULL;
}

static int read_password(const char *option, const char *path, char *text, struct err *e)
{
    bool from_stdin = strcmp(path, "-") == 0;
    int fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), rc = 0;
    const char *wrong = NULL;
    ssize_t n = -1;

    if (fd >= 0 && from_stdin && isatty(fd)) {
        n = ask(fd, option, text, LONGEST + 1);
    } else if (fd >= 0) {
        if (!from_stdin)
            warn_readers(fd, option, path);
        n = read_all(fd, text, LONGEST + 1);
    }
    if (n < 0)
        rc = err_sys(e, errno, "--%s-file: cannot read '%s'", option, path);
    else if ((wrong = one_line(text, (size_t)n)) != NULL)
        rc = err_set(e, ERR_USAGE, "--%s-file: '%s' does not contain a password: %s", option, path,
                     wrong);
    if (fd >= 0 && !from_stdin)
        close(fd);
    return rc;
}

int secrets_from_file(struct opts *o, const char *option, struct err *e)
{
    char *name = mem_printf("%s-file", option), text[LONGEST + 2];
    const char *path = opt_str(o, name);
    int rc = 0;

    if (*path && opt_given(o, option))
        rc = err_set(e, ERR_USAGE, "--%s and --%s cannot be combined", option, name);
    else if (*path)
        rc = read_password(option, path, text, e) ? -1 : opt_set(o, option, text, e);
    explicit_bzero(text, sizeof text);
    free(name);
    return rc;
}
