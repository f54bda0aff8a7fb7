/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The sleep is a futex wait with an absolute monotonic deadline: one system call, no drift, and
 * the same word that ends a run ends the sleep, which a plain clock_nanosleep cannot offer.
 */
#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

wall_ns clock_wall(void)
{
    return clock_read(CLOCK_REALTIME);
}

dur_ns clock_boot(void)
{
    return clock_read(CLOCK_BOOTTIME);
}

/* Reads the wall clock between two readings of the monotonic clock, a few times, because the thread
 * may lose its CPU in between: the narrowest pair is right to some ten nanoseconds. */
wall_ns clock_wall_at(mono_ns at)
{
    enum { TRIES = 8 };
    dur_ns width = INT64_MAX, offset = 0;

    for (int i = 0; i < TRIES && width > NS_PER_US; i++) {
        mono_ns before = clock_mono();
        wall_ns wall = clock_wall();
        dur_ns took = clock_mono() - before;
        if (took < width) {
            width = took;
            offset = wall - (before + took / 2);
        }
    }
    return at + offset;
}

#if defined(__SANITIZE_THREAD__)
#define DEFERS_SIGNALS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DEFERS_SIGNALS 1
#endif
#endif

bool clock_sleep_until(mono_ns until, _Atomic uint32_t *word, uint32_t expect)
{
    for (;;) {
        mono_ns limit = until;
#ifdef DEFERS_SIGNALS
        /* ThreadSanitizer runs the handler of a signal at the next function that it knows, and
         * meanwhile the kernel restarts the wait: that must end by itself */
        if (clock_mono() + NS_PER_SEC / 10 < until)
            limit = clock_mono() + NS_PER_SEC / 10;
#endif
        struct timespec ts = {.tv_sec = limit / NS_PER_SEC, .tv_nsec = limit % NS_PER_SEC};
        long rc;
        if (atomic_load_explicit(word, memory_order_acquire) != expect)
            return false;
        /* FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC deadline, plain FUTEX_WAIT does
         * not */
        rc = syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expect,
                     limit == MONO_NEVER ? NULL : &ts, NULL, FUTEX_BITSET_MATCH_ANY);
        if (rc < 0 && errno == ETIMEDOUT && limit == until)
            return true;
        if (until != MONO_NEVER && clock_mono() >= until)
            return true;
    }
}

void clock_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, NULL, NULL, 0);
}

void clock_precise_sleeps(void)
{
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

bool clock_await(struct clock *c, mono_ns until, _Atomic uint32_t *word, uint32_t expect)
{
    return c ? c->sleep_until(c, until, word, expect) : clock_sleep_until(until, word, expect);
}

void clock_notify(struct clock *c, _Atomic uint32_t *word)
{
    if (c && c->wake)
        c->wake(c, word);
    else
        clock_wake(word);
}

wall_ns clock_label(struct clock *c, mono_ns at)
{
    return c ? at + c->wall_ahead : clock_wall_at(at);
}

int clock_thread_create(struct clock *c, pthread_t *thread, const pthread_attr_t *attr,
                        void *(*fn)(void *), void *arg)
{
    return c && c->thread_create ? c->thread_create(c, thread, attr, fn, arg)
                                 : pthread_create(thread, attr, fn, arg);
}

int clock_thread_join(struct clock *c, pthread_t thread)
{
    return c && c->thread_join ? c->thread_join(c, thread) : pthread_join(thread, NULL);
}
