/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Readings in, snapshot out: every figure that two readings and a plan determine, in tables.
 */
#include "engine/figures.h"

#include "base/test_golden.h"

#define MS NS_PER_MS
#define S  NS_PER_SEC

#define CLIENTS 3

/* Where measuring began, the last report, and now. */
static struct baseline origin, before, now;
static struct figure_table f;
static struct plan plan;
static struct snapshot s;

/* Without those that point to something. */
static const struct record_field members[] = {
    MEMBERS(struct snapshot, kind, warmup, at, wall, elapsed_ns, interval_ns, threads_running,
            stamp_decimals, count, total, events, reads, writes, other, errors, reconnects,
            percentiles, percentile, latency_pct_ms, latency_min_ms, latency_avg_ms, latency_max_ms,
            latency_sum_ms, events_avg, events_stddev, exec_avg_s, exec_stddev_s, nclients,
            has_latency, latency.n, stock_rate, queue_length, concurrency),
    MEMBERS(struct snapshot, has_rate, rate.target, rate.offered, rate.done, rate.failed,
            rate.dropped, rate.late, rate.total_offered, rate.total_done, rate.total_failed,
            rate.total_dropped, rate.total_late, rate.total_late_idle, rate.withdrawn, rate.waiting,
            rate.in_flight, rate.oldest_ns, rate.response.n, rate.response.p50,
            rate.response.pct[0], rate.service.n, rate.service.mean, rate.lag.n, rate.lag.max,
            rate.lag.mean, rate.events_least, rate.events_most, server.on, server.ncpu,
            server.d.wall_ns, server.d.cpu_ns, self.on, self.d.have, ncpu)};

/* Those of a snapshot that are not 0. */
static void tell(enum snapshot_kind kind, const char *name)
{
    static const struct snapshot nothing;
    struct str out = STR_INIT;

    figures_fill(&f, kind, &s);
    if (kind == SNAPSHOT_CHECKPOINT || kind == SNAPSHOT_FINAL)
        figures_fairness(&f, &s);
    golden_members(&out, members, sizeof members / sizeof *members, &s, &nothing);
    const struct hist_counts *const h[] = {s.hists.response, s.hists.service, s.hists.lag};
    for (int i = 0; i < 3; i++)
        if (h[i])
            str_printf(&out, "; %s of %llu",
                       i == 2 ? "lag"
                       : i    ? "service"
                              : "response",
                       (unsigned long long)h[i]->total);
    str_adds(&out, "\n");
    golden(&out, "%s", name);
    str_free(&out);
}

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
    tell(SNAPSHOT_INTERVAL, "counts");
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
    tell(SNAPSHOT_INTERVAL, "percentiles");
    CHECK_INT(f.shown.total, 100);
    teardown();
}

/* --- the rate --- */

/* Readings of a rate, and the resulting snapshots, of all kinds. */
static const struct {
    const char *name;
    enum snapshot_kind kind;
    uint64_t offered, dropped, started, done, failed, withdrawn;
    mono_ns oldest;
} rates[] = {
    {"all is done", SNAPSHOT_INTERVAL, 100, 0, 100, 100, 0, 0, MONO_NEVER},
    {"the next one is planned, and not due", SNAPSHOT_INTERVAL, 100, 0, 100, 100, 0, 0, 113 * S},
    {"two wait", SNAPSHOT_INTERVAL, 102, 0, 100, 100, 0, 0, 111 * S},
    {"one is under way", SNAPSHOT_INTERVAL, 100, 0, 100, 99, 0, 0, 110 * S},
    {"everything at once", SNAPSHOT_CHECKPOINT, 100, 10, 80, 60, 7, 5, 109 * S},
    {"at the end", SNAPSHOT_FINAL, 100, 0, 90, 90, 0, 0, 102 * S},
    {"what waits behind the end of the run", SNAPSHOT_FINAL, 100, 0, 99, 99, 0, 0, 113 * S},
    {"of a phase that is over nobody knows", SNAPSHOT_PHASE, 102, 0, 100, 100, 0, 0, 111 * S},
    {"withdrawn is neither", SNAPSHOT_FINAL, 10, 0, 10, 4, 0, 6, MONO_NEVER},
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
    const struct snapshot_rate *q = &s.rate;

    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        setup((struct plan){.rate = 50, .stock_rate = i == 1});
        now.offered = rates[i].offered;
        now.dropped = rates[i].dropped;
        now.count[CNT_STARTED] = rates[i].started;
        now.count[CNT_DONE] = rates[i].done;
        now.count[CNT_FAILED] = rates[i].failed;
        now.count[CNT_WITHDRAWN] = rates[i].withdrawn;
        now.oldest = rates[i].oldest;
        before.offered = before.count[CNT_STARTED] = before.count[CNT_DONE] = 3;
        tell(rates[i].kind, rates[i].name);
        CHECK(rate_balances(q));
        CHECK_INT(baseline_in_flight(&now), q->in_flight);
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
    tell(SNAPSHOT_INTERVAL, "late starts");
    teardown();
}

/* An interval's series are its own; a final one's are of the whole run, as is the spread. */
static void series(enum snapshot_kind kind, const char *name)
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
    tell(kind, name);
    teardown();
}

/* --- latencies with all digits --- */

static void histograms(enum snapshot_kind kind, double rate, const char *name)
{
    setup((struct plan){.rate = rate, .keep_histograms = true});
    add(&before.response, 8 * MS, 100);
    add(&now.response, 8 * MS, 100);
    add(&now.response, MS, 50);
    add(&now.service, MS, 30);
    add(&now.lag, MS, 20);
    tell(kind, name);
    teardown();
}

/* The old generations' percentiles have all digits; those of their rate leave the lag out. */
static void fine_percentiles(void)
{
    setup((struct plan){.fine_percentiles = true, .percentiles = 1, .percentile = {95}});
    add(&before.response, 80 * MS, 100);
    add(&now.response, 80 * MS, 100);
    tell(SNAPSHOT_INTERVAL, "all digits: no event");
    add(&now.response, 7 * MS, 50);
    add(&now.service, 3 * MS, 50);
    tell(SNAPSHOT_INTERVAL, "all digits");
    plan.rate = 10;
    plan.old_rate = true;
    tell(SNAPSHOT_FINAL, "all digits, of the service times");
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
    tell(SNAPSHOT_CHECKPOINT, "fairness"); /* of the population; the first one did nothing */
    CHECK_INT(s.clients[2].events, 6);
    CHECK_INT(s.clients[2].sum_ns, 6 * S);
    CHECK(s.clients[0].min_ns == -1 && s.clients[0].max_ns == -1);
    teardown();
    setup((struct plan){.rate = 0});
    tell(SNAPSHOT_FINAL, "no event");
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
    /* self is read once: an interval after the last reading has no figures, instead of figures
     * over no time */
    tell(SNAPSHOT_INTERVAL, "processes");
    CHECK_STR(s.server.describe, "mariadbd (pid 1)");
    CHECK_STR(s.self.describe, "sysbench");
    CHECK_STR(sample_why(&s.self.d, SAMPLE_CPU), "the load had ended before this interval");
    teardown();
}

/* What is divided by transactions is divided by those between its own two readings: the first came
 * when 80 of the 100 were done. */
static void late_reading(void)
{
    static const uint64_t t[][3] = {{0, 100, 100},  /* in time */
                                    {80, 100, 20},  /* the first one came late */
                                    {80, 130, 50},  /* both */
                                    {0, 102, 100},  /* a difference that is none */
                                    {100, 100, 0}}; /* all was over */

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        setup((struct plan){.rate = 0});
        now.count[CNT_DONE] = 100;
        before.sampled = t[i][0];
        now.sampled = t[i][1];
        figures_fill(&f, SNAPSHOT_INTERVAL, &s);
        CHECK_INT(s.events, 100);
        CHECK_INT(snapshot_sampled(&s), t[i][2]);
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
    series(SNAPSHOT_INTERVAL, "series: interval");
    series(SNAPSHOT_CHECKPOINT, "series: checkpoint");
    series(SNAPSHOT_FINAL, "series: final");
    series(SNAPSHOT_PHASE, "series: phase");
    histograms(SNAPSHOT_INTERVAL, 0, "histograms: interval");
    histograms(SNAPSHOT_CHECKPOINT, 50, "histograms: checkpoint");
    histograms(SNAPSHOT_FINAL, 50, "histograms: final");
    histograms(SNAPSHOT_PHASE, 50, "histograms: phase");
    fine_percentiles();
    fairness();
    time_in_transactions();
    processes();
    late_reading();
    golden_done("figures_test");
    return test_done("figures_test");
}
