/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See secret.h.  Text is masked in place, which never makes it longer: argv and copies are treated
 * alike.  The kernel shows the memory that argv points to, so overwriting it hides it; what remains
 * is the time between exec and main, which is why passwords can be read from files.
 */
#include "opt/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
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

char *secret_shown(const struct opts *o, const char *option, const char *value)
{
    const struct opt *r = opts_find(o, option);
    /* one that is not in the table may be declared by a script later */
    bool secret = r ? (r->flags & OPT_SECRET) != 0 : secret_by_name(option);

    return *value && secret ? mem_strdup(SECRET_SHOWN) : secret_shown_text(value);
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

/* Masks the value of an option of the table that has a secret, in place; of a command all of it, or
 * the passwords in it. */
static void hide_arg(const struct opts *o, char *arg, bool commands)
{
    const char *begin;
    char *option = opt_dashes(arg) >= 2 ? option_of(arg, &begin) : NULL;
    const struct opt *r = option ? opts_find(o, option) : NULL;
    char *value = r ? arg + (begin - arg) : NULL;

    if (r && (r->flags & OPT_SECRET || (r->flags & OPT_COMMAND && commands)))
        mask_value(value, strlen(value));
    else if (r && r->flags & (OPT_SECRET_WITHIN | OPT_COMMAND))
        mask_in_text(value);
    free(option);
}

char **secret_hide(const struct opts *o, int argc, char **argv)
{
    char **copy = mem_array((size_t)argc + 1, sizeof *copy);

    for (int i = 0; i < argc; i++) {
        copy[i] = mem_strdup(argv[i]);
        hide_arg(o, argv[i], true);
    }
    return copy;
}

void secret_forget(const struct opts *o, char **copy)
{
    for (; *copy; copy++)
        hide_arg(o, *copy, false);
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

int password_file_read_within(struct opts *o, const char *option, int wait_ms, struct err *e)
{
    char *name = mem_printf("%s-file", option), text[LONGEST + 2];
    const char *path = opt_str(o, name), *wrong = NULL;
    bool line = strcmp(path, "-") == 0; /* of standard input: the rest is for other readers */
    struct stat st = {0};
    ssize_t got = 1;
    size_t n = 0;
    int fd, rc = 0;

    if (!*path || opt_given(o, option)) {
        if (*path)
            rc = err_set(e, ERR_USAGE, "--%s and --%s cannot be combined", option, name);
        free(name);
        return rc;
    }
    fd = line ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || (!line && fstat(fd, &st)))
        got = -1;
    else if (S_ISREG(st.st_mode) && (st.st_mode & (S_IRWXG | S_IRWXO)))
        log_stderr("WARNING: --%s: '%s' is accessible to others (mode %04o); run chmod 600", name,
                   path, (unsigned)(st.st_mode & 07777));
    if (got > 0 && line && isatty(fd)) {
        got = read_hidden(fd, option, text, LONGEST + 1);
        n = got > 0 ? (size_t)got : 0;
    } else if (got > 0) {
        if (S_ISFIFO(st.st_mode)) {
            got = read_first(fd, text, LONGEST + 1, wait_ms);
            n = got > 0 ? (size_t)got : 0;
        }
        if (got >= 0)
            got = line || fcntl(fd, F_SETFL, 0) == 0 ? 1 : -1;
        while (n < LONGEST + 1 && got > 0 && !(line && n > 0 && text[n - 1] == '\n')) {
            got = read(fd, text + n, line ? 1 : LONGEST + 1 - n);
            if (got < 0 && errno == EINTR)
                got = 1;
            else if (got > 0)
                n += (size_t)got;
        }
    }
    if (got < 0 && errno == ETIMEDOUT)
        rc = err_set(e, ERR_USAGE,
                     "--%s: cannot read '%s': a FIFO that nobody opened to write within %d ms",
                     name, path, wait_ms);
    else if (got < 0)
        rc = err_sys(e, errno, "--%s: cannot read '%s'", name, path);
    if (fd >= 0 && !line)
        close(fd);
    /* one line, with or without its newline */
    if (n > LONGEST)
        wrong = "it is longer than 4096 bytes";
    else if (n > 0 && text[n - 1] == '\n')
        n--;
    if (!wrong && n > 0 && text[n - 1] == '\r')
        n--;
    text[n] = '\0';
    if (!wrong && strlen(text) < n)
        wrong = "it has a NUL byte in it";
    else if (!wrong && strchr(text, '\n'))
        wrong = "it has more than one line";
    if (rc == 0 && wrong)
        rc = err_set(e, ERR_USAGE, "--%s: '%s' does not contain a password: %s", name, path, wrong);
    if (rc == 0)
        rc = opt_set(o, option, text, e);
    explicit_bzero(text, sizeof text);
    free(name);
    return rc;
}

int password_file_read(struct opts *o, const char *option, struct err *e)
{
    return password_file_read_within(o, option, TEXT_FILE_WAIT_MS, e);
}
