/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks about database hosts, load hosts, retries and connections: columns, figures that do not
 * exist, names that are long, and nothing where there is nothing to say.
 */
#include "report/text_blocks.h"

#include <math.h>
#include <string.h>

#include "base/test.h"
#include "report/json.h"
#include "report/metrics.h"

/* --- hosts --- */

static const struct snapshot_host hosts_hosts[] = {
    {.name = "db1:3306",
     .connections = 3,
     .clients = 2,
     .events = 600,
     .failed = 1,
     .errors = 2,
     .lost = 3,
     .reconnects = 4,
     .total_events = 6000,
     .total_failed = 10,
     .total_errors = 20,
     .total_lost = 30,
     .total_reconnects = 40,
     .latency = {.n = 600,
                 .p50 = 1000000,
                 .p95 = 2000000,
                 .p99 = 3000000,
                 .max = 4500000,
                 .mean = 1.25e6}},
    {.name = "/a/long/path/to/mysqld.sock",
     .latency = {.p50 = -1, .p95 = -1, .p99 = -1, .max = -1, .mean = NAN}},
};

static struct snapshot with_hosts(enum snapshot_kind kind)
{
    return (struct snapshot){
        .kind = kind, .host = hosts_hosts, .hosts = 2, .connections.asked = true};
}

static void as_text(void)
{
    struct snapshot s = with_hosts(SNAPSHOT_FINAL);
    struct str out = STR_INIT;

    text_hosts(&out, &s);
    CHECK_STR(str_cstr(&out),
              "Database hosts:\n"
              "    host                  clients transactions      %  failed  errors  lost reconn\n"
              "    db1:3306                    2          600 100.00       1       2     3      4\n"
              "    /a/long/path/to/mysqld.sock\n"
              "                                0            0   0.00       0       0     0      0\n"
              "    ms                           p50        p95        p99    maximum       mean\n"
              "    db1:3306                   1.000      2.000      3.000      4.500      1.250\n"
              "    /a/long/path/to/mysqld.sock\n"
              "                                 n/a        n/a        n/a        n/a        n/a\n"
              "\n");
    str_reset(&out);
    s.host_asked = "db1:3306";
    text_hosts(&out, &s);
    CHECK(strstr(str_cstr(&out), "\n    server status of:                    db1:3306\n\n"));
    str_reset(&out);
    s.host = hosts_hosts + 1; /* nothing was done at all */
    s.hosts = 1;
    text_hosts(&out, &s);
    CHECK(strstr(str_cstr(&out), " 0    n/a       0"));
    str_free(&out);
}

/* Nothing is missing without a word. */
static void too_many(void)
{
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .hosts_many = true, .connections.asked = true};
    struct str out = STR_INIT;

    text_hosts(&out, &s);
    CHECK_STR(str_cstr(&out), "Database hosts:\n    n/a (the list has more than 64, of which no "
                              "figures by host are kept)\n\n");
    str_reset(&out);
    s.connections.asked = false;
    text_hosts(&out, &s);
    CHECK_STR(str_cstr(&out), "");
    json_doc_snapshot(&out, &s);
    CHECK(strstr(str_cstr(&out), ",\"hosts\":null,"));
    CHECK(strstr(str_cstr(&out), "\"hosts\":\"the list has more than 64, of which no figures by "
                                 "host are kept\""));
    str_free(&out);
}

static void left_out(void)
{
    struct snapshot s = with_hosts(SNAPSHOT_FINAL);
    struct str out = STR_INIT;

    s.connections.asked = false; /* stock's options alone */
    text_hosts(&out, &s);
    CHECK_STR(str_cstr(&out), "");
    s.has_rate = true;
    text_hosts(&out, &s);
    CHECK(out.len > 0);
    str_reset(&out);
    s.hosts = 0;
    text_hosts(&out, &s);
    json_row(&out, snapshot_figures, "hosts", &s, &s);
    CHECK_STR(str_cstr(&out), "");
    str_free(&out);
}

static void as_json(void)
{
    struct snapshot s = with_hosts(SNAPSHOT_INTERVAL);
    struct str out = STR_INIT;

    json_row(&out, snapshot_figures, "hosts", &s, &s);
    CHECK_STR(str_cstr(&out),
              "\"hosts\":[{\"host\":\"db1:3306\",\"clients\":2,\"connections\":3,"
              "\"transactions\":600,\"failed\":1,\"errors\":2,\"lost\":3,\"reconnects\":4,"
              "\"latency\":{\"samples\":600,\"p50_s\":0.001,\"p95_s\":0.002,\"p99_s\":0.003,"
              "\"max_s\":0.0045,\"mean_s\":0.00125}},"
              "{\"host\":\"/a/long/path/to/mysqld.sock\",\"clients\":0,\"connections\":0,"
              "\"transactions\":0,\"failed\":0,\"errors\":0,\"lost\":0,\"reconnects\":0,"
              "\"latency\":{\"samples\":0,\"p50_s\":null,\"p95_s\":null,\"p99_s\":null,"
              "\"max_s\":null,\"mean_s\":null}}]");
    str_reset(&out);
    s.kind = SNAPSHOT_FINAL;
    json_row(&out, snapshot_figures, "hosts", &s, &s);
    CHECK(strstr(str_cstr(&out), "\"hosts\":[{\"host\":\"db1:3306\",\"clients\":2,"
                                 "\"connections\":null,"));
    str_free(&out);
}

static void as_metrics(void)
{
    struct snapshot s = with_hosts(SNAPSHOT_INTERVAL);
    struct metrics m = {0};
    struct str out = STR_INIT;

    s.hosts = 1;
    metrics_labels(&m, "t", NULL, 0);
    metrics_records(&m, &s);
    metrics_render(&m, METRICS_OPENMETRICS, &out);
    CHECK_STR(
        str_cstr(&out),
        "# HELP sysbench_database_transactions transactions done at a database host\n"
        "# TYPE sysbench_database_transactions counter\n"
        "sysbench_database_transactions_total{test=\"t\",host=\"db1:3306\"} 6000\n"
        "# HELP sysbench_database_failed transactions that failed there\n"
        "# TYPE sysbench_database_failed counter\n"
        "sysbench_database_failed_total{test=\"t\",host=\"db1:3306\"} 10\n"
        "# HELP sysbench_database_errors statements that failed there and were ignored\n"
        "# TYPE sysbench_database_errors counter\n"
        "sysbench_database_errors_total{test=\"t\",host=\"db1:3306\"} 20\n"
        "# HELP sysbench_database_connections_lost connections that were lost there\n"
        "# TYPE sysbench_database_connections_lost counter\n"
        "sysbench_database_connections_lost_total{test=\"t\",host=\"db1:3306\"} 30\n"
        "# HELP sysbench_database_reconnects connections that were reestablished there\n"
        "# TYPE sysbench_database_reconnects counter\n"
        "sysbench_database_reconnects_total{test=\"t\",host=\"db1:3306\"} 40\n"
        "# HELP sysbench_database_connections connections to a database host that are up\n"
        "# TYPE sysbench_database_connections gauge\n"
        "sysbench_database_connections{test=\"t\",host=\"db1:3306\"} 3\n"
        "# HELP sysbench_database_clients clients whose transactions are done there\n"
        "# TYPE sysbench_database_clients gauge\n"
        "sysbench_database_clients{test=\"t\",host=\"db1:3306\"} 2\n"
        "# HELP sysbench_database_latency_seconds latency of a transaction at a database host, in "
        "the last report\n"
        "# TYPE sysbench_database_latency_seconds gauge\n"
        "# UNIT sysbench_database_latency_seconds seconds\n"
        "sysbench_database_latency_seconds{test=\"t\",host=\"db1:3306\",percentile=\"50\"} 0.001\n"
        "sysbench_database_latency_seconds{test=\"t\",host=\"db1:3306\",percentile=\"95\"} 0.002\n"
        "sysbench_database_latency_seconds{test=\"t\",host=\"db1:3306\",percentile=\"99\"} 0.003\n"
        "sysbench_database_latency_seconds{test=\"t\",host=\"db1:3306\",percentile=\"100\"} "
        "0.0045\n");
    str_free(&out);
    metrics_free(&m);
}

static void all_hosts(void)
{
    as_text();
    too_many();
    left_out();
    as_json();
    as_metrics();
}

/* --- ranks --- */

#define MS NS_PER_MS

static const struct snapshot_rank ranks_hosts[] = {
    {.rank = 0,
     .host = "load1",
     .why = "",
     .clients = 1024,
     .done = 72012,
     .per_s = 600.1,
     .response = {.n = 72012, .p99 = 1234000},
     .starts_late = 12,
     .cpu_pct = 34.56},
    {.rank = 1,
     .host = "load2.example.com",
     .why = "",
     .clients = 1024,
     .done = 72000,
     .per_s = 600,
     .response = {.n = 72000, .p99 = 3 * MS},
     .cpu_pct = NAN,
     .has_clock = true,
     .clock_offset = 123400,
     .clock_uncertainty = 5000,
     .clock_drift_ppm = -1.25,
     .throttled = 300 * MS,
     .throttled_periods = 3,
     .waited_pct = 52.4,
     .workers_busy = 1,
     .workers = 2,
     .worker_pct = 99.4,
     .apart = "latency p99 3.000 ms, the other rank's 1.234 ms"},
    {.rank = 2,
     .host = "load3",
     .clients = 1024,
     .lost = true,
     .lost_after = 12345 * MS,
     .why = "the connection was closed",
     .given_up = 3604,
     .per_s = NAN,
     .response = {.n = 0, .p99 = -1},
     .cpu_pct = 1,
     .has_clock = true,
     .same_clock = true},
};

static void all_ranks(void)
{
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .has_rate = true};
    struct str out = STR_INIT;

    text_ranks(&out, &s);
    text_missing_ranks(&out, &s, " | without rank ");
    CHECK_STR(str_cstr(&out), "");
    s.rank = ranks_hosts;
    s.nranks = 3;
    text_ranks(&out, &s);
    CHECK_STR(str_cstr(&out),
              "Load hosts:\n"
              "    rank host             clients       done  per sec.   p99, ms    late CPU, %\n"
              "       0 load1               1024      72012    600.10     1.234      12   34.6\n"
              "       1 load2.example.com\n"
              "                             1024      72000    600.00     3.000       0    n/a\n"
              "       2 load3               1024          0       n/a       n/a       0    1.0\n"
              "    clock of rank 1:                     123 us behind the leader's, +- 5.00 us,\n"
              "                                         and 1.25 ppm faster\n"
              "    clock of rank 2:                     the leader's\n"
              "    rank 1 differs:                      latency p99 3.000 ms, the other rank's\n"
              "                                         1.234 ms\n"
              "    rank 1 was throttled:                a CPU quota stopped it for 0.300 s, 3\n"
              "                                         periods\n"
              "    rank 1 waited for a CPU:             52 % of the time that it needed one;\n"
              "                                         latencies include it\n"
              "    rank 1, workers:                     1 of 2 nearly saturated (99 % of a CPU\n"
              "                                         at most)\n"
              "    rank 2 is lost:                      after 12.345 s (the connection was\n"
              "                                         closed); 3604 transactions of its share\n"
              "                                         were not done\n"
              "                                         its statements by kind, retries,\n"
              "                                         connection times and outages are\n"
              "                                         unknown\n"
              "    rank 2, per thread:                  n/a (it is lost): \"Threads fairness\" is\n"
              "                                         without its 1024 clients\n"
              "\n");
    str_reset(&out);
    text_missing_ranks(&out, &s, " | without rank ");
    CHECK_STR(str_cstr(&out), " | without rank 2 (lost)");
    str_free(&out);
}

/* --- retries --- */

static struct snapshot_series none(void)
{
    return (struct snapshot_series){.p50 = -1, .p95 = -1, .p99 = -1, .max = -1, .mean = NAN};
}

static struct snapshot some(void)
{
    return (struct snapshot){.kind = SNAPSHOT_FINAL,
                             .has_rate = true,
                             .retries = {.transactions = 12,
                                         .retries = 30,
                                         .most = 7,
                                         .failed = 2,
                                         .unknown = 1,
                                         .first = {.n = 10,
                                                   .p50 = 1000000,
                                                   .p95 = 2000000,
                                                   .p99 = 2500000,
                                                   .max = 3000000,
                                                   .mean = 1100000},
                                         .last = {.n = 10,
                                                  .p50 = 4000000,
                                                  .p95 = 5000000,
                                                  .p99 = 6000000,
                                                  .max = HIST_OVER_NS,
                                                  .mean = 4500000}}};
}

static void check_text(const struct snapshot *s, const char *want)
{
    struct str out = STR_INIT;

    text_retries(&out, s);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

static void text(void)
{
    struct snapshot s = some();

    check_text(&s,
               "Retries:\n"
               "    transactions run again:              12 (30 retries, at most 7 of one)\n"
               "    failed nevertheless:                 2\n"
               "    commits of unknown outcome:          1 (the connection was lost before the\n"
               "                                         answer; run again, they may have been\n"
               "                                         done twice)\n"
               "    ms                    p50        p95        p99    maximum       mean\n"
               "    first attempt       1.000     2.000*     2.500*      3.000      1.100\n"
               "    until done          4.000     5.000*     6.000* >3600000.000      4.500\n"
               "    * of fewer samples than this percentile needs: the slowest of them\n"
               "\n");
    s.retries.failed = s.retries.unknown = 0;
    s.retries.first = s.retries.last = none();
    check_text(&s, "Retries:\n"
                   "    transactions run again:              12 (30 retries, at most 7 of one)\n"
                   "\n");
    s.has_rate = false; /* stock's report: an error that was retried is no news */
    check_text(&s, "");
    s.retries.unknown = 1;
    s.retries.transactions = 0;
    check_text(&s,
               "Retries:\n"
               "    commits of unknown outcome:          1 (the connection was lost before the\n"
               "                                         answer; run again, they may have been\n"
               "                                         done twice)\n"
               "\n");
    s = (struct snapshot){.has_rate = true};
    check_text(&s, "");
}

static void check_connections(const struct snapshot *s, const char *want)
{
    struct str out = STR_INIT;

    text_connections(&out, s);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

static struct snapshot replaced(void)
{
    struct snapshot s = some();

    s.connections = (struct snapshot_connections){.asked = true,
                                                  .clients = 400,
                                                  .connected = 391,
                                                  .connect = s.retries.first,
                                                  .away = s.retries.last};
    return s;
}

#define REPLACED                                                                                   \
    "    replaced after an error:             10\n"                                                \
    "    ms                    p50        p95        p99    maximum       mean\n"                  \
    "    connect             1.000     2.000*     2.500*      3.000      1.100\n"                  \
    "    until replaced      4.000     5.000*     6.000* >3600000.000      4.500\n"                \
    "    * of fewer samples than this percentile needs: the slowest of them\n\n"

static void connections(void)
{
    struct snapshot s = replaced();

    check_connections(&s, "Connections:\n" REPLACED);
    s.has_rate = false;
    check_connections(&s, "Connections:\n" REPLACED);
    s.connections.asked = false; /* stock's report counts reconnects and says no more */
    check_connections(&s, "");
    s.connections = (struct snapshot_connections){
        .asked = true, .limited = true, .clients = 400, .connected = 400};
    check_connections(&s, "Connections:\n"
                          "    clients:                             400 of 400 connected\n\n");
    s.connections.connected = 391;
    s.connections.refused = 20;
    s.connections.refused_with = 1040;
    s.connections.plain = 1;
    check_connections(
        &s, "Connections:\n"
            "    clients:                             391 of 400 connected, 20 refused at\n"
            "                                         first (error 1040)\n"
            "    plain queries:                       1 connection without prepared\n"
            "                                         statements\n\n");
    s = (struct snapshot){.has_rate = true};
    check_connections(&s, "");
}

static void json_connections(void)
{
    struct snapshot_connections v = replaced().connections;
    struct str out = STR_INIT;
    const struct snapshot any = {0};

    v.away = none();
    v.plain = 3;
    json_object(&out, connections_figures, &any, &v);
    CHECK_STR(str_cstr(&out),
              "{\"clients\":null,\"plain_queries\":3,"
              "\"reconnect\":{\"samples\":10,\"p50_s\":0.001,\"p95_s\":0.002,\"p99_s\":0.0025,"
              "\"max_s\":0.003,\"mean_s\":0.0011},"
              "\"away\":{\"samples\":0,\"p50_s\":null,\"p95_s\":null,\"p99_s\":null,"
              "\"max_s\":null,\"mean_s\":null}}");
    str_reset(&out);
    v = (struct snapshot_connections){.limited = true,
                                      .clients = 40,
                                      .connected = 30,
                                      .refused = 10,
                                      .connect = none(),
                                      .away = none()};
    json_object(&out, connections_figures, &any, &v);
    CHECK(strncmp(str_cstr(&out),
                  "{\"clients\":{\"threads\":40,\"connected\":30,\"refused\":10,"
                  "\"refused_with\":null},\"plain_queries\":0,",
                  90) == 0);
    str_free(&out);
}

static void check_batches(const struct snapshot_batches *b, const char *want, const char *why)
{
    const struct snapshot s = {.kind = SNAPSHOT_FINAL, .batches = *b};
    struct str out = STR_INIT;

    json_row(&out, snapshot_figures, "worker_batch", &s, &s);
    CHECK_STR(str_cstr(&out), want);
    str_reset(&out);
    json_doc_snapshot(&out, &s);
    CHECK(strstr(str_cstr(&out), *why ? why : "\"missing\":{"));
    CHECK(*why || !strstr(str_cstr(&out), "worker_batch.held"));
    str_free(&out);
}

static void json_batches(void)
{
    check_batches(&(struct snapshot_batches){.batches = 3}, "", "");
    check_batches(&(struct snapshot_batches){.asked = true,
                                             .batches = 3,
                                             .answers = 54,
                                             .held_mean_s = 233.25e-6,
                                             .held_max_s = 0.005},
                  "\"worker_batch\":{\"batches\":3,\"answers\":54,\"held_mean_s\":0.00023325,"
                  "\"held_max_s\":0.005}",
                  "");
    check_batches(
        &(struct snapshot_batches){.asked = true, .held_mean_s = NAN, .held_max_s = NAN},
        "\"worker_batch\":{\"batches\":0,\"answers\":0,\"held_mean_s\":null,\"held_max_s\":null}",
        "\"worker_batch.held_mean_s\":\"no answer was held back\","
        "\"worker_batch.held_max_s\":\"no answer was held back\"");
}

static void json(void)
{
    struct snapshot s = some();
    struct str out = STR_INIT;

    s.retries.last = none();
    s.kind = SNAPSHOT_FINAL;
    json_row(&out, snapshot_figures, "retries", &s, &s);
    CHECK_STR(
        str_cstr(&out),
        "\"retries\":{\"transactions\":12,\"retries\":30,\"most\":7,\"failed\":2,\"commits_unknown\":1,"
        "\"first_attempt\":{\"samples\":10,\"p50_s\":0.001,\"p95_s\":0.002,\"p99_s\":0.0025,"
        "\"max_s\":0.003,\"mean_s\":0.0011},"
        "\"until_done\":{\"samples\":0,\"p50_s\":null,\"p95_s\":null,\"p99_s\":null,"
        "\"max_s\":null,\"mean_s\":null}}");
    str_free(&out);
}

static void all_retries(void)
{
    text();
    json();
    connections();
    json_connections();
    json_batches();
}

TEST_MAIN(text_hosts_test)
{
    all_hosts();
    all_ranks();
    all_retries();
    return test_done("text_hosts");
}
