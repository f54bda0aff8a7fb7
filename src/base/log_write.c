/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bytes of the log onto standard output and stderr.  stdout is written with write(2) directly,
 * after flushing what a script may have left in stdio's buffer, so the order on the screen is the
 * order of the calls.  The first write error, and whether the reader has gone, are process-wide and
 * can change: only a few file-scope variables are.
 *
 * The caller may hold a lock.  So nothing here may let another client of the same worker run, as
 * poll(2) would there (src/interpose): hence select(2).
 */
#include "base/log_write.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

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

/* SIGPIPE itself is ignored in the process because TLS libraries raise it for lost server
 * connections. */
static void end_by_sigpipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

static void note_closed_pipe(void)
{
    log_closed_fn *f = atomic_load(&on_closed_pipe);

    if (!f)
        end_by_sigpipe();
    else if (!atomic_exchange(&pipe_closed, true))
        f();
}

void log_stamp_lines(bool stamp)
{
    atomic_store(&stamping, stamp);
}

static void write_raw(int fd, const char *s, size_t n)
{
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
            if (errno == EPIPE)
                note_closed_pipe();
            else if (fd == STDOUT_FILENO)
                atomic_compare_exchange_strong(&write_errno, &none, errno);
            return;
        }
        s += w;
        n -= (size_t)w;
    }
}

static void write_stamped(const char *s, size_t n)
{
    struct str out = STR_INIT;
    wall_ns now = clock_wall();

    while (n > 0) {
        const char *end = memchr(s, '\n', n);
        size_t len = end ? (size_t)(end - s) + 1 : n;
        if (!atomic_load(&mid_line))
            str_printf(&out, "[%lld] ", (long long)(now / NS_PER_SEC));
        str_add(&out, s, len);
        atomic_store(&mid_line, !end);
        s += len;
        n -= len;
    }
    write_raw(STDOUT_FILENO, out.s, out.len);
    str_free(&out);
}

void log_write(int fd, const char *s, size_t n)
{
    if (n > 0 && fd == STDOUT_FILENO && atomic_load_explicit(&stamping, memory_order_relaxed))
        write_stamped(s, n);
    else
        write_raw(fd, s, n);
}
