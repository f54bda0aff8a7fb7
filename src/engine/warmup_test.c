/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Warm-ups on a held clock: those that end when the load is steady, what belongs to them then, and
 * what a rate leaves behind.
 */
#include "engine/run_test.h"

#define S NS_PER_SEC

static int warm, measured;
static dur_ns first_measured;

static void begin(struct load *l, struct run_event *event)
{
    if (event->kind == RUN_BEGINS)
        str_adds(&told, "begins\n");
}

static void count_cut(struct load *l, const struct snapshot *s)
{
    CHECK(!s->warmup || measured == 0);
    warm += s->warmup;
    if (!s->warmup && s->kind == SNAPSHOT_INTERVAL && measured++ == 0)
        first_measured = s->elapsed_ns;
    if (s->kind == SNAPSHOT_FINAL)
        str_printf(&told, "%d reports of the warm-up, %d of what is measured, from %g s on\n", warm,
                   measured, dur_sec(first_measured));
}

/* The warm-up ends when the load is steady; 10 s are measured. */
static void steady(struct load *l, struct plan *p)
{
    p->warmup = 60 * S;
    p->warmup_steady_pct = 5;
    p->warmup_reports = true;
    p->report_interval = S;
    p->time_limit = 10 * S;
    l->service = MS;
    l->on = begin;
    l->watched = count_cut;
    warm = measured = 0;
}

/* A few more transactions than there are starts for, whatever way they are taken. */
static void moves_with(int clients, double rate, enum arrival_shape shape, dur_ns jitter,
                       uint64_t burst)
{
    TRY(clients, rate, 0, steady(l, p), p->arrival = shape, p->jitter = jitter, p->burst = burst,
        p->overload = burst ? OVERLOAD_DROP : OVERLOAD_QUEUE, p->warmup_steady_pct = 100);
    CHECK(res.final.warmed.steady);
    CHECK(res.final.warmed.after < 30 * S);
    CHECK_INT(res.final.rate.total_done + rate_unfinished(&res.final.rate),
              res.final.rate.total_offered);
    if (shape != ARRIVAL_POISSON)
        CHECK_NEAR((double)res.final.rate.total_offered, rate * 10, clients);
    CHECK_INT(measured, 10);
}

static void note_offered(struct load *l, const struct snapshot *s)
{
    if (s->warmup)
        str_printf(&told, "offered %llu\n", (unsigned long long)s->rate.total_offered);
}

static void ramp(struct load *l, struct plan *p)
{
    p->warmup = 4 * S;
    p->warmup_reports = true;
    p->report_interval = S;
    l->watched = note_offered;
}

/* Each transaction takes a little longer than the one before, until there were enough of them. */
static void slower_and_slower(struct load *l, const struct snapshot *s)
{
    count_cut(l, s);
    if (s->warmup && s->elapsed_ns <= 6 * S)
        l->service += MS;
}

TEST_MAIN(warmup_test)
{
    held = held_clock_new();
    /* service times of 1 ms without end: ten readings, the first of which needs a start */
    RUN(2, 0, steady(l, p));
    CHECK(!res.final.warmed.rate && res.final.latency_pct_ms[0] > 0);
    /* at a rate the schedule of what is measured begins with the boundary, and offers what it would
     * without a warm-up */
    RUN(4, 1000, steady(l, p));
    CHECK(res.final.warmed.rate);
    /* so few starts that each client holds one for seconds: those of the warm-up are void */
    RUN(64, 10, steady(l, p));
    /* the last clients already hold starts of the measured schedule: these move with the boundary
     */
    RUN(64, 1, steady(l, p));
    moves_with(64, 20, ARRIVAL_EVEN, 0, 0);
    moves_with(64, 20, ARRIVAL_EVEN, 3 * S, 0);
    moves_with(16, 100, ARRIVAL_POISSON, 0, 0);
    moves_with(16, 100, ARRIVAL_EVEN, 0, 50);
    moves_with(4, 40, ARRIVAL_ALIGNED, 0, 0);
    /* starts that are due after t of a ramp of 4 s to 1000: 125 t^2, and the one at 0 */
    RUN(4, 1000, ramp(l, p), l->service = MS);
    RUN(4, 1000, ramp(l, p), p->stock_rate = true); /* stock's rate does not ramp */
    /* with a rate beyond capacity, response times grow for ever; what is left in line is dropped:
     * the first of what is measured is not late behind thousands of the warm-up */
    RUN(1, 1500, steady(l, p), p->warmup = 15 * S);
    CHECK(res.final.warmed.has_trend && res.final.warmed.change_pct > 50);
    CHECK(res.final.rate.lag.p50 < 2 * S);
    RUN(2, 0, steady(l, p), l->service = 4 * MS, l->watched = slower_and_slower);
    /* --events counts from the boundary on */
    RUN(2, 0, steady(l, p), p->time_limit = 0, p->max_events = 500);
    /* nobody asks for reports */
    RUN(2, 0, steady(l, p), p->report_interval = 0);
    /* forced shutdown follows the time limit, which has moved */
    RUN(1, 0, steady(l, p), p->forced = FORCED_ON, p->forced_grace = S, p->checkpoint[0] = 5 * S,
        p->checkpoints = 1);
    held_clock_free(held);
    golden_done("warmup_test");
    return test_done("warmup_test");
}
