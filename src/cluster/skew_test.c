/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Clocks that differ by a known offset and drift, and pings that are delayed at random, more in one
 * direction than in the other: the estimate must be within its own uncertainty, always.
 */
#include "cluster/clock.h"

#include <stdlib.h>

#include "base/rng.h"
#include "base/test.h"

struct world {
    dur_ns ahead;
    double drift;
    mono_ns from;
    struct rng rng;
    double there, back; /* mean of the random part of each way, ns */
};

#define SHORTEST (20 * NS_PER_US)

static dur_ns truth(const struct world *w, mono_ns t)
{
    return w->ahead + (dur_ns)llround((double)(t - w->from) * w->drift);
}

static dur_ns way(struct world *w, double mean)
{
    return SHORTEST + (dur_ns)(-mean * log(1 - rng_double(&w->rng)));
}

/* Returns when the answer was back. */
static mono_ns ping(struct world *w, struct skew *s, mono_ns sent)
{
    mono_ns received = sent + way(w, w->there), answered = received + 5 * NS_PER_US;
    mono_ns back = answered + way(w, w->back);

    skew_add(s, sent, received + truth(w, received), answered + truth(w, answered), back);
    return back;
}

static void check_estimate(const struct world *w, const struct skew *s, mono_ns now,
                           struct skew_estimate *x)
{
    CHECK(skew_at(s, now, x));
    CHECK(llabs(x->offset - truth(w, now)) <= x->uncertainty);
    CHECK(fabs(x->drift - w->drift) <= x->drift_error + 1e-9);
    CHECK(x->round_trip >= 2 * SHORTEST - 1);
}

/* As link.c sends them: a burst, then one each second. */
static void check_world(struct world *w, dur_ns within, double drift_within)
{
    struct skew s = {0};
    struct skew_estimate x;
    mono_ns now = w->from;

    rng_seed_pair(&w->rng, 17, 3);
    CHECK(!skew_at(&s, now, &x));
    for (int i = 0; i < 32; i++)
        now = ping(w, &s, now);
    check_estimate(w, &s, now, &x);
    CHECK(x.uncertainty < 2 * SHORTEST);
    for (int i = 0; i < 1000; i++) {
        now = ping(w, &s, now + NS_PER_SEC);
        check_estimate(w, &s, now, &x);
        check_estimate(w, &s, now + NS_PER_SEC, &x);
    }
    CHECK(x.uncertainty < within);
    CHECK(x.drift_error < drift_within);
    CHECK_INT(s.taken, 1032);
}

static void check_worlds(void)
{
    static const dur_ns ahead[] = {0, 123456789, -INT64_C(40000000000000), INT64_C(1) << 55};
    static const double drift[] = {0, 1e-6, -40e-6, 300e-6, -450e-6};

    for (size_t a = 0; a < 4; a++)
        for (size_t d = 0; d < 5; d++) {
            struct world w = {.ahead = ahead[a],
                              .drift = drift[d],
                              .from = INT64_C(5000000000000),
                              .there = 3e4,
                              .back = 3e4};

            check_world(&w, 40 * NS_PER_US, 2e-6);
            w.there = 5e5; /* crowded in one direction */
            check_world(&w, 100 * NS_PER_US, 5e-6);
        }
}

/* A clock that was steered: the drift of the past is not that of today.  The estimate follows. */
static void check_bend(void)
{
    struct world w = {.drift = 200e-6, .from = 1000 * NS_PER_SEC, .there = 3e4, .back = 3e4};
    struct skew s = {0};
    struct skew_estimate x;
    mono_ns now = w.from;

    rng_seed_pair(&w.rng, 17, 4);
    for (int i = 0; i < 300; i++)
        now = ping(&w, &s, now + NS_PER_SEC);
    w.ahead = truth(&w, now);
    w.from = now;
    w.drift = -200e-6;
    for (int i = 0; i < 300; i++)
        now = ping(&w, &s, now + NS_PER_SEC);
    check_estimate(&w, &s, now, &x);
    CHECK(x.uncertainty < 40 * NS_PER_US);
}

/* A host that was suspended: its clock stood still.  The estimate is right from the next ping on.
 */
static void check_jump(dur_ns jump)
{
    struct world w = {.drift = 20e-6, .from = 1000 * NS_PER_SEC, .there = 3e4, .back = 3e4};
    struct skew s = {0};
    struct skew_estimate x;
    mono_ns now = w.from;

    rng_seed_pair(&w.rng, 17, 6);
    for (int i = 0; i < 100; i++)
        now = ping(&w, &s, now + NS_PER_SEC);
    w.ahead += jump;
    for (int i = 0; i < 100; i++) {
        now = ping(&w, &s, now + NS_PER_SEC);
        check_estimate(&w, &s, now, &x);
    }
    CHECK(x.uncertainty < 40 * NS_PER_US && x.drift_error < 2e-6);
}

static void check_impossible(void)
{
    struct skew s = {0};
    struct skew_estimate x;

    skew_add(&s, 100, 50, 60, 90);   /* back before it was sent */
    skew_add(&s, 100, 60, 50, 190);  /* answered before it was received */
    skew_add(&s, 100, 50, 500, 190); /* answered later than the way there and back took */
    CHECK(!skew_at(&s, 200, &x));
    CHECK_INT(s.taken, 0);
    skew_add(&s, 100, 50, 60, 190);
    CHECK(skew_at(&s, 145, &x));
    CHECK_INT(x.offset, -90);
    CHECK_INT(x.round_trip, 80);
    CHECK(x.uncertainty >= 40 && x.uncertainty <= 42);
}

TEST_MAIN(skew_test)
{
    check_worlds();
    check_bend();
    check_jump(3 * NS_PER_SEC);
    check_jump(-3600 * NS_PER_SEC);
    check_jump(5 * NS_PER_MS);
    check_impossible();
    return test_done("skew_test");
}
