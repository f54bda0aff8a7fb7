/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stages of a rate, on a held clock: each has its own planned starts, they add up to the run's
 * figures exactly, and the first that was not sustained decides.
 */
#include "engine/run_test.h"

#include "pace/rates.h"

#define S NS_PER_SEC

struct staged {
    struct load l;
    struct snapshot_stage stage[SNAPSHOT_MAX_STAGES];
    struct snapshot s[SNAPSHOT_MAX_STAGES];
    size_t n, lost;
};

/* What they point to is valid now. */
static void keep(struct load *l, const struct snapshot *s)
{
    struct staged *v = (struct staged *)l;

    if (s->kind != SNAPSHOT_FINAL)
        return;
    v->n = s->nstages;
    v->lost = s->stages_lost;
    for (size_t i = 0; i < v->n; i++) {
        v->stage[i] = s->stages[i];
        v->s[i] = *s->stages[i].s;
    }
}

static struct staged staged(dur_ns service)
{
    struct staged v = {.l = fresh()};

    v.l.watched = keep;
    v.l.service = service;
    return v;
}

/* The stages add up to the run. */
static void check_sums(const struct staged *v)
{
    const struct snapshot_rate *q = &res.final.rate;
    uint64_t offered = 0, done = 0, failed = 0, dropped = 0, late = 0, events = 0, samples = 0;
    dur_ns length = 0;

    for (size_t i = 0; i < v->n; i++) {
        const struct snapshot_rate *p = &v->s[i].rate;
        offered += p->offered;
        done += p->done;
        failed += p->failed;
        dropped += p->dropped;
        late += p->late;
        events += v->s[i].events;
        samples += p->response.n;
        length += v->s[i].interval_ns;
    }
    CHECK_INT(offered, q->total_offered);
    CHECK_INT(done, q->total_done);
    CHECK_INT(failed, q->total_failed);
    CHECK_INT(dropped, q->total_dropped);
    CHECK_INT(late, q->total_late);
    CHECK_INT(events, res.final.total[CNT_DONE]);
    CHECK_INT(samples, q->total_done);
    CHECK_INT(length, res.final.elapsed_ns);
    if (v->n)
        CHECK_INT(v->s[v->n - 1].rate.unfinished, q->unfinished);
}

static void run_stages(struct staged *v, struct plan *p, const char *spec, dur_ns time_limit)
{
    struct err why = {0};

    p->rates = rates_parse(spec, &(struct rates_play){1, 1}, &why);
    CHECK_STR(why.msg, "");
    p->time_limit = time_limit;
    p->rate = rates_mean(p->rates, time_limit);
    run(&v->l, p);
    check_sums(v);
    rates_free(p->rates);
}

static void check_stage(const struct staged *v, size_t i, const char *text, double target,
                        uint64_t offered, bool sustained)
{
    CHECK(i < v->n);
    CHECK_STR(v->stage[i].text, text);
    CHECK_NEAR(v->s[i].rate.target, target, 1e-6);
    CHECK_INT(v->s[i].rate.offered, offered);
    CHECK_INT(v->stage[i].judged, offered > 0);
    CHECK_INT(v->stage[i].sustained, sustained);
}

/* Constant, ramp, pause, and the rest of the run; without interval reports. */
static void stages_are_parts(void)
{
    struct staged v = staged(MS / 2);
    struct plan p = base_plan(4, 0);

    p.report_interval = 0;
    run_stages(&v, &p, "500:2s,500-1500:4s,0:1s,200", 10 * S);
    CHECK_INT(v.n, 4);
    check_stage(&v, 0, "500:2s", 500, 1000, true);
    check_stage(&v, 1, "500-1500:4s", 1000, 4000, true);
    check_stage(&v, 2, "0:1s", 0, 0, false);
    check_stage(&v, 3, "200", 200, 600, true);
    CHECK_INT(res.final.rate.total_done, 5600);
    for (size_t i = 0; i < v.n; i++) /* the start on its end is one of the next stage */
        CHECK_INT(v.s[i].rate.unfinished, 0);
    CHECK_INT(v.s[0].elapsed_ns, 2 * S);
    CHECK_INT(v.s[2].elapsed_ns, 7 * S);
    CHECK_NEAR(v.stage[1].first, 500, 0);
    CHECK_NEAR(v.stage[1].last, 1500, 0);
    CHECK(res.sustained);
    CHECK_INT(res.since_stage, 0);
}

/* Every transaction of the first stage meets a deadlock, and fails; every one of the second an
 * overload: each stage tells of its own errors. */
static int stage_errors(struct load *l, struct client *c, struct err *err)
{
    static const struct client_error error[] = {
        {.code = 1213, .sqlstate = "40001", .text = "Deadlock", .class = "deadlock"},
        {.code = 1040, .sqlstate = "08004", .text = "Too many", .class = "overload"}};
    mono_ns began = test_now();

    while (client_next(c)) {
        client_begin(c);
        busy(l->service);
        client_error(c, &error[test_now() - began >= 2 * S]);
        client_fail(c);
    }
    return 0;
}

static void errors_of_stages(void)
{
    struct staged v = staged(MS / 2);
    struct plan p = base_plan(2, 0);

    v.l.runs = stage_errors;
    run_stages(&v, &p, "100:2s,50", 4 * S);
    CHECK_INT(v.n, 2);
    check_stage(&v, 0, "100:2s", 100, 200, false);
    check_stage(&v, 1, "50", 50, 100, false);
    CHECK_STR(v.stage[0].why,
              "200 of 200 transactions failed (deadlocks: 1213 (40001) 200 times); fix this first");
    CHECK_STR(v.stage[1].why,
              "100 of 100 transactions failed (too many connections: 1040 (08004) 100 "
              "times); fix this first");
}

/* With reports at the same instants, checkpoints and a warm-up. */
static void reports_do_not_matter(void)
{
    struct staged v = staged(MS / 2);
    struct plan p = base_plan(4, 0);

    p.report_interval = S;
    p.checkpoint[0] = 2 * S;
    p.checkpoints = 1;
    p.warmup = 2 * S;
    p.warmup_reports = true;
    run_stages(&v, &p, "500:2s,500-1500:4s,0:1s,200", 10 * S);
    CHECK_INT(v.n, 4);
    check_stage(&v, 0, "500:2s", 500, 1000, true);
    check_stage(&v, 1, "500-1500:4s", 1000, 4000, true);
    check_stage(&v, 3, "200", 200, 600, true);
}

/* 4 clients do 2,000 per second. */
static void names_the_first(void)
{
    struct staged v = staged(2 * MS);
    struct plan p = base_plan(4, 0);

    run_stages(&v, &p, "500:5s,1500:5s,4000:5s,100:20s,3000:1s,100:5s", 41 * S);
    CHECK_INT(v.n, 6);
    check_stage(&v, 0, "500:5s", 500, 2500, true);
    check_stage(&v, 1, "1500:5s", 1500, 7500, true);
    check_stage(&v, 2, "4000:5s", 4000, 20000, false);
    check_stage(&v, 3, "100:20s", 100, 2000, true);
    check_stage(&v, 4, "3000:1s", 3000, 3000, false);
    CHECK_NEAR((double)v.s[2].rate.done, 10000, 4);
    CHECK_NEAR((double)v.s[2].rate.waiting, 10000, 8);
    CHECK_NEAR(v.s[2].rate.achieved, 2000, 4);
    CHECK_NEAR(v.s[3].rate.achieved, 100, 1); /* of its own; it also does what was waiting */
    CHECK(strstr(v.stage[3].why, " transactions were still waiting when it began") != NULL);
    CHECK_STR(v.stage[0].why, "");
    /* all were done in the end */
    CHECK_INT(res.final.rate.total_done, res.final.rate.total_offered);
    CHECK(!res.sustained);
    CHECK_INT(res.since_stage, 3);
    CHECK_STR(res.since, "4000:5s");
    CHECK_STR(res.why,
              "4 clients do 1,999/s at most at 2.0 ms a transaction; 8 are needed for 4,000/s");
}

/* What is dropped first is what the stage found waiting: no start of its own. */
static void drops_of_the_stage_before(void)
{
    struct staged v = staged(2 * MS);
    struct plan p = base_plan(4, 0);

    p.overload = OVERLOAD_DROP;
    p.max_lag = 50 * MS;
    run_stages(&v, &p, "4000:1s,10:1s", 2 * S);
    CHECK(!v.stage[0].sustained);
    CHECK(v.s[1].rate.dropped > 10);
    CHECK(v.stage[1].sustained);
}

/* Any way to take starts. */
static void adds_up_with(enum arrival_shape shape, dur_ns jitter, uint64_t burst)
{
    struct staged v = staged(2 * MS);
    struct plan p = base_plan(4, 0);

    p.arrival = shape;
    p.jitter = jitter;
    p.burst = burst;
    p.overload = burst ? OVERLOAD_DROP : OVERLOAD_QUEUE;
    run_stages(&v, &p, "500:2s,1000-3000:2s,sine(300,200,1s):2s", 6 * S);
    CHECK_INT(v.n, 3);
    CHECK_STR(v.stage[2].text, "sine(300,200,1s):2s");
    CHECK(!res.sustained);
    CHECK_INT(res.since_stage, 2);
    CHECK(!burst || v.s[1].rate.dropped > 100);
}

static mono_ns began;
static dur_ns stall_takes;

/* It stands still over the last reading of the backlog in the first stage, and over its end. */
static dur_ns stall_once(struct load *l, mono_ns now)
{
    if (stall_takes && now - began >= 1970 * MS) {
        held_clock_stall(held, stall_takes);
        stall_takes = 0;
    }
    return MS / 2;
}

static void note_origin(struct load *l)
{
    began = test_now();
}

/* Starts that are drawn one by one, and a reading for the end of a stage that comes too late: each
 * stage has the starts that it has without. */
static void late_readings(void)
{
    uint64_t offered[2] = {0};

    for (int late = 0; late < 2; late++) {
        struct staged v = staged(0);
        struct plan p = base_plan(4, 0);
        p.arrival = ARRIVAL_POISSON;
        p.report_interval = 0;
        v.l.takes = stall_once;
        v.l.started = note_origin;
        stall_takes = late ? 200 * MS : 0;
        run_stages(&v, &p, "500:2s,1000", 4100 * MS);
        CHECK_INT(stall_takes, 0);
        CHECK_INT(v.n, 2);
        for (size_t i = 0; i < 2; i++) {
            if (late)
                CHECK_INT(v.s[i].rate.offered, offered[i]);
            offered[i] = v.s[i].rate.offered;
        }
        /* no backlog of the second stage begins before it */
        CHECK(!strstr(v.stage[1].why, "between second 1.9"));
    }
    CHECK_NEAR((double)offered[0], 1000, 150);
}

/* The run ends within the second stage: by its limit, by --events. */
static void ends_early(void)
{
    struct staged v = staged(MS / 2), w = staged(MS / 2);
    struct plan p = base_plan(4, 0), q = base_plan(4, 0);

    run_stages(&v, &p, "500:2s,1000-2000:4s,100", 4 * S);
    CHECK_INT(v.n, 2);
    check_stage(&v, 1, "1000-2000:4s", 1250, 2500, true);
    q.max_events = 1500;
    run_stages(&w, &q, "500:2s,1000:4s,100", 10 * S);
    CHECK_INT(w.n, 2);
    CHECK_INT(w.s[1].rate.offered, 500);
}

/* A shape without a length is one stage; a lone number has none. */
static void one_shape_is_one_stage(void)
{
    struct staged v = staged(MS / 2), w = staged(MS / 2);
    struct plan p = base_plan(4, 0), q = base_plan(4, 100);

    run_stages(&v, &p, "square(1000,100,2s)", 4 * S);
    CHECK_INT(v.n, 1);
    CHECK_INT(v.s[0].rate.offered, res.final.rate.total_offered);
    CHECK_INT(run(&w.l, &q), 0);
    CHECK_INT(w.n, 0);
}

/* More stages than are kept: the rest are counted. */
static void many(void)
{
    struct staged v = staged(MS / 2);
    struct plan p = base_plan(4, 0);
    struct err why = {0};
    char spec[8000] = "";

    for (int i = 0; i < SNAPSHOT_MAX_STAGES + 20; i++)
        strcat(spec, i % 2 ? ",200:50ms" : i ? ",100:50ms" : "100:50ms");
    p.rates = rates_parse(spec, &(struct rates_play){1, 1}, &why);
    CHECK_STR(why.msg, "");
    p.time_limit = 6 * S;
    p.rate = 150;
    CHECK_INT(run(&v.l, &p), 0);
    CHECK_INT(v.n, SNAPSHOT_MAX_STAGES);
    CHECK_INT(v.lost, 20);
    CHECK_INT(res.final.rate.total_done, 900);
    rates_free(p.rates);
}

static void late_report(struct load *l, const struct snapshot *s)
{
    if (s->kind == SNAPSHOT_INTERVAL && s->elapsed_ns == 1500 * MS)
        held_clock_stall(held, 2 * S);
    keep(l, s);
}

/* The reporting thread has no CPU from the second stage to the end of the run: each stage that the
 * schedule reached has its row, with all that was offered in it. */
static void late_reporter(enum arrival_shape shape, dur_ns jitter)
{
    struct staged in_time = staged(0), v = staged(0);
    struct plan p = base_plan(4, 0);

    p.arrival = shape;
    p.jitter = jitter;
    p.report_interval = S / 2;
    run_stages(&in_time, &p, "1000:1s,200:1s,1000:500ms,500:500ms", 3 * S);
    v.l.watched = late_report;
    run_stages(&v, &p, "1000:1s,200:1s,1000:500ms,500:500ms", 3 * S);
    CHECK_INT(v.n, 4);
    for (size_t i = 0; i < v.n; i++) {
        CHECK_INT(v.s[i].rate.offered, in_time.s[i].rate.offered);
        CHECK(v.s[i].interval_ns >= 0);
        CHECK(v.s[i].elapsed_ns <= res.final.elapsed_ns);
        /* of the others, what was done in them is not known */
        CHECK_INT(v.stage[i].unknown, i > 0);
        CHECK_INT(isnan(v.s[i].rate.achieved), i > 0);
    }
}

TEST_MAIN(stages_test)
{
    held = held_clock_new();
    late_reporter(ARRIVAL_EVEN, 0);
    late_reporter(ARRIVAL_EVEN, 200 * MS);
    late_reporter(ARRIVAL_POISSON, 0);
    stages_are_parts();
    errors_of_stages();
    reports_do_not_matter();
    names_the_first();
    drops_of_the_stage_before();
    adds_up_with(ARRIVAL_EVEN, 0, 0);
    adds_up_with(ARRIVAL_EVEN, 10 * MS, 0);
    adds_up_with(ARRIVAL_POISSON, 0, 0);
    adds_up_with(ARRIVAL_EVEN, 0, 50);
    adds_up_with(ARRIVAL_POISSON, MS, 50);
    late_readings();
    ends_early();
    one_shape_is_one_stage();
    many();
    held_clock_free(held);
    return test_done("stages_test");
}
