/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of a run, on a held clock: warm-up, checkpoints, intervals, think time.
 */
#include "engine/run_test.h"

#include <unistd.h>

#include "base/log.h"

/* --- checkpoints --- */

static void checkpoints_and_fairness(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 400);

    p.report_interval = 0;
    p.checkpoint[0] = 0; /* none: there is nothing to report */
    p.checkpoint[1] = NS_PER_SEC / 2;
    p.checkpoints = 2;
    l.service = 2 * MS;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(l.snapshots, 2);
    CHECK_INT(res.final.interval_ns, NS_PER_SEC / 2);
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC);
    check_rate(400, 400, 0, 0);
    /* that of 497.5 ms ended at 499.5: the second half of the run has half of them */
    CHECK_INT(res.final.events, 200);
    CHECK_NEAR(res.final.events_avg, 100, 1e-9);
    CHECK_NEAR(res.final.events_stddev, 0, 1e-9);
    CHECK_NEAR(res.final.latency_avg_ms, 2, 1e-9);
    CHECK_NEAR(res.final.latency_min_ms, 2, 1e-9);
    CHECK_NEAR(res.final.latency_max_ms, 2, 1e-9);
    CHECK_NEAR(res.final.latency_sum_ms, 400, 1e-9);
    /* stock's figures begin anew at a checkpoint, those of the rate are of the run */
    CHECK_INT(res.final.rate.response.n, 400);
    CHECK_INT(res.final.rate.events_least, 200);
    CHECK_INT(res.final.rate.events_most, 200);
}

/* --- warm-up --- */

static void warmed_up(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 500);

    p.warmup = NS_PER_SEC / 2;
    p.time_limit = NS_PER_SEC / 2;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC / 2);
    check_rate(250, 250, 0, 0);
    CHECK_INT(res.final.events, 250);
    CHECK_INT(res.final.rate.total_late_idle, 0);
    CHECK_INT(l.ran[0] + l.ran[1], 250 + 125); /* a ramp has half as many */
}

struct cut {
    struct load l;
    int warm, measured;
    uint64_t warm_events;
};

/* A warm-up's intervals come first and are marked; the final report's figures are all of the
 * same transactions. */
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

/* 300 ms of warm-up, then 200 ms or so many events; 4 clients that are as busy as can be.  How many
 * events are measured, in which time, and how many ended in the warm-up until its last report. */
static void cut_once(double rate, uint64_t events, dur_ns service, uint64_t measured,
                     dur_ns elapsed, uint64_t warm)
{
    struct cut v = {.l = fresh()};
    struct plan p = base_plan(4, rate);

    p.warmup = 300 * MS;
    p.time_limit = events ? 0 : 200 * MS;
    p.max_events = events;
    p.warmup_reports = p.keep_histograms = true;
    v.l.reads = 3;
    v.l.service = service;
    v.l.watched = check_cut;
    CHECK_INT(run(&v.l, &p), 0);
    CHECK_INT(v.warm, 3);
    CHECK_INT(v.warm_events, warm);
    CHECK_INT(res.final.events, measured);
    CHECK_INT(res.final.elapsed_ns, elapsed);
}

static void cut_at_full_speed(void)
{
    /* each transaction in 1 ms: 200 of each client */
    cut_once(0, 0, MS, 800, 200 * MS, 1200 - 4);
    cut_once(0, 1000, MS, 1000, 250 * MS, 1200 - 4);
    cut_once(0, 50, 3 * MS, 50, 39 * MS, 400 - 4);
}

static void cut_at_a_rate(void)
{
    cut_once(4000, 0, 500 * US, 800, 200 * MS + 250 * US, 599);
    /* half of it can be done; the warm-up leaves hundreds of starts behind */
    cut_once(4000, 50, 2 * MS, 50, 26 * MS + 499170, 450 - 4);
}

static void sleep_long(void *arg)
{
    (void)arg;
    busy(300 * MS);
}

/* All of what is measured is over before the main thread has noticed that the warm-up is. */
static void measured_in_a_moment(double rate)
{
    struct load l = fresh();
    struct plan p = base_plan(2, rate);
    struct run_observer obs = {.arg = &l, .report = watch, .warming_up = sleep_long};
    struct rng_seeder seeder;

    p.warmup = 100 * MS;
    p.time_limit = 0;
    p.max_events = 5;
    p.report_interval = 0;
    l.service = MS;
    rng_seeder_init(&seeder, 1);
    CHECK_INT(run_execute(&p, &l.w, &seeder, &obs, &res, &e), 0);
    rng_seeder_fini(&seeder);
    CHECK(res.measured);
    CHECK_INT(res.final.events, 5);
    CHECK_INT(res.final.elapsed_ns, rate ? 5 * MS : 3 * MS);
    CHECK_INT(l.snapshots, 1);
    CHECK_INT(l.unbalanced, 0);
}

/* Its reports are shown only on request. */
static void warm_up_unseen(void)
{
    struct cut v = {.l = fresh()};
    struct plan p = base_plan(4, 0);

    p.warmup = 300 * MS;
    p.time_limit = 200 * MS;
    p.keep_histograms = true;
    v.l.reads = 3;
    v.l.service = MS;
    v.l.watched = check_cut;
    CHECK_INT(run(&v.l, &p), 0);
    CHECK_INT(v.warm, 0);
    CHECK_INT(v.measured, 3);
}

/* --- reports --- */

static void check_stamp(struct load *l, const struct snapshot *s)
{
    (void)l;
    CHECK_INT(s->wall - s->at, HELD_CLOCK_AHEAD);
    if (s->kind == SNAPSHOT_INTERVAL) {
        CHECK_INT(s->elapsed_ns, 100 * MS * l->snapshots);
        CHECK_INT(s->interval_ns, 100 * MS);
        CHECK_INT(s->events, 10);
    } else {
        CHECK_INT(s->elapsed_ns, 250 * MS);
    }
}

/* The time in a report is that of its figures, not of their computation: the final report is made
 * when the clients have closed, some time after the last transaction. */
static void stamped(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 100);

    p.time_limit = 250 * MS;
    l.closing = 100 * MS;
    l.watched = check_stamp;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(l.snapshots, 3);
}

static void take_long(struct load *l, const struct snapshot *s)
{
    static const dur_ns at[] = {100 * MS, 200 * MS, 450 * MS, 500 * MS, 600 * MS, 600 * MS};

    CHECK(l->snapshots <= 6);
    CHECK_INT(s->elapsed_ns, at[l->snapshots - 1]);
    if (s->kind == SNAPSHOT_INTERVAL && l->snapshots == 2)
        busy(250 * MS);
}

/* A report that takes two and a half intervals: the next one covers that time, and later ones are
 * on time again. */
static void slow_report(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 100);

    p.time_limit = 600 * MS;
    l.watched = take_long;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(l.snapshots, 6);
}

static void take_longer(struct load *l, const struct snapshot *s)
{
    static const dur_ns at[] = {100 * MS, 220 * MS, 220 * MS};

    CHECK(l->snapshots <= 3);
    if (l->snapshots <= 3)
        CHECK_INT(s->elapsed_ns, at[l->snapshots - 1]);
    if (l->snapshots == 1)
        busy(150 * MS);
}

/* The last event ends at 220 ms.  The report that was due at 200 ms comes at 250 ms and covers the
 * time until the end; while clients close there are no further ones. */
static void late_report_of_the_last_event(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 0);

    p.max_events = 11;
    p.time_limit = 0;
    l.service = 20 * MS;
    l.closing = 300 * MS;
    l.watched = take_longer;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(l.snapshots, 3);
}

struct summed {
    struct load l;
    uint64_t in_intervals;
};

static void sum_up(struct load *l, const struct snapshot *s)
{
    struct summed *v = (struct summed *)l;

    if (s->kind != SNAPSHOT_INTERVAL)
        return;
    v->in_intervals += s->events;
    CHECK_INT(s->total[CNT_DONE], v->in_intervals);
}

/* Begun before the end of the last interval and done after it: only the run has these 3. */
static void after_the_last_interval(void)
{
    struct summed v = {.l = fresh()};
    struct plan p = base_plan(4, 100);

    v.l.service = 35 * MS;
    v.l.watched = sum_up;
    CHECK_INT(run(&v.l, &p), 0);
    CHECK_INT(v.in_intervals, 97);
    CHECK_INT(res.final.total[CNT_DONE], 100);
    CHECK_INT(res.final.elapsed_ns, 1025 * MS);
}

static void stop_before_the_last(struct load *l, const struct snapshot *s)
{
    sum_up(l, s);
    if (s->elapsed_ns == 900 * MS)
        held_clock_stall(held, 300 * MS);
}

/* The process stands still over the end of the last interval: its report comes before the clients
 * have made up for it. */
static void stopped_over_the_last_interval(void)
{
    struct summed v = {.l = fresh()};
    struct plan p = base_plan(1, 100);

    v.l.service = 5 * MS;
    v.l.watched = stop_before_the_last;
    p.max_events = 100;
    p.time_limit = 60 * NS_PER_SEC;
    CHECK_INT(run(&v.l, &p), 0);
    CHECK_INT(v.in_intervals, 90);
    CHECK_INT(res.final.total[CNT_DONE], 100);
    CHECK_INT(res.final.elapsed_ns, 1250 * MS);
}

/* --- the first reading of the server --- */

struct slow_source {
    struct load l;
    int readings;
    uint64_t ran;   /* by client 0 when the first reading ended */
    dur_ns covered; /* by the figures of the final report */
};

/* The server's own counters; the answer takes 50 ms. */
static void answer_slowly(void *arg, struct status_reading *out)
{
    struct slow_source *s = arg;

    busy(50 * MS);
    *out = (struct status_reading){.at = test_now(), .have = 1};
    if (s->readings++ == 0)
        s->ran = atomic_load(&s->l.ran[0]);
}

static void note_covered(struct load *l, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_FINAL)
        return;
    CHECK_INT(s->sampled_more, 0);
    ((struct slow_source *)l)->covered = s->probe->status.wall_ns;
}

/* At full speed it comes before the clock starts: its figures are those of the whole run. */
static void first_reading_at_full_speed(void)
{
    static const struct status_name name[] = {{"Questions", false}};
    struct slow_source s = {.l = fresh()};
    struct status_source source = {.arg = &s, .name = name, .n = 1, .read = answer_slowly};
    struct probe_config config = {.status = &source};
    struct run_observer obs = {.arg = &s.l, .report = watch, .probe = probe_new(&config)};
    struct plan p = base_plan(2, 0);
    struct rng_seeder seeder;

    s.l.service = 10 * MS;
    s.l.watched = note_covered;
    p.report_interval = 0;
    rng_seeder_init(&seeder, 1);
    CHECK_INT(run_execute(&p, &s.l.w, &seeder, &obs, &res, &e), 0);
    rng_seeder_fini(&seeder);
    probe_free(obs.probe);
    CHECK_INT(s.readings, 2);
    CHECK_INT(s.ran, 0);
    CHECK_INT(res.final.events, 200);
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC);
    CHECK_INT(s.covered, NS_PER_SEC + 50 * MS); /* from the end of a reading to that of another */
}

/* --- readings --- */

static mono_ns (*standing_still)(struct clock *c);

static mono_ns go_on(struct clock *c)
{
    held_clock_stall(held, US);
    return standing_still(c);
}

static void check_offered(struct load *l, const struct snapshot *s)
{
    uint64_t by_now = (uint64_t)(s->elapsed_ns / US) + 1;

    (void)l;
    if (s->kind == SNAPSHOT_INTERVAL)
        CHECK_INT(s->rate.total_offered, by_now < 50000 ? by_now : 50000);
}

/* Each look at the clock takes 1 us, and a start is planned in each: what a report offers is
 * computed for the instant that it names (cut_note), not for one before the clients were read. */
static void offered_until_the_reading(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 1e6);
    struct clock *c = held_clock(held);

    p.time_limit = 50 * MS;
    p.report_interval = 10 * MS;
    l.service = 20 * MS;
    l.watched = check_offered;
    standing_still = c->now;
    c->now = go_on;
    CHECK_INT(run(&l, &p), 0);
    c->now = standing_still;
    CHECK(l.snapshots >= 5);
}

/* The script goes on for 80 ms after its transaction of 1 ms. */
static int linger(struct workload *w, struct client *c, void *state, struct err *err)
{
    (void)w;
    (void)state;
    (void)err;
    while (client_next(c)) {
        client_begin(c);
        busy(MS);
        client_end(c);
        busy(80 * MS);
    }
    return 0;
}

static const struct workload_ops linger_ops = {
    .name = "linger", .client_open = open_client, .client_run = linger, .client_free = free_client};

static void check_oldest(struct load *l, const struct snapshot *s)
{
    (void)l;
    if (s->kind == SNAPSHOT_INTERVAL)
        CHECK_INT(s->rate.oldest_ns, 55 * MS);
}

/* By 95 ms the clients have done those of 0, 10, 20 and 30 ms.  The oldest that has not ended is
 * that of 40 ms, which waits. */
static void ended_is_not_unfinished(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 100);

    l.w.ops = &linger_ops;
    p.report_interval = 95 * MS;
    p.time_limit = 100 * MS;
    l.watched = check_oldest;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(l.snapshots, 2);
}

/* This process, in place of a server. */
static struct server *find_server(void *arg)
{
    const pid_t pid = getpid();
    struct server **s = arg;

    CHECK_INT(server_open(s, "/proc", &pid, 1, false, &e), 0);
    return *s;
}

static void ignore(void *arg, void *local, const struct snapshot *s)
{
    (void)arg;
    (void)local;
    (void)s;
}

/* Before the clients close, the processes are read for the last time, and the final report has
 * what was read then (final_reading_note): its figures are of so many transactions. */
static void processes_at_the_end(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 100);
    struct server *server = NULL;
    struct run_observer obs = {.arg = &server, .report = ignore, .ready = find_server};
    struct rng_seeder seeder;

    p.report_interval = 0;
    l.closing = 100 * MS;
    rng_seeder_init(&seeder, 1);
    CHECK_INT(run_execute(&p, &l.w, &seeder, &obs, &res, &e), 0);
    rng_seeder_fini(&seeder);
    server_close(server);
    CHECK_INT(res.final.events, 100);
    CHECK_INT(snapshot_sampled(&res.final), 100);
    CHECK(res.final.server.on);
    CHECK(res.final.server.d.have & SAMPLE_CPU);
    CHECK_INT(res.final.server.d.processes, 1);
}

/* Statements have shares of the time in transactions, and that includes those that a script
 * withdrew, but not those of the warm-up: 10 of 10 ms, and those in flight when measuring began or
 * ended. */
static void withdrawn_took_time(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 0);
    struct stmt_stats *stats = stmt_stats_new(1);
    struct run_observer obs = {.arg = &l, .report = watch, .stmt_stats = stats};
    struct rng_seeder seeder;

    p.warmup = 300 * MS;
    p.time_limit = 100 * MS;
    p.report_interval = 0;
    l.cancel_all = true;
    l.service = 10 * MS;
    rng_seeder_init(&seeder, 1);
    CHECK_INT(run_execute(&p, &l.w, &seeder, &obs, &res, &e), 0);
    rng_seeder_fini(&seeder);
    stmt_stats_free(stats);
    CHECK_NEAR(res.final.transactions_s, 0.1, 1e-9);
}

/* --- think time --- */

/* Each pauses 100 ms after its transaction of 10 ms, before the next: 10 in a second. */
static void thinking_fixed(void)
{
    struct load l = fresh();
    struct plan p = base_plan(20, 0);

    p.think = 100 * MS;
    l.service = 10 * MS;
    CHECK_INT(run(&l, &p), 0);
    for (int i = 0; i < 20; i++)
        CHECK_INT(l.ran[i], 10);
    CHECK_INT(res.final.events, 200);
    CHECK_NEAR(res.final.latency_avg_ms, 10, 1e-9); /* thinking is not part of a transaction */
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC);
}

/* Without service time a client does 1 + Poisson(10) in a second: 220 of 20 clients, standard
 * deviation 14. */
static void thinking_drawn(void)
{
    struct load l = fresh();
    struct plan p = base_plan(20, 0);
    uint64_t least = UINT64_MAX, most = 0;

    p.think = 100 * MS;
    p.think_exp = true;
    CHECK_INT(run(&l, &p), 0);
    for (int i = 0; i < 20; i++) {
        least = l.ran[i] < least ? l.ran[i] : least;
        most = l.ran[i] > most ? l.ran[i] : most;
    }
    CHECK(least >= 1 && least < most);
    CHECK_NEAR(res.final.events, 220, 3 * 14);
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC);
}

int main(void)
{
    log_set_verbosity(-1);
    held = held_clock_new();
    checkpoints_and_fairness();
    warmed_up();
    cut_at_full_speed();
    cut_at_a_rate();
    measured_in_a_moment(0);
    measured_in_a_moment(1000);
    warm_up_unseen();
    stamped();
    slow_report();
    late_report_of_the_last_event();
    after_the_last_interval();
    stopped_over_the_last_interval();
    first_reading_at_full_speed();
    offered_until_the_reading();
    ended_is_not_unfinished();
    processes_at_the_end();
    withdrawn_took_time();
    thinking_fixed();
    thinking_drawn();
    held_clock_free(held);
    return test_done("run_parts_test");
}
