/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Real pings over loopback, and a leader whose clock differs: what a member's clock shows is within
 * the stated uncertainty of the truth.
 */
#include "cluster/cluster_test.h"

static struct meet_trial trial;

static mono_ns truth(mono_ns t)
{
    return t + trial.ahead + (dur_ns)llround((double)(t - trial.from) * trial.drift);
}

/* Between two figures the uncertainty grows with what is not known of the drift.  They may be old:
 * a member waits for the others' first ones. */
static void compare(struct cluster *c)
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
    doubt += (after - trial.from) / 500 + 1;
    CHECK(shown >= truth(before) - doubt && shown <= truth(after) + doubt);
    CHECK(!f.same_clock && f.samples >= 32 && f.round_trip > 0);
}

static void member(struct cluster *c)
{
    CHECK(cluster_clock(c) != NULL);
    compare(c);
    expect(c, 0, "again");
    compare(c);
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

TEST_MAIN(cluster_skew_test)
{
    signal(SIGPIPE, SIG_IGN);
    check(0, 0, 0);
    check(3600 * NS_PER_SEC, 0, 0);
    check(-INT64_C(500000) * NS_PER_SEC, 200e-6, 3 * NS_PER_SEC);
    return test_done("cluster_skew_test");
}
