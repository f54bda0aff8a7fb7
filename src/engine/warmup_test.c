/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Warm-ups on a held clock: those that end when the load is steady, what belongs to them then, and
 * what a rate leaves behind.
 */
#include "engine/run_test.h"

#define S NS_PER_SEC

static mono_ns told_from; /* by begin() */
static int told;

static void begin(struct load *l, struct run_event *event)
{
    if (event->kind != RUN_BEGINS)
        return;
    told_from = event->from;
    told++;
}

static void run_told(struct load *l, const struct plan *p)
{
    struct run_observer obs = {WATCHED_BY(l)};
    struct rng_seeder seeder;

    told = 0;
    l->on = begin;
    e = (struct err){0};
    rng_seeder_init(&seeder, 1);
    CHECK_INT(run_execute(p, &l->w, &seeder, &obs, &res, &e), 0);
    CHECK_INT(l->unbalanced, 0);
    CHECK_INT(l->backwards, 0);
    CHECK(res.accounts_balance);
}

static struct plan steady_plan(int clients, double rate)
{
    struct plan p = base_plan(clients, rate);

    p.warmup = 60 * S;
    p.warmup_steady_pct = 5;
    p.warmup_reports = true;
    p.report_interval = S;
    p.time_limit = 10 * S;
    return p;
}

struct cut {
    struct load l;
    int warm, measured;
    dur_ns first_measured, last_warm;
    dur_ns settles; /* the service time falls until then ... */
    dur_ns began;
};

static void count_cut(struct load *l, const struct snapshot *s)
{
    struct cut *v = (struct cut *)l;

    CHECK(!s->warmup || v->measured == 0);
    v->warm += s->warmup;
    if (!s->warmup && s->kind == SNAPSHOT_INTERVAL && v->measured++ == 0)
        v->first_measured = s->elapsed_ns;
    if (s->warmup)
        v->last_warm = s->elapsed_ns;
}

/* Service times of 1 ms without end: ten readings, the first of which needs a start. */
static void steady_from_the_beginning(void)
{
    struct cut v = {.l = fresh()};
    struct plan p = steady_plan(2, 0);

    v.l.service = MS;
    v.l.watched = count_cut;
    run_told(&v.l, &p);
    CHECK(res.final.warmed.asked);
    CHECK(res.final.warmed.steady);
    CHECK(!res.final.warmed.rate);
    CHECK_INT(res.final.warmed.after, 10 * S + 5 * MS);
    CHECK_NEAR(res.final.warmed.change_pct, 0, 0.1);
    CHECK_INT(told, 1);
    CHECK_INT(v.warm, 10);
    CHECK_INT(v.measured, 10);
    CHECK_INT(v.first_measured, S);
    CHECK_INT(res.final.elapsed_ns, 10 * S);
    CHECK_INT(res.final.events, 20000);
    CHECK_INT(res.final.latency_pct_ms[0] > 0, 1);
}

/* The same at a rate: the schedule of what is measured begins with the boundary, and offers what it
 * would without a warm-up. */
static void steady_at_a_rate(void)
{
    struct cut v = {.l = fresh()};
    struct plan p = steady_plan(4, 1000);

    v.l.service = MS;
    v.l.watched = count_cut;
    run_told(&v.l, &p);
    CHECK(res.final.warmed.steady);
    CHECK(res.final.warmed.rate);
    CHECK_INT(told, 1);
    check_rate(10000, 10000, 0, 0);
    CHECK_INT(res.final.rate.total_late, 0);
    CHECK_INT(res.final.rate.lag.max, 0);
    CHECK_INT(res.final.elapsed_ns, 10 * S);
    CHECK_INT(v.measured, 10);
}

/* So few starts that each client holds one for seconds, those of the warm-up are void. */
static void clients_hold_starts(void)
{
    struct cut v = {.l = fresh()};
    struct plan p = steady_plan(64, 10);

    v.l.service = MS;
    v.l.watched = count_cut;
    run_told(&v.l, &p);
    CHECK(res.final.warmed.steady);
    CHECK_INT(res.final.warmed.after, 20 * S + 5 * MS + 64 * 10 * US);
    check_rate(100, 100, 0, 0);
    CHECK_INT(res.final.rate.lag.max, 0);
    CHECK(res.sustained);
}

/* The last clients already hold starts of the measured schedule: these move with the boundary. */
static void starts_reach_over_the_boundary(void)
{
    struct cut v = {.l = fresh()};
    struct plan p = steady_plan(64, 1);

    v.l.service = MS;
    run_told(&v.l, &p);
    CHECK_INT(res.final.warmed.after, 20 * S + 5 * MS + 64 * 10 * US);
    check_rate(10, 10, 0, 0);
    CHECK_INT(res.final.rate.lag.max, 0);
}

/* The same with a few more transactions than there are starts for, whatever way they are taken. */
static void moves_with(int clients, double rate, enum arrival_shape shape, dur_ns jitter,
                       uint64_t burst)
{
    struct cut v = {.l = fresh()};
    struct plan p = steady_plan(clients, rate);

    p.arrival = shape;
    p.jitter = jitter;
    p.burst = burst;
    p.overload = burst ? OVERLOAD_DROP : OVERLOAD_QUEUE;
    p.warmup_steady_pct = 100;
    v.l.service = MS;
    v.l.watched = count_cut;
    run_told(&v.l, &p);
    CHECK(res.final.warmed.steady);
    CHECK(res.final.warmed.after < 30 * S);
    CHECK_INT(res.final.rate.total_done + res.final.rate.unfinished, res.final.rate.total_offered);
    if (shape != ARRIVAL_POISSON)
        CHECK_NEAR((double)res.final.rate.total_offered, rate * 10, clients);
    CHECK_INT(v.measured, 10);
}

struct ramp {
    struct load l;
    uint64_t offered[4];
    size_t n;
};

static void note_offered(struct load *l, const struct snapshot *s)
{
    struct ramp *v = (struct ramp *)l;

    if (s->warmup && v->n < 4)
        v->offered[v->n++] = s->rate.total_offered;
}

/* Starts that are due after t of a ramp of 4 s to 1000: 125 t^2, and the one at 0. */
static void ramps_up(void)
{
    struct ramp v = {.l = fresh()};
    struct plan p = base_plan(4, 1000);

    p.warmup = 4 * S;
    p.warmup_reports = true;
    p.report_interval = S;
    v.l.service = MS;
    v.l.watched = note_offered;
    CHECK_INT(run(&v.l, &p), 0);
    CHECK_INT(v.n, 4);
    for (size_t i = 0; i < 3; i++)
        CHECK_NEAR((double)v.offered[i], 125.0 * (double)((i + 1) * (i + 1)) + 1, 1);
    CHECK_INT(v.offered[3], 2000);
    check_rate(1000, 1000, 0, 0);
    CHECK_INT(res.final.rate.lag.max, 0);
}

/* Stock's rate does not ramp. */
static void stock_does_not_ramp(void)
{
    struct ramp v = {.l = fresh()};
    struct plan p = base_plan(4, 1000);

    p.stock_rate = true;
    p.warmup = 4 * S;
    p.warmup_reports = true;
    p.report_interval = S;
    v.l.watched = note_offered;
    CHECK_INT(run(&v.l, &p), 0);
    CHECK_INT(v.offered[3], 4000);
}

/* With a rate beyond capacity, response times grow for ever; what is left in line is dropped. */
static void never_steady(void)
{
    struct cut v = {.l = fresh()};
    struct plan p = steady_plan(1, 1500);

    p.warmup = 15 * S;
    v.l.service = MS;
    v.l.watched = count_cut;
    run_told(&v.l, &p);
    CHECK(!res.final.warmed.steady);
    CHECK(res.final.warmed.has_trend);
    CHECK(res.final.warmed.change_pct > 50);
    CHECK_INT(res.final.warmed.after, 15 * S);
    CHECK_INT(told, 1);
    CHECK_INT(v.warm, 15);
    CHECK_INT(res.final.rate.total_offered, 15000);
    CHECK_INT(res.final.rate.total_done, 10000);
    /* the first of what is measured was not late behind thousands of the warm-up */
    CHECK(res.final.rate.lag.p50 < 2 * S);
}

/* Each transaction takes a little longer than the one before, until there were enough of them. */
static void slower_and_slower(struct load *l, const struct snapshot *s)
{
    count_cut(l, s);
    if (s->warmup && s->elapsed_ns <= 6 * S)
        l->service += MS;
}

static void settles_later(void)
{
    struct cut v = {.l = fresh()};
    struct plan p = steady_plan(2, 0);

    v.l.service = 4 * MS;
    v.l.watched = slower_and_slower;
    run_told(&v.l, &p);
    CHECK(res.final.warmed.steady);
    CHECK(res.final.warmed.after > 14 * S);
    CHECK(res.final.warmed.after < 18 * S);
    CHECK_INT(res.final.events, 2000);
}

/* --events counts from the boundary on. */
static void counts_events_from_there(void)
{
    struct cut v = {.l = fresh()};
    struct plan p = steady_plan(2, 0);

    p.time_limit = 0;
    p.max_events = 500;
    v.l.service = MS;
    run_told(&v.l, &p);
    CHECK(res.final.warmed.steady);
    CHECK_INT(res.final.events, 500);
    CHECK_INT(res.final.elapsed_ns, 250 * MS);
}

/* Nobody asks for reports. */
static void without_a_ticker(void)
{
    struct load l = fresh();
    struct plan p = steady_plan(2, 0);

    p.report_interval = 0;
    l.service = MS;
    run_told(&l, &p);
    CHECK(res.final.warmed.steady);
    CHECK_INT(res.final.events, 20000);
}

/* Forced shutdown follows the time limit, which has moved. */
static void limits_move(void)
{
    struct load l = fresh();
    struct plan p = steady_plan(1, 0);

    p.forced = FORCED_ON;
    p.forced_grace = S;
    p.checkpoint[0] = 5 * S;
    p.checkpoints = 1;
    l.service = MS;
    run_told(&l, &p);
    CHECK(!res.forced);
    CHECK_INT(res.final.elapsed_ns, 10 * S);
    CHECK_INT(res.final.total[CNT_DONE], 10000);
}

TEST_MAIN(warmup_test)
{
    held = held_clock_new();
    steady_from_the_beginning();
    steady_at_a_rate();
    clients_hold_starts();
    starts_reach_over_the_boundary();
    moves_with(64, 20, ARRIVAL_EVEN, 0, 0);
    moves_with(64, 20, ARRIVAL_EVEN, 3 * S, 0);
    moves_with(16, 100, ARRIVAL_POISSON, 0, 0);
    moves_with(16, 100, ARRIVAL_EVEN, 0, 50);
    moves_with(4, 40, ARRIVAL_ALIGNED, 0, 0);
    ramps_up();
    stock_does_not_ramp();
    never_steady();
    settles_later();
    counts_events_from_there();
    without_a_ticker();
    limits_move();
    held_clock_free(held);
    return test_done("warmup_test");
}
