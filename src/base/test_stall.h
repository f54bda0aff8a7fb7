/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For tests of what happens in real time: a failure proves nothing when the machine stood still
 * meanwhile (a virtual machine that was paused, processors shared with many others), so such a test
 * runs again.  A thread takes the pulse: it sleeps a few milliseconds again and again, notes the
 * longest time that it was late and how many tasks wanted a processor.  A failure on a quiet
 * machine counts at once.  When every attempt met a stall the test fails.  What can be awaited or
 * derived from counts needs none of this.  Only *_test.c files include this.
 */
#ifndef SB_BASE_TEST_STALL_H
#define SB_BASE_TEST_STALL_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"

#define TEST_STALL_NS    (20 * NS_PER_MS)
#define TEST_STALL_TRIES 10

static _Atomic dur_ns test_stall_worst;
static _Atomic int
    test_stall_crowd; /* the most tasks that wanted a processor at once; 0: not known */

static inline int test_stall_runnable(void)
{
    FILE *f = fopen("/proc/loadavg", "r");
    int n = 0;

    if (f) {
        if (fscanf(f, "%*s %*s %*s %d", &n) != 1)
            n = 0;
        fclose(f);
    }
    return n;
}

static void *test_stall_pulse(void *arg)
{
    const struct timespec pause = {.tv_nsec = 4 * NS_PER_MS};

    for (;;) {
        mono_ns begun = clock_mono();
        dur_ns late;
        int crowd;

        nanosleep(&pause, NULL);
        crowd = test_stall_runnable();
        late = clock_mono() - begun - pause.tv_nsec;
        if (late > atomic_load(&test_stall_worst))
            atomic_store(&test_stall_worst, late);
        if (crowd > atomic_load(&test_stall_crowd))
            atomic_store(&test_stall_crowd, crowd);
    }
    return arg;
}

/* Starts the pulse once; signals are for the other threads. */
static inline void test_stall_begin(void)
{
    static bool beats;
    sigset_t all, before;
    pthread_t t;

    if (!beats) {
        beats = true;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        if (pthread_create(&t, NULL, test_stall_pulse, NULL) == 0)
            pthread_detach(t);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    atomic_store(&test_stall_worst, 0);
    atomic_store(&test_stall_crowd, 0);
}

/* Has the machine stood still, or been crowded, since test_stall_begin()? */
static inline bool test_stalled(void)
{
    return atomic_load(&test_stall_worst) >= TEST_STALL_NS ||
           atomic_load(&test_stall_crowd) > 2 * (int)sysconf(_SC_NPROCESSORS_ONLN) + 4;
}

/* Runs fn(arg), again when it fails while the machine stalls. */
static inline void test_unstalled(const char *name, void (*fn)(void *), void *arg)
{
    for (int i = 0; i < TEST_STALL_TRIES; i++) {
        int failures = test_failures;

        test_stall_begin();
        fn(arg);
        if (test_failures == failures || !test_stalled())
            return;
        printf(
            "%s: the machine stood still for %.0f ms meanwhile, %d tasks wanted a processor: again\n",
            name, (double)atomic_load(&test_stall_worst) / 1e6, atomic_load(&test_stall_crowd));
        if (i + 1 < TEST_STALL_TRIES)
            test_failures = failures;
    }
    printf("%s: failed each time, on a machine that stalled each time\n", name);
}

/* The same for a function without an argument. */
static inline void test_stall_call(void *arg)
{
    (*(void (**)(void))arg)();
}

#define TEST_UNSTALLED(fn)                                                                         \
    do {                                                                                           \
        void (*fn_)(void) = (fn);                                                                  \
        test_unstalled(#fn, test_stall_call, &fn_);                                                \
    } while (0)

#endif
