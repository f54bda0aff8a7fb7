/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The program's own poll(), ppoll(), usleep(), nanosleep(), sleep(), clock_nanosleep(), send(),
 * recv(), close(), getaddrinfo() and freeaddrinfo().  The dynamic linker searches the program
 * first, so libmariadb, libpq and scripts (ffi.C) call these and not the C library's.  On a task
 * they park its fiber; on any other thread they do the system call, and after a wait prefetch the
 * client's memory.
 *
 * Names are looked up in resolver.c, for tasks and threads alike: the libraries still get names,
 * which TLS compares with certificates, and try all addresses of each.
 *
 * Other calls block the worker as they would block a thread: reading from files, locks.
 *
 * A signal mask that ppoll() or pselect() would set while waiting is ignored on a task: the wait is
 * the worker's.
 */
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <dlfcn.h>

#include "base/send_guard.h"
#include "fiber/library.h"
#include "fiber/resolver.h"
#include "fiber/worker.h"

bool (*_Atomic send_guard)(const void *caller, const void *bytes, size_t n);
void (*_Atomic send_watch)(int fd, const void *bytes, size_t n);

#define PIECE NS_PER_SEC /* of a wait with a limit */

#pragma GCC visibility push(default)

/* The functions that the C library's headers substitute when poll() is checked at run time;
 * libraries may be built that way. */
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
                size_t size);

static int plain_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                       const sigset_t *mask)
{
    /* the kernel writes into it */
    struct timespec left = timeout ? *timeout : (struct timespec){0};

    return (int)syscall(SYS_ppoll, fds, n, timeout ? &left : NULL, mask,
                        mask ? (size_t)(_NSIG / 8) : 0);
}

static dur_ns duration(const struct timespec *ts)
{
    return (dur_ns)ts->tv_sec * NS_PER_SEC + ts->tv_nsec;
}

static bool is_valid(const struct timespec *ts)
{
    return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < NS_PER_SEC &&
           ts->tv_sec < MONO_NEVER / NS_PER_SEC / 2;
}

/* As plain_ppoll, but not beyond the limit of sched_limit_waits().  In pieces, because the signal
 * that cancels a wait may come just before it. */
static int limited_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                         const sigset_t *mask)
{
    mono_ns until = MONO_NEVER, left;
    struct timespec piece;
    int rc;

    if (waits_limit(until) == until || (timeout && !is_valid(timeout)))
        return plain_ppoll(fds, n, timeout, mask);
    if (timeout)
        until = clock_mono() + duration(timeout);
    do {
        left = waits_limit(until) - clock_mono();
        left = left > 0 ? left : 0;
        piece = (struct timespec){.tv_sec = left / NS_PER_SEC, .tv_nsec = left % NS_PER_SEC};
        if (left > PIECE)
            piece = (struct timespec){.tv_sec = PIECE / NS_PER_SEC};
        rc = plain_ppoll(fds, n, &piece, mask);
    } while (rc == 0 && left > PIECE);
    return rc;
}

int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    struct timespec ts = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * NS_PER_MS};

    struct task *t = task_to_park();
    int rc;

    if (t && timeout_ms != 0)
        return task_poll(
            t, fds, n,
            waits_limit(timeout_ms < 0 ? MONO_NEVER : clock_mono() + timeout_ms * NS_PER_MS));
    if (timeout_ms != 0)
        rc = limited_ppoll(fds, n, timeout_ms < 0 ? NULL : &ts, NULL);
    else
        rc = plain_ppoll(fds, n, &ts, NULL);
    if (timeout_ms != 0)
        hook_woke();
    return rc;
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
    struct task *t = task_to_park();
    int rc;

    if (t && (!timeout || (is_valid(timeout) && duration(timeout) > 0)))
        return task_poll(t, fds, n,
                         waits_limit(timeout ? clock_mono() + duration(timeout) : MONO_NEVER));
    rc = limited_ppoll(fds, n, timeout, mask);
    if (!timeout || duration(timeout) > 0)
        hook_woke();
    return rc;
}

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size)
{
    if (size / sizeof *fds < n)
        abort();
    return poll(fds, n, timeout_ms);
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
                size_t size)
{
    if (size / sizeof *fds < n)
        abort();
    return ppoll(fds, n, timeout, mask);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *want, struct timespec *left)
{
    struct timespec now = {0};
    struct task *t = task_to_park();
    int saved = errno, rc;

    if (t && clock != CLOCK_THREAD_CPUTIME_ID && is_valid(want) &&
        (!(flags & TIMER_ABSTIME) || clock_gettime(clock, &now) == 0)) {
        task_sleep(t, clock_mono() + duration(want) - duration(&now));
        return 0;
    }
    if (clock == CLOCK_THREAD_CPUTIME_ID)
        return EINVAL;
    rc = syscall(SYS_clock_nanosleep, clock, flags, want, left) ? errno : 0;
    errno = saved; /* this one returns its error */
    return rc;
}

int nanosleep(const struct timespec *want, struct timespec *left)
{
    int rc = clock_nanosleep(CLOCK_MONOTONIC, 0, want, left);

    if (rc == 0)
        return 0;
    errno = rc;
    return -1;
}

int usleep(useconds_t us)
{
    struct timespec ts = {.tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * NS_PER_US};

    return nanosleep(&ts, NULL);
}

unsigned sleep(unsigned seconds)
{
    struct timespec ts = {.tv_sec = seconds}, left = {0};

    if (nanosleep(&ts, &left) == 0)
        return 0;
    return (unsigned)left.tv_sec + (left.tv_nsec >= NS_PER_SEC / 2);
}

ssize_t recv(int fd, void *buf, size_t len, int flags)
{
    return sched_current ? task_recv(sched_current, fd, buf, len, flags)
                         : hook_plain_recv(fd, buf, len, flags);
}

ssize_t send(int fd, const void *buf, size_t len, int flags)
{
    bool (*may_send)(const void *, const void *, size_t) =
        atomic_load_explicit(&send_guard, memory_order_acquire);
    void (*look)(int, const void *, size_t) =
        atomic_load_explicit(&send_watch, memory_order_acquire);
    ssize_t n;

    if (may_send && !may_send(__builtin_return_address(0), buf, len)) {
        errno = EPROTO;
        return -1;
    }
    if (look)
        look(fd, buf, len);
    n = syscall(SYS_sendto, fd, buf, len, flags, NULL, 0);
    if (sched_current)
        task_sent(sched_current, fd, n >= 0 && (size_t)n == len);
    return n;
}

#ifdef SB_TSAN
/* The worker tracks descriptors by number, and would confuse the next one of that number with this
 * one. */
int __interceptor_close(int fd);
#define plain_close __interceptor_close
#else
#define plain_close(fd) (int)syscall(SYS_close, fd)
#endif

int close(int fd)
{
    if (sched_current)
        task_closed(sched_current, fd);
    return plain_close(fd);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **out)
{
    return resolver_look_up(node, service, hints, out);
}

void freeaddrinfo(struct addrinfo *list)
{
    resolver_release(list);
}

#pragma GCC visibility pop

int hook_plain_poll(struct pollfd *fds, nfds_t n, const struct timespec *timeout)
{
    return plain_ppoll(fds, n, timeout, NULL);
}

ssize_t hook_plain_recv(int fd, void *buf, size_t len, int flags)
{
    return syscall(SYS_recvfrom, fd, buf, len, flags, NULL, NULL);
}

/* Other threads have used the cache meanwhile. */
void hook_woke(void)
{
    if (sched_current || !prefetch_here)
        return;
    prefetch_bytes(__builtin_frame_address(0), STACK_PREFETCH);
    prefetch_start(prefetch_here);
}

int hook_check(struct err *e)
{
    void *found = dlsym(RTLD_DEFAULT, "poll");

    if (found == (void *)(uintptr_t)poll)
        return 0;
    return err_set(e, ERR_FAILED,
                   "--workers needs client libraries to find this program's own poll(), and this "
                   "program does not export it: --workers=0 gives each client a thread");
}
