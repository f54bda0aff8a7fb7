/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For tests of what happens in real time.  A timed check proves nothing when the machine stood
 * still meanwhile (a virtual machine that was paused, processors shared with many others):
 *
 *     TIMED(check_live);                          in main()
 *     CHECK_TIMED(elapsed < NS_PER_SEC);          in check_live()
 *     return timed_done("host_test");
 *
 * A timed check that fails is a failure on a quiet machine.  On one that stalled since TIMED() it
 * is inconclusive: the program says so in a line that begins with INCONCLUSIVE and exits with
 * status 75, so that the test runner can run it again, alone.  All other checks are exact and never
 * excused.  A test that can await, count or compute its result needs no timed check.
 *
 * A thread watches the machine: it sleeps a few milliseconds again and again, and notes how late it
 * woke at worst and for how long too many tasks wanted a processor; the bounds are those of the
 * cram files (tests/runner/pulse.py).  Only *_test.c files include this.
 */
#ifndef SB_BASE_TEST_TIMED_H
#define SB_BASE_TEST_TIMED_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"

#define TIMED_STALL_NS     (100 * NS_PER_MS)
#define TIMED_OVERLOAD_NS  (500 * NS_PER_MS)
#define TIMED_PER_CPU      2 /* with more runnable tasks the machine is overloaded */
#define TIMED_INCONCLUSIVE 75

static _Atomic dur_ns timed_worst;
/* the most tasks that wanted a processor for that long; 0: not known */
static _Atomic int timed_overload;
static _Atomic int timed_missed; /* checks that failed on a machine that stalled */
static char timed_reason[256];
static pid_t timed_pulse_of; /* the process that started the watching thread */

/* Without the thread that asks. */
static inline int timed_runnable(void)
{
    FILE *f = fopen("/proc/loadavg", "r");
    int n = 0;

    if (f) {
        if (fscanf(f, "%*s %*s %*s %d", &n) != 1)
            n = 0;
        fclose(f);
    }
    return n > 0 ? n - 1 : 0;
}

static void *timed_pulse(void *arg)
{
    const struct timespec pause = {.tv_nsec = 4 * NS_PER_MS};
    const int most = TIMED_PER_CPU * (int)sysconf(_SC_NPROCESSORS_ONLN);
    mono_ns calm_at = clock_mono(); /* when the machine was last not overloaded */

    for (;;) {
        mono_ns begun = clock_mono(), now;
        dur_ns late;
        int runnable;

        nanosleep(&pause, NULL);
        runnable = timed_runnable();
        now = clock_mono();
        late = now - begun - pause.tv_nsec;
        if (late > atomic_load(&timed_worst))
            atomic_store(&timed_worst, late);
        if (runnable <= most)
            calm_at = now;
        else if (now - calm_at >= TIMED_OVERLOAD_NS && runnable > atomic_load(&timed_overload))
            atomic_store(&timed_overload, runnable);
    }
    return arg;
}

/* Begins the timed part; starts the thread once in each process, with all signals blocked. */
static inline void timed_begin(void)
{
    sigset_t all, before;
    pthread_t t;

    if (timed_pulse_of != getpid()) {
        timed_pulse_of = getpid();
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        if (pthread_create(&t, NULL, timed_pulse, NULL) == 0)
            pthread_detach(t);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    atomic_store(&timed_worst, 0);
    atomic_store(&timed_overload, 0);
}

/* True when the machine stood still, or had too many runnable tasks, since timed_begin(). */
static inline bool timed_stalled(void)
{
    return atomic_load(&timed_worst) >= TIMED_STALL_NS || atomic_load(&timed_overload) > 0;
}

/* Counts a failed check as inconclusive; the first one is reported as the reason. */
static inline void timed_miss(const char *file, int line, const char *what)
{
    if (timed_missed++)
        return;
    snprintf(timed_reason, sizeof timed_reason,
             "%s:%d: %s; the machine stood still for %.0f ms, %d tasks wanted a processor", file,
             line, what, (double)atomic_load(&timed_worst) / 1e6, atomic_load(&timed_overload));
}

#define TIMED_REPORT(ok, what, ...)                                                                \
    do {                                                                                           \
        if (!(ok) && timed_stalled()) {                                                            \
            test_checks++;                                                                         \
            timed_miss(__FILE__, __LINE__, what);                                                  \
        } else {                                                                                   \
            TEST_REPORT((ok), __VA_ARGS__);                                                        \
        }                                                                                          \
    } while (0)

#define CHECK_TIMED(cond)                                                                          \
    do {                                                                                           \
        bool ok_ = (cond);                                                                         \
        TIMED_REPORT(ok_, #cond, "not true: %s", #cond);                                           \
    } while (0)

#define CHECK_TIMED_INT(got, want)                                                                 \
    do {                                                                                           \
        long long got_ = (long long)(got), want_ = (long long)(want);                              \
        TIMED_REPORT(got_ == want_, #got, "%s: got %lld, want %lld", #got, got_, want_);           \
    } while (0)

#define CHECK_TIMED_NEAR(got, want, tol)                                                           \
    do {                                                                                           \
        double got_ = (double)(got), want_ = (double)(want), tol_ = (double)(tol);                 \
        TIMED_REPORT(fabs(got_ - want_) <= tol_, #got, "%s: got %g, want %g +- %g", #got, got_,    \
                     want_, tol_);                                                                 \
    } while (0)

/* Calls a function that contains timed checks. */
#define TIMED(fn)                                                                                  \
    do {                                                                                           \
        timed_begin();                                                                             \
        fn();                                                                                      \
    } while (0)

/* Use instead of test_done(). */
static inline int timed_done(const char *name)
{
    if (test_done(name) != 0)
        return 1;
    if (!timed_missed)
        return 0;
    printf("INCONCLUSIVE: %s: %s\n", name, timed_reason);
    return TIMED_INCONCLUSIVE;
}

#endif
