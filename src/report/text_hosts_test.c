/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of database hosts as a block of the text report, as JSON and as metrics.
 */
#include "report/text_hosts.h"

#include <math.h>

#include "base/test.h"
#include "report/json_doc.h"
#include "report/metrics_hosts.h"

static const struct snapshot_host hosts[] = {
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
    return (struct snapshot){.kind = kind, .host = hosts, .hosts = 2, .connections.asked = true};
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
    s.host = hosts + 1; /* nothing was done at all */
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
    bool first = true;

    text_hosts(&out, &s);
    CHECK_STR(str_cstr(&out), "Database hosts:\n    n/a (the list has more than 64, of which no "
                              "figures by host are kept)\n\n");
    str_reset(&out);
    s.connections.asked = false;
    text_hosts(&out, &s);
    CHECK_STR(str_cstr(&out), "");
    json_doc_snapshot(&out, &first, &s);
    CHECK(strstr(str_cstr(&out), ",\"hosts\":null,"));
    CHECK(strstr(str_cstr(&out), "\"hosts\":\"the list has more than 64, of which no figures by "
                                 "host are kept\""));
    str_free(&out);
}

static void left_out(void)
{
    struct snapshot s = with_hosts(SNAPSHOT_FINAL);
    struct str out = STR_INIT;
    bool first = true;

    s.connections.asked = false; /* stock's options alone */
    text_hosts(&out, &s);
    CHECK_STR(str_cstr(&out), "");
    s.has_rate = true;
    text_hosts(&out, &s);
    CHECK(out.len > 0);
    str_reset(&out);
    s.hosts = 0;
    text_hosts(&out, &s);
    json_doc_hosts(&out, &first, &s);
    CHECK_STR(str_cstr(&out), "");
    str_free(&out);
}

static void as_json(void)
{
    struct snapshot s = with_hosts(SNAPSHOT_INTERVAL);
    struct str out = STR_INIT;
    bool first = true;

    json_doc_hosts(&out, &first, &s);
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
    json_doc_hosts(&out, &first, &s);
    CHECK(strstr(str_cstr(&out), ",\"hosts\":[{\"host\":\"db1:3306\",\"clients\":2,"
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
    metrics_hosts(&m, &s);
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

TEST_MAIN(text_hosts_test)
{
    as_text();
    too_many();
    left_out();
    as_json();
    as_metrics();
    return test_done("text_hosts");
}
