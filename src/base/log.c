/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stdout is written with write(2) directly, after flushing what a script may have left in
 * stdio's buffer, so the order on the screen is the order of the calls.  The verbosity and the
 * first write error are process-wide and can change: two of the few file-scope variables here.
 */
#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic int verbosity = LOG_NOTICE;
static _Atomic int write_errno;

void log_set_verbosity(int level)
{
    atomic_store_explicit(&verbosity, level, memory_order_relaxed);
}

int log_verbosity(void)
{
    return atomic_load_explicit(&verbosity, memory_order_relaxed);
}

int log_write_error(void)
{
    return atomic_load(&write_errno);
}

static void put(int fd, const char *s, size_t n)
{
    fflush(fd == STDOUT_FILENO ? stdout : stderr);
    while (n > 0) {
        ssize_t w = write(fd, s, n);
        if (w < 0) {
            int none = 0;
            if (errno == EINTR)
                continue;
            if (errno == EAGAIN) { /* somebody made the pipe or terminal non-blocking, and it is full */
                struct pollfd p = {.fd = fd, .events = POLLOUT};
                poll(&p, 1, -1);
                continue;
            }
            if (errno == EPIPE) {
                /* `| head` went away: end as any filter does.  SIGPIPE itself is ignored in the
                 * process because TLS libraries raise it for lost server connections. */
                signal(SIGPIPE, SIG_DFL);
                raise(SIGPIPE);
            }
            if (fd == STDOUT_FILENO)
                atomic_compare_exchange_strong(&write_errno, &none, errno);
            return;
        }
        s += w;
        n -= (size_t)w;
    }
}

static void vput(int fd, const char *prefix, const char *end, const char *fmt, va_list ap)
    __attribute__((format(printf, 4, 0)));

/* Formats prefix + text + end on the stack, or on the heap when it is long, and writes it once. */
static void vput(int fd, const char *prefix, const char *end, const char *fmt, va_list ap)
{
    char small[1024], *buf = small;
    size_t plen = strlen(prefix), elen = strlen(end), need;
    va_list again;
    int n;

    va_copy(again, ap);
    n = vsnprintf(small + plen, sizeof small - plen, fmt, ap);
    need = plen + (n > 0 ? (size_t)n : 0) + elen + 1;
    if (need > sizeof small) {
        buf = malloc(need);
        if (!buf) { /* say what fits rather than nothing */
            buf = small;
            need = sizeof small;
            n = (int)(sizeof small - plen - elen - 1);
        } else {
            vsnprintf(buf + plen, need - plen, fmt, again);
        }
    }
    va_end(again);
    memcpy(buf, prefix, plen);
    memcpy(buf + plen + (n > 0 ? n : 0), end, elen);
    put(fd, buf, plen + (size_t)(n > 0 ? n : 0) + elen);
    if (buf != small)
        free(buf);
}

/* Of the thread itself: nobody else can see or change it. */
static _Thread_local bool muted;

void log_mute_thread(bool mute)
{
    muted = mute;
}

void log_msg(enum log_level level, const char *fmt, ...)
{
    static const char *const prefix[] = {"FATAL: ", "ALERT: ", "WARNING: ", "", "", "DEBUG: "};
    va_list ap;

    if (muted || (int)level > log_verbosity())
        return;
    va_start(ap, fmt);
    vput(STDOUT_FILENO, prefix[level], "\n", fmt, ap);
    va_end(ap);
}

void log_block(const char *text, size_t len)
{
    if (LOG_NOTICE <= log_verbosity())
        put(STDOUT_FILENO, text, len);
}

void log_print(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vput(STDOUT_FILENO, "", "", fmt, ap);
    va_end(ap);
}

void log_stderr(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vput(STDERR_FILENO, "", "\n", fmt, ap);
    va_end(ap);
}
