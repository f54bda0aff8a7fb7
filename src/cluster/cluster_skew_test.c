/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Real pings over loopback, and a leader whose clock differs: what a member's clock shows is within
 * the stated uncertainty of the truth.
 */
#include "cluster/cluster_test.h"

#include <sched.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static struct meet_trial trial;

static mono_ns truth(mono_ns t)
{
    return t + trial.ahead + (dur_ns)llround((double)(t - trial.from) * trial.drift);
}

/* Between two figures the uncertainty grows with what is not known of the drift. */
static void compare(struct cluster *c, mono_ns since)
{
    struct cluster_clock_figures f, later;
    mono_ns before, shown, after;
    dur_ns doubt;

    CHECK(cluster_clock_figures(c, cluster_rank(c), &f));
    before = clock_mono();
    shown = clock_now(cluster_clock(c));
    after = clock_mono();
    CHECK(cluster_clock_figures(c, cluster_rank(c), &later)); /* a reply may have come meanwhile */
    doubt = f.uncertainty > later.uncertainty ? f.uncertainty : later.uncertainty;
    doubt += (after - since) / 500 + 1;
    CHECK(shown >= truth(before) - doubt && shown <= truth(after) + doubt);
    CHECK(!f.same_clock && f.samples >= 32 && f.round_trip > 0);
}

static void member(struct cluster *c)
{
    /* the figures may be old: a member waits for the others' first ones; no drift in a namespace */
    mono_ns since = trial.from ? trial.from : clock_mono();

    CHECK(cluster_clock(c) != NULL);
    compare(c, since);
    expect(c, 0, "again");
    compare(c, since);
}

static void check(dur_ns ahead, double drift, dur_ns pause)
{
    struct ranks r = {.terms.trial = &trial};
    struct cluster_clock_figures f;

    trial = (struct meet_trial){.ahead = ahead, .drift = drift, .from = clock_mono()};
    ranks_start(&r, 3, member);
    for (int i = 1; i < 3; i++) {
        mono_ns now = clock_mono();
        CHECK(cluster_clock_figures(r.c, i, &f));
        CHECK(!f.same_clock && f.samples >= 32);
        /* the drift since it was compared is within these 500 ppm */
        CHECK(llabs(f.offset - (truth(now) - now)) <=
              f.uncertainty + (clock_mono() - trial.from) / 1000 + NS_PER_MS);
    }
    CHECK(cluster_clock(r.c) == NULL);
    CHECK(cluster_clock_figures(r.c, 0, &f) && f.same_clock);
    clock_sleep_until(clock_mono() + pause, &(_Atomic uint32_t){0}, 0);
    say(r.c, 1, "again");
    say(r.c, 2, "again");
    ranks_end(&r);
}

/* --- a member in a time namespace: really another clock --- */

#define FARTHER 100000 /* s */

/* The children of the caller read a clock that is ahead.  False: not permitted here. */
static bool enter_namespace(void)
{
    FILE *f;
    bool ok;

    if (unshare(CLONE_NEWTIME))
        return false;
    f = fopen("/proc/self/timens_offsets", "w");
    ok = f && fprintf(f, "monotonic %d 0\n", FARTHER) > 0;
    return f && fclose(f) == 0 && ok;
}

/* In a child, because there is no way back. */
static bool namespaces(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        _exit(enter_namespace() ? 0 : 1);
    waitpid(pid, &status, 0);
    return status == 0;
}

static void check_namespace(void)
{
    struct ranks r = {0};
    struct cluster_clock_figures f;

    if (!namespaces()) {
        printf("cluster_skew_test: no time namespace can be made here\n");
        return;
    }
    trial = (struct meet_trial){.ahead = -FARTHER * NS_PER_SEC};
    ranks_begin(&r, 2);
    fflush(stdout);
    r.pid[1] = fork();
    if (r.pid[1] == 0) {
        CHECK(enter_namespace());
        ranks_fork(&r, 1, member);
        _exit(ranks_wait(&r, 1));
    }
    ranks_lead(&r);
    CHECK(cluster_clock_figures(r.c, 1, &f));
    CHECK(!f.same_clock);
    CHECK(llabs(f.offset - trial.ahead) <= f.uncertainty);
    say(r.c, 1, "again");
    ranks_end(&r);
}

TEST_MAIN(cluster_skew_test)
{
    signal(SIGPIPE, SIG_IGN);
    check(0, 0, 0);
    check(3600 * NS_PER_SEC, 0, 0);
    check(-INT64_C(500000) * NS_PER_SEC, 200e-6, 3 * NS_PER_SEC);
    check_namespace();
    return test_done("cluster_skew_test");
}
