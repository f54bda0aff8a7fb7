/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See test_fixture.h.
 */
#include "report/test_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/fields.h"

#define S  NS_PER_SEC
#define MS NS_PER_MS

/* --- the report --- */

/* Gives every member that a row names a number that its name makes, times k: a new row changes no
 * other one's. */
static void fill_of(void *record, const struct figure *t, uint64_t k, uint64_t seed)
{
    for (; !figure_ends(t); t++) {
        const struct record_field *at = &t->value.at;
        const bool bytes = t->name && strstr(t->name, "bytes") && t->value.unit == PLAIN;
        void *p = (char *)record + at->offset;
        uint64_t own = seed;
        for (const char *c = t->name ? t->name : t->metric.family; c && *c; c++)
            own = own * 31 + (unsigned char)*c;
        const uint64_t n = (30 + own % 1009) * k << (bytes ? 20 : 0);
        const double v = (double)n;
        if (t->inside.of && !t->inside.stride && !t->inside.base)
            fill_of(p, t->inside.of, k, own);
        else if (!at->size || t->inside.of)
            continue;
        else if (at->type == RECORD_I64)
            *(int64_t *)p = llround(v * 1e6) + 3;
        else if (at->type == RECORD_U64)
            *(uint64_t *)p = n;
        else if (at->type == RECORD_DOUBLE)
            *(double *)p = t->value.unit == NS ? v * 1e6 : v + 0.25;
        else if (at->type == RECORD_INT || at->type == RECORD_UNSIGNED)
            *(unsigned *)p = (unsigned)n;
    }
}

static void fill(void *record, const struct figure *t, uint64_t k)
{
    fill_of(record, t, k, 0);
}

static const struct snapshot_series none = {
    .p50 = -1, .p95 = -1, .p99 = -1, .max = -1, .mean = NAN, .pct = {-1, -1}};

static void fill_sections(struct fixture *f, uint64_t k)
{
    struct snapshot *s = &f->s;
    struct probe_delta *p = &f->probe;

    for (int section = FIELD_LOAD; section <= FIELD_THREADS; section++)
        fill_of(s, section_figures[section], k, (uint64_t)section);
    fill(&s->rate, section_figures[FIELD_RATE], k);
    fill(&s->server, section_figures[FIELD_SERVER], k);
    fill_of(&s->self, section_figures[FIELD_CLIENT], k, FIELD_CLIENT);
    fill(&p->host, section_figures[FIELD_HOST], 1);
    fill(&p->perf.d, derived_figures, 1);
    fill(&p->status, status_figures, k);
    s->latency.pct[0] = s->rate.response.pct[0] = s->rate.lag.pct[0] = 77 * MS;
    s->server.d.wall_ns = s->self.d.wall_ns = p->host.wall_ns = p->status.wall_ns = S;
    s->rate.oldest_ns = 111 * MS;
    s->server.d.have = s->self.d.have = SAMPLE_ALL;
    s->self.d.have |= SAMPLE_THROTTLE;
    p->host.have = HOST_ALL;
    for (int i = 0; i < DISK_ROLES; i++) {
        p->host.disk[i].known = true;
        snprintf(p->host.disk[i].text, DISK_TEXT, "nvme%dn1", i);
    }
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
                              .perf.d.cycles = 61728,
                              .has_syscalls = true,
                              .has_host = true,
                              .governor = "performance",
                              .statuses = 4,
                              .has_waits = true,
                              .status_name = status};
    for (size_t i = 0; i < p->events; i++)
        p->perf.f[i] = (struct perf_figure){
            .have = true, .count = (double)((21 + i) * k), .ratio = i ? 1 : 0.5};
    p->syscalls = (struct syscalls_delta){
        .n = 2,
        .kinds = 4,
        .f = {{511, {2000 * k, 2000 * k, 3000000, 7}}, {510, {500 * k, 0, 0, 0}}},
        .all = {2600 * k, 2100 * k, 4000000, 9}};
    p->status = (struct status_delta){
        .have = 15,
        .others = {.known = 2 * S, .active = 3 * S, .busy = S, .counted = 1000},
        .waits = {.known = S,
                  .own = 20 * MS,
                  .ran = 300 * MS,
                  .ran_known = S,
                  .names = 3,
                  .name = {{"WALSync", WAIT_LOG, 2 * S},
                           {"cpu", WAIT_CPU, S},
                           {"row lock", WAIT_ROW, S / 2}},
                  .most = "WALSync 2.0, cpu 1.0, row lock 0.5",
                  .who = "pid 7, psql"}};
    for (size_t i = 0; i < p->statuses; i++)
        p->status.v[i] = (double)((22 + i) * k);
}

static void fill_server_statements(struct fixture *f)
{
    static const struct status_statements found = {
        .known = 2 * S,
        .calls = 1010,
        .time_s = 2,
        .statements = 2,
        .n = 2,
        .of = {{NULL, "SELECT c FROM t WHERE customer = ?",
                .v = {1000, 1.5, 5000, 7383000, 900, 3, 1, 30, 40, 5, 678}},
               {NULL,
                "(all prepared)",
                true,
                {.v = {10, 0.5, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}}}},
        .says = "75% of the server's statement time is in SELECT c FROM t WHERE customer = ?: it "
                "examines 7,383 rows to return 5 rows"};

    if (f->s.kind == SNAPSHOT_FINAL)
        f->probe.statements = found;
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
    fill(&f->host[0], host_figures, k);
    f->host[0].name = "db\"1\",x:3306";
    f->host[1] = (struct snapshot_host){.name = "/a/long/path/to/mysqld.sock", .latency = none};
    s->host = f->host;
    s->hosts = 2;
    s->host_asked = "db1:3306";
    for (const struct figure *t = snapshot_figures; !figure_ends(t); t++)
        if (!t->inside.stride && !t->inside.base) /* retries, connections ... */
            fill((char *)s + t->value.at.offset, t->inside.of, k);
    s->retries.last.max = HIST_OVER_NS;
    s->connections.asked = s->connections.limited = s->batches.asked = true;
    s->warmed.asked = s->warmed.steady = s->warmed.rate = s->warmed.has_trend = true;
}

static void fill_ranks(struct fixture *f)
{
    static const char *const host[] = {"load1", "load2.example.com", "load3"};
    struct snapshot_rank *r = f->rank;

    for (int i = 0; i < 3; i++) {
        fill(&r[i], rank_figures, (uint64_t)i + 1);
        r[i].rank = i;
        r[i].host = host[i];
        r[i].why = i == 2 ? "the connection was closed" : "";
        r[i].has_clock = i > 0;
    }
    r[0].waited_pct = 5;
    r[1].late = true;
    r[1].self.have = SAMPLE_THROTTLE;
    r[1].self.throttled_ns = 472 * MS;
    r[1].self.throttled_periods = 3;
    r[1].cpu_pct = NAN;
    r[1].clock_drift_ppm = -1.25;
    strcpy(r[1].apart, "latency p99 3.000 ms, the other rank's 1.234 ms");
    r[2].lost = r[2].same_clock = true;
    r[2].per_s = r[2].waited_pct = NAN;
    r[2].workers_busy = 0;
    r[2].response = r[2].lag = none;
    f->s.rank = r;
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
    {.kind = INCIDENT_STALL,
     .at = 19 * S,
     .duration = 800 * MS,
     .why = "18.2 to 19.0 s: 0.8 s standstill: 61 sessions in WALWrite"},
};

/* All marks of a run follow each other in memory, which writers rely on: as many pairs as snapshots
 * with marks, of which each has the last pair. */
#define MARK_PAIR                                                                                  \
    {.at = 21 * S, .wall = 1234567890, .text = "pool 64M"},                                        \
    {                                                                                              \
        .at = 22345678901, .wall = 2345678901, .source = MARK_COMMAND, .text = "twice, \"b\""      \
    }
static const struct mark run_marks[] = {MARK_PAIR, MARK_PAIR, MARK_PAIR, MARK_PAIR};
static const struct mark *const mark = run_marks + sizeof run_marks / sizeof *run_marks - 2;

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
        f->part[i].probe = &f->part_probe[i];
        f->part_probe[i].statements = f->probe.statements;
        f->part_probe[i].statements.time_s *= 1 + i;
        f->part[i].server.describe = f->part[i].self.describe = "p";
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
    f->part_probe[1].statements = (struct status_statements){.why = "not in time"};
    f->phase[0] = (struct snapshot_phase){.s = &f->part[0]};
    f->phase[1] = (struct snapshot_phase){.s = &f->part[2], .marks = mark, .nmarks = 2};
    f->s.phases = f->phase;
    f->s.nphases = 2;
    f->s.stages = f->stage;
    f->s.nstages = 3;
}

static void fill_statements(struct fixture *f)
{
    struct stmt_figures *v = f->statement;

    for (int i = 0; i < 4; i++)
        fill(&v[i], statement_figures, 1);
    v[0].class = STMT_CLASS_TRANSACTION;
    v[0].name = v[0].text = "BEGIN";
    v[1].class = STMT_CLASS_QUERY;
    v[1].name = "SELECT\n   1";
    v[1].text = "SELECT 1";
    v[2].class = STMT_CLASS_CONNECT;
    v[3] = (struct stmt_figures){.class = STMT_CLASS_OTHER, .count = 1};
    f->s.statements = v;
    f->s.nstatements = 4;
    f->s.transactions_s = 1;
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
    fill_probe(&f.probe, k);
    for (int i = 0; i < CNT_MAX; i++) {
        s->count[i] = (uint64_t)(500 + i) * k;
        s->total[i] = (uint64_t)(1000 + i) * k;
    }
    fill_sections(&f, k);
    s->kind = kind;
    s->elapsed_ns = s->at = 20 * S + (int64_t)k * S;
    s->wall = 1700000000 * S + (int64_t)k * MS;
    s->interval_ns = 2 * S;
    s->threads = 4;
    s->events = 500 * k;
    s->percentiles = 2;
    s->percentile[0] = 97.5, s->percentile[1] = 95;
    s->latency_pct_ms[0] = 4.18, s->latency_pct_ms[1] = 3.5;
    s->clients = interval ? NULL : f.client;
    s->nclients = interval ? 0 : 3;
    s->has_latency = s->has_rate = s->rate.shared = s->may_miss = true;
    s->hists = hists(k);
    s->ncpu = 2;
    s->machine = (struct snapshot_machine){true, 30, 40, 5};
    s->connections_away = (unsigned)(4 * k);
    s->clients_missing = (unsigned)(6 * k);
    s->missing_with = 1040;
    s->server.on = s->self.on = s->server.has_before = true;
    s->server.describe = "mariadbd (pid 7)";
    s->self.describe = "sysbench";
    s->probe = &f.probe;
    fill_server_statements(&f);
    s->find = &f.find;
    fill_errors(&f);
    fill_servers(&f, k);
    if (kind != SNAPSHOT_CHECKPOINT) /* as the engine does */
        fill_ranks(&f);
    fill_times(&f, kind);
    fill_statements(&f);
    f.s.service_ns = f.s.rate.service.mean;
    f.probe.status.budget = BUDGET_OF_THREADS;
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
    s.rate.waiting = 4;
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
