/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole runs that last as long as they were meant to: the accounts in every snapshot, the even
 * spread over clients, overload, checkpoints, warm-up, and the verdict.  How runs end otherwise is
 * in run_end_test.c.
 */
#include "engine/run_test.h"

#include "base/log.h"
#include "base/mem.h"

/* A run that leaves a client behind leaves its memory to it: not a leak. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "detect_leaks=0";
}

static void even_rate(void)
{
    struct load l = fresh();
    struct plan p = base_plan(4, 1000);
    struct run_result res;
    struct err e = {0};
    uint64_t least = UINT64_MAX, most = 0;

    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_offered, 1000);
    CHECK_INT(res.final.rate.total_done + res.final.rate.unfinished, 1000);
    CHECK(l.snapshots == 11);
    CHECK(res.final.elapsed_ns >= NS_PER_SEC);
    for (int i = 0; i < 4; i++) {
        least = l.ran[i] < least ? l.ran[i] : least;
        most = l.ran[i] > most ? l.ran[i] : most;
    }
    CHECK(res.final.rate.total_late > 0 || most - least <= 1);
    CHECK_INT(res.final.rate.response.n, res.final.rate.total_done);
    CHECK(res.final.rate.response.max >= res.final.rate.lag.p50);
}

static void low_rate_lasts(void)
{
    struct load l = fresh();
    struct plan p = base_plan(8, 2.5);
    struct run_result res;
    struct err e = {0};

    CHECK_INT(go(&l, &p, &res, &e), 0); /* planned at 0, 0.4, 0.8 s */
    CHECK_INT(res.final.rate.total_done, 3);
    CHECK(res.final.elapsed_ns >= NS_PER_SEC);
    CHECK(res.sustained);
}

static void events_limit(void)
{
    struct load l = fresh();
    struct plan p = base_plan(3, 200);
    struct run_result res;
    struct err e = {0};

    p.max_events = 50;
    p.time_limit = 0;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_offered, 50);
    CHECK_INT(res.final.rate.total_done, 50);
    CHECK(res.final.elapsed_ns >= NS_PER_SEC / 4); /* N events take N/R */
    l = fresh();
    p.rate = 0;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.events, 50);
}

/* N events take N/R seconds, however many clients ask for one more. */
static void clients_are_told_one_end(void)
{
    struct load l = fresh();
    struct plan p = base_plan(32, 10); /* the last of the 32 would be told 3.4 s */
    struct run_result res;
    struct err e = {0};

    p.max_events = 3;
    p.time_limit = 0;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_done, 3);
    CHECK(res.final.elapsed_ns >= 3 * NS_PER_SEC / 10 && res.final.elapsed_ns < 2 * NS_PER_SEC);
}

/* All 60 are done, but 50 a second where 300 were wanted. */
static void overtaken_by_the_schedule(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 300);
    struct run_result res;
    struct err e = {0};

    l.service = 20 * NS_PER_MS;
    p.max_events = 60;
    p.time_limit = 0;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_done, 60);
    CHECK(!res.sustained);
    CHECK(strstr(res.why, "the only client was busy") != NULL);
}

/* What begins in time may end after the schedule: nothing is wrong with a service time of a third
 * of the run. */
static void slow_but_in_time(void)
{
    struct load l = fresh();
    struct plan p = base_plan(40, 50);
    struct run_result res;
    struct err e = {0};

    l.service = 300 * NS_PER_MS;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK(res.final.rate.unfinished > 0 ||
          res.sustained); /* unfinished: a client woke up after the deadline */
    CHECK(res.final.elapsed_ns > 12 * NS_PER_SEC / 10);
}

/* A server that does 50 a second gets 100, from clients enough to send them all: every start is in
 * time. */
static void piled_up(void)
{
    pthread_mutex_t server = PTHREAD_MUTEX_INITIALIZER;
    struct load l = fresh();
    struct plan p = base_plan(64, 100);
    struct run_result res;
    struct err e = {0};

    l.service = 20 * NS_PER_MS;
    l.server = &server;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK(!res.sustained);
    CHECK(res.final.rate.unfinished > 0 || strstr(res.why, "piled up in the server") ||
          strstr(res.why, "all 64 clients were busy"));
}

/* --rate ends with its last event: the verdict knows when the schedule did, too. */
static void judged_at_stock_rate(int clients, dur_ns service, bool sustained, const char *why)
{
    struct load l = fresh();
    struct plan p = base_plan(clients, 1000);
    struct run_result res;
    struct err e = {0};

    p.stock_rate = true;
    p.arrival = ARRIVAL_POISSON;
    p.max_events = 150;
    p.time_limit = 0;
    p.tolerance_pct = 20;
    l.service = service;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_done, 150);
    CHECK_INT(res.sustained, sustained);
    CHECK(strstr(res.why, why) != NULL);
}

static void sustained_at_stock_rate(void)
{
    judged_at_stock_rate(64, 0, true, "");
}

/* A loop that ends none of its transactions: they are neither done nor under way. */
static void withdrawn(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 200);
    struct run_result res;
    struct err e = {0};

    l.cancel_all = true;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_offered, 200);
    CHECK_INT(res.final.rate.withdrawn + res.final.rate.waiting, 200);
    CHECK_INT(res.final.rate.in_flight, 0);
    CHECK_INT(res.final.rate.response.n, 0);
    CHECK_INT(res.final.rate.response.p99, -1);
    CHECK(!res.sustained);
    CHECK(strstr(res.why, "the script withdrew ") != NULL);
}

/* Stock's figure has what a script adds; the accounts do not. */
static void counted_by_the_script(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 200);
    struct run_result res;
    struct err e = {0};

    l.counts = true;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_done + res.final.rate.unfinished, 200);
    CHECK_INT(res.final.events, 2 * res.final.rate.total_done);
}

/* One client of 20 ms service at 200/s: half of what is offered can be done, at most. */
static void overload_queue(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 200);
    struct run_result res;
    struct err e = {0};

    l.service = 20 * NS_PER_MS;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_offered, 200);
    CHECK(res.final.rate.total_done <= 51);
    CHECK_INT(res.final.rate.total_dropped, 0);
    CHECK(res.final.rate.waiting >= 149);
    CHECK(!res.sustained);
    CHECK(strstr(res.why, "the only client was busy (limit about ") != NULL);
    /* number n was planned 5 n ms after the start and could begin 20 n ms after it, at the earliest
     */
    CHECK(res.final.rate.lag.max >=
          (200 - (int64_t)res.final.rate.waiting - 1) * 15 * NS_PER_MS * 99 / 100);
    CHECK(res.final.rate.service.p50 < 500 * NS_PER_MS);
}

static void overload_drop(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 200);
    struct run_result res;
    struct err e = {0};

    l.service = 20 * NS_PER_MS;
    p.overload = OVERLOAD_DROP;
    p.burst = 5;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_offered, 200);
    CHECK(res.final.rate.total_dropped >= 140);
    CHECK(res.final.rate.unfinished <= 6);
    CHECK(!res.sustained);
}

static void overload_abort(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 1000);
    struct run_result res;
    struct err e = {0};

    l.service = 20 * NS_PER_MS;
    p.overload = OVERLOAD_ABORT;
    p.max_lag = 100 * NS_PER_MS;
    p.time_limit = 60 * NS_PER_SEC;
    CHECK_INT(go(&l, &p, &res, &e), -1);
    CHECK(res.measured);
    CHECK(res.final.elapsed_ns < p.time_limit);
    CHECK(strstr(e.msg, "more transactions were overdue") != NULL);
}

/* Nobody asks for the next start, since the server has stopped to answer: the backlog ends the run
 * all the same. */
static void overload_abort_unasked(void)
{
    static struct load l; /* its thread outlives the run */
    struct plan *p = mem_alloc(sizeof *p);
    struct run_result res;
    struct err e = {0};

    l = fresh();
    *p = base_plan(1, 1000);
    l.stall = true;
    p->overload = OVERLOAD_ABORT;
    p->burst = 50;
    p->time_limit = 60 * NS_PER_SEC;
    CHECK_INT(go(&l, p, &res, &e), -1);
    CHECK(res.clients_left && !res.forced);
    CHECK(res.final.elapsed_ns < p->time_limit);
    CHECK_INT(res.final.rate.in_flight, 1);
    CHECK(res.final.rate.waiting > 50);
    CHECK(strstr(e.msg, "more transactions were overdue") != NULL);
    atomic_store(&l.release, 1);
    busy(NS_PER_SEC / 5); /* it ends by itself and finds its memory */
}

static void checkpoints_and_fairness(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 400);
    struct run_result res;
    struct err e = {0};

    p.report_interval = 0;
    p.checkpoint[0] = NS_PER_SEC / 2;
    p.checkpoints = 1;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(l.snapshots, 2);
    CHECK(res.final.interval_ns < 6 * NS_PER_SEC / 10 && res.final.elapsed_ns >= NS_PER_SEC);
    CHECK_INT(res.final.rate.total_done + res.final.rate.unfinished, 400);
    CHECK(res.final.events < 300);
    CHECK_NEAR(res.final.events_avg * 2, (double)res.final.events, 1e-9);
    CHECK_NEAR(res.final.latency_avg_ms * (double)res.final.events, res.final.latency_sum_ms, 1e-6);
    /* stock's figures begin anew at a checkpoint, those of the rate are of the run */
    CHECK_INT(res.final.rate.response.n, res.final.rate.total_done);
    CHECK(res.final.rate.events_least + res.final.rate.events_most == res.final.rate.total_done);
}

static void warmed_up(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 500);
    struct run_result res;
    struct err e = {0};

    p.warmup = NS_PER_SEC / 2;
    p.time_limit = NS_PER_SEC / 2;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK(res.final.elapsed_ns < 8 * NS_PER_SEC / 10);
    CHECK(res.final.events <= 260 && res.final.events > 100);
    CHECK(res.final.rate.total_late_idle <=
          res.final.rate.total_late); /* the warm-up's are not among them */
}

struct cut {
    struct load l;
    int warm, measured;
    uint64_t warm_events;
};

/* A warm-up's intervals come first and are marked; the final report's figures are all of the same
 * transactions. */
static void check_cut(struct load *l, const struct snapshot *s)
{
    struct cut *v = (struct cut *)l;
    double sum = 0;

    CHECK(!s->warmup || (s->kind == SNAPSHOT_INTERVAL && v->measured == 0));
    v->warm += s->warmup;
    v->measured += !s->warmup;
    v->warm_events = s->warmup ? s->total[CNT_DONE] : v->warm_events;
    if (s->kind != SNAPSHOT_FINAL)
        return;
    CHECK_INT(s->latency.n, s->events);
    CHECK_INT(s->stock_hist->total, s->events);
    CHECK_INT(s->hists.response->total, s->events);
    CHECK_INT(s->reads, 3 * s->events);
    for (int i = 0; i < s->nclients; i++)
        sum += (double)s->clients[i].sum_ns;
    CHECK_NEAR(sum / (double)s->events, s->latency.mean, s->latency.mean / 1000);
    CHECK_NEAR(s->latency_max_ms * 1e6, (double)s->latency.max, (double)s->latency.max / 1000);
    if (!s->has_rate)
        return;
    CHECK_INT(s->rate.total_done, s->events);
    CHECK_INT(s->rate.response.n, s->events);
    CHECK_INT(s->rate.service.n, s->events);
    CHECK_INT(s->rate.lag.n, s->events);
}

/* While all clients are as busy as can be; `events` behind the warm-up are neither one more nor one
 * less. */
static void cut_once(double rate, uint64_t events, dur_ns service)
{
    struct cut v = {.l = fresh()};
    struct plan p = base_plan(4, rate);
    struct run_result res;
    struct err e = {0};

    p.warmup = NS_PER_SEC * 3 / 10;
    p.time_limit = events ? 0 : NS_PER_SEC / 5;
    p.max_events = events;
    p.warmup_reports = p.keep_histograms = true;
    v.l.reads = 3;
    v.l.service = service;
    v.l.watched = check_cut;
    CHECK_INT(go(&v.l, &p, &res, &e), 0);
    CHECK(v.warm > 0 && v.warm <= 3 && v.warm_events > 0);
    CHECK(v.measured > 0 && res.final.events > 0);
    if (events)
        CHECK_INT(res.final.events, events);
}

static void sleep_long(void *arg)
{
    (void)arg;
    busy(NS_PER_SEC * 3 / 10);
}

/* All of what is measured is over before the main thread has noticed that the warm-up is. */
static void measured_in_a_moment(double rate)
{
    struct load l = fresh();
    struct plan p = base_plan(2, rate);
    struct run_observer obs = {.arg = &l, .report = watch, .warming_up = sleep_long};
    struct rng_seeder seeder;
    struct run_result res;
    struct err e = {0};

    p.warmup = NS_PER_SEC / 10;
    p.time_limit = 0;
    p.max_events = 5;
    p.report_interval = 0;
    rng_seeder_init(&seeder, 1);
    CHECK_INT(run_execute(&p, &l.w, &seeder, &obs, &res, &e), 0);
    rng_seeder_fini(&seeder);
    CHECK(res.measured);
    CHECK_INT(res.final.events, 5);
    CHECK_INT(l.snapshots, 1);
    CHECK_INT(l.unbalanced, 0);
}

/* Nor are they shown to anybody who did not ask. */
static void warm_up_unseen(void)
{
    struct cut v = {.l = fresh()};
    struct plan p = base_plan(4, 0);
    struct run_result res;
    struct err e = {0};

    p.warmup = NS_PER_SEC * 3 / 10;
    p.time_limit = NS_PER_SEC / 5;
    p.keep_histograms = true;
    v.l.reads = 3;
    v.l.watched = check_cut;
    CHECK_INT(go(&v.l, &p, &res, &e), 0);
    CHECK_INT(v.warm, 0);
}

/* How far the wall clock is ahead of the monotonic one. */
static dur_ns wall_offset(void)
{
    dur_ns width = INT64_MAX, offset = 0;

    for (int i = 0; i < 1000; i++) {
        mono_ns a = clock_mono();
        wall_ns w = clock_wall();
        mono_ns b = clock_mono();
        if (b - a < width) {
            width = b - a;
            offset = w - a;
        }
    }
    return offset;
}

static void check_stamp(struct load *l, const struct snapshot *s)
{
    (void)l;
    CHECK_NEAR(s->wall - s->at, wall_offset(), NS_PER_MS / 20);
}

/* What a report says of the time is that of its figures, not of the moment when they were put
 * together: the final one is made when the clients have closed, some time after the last
 * transaction. */
static void stamped(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 100);
    struct run_result res;
    struct err e = {0};

    p.time_limit = NS_PER_SEC / 4;
    l.closing = NS_PER_SEC / 10;
    l.watched = check_stamp;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK(l.snapshots > 0);
}

/* Each pauses after its transactions, before the next: 100 ms make some 10 in a second, whatever
 * the rest does. */
static void thinking(bool drawn)
{
    struct load l = fresh();
    struct plan p = base_plan(20, 0);
    struct run_result res;
    struct err e = {0};
    uint64_t least = UINT64_MAX, most = 0;

    p.think = NS_PER_SEC / 10;
    p.think_exp = drawn;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    for (int i = 0; i < 20; i++) {
        least = l.ran[i] < least ? l.ran[i] : least;
        most = l.ran[i] > most ? l.ran[i] : most;
    }
    CHECK(most <= (drawn ? 40 : 12)); /* one more when the stop comes late */
    CHECK(least >= 1);
    CHECK(!drawn ||
          (least < most && res.final.events > 100)); /* expected 220, standard deviation 14 */
    CHECK(res.final.latency_avg_ms < 100);           /* thinking is not part of a transaction */
    CHECK(res.final.elapsed_ns < 15 * NS_PER_SEC / 10);
}

static void thinking_fixed(void)
{
    thinking(false);
}

static void thinking_drawn(void)
{
    thinking(true);
}

static void all(void)
{
    TEST_UNSTALLED(even_rate);
    TEST_UNSTALLED(low_rate_lasts);
    events_limit();
    TEST_UNSTALLED(overload_queue);
    TEST_UNSTALLED(overload_drop);
    overload_abort();
    overload_abort_unasked();
    TEST_UNSTALLED(clients_are_told_one_end);
    overtaken_by_the_schedule();
    TEST_UNSTALLED(slow_but_in_time);
    TEST_UNSTALLED(piled_up);
    TEST_UNSTALLED(withdrawn);
    TEST_UNSTALLED(sustained_at_stock_rate);
    judged_at_stock_rate(1, 4 * NS_PER_MS, false, "the only client was busy");
    counted_by_the_script();
    TEST_UNSTALLED(checkpoints_and_fairness);
    TEST_UNSTALLED(warmed_up);
    cut_once(0, 0, 0);
    cut_once(0, 1000, 0);
    cut_once(0, 50, 3 * NS_PER_MS);
    cut_once(20000, 0, 0);
    cut_once(4000, 50, 2 * NS_PER_MS); /* the warm-up leaves hundreds of starts behind */
    warm_up_unseen();
    measured_in_a_moment(0);
    measured_in_a_moment(1000);
    stamped();
    TEST_UNSTALLED(thinking_fixed);
    TEST_UNSTALLED(thinking_drawn);
}

int main(void)
{
    log_set_verbosity(-1);
    for (test_workers = 0; test_workers <= 2; test_workers++)
        all();
    return test_done("run_test");
}
