/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See secret.h.  Text is masked in place, which never makes it longer: argv and copies are treated
 * alike.  The kernel shows the memory that argv points to, so overwriting it hides it; what remains
 * is the time between exec and main, which is why passwords can be read from files.
 */
#include "opt/secret.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text_file.h"
#include "opt/opt_table.h"

/* --- passwords of options --- */

/* True for an option in the table, or for one that a script may declare later. */
static bool is_secret(const struct opts *o, const char *option)
{
    const struct opt *r = opts_find(o, option);

    return r ? (r->flags & OPT_SECRET) != 0 : secret_by_name(option);
}

char *secret_shown(const struct opts *o, const char *option, const char *value)
{
    if (*value && is_secret(o, option))
        return mem_strdup(SECRET_SHOWN);
    return secret_shown_text(value);
}

/* Splits "--name=value": returns the name, which the caller frees, and where the value begins; NULL
 * when `arg` is no such argument. */
static char *option_of(const char *arg, const char **value)
{
    const char *name = arg + opt_dashes(arg), *eq = strchr(name, '=');

    if (name == arg || !eq)
        return NULL;
    *value = eq + 1;
    return mem_strndup(name, (size_t)(eq - name));
}

char *secret_shown_arg(const struct opts *o, const char *arg)
{
    const char *value;
    char *option = option_of(arg, &value), *shown, *whole;

    if (!option)
        return secret_shown_text(arg);
    shown = secret_shown(o, option, value);
    whole = mem_printf("%.*s%s", (int)(value - arg), arg, shown);
    free(shown);
    free(option);
    return whole;
}

/* Masks the value of an option of the table that has a secret, in place. */
static void hide_arg(const struct opts *o, char *arg)
{
    const char *begin;
    char *option = opt_dashes(arg) >= 2 ? option_of(arg, &begin) : NULL;
    const struct opt *r = option ? opts_find(o, option) : NULL;
    char *value = r ? arg + (begin - arg) : NULL;

    if (r && r->flags & OPT_SECRET)
        mask_value(value, strlen(value));
    else if (r && r->flags & OPT_SECRET_WITHIN)
        mask_in_text(value);
    free(option);
}

char **secret_hide(const struct opts *o, int argc, char **argv)
{
    char **copy = mem_array((size_t)argc + 1, sizeof *copy);

    for (int i = 0; i < argc; i++) {
        copy[i] = mem_strdup(argv[i]);
        hide_arg(o, argv[i]);
    }
    return copy;
}

void secret_forget(const struct opts *o, char **copy)
{
    for (; *copy; copy++)
        hide_arg(o, *copy);
}

void secret_free(char **copy)
{
    for (char **arg = copy; arg && *arg; arg++) {
        explicit_bzero(*arg, strlen(*arg));
        free(*arg);
    }
    free(copy);
}

/* --- passwords from files --- */

#define LONGEST 4096
#define LOOK_MS 20 /* how often a FIFO without a writer is looked at */

static void warn_readers(int fd, const char *option, const char *path)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & (S_IRWXG | S_IRWXO)))
        log_stderr("WARNING: --%s-file: '%s' is accessible to others (mode %04o); run chmod 600",
                   option, path, (unsigned)(st.st_mode & 07777));
}

/* One line from a terminal, without echo.  A signal takes effect once the terminal echoes again. */
static ssize_t read_hidden(int fd, const char *option, char *text, size_t size)
{
    static const int ends[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP};
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.events = POLLIN}};
    struct termios was, quiet;
    sigset_t held, before;
    ssize_t n = -1;

    if (tcgetattr(fd, &was))
        return -1;
    quiet = was;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaddset(&held, ends[i]);
    p[1].fd = signalfd(-1, &held, SFD_CLOEXEC);
    do {
        pthread_sigmask(SIG_BLOCK, &held, &before);
        tcsetattr(fd, TCSAFLUSH, &quiet);
        dprintf(STDERR_FILENO, "%s: ", option);
        while (poll(p, 2, -1) < 0)
            ;
        if (!p[1].revents)
            n = read(fd, text, size);
        tcsetattr(fd, TCSAFLUSH, &was);
        log_stderr("%s", "");
        pthread_sigmask(SIG_SETMASK, &before, NULL); /* what has come ends or stops the process */
    } while (p[1].revents);
    close(p[1].fd);
    return n;
}

/*
 * What the first writer of a FIFO has written by now, of a descriptor that does not block.  -1 and
 * ETIMEDOUT: nobody opened it to write within the time.  A writer may then take as long as it
 * likes: perhaps somebody types.
 */
static ssize_t read_first(int fd, char *text, size_t size, int wait_ms)
{
    mono_ns limit = clock_mono() + wait_ms * NS_PER_MS;
    struct pollfd p = {.fd = fd, .events = POLLIN};

    do {
        bool ready = poll(&p, 1, LOOK_MS) > 0;
        ssize_t n = read(fd, text, size);
        if (n < 0)
            return errno == EAGAIN ? 0 : -1; /* EAGAIN: there is a writer */
        if (n > 0 || ready)
            return n;
    } while (clock_mono() < limit);
    errno = ETIMEDOUT;
    return -1;
}

static bool is_fifo(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* Reads up to `size` bytes; from standard input one line, the rest is for other readers. */
static ssize_t read_all(int fd, char *text, size_t size, int wait_ms)
{
    bool line = fd == STDIN_FILENO;
    ssize_t got = !line && is_fifo(fd) ? read_first(fd, text, size, wait_ms) : 0;
    size_t n = got > 0 ? (size_t)got : 0;

    if (got < 0 || (!line && fcntl(fd, F_SETFL, 0) < 0))
        return -1;
    got = 1;
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

static int refuse(const char *option, const char *path, int wait_ms, struct err *e)
{
    if (errno == ETIMEDOUT)
        return err_set(e, ERR_USAGE,
                       "--%s-file: cannot read '%s': a FIFO that nobody opened to write within "
                       "%d ms",
                       option, path, wait_ms);
    return err_sys(e, errno, "--%s-file: cannot read '%s'", option, path);
}

static int read_password(const char *option, const char *path, char *text, int wait_ms,
                         struct err *e)
{
    bool from_stdin = strcmp(path, "-") == 0;
    int fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), rc = 0;
    const char *wrong = NULL;
    ssize_t n = -1;

    if (fd >= 0 && from_stdin && isatty(fd)) {
        n = read_hidden(fd, option, text, LONGEST + 1);
    } else if (fd >= 0) {
        if (!from_stdin)
            warn_readers(fd, option, path);
        n = read_all(fd, text, LONGEST + 1, wait_ms);
    }
    if (n < 0)
        rc = refuse(option, path, wait_ms, e);
    else if ((wrong = one_line(text, (size_t)n)) != NULL)
        rc = err_set(e, ERR_USAGE, "--%s-file: '%s' does not contain a password: %s", option, path,
                     wrong);
    if (fd >= 0 && !from_stdin)
        close(fd);
    return rc;
}

int password_file_read_within(struct opts *o, const char *option, int wait_ms, struct err *e)
{
    char *name = mem_printf("%s-file", option), text[LONGEST + 2];
    const char *path = opt_str(o, name);
    int rc = 0;

    if (*path && opt_given(o, option))
        rc = err_set(e, ERR_USAGE, "--%s and --%s cannot be combined", option, name);
    else if (*path)
        rc = read_password(option, path, text, wait_ms, e) ? -1 : opt_set(o, option, text, e);
    explicit_bzero(text, sizeof text);
    free(name);
    return rc;
}

int password_file_read(struct opts *o, const char *option, struct err *e)
{
    return password_file_read_within(o, option, TEXT_FILE_WAIT_MS, e);
}
