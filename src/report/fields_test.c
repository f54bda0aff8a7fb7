/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of figures: every value comes from the member that it is named after, missing ones have
 * reasons, names are unique and end in their unit.
 */
#include "report/fields.h"

#include "base/test.h"

#define MOST 256

struct seen {
    struct field f[MOST];
    char name[MOST][2 * FIELD_NAME_SIZE];
    size_t n;
};

static void note(void *arg, const struct field *f)
{
    struct seen *v = arg;
    const char *section = field_section_name(f->section);

    CHECK(v->n < MOST);
    v->f[v->n] = *f;
    snprintf(v->name[v->n], sizeof v->name[0], "%s%s%s", section, *section ? "." : "", f->name);
    v->n++;
}

static const struct field *find(const struct seen *v, const char *name)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->name[i], name) == 0)
            return &v->f[i];
    printf("no figure %s\n", name);
    CHECK(false);
    return &v->f[0];
}

static struct seen all(const struct snapshot *s)
{
    struct seen v = {.n = 0};

    fields_each(s, note, &v);
    return v;
}

static const struct snapshot_client clients[] = {{.events = 5}, {.events = 3}, {.events = 9}};

static const struct error_row codes[] = {{.code = 2013, .class = "connection"},
                                         {.code = 1213, .class = "deadlock"},
                                         {.code = 2003, .class = "connection"}};
static const struct snapshot_error by_code[] = {
    {.row = &codes[0], .count = 4}, {.row = &codes[1], .count = 9}, {.row = &codes[2], .count = 7}};

static struct snapshot whole(void)
{
    struct snapshot s = {
        .kind = SNAPSHOT_FINAL,
        .wall = INT64_C(1700000000250000000),
        .elapsed_ns = 4 * NS_PER_SEC,
        .interval_ns = 2 * NS_PER_SEC,
        .threads_running = 3,
        .events = 100,
        .reads = 40,
        .writes = 30,
        .other = 20,
        .errors = 7,
        .count[CNT_FAILED] = 8,
        .reconnects = 2,
        .by_code = by_code,
        .nby_code = 3,
        .connections_away = 6,
        .may_miss = true,
        .clients_missing = 5,
        .percentiles = 3,
        .percentile = {95, 99.9, 50},
        .latency_pct_ms = {4, 5, 1},
        .latency_min_ms = 0.5,
        .latency_avg_ms = 1.5,
        .latency_max_ms = 9,
        .latency_sum_ms = 150,
        .events_avg = 17 / 3.0,
        .clients = clients,
        .nclients = 3,
        .has_latency = true,
        .latency = {.n = 100,
                    .p50 = 1000,
                    .p95 = 2000,
                    .p99 = 3000,
                    .max = 4000,
                    .mean = 1234.5,
                    .pct = {2000, 3500, 1000}},
        .has_rate = true,
        .ncpu = 4,
        .rate =
            {.target = 50.5,
             .offered = 101,
             .total_offered = 202,
             .oldest_ns = 1500,
             .response = {.n = 0,
                          .p50 = -1,
                          .p95 = -1,
                          .p99 = -1,
                          .max = -1,
                          .mean = NAN,
                          .pct = {-1, -1, -1}},
             .lag = {.n = 1, .p50 = 0, .p95 = 7, .p99 = 8, .max = 9, .mean = 7, .pct = {7, 8, 0}}},
        .server = {.on = true,
                   .describe = "db",
                   .has_before = true,
                   .before_pct = 12.5,
                   .d = {.wall_ns = NS_PER_SEC,
                         .processes = 1,
                         .have = SAMPLE_CPU | SAMPLE_SWITCHES,
                         .lower = SAMPLE_SWITCHES,
                         .cpu_ns = NS_PER_SEC,
                         .user_ns = 600 * NS_PER_MS,
                         .sys_ns = 400 * NS_PER_MS,
                         .vol_switches = 150,
                         .invol_switches = 50}},
    };

    sample_set_reason(&s.server.d, "context switches, memory: not permitted");
    s.total[CNT_DONE] = 190;
    s.total[CNT_EVENT] = 10;
    s.total[CNT_BYTES_WRITTEN] = UINT64_MAX;
    s.count[CNT_BYTES_READ] = 4096;
    return s;
}

static void values(void)
{
    static const struct {
        const char *name;
        double want;
    } t[] = {
        {"wall_time_unix_s", 1700000000.25},
        {"elapsed_s", 4},
        {"interval_s", 2},
        {"threads_running", 3},
        {"transactions", 100},
        {"transactions_per_s", 50},
        {"queries_per_s", 45},
        {"reads", 40},
        {"writes", 30},
        {"other", 20},
        {"failed", 8},
        {"errors", 7},
        {"reconnects", 2},
        {"connection_errors", 11},
        {"connections_away", 6},
        {"clients_missing", 5},
        {"read_bytes", 4096},
        {"written_bytes", 0},
        {"total.transactions", 200},
        {"latency.samples", 100},
        {"latency.p50_s", 1e-6},
        {"latency.p95_s", 2e-6},
        {"latency.p99_s", 3e-6},
        {"latency.max_s", 4e-6},
        {"latency.mean_s", 1.2345e-6},
        {"latency.p99_9_s", 3.5e-6},
        {"latency.text_p95_s", 0.004},
        {"latency.text_p99_9_s", 0.005},
        {"latency.text_p50_s", 0.001},
        {"threads.latency_min_s", 0.0005},
        {"threads.latency_max_s", 0.009},
        {"threads.latency_mean_s", 0.0015},
        {"threads.latency_sum_s", 0.15},
        {"threads.transactions_mean", 17 / 3.0},
        {"threads.transactions_least", 3},
        {"threads.transactions_most", 9},
        {"rate.target_per_s", 50.5},
        {"rate.offered", 101},
        {"rate.total_offered", 202},
        {"rate.oldest_s", 1.5e-6},
        {"rate.response_samples", 0},
        {"rate.lag_p50_s", 0},
        {"rate.lag_p99_9_s", 8e-9},
        {"server.processes", 1},
        {"server.transactions", 100},
        {"server.cpu_s", 1},
        {"server.cpu_user_pct", 15},
        {"server.cpu_system_pct", 10},
        {"server.cpu_s_per_transaction", 0.01},
        {"server.cpu_before_pct", 12.5},
        {"server.voluntary_switches", 150},
        {"server.switches_per_transaction", 2},
    };
    struct snapshot s = whole();
    struct seen v = all(&s);

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const struct field *f = find(&v, t[i].name);
        CHECK(f->missing == NULL);
        CHECK_NEAR(f->value.number, t[i].want, 1e-12 * fabs(t[i].want));
    }
    CHECK(find(&v, "total.written_bytes")->value.count == UINT64_MAX);
    CHECK_INT(find(&v, "total.reads")->row->metric, METRIC_SINCE);
    CHECK_INT(find(&v, "reads")->row->metric, METRIC_NONE);
    CHECK(!fields_find(&s, "client.cpu_before_pct").help); /* the server's alone */
    s.machine = (struct snapshot_machine){.known = true, .others_pct = 40, .stolen_pct = 1};
    s.self = (struct snapshot_server){.on = true, .d = {.have = SAMPLE_CPU}};
    CHECK_NEAR(fields_find(&s, "client.machine_others_pct").value.number, 40, 1e-9);
    s.server.d.lower |= SAMPLE_CPU; /* some of it may be the server's */
    CHECK(fields_find(&s, "client.machine_others_pct").missing);
    CHECK_NEAR(fields_find(&s, "client.machine_stolen_pct").value.number, 1, 1e-9);
    s.server.has_before = false;
    CHECK_STR(fields_find(&s, "server.cpu_before_pct").missing,
              "its CPU time could not be read before the load");
}

static const char no_power[] = "it has no energy counter here, or one that may have wrapped more "
                               "than once since the last reading (--report-interval)";

/* Figures of the machine, of events and of the server's own counters, by the names that these
 * have. */
static void telemetry(void)
{
    static const struct perf_spec spec[] = {{.name = "instructions:u"}, {.name = "cycles:u"}};
    static const struct status_name status[] = {{"Threads_running", true}, {"Queries", false}};
    struct probe_delta probe = {
        .events = 2,
        .event = spec,
        .derived = PERF_IPC | PERF_WORK,
        .how = "by thread",
        .perf = {.f = {{.have = true, .count = 1000, .ratio = 0.5},
                       {.have = false, .why = "no PMU"}},
                 .d = {.ipc = NAN, .cycles = 2e6}},
        .has_host = true,
        .host = {.wall_ns = NS_PER_SEC,
                 .have = HOST_STAT | HOST_MEMORY | HOST_FREQUENCY | HOST_POWER,
                 .running_mean = 2.5,
                 .free_mean = 4,
                 .in = 250,
                 .cs = 1200,
                 .watts = {[POWER_CPU] = 40, [POWER_MEMORY] = NAN},
                 .battery_watts = 7,
                 .running = 3,
                 .free = 2,
                 .us = 12.5,
                 .mhz = 2400,
                 .cpus = 4},
        .statuses = 2,
        .status_name = status,
        .status = {.have = 1,
                   .v = {7},
                   .others = {.why = "not now",
                              .connected = 9,
                              .known = 4 * NS_PER_SEC,
                              .active = 3 * NS_PER_SEC},
                   .waits = {.known = 4 * NS_PER_SEC,
                             .waited = 8 * NS_PER_SEC,
                             .behind = 2 * NS_PER_SEC,
                             .blockers = 3,
                             .who = "pid 7"}}};
    static const struct {
        const char *name;
        double want; /* NAN: missing */
        const char *why;
    } t[] = {
        {"host.threads_runnable", 3, NULL},
        {"host.memory_free_bytes", 2048, NULL},
        {"host.cpu_user_pct", 12.5, NULL},
        {"host.cpu_frequency_hz", 2.4e9, NULL},
        {"host.cpus", 4, NULL},
        {"host.interval_s", 1, NULL},
        {"host.disk_read_bytes_per_s", NAN, NULL},
        {"host.threads_runnable_mean", 2.5, NULL},
        {"host.memory_free_mean_bytes", 4096, NULL},
        {"host.interrupts_per_transaction", 2.5, NULL},
        {"host.context_switches_per_transaction", 12, NULL},
        {"host.power_cpu_w", 40, NULL},
        {"host.power_battery_w", 7, NULL},
        {"host.energy_cpu_j_per_transaction", 0.4, NULL},
        {"host.energy_battery_j_per_transaction", 0.07, NULL},
        {"host.power_memory_w", NAN, no_power},
        {"host.energy_memory_j_per_transaction", NAN, no_power},
        {"server_events.transactions_per_billion_cycles", 50000, NULL},
        {"server_events.instructions:u", 1000, NULL},
        {"server_events.instructions:u_per_transaction", 10, NULL},
        {"server_events.instructions:u_counted_pct", 50, NULL},
        {"server_events.cycles:u", NAN, "no PMU"},
        {"server_events.cycles:u_counted_pct", NAN, "no PMU"},
        {"server_events.ipc", NAN, "no PMU"},
        {"server_status.Threads_running", 7, NULL},
        {"server_status.other_sessions", NAN, "not now"}, /* at the end; meanwhile it was known */
        {"server_status.other_sessions_active", 0.75, NULL},
        {"server_status.lock_waited_s", 8, NULL},
        {"server_status.lock_waited_for_others_s", 2, NULL},
        {"server_status.lock_blockers", 3, NULL},
        {"server_status.Queries", NAN, "the server did not tell, or counted backwards"},
    };
    struct snapshot s = whole();
    struct seen v;

    s.probe = &probe;
    v = all(&s);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const struct field *f = find(&v, t[i].name);
        if (isnan(t[i].want))
            CHECK_STR(f->missing, t[i].why ? t[i].why : host_why(HOST_DISK));
        else
            CHECK_NEAR(f->value.number, t[i].want, 1e-9 * t[i].want);
        CHECK((f->missing != NULL) == isnan(t[i].want));
    }
    probe.status.others.hides = "rights"; /* of some of the time */
    v = all(&s);
    CHECK_STR(find(&v, "server_status.other_sessions_active")->missing, "rights");
    CHECK(field_section_missing(&s, FIELD_HOST) == NULL &&
          field_section_missing(&s, FIELD_EVENTS) == NULL);
    s.events = 0;
    v = all(&s);
    CHECK_STR(find(&v, "host.interrupts_per_transaction")->missing, "no transaction was done");
    CHECK_STR(find(&v, "host.energy_cpu_j_per_transaction")->missing, "no transaction was done");
    CHECK_STR(find(&v, "host.power_memory_w")->missing, no_power);
    s.probe = NULL;
    CHECK_STR(field_section_missing(&s, FIELD_EVENTS), "not asked for (--server-events)");
    v = all(&s);
    CHECK_STR(find(&v, "host.cpu_user_pct")->missing, "not asked for (--host-stats)");
}

static void reasons(void)
{
    struct snapshot s = whole();
    struct seen v = all(&s);

    CHECK_STR(find(&v, "rate.response_p50_s")->missing, "no transaction ended in this period");
    CHECK_STR(find(&v, "rate.response_mean_s")->missing, "no transaction ended in this period");
    CHECK_STR(find(&v, "rate.response_p99_9_s")->missing, "no transaction ended in this period");
    CHECK_STR(find(&v, "server.rss_bytes")->missing, "context switches, memory: not permitted");
    CHECK_STR(find(&v, "server.storage_read_bytes")->missing, "cannot be read");
    CHECK_STR(find(&v, "server.voluntary_switches")->lower,
              "context switches, memory: not permitted");
    CHECK_STR(find(&v, "server.switches_per_transaction")->lower,
              "context switches, memory: not permitted");
    CHECK(find(&v, "server.cpu_s")->lower == NULL);
    CHECK_STR(find(&v, "client.cpu_s")->missing, "not asked for (--server, --tx-rate, --rate)");
    s.latency.max = HIST_OVER_NS;
    v = all(&s);
    CHECK_NEAR(find(&v, "latency.max_s")->value.number, 3600, 0);
    CHECK_STR(find(&v, "latency.max_s")->lower,
              "longer than an hour, and by how much was not counted");
    s.kind = SNAPSHOT_INTERVAL;
    s.has_rate = s.has_latency = s.server.on = false;
    s.server.why_off = "gone";
    s.interval_ns = 0;
    v = all(&s);
    CHECK_STR(find(&v, "threads.latency_min_s")->missing, "in checkpoints and the summary only");
    CHECK_STR(find(&v, "latency.p50_s")->missing, "no histogram was kept");
    CHECK_STR(find(&v, "rate.offered")->missing, "not asked for (--tx-rate, --rate)");
    CHECK_STR(find(&v, "server.cpu_s")->missing, "gone");
    CHECK_STR(find(&v, "transactions_per_s")->missing, "the interval has no length");
    s = whole();
    s.events = 0;
    v = all(&s);
    CHECK_STR(find(&v, "threads.latency_min_s")->missing, "no transaction ended in this period");
    CHECK_STR(find(&v, "latency.text_p95_s")->missing, "no transaction ended in this period");
    CHECK_STR(find(&v, "server.cpu_s_per_transaction")->missing, "no transaction was done");
    s = whole();
    s.sampled_more = -(int64_t)s.events; /* the processes were first read when all was over */
    v = all(&s);
    CHECK_STR(find(&v, "server.cpu_s_per_transaction")->missing,
              "all transactions had ended before the first reading");
    s = whole();
    s.events = 0;
    v = all(&s);
    CHECK(find(&v, "transactions")->missing == NULL);
    s.total[CNT_BYTES_WRITTEN] = 0;
    v = all(&s);
    CHECK_STR(find(&v, "total.read_bytes")->missing, "the test counts no bytes");
    CHECK_STR(find(&v, "written_bytes")->missing, "the test counts no bytes");
}

/* Columns must not depend on what happens in the run. */
static void always_the_same(void)
{
    struct snapshot full = whole(), bare = {.kind = SNAPSHOT_INTERVAL,
                                            .percentiles = 3,
                                            .percentile = {95, 99.9, 50}};
    struct seen a = all(&full), b = all(&bare);

    CHECK_INT(a.n, b.n);
    for (size_t i = 0; i < a.n && i < b.n; i++) {
        CHECK_STR(a.name[i], b.name[i]);
        CHECK(a.f[i].help && *a.f[i].help);
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(a.name[i], a.name[k]) != 0);
        if (a.f[i].missing == NULL && b.f[i].missing == NULL)
            CHECK_INT(a.f[i].value.kind, b.f[i].value.kind);
    }
}

TEST_MAIN(fields_test)
{
    values();
    telemetry();
    reasons();
    always_the_same();
    return test_done("fields");
}
