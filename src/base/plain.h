/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * System calls whose names in the C library belong to this program (src/interpose): on a fiber
 * poll() there is a switch to another client.  Signal handlers, this directory and the scheduler
 * call these instead; scripts/lint sees to it.
 */
#ifndef SB_BASE_PLAIN_H
#define SB_BASE_PLAIN_H

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define SB_PLAIN_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SB_PLAIN_TSAN 1
#endif
#endif

static inline int plain_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                              const sigset_t *mask)
{
    /* the kernel writes into it */
    struct timespec left = timeout ? *timeout : (struct timespec){0};

    return (int)syscall(SYS_ppoll, fds, n, timeout ? &left : NULL, mask,
                        mask ? (size_t)(_NSIG / 8) : 0);
}

static inline ssize_t plain_recv(int fd, void *buf, size_t len, int flags)
{
    return syscall(SYS_recvfrom, fd, buf, len, flags, NULL, NULL);
}

#ifdef SB_PLAIN_TSAN
/* It tracks descriptors by number, and would confuse the next one of that number with this one. */
int __interceptor_close(int fd);
#define plain_close __interceptor_close
#else
static inline int plain_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}
#endif

#endif
