/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stages of a rate, on a held clock: each has its own planned starts, they add up to the run's
 * figures exactly, and the first that was not sustained decides.
 */
#include "engine/run_test.h"

#include "pace/rates.h"

#define S NS_PER_SEC

static struct snapshot of[SNAPSHOT_MAX_STAGES];
static struct snapshot_stage stage[SNAPSHOT_MAX_STAGES];
static size_t nstages;

/* The stages add up to the run. */
static void check_sums(const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;
    uint64_t offered = 0, done = 0, failed = 0, dropped = 0, late = 0, events = 0, samples = 0;
    dur_ns length = 0;

    for (size_t i = 0; i < s->nstages; i++) {
        const struct snapshot_rate *p = &s->stages[i].s->rate;
        offered += p->offered;
        done += p->done;
        failed += p->failed;
        dropped += p->dropped;
        late += p->late;
        events += s->stages[i].s->events;
        samples += p->response.n;
        length += s->stages[i].s->interval_ns;
    }
    CHECK_INT(offered, q->total_offered);
    CHECK_INT(done, q->total_done);
    CHECK_INT(failed, q->total_failed);
    CHECK_INT(dropped, q->total_dropped);
    CHECK_INT(late, q->total_late);
    CHECK_INT(events, s->total[CNT_DONE]);
    CHECK_INT(samples, q->total_done);
    CHECK_INT(length, s->elapsed_ns);
    CHECK_INT(rate_unfinished(&s->stages[s->nstages - 1].s->rate), rate_unfinished(q));
}

/* What they point to is valid now. */
static void keep(struct load *l, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_FINAL)
        return;
    nstages = s->nstages;
    if (nstages && !s->stages_lost)
        check_sums(s);
    for (size_t i = 0; i < nstages; i++) {
        stage[i] = s->stages[i];
        of[i] = *s->stages[i].s;
    }
}

static void tell_stages(struct load *l, const struct snapshot *s)
{
    keep(l, s);
    if (s->kind != SNAPSHOT_FINAL)
        return;
    for (size_t i = 0; i < nstages && i < 7; i++) {
        const struct snapshot_rate *q = &of[i].rate;
        str_printf(&told,
                   "%s (%g to %g): until %g s, %g/s, offered %llu, done %llu, dropped %llu, ",
                   stage[i].text, stage[i].first, stage[i].last, dur_sec(of[i].elapsed_ns),
                   q->target, (unsigned long long)q->offered, (unsigned long long)q->done,
                   (unsigned long long)q->dropped);
        str_printf(&told, "unfinished %llu, achieved %.1f: %s%s %s\n",
                   (unsigned long long)rate_unfinished(q), q->achieved,
                   stage[i].judged ? "" : "not judged ",
                   stage[i].sustained ? "sustained" : "not sustained", stage[i].why);
    }
    str_printf(&told, "%zu stages, %zu more; first since %d\n", nstages, s->stages_lost,
               res.since_stage);
}

static void with_rates(struct load *l, struct plan *p, const char *spec, dur_ns time_limit)
{
    struct err why = {0};

    p->rates = rates_parse(spec, &(struct rates_play){1, 1}, &why);
    CHECK_STR(why.msg, "");
    p->time_limit = time_limit;
    p->rate = rates_mean(p->rates, time_limit);
    l->watched = tell_stages;
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

static void late_report(struct load *l, const struct snapshot *s)
{
    if (s->kind == SNAPSHOT_INTERVAL && s->elapsed_ns == 1500 * MS)
        held_clock_stall(held, 2 * S);
    tell_stages(l, s);
}

/* The reporting thread has no CPU from the second stage to the end of the run: each stage that the
 * schedule reached has its row, with all that was offered in it.  What was done in the others is
 * not known. */
static void late_reporter(enum arrival_shape shape, dur_ns jitter)
{
    static const char rates[] = "1000:1s,200:1s,1000:500ms,500:500ms";
    uint64_t offered[4];

    for (int late = 0; late < 2; late++) {
        RUN(4, 0, with_rates(l, p, rates, 3 * S), p->arrival = shape, p->jitter = jitter,
            p->report_interval = S / 2, l->watched = late ? late_report : tell_stages);
        for (size_t i = 0; i < 4; i++) {
            CHECK(!late || of[i].rate.offered == offered[i]);
            offered[i] = of[i].rate.offered;
            CHECK_INT(stage[i].unknown, late && i > 0);
        }
    }
}

/* Starts that are drawn one by one, and a reading for the end of a stage that comes too late: each
 * stage has the starts that it has without, and no backlog of the second begins before it. */
static void late_readings(void)
{
    uint64_t offered[2];

    for (int late = 0; late < 2; late++) {
        stall_takes = late ? 200 * MS : 0;
        RUN(4, 0, with_rates(l, p, "500:2s,1000", 4100 * MS), p->arrival = ARRIVAL_POISSON,
            p->report_interval = 0, l->takes = stall_once, l->started = note_origin);
        CHECK_INT(stall_takes, 0);
        for (size_t i = 0; i < 2; i++) {
            CHECK(!late || of[i].rate.offered == offered[i]);
            offered[i] = of[i].rate.offered;
        }
        CHECK(!strstr(stage[1].why, "between second 1.9"));
    }
}

/* Any way to take starts. */
static void adds_up_with(enum arrival_shape shape, dur_ns jitter, uint64_t burst)
{
    TRY(4, 0, 0, with_rates(l, p, "500:2s,1000-3000:2s,sine(300,200,1s):2s", 6 * S),
        l->service = 2 * MS, l->watched = keep, p->arrival = shape, p->jitter = jitter,
        p->burst = burst, p->overload = burst ? OVERLOAD_DROP : OVERLOAD_QUEUE);
    CHECK_INT(nstages, 3);
    CHECK_STR(stage[2].text, "sine(300,200,1s):2s");
    CHECK(!res.sustained);
    CHECK_INT(res.since_stage, 2);
    CHECK(!burst || of[1].rate.dropped > 100);
}

/* More stages than are kept: the rest are counted. */
static const char *many(void)
{
    static char spec[8000];

    for (int i = 0; i < SNAPSHOT_MAX_STAGES + 20; i++)
        strcat(spec, i % 2 ? ",200:50ms" : i ? ",100:50ms" : "100:50ms");
    return spec;
}

TEST_MAIN(stages_test)
{
    static const char four[] = "500:2s,500-1500:4s,0:1s,200";

    held = held_clock_new();
    late_reporter(ARRIVAL_EVEN, 0);
    late_reporter(ARRIVAL_EVEN, 200 * MS);
    late_reporter(ARRIVAL_POISSON, 0);
    /* constant, ramp, pause, and the rest of the run; without interval reports, then with some at
     * the same instants, checkpoints and a warm-up */
    RUN(4, 0, with_rates(l, p, four, 10 * S), l->service = MS / 2, p->report_interval = 0);
    RUN(4, 0, with_rates(l, p, four, 10 * S), l->service = MS / 2, p->report_interval = S,
        p->checkpoint[0] = 2 * S, p->checkpoints = 1, p->warmup = 2 * S, p->warmup_reports = true);
    RUN(2, 0, with_rates(l, p, "100:2s,50", 4 * S), l->service = MS / 2, l->runs = stage_errors);
    /* 4 clients do 2,000 per second: the first stage beyond that decides */
    RUN(4, 0, with_rates(l, p, "500:5s,1500:5s,4000:5s,100:20s,3000:1s,100:5s", 41 * S),
        l->service = 2 * MS);
    CHECK_STR(res.since, "4000:5s");
    /* what is dropped first is what the stage found waiting: no start of its own */
    /* one that only works off what it found */
    RUN(4, 0, with_rates(l, p, "20:3s,150:3s,20:3s", 9 * S), l->service = 50 * MS);
    RUN(4, 0, with_rates(l, p, "4000:1s,10:1s", 2 * S), l->service = 2 * MS,
        p->overload = OVERLOAD_DROP, p->max_lag = 50 * MS);
    adds_up_with(ARRIVAL_EVEN, 0, 0);
    adds_up_with(ARRIVAL_EVEN, 10 * MS, 0);
    adds_up_with(ARRIVAL_POISSON, 0, 0);
    adds_up_with(ARRIVAL_EVEN, 0, 50);
    adds_up_with(ARRIVAL_POISSON, MS, 50);
    late_readings();
    /* the run ends within the second stage: by its limit, by --events */
    RUN(4, 0, with_rates(l, p, "500:2s,1000-2000:4s,100", 4 * S), l->service = MS / 2);
    RUN(4, 0, with_rates(l, p, "500:2s,1000:4s,100", 10 * S), l->service = MS / 2,
        p->max_events = 1500);
    /* a shape without a length is one stage; a lone number has none */
    RUN(4, 0, with_rates(l, p, "square(1000,100,2s)", 4 * S), l->service = MS / 2);
    RUN(4, 100, l->watched = tell_stages);
    RUN(4, 0, with_rates(l, p, many(), 6 * S), l->service = MS / 2);
    held_clock_free(held);
    golden_done("stages_test");
    return test_done("stages_test");
}
