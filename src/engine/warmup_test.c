/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Warm-ups on a held clock: those that end when the load is steady, what belongs to them then, and
 * what a rate leaves behind.
 */
#include "engine/run_test.h"

#define S NS_PER_SEC

static mono_ns told_from; /* by begin() */
static int told;

static void begin(void *arg, mono_ns from)
{
    (void)arg;
    told_from = from;
    told++;
}

static void run_told(struct load *l, const struct plan *p)
{
    struct run_observer obs = {.arg = l, .report = watch, .begin = begin};
    struct rng_seeder seeder;

    told = 0;
    e = (struct err){0};
    rng_seeder_init(&seeder, 1);
    CHECK_INT(run_execute(p, &l->w, &seeder, &obs, &res, &e), 0);
    rng_seeder_fini(&seeder);
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

/* So few starts that each client holds one for seconds: measuring begins behind them all. */
static void clients_hold_starts(void)
{
    struct cut v = {.l = fresh()};
    struct plan p = steady_plan(64, 10);

    v.l.service = MS;
    v.l.watched = count_cut;
    run_told(&v.l, &p);
    CHECK(res.final.warmed.steady);
    CHECK(res.final.warmed.after < 60 * S);
    check_rate(100, 100, 0, 0);
    CHECK_INT(res.final.rate.lag.max, 0);
    CHECK(res.sustained);
}

/* The last clients already hold starts of the measured schedule: the boundary stays. */
static void starts_reach_over_the_boundary(void)
{
    struct cut v = {.l = fresh()};
    struct plan p = steady_plan(64, 1);

    v.l.service = MS;
    run_told(&v.l, &p);
    CHECK_INT(res.final.warmed.after, 60 * S);
    check_rate(10, 10, 0, 0);
    CHECK_INT(res.final.rate.lag.max, 0);
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

int main(void)
{
    held = held_clock_new();
    steady_from_the_beginning();
    steady_at_a_rate();
    clients_hold_starts();
    starts_reach_over_the_boundary();
    never_steady();
    settles_later();
    counts_events_from_there();
    without_a_ticker();
    limits_move();
    held_clock_free(held);
    return test_done("warmup_test");
}
