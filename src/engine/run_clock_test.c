/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole runs in real time on the clock of another host, which is days ahead and steered all the
 * while, with threads and with workers: clients sleep until their planned starts by that clock, no
 * longer, no shorter, and do not spin.
 */
#include "engine/run_test.h"

#include <sys/resource.h>

#include "cluster/clock.h"
#include "fiber/sched.h"

#define AHEAD (1000000 * NS_PER_SEC)

static struct cluster_clock *clock_there;
static _Atomic bool over;

static void *steer(void *arg)
{
    _Atomic uint32_t nobody = 0;

    for (int i = 0; !over; i++) {
        cluster_clock_steer(clock_there, clock_mono(), AHEAD + (i % 2 ? 100 : -100) * US, 100e-6);
        clock_sleep_until(clock_mono() + 5 * MS, &nobody, 0);
    }
    return arg;
}

static dur_ns cpu(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NS_PER_SEC +
           (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * US;
}

/* 50 events in half a second. */
static void check_run(int workers, dur_ns spin)
{
    struct load l = fresh();
    struct plan p = base_plan(4, 100);
    mono_ns begin = clock_mono(), took;
    dur_ns used = cpu();

    p.clock = (struct clock *)clock_there;
    p.workers = workers;
    p.spin = spin;
    p.max_events = 50;
    p.time_limit = 0;
    CHECK_INT(run(&l, &p), 0);
    took = clock_mono() - begin;
    used = cpu() - used;
    CHECK_INT(res.final.rate.total_done, 50);
    CHECK(res.final.elapsed_ns >= 490 * MS);
    CHECK(took >= 488 * MS); /* two clocks differ by at most 0.1 % */
    CHECK(res.final.elapsed_ns <= took + took / 500);
    CHECK(used < 200 * MS);
    CHECK(res.final.at > AHEAD);
    CHECK(llabs(res.final.wall - clock_wall()) < 60 * NS_PER_SEC);
}

TEST_MAIN(run_clock_test)
{
    pthread_t t;

    clock_there = cluster_clock_new(AHEAD, 100e-6);
    pthread_create(&t, NULL, steer, NULL);
    check_run(0, 0);
    check_run(2, 0);
    check_run(0, 50 * US);
    over = true;
    pthread_join(t, NULL);
    free(clock_there);
    return test_done("run_clock_test");
}
