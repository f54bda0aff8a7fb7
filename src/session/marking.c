/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See marking.h.  The signal's handler writes the time into a pipe that the thread reads, so a mark
 * has the instant of its signal.  `wakeup` is one of the few file-scope variables: a handler gets
 * no argument.
 *
 * The FIFO is opened for reading and writing: then it never ends, however many writers come and go.
 */
#include "session/marking.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/run.h"
#include "pace/rates.h"
#include "report/out.h"

#define SIGNAL_NAME  "SIGUSR1"
#define LINE_WAIT_MS 100 /* without more text for so long, a line needs no newline */

struct marking {
    struct marks *marks;
    char *path;  /* of the FIFO; NULL: the signal */
    bool made;   /* the FIFO is ours */
    int fifo;    /* -1: none */
    int pipe[2]; /* instants of signals; 0: the end */
    bool running, caught;
    pthread_t thread;
    sigset_t mask_before;
    size_t len; /* of the line that is being read */
    char line[MARK_TEXT * 2];
};

static _Atomic int wakeup = -1;

static void on_signal(int sig)
{
    mono_ns now = clock_mono();
    int fd = wakeup, saved = errno;

    (void)sig;
    if (fd >= 0 && write(fd, &now, sizeof now) < 0)
        errno = saved; /* the pipe is full: thousands are waiting already */
    errno = saved;
}

bool marking_is_signal(const char *value)
{
    return strcmp(value, SIGNAL_NAME) == 0;
}

static int bad(const char *value, const char *why, struct err *e)
{
    return err_set(e, ERR_USAGE, "Invalid value for --mark-on: '%s' (%s)", value, why);
}

int marking_check(const char *value, struct err *e)
{
    struct stat st;

    if (marking_is_signal(value))
        return 0;
    if (strncasecmp(value, "SIG", 3) == 0 && !strchr(value, '/'))
        return bad(value, "the only signal is " SIGNAL_NAME "; anything else is the path of a FIFO",
                   e);
    if (lstat(value, &st) && errno == ENOENT)
        return out_check(value, false, e) ? err_add(e, "Invalid value for --mark-on") : 0;
    if (stat(value, &st))
        return bad(value, strerror(errno), e);
    if (!S_ISFIFO(st.st_mode))
        return bad(value, "it exists and is not a FIFO", e);
    return access(value, R_OK | W_OK) ? bad(value, strerror(errno), e) : 0;
}

/* `rate` and one more word change the rate; any other text, perhaps one that begins with the same
 * word, is a mark.  A line that should change the rate and cannot is none: the user is told why. */
static void end_of_line(struct marking *m)
{
    char buf[sizeof m->line + 1], *rest = NULL;
    struct err e = {0};
    double rate = 0;

    memcpy(buf, m->line, m->len);
    buf[m->len] = '\0';
    const char *word = m->len < MARK_TEXT ? strtok_r(buf, " \t\r", &rest) : NULL;
    word = word && strcmp(word, "rate") == 0 ? strtok_r(NULL, " \t\r", &rest) : NULL;
    word = word && !strtok_r(NULL, " \t\r", &rest) ? word : NULL;
    if (!word || (rates_number(word, &rate, &e) == 0 && run_set_rate_here(rate, NULL, &e) == 0))
        marks_add(m->marks, MARK_FIFO, 0, m->line, m->len);
    else
        log_warn("--mark-on: 'rate %s' changes nothing: %s", word, e.msg);
    m->len = 0;
}

static void read_lines(struct marking *m)
{
    char text[4096];
    ssize_t n;

    for (int k = 0; k < 16 && (n = read(m->fifo, text, sizeof text)) > 0; k++) {
        for (ssize_t i = 0; i < n; i++) {
            if (text[i] == '\n')
                end_of_line(m);
            else if (m->len < sizeof m->line) /* what follows does not count */
                m->line[m->len++] = text[i];
        }
    }
}

static void *marking_thread(void *arg)
{
    struct marking *m = arg;
    struct pollfd p[2] = {{.fd = m->pipe[0], .events = POLLIN}, {.fd = m->fifo, .events = POLLIN}};
    sigset_t set;
    bool go_on = true;
    mono_ns at;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    if (!m->path)
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    while (go_on) {
        int n = poll(p, m->path ? 2 : 1, m->len ? LINE_WAIT_MS : -1);
        if (n < 0 && errno != EINTR)
            break;
        if (n == 0)
            end_of_line(m);
        if (n > 0 && p[1].revents)
            read_lines(m);
        while (go_on && read(m->pipe[0], &at, sizeof at) == sizeof at) {
            go_on = at != 0;
            if (go_on)
                marks_add(m->marks, MARK_SIGNAL, at, SIGNAL_NAME, strlen(SIGNAL_NAME));
        }
    }
    if (m->path)
        read_lines(m); /* what was written before the end */
    if (m->len)
        end_of_line(m);
    return NULL;
}

static int open_fifo(struct marking *m, const char *path, struct err *e)
{
    struct stat st;

    m->path = mem_strdup(path);
    if (mkfifo(path, 0600) == 0)
        m->made = true;
    else if (errno != EEXIST)
        return err_sys(e, errno, "--mark-on: cannot create '%s'", path);
    m->fifo = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | (m->made ? O_NOFOLLOW : 0));
    if (m->fifo < 0 || fstat(m->fifo, &st))
        return err_sys(e, errno, "--mark-on: cannot open '%s'", path);
    return S_ISFIFO(st.st_mode) ? 0 : bad(path, "it exists and is not a FIFO", e);
}

/* The FIFO that was made, if it is still there: somebody may have put a file in its place. */
static void remove_fifo(const struct marking *m)
{
    struct stat ours, there;

    if (lstat(m->path, &there))
        return;
    if (m->fifo < 0 || fstat(m->fifo, &ours)) /* it could not be opened */
        ours = there;
    if (S_ISFIFO(there.st_mode) && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
        unlink(m->path);
    else
        log_warn("--mark-on: '%s' is no longer the FIFO of this run; it is left there", m->path);
}

struct marking *marking_new(void)
{
    struct marking *m = mem_alloc(sizeof *m);

    m->marks = marks_new();
    m->fifo = m->pipe[0] = m->pipe[1] = -1;
    return m;
}

struct marks *marking_list(struct marking *m)
{
    return m->marks;
}

int marking_open(struct marking *m, const char *value, struct err *e)
{
    struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigset_t set;

    if (!*value)
        return 0;
    if (pipe2(m->pipe, O_NONBLOCK | O_CLOEXEC))
        return err_sys(e, errno, "--mark-on: cannot create a pipe");
    if (marking_is_signal(value)) {
        wakeup = m->pipe[1];
        m->caught = true;
        sigaction(SIGUSR1, &sa, NULL);
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &set, &m->mask_before);
    } else if (open_fifo(m, value, e)) {
        return -1;
    }
    int rc = pthread_create(&m->thread, NULL, marking_thread, m);
    if (rc)
        return err_sys(e, rc, "--mark-on: cannot create its thread");
    m->running = true;
    return 0;
}

void marking_close(struct marking *m)
{
    mono_ns over = 0;

    if (m->running) {
        while (write(m->pipe[1], &over, sizeof over) < 0 &&
               errno == EAGAIN) /* full of marks: they are being read */
            poll(NULL, 0, 1);
        pthread_join(m->thread, NULL);
        m->running = false;
    }
    if (m->caught) { /* from now on a signal is too late; it must not end the program */
        signal(SIGUSR1, SIG_IGN);
        pthread_sigmask(SIG_SETMASK, &m->mask_before, NULL);
        wakeup = -1;
        m->caught = false;
    }
    if (m->made)
        remove_fifo(m);
    m->made = false;
    fd_close(m->fifo);
    fd_close(m->pipe[0]);
    fd_close(m->pipe[1]);
    m->fifo = m->pipe[0] = m->pipe[1] = -1;
}

void marking_free(struct marking *m)
{
    if (!m)
        return;
    marking_close(m);
    marks_free(m->marks);
    free(m->path);
    free(m);
}

void marking_last(struct marking *m, struct snapshot *s)
{
    marking_close(m);
    s->nmarks = marks_count(m->marks) - (size_t)(s->marks - marks_at(m->marks, 0));
    if (marks_lost(m->marks))
        log_warn("%zu marks were dropped: at most %d are kept", marks_lost(m->marks), MARKS_MOST);
}
