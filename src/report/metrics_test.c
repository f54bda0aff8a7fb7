/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of metrics knows every figure and keeps the conventions of names; running totals; both
 * formats letter by letter.  Parsers read the metrics of a whole run in tests/t/report_metrics.t.
 */
#include <math.h>
#include <stdlib.h>

#include "base/test.h"
#include "report/metrics.h"
#include "report/writer.h"

static bool is_snake_case(const char *name)
{
    return name[0] >= 'a' && name[0] <= 'z' && !strstr(name, "__") &&
           name[strlen(name) - 1] != '_' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

/* Abbreviations, units that are no base units, types, and what the formats add themselves. */
static bool has_word_to_avoid(const char *name)
{
    static const char *const words[] = {"s",       "ms",    "us",      "ns",    "pct",
                                        "percent", "hz",    "kb",      "total", "sum",
                                        "counter", "gauge", "summary", "count", "bucket"};
    char copy[128], *save = NULL, before[128] = "";
    bool bad = false;

    snprintf(copy, sizeof copy, "%s", name);
    for (char *w = strtok_r(copy, "_", &save); w; w = strtok_r(NULL, "_", &save)) {
        bad = bad || strcmp(w, before) == 0; /* no word twice in a row */
        snprintf(before, sizeof before, "%s", w);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            bad = bad || strcmp(w, words[i]) == 0;
    }
    return bad;
}

/* The unit in a name determines the factor of a figure. */
static void check_unit(const struct field *f, const struct metric *m)
{
    size_t n = strlen(f->name);

    if (n > 4 && strcmp(f->name + n - 4, "_pct") == 0)
        CHECK_NEAR(m->factor, 0.01, 0);
    else
        CHECK_NEAR(m->factor, 1, 0);
    if (n > 2 && strcmp(f->name + n - 2, "_s") == 0 && strcmp(f->name, "target_per_s") != 0)
        CHECK(strstr(m->family, "seconds") || m->how == METRIC_PER_S);
    if (m->factor != 1)
        CHECK(strstr(m->family, "ratio") != NULL);
    if (strstr(f->name, "bytes"))
        CHECK(strcmp(m->family + strlen(m->family) - 5, "bytes") == 0);
}

struct seen {
    char family[200][96], sample[200][320];
    enum metric_how how[200];
    size_t n, figures;
};

static void check_sample(struct seen *v, const struct metric *m)
{
    char *family = v->family[v->n], *sample = v->sample[v->n];

    snprintf(family, sizeof v->family[0], "%s", m->family);
    snprintf(sample, sizeof v->sample[0], "%s{%s=%s}", m->family, m->label ? m->label : "",
             m->value);
    for (size_t i = 0; i < v->n; i++) {
        TEST_REPORT(strcmp(v->sample[i], sample) != 0, "%s twice", sample);
        if (strcmp(v->family[i], family) == 0)
            CHECK_INT(v->how[i], m->how);
    }
    v->how[v->n++] = m->how;
}

/* What a query can compute from the others, and what the latency series have. */
static bool is_left_out(const struct field *f)
{
    static const char *const ends[] = {"_per_transaction", "_mean_bytes"}, *const series[] = {
                                                                               "response_",
                                                                               "service_", "lag_"};
    static const char list[] =
        " transactions transactions_per_s queries_per_s reads writes other failed errors "
        "reconnects connection_errors read_bytes written_bytes threads.latency_sum_s rate.offered rate.done "
        "rate.failed rate.dropped rate.late rate.lost rate.unfinished server.interval_s "
        "server.transactions server.cpu_s server.cpu_before_pct client.interval_s client.transactions client.cpu_s "
        "host.interval_s host.threads_runnable_mean host.threads_blocked_mean "
        "server_events.transactions_per_billion_cycles server_status.lock_blockers "
        "server_status.lock_blocker ";
    const char *section = field_section_name(f->section);
    size_t n = strlen(f->name);
    char name[2 * FIELD_NAME_SIZE + 4];

    for (size_t i = 0; i < 2; i++)
        if (n > strlen(ends[i]) && strcmp(f->name + n - strlen(ends[i]), ends[i]) == 0)
            return true;
    for (size_t i = 0; i < 3; i++)
        if (f->section == FIELD_RATE && strncmp(f->name, series[i], strlen(series[i])) == 0)
            return true;
    snprintf(name, sizeof name, " %s%s%s ", section, *section ? "." : "", f->name);
    return f->section == FIELD_LATENCY || strstr(list, name);
}

static void one(void *arg, const struct field *f)
{
    struct seen *v = arg;
    struct metric m;

    v->figures++;
    metric_of(f, &m);
    TEST_REPORT((m.how == METRIC_NONE) == is_left_out(f), "a metric for %s_%s, or not?",
                field_section_name(f->section), f->name);
    if (m.how == METRIC_NONE)
        return;
    TEST_REPORT(is_snake_case(m.family) && !has_word_to_avoid(m.family), "bad name %s", m.family);
    TEST_REPORT(m.help && *m.help, "%s has no help", m.family);
    check_unit(f, &m);
    check_sample(v, &m);
}

static void every_figure(void)
{
    static const struct perf_spec spec[] = {{.name = "instructions:u"}, {.name = "cycles:u"}};
    static const struct status_name status[] = {{"Threads_running", true}, {"Queries", false}};
    static const struct probe_delta probe = {.events = 2,
                                             .event = spec,
                                             .has_host = true,
                                             .statuses = 2,
                                             .derived = PERF_IPC | PERF_ICACHE | PERF_ITLB |
                                                        PERF_BRANCH | PERF_WORK,
                                             .status_name = status};
    static struct seen v;
    struct snapshot s = {.kind = SNAPSHOT_FINAL,
                         .has_latency = true,
                         .has_rate = true,
                         .server.on = true,
                         .self.on = true,
                         .probe = &probe,
                         .percentiles = 1,
                         .percentile = {99.9}};

    fields_each(&s, one, &v);
    CHECK(v.figures > 150 && v.n > 80);
}

/* Of the tables by name: which label and which type. */
static void by_name(void)
{
    const struct figure *system_time = section_figures[FIELD_CLIENT] + 5;
    const struct {
        struct field f;
        enum metric_how how;
        const char *family, *value;
    } t[] = {
        {{.section = FIELD_EVENTS, .name = "L1-icache:u"},
         METRIC_GROWS,
         "server_events",
         "L1-icache:u"},
        {{.section = FIELD_EVENTS, .name = "a_b_counted_pct"},
         METRIC_LEVEL,
         "server_event_counted_ratio",
         "a_b"},
        {{.section = FIELD_EVENTS, .name = "ipc", .row = &derived_figures[0]},
         METRIC_LEVEL,
         "server_instructions_per_cycle",
         ""},
        {{.section = FIELD_STATUS, .name = "Threads_running", .level = true},
         METRIC_LEVEL,
         "server_status_level",
         "Threads_running"},
        {{.section = FIELD_STATUS, .name = "Queries"}, METRIC_GROWS, "server_status", "Queries"},
        {{.section = FIELD_CLIENT, .name = "cpu_system_s", .row = system_time},
         METRIC_GROWS,
         "client_cpu_seconds",
         "system"},
    };
    struct metric m;

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        metric_of(&t[i].f, &m);
        CHECK_INT(m.how, t[i].how);
        CHECK_STR(m.family, t[i].family);
        CHECK_STR(m.value, t[i].value);
    }
    metric_of(&(struct field){.section = FIELD_LOAD, .name = "no_such"}, &m);
    CHECK_INT(m.how, METRIC_NONE);
    CHECK_STR(system_time->name, "cpu_system_s");
}

static void totals(void)
{
    struct metrics_totals t = {NULL, 0};

    CHECK(metrics_grow(&t, "a", SNAPSHOT_FINAL, true, NAN) == NULL);
    CHECK_NEAR(*metrics_grow(&t, "a", SNAPSHOT_INTERVAL, true, 10), 10, 0);
    CHECK_NEAR(*metrics_grow(&t, "a", SNAPSHOT_CHECKPOINT, true, 15), 10,
               0); /* in the midst of an interval */
    CHECK_NEAR(*metrics_grow(&t, "a", SNAPSHOT_INTERVAL, true, 10), 20, 0);
    CHECK_NEAR(*metrics_grow(&t, "b", SNAPSHOT_CHECKPOINT, false, 7), 7, 0);
    CHECK_NEAR(*metrics_grow(&t, "b", SNAPSHOT_CHECKPOINT, false, 5), 12, 0);
    CHECK_NEAR(*metrics_grow(&t, "a", SNAPSHOT_FINAL, true, 8), 23, 0); /* since the checkpoint */
    CHECK_NEAR(*metrics_grow(&t, "b", SNAPSHOT_FINAL, false, 1), 13, 0);
    CHECK_NEAR(*metrics_grow(&t, "c", SNAPSHOT_INTERVAL, true, 5), 5, 0);
    CHECK_NEAR(*metrics_grow(&t, "c", SNAPSHOT_FINAL, true, 4), 5, 0); /* never falls */
    CHECK_NEAR(*metrics_grow(&t, "a", SNAPSHOT_FINAL, true, NAN), 23, 0);
    /* the run ends with a checkpoint: the summary adds nothing, and the checkpoint saw more than
     * the intervals */
    CHECK_NEAR(*metrics_grow(&t, "d", SNAPSHOT_INTERVAL, true, 5), 5, 0);
    CHECK_NEAR(*metrics_grow(&t, "d", SNAPSHOT_CHECKPOINT, true, 6), 5, 0);
    CHECK_NEAR(*metrics_grow(&t, "d", SNAPSHOT_INTERVAL, true, NAN), 5, 0);
    CHECK_NEAR(*metrics_grow(&t, "d", SNAPSHOT_FINAL, true, NAN), 6, 0);
    CHECK_NEAR(*metrics_grow(&t, "c", SNAPSHOT_FINAL, true, NAN), 5, 0); /* never falls */
    metrics_totals_free(&t);
}

/* --- the two texts --- */

static void fill(struct metrics *m)
{
    static char name[] = "env", value[] = "a\\b\"c\nd\xff";
    const struct report_label label[] = {{name, value}};
    const struct metrics_label user = {"mode", "user"}, system = {"mode", "system"};

    metrics_labels(m, "x.lua", label, 1);
    metrics_add(m, METRICS_INFO, "run", "says \"what\"", "", NULL, 0, figures_whole(1));
    metrics_add(m, METRICS_COUNTER, "cpu_seconds", "a\\b\nc", "", &user, 1, figures_number(0.1));
    metrics_add(m, METRICS_GAUGE, "empty", "nothing", "", NULL, 0, figures_number(NAN));
    metrics_add(m, METRICS_COUNTER, "cpu_seconds", "", "", &system, 1, figures_number(2));
    metrics_add(m, METRICS_GAUGE, "threads", "t", "", NULL, 0, figures_whole(UINT64_MAX));
}

#define LABELS "test=\"x.lua\",env=\"a\\\\b\\\"c\\nd?\""
static const char prometheus[] = "# HELP sysbench_run_info says \"what\"\n"
                                 "# TYPE sysbench_run_info gauge\n"
                                 "sysbench_run_info{" LABELS "} 1\n"
                                 "# HELP sysbench_cpu_seconds_total a\\\\b\\nc\n"
                                 "# TYPE sysbench_cpu_seconds_total counter\n"
                                 "sysbench_cpu_seconds_total{" LABELS ",mode=\"user\"} 0.1\n"
                                 "sysbench_cpu_seconds_total{" LABELS ",mode=\"system\"} 2\n"
                                 "# HELP sysbench_threads t\n"
                                 "# TYPE sysbench_threads gauge\n"
                                 "sysbench_threads{" LABELS "} 18446744073709551615\n";
static const char openmetrics[] = "# HELP sysbench_run says \\\"what\\\"\n"
                                  "# TYPE sysbench_run info\n"
                                  "sysbench_run_info{" LABELS "} 1\n"
                                  "# HELP sysbench_cpu_seconds a\\\\b\\nc\n"
                                  "# TYPE sysbench_cpu_seconds counter\n"
                                  "# UNIT sysbench_cpu_seconds seconds\n"
                                  "sysbench_cpu_seconds_total{" LABELS ",mode=\"user\"} 0.1\n"
                                  "sysbench_cpu_seconds_total{" LABELS ",mode=\"system\"} 2\n"
                                  "# HELP sysbench_threads t\n"
                                  "# TYPE sysbench_threads gauge\n"
                                  "sysbench_threads{" LABELS "} 18446744073709551615\n";

static void texts(void)
{
    struct metrics m = {0};
    struct str out = STR_INIT;

    for (int i = 0; i < 2; i++) { /* again after metrics_clear */
        fill(&m);
        str_reset(&out);
        metrics_render(&m, METRICS_PROMETHEUS, &out);
        CHECK_STR(str_cstr(&out), prometheus);
        str_reset(&out);
        metrics_render(&m, METRICS_OPENMETRICS, &out);
        CHECK_STR(str_cstr(&out), openmetrics);
        metrics_clear(&m);
    }
    str_free(&out);
    metrics_free(&m);
}

#define INTERVAL   SNAPSHOT_INTERVAL
#define CHECKPOINT SNAPSHOT_CHECKPOINT
#define FINAL      SNAPSHOT_FINAL

static const struct {
    const char *key;
    enum snapshot_kind kind;
    bool intervals;
    double growth, total;
} reports[] = {
    {"a", INTERVAL, true, 5, 5},
    {"b", INTERVAL, true, 1, 1},
    {"c", INTERVAL, true, 2, 2},
    {"a", INTERVAL, true, 5, 10},
    {"c", INTERVAL, true, 3, 5},
    {"a", CHECKPOINT, true, 12, 10}, /* more is known, and said in the summary */
    {"b", CHECKPOINT, true, 1, 1},
    {"a", INTERVAL, true, 1, 11},
    {"a", FINAL, true, 1, 13},
    {"b", FINAL, true, 0, 1},
    {"c", FINAL, true, 4, 5}, /* a total never falls */
    {"d", CHECKPOINT, false, 7, 7},
    {"d", CHECKPOINT, false, 2, 9},
    {"d", FINAL, false, 1, 10},
    {"e", CHECKPOINT, true, 7, 0},
};

/* Several at a time, each by its key. */
static void totals_by_key(void)
{
    struct metrics_totals t = {0};
    const double *e;

    CHECK(metrics_grow(&t, "a", FINAL, true, NAN) == NULL);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        const double *now;
        double total = *metrics_grow(&t, reports[i].key, reports[i].kind, reports[i].intervals,
                                     reports[i].growth);
        CHECK_NEAR(total, reports[i].total, 0);
        now = metrics_grow(&t, reports[i].key, INTERVAL, true, NAN);
        CHECK(now && *now == total);
    }
    CHECK_INT(t.n, 5);
    CHECK(metrics_grow(&t, "f", INTERVAL, true, NAN) == NULL);
    e = metrics_grow(&t, "e", CHECKPOINT, true, NAN);
    CHECK(e && *e == 0);
    e = metrics_grow(&t, "e", FINAL, true,
                     NAN); /* without growth of its own: what the checkpoints saw */
    CHECK(e && *e == 7);
    metrics_totals_free(&t);
}

/* Each stage under its number and text: its counts, and its verdict if there is one. */
static void stages(void)
{
    struct snapshot of = {.kind = SNAPSHOT_PHASE, .rate = {.offered = 70}};
    struct snapshot_stage stage[] = {
        {.s = &of, .text = "100:5m", .judged = true, .sustained = true},
        {.s = &of, .text = "200", .judged = true},
        {.s = &of, .text = "300"}};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL, .stages = stage, .nstages = 3};
    struct metrics m = {0};
    struct str out = STR_INIT;

    metrics_records(&m, &s);
    metrics_render(&m, METRICS_PROMETHEUS, &out);
    CHECK(strstr(out.s, "_stage_sustained{stage=\"1\",text=\"100:5m\"} 1\n") != NULL);
    CHECK(strstr(out.s, "_stage_sustained{stage=\"2\",text=\"200\"} 0\n") != NULL);
    CHECK(strstr(out.s, "_stage_sustained{stage=\"3\"") == NULL);
    CHECK(strstr(out.s, "_stage_offered{stage=\"3\",text=\"300\"} 70\n") != NULL);
    str_free(&out);
    metrics_free(&m);
}

static void keep(void *arg, const struct str *prometheus_text, const struct str *openmetrics_text)
{
    (void)openmetrics_text;
    str_reset(arg);
    str_add(arg, prometheus_text->s, prometheus_text->len);
}

/* Quantiles that the user listed are beside those that are always there, each once. */
static void quantiles(void)
{
    const struct writer w = {.ops = &write_metrics};
    const struct report_info info = {.test = "cpu", .command = "run", .version = "1"};
    const struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                               .has_latency = true,
                               .latency = {.p50 = -1,
                                           .p95 = -1,
                                           .p99 = 3 * NS_PER_SEC,
                                           .max = 4 * NS_PER_SEC,
                                           .pct = {2 * NS_PER_SEC, 3 * NS_PER_SEC}},
                               .percentiles = 2,
                               .percentile = {98, 99}};
    struct str out = STR_INIT;
    struct report_file f = {.writer = &w, .info = &info, .publish = keep, .publish_arg = &out};

    write_metrics.begin(&f);
    write_metrics.snapshot(&f, &s);
    CHECK(strstr(out.s, "\nsysbench_latency_seconds{test=\"cpu\",quantile=\"0.99\"} 3\n"
                        "sysbench_latency_seconds{test=\"cpu\",quantile=\"0.98\"} 2\n"
                        "sysbench_latency_seconds{test=\"cpu\",quantile=\"1.0\"} 4\n"
                        "sysbench_latency_seconds_sum") != NULL);
    write_metrics.end(&f, &(struct report_end){0});
    str_free(&out);
}

/* --- a run --- */

static struct snapshot_series series(int64_t k)
{
    return (struct snapshot_series){.n = (uint64_t)k,
                                    .p50 = k * 1000,
                                    .p95 = k * 2000,
                                    .p99 = k * 3000,
                                    .max = k * 4000,
                                    .mean = (double)k * 1500,
                                    .pct = {k * 2500, k * 2000}};
}

/* A report of which every figure has a value of its own, `k` times as large. */
static struct snapshot report_of(struct probe_delta *probe, enum snapshot_kind kind, uint64_t k)
{
    static const struct perf_spec event[] = {{.name = "cycles:u"}};
    static const struct status_name status[] = {{"Threads_running", true}, {"Queries", false}};
    struct snapshot s = {.kind = kind,
                         .wall = 1700000000 * NS_PER_SEC + (int64_t)k * NS_PER_MS,
                         .elapsed_ns = (int64_t)k * NS_PER_SEC,
                         .interval_ns = 2 * NS_PER_SEC,
                         .threads_running = (unsigned)(3 * k),
                         .events = 5 * k,
                         .connections_away = (unsigned)(4 * k),
                         .may_miss = true,
                         .clients_missing = (unsigned)(6 * k),
                         .has_latency = true,
                         .latency = series((int64_t)k),
                         .percentiles = 2,
                         .percentile = {97.5, 95},
                         .ncpu = 2,
                         .has_rate = true,
                         .rate = {.target = 50.5 * (double)k,
                                  .shared = true,
                                  .total_offered = 101 * k,
                                  .total_done = 102 * k,
                                  .total_failed = 103 * k,
                                  .total_dropped = 104 * k,
                                  .total_late = 105 * k,
                                  .total_lost = 106 * k,
                                  .total_late_idle = 107 * k,
                                  .withdrawn = 108 * k,
                                  .waiting = 109 * k,
                                  .in_flight = 110 * k,
                                  .oldest_ns = 111 * (int64_t)k,
                                  .response = series(10 * (int64_t)k),
                                  .service = series(20 * (int64_t)k),
                                  .lag = series(30 * (int64_t)k),
                                  .achieved = NAN},
                         .server.on = true,
                         .self.on = true,
                         .probe = probe};

    for (int i = 0; i < CNT_MAX; i++)
        s.total[i] = (uint64_t)(1000 + i) * k;
    s.server.d = (struct sample_delta){.wall_ns = NS_PER_SEC,
                                       .processes = 2,
                                       .have = SAMPLE_ALL,
                                       .cpu_ns = 500000000,
                                       .user_ns = 300000000,
                                       .sys_ns = 200000000,
                                       .minor_faults = 11 * k,
                                       .major_faults = 12 * k,
                                       .read_bytes = 13 * k,
                                       .write_bytes = 14 * k,
                                       .vol_switches = 15 * k,
                                       .invol_switches = 16 * k,
                                       .runq_wait_ns = 17 * (int64_t)k,
                                       .rss_bytes = 18 * k,
                                       .threads = 19 * k};
    s.self.d = s.server.d;
    s.self.d.have |= SAMPLE_THROTTLE;
    s.self.d.throttled_ns = 250000000;
    s.self.d.throttled_periods = 20 * k;
    *probe = (struct probe_delta){.how = "",
                                  .events = 1,
                                  .event = event,
                                  .derived = PERF_IPC,
                                  .has_host = true,
                                  .statuses = 2,
                                  .status_name = status};
    probe->perf.f[0] = (struct perf_figure){.have = true, .count = 21 * (double)k, .ratio = 0.5};
    probe->perf.d.ipc = 1.25;
    probe->status = (struct status_delta){.wall_ns = NS_PER_SEC,
                                          .have = 3,
                                          .v = {22 * (double)k, 23 * (double)k},
                                          .others = {.connected = 4,
                                                     .known = 2 * NS_PER_SEC,
                                                     .active = 3 * NS_PER_SEC,
                                                     .busy = NS_PER_SEC,
                                                     .least = 15 * (double)k},
                                          .waits = {.known = NS_PER_SEC,
                                                    .waited = (dur_ns)(8 * k) * NS_PER_SEC,
                                                    .behind = (dur_ns)(7 * k) * NS_PER_SEC}};
    probe->host = (struct host_delta){.wall_ns = 4 * NS_PER_SEC,
                                      .have = HOST_ALL,
                                      .cpus = 8,
                                      .running = 31,
                                      .blocked = 32,
                                      .swpd = 33,
                                      .free = 34,
                                      .buff = 35,
                                      .cache = 36,
                                      .si = 37,
                                      .so = 38,
                                      .bi = 39,
                                      .bo = 40,
                                      .in = 41,
                                      .cs = 42,
                                      .us = 43,
                                      .sy = 44,
                                      .id = 45,
                                      .wa = 46,
                                      .st = 47,
                                      .disk_read = 48,
                                      .disk_written = 49,
                                      .net_received = 50,
                                      .net_sent = 51,
                                      .stalled_pct = {52, 53, 54},
                                      .mhz = 55,
                                      .throttled_pct = 56,
                                      .throttled_periods = 57,
                                      .watts = {58, 59},
                                      .battery_watts = 60};
    return s;
}

/* The samples of the three reports of a run: levels are those of the last, totals have grown in the
 * intervals, and only the summary has statements. */
static void a_run(void)
{
    static const struct stmt_figures statement[] = {{.class = STMT_CLASS_QUERY,
                                                     .name = "SELECT 1",
                                                     .count = 3,
                                                     .errors = 1,
                                                     .rows = 2,
                                                     .sum_ns = 4000,
                                                     .p50 = 5000,
                                                     .p95 = 6000,
                                                     .p99 = 7000}};
    static const struct mark mark[] = {{.wall = 1234567890, .text = "a"},
                                       {.wall = 2345678901, .text = "b"},
                                       {.wall = 3456789012, .text = "c"}};
    /* clang-format off */
    static const char *const want[] = {
        "sysbench_run_active{test=\"t\"} 0",
        "sysbench_run_info{test=\"t\",command=\"run\",version=\"1\"} 1",
        "sysbench_run_start_time_seconds{test=\"t\"} 1234.567",
        "sysbench_last_report_timestamp_seconds{test=\"t\"} 1700000000.001",
        "sysbench_elapsed_seconds{test=\"t\"} 1",
        "sysbench_interval_seconds{test=\"t\"} 2",
        "sysbench_threads_running{test=\"t\"} 3",
        "sysbench_connections_away{test=\"t\"} 4",
        "sysbench_clients_missing{test=\"t\"} 6",
        "sysbench_transactions_total{test=\"t\"} 2012",
        "sysbench_queries_total{test=\"t\",type=\"read\"} 1001",
        "sysbench_queries_total{test=\"t\",type=\"write\"} 1002",
        "sysbench_queries_total{test=\"t\",type=\"other\"} 1000",
        "sysbench_failed_transactions_total{test=\"t\"} 1010",
        "sysbench_errors_total{test=\"t\"} 1004",
        "sysbench_reconnects_total{test=\"t\"} 1005",
        "sysbench_read_bytes_total{test=\"t\"} 1006",
        "sysbench_written_bytes_total{test=\"t\"} 1007",
        "sysbench_latency_min_seconds{test=\"t\"} 0",
        "sysbench_latency_max_seconds{test=\"t\"} 0",
        "sysbench_latency_mean_seconds{test=\"t\"} 0",
        "sysbench_thread_transactions_mean{test=\"t\"} 0",
        "sysbench_thread_transactions_stddev{test=\"t\"} 0",
        "sysbench_thread_execution_mean_seconds{test=\"t\"} 0",
        "sysbench_thread_execution_stddev_seconds{test=\"t\"} 0",
        "sysbench_target_transactions_per_second{test=\"t\"} 50.5",
        "sysbench_offered_transactions_total{test=\"t\"} 101",
        "sysbench_scheduled_transactions_total{test=\"t\",outcome=\"done\"} 102",
        "sysbench_scheduled_transactions_total{test=\"t\",outcome=\"failed\"} 103",
        "sysbench_scheduled_transactions_total{test=\"t\",outcome=\"dropped\"} 104",
        "sysbench_scheduled_transactions_total{test=\"t\",outcome=\"lost\"} 106",
        "sysbench_late_transactions_total{test=\"t\"} 105",
        "sysbench_unfinished_transactions{test=\"t\",state=\"waiting\"} 109",
        "sysbench_unfinished_transactions{test=\"t\",state=\"in_flight\"} 110",
        "sysbench_unfinished_transactions{test=\"t\",state=\"withdrawn\"} 108",
        "sysbench_oldest_unfinished_seconds{test=\"t\"} 1.11e-07",
        "sysbench_server_processes{test=\"t\"} 2",
        "sysbench_server_cpu_seconds_total{test=\"t\",mode=\"user\"} 0.6",
        "sysbench_server_cpu_seconds_total{test=\"t\",mode=\"system\"} 0.4",
        "sysbench_server_cpu_ratio{test=\"t\",mode=\"user\"} 0.15",
        "sysbench_server_cpu_ratio{test=\"t\",mode=\"system\"} 0.1",
        "sysbench_server_context_switches_total{test=\"t\",type=\"voluntary\"} 45",
        "sysbench_server_context_switches_total{test=\"t\",type=\"involuntary\"} 48",
        "sysbench_server_page_faults_total{test=\"t\",type=\"minor\"} 33",
        "sysbench_server_page_faults_total{test=\"t\",type=\"major\"} 36",
        "sysbench_server_resident_memory_bytes{test=\"t\"} 18",
        "sysbench_server_threads{test=\"t\"} 19",
        "sysbench_server_storage_read_bytes_total{test=\"t\"} 39",
        "sysbench_server_storage_written_bytes_total{test=\"t\"} 42",
        "sysbench_server_run_queue_wait_seconds_total{test=\"t\"} 5.1e-08",
        "sysbench_client_processes{test=\"t\"} 2",
        "sysbench_client_cpu_seconds_total{test=\"t\",mode=\"user\"} 0.6",
        "sysbench_client_cpu_seconds_total{test=\"t\",mode=\"system\"} 0.4",
        "sysbench_client_cpu_ratio{test=\"t\",mode=\"user\"} 0.15",
        "sysbench_client_cpu_ratio{test=\"t\",mode=\"system\"} 0.1",
        "sysbench_client_context_switches_total{test=\"t\",type=\"voluntary\"} 45",
        "sysbench_client_context_switches_total{test=\"t\",type=\"involuntary\"} 48",
        "sysbench_client_page_faults_total{test=\"t\",type=\"minor\"} 33",
        "sysbench_client_page_faults_total{test=\"t\",type=\"major\"} 36",
        "sysbench_client_resident_memory_bytes{test=\"t\"} 18",
        "sysbench_client_threads{test=\"t\"} 19",
        "sysbench_client_storage_read_bytes_total{test=\"t\"} 39",
        "sysbench_client_storage_written_bytes_total{test=\"t\"} 42",
        "sysbench_client_run_queue_wait_seconds_total{test=\"t\"} 5.1e-08",
        "sysbench_client_throttled_ratio{test=\"t\"} 0.25",
        "sysbench_client_throttled_periods_total{test=\"t\"} 60",
        "sysbench_host_cpus{test=\"t\"} 8",
        "sysbench_host_threads{test=\"t\",state=\"runnable\"} 31",
        "sysbench_host_threads{test=\"t\",state=\"blocked\"} 32",
        "sysbench_host_swap_used_bytes{test=\"t\"} 33792",
        "sysbench_host_memory_bytes{test=\"t\",state=\"free\"} 34816",
        "sysbench_host_memory_bytes{test=\"t\",state=\"buffers\"} 35840",
        "sysbench_host_memory_bytes{test=\"t\",state=\"cache\"} 36864",
        "sysbench_host_swap_bytes_total{test=\"t\",direction=\"in\"} 303104",
        "sysbench_host_swap_bytes_total{test=\"t\",direction=\"out\"} 311296",
        "sysbench_host_paged_bytes_total{test=\"t\",direction=\"in\"} 319488",
        "sysbench_host_paged_bytes_total{test=\"t\",direction=\"out\"} 327680",
        "sysbench_host_interrupts_total{test=\"t\"} 328",
        "sysbench_host_context_switches_total{test=\"t\"} 336",
        "sysbench_host_cpu_ratio{test=\"t\",mode=\"user\"} 0.43",
        "sysbench_host_cpu_ratio{test=\"t\",mode=\"system\"} 0.44",
        "sysbench_host_cpu_ratio{test=\"t\",mode=\"idle\"} 0.45",
        "sysbench_host_cpu_ratio{test=\"t\",mode=\"iowait\"} 0.46",
        "sysbench_host_cpu_ratio{test=\"t\",mode=\"steal\"} 0.47000000000000003",
        "sysbench_host_disk_read_bytes_total{test=\"t\"} 384",
        "sysbench_host_disk_written_bytes_total{test=\"t\"} 392",
        "sysbench_host_network_received_bytes_total{test=\"t\"} 400",
        "sysbench_host_network_sent_bytes_total{test=\"t\"} 408",
        "sysbench_host_pressure_ratio{test=\"t\",resource=\"cpu\"} 0.52",
        "sysbench_host_pressure_ratio{test=\"t\",resource=\"io\"} 0.53",
        "sysbench_host_pressure_ratio{test=\"t\",resource=\"memory\"} 0.54",
        "sysbench_host_cpu_frequency_hertz{test=\"t\"} 55000000",
        "sysbench_host_energy_joules_total{test=\"t\",resource=\"cpu\"} 464",
        "sysbench_host_energy_joules_total{test=\"t\",resource=\"memory\"} 472",
        "sysbench_host_energy_joules_total{test=\"t\",resource=\"battery\"} 480",
        "sysbench_host_server_throttled_ratio{test=\"t\"} 0.56",
        "sysbench_host_server_throttled_periods_total{test=\"t\"} 114",
        "sysbench_server_events_total{test=\"t\",event=\"cycles:u\"} 63",
        "sysbench_server_event_counted_ratio{test=\"t\",event=\"cycles:u\"} 0.5",
        "sysbench_server_instructions_per_cycle{test=\"t\"} 1.25",
        "sysbench_server_other_sessions{test=\"t\",state=\"connected\"} 4",
        "sysbench_server_other_sessions{test=\"t\",state=\"active\"} 1.5",
        "sysbench_server_other_statements_total{test=\"t\"} 45",
        "sysbench_server_lock_waited_seconds_total{test=\"t\"} 24",
        "sysbench_server_lock_waited_for_others_seconds_total{test=\"t\"} 21",
        "sysbench_server_status_level{test=\"t\",variable=\"Threads_running\"} 22",
        "sysbench_server_status_total{test=\"t\",variable=\"Queries\"} 69",
        "sysbench_latency_seconds{test=\"t\",quantile=\"0.5\"} 1e-06",
        "sysbench_latency_seconds{test=\"t\",quantile=\"0.95\"} 2e-06",
        "sysbench_latency_seconds{test=\"t\",quantile=\"0.99\"} 3e-06",
        "sysbench_latency_seconds{test=\"t\",quantile=\"0.975\"} 2.5e-06",
        "sysbench_latency_seconds{test=\"t\",quantile=\"1.0\"} 4e-06",
        "sysbench_latency_seconds_sum{test=\"t\"} 2.0015e-05",
        "sysbench_latency_seconds_count{test=\"t\"} 1",
        "sysbench_service_time_seconds{test=\"t\",quantile=\"0.5\"} 2e-05",
        "sysbench_service_time_seconds{test=\"t\",quantile=\"0.95\"} 4e-05",
        "sysbench_service_time_seconds{test=\"t\",quantile=\"0.99\"} 6e-05",
        "sysbench_service_time_seconds{test=\"t\",quantile=\"0.975\"} 5e-05",
        "sysbench_service_time_seconds{test=\"t\",quantile=\"1.0\"} 8e-05",
        "sysbench_service_time_seconds_sum{test=\"t\"} 8.0062e-05",
        "sysbench_service_time_seconds_count{test=\"t\"} 2",
        "sysbench_lag_seconds{test=\"t\",quantile=\"0.5\"} 3e-05",
        "sysbench_lag_seconds{test=\"t\",quantile=\"0.95\"} 6e-05",
        "sysbench_lag_seconds{test=\"t\",quantile=\"0.99\"} 9e-05",
        "sysbench_lag_seconds{test=\"t\",quantile=\"0.975\"} 7.5e-05",
        "sysbench_lag_seconds{test=\"t\",quantile=\"1.0\"} 0.00012",
        "sysbench_lag_seconds_sum{test=\"t\"} 0.000180093",
        "sysbench_lag_seconds_count{test=\"t\"} 3",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"1e-05\"} 0",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"2.5e-05\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"5e-05\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"0.0001\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"0.00025\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"0.0005\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"0.001\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"0.0025\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"0.005\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"0.01\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"0.025\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"0.05\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"0.1\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"0.25\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"0.5\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"1.0\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"2.5\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"5.0\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"10.0\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"25.0\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"50.0\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"100.0\"} 1",
        "sysbench_transaction_latency_seconds_bucket{test=\"t\",le=\"+Inf\"} 1",
        "sysbench_transaction_latency_seconds_sum{test=\"t\"} 2.0015e-05",
        "sysbench_transaction_latency_seconds_count{test=\"t\"} 1",
        "sysbench_statement_duration_seconds{test=\"t\",quantile=\"0.5\",statement=\"SELECT 1\"} 5e-06",
        "sysbench_statement_duration_seconds{test=\"t\",quantile=\"0.95\",statement=\"SELECT 1\"} 6e-06",
        "sysbench_statement_duration_seconds{test=\"t\",quantile=\"0.99\",statement=\"SELECT 1\"} 7e-06",
        "sysbench_statement_duration_seconds_sum{test=\"t\",statement=\"SELECT 1\"} 4e-06",
        "sysbench_statement_duration_seconds_count{test=\"t\",statement=\"SELECT 1\"} 3",
        "sysbench_statement_errors_total{test=\"t\",statement=\"SELECT 1\"} 1",
        "sysbench_statement_rows_total{test=\"t\",statement=\"SELECT 1\"} 2",
        "sysbench_marks_total{test=\"t\"} 3",
        "sysbench_mark_timestamp_seconds{test=\"t\",mark=\"1\",text=\"a\"} 1.234",
        "sysbench_mark_timestamp_seconds{test=\"t\",mark=\"2\",text=\"b\"} 2.345",
        "sysbench_mark_timestamp_seconds{test=\"t\",mark=\"3\",text=\"c\"} 3.456",
    };
    /* clang-format on */
    const struct writer w = {.ops = &write_metrics};
    const struct report_info info = {
        .test = "t", .command = "run", .version = "1", .wall = 1234567890123, .intervals = true};
    struct str out = STR_INIT;
    struct report_file f = {.writer = &w, .info = &info, .publish = keep, .publish_arg = &out};
    struct hist_counts h[3];
    struct probe_delta probe;
    char *save = NULL;
    size_t n = 0;

    for (int i = 0; i < 3; i++) {
        hist_counts_init(&h[i], HIST_BUCKETS);
        hist_counts_put(&h[i], hist_index(20000 * (i + 1)), (uint64_t)(i + 1));
    }
    write_metrics.begin(&f);
    CHECK(strstr(out.s, "\nsysbench_run_active{test=\"t\"} 1\n") != NULL);
    for (uint64_t i = 0; i < 3; i++) {
        struct snapshot s =
            report_of(&probe, i == 2 ? SNAPSHOT_FINAL : SNAPSHOT_INTERVAL, i == 2 ? 1 : i + 1);
        s.hists = (struct snapshot_hists){&h[0], &h[1], &h[2]};
        s.marks = i == 0 ? mark : mark + 2, s.nmarks = i == 0 ? 2 : i == 1;
        s.statements = statement, s.nstatements = 1;
        write_metrics.snapshot(&f, &s);
    }
    write_metrics.end(&f, &(struct report_end){0});
    for (char *line = strtok_r(out.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (*line == '#')
            continue;
        CHECK_STR(line, n < sizeof want / sizeof *want ? want[n] : "");
        n++;
    }
    CHECK_INT(n, sizeof want / sizeof *want);
    str_free(&out);
    for (int i = 0; i < 3; i++)
        hist_counts_fini(&h[i]);
}

TEST_MAIN(metrics_test)
{
    quantiles();
    a_run();
    stages();
    every_figure();
    by_name();
    totals();
    totals_by_key();
    texts();
    return test_done("metrics");
}
