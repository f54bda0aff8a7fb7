/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See password_file.h.
 */
#include "opt/password_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

#define LONGEST 4096

static void warn_readers(int fd, const char *option, const char *path)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & (S_IRWXG | S_IRWXO)))
        log_stderr("WARNING: --%s-file: '%s' is accessible to others (mode %04o); run chmod 600",
                   option, path, (unsigned)(st.st_mode & 07777));
}

/* One line from a terminal, without echo. */
static ssize_t read_hidden(int fd, const char *option, char *text, size_t size)
{
    struct termios was, quiet;
    ssize_t n;

    if (tcgetattr(fd, &was))
        return -1;
    quiet = was;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(fd, TCSAFLUSH, &quiet);
    dprintf(STDERR_FILENO, "%s: ", option);
    n = read(fd, text, size);
    tcsetattr(fd, TCSAFLUSH, &was);
    log_stderr("%s", "");
    return n;
}

/* Reads up to `room` bytes; from standard input one line, the rest is for other readers. */
static ssize_t read_all(int fd, char *text, size_t size)
{
    bool line = fd == STDIN_FILENO;
    size_t n = 0;
    ssize_t got = 1;

    while (n < size && got > 0 && !(line && n > 0 && text[n - 1] == '\n')) {
        got = read(fd, text + n, line ? 1 : size - n);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            n += (size_t)got;
    }
    return got < 0 ? -1 : (ssize_t)n;
}

/* Turns one line, with or without its newline, into a string.  Returns what is wrong with it, or
 * NULL. */
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
        n = read_hidden(fd, option, text, LONGEST + 1);
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

int password_file_read(struct opts *o, const char *option, struct err *e)
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
