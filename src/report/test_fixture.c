/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See test_fixture.h.
 */
#include "report/test_fixture.h"

#include <math.h>
#include <string.h>

#define S  NS_PER_SEC
#define MS NS_PER_MS

/* --- the report --- */

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

static const struct snapshot_series none = {
    .p50 = -1, .p95 = -1, .p99 = -1, .max = -1, .mean = NAN, .pct = {-1, -1}};

static void fill_process(struct sample_delta *d, uint64_t k)
{
    *d = (struct sample_delta){.wall_ns = S,
                               .processes = 2,
                               .have = SAMPLE_ALL,
                               .cpu_ns = 500 * MS,
                               .user_ns = 300 * MS,
                               .sys_ns = 200 * MS,
                               .minor_faults = 11 * k,
                               .major_faults = 12 * k,
                               .read_bytes = 13 * k,
                               .write_bytes = 14 * k,
                               .vol_switches = 15 * k,
                               .invol_switches = 16 * k,
                               .runq_wait_ns = 17 * MS * (int64_t)k,
                               .rss_bytes = 18 * k << 20,
                               .threads = 19 * k};
}

static void fill_probe(struct probe_delta *p, uint64_t k)
{
    static const struct perf_spec event[] = {{.name = "instructions:u"},
                                             {.name = "cycles:u"},
                                             {.name = "context-switches"},
                                             {.name = "page-faults:u"}};
    static const struct status_name status[] = {{"Threads_running", true},
                                                {"Queries", false},
                                                {"Some_gauge", true},
                                                {"Some_counter", false}};

    *p = (struct probe_delta){.how = "by thread, 5 threads",
                              .events = 4,
                              .event = event,
                              .derived =
                                  PERF_IPC | PERF_ICACHE | PERF_ITLB | PERF_BRANCH | PERF_WORK,
                              .events_cost_ns = 12345,
                              .has_syscalls = true,
                              .has_host = true,
                              .governor = "performance",
                              .statuses = 4,
                              .status_name = status};
    for (size_t i = 0; i < p->events; i++)
        p->perf.f[i] = (struct perf_figure){
            .have = true, .count = (double)((21 + i) * k), .ratio = i ? 1 : 0.5};
    p->perf.d = (struct perf_derived){.ipc = 1.25,
                                      .icache_per_instruction = 0.01234,
                                      .itlb_per_instruction = 0.000123,
                                      .branch_miss_pct = 2.5,
                                      .cycles = 61728};
    p->syscalls = (struct syscalls_delta){
        .n = 2,
        .kinds = 4,
        .f = {{511, {2000 * k, 2000 * k, 3000000, 7}}, {510, {500 * k, 0, 0, 0}}},
        .all = {2600 * k, 2100 * k, 4000000, 9}};
    p->status = (struct status_delta){.wall_ns = S,
                                      .have = 15,
                                      .others = {.connected = 4,
                                                 .known = 2 * S,
                                                 .active = 3 * S,
                                                 .busy = S,
                                                 .counted = 1000,
                                                 .least = 15 * (double)k,
                                                 .most = 15 * (double)k},
                                      .waits = {.known = S,
                                                .waited = (dur_ns)(8 * k) * S,
                                                .behind = (dur_ns)(7 * k) * S,
                                                .blockers = 2,
                                                .who = "pid 7, psql"}};
    for (size_t i = 0; i < p->statuses; i++)
        p->status.v[i] = (double)((22 + i) * k);
    p->host = (struct host_delta){.wall_ns = 4 * S, .have = HOST_ALL, .cpus = 8};
    double machine[(offsetof(struct host_delta, cpus) - offsetof(struct host_delta, running)) /
                   sizeof(double)];
    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++)
        machine[i] = 31 + (double)i * 1.25;
    memcpy((char *)&p->host + offsetof(struct host_delta, running), machine, sizeof machine);
}

static void fill_rate(struct snapshot_rate *q, uint64_t k)
{
    *q = (struct snapshot_rate){.target = 50.5 * (double)k,
                                .shared = true,
                                .offered = 81 * k,
                                .done = 82 * k,
                                .failed = 83 * k,
                                .dropped = 84 * k,
                                .late = 85 * k,
                                .lost = 86 * k,
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
                                .unfinished = 327 * k,
                                .oldest_ns = 111 * MS * (int64_t)k,
                                .response = series(10 * (int64_t)k),
                                .service = series(20 * (int64_t)k),
                                .lag = series(30 * (int64_t)k),
                                .events_least = 94,
                                .events_most = 96,
                                .achieved = 48.5};
}

static void fill_errors(struct fixture *f)
{
    static const struct error_row row[] = {
        {.code = 1213, .sqlstate = "40001", .class = "deadlock", .count = 7},
        {.code = 1290, .sqlstate = "HY000", .class = "read-only", .count = 8},
        {.class = "connection", .count = 9}};
    static const char *const text[] = {
        "Deadlock found",
        "The MariaDB server is running with the --read-only option so it cannot execute this "
        "statement",
        "\xff\"quoted\"\n\x01 and \xe2\x82\xac"};

    for (size_t i = 0; i < 3; i++) {
        f->error_row[i] = row[i];
        error_text_clean(f->error_row[i].text, text[i]);
        f->error[i] = (struct snapshot_error){
            .row = &f->error_row[i], .count = i + 1, .first_ns = 5 * S, .last_ns = 8001 * MS};
    }
    f->s.by_code = f->error;
    f->s.nby_code = 3;
}

static const struct outage outage[] = {{.first_error = 15 * S,
                                        .last_error = 17 * S,
                                        .silent_from = 15250 * MS,
                                        .success = 18 * S,
                                        .connected = 18500 * MS,
                                        .drained = 19 * S,
                                        .over = 19 * S,
                                        .errors = 64,
                                        .lost = 16,
                                        .before = {1000, 990, 0, 0, 1},
                                        .after = {1800, 1700, 2, 88, 601}},
                                       {.first_error = 29 * S,
                                        .last_error = 29 * S,
                                        .silent_from = 29 * S,
                                        .errors = 1,
                                        .lost = 2,
                                        .before = {2000, 1900, 2, 88, 601},
                                        .after = {2100, 1900, 2, 88, 601}}};

static void fill_servers(struct fixture *f, uint64_t k)
{
    struct snapshot *s = &f->s;

    f->outages = (struct snapshot_outages){
        .row = outage,
        .n = 2,
        .more = 3,
        .away = 2,
        .zero = 10 * S,
        .has_before = true,
        .before = {.n = 1000, .p50 = 400000, .p95 = 500000, .p99 = 600000, .max = 700000},
        .during = {.n = 700, .p50 = S, .p95 = 2 * S, .p99 = 3 * S, .max = 4 * S},
        .after = none};
    s->outages = &f->outages;
    f->host[0] = (struct snapshot_host){.name = "db\"1\",x:3306",
                                        .connections = 3,
                                        .clients = 2,
                                        .events = 600 * k,
                                        .failed = 1,
                                        .errors = 2,
                                        .lost = 3,
                                        .reconnects = 4,
                                        .total_events = 6000 * k,
                                        .total_failed = 10,
                                        .total_errors = 20,
                                        .total_lost = 30,
                                        .total_reconnects = 40,
                                        .latency = series(600)};
    f->host[1] = (struct snapshot_host){.name = "/a/long/path/to/mysqld.sock", .latency = none};
    s->host = f->host;
    s->hosts = 2;
    s->host_asked = "db1:3306";
    s->retries = (struct snapshot_retries){.transactions = 12,
                                           .retries = 30,
                                           .most = 7,
                                           .failed = 2,
                                           .unknown = 1,
                                           .first = series(10),
                                           .last = series(11)};
    s->retries.last.max = HIST_OVER_NS;
    s->connections = (struct snapshot_connections){.asked = true,
                                                   .limited = true,
                                                   .clients = 400,
                                                   .connected = 391,
                                                   .refused = 20,
                                                   .refused_with = 1040,
                                                   .plain = 1,
                                                   .connect = series(12),
                                                   .away = series(13)};
    s->warmed = (struct snapshot_warmup){.asked = true,
                                         .steady = true,
                                         .rate = true,
                                         .bound_pct = 2.5,
                                         .after = 12345 * MS,
                                         .has_trend = true,
                                         .change_pct = -1.25,
                                         .error_pct = 0.5};
    s->batches = (struct snapshot_batches){
        .asked = true, .batches = 3, .answers = 54, .held_mean_s = 233.25e-6, .held_max_s = 0.005};
}

static void fill_ranks(struct fixture *f)
{
    f->rank[0] = (struct snapshot_rank){.host = "load1",
                                        .why = "",
                                        .clients = 1024,
                                        .done = 72012,
                                        .failed = 3,
                                        .dropped = 4,
                                        .per_s = 600.1,
                                        .response = series(72012),
                                        .lag = series(5),
                                        .starts_late = 12,
                                        .cpu_pct = 34.56,
                                        .cpus = 2,
                                        .waited_pct = 5};
    f->rank[1] = (struct snapshot_rank){.rank = 1,
                                        .host = "load2.example.com",
                                        .why = "",
                                        .clients = 1024,
                                        .late = true,
                                        .done = 72000,
                                        .per_s = 600,
                                        .response = series(72000),
                                        .lag = series(6),
                                        .cpu_pct = NAN,
                                        .has_clock = true,
                                        .clock_offset = 123400,
                                        .clock_uncertainty = 5000,
                                        .clock_drift_ppm = -1.25,
                                        .has_throttle = true,
                                        .throttled = 300 * MS,
                                        .throttled_periods = 3,
                                        .waited_pct = 52.4,
                                        .workers_busy = 1,
                                        .workers = 2,
                                        .worker_pct = 99.4,
                                        .apart = "latency p99 3.000 ms, the other rank's 1.234 ms"};
    f->rank[2] = (struct snapshot_rank){.rank = 2,
                                        .host = "load3",
                                        .clients = 1024,
                                        .lost = true,
                                        .lost_after = 12345 * MS,
                                        .why = "the connection was closed",
                                        .given_up = 3604,
                                        .per_s = NAN,
                                        .response = none,
                                        .lag = none,
                                        .cpu_pct = 1,
                                        .waited_pct = NAN,
                                        .has_clock = true,
                                        .same_clock = true};
    f->s.rank = f->rank;
    f->s.nranks = 3;
}

static const struct snapshot_incident incident[] = {
    {.kind = INCIDENT_SERVER_RESTARTED, .at = 12345 * MS, .was = 123, .is = 456},
    {.kind = INCIDENT_SERVER_CHANGED, .at = 12500 * MS, .was = 456, .is = 78},
    {.kind = INCIDENT_CLOCK_SET, .at = 13 * S, .duration = -3600 * S},
    {.kind = INCIDENT_SUSPENDED, .at = 14 * S, .duration = 12 * S},
    {.kind = INCIDENT_STOPPED, .at = 15 * S, .duration = 2500 * MS},
    {.kind = INCIDENT_CPUS, .at = 16 * S, .was = 4, .is = 3},
    {.kind = INCIDENT_STOPPED, .at = 17 * S, .duration = S, .rank = 1, .host = "load2"},
    {.kind = INCIDENT_RANK_LOST, .at = 18 * S, .rank = 2, .host = "", .why = "it was closed"},
};

static const struct mark mark[] = {
    {.at = 21 * S, .wall = 1234567890, .text = "pool 64M"},
    {.at = 22345678901, .wall = 2345678901, .source = MARK_COMMAND, .text = "twice, \"b\""}};

static void fill_times(struct fixture *f, enum snapshot_kind kind)
{
    static const char *const text[] = {"100:5m", "200-300", "300"};

    f->s.incident = incident;
    f->s.incidents = sizeof incident / sizeof *incident;
    f->s.incidents_told = 4;
    f->s.marks = mark;
    f->s.nmarks = 2;
    if (kind != SNAPSHOT_FINAL)
        return;
    for (int i = 0; i < 3; i++) {
        f->part[i] = fixture_second(10 * i + 10);
        f->part[i].kind = SNAPSHOT_PHASE;
        f->part[i].interval_ns = 9 * S;
        f->part[i].events *= (uint64_t)i + 1;
        f->part[i].rate.achieved = 50;
        f->stage[i] = (struct snapshot_stage){.s = &f->part[i],
                                              .first = 100,
                                              .last = 100 + 50 * i,
                                              .from = 10 * i * S,
                                              .until = i == 2 ? MONO_NEVER : 10 * (i + 1) * S,
                                              .judged = i < 2,
                                              .sustained = i == 0};
        strcpy(f->stage[i].text, text[i]);
    }
    strcpy(f->stage[1].why, "all clients were busy");
    f->phase[0] = (struct snapshot_phase){.s = &f->part[0]};
    f->phase[1] = (struct snapshot_phase){.s = &f->part[2], .marks = mark, .nmarks = 2};
    f->s.phases = f->phase;
    f->s.nphases = 2;
    f->s.stages = f->stage;
    f->s.nstages = 3;
}

static void fill_statements(struct fixture *f)
{
    f->statement[0] = (struct stmt_figures){.class = STMT_CLASS_TRANSACTION,
                                            .name = "BEGIN",
                                            .text = "BEGIN",
                                            .count = 2,
                                            .sum_ns = 1000000,
                                            .min = 400000,
                                            .p50 = 500000,
                                            .p95 = 600000,
                                            .p99 = 600000,
                                            .max = 600000};
    f->statement[1] = (struct stmt_figures){.class = STMT_CLASS_QUERY,
                                            .name = "SELECT\n   1",
                                            .text = "SELECT 1",
                                            .count = 40,
                                            .errors = 1,
                                            .rows = 3,
                                            .sum_ns = 4000000,
                                            .min = 500000,
                                            .p50 = 1000000,
                                            .p95 = 1500000,
                                            .p99 = 1800000,
                                            .max = 2000000};
    f->statement[2] = (struct stmt_figures){.class = STMT_CLASS_CONNECT,
                                            .count = 1,
                                            .sum_ns = 7000000,
                                            .min = 7000000,
                                            .p50 = 7000000,
                                            .p95 = 7000000,
                                            .p99 = 7000000,
                                            .max = 7000000};
    f->statement[3] = (struct stmt_figures){.class = STMT_CLASS_OTHER, .count = 1};
    f->s.statements = f->statement;
    f->s.nstatements = 4;
    f->s.transactions_s = 0.01;
}

static void fill_find(struct find_record *r)
{
    *r = (struct find_record){
        .objective = {.bound = {{FIND_TIME, FIND_RESPONSE, 99, true, 20e6},
                                {.what = FIND_SERVER_CPU, .limit = 90}},
                      .n = 2,
                      .text = "p99<20ms,server-cpu<=90%"},
        .step = {{.rate = 100,
                  .brief = true,
                  .from = S,
                  .length = 2 * S,
                  .offered = 200,
                  .done = 200,
                  .value = {18.3e6, 12.5},
                  .lag_p99 = 0.2e6,
                  .server_busy_pct = 12.5,
                  .client_busy_pct = NAN,
                  .holds = true},
                 {.rate = 1414,
                  .from = 4 * S,
                  .length = 10 * S,
                  .offered = 14140,
                  .done = 14140,
                  .value = {18.3e6, 80},
                  .lag_p99 = 0.2e6,
                  .server_busy_pct = 80,
                  .client_busy_pct = 10,
                  .holds = true},
                 {.rate = 1450,
                  .from = 15 * S,
                  .length = 10 * S,
                  .offered = 14500,
                  .done = 14355,
                  .failed = 1,
                  .dropped = 2,
                  .errors = 3,
                  .waiting = 100,
                  .value = {31.2e6, 98.7},
                  .lag_p99 = NAN,
                  .server_busy_pct = 98.7,
                  .client_busy_pct = 10,
                  .why = "p99 31.2 ms, not < 20.0 ms",
                  .limit = FIND_LIMIT_SERVER_CPU,
                  .cause = "the server used 99% of its 2 CPUs; give it more CPUs"}},
        .nsteps = 3,
        .end = FIND_FOUND,
        .held = 1414,
        .confirmed = 2,
        .not_held = 1450,
        .failed = &r->step[2]};
}

/* k samples of 20 us, twice as many of 40 us, three times as many of 60 us. */
static struct snapshot_hists hists(uint64_t k)
{
    static struct hist_counts h[3];

    for (int i = 0; i < 3; i++) {
        hist_counts_fini(&h[i]);
        hist_counts_init(&h[i], HIST_BUCKETS);
        hist_counts_put(&h[i], hist_index(20000 * (i + 1)), (uint64_t)(i + 1) * k);
    }
    return (struct snapshot_hists){&h[0], &h[1], &h[2]};
}

struct fixture *fixture(enum snapshot_kind kind, uint64_t k)
{
    static struct fixture f;
    struct snapshot *s = &f.s;
    const bool interval = kind == SNAPSHOT_INTERVAL;

    f = (struct fixture){
        .client = {{5, 3 * MS, MS, 2 * MS, false}, {3, MS, MS, MS, false}, {9, 0, 0, 0, true}}};
    *s = (struct snapshot){.kind = kind,
                           .at = 20 * S + (int64_t)k * S,
                           .wall = 1700000000 * S + (int64_t)k * MS,
                           .elapsed_ns = 20 * S + (int64_t)k * S,
                           .interval_ns = 2 * S,
                           .threads = 4,
                           .threads_running = (unsigned)(3 * k),
                           .events = 500 * k,
                           .reads = 71 * k,
                           .writes = 72 * k,
                           .other = 73 * k,
                           .errors = 74 * k,
                           .reconnects = 75 * k,
                           .percentiles = 2,
                           .percentile = {97.5, 95},
                           .latency_pct_ms = {4.18, 3.5},
                           .latency_min_ms = 0.5,
                           .latency_avg_ms = 1.5,
                           .latency_max_ms = 9,
                           .latency_sum_ms = 150,
                           .events_avg = 17 / 3.0,
                           .events_stddev = 2.5,
                           .exec_avg_s = 0.75,
                           .exec_stddev_s = 0.25,
                           .clients = interval ? NULL : f.client,
                           .nclients = interval ? 0 : 3,
                           .has_latency = true,
                           .latency = series((int64_t)k),
                           .hists = hists(k),
                           .has_rate = true,
                           .ncpu = 2,
                           .machine = {true, 30, 40, 5},
                           .connections_away = (unsigned)(4 * k),
                           .may_miss = true,
                           .clients_missing = (unsigned)(6 * k),
                           .missing_with = 1040,
                           .probe = &f.probe,
                           .find = &f.find};
    for (int i = 0; i < CNT_MAX; i++) {
        s->count[i] = (uint64_t)(500 + i) * k;
        s->total[i] = (uint64_t)(1000 + i) * k;
    }
    s->server = (struct snapshot_server){
        .on = true, .describe = "mariadbd (pid 7)", .has_before = true, .before_pct = 12.5};
    s->self = (struct snapshot_server){.on = true, .describe = "sysbench"};
    fill_process(&s->server.d, k);
    fill_process(&s->self.d, 2 * k);
    s->self.d.have |= SAMPLE_THROTTLE;
    s->self.d.throttled_ns = 250 * MS;
    s->self.d.throttled_periods = 20 * k;
    fill_probe(&f.probe, k);
    fill_rate(&s->rate, k);
    fill_errors(&f);
    fill_servers(&f, k);
    fill_ranks(&f);
    fill_times(&f, kind);
    fill_statements(&f);
    fill_find(&f.find);
    return &f;
}

struct snapshot fixture_second(int n)
{
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = n * S,
                         .interval_ns = S,
                         .ncpu = 2,
                         .events = 1000,
                         .reads = 3000,
                         .errors = 2,
                         .has_latency = true,
                         .has_rate = true};

    s.latency = s.rate.response =
        (struct snapshot_series){100000, 710000, 1840000, 3210000, 3210000, 1e6, {0}, 0};
    s.rate.service =
        (struct snapshot_series){100000, 700000, 1800000, 3000000, 3000000, 1e6, {0}, 0};
    s.rate.lag = (struct snapshot_series){100000, 10000, 40000, 210000, 210000, 1e6, {0}, 0};
    s.rate.offered = s.rate.done = 1000;
    s.rate.late = 3;
    s.rate.unfinished = 4;
    s.server.on = s.self.on = true;
    s.server.d = (struct sample_delta){.wall_ns = S,
                                       .have = SAMPLE_ALL,
                                       .cpu_ns = 600 * MS,
                                       .user_ns = 400 * MS,
                                       .sys_ns = 200 * MS,
                                       .vol_switches = 2500,
                                       .rss_bytes = 512 << 20,
                                       .threads = 21};
    s.self.d = (struct sample_delta){.wall_ns = S,
                                     .have = SAMPLE_ALL,
                                     .cpu_ns = 100 * MS,
                                     .user_ns = 60 * MS,
                                     .sys_ns = 40 * MS};
    return s;
}

/* --- its run --- */

const struct report_action fixture_action[FIXTURE_ACTIONS] = {
    {.state = ACTION_WAITING, .at_s = 1.5, .command = "a \"b\""},
    {.state = ACTION_NOT_RUN, .at_s = 1.5, .name = "pool", .command = "tab\there\x7f"},
    {.state = ACTION_RUNNING, .at_s = 1.5, .command = "x", .begin_s = 2},
    {.state = ACTION_FAILED, .at_s = 1.5, .command = "x", .why = "no memory"},
    {.state = ACTION_ENDED,
     .at_s = 1.5,
     .command = "x",
     .begin_s = 2,
     .duration_s = 0.5,
     .exit_status = 3,
     .output = ""},
    {.state = ACTION_ENDED,
     .command = "x",
     .begin_s = 2,
     .duration_s = 1,
     .exit_status = -1,
     .signal = 9,
     .output = "x",
     .output_bytes = 1},
    {.state = ACTION_ENDED,
     .command = "x",
     .begin_s = 2,
     .duration_s = 1,
     .exit_status = -1,
     .signal = 15,
     .stopped = true,
     .left = true,
     .output = "1\n2\n3\n4\n5\n6\n7",
     .output_bytes = 70000},
};

const struct report_profile fixture_profile = {.ended = true,
                                               .cpu = true,
                                               .off_cpu = true,
                                               .hz = 99,
                                               .start = S / 2,
                                               .length = 2 * S,
                                               .name = "db (pid 7)",
                                               .watched = 2 * S,
                                               .samples = 198,
                                               .stacks = 12,
                                               .off_cpu_time = 7 * S / 2,
                                               .threads = 4,
                                               .off_cpu_stacks = 5,
                                               .estimate = "estimated from 900 of 1000 waits",
                                               .switches = 1000,
                                               .involuntary = 10,
                                               .sampled = 900,
                                               .by_cfi = 150,
                                               .by_pointers = 50,
                                               .partial = 20,
                                               .cost = S / 100,
                                               .prefix = "dir/p",
                                               .file = {"dir/p.cpu.folded", "dir/p.cpu.svg"},
                                               .files = 2};

static char word[][5] = {"sb", "a b", "c\"", "env", "prod"}, *argv[] = {word[0], word[1], word[2]};
static const struct report_label label[] = {{word[3], word[4]}};
static const struct report_option option[] = {
    {"threads", "4", "4", REPORT_NUMBER, 4},   {"rate", NULL, "0.5", REPORT_NUMBER, 0.5},
    {"verbose", "on", "on", REPORT_FLAG, 1},   {"quiet", NULL, "off", REPORT_FLAG, 0},
    {"hosts", "a,,b", "a,,b", REPORT_LIST, 0}, {"none", NULL, "", REPORT_LIST, 0},
    {"text", "x\"y", "x\"y", REPORT_TEXT, 0},  {"unset", NULL, NULL, REPORT_TEXT, 0}};
static const struct report_fact fact[] = {{"host", "h\"1", NULL, false},
                                          {"cpus", "8", NULL, true},
                                          {"speed", NULL, "not known", true},
                                          {"kernel", NULL, NULL, false}};

static void header(const void *arg, struct str *out)
{
    (void)arg;
    str_adds(out, "header\n");
}

static void text(const void *arg, const struct snapshot *s, struct str *out)
{
    (void)arg;
    str_printf(out, "report %d\n", (int)s->kind);
}

const struct report_info fixture_info = {.version = "1.2",
                                         .test = "a \"test\"",
                                         .command = "run",
                                         .argv = argv,
                                         .argc = 3,
                                         .label = label,
                                         .labels = 1,
                                         .option = option,
                                         .options = 8,
                                         .fact = fact,
                                         .facts = 4,
                                         .profile = &fixture_profile,
                                         .action = fixture_action,
                                         .actions = FIXTURE_ACTIONS,
                                         .wall = 1234567890123,
                                         .intervals = true,
                                         .header = header,
                                         .text = text};
