/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Readings in, snapshot out: every figure that two readings and a plan determine, in tables.
 */
#include "engine/figures.h"

#include "base/test.h"

#define MS NS_PER_MS
#define S  NS_PER_SEC

#define CLIENTS 3

/* Where measuring began, the last report, and now. */
static struct baseline origin, before, now;
static struct figure_table f;
static struct plan plan;
static struct snapshot s;

static void setup(struct plan p)
{
    struct baseline *const all[] = {&origin, &before, &now};

    plan = p;
    plan.clients = CLIENTS;
    figures_init(&f, &plan);
    for (size_t i = 0; i < 3; i++) {
        baseline_init(all[i], CLIENTS);
        all[i]->oldest = MONO_NEVER;
    }
    f.origin = &origin;
    f.before = &before;
    f.now = &now;
    f.ncpu = 4;
    origin.at = 100 * S;
    before.at = 110 * S;
    now.at = 112 * S;
    now.wall = 7;
}

static void teardown(void)
{
    figures_fini(&f);
    baseline_fini(&origin);
    baseline_fini(&before);
    baseline_fini(&now);
}

/* n latencies of about `ns` more. */
static void add(struct hist_counts *h, int64_t ns, uint64_t n)
{
    static struct hist one;

    memset(&one, 0, sizeof one);
    for (uint64_t i = 0; i < n; i++)
        hist_record(&one, ns);
    hist_counts_add(h, &one);
}

static void add_stock(struct hist_counts *h, int64_t ns, uint64_t n)
{
    static struct hist_stock one;

    memset(&one, 0, sizeof one);
    for (uint64_t i = 0; i < n; i++)
        hist_stock_record(&one, ns);
    hist_counts_add_stock(h, &one);
}

/* --- counts --- */

static void counts(void)
{
    setup((struct plan){.stamp_decimals = 2, .percentile = {50, 99}, .percentiles = 2});
    origin.count[CNT_DONE] = 5;
    before.count[CNT_DONE] = 105;
    now.count[CNT_DONE] = 125;
    before.count[CNT_EVENT] = 1;
    now.count[CNT_EVENT] = 4;
    now.count[CNT_READ] = 14;
    before.count[CNT_WRITE] = 1;
    now.count[CNT_WRITE] = 5;
    now.count[CNT_OTHER] = 2;
    now.count[CNT_ERROR] = 3;
    now.count[CNT_RECONNECT] = 1;
    f.threads_running = 2;
    f.warming = true;
    figures_fill(&f, SNAPSHOT_INTERVAL, &s);
    CHECK(s.kind == SNAPSHOT_INTERVAL && s.warmup && !s.has_rate && !s.has_latency);
    CHECK_INT(s.at, 112 * S);
    CHECK_INT(s.wall, 7);
    CHECK_INT(s.elapsed_ns, 12 * S);
    CHECK_INT(s.interval_ns, 2 * S);
    CHECK_INT(s.threads_running, 2);
    CHECK_INT(s.stamp_decimals, 2);
    CHECK_INT(s.count[CNT_DONE], 20);
    CHECK_INT(s.total[CNT_DONE], 120);
    CHECK_INT(s.events, 23);
    CHECK_INT(s.reads, 14);
    CHECK_INT(s.writes, 4);
    CHECK_INT(s.other, 2);
    CHECK_INT(s.errors, 3);
    CHECK_INT(s.reconnects, 1);
    CHECK_INT(s.ncpu, 4);
    CHECK(!s.server.on && !s.self.on && !s.probe);
    CHECK_INT(s.percentiles, 2);
    CHECK_NEAR(s.percentile[1], 99, 0);
    CHECK_NEAR(s.latency_pct_ms[1], 0, 0); /* no event */
    teardown();
}

/* Stock's percentiles are of the interval, not of what was before. */
static void percentiles(void)
{
    setup((struct plan){.percentile = {50, 99}, .percentiles = 2});
    add_stock(&before.stock, 500 * MS, 1000);
    add_stock(&now.stock, 500 * MS, 1000);
    add_stock(&now.stock, MS, 98);
    add_stock(&now.stock, 10 * MS, 2);
    figures_fill(&f, SNAPSHOT_INTERVAL, &s);
    CHECK_INT(f.shown.total, 100);
    CHECK_NEAR(s.latency_pct_ms[0], 1, 0.02);
    CHECK_NEAR(s.latency_pct_ms[1], 10, 0.2);
    teardown();
}

/* --- the rate --- */

/* Readings of a rate, and the resulting snapshots, of all kinds. */
static const struct {
    const char *name;
    enum snapshot_kind kind;
    uint64_t offered, dropped, started, done, failed, withdrawn;
    mono_ns oldest;
    uint64_t waiting, in_flight, unfinished;
    dur_ns oldest_ns;
} rates[] = {
    {"all is done", SNAPSHOT_INTERVAL, 100, 0, 100, 100, 0, 0, MONO_NEVER, 0, 0, 0, 0},
    {"the next one is planned, and not due", SNAPSHOT_INTERVAL, 100, 0, 100, 100, 0, 0, 113 * S, 0,
     0, 0, 0},
    {"two wait", SNAPSHOT_INTERVAL, 102, 0, 100, 100, 0, 0, 111 * S, 2, 0, 2, S},
    {"one is under way", SNAPSHOT_INTERVAL, 100, 0, 100, 99, 0, 0, 110 * S, 0, 1, 1, 2 * S},
    {"everything at once", SNAPSHOT_CHECKPOINT, 100, 10, 80, 60, 7, 5, 109 * S, 10, 8, 23, 3 * S},
    {"at the end", SNAPSHOT_FINAL, 100, 0, 90, 90, 0, 0, 102 * S, 10, 0, 10, 10 * S},
    {"what waits behind the end of the run", SNAPSHOT_FINAL, 100, 0, 99, 99, 0, 0, 113 * S, 1, 0, 1,
     0},
    {"of a phase that is over nobody knows", SNAPSHOT_PHASE, 102, 0, 100, 100, 0, 0, 111 * S, 2, 0,
     2, -1},
    {"withdrawn is neither", SNAPSHOT_FINAL, 10, 0, 10, 4, 0, 6, MONO_NEVER, 0, 0, 6, 0},
};

/* Readings come at odd instants, and 300 is 300 nevertheless. */
static void exact_target(void)
{
    struct err e = {0};

    setup((struct plan){.rate = 300, .time_limit = 60 * S});
    plan.rates = rates_parse("300:30s,300:30s", &(struct rates_play){1, 1}, &e);
    before.at = origin.at;
    for (dur_ns late = 68026; late < 68126; late++) {
        now.at = before.at + S + late;
        figures_fill(&f, SNAPSHOT_INTERVAL, &s);
        CHECK_NEAR(s.rate.target, 300, 0);
        now.changed = true; /* by hand */
        now.planned_to = S + late;
        now.planned = rates_pos(plan.rates, now.planned_to);
        figures_fill(&f, SNAPSHOT_INTERVAL, &s);
        CHECK_NEAR(s.rate.target, 300, 0);
        now.changed = false;
    }
    rates_free(plan.rates);
    teardown();
}

static void rate_table(void)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        int failures = test_failures;
        const struct snapshot_rate *q = &s.rate;

        setup((struct plan){.rate = 50, .stock_rate = i == 1});
        now.offered = rates[i].offered;
        now.dropped = rates[i].dropped;
        now.count[CNT_STARTED] = rates[i].started;
        now.count[CNT_DONE] = rates[i].done;
        now.count[CNT_FAILED] = rates[i].failed;
        now.count[CNT_WITHDRAWN] = rates[i].withdrawn;
        now.oldest = rates[i].oldest;
        before.offered = before.count[CNT_STARTED] = before.count[CNT_DONE] = 3;
        figures_fill(&f, rates[i].kind, &s);
        CHECK(s.has_rate);
        CHECK_NEAR(q->target, 50, 0);
        CHECK_INT(q->offered, rates[i].offered - 3);
        CHECK_INT(q->done, rates[i].done - 3);
        CHECK_INT(q->failed, rates[i].failed);
        CHECK_INT(q->dropped, rates[i].dropped);
        CHECK_INT(q->total_offered, rates[i].offered);
        CHECK_INT(q->total_done, rates[i].done);
        CHECK_INT(q->total_failed, rates[i].failed);
        CHECK_INT(q->total_dropped, rates[i].dropped);
        CHECK_INT(q->withdrawn, rates[i].withdrawn);
        CHECK_INT(q->waiting, rates[i].waiting);
        CHECK_INT(q->in_flight, rates[i].in_flight);
        CHECK_INT(q->unfinished, rates[i].unfinished);
        CHECK_INT(q->oldest_ns, rates[i].oldest_ns);
        CHECK_INT(q->total_offered,
                  q->total_done + q->total_failed + q->total_dropped + q->unfinished);
        CHECK_INT(s.stock_rate, i == 1);
        CHECK_INT(s.queue_length, rates[i].waiting);
        CHECK_INT(s.concurrency, rates[i].in_flight);
        CHECK_INT(baseline_in_flight(&now), rates[i].in_flight);
        if (test_failures != failures)
            printf("in the case \"%s\"\n", rates[i].name);
        teardown();
    }
}

static void late_starts(void)
{
    setup((struct plan){.rate = 50});
    origin.count[CNT_LATE] = 1;
    origin.count[CNT_LATE_IDLE] = 1;
    before.count[CNT_LATE] = 11;
    now.count[CNT_LATE] = 15;
    now.count[CNT_LATE_IDLE] = 4;
    figures_fill(&f, SNAPSHOT_INTERVAL, &s);
    CHECK_INT(s.rate.late, 4);
    CHECK_INT(s.rate.total_late, 14);
    CHECK_INT(s.rate.total_late_idle, 3);
    teardown();
}

/* An interval's series are its own; a final one's are of the whole run, as is the spread. */
static void series(enum snapshot_kind kind, uint64_t n, int64_t p50, uint64_t least, uint64_t most)
{
    setup((struct plan){.rate = 50, .percentile = {10}, .percentiles = 1});
    add(&before.response, 8 * MS, 100);
    add(&now.response, 8 * MS, 100);
    add(&now.response, MS, 50);
    add(&now.service, MS, 50);
    for (int i = 0; i < CLIENTS; i++) {
        before.events[i] = 10;
        now.events[i] = 15 + (uint64_t)i * i;
    }
    figures_fill(&f, kind, &s);
    CHECK_INT(s.rate.response.n, n);
    CHECK_NEAR(s.rate.response.p50, p50, (double)p50 / 1000);
    CHECK_NEAR(s.rate.response.pct[0], MS, (double)MS / 1000);
    CHECK_INT(s.rate.service.n, 50);
    CHECK_NEAR(s.rate.service.mean, MS, (double)MS / 1000);
    CHECK_INT(s.rate.lag.n, 0);
    CHECK(s.rate.lag.max == -1 && isnan(s.rate.lag.mean));
    CHECK_INT(s.rate.events_least, least);
    CHECK_INT(s.rate.events_most, most);
    CHECK(s.has_latency);
    CHECK_INT(s.latency.n, 50); /* of what `events` covers */
    CHECK(!s.hists.response && !s.hists.service && !s.hists.lag);
    teardown();
}

/* --- latencies with all digits --- */

static void histograms(enum snapshot_kind kind, double rate, bool given, uint64_t n)
{
    setup((struct plan){.rate = rate, .keep_histograms = true});
    add(&before.response, 8 * MS, 100);
    add(&now.response, 8 * MS, 100);
    add(&now.response, MS, 50);
    add(&now.service, MS, 30);
    add(&now.lag, MS, 20);
    figures_fill(&f, kind, &s);
    CHECK(s.has_latency);
    CHECK_INT(s.latency.n, 50);
    CHECK_INT(s.hists.response != NULL, given);
    CHECK_INT(s.hists.service != NULL, given && rate > 0);
    CHECK_INT(s.hists.lag != NULL, given && rate > 0);
    if (s.hists.response)
        CHECK_INT(s.hists.response->total, n);
    if (s.hists.service) {
        CHECK_INT(s.hists.service->total, 30);
        CHECK_INT(s.hists.lag->total, 20);
    }
    teardown();
}

/* The old generations' percentiles have all digits; those of their rate leave the lag out. */
static void fine_percentiles(void)
{
    setup((struct plan){.fine_percentiles = true, .percentiles = 1, .percentile = {95}});
    add(&before.response, 80 * MS, 100);
    add(&now.response, 80 * MS, 100);
    figures_fill(&f, SNAPSHOT_INTERVAL, &s);
    CHECK_NEAR(s.latency_pct_ms[0], 0, 0); /* no event */
    add(&now.response, 7 * MS, 50);
    add(&now.service, 3 * MS, 50);
    figures_fill(&f, SNAPSHOT_INTERVAL, &s);
    CHECK_NEAR(s.latency_pct_ms[0], 7, 0.007);
    plan.rate = 10;
    plan.old_rate = true;
    figures_fill(&f, SNAPSHOT_FINAL, &s);
    CHECK_NEAR(s.latency_pct_ms[0], 3, 0.003);
    teardown();
}

/* --- clients --- */

static void fairness(void)
{
    setup((struct plan){.rate = 0});
    for (int i = 0; i < CLIENTS; i++) {
        before.events[i] = 10;
        before.lat_sum[i] = S;
        now.events[i] = 10 + (uint64_t)i * 3; /* 0, 3, 6 */
        now.lat_sum[i] = S + i * 3 * S;
        f.clients[i].min_ns = (10 - i) * MS;
        f.clients[i].max_ns = (i + 1) * S;
    }
    figures_fill(&f, SNAPSHOT_CHECKPOINT, &s);
    figures_fairness(&f, &s);
    CHECK_INT(s.nclients, 3);
    CHECK_INT(s.clients[2].events, 6);
    CHECK_INT(s.clients[2].sum_ns, 6 * S);
    CHECK(s.clients[0].min_ns == -1 && s.clients[0].max_ns == -1); /* it did nothing */
    CHECK_NEAR(s.latency_min_ms, 8, 1e-9);
    CHECK_NEAR(s.latency_max_ms, 3000, 1e-9);
    CHECK_NEAR(s.latency_sum_ms, 9000, 1e-9);
    CHECK_NEAR(s.latency_avg_ms, 1000, 1e-9);
    CHECK_NEAR(s.events_avg, 3, 1e-12);
    CHECK_NEAR(s.events_stddev, sqrt(6), 1e-12); /* of the population */
    CHECK_NEAR(s.exec_avg_s, 3, 1e-12);
    CHECK_NEAR(s.exec_stddev_s, sqrt(6), 1e-12);
    teardown();
}

static void no_event(void)
{
    setup((struct plan){.rate = 0});
    figures_fill(&f, SNAPSHOT_FINAL, &s);
    figures_fairness(&f, &s);
    CHECK_NEAR(s.latency_min_ms, 0, 0);
    CHECK_NEAR(s.latency_avg_ms, 0, 0);
    CHECK_NEAR(s.latency_max_ms, 0, 0);
    CHECK_NEAR(s.events_stddev, 0, 0);
    CHECK_NEAR(figures_transactions_s(&f), 0, 0);
    teardown();
}

/* The base of statements' shares: all time from actual starts on, with any outcome. */
static void time_in_transactions(void)
{
    setup((struct plan){.rate = 0});
    now.undone = S / 2;
    for (int i = 0; i < CLIENTS; i++) {
        origin.lat_sum[i] = S;
        now.lat_sum[i] = 3 * S;
    }
    CHECK_NEAR(figures_transactions_s(&f), 6.5, 1e-9);
    plan.rate = 10; /* latencies begin at planned starts: the service times count */
    CHECK_NEAR(figures_transactions_s(&f), 0.5, 1e-9);
    add(&now.service, 20 * MS, 100);
    CHECK_NEAR(figures_transactions_s(&f), 2.5, 0.003);
    teardown();
}

/* --- processes --- */

static void processes(void)
{
    setup((struct plan){.rate = 0});
    f.self = true;
    f.server = "mariadbd (pid 1)";
    f.server_cpus = 8;
    before.server = (struct sample){.at = 110 * S, .have = SAMPLE_CPU, .cpu_ns = S};
    now.server = (struct sample){.at = 112 * S, .have = SAMPLE_CPU, .cpu_ns = 3 * S};
    before.self = now.self = (struct sample){.at = 110 * S, .have = SAMPLE_CPU, .cpu_ns = S};
    figures_fill(&f, SNAPSHOT_INTERVAL, &s);
    CHECK(s.server.on && s.self.on);
    CHECK_STR(s.server.describe, "mariadbd (pid 1)");
    CHECK_INT(s.server.ncpu, 8);
    CHECK_INT(s.server.d.wall_ns, 2 * S);
    CHECK_INT(s.server.d.cpu_ns, 2 * S);
    /* read once: an interval after the last reading has no figures, instead of figures over no
     * time */
    CHECK_STR(s.self.describe, "sysbench");
    CHECK_INT(s.self.d.have, 0);
    CHECK_STR(sample_why(&s.self.d, SAMPLE_CPU), "the load had ended before this interval");
    teardown();
}

/* What is divided by transactions is divided by those between its own two readings: the first came
 * when 80 of the 100 were done. */
static void late_reading(void)
{
    static const struct {
        uint64_t before, now, want;
    } t[] = {
        {0, 100, 100}, /* in time */
        {80, 100, 20}, /* the first one came late */
        {80, 130, 50}, /* both */
        {0, 102, 100}, /* a difference that is none */
        {100, 100, 0}, /* all was over */
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        setup((struct plan){.rate = 0});
        now.count[CNT_DONE] = 100;
        before.sampled = t[i].before;
        now.sampled = t[i].now;
        figures_fill(&f, SNAPSHOT_INTERVAL, &s);
        CHECK_INT(s.events, 100);
        CHECK_INT(snapshot_sampled(&s), t[i].want);
        teardown();
    }
}

TEST_MAIN(figures_test)
{
    hist_stock_setup();
    counts();
    percentiles();
    rate_table();
    exact_target();
    late_starts();
    series(SNAPSHOT_INTERVAL, 50, MS, 0, 0);
    series(SNAPSHOT_CHECKPOINT, 50, MS, 5, 9);
    series(SNAPSHOT_FINAL, 150, 8 * MS, 15, 19);
    series(SNAPSHOT_PHASE, 50, MS, 0, 0);
    histograms(SNAPSHOT_INTERVAL, 0, true, 50);
    histograms(SNAPSHOT_CHECKPOINT, 50, true, 50);
    histograms(SNAPSHOT_FINAL, 50, true, 150);
    histograms(SNAPSHOT_PHASE, 50, false, 0);
    fine_percentiles();
    fairness();
    no_event();
    time_in_transactions();
    processes();
    late_reading();
    return test_done("figures_test");
}
