/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages, blocks and lines: which are shown, and which are folded (fold_note in log.h).  The
 * verbosity and the last message are process-wide and can change: only a few file-scope variables
 * are.
 *
 * last.lock is held while a message is compared and written, so that "last message"
 * always means the line above.  Nothing below may let another client of the same worker run
 * meanwhile.
 */
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

/* --- bytes into a stream ---
 *
 * stdout is written with write(2) directly, after flushing what a script may have left in stdio's
 * buffer, so the order on the screen is the order of the calls.  The caller may hold a lock.  So
 * nothing here may let another client of the same worker run, as poll(2) would there
 * (src/interpose): hence select(2). */

static _Atomic int write_errno;
static _Atomic bool stamping; /* log_stamp_lines() */
static _Atomic bool mid_line; /* what was written last did not end a line */
static log_closed_fn *_Atomic on_closed_pipe;
static _Atomic bool pipe_closed;

int log_write_error(void)
{
    return atomic_load(&write_errno);
}

log_closed_fn *log_on_closed_pipe(log_closed_fn *f)
{
    return atomic_exchange(&on_closed_pipe, f);
}

bool log_pipe_closed(void)
{
    return atomic_load(&pipe_closed);
}

void log_stamp_lines(bool stamp)
{
    atomic_store(&stamping, stamp);
}

static _Atomic bool status_shown;

void log_status(const char *text)
{
    char line[200];

    if (text ? !isatty(STDERR_FILENO) : !atomic_exchange(&status_shown, false))
        return;
    snprintf(line, sizeof line, "\r%s\033[K", text ? text : "");
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        return; /* a terminal that was closed must not stop the work */
    atomic_store(&status_shown, text != NULL);
}

static void write_raw(int fd, const char *s, size_t n)
{
    log_closed_fn *on_closed = atomic_load(&on_closed_pipe);

    log_status(NULL);
    if (log_pipe_closed())
        return;
    fflush(fd == STDOUT_FILENO ? stdout : stderr);
    while (n > 0) {
        ssize_t w = write(fd, s, n);
        if (w < 0) {
            int none = 0;
            if (errno == EINTR)
                continue;
            if (errno == EAGAIN) { /* a non-blocking pipe or terminal that is full */
                fd_set full;
                FD_ZERO(&full);
                FD_SET(fd, &full);
                select(fd + 1, NULL, &full, NULL, NULL);
                continue;
            }
            if (errno == EPIPE && !on_closed) { /* the process ignores SIGPIPE, because TLS
                                                   libraries raise it for lost connections */
                signal(SIGPIPE, SIG_DFL);
                raise(SIGPIPE);
            } else if (errno == EPIPE) {
                if (!atomic_exchange(&pipe_closed, true))
                    on_closed();
            } else if (fd == STDOUT_FILENO) {
                atomic_compare_exchange_strong(&write_errno, &none, errno);
            }
            return;
        }
        s += w;
        n -= (size_t)w;
    }
}

static size_t line_length(const char *s, size_t n)
{
    const char *end = memchr(s, '\n', n);

    return end ? (size_t)(end - s) + 1 : n;
}

static void log_write(int fd, const char *s, size_t n)
{
    struct str out = STR_INIT;

    if (n == 0 || fd != STDOUT_FILENO || !atomic_load_explicit(&stamping, memory_order_relaxed)) {
        write_raw(fd, s, n);
        return;
    }
    wall_ns now = clock_wall();
    while (n > 0) {
        size_t len = line_length(s, n);
        if (!atomic_load(&mid_line))
            str_printf(&out, "[%lld] ", (long long)(now / NS_PER_SEC));
        str_add(&out, s, len);
        atomic_store(&mid_line, s[len - 1] != '\n');
        s += len;
        n -= len;
    }
    write_raw(STDOUT_FILENO, out.s, out.len);
    str_free(&out);
}

/* --- messages --- */

static _Atomic int verbosity = LOG_NOTICE;

#define LONGEST 4095u /* longest message that can be folded, as in stock */

static struct {
    pthread_mutex_t lock;
    char text[LONGEST];
    size_t len;    /* 0: none, or one that was too long */
    unsigned more; /* how often it came again */
} last = {.lock = PTHREAD_MUTEX_INITIALIZER};

void log_set_verbosity(int level)
{
    atomic_store_explicit(&verbosity, level, memory_order_relaxed);
}

int log_verbosity(void)
{
    return atomic_load_explicit(&verbosity, memory_order_relaxed);
}

static char member[300]; /* "rank 2 (load2): "; empty: stdout is ours */

void log_as_member(const char *who)
{
    snprintf(member, sizeof member, "%s: ", who);
}

/* --- folding: see fold_note in log.h --- */

/* The caller holds the lock.  Returns true, and has counted the message, when it repeats the last
 * one. */
static bool repeats(const char *s, size_t n)
{
    if (n == 0 || n != last.len || memcmp(s, last.text, n) != 0)
        return false;
    last.more++;
    return true;
}

/* Writes how often the last message was repeated and then the text, at once; with the lock.  The
 * last message is now what begins at `from`. */
static void show(const char *s, size_t n, size_t from)
{
    struct str out = STR_INIT;

    if (last.more)
        str_printf(&out, "(last message repeated %u times)\n", last.more);
    str_add(&out, s, n);
    log_write(STDOUT_FILENO, out.s, out.len);
    str_free(&out);
    last.more = 0;
    last.len = n - from <= LONGEST ? n - from : 0;
    memcpy(last.text, s + from, last.len);
}

/* --- messages --- */

typedef bool log_take(const char *line);

static void vput(int fd, const char *prefix, bool line, log_take *take, const char *fmt, va_list ap)
    __attribute__((format(printf, 5, 0)));

/* Writes member + prefix + text, of a line also its end, at once.  fd -1: a message, to stdout.
 * `take` NULL, or it may take the text away. */
static void vput(int fd, const char *prefix, bool line, log_take *take, const char *fmt, va_list ap)
{
    struct str text = STR_INIT, out = STR_INIT;

    str_vprintf(&text, fmt, ap);
    str_printf(&out, "%s%s", member, prefix);
    if (line) {
        str_visible(&out, text.s, text.len);
        str_add(&out, "\n", 1);
    } else {
        str_add(&out, text.s, text.len);
    }
    if (!take || !take(text.s)) {
        if (fd >= 0) {
            log_write(fd, out.s, out.len);
        } else {
            pthread_mutex_lock(&last.lock);
            if (!repeats(out.s, out.len))
                show(out.s, out.len, 0);
            pthread_mutex_unlock(&last.lock);
        }
    }
    str_free(&text);
    str_free(&out);
}

/* The calling thread is muted. */
static _Thread_local bool muted;

void log_mute_thread(bool mute)
{
    muted = mute;
}

/* log_divert_fatal()'s */
static log_take *_Atomic diverted;

void log_divert_fatal(bool (*take)(const char *line))
{
    atomic_store(&diverted, take);
}

void log_msg(enum log_level level, const char *fmt, ...)
{
    static const char *const prefix[] = {"FATAL: ", "ALERT: ", "WARNING: ", "", "", "DEBUG: "};
    log_take *take = level == LOG_FATAL ? atomic_load(&diverted) : NULL;
    va_list ap;

    if (muted || (int)level > log_verbosity())
        return;
    va_start(ap, fmt);
    vput(*member && level <= LOG_WARNING ? STDERR_FILENO : -1, prefix[level], true, take, fmt, ap);
    va_end(ap);
}

void log_forget(void)
{
    pthread_mutex_lock(&last.lock);
    last.len = 0;
    last.more = 0;
    pthread_mutex_unlock(&last.lock);
}

/* "[ 10s ] thds: ...", and of the old generations "[  10s] threads: ..." or "[1000s] ..." */
static bool is_stamped(const char *s)
{
    if (*s++ != '[')
        return false;
    size_t blanks = strspn(s, " ");
    size_t digits = strspn(s + blanks, "0123456789.");
    s += blanks + digits;
    return digits && (strncmp(s, "s] ", 3) == 0 || (blanks && strncmp(s, "s ]", 3) == 0));
}

void log_coloured(const char *s, size_t n, bool whole)
{
    size_t stamped = 0, first, at;

    if (LOG_NOTICE > log_verbosity())
        return;
    while (stamped < n && is_stamped(s + stamped))
        stamped += line_length(s + stamped, n - stamped);
    pthread_mutex_lock(&last.lock);
    log_write(STDOUT_FILENO, s, stamped);
    s += stamped;
    n -= stamped;
    first = n ? line_length(s, n) : 0;
    if (!whole && repeats(s, first)) {
        s += first;
        n -= first;
    }
    if (n) {
        for (at = n - 1; at > 0 && s[at - 1] != '\n'; at--)
            ;
        show(s, n, at);
    }
    pthread_mutex_unlock(&last.lock);
}

void log_block(const char *text, size_t len, bool whole)
{
    struct str out = STR_INIT;

    str_visible(&out, text, len);
    log_coloured(str_cstr(&out), out.len, whole);
    str_free(&out);
}

void log_print(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vput(STDOUT_FILENO, "", false, NULL, fmt, ap);
    va_end(ap);
}

void log_stderr(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vput(STDERR_FILENO, "", true, NULL, fmt, ap);
    va_end(ap);
}
