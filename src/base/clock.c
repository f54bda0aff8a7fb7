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
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (wall_ns)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

bool clock_sleep_until(mono_ns until, _Atomic uint32_t *word, uint32_t expect)
{
    struct timespec ts = {.tv_sec = until / NS_PER_SEC, .tv_nsec = until % NS_PER_SEC};

    for (;;) {
        long rc;
        if (atomic_load_explicit(word, memory_order_acquire) != expect)
            return false;
        /* FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC deadline, plain FUTEX_WAIT does not */
        rc = syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expect,
                     until == MONO_NEVER ? NULL : &ts, NULL, FUTEX_BITSET_MATCH_ANY);
        if (rc < 0 && errno == ETIMEDOUT)
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
