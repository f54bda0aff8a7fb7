/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of a run, on a held clock: warm-up, checkpoints, think time.
 */
#include "engine/run_test.h"

#include "base/log.h"

static void parts(void)
{
    /* The first checkpoint is none: there is nothing to report.  That of 497.5 ms ended at 499.5:
     * the second half of the run has half of the transactions.  Stock's figures begin anew at a
     * checkpoint, those of the rate are of the run. */
    RUN(2, 400, p->report_interval = 0, p->checkpoint[1] = NS_PER_SEC / 2, p->checkpoints = 2,
        l->service = 2 * MS);
    CHECK_INT(res.final.interval_ns, NS_PER_SEC / 2);
    CHECK_INT(res.final.rate.events_least, 200);
    CHECK_INT(res.final.rate.events_most, 200);
    CHECK_NEAR(res.final.events_stddev, 0, 1e-9);
    RUN(2, 500, p->warmup = p->time_limit = NS_PER_SEC / 2);
    /* each pauses 100 ms after its transaction of 10 ms, before the next, which is not part of a
     * transaction: 10 in a second */
    RUN(20, 0, p->think = 100 * MS, l->service = 10 * MS);
    CHECK_NEAR(res.final.events_stddev, 0, 1e-9);
}

/* --- warm-up --- */

static int warm, measured;
static uint64_t warm_events;

/* A warm-up's intervals come first and are marked; the final report's figures are all of the
 * same transactions. */
static void check_cut(struct load *l, const struct snapshot *s)
{
    double sum = 0;

    CHECK(!s->warmup || (s->kind == SNAPSHOT_INTERVAL && measured == 0));
    warm += s->warmup;
    measured += !s->warmup;
    warm_events = s->warmup ? s->total[CNT_DONE] : warm_events;
    if (s->kind != SNAPSHOT_FINAL)
        return;
    check_figures(l, s);
    for (int i = 0; i < s->nclients; i++)
        sum += (double)s->clients[i].sum_ns;
    CHECK_NEAR(sum / (double)s->events, s->latency.mean, s->latency.mean / 1000);
    CHECK_NEAR(s->latency_max_ms * 1e6, (double)s->latency.max, (double)s->latency.max / 1000);
    str_printf(&told, "%d reports of the warm-up, of %llu events; %d others\n", warm,
               (unsigned long long)warm_events, measured);
}

/* 300 ms of warm-up, then 200 ms or so many events; clients that are as busy as can be. */
static void cut(struct load *l, struct plan *p, uint64_t events, dur_ns service)
{
    p->warmup = 300 * MS;
    p->time_limit = events ? 0 : 200 * MS;
    p->max_events = events;
    p->warmup_reports = p->keep_histograms = true;
    l->reads = 3;
    l->service = service;
    l->watched = check_cut;
    warm = measured = 0;
    warm_events = 0;
}

static void cuts(void)
{
    RUN(4, 0, cut(l, p, 0, MS)); /* 200 of each client */
    RUN(4, 0, cut(l, p, 1000, MS));
    RUN(4, 0, cut(l, p, 50, 3 * MS));
    RUN(4, 4000, cut(l, p, 0, 500 * US));
    /* half of it can be done; the warm-up leaves hundreds of starts behind */
    RUN(4, 4000, cut(l, p, 50, 2 * MS));
    RUN(4, 0, cut(l, p, 0, MS), p->warmup_reports = false); /* only on request */
}

/* Each hesitates before it begins. */
static int hesitate(struct load *l, struct client *c, struct err *err)
{

    while (client_next(c)) {
        busy(MS);
        client_begin(c);
        busy(MS);
        client_end(c);
        l->ran[client_id(c)]++;
    }
    return 0;
}

/* Whoever goes on after the warm-up has one of --events from then on: the others begin none. */
static void events_are_taken_in_advance(void)
{
    RUN(4, 0, l->runs = hesitate, p->warmup = 100 * MS, p->time_limit = 0, p->max_events = 3);
    CHECK_INT(ran[0] + ran[1] + ran[2] + ran[3], 4 * 50 + 3);
}

static void sleep_long(struct load *l, struct run_event *event)
{
    if (event->kind == RUN_WARMING_UP)
        busy(300 * MS);
}

static void moment(struct load *l, struct plan *p)
{
    l->on = sleep_long;
    l->service = MS;
    p->warmup = 100 * MS;
    p->time_limit = 0;
    p->max_events = 5;
    p->report_interval = 0;
}

/* --- think time --- */

/* Without service time a client does 1 + Poisson(10) in a second: 220 of 20 clients, standard
 * deviation 14. */
static void thinking_drawn(void)
{
    uint64_t least = UINT64_MAX, most = 0;

    TRY(20, 0, 0, p->think = 100 * MS, p->think_exp = true);
    for (int i = 0; i < 20; i++) {
        least = ran[i] < least ? ran[i] : least;
        most = ran[i] > most ? ran[i] : most;
    }
    CHECK(least >= 1 && least < most);
    CHECK_NEAR(res.final.events, 220, 3 * 14);
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC);
}

TEST_MAIN(run_parts_test)
{
    log_set_verbosity(-1);
    held = held_clock_new();
    parts();
    cuts();
    events_are_taken_in_advance();
    /* all of what is measured is over before the main thread has noticed that the warm-up is */
    RUN(2, 0, moment(l, p));
    RUN(2, 1000, moment(l, p));
    thinking_drawn();
    held_clock_free(held);
    golden_done("run_parts_test");
    return test_done("run_parts_test");
}
