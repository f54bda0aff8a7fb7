/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rates that change, in whole runs on a clock that is held: the counts of stages, and a change
 * while clients sleep until starts that lie far ahead, or have none left.
 */
#include "engine/run_test.h"

#include "engine/client_state.h"
#include "pace/rates.h"

/* Done in each second. */
static uint64_t done[64];
static size_t seconds;

static void note_second(struct load *l, const struct snapshot *s)
{
    if (s->kind == SNAPSHOT_INTERVAL && seconds < 64)
        done[seconds++] = s->rate.done;
}

static void staged(struct load *l, struct plan *p, const char *spec)
{
    struct err why = {0};

    p->rates = rates_parse(spec, &(struct rates_play){1, 1}, &why);
    CHECK_STR(why.msg, "");
    p->time_limit = rates_end(p->rates);
    p->rate = rates_mean(p->rates, p->time_limit);
    p->report_interval = NS_PER_SEC;
    p->rate_changes = true;
    l->service = MS / 4;
    l->watched = note_second;
    seconds = 0;
}

static void shapes(void)
{
    static const uint64_t want[] = {100, 100, 150, 250, 0, 0, 400};
    static const char *const spec[] = {"sine(400,400,2s):4s", "square(200,1000,1s,25%):4s",
                                       "spike(200,1000,1s,250ms):4s"};

    /* a constant, a ramp, a pause in which the lines go on, a step */
    RUN(8, 1, staged(l, p, "100:2s,100-300:2s,0:2s,400:1s"));
    CHECK(seconds >= 6);
    for (size_t i = 0; i < seconds && i < 7; i++)
        CHECK_NEAR(done[i], want[i], 1);
    for (size_t i = 0; i < 3; i++) {
        RUN(8, 1, staged(l, p, spec[i]), p->jitter = 20 * MS);
        RUN(8, 1, staged(l, p, spec[i]), p->arrival = ARRIVAL_POISSON);
        CHECK_NEAR(res.final.rate.total_offered, 1600, 160);
    }
}

/* --- changes while the run lasts --- */

struct change {
    mono_ns at; /* after the start line's call */
    double rate;
};
static const struct change *changes;
static size_t nchanges;
static int refused;

static void *change_thread(void *arg)
{
    mono_ns zero = test_now();

    for (size_t i = 0; i < nchanges; i++) {
        struct err why = {0};
        held_clock_sleep(held, zero + changes[i].at - test_now());
        refused += run_set_rate_here(changes[i].rate, NULL, &why) != 0;
    }
    return NULL;
}

static void begin_changes(struct load *l)
{
    clock_thread_create(held_clock(held), &l->killer, NULL, change_thread, NULL);
}

static void change(struct load *l, const struct change *c, size_t n)
{
    changes = c;
    nchanges = n;
    refused = 0;
    l->started = begin_changes;
}

static void all_done(void)
{
    CHECK_INT(refused, 0);
    CHECK_INT(res.final.rate.total_done, res.final.rate.total_offered);
}

/* 64 clients at 1 per second hold the starts of the next minute, most of them none of this run. */
static void up_and_down(enum arrival_shape arrival, dur_ns jitter, enum overload overload)
{
    static const struct change c[] = {
        {1500 * MS, 500}, {3500 * MS, 0}, {5500 * MS, 2}, {6500 * MS, 1000}};
    static const uint64_t want[] = {1, 251, 500, 250, 0, 1, 501, 1000};
    bool even = arrival == ARRIVAL_EVEN && !jitter;

    TRY(64, 1, 0, staged(l, p, "1:8s"), p->arrival = arrival, p->jitter = jitter,
        p->overload = overload, p->max_lag = overload == OVERLOAD_DROP ? NS_PER_SEC : 0,
        change(l, c, 4));
    all_done();
    CHECK_INT(seconds, 8);
    for (size_t i = 0; i < seconds; i++)
        CHECK_NEAR(done[i], want[i], even ? 8 : 120);
    CHECK_NEAR(res.final.rate.total_offered, 2504, even ? 12 : 300);
    CHECK_NEAR(res.final.rate.target, 2503.5 / 8, 2); /* what was in force, not the plan's */
    CHECK(res.final.rate.lag.max < 25 * MS);
}

/* A plain rate, without stages, follows too; N events take until the rate has planned them.  In a
 * warm-up the change waits until measuring begins. */
static void plain_rate(void)
{
    static const struct change c[] = {{1500 * MS, 500}, {2500 * MS, 10}},
                               early[] = {{500 * MS, 300}};

    TRY(64, 0.7, 0, p->time_limit = 4 * NS_PER_SEC, p->rate_changes = true, change(l, c, 2));
    all_done();
    CHECK_NEAR(res.final.rate.total_offered, 2 + 500 + 15, 8);
    CHECK_NEAR(res.final.rate.target, (1.05 + 500 + 15) / 4, 2);
    TRY(64, 0.7, 0, p->time_limit = 4 * NS_PER_SEC, p->rate_changes = true, p->max_events = 100,
        change(l, c, 1));
    all_done();
    check_rate(100, 100, 0, 0);
    CHECK_NEAR(res.final.elapsed_ns, 1500 * MS + 100 * 2 * MS, 15 * MS);
    TRY(16, 1, 0, staged(l, p, "50:2s"), p->warmup = NS_PER_SEC, change(l, early, 1));
    all_done();
    check_rate(600, 600, 0, 0);
}

static void refusals(void)
{
    struct plan p = base_plan(1, 100);
    struct err why = {0};

    CHECK_INT(run_set_rate_here(5, NULL, &why), -1);
    CHECK_STR(why.msg, "no run is going on");
    p.arrival = ARRIVAL_ALIGNED;
    CHECK_INT(plan_check_change(&p, 5, &why), -1);
    CHECK_STR(why.msg, "the rate of aligned arrivals cannot be changed");
    p.arrival = ARRIVAL_POISSON;
    CHECK_INT(plan_check_change(&p, 2e7, &why), -1);
    CHECK_INT(plan_check_change(&p, -1, &why), -1);
    CHECK_INT(plan_check_change(&p, 0, &why), 0);
    p.stock_rate = true;
    CHECK_INT(plan_check_change(&p, 5, &why), -1);
    CHECK_STR(why.msg, "the rate of --rate cannot be changed: --tx-rate=N can");
}

TEST_MAIN(run_rates_test)
{
    held = held_clock_new();
    shapes();
    up_and_down(ARRIVAL_EVEN, 0, OVERLOAD_QUEUE);
    up_and_down(ARRIVAL_EVEN, 0, OVERLOAD_DROP);
    up_and_down(ARRIVAL_EVEN, 3 * MS, OVERLOAD_QUEUE);
    up_and_down(ARRIVAL_POISSON, 0, OVERLOAD_QUEUE);
    up_and_down(ARRIVAL_POISSON, 5 * MS, OVERLOAD_DROP);
    plain_rate();
    refusals();
    held_clock_free(held);
    golden_done("run_rates_test");
    return test_done("run_rates_test");
}
