/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks of the final report: environment, errors and outages, incidents, statements, commands,
 * profile; those that json shows, too, in both.
 */
#include "report/text_blocks.h"
#include "report/text_table.h"

#include <math.h>
#include <string.h>

#include "base/test.h"
#include "report/json.h"
#include "report/metrics.h"
#include "telemetry/environment.h"

/* --- environment --- */

struct item {
    const char *key, *value, *missing;
};

static const struct {
    struct item item[5];
    const char *text, *json;
} item[] = {
    {{{0}}, "Environment:\n\n", "null"},
    {{{"a.b", "v", NULL}},
     "Environment:\n    a.b:                                 v\n\n",
     "{\"a.b\":\"v\",\"missing\":{}}"},
    {{{"a", "", NULL}, {"b", "say \"n/a (no)\"", NULL}},
     "Environment:\n    a:                                   \n"
     "    b:                                   say \"n/a (no)\"\n\n",
     "{\"a\":\"\",\"b\":\"say \\\"n/a (no)\\\"\",\"missing\":{}}"},
    /* a value in the words of a missing one is a value */
    {{{"a", "n/a (really)", NULL}},
     "Environment:\n    a:                                   n/a (really)\n\n",
     "{\"a\":\"n/a (really)\",\"missing\":{}}"},
    {{{"a", NULL, "gone"}, {"b", NULL, "no (such) file"}},
     "Environment:\n    a:                                   n/a (gone)\n"
     "    b:                                   n/a (no (such) file)\n\n",
     "{\"a\":null,\"b\":null,\"missing\":{\"a\":\"gone\",\"b\":\"no (such) file\"}}"},
    {{{"l", "1", NULL}, {"x", "y", NULL}, {"l", NULL, "first"}, {"l", NULL, "last"}},
     "Environment:\n    l:                                   1\n"
     "    x:                                   y\n"
     "    l:                                   n/a (first)\n"
     "    l:                                   n/a (last)\n\n",
     "{\"l\":[\"1\",null,null],\"x\":\"y\",\"missing\":{\"l\":\"last\"}}"},
};

static void all_environment(void)
{
    for (size_t i = 0; i < sizeof item / sizeof *item; i++) {
        struct environment e = {0};
        struct str s = STR_INIT;
        for (const struct item *v = item[i].item; v->key; v++) {
            if (v->value)
                environment_add(&e, v->key, "%s", v->value);
            else
                environment_missing(&e, v->key, "%s", v->missing);
        }
        text_environment(&s, &e);
        CHECK_STR(str_cstr(&s), item[i].text);
        str_reset(&s);
        json_doc_environment(&s, &e);
        CHECK_STR(str_cstr(&s), item[i].json);
        str_reset(&s);
        json_doc_environment(&s, NULL);
        CHECK_STR(str_cstr(&s), "null");
        str_free(&s);
        environment_free(&e);
    }
}

/* --- errors --- */

#define ERRORS_S NS_PER_SEC

static struct error_row row[3];
static struct snapshot_error error[3];

static void set_error(size_t i, int code, const char *state, const char *class, const char *text)
{
    row[i] = (struct error_row){.code = code, .class = class};
    memcpy(row[i].sqlstate, state, strlen(state) + 1);
    error_text_clean(row[i].text, text);
    error[i] = (struct snapshot_error){
        .row = &row[i], .count = 1860, .first_ns = 5 * ERRORS_S, .last_ns = 8 * ERRORS_S + 1000000};
}

static struct snapshot with_errors(size_t n)
{
    set_error(0, 1213, "40001", "deadlock", "Deadlock found");
    set_error(1, 1290, "HY000", "read-only",
              "The MariaDB server is running with the --read-only option so it cannot execute "
              "this statement");
    set_error(2, 0, "", "other", "\xff\"quoted\"\n\x01 and \xe2\x82\xac");
    return (struct snapshot){.kind = SNAPSHOT_FINAL, .by_code = error, .nby_code = n};
}

static void check_errors(const struct snapshot *s, enum text_detail detail, const char *want)
{
    struct str out = STR_INIT;

    text_errors(&out, s, detail);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

/* What stock ignores without a word does not show with stock's options alone. */
static void shown(void)
{
    struct snapshot s = with_errors(0);

    check_errors(&s, TEXT_BRIEF, "");
    s.has_rate = true;
    check_errors(&s, TEXT_BRIEF, "");
    s = with_errors(1);
    check_errors(&s, TEXT_BRIEF, "");
    s.has_rate = true;
    check_errors(&s, TEXT_BRIEF,
                 "Errors by code (times in s since the start):\n"
                 "       count     first      last  class and code\n"
                 "        1860     5.000     8.001  deadlock 1213 (40001): Deadlock found\n\n");
    row[0].class = "duplicate";
    s.has_rate = false;
    check_errors(&s, TEXT_BRIEF, "");
    s = with_errors(2);
    check_errors(&s, TEXT_BRIEF,
                 "Errors by code (times in s since the start):\n"
                 "       count     first      last  class and code\n"
                 "        1860     5.000     8.001  deadlock 1213 (40001): Deadlock found\n"
                 "        1860     5.000     8.001  read-only 1290 (HY000): The MariaDB server is\n"
                 "                                  running with the --read-only option so it\n"
                 "                                  cannot execute this statement\n\n");
    s = with_errors(3);
    check_errors(&s, TEXT_FULL,
                 "Errors by code (times in s since the start):\n"
                 "       count     first      last  class and code\n"
                 "        1860     5.000     8.001  deadlock 1213 (40001): Deadlock found\n"
                 "        1860     5.000     8.001  read-only 1290 (HY000): The MariaDB server is "
                 "running with the --read-only option so it cannot execute this statement\n"
                 "        1860     5.000     8.001  other no code: \xef\xbf\xbd\"quoted\"; and "
                 "\xe2\x82\xac\n\n");
}

static void errors_as_json(void)
{
    struct snapshot s = with_errors(3);
    struct str out = STR_INIT;

    s.by_code = &error[1];
    s.nby_code = 2;
    json_row(&out, snapshot_figures, "errors_by_code", &s, &s);
    CHECK_STR(str_cstr(&out),
              "\"errors_by_code\":[{\"code\":1290,\"sqlstate\":\"HY000\",\"class\":\"read-only\","
              "\"count\":1860,\"first_s\":5,\"last_s\":8.001,\"text\":\"The MariaDB server is "
              "running with the --read-only option so it cannot execute this statement\"},"
              "{\"code\":null,\"sqlstate\":null,\"class\":\"other\",\"count\":1860,\"first_s\":5,"
              "\"last_s\":8.001,\"text\":\"\xef\xbf\xbd\\\"quoted\\\";   and \xe2\x82\xac\"}]");
    str_free(&out);
}

/* --- outages --- */

static const struct outage outage[] = {{.first_error = 15 * ERRORS_S,
                                        .last_error = 17 * ERRORS_S,
                                        .silent_from = 15 * ERRORS_S + ERRORS_S / 4,
                                        .success = 18 * ERRORS_S,
                                        .connected = 18 * ERRORS_S + ERRORS_S / 2,
                                        .drained = 19 * ERRORS_S,
                                        .over = 19 * ERRORS_S,
                                        .errors = 64,
                                        .lost = 16,
                                        .before = {1000, 990, 0, 0, 1},
                                        .after = {1800, 1700, 2, 88, 601}},
                                       {.first_error = 29 * ERRORS_S,
                                        .last_error = 29 * ERRORS_S,
                                        .silent_from = 29 * ERRORS_S,
                                        .errors = 1,
                                        .lost = 2,
                                        .before = {2000, 1900, 2, 88, 601},
                                        .after = {2100, 1900, 2, 88, 601}}};

static struct snapshot_outages two(void)
{
    const struct snapshot_series none = {.p50 = -1, .p95 = -1, .p99 = -1, .max = -1};

    return (struct snapshot_outages){
        .row = outage,
        .n = 2,
        .more = 3,
        .away = 2,
        .zero = 10 * ERRORS_S,
        .has_before = true,
        .before = {.n = 1000, .p50 = 400000, .p95 = 500000, .p99 = 600000, .max = 700000},
        .during = {.n = 700,
                   .p50 = ERRORS_S,
                   .p95 = 2 * ERRORS_S,
                   .p99 = 3 * ERRORS_S,
                   .max = 4 * ERRORS_S},
        .after = none};
}

static void outages_as_text(void)
{
    struct snapshot_outages v = two();
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .at = 31 * ERRORS_S};
    struct str out = STR_INIT;

    text_outages(&out, &s);
    CHECK_STR(str_cstr(&out), "");
    s.outages = &v;
    s.has_rate = true;
    text_outages(&out, &s);
    CHECK_STR(str_cstr(&out),
              "Outages (an error of the server or a connection until the load is as before):\n"
              "    outage 1:                            first error at 5.000 s (64 errors)\n"
              "      longest time without success:      2.750 s, beginning after 0.250 s\n"
              "      success again:                     after 3.000 s\n"
              "      lost connections are back:         after 3.500 s (16)\n"
              "      transactions begin in time:        after 4.000 s\n"
              "      meanwhile:                         800 offered; 710 done, 600 of them\n"
              "                                         late; 2 failed, 88 dropped\n"
              "    outage 2:                            first error at 19.000 s (1 error)\n"
              "      longest time without success:      2.000 s, to the end\n"
              "      success again:                     not before the end of the run\n"
              "      lost connections are back:         not before the end of the run (2 of 2\n"
              "                                         are missing)\n"
              "      transactions begin in time:        not before the end of the run\n"
              "      meanwhile:                         100 offered; 0 done, 0 of them late; 0\n"
              "                                         failed, 0 dropped\n"
              "    and 3 more\n"
              "    response time by planned start, ms:\n"
              "    planned          done        p50        p95        p99    maximum\n"
              "    before           1000      0.400      0.500      0.600      0.700\n"
              "    during            700   1000.000   2000.000   3000.000   4000.000\n"
              "    after               0        n/a        n/a        n/a        n/a\n\n");
    str_reset(&out);
    s.has_rate = false;
    v.n = 1;
    v.more = 0;
    text_outages(&out, &s);
    CHECK_STR(str_cstr(&out),
              "Outages (an error of the server or a connection until the load is as before):\n"
              "    outage 1:                            first error at 5.000 s (64 errors)\n"
              "      longest time without success:      2.750 s, beginning after 0.250 s\n"
              "      success again:                     after 3.000 s\n"
              "      lost connections are back:         after 3.500 s (16)\n"
              "      meanwhile:                         710 done, 2 failed\n\n");
    str_free(&out);
}

static void outages_as_json(void)
{
    struct snapshot_outages v = two();
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .at = 31 * ERRORS_S, .has_rate = true};
    struct str out = STR_INIT;

    json_row(&out, snapshot_figures, "outages", &s, &s);
    CHECK_STR(str_cstr(&out), "\"outages\":null");
    str_reset(&out);
    s.outages = &v;
    json_row(&out, snapshot_figures, "outages", &s, &s);
    CHECK_STR(
        str_cstr(&out),
        "\"outages\":{\"list\":[{\"first_error_s\":5,\"last_error_s\":7,\"over_after_s\":4,"
        "\"success_after_s\":3,\"without_success_s\":2.75,\"connected_after_s\":3.5,"
        "\"in_time_after_s\":4,\"errors\":64,\"connections_lost\":16,\"offered\":800,"
        "\"dropped\":88,\"late\":600,\"done\":710,\"failed\":2},"
        "{\"first_error_s\":19,\"last_error_s\":19,\"over_after_s\":null,"
        "\"success_after_s\":null,\"without_success_s\":2,\"connected_after_s\":null,"
        "\"in_time_after_s\":null,\"errors\":1,\"connections_lost\":2,\"offered\":100,"
        "\"dropped\":0,\"late\":0,\"done\":0,\"failed\":0}],\"more\":3,\"connections_missing\":2,"
        "\"latency_before\":{\"count\":1000,\"p50_s\":0.0004,\"p95_s\":0.0005,\"p99_s\":0.0006,"
        "\"max_s\":0.0007},\"latency_during\":{\"count\":700,\"p50_s\":1,\"p95_s\":2,"
        "\"p99_s\":3,\"max_s\":4},\"latency_after\":{\"count\":0,\"p50_s\":null,"
        "\"p95_s\":null,\"p99_s\":null,\"max_s\":null}}");
    str_free(&out);
}

/* A counter of an interval without such errors goes on. */
static void as_metrics(void)
{
    static const struct snapshot_incident incident[] = {{.kind = INCIDENT_STOPPED},
                                                        {.kind = INCIDENT_SERVER_RESTARTED},
                                                        {.kind = INCIDENT_STOPPED}};
    struct snapshot_outages v = two();
    struct snapshot s = with_errors(2);
    struct metrics m = {0};
    struct str out = STR_INIT;

    metrics_labels(&m, "t", NULL, 0);
    row[0].count = row[1].count = 7;
    error[0].count = error[1].count = 0;
    metrics_records(&m, &s);
    s.incident = incident;
    s.incidents = s.incidents_told = 3;
    s.outages = &v;
    s.at = 31 * ERRORS_S;
    s.nby_code = 0;
    metrics_records(&m, &s);
    metrics_render(&m, METRICS_OPENMETRICS, &out);
    CHECK_STR(
        str_cstr(&out),
        "# HELP sysbench_errors_by_code statements and connection attempts that failed\n"
        "# TYPE sysbench_errors_by_code counter\n"
        "sysbench_errors_by_code_total{test=\"t\",class=\"deadlock\",code=\"1213\","
        "sqlstate=\"40001\"} 7\n"
        "sysbench_errors_by_code_total{test=\"t\",class=\"read-only\",code=\"1290\","
        "sqlstate=\"HY000\"} 7\n"
        "# HELP sysbench_incidents what happened to the server and the machine\n"
        "# TYPE sysbench_incidents counter\n"
        "sysbench_incidents_total{test=\"t\",kind=\"server-restarted\"} 1\n"
        "sysbench_incidents_total{test=\"t\",kind=\"stopped\"} 2\n"
        "# HELP sysbench_outages times that the server was away\n"
        "# TYPE sysbench_outages counter\n"
        "sysbench_outages_total{test=\"t\"} 5\n"
        "# HELP sysbench_outage_start_seconds first error of the outage, since measuring began\n"
        "# TYPE sysbench_outage_start_seconds gauge\n"
        "# UNIT sysbench_outage_start_seconds seconds\n"
        "sysbench_outage_start_seconds{test=\"t\",outage=\"1\"} 5\n"
        "sysbench_outage_start_seconds{test=\"t\",outage=\"2\"} 19\n"
        "# HELP sysbench_outage_duration_seconds until the load was as before; none for one that "
        "was not over\n"
        "# TYPE sysbench_outage_duration_seconds gauge\n"
        "# UNIT sysbench_outage_duration_seconds seconds\n"
        "sysbench_outage_duration_seconds{test=\"t\",outage=\"1\"} 4\n"
        "# HELP sysbench_outage_without_success_seconds longest time without a transaction done\n"
        "# TYPE sysbench_outage_without_success_seconds gauge\n"
        "# UNIT sysbench_outage_without_success_seconds seconds\n"
        "sysbench_outage_without_success_seconds{test=\"t\",outage=\"1\"} 2.75\n"
        "sysbench_outage_without_success_seconds{test=\"t\",outage=\"2\"} 2\n");
    metrics_free(&m);
    str_free(&out);
}

static void codes(void)
{
    static const struct {
        struct error_row row;
        const char *want;
    } t[] = {{{.code = 1290, .sqlstate = "HY000"}, "1290 (HY000)"},
             {{.code = 1290}, "1290"},
             {{.sqlstate = "40001"}, "40001"},
             {{.code = 0}, "no code"}};
    char buf[TEXT_ERROR_CODE_SIZE];

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        CHECK_STR(text_error_code(buf, &t[i].row), t[i].want);
}

static void all_errors(void)
{
    shown();
    errors_as_json();
    outages_as_text();
    outages_as_json();
    as_metrics();
    codes();
}

/* --- incidents --- */

#define INCIDENTS_S NS_PER_SEC

static const struct snapshot_incident all[] = {
    {.kind = INCIDENT_SERVER_RESTARTED,
     .at = 1012 * INCIDENTS_S + 345 * NS_PER_MS,
     .was = 123,
     .is = 456},
    {.kind = INCIDENT_SERVER_CHANGED,
     .at = 1012 * INCIDENTS_S + 500 * NS_PER_MS,
     .was = 456,
     .is = 78},
    {.kind = INCIDENT_CLOCK_SET, .at = 1013 * INCIDENTS_S, .duration = -3600 * INCIDENTS_S},
    {.kind = INCIDENT_SUSPENDED, .at = 1014 * INCIDENTS_S, .duration = 12 * INCIDENTS_S},
    {.kind = INCIDENT_STOPPED,
     .at = 1015 * INCIDENTS_S,
     .duration = 2 * INCIDENTS_S + 500 * NS_PER_MS},
    {.kind = INCIDENT_CPUS, .at = 1016 * INCIDENTS_S, .was = 4, .is = 3},
    {.kind = INCIDENT_STOPPED,
     .at = 1017 * INCIDENTS_S,
     .duration = INCIDENTS_S,
     .rank = 1,
     .host = "load2"},
    {.kind = INCIDENT_RANK_LOST,
     .at = 1018 * INCIDENTS_S,
     .rank = 2,
     .host = "",
     .why = "the connection was closed"},
};

static void all_incidents(void)
{
    struct snapshot s = {.kind = SNAPSHOT_FINAL,
                         .at = 1020 * INCIDENTS_S,
                         .elapsed_ns = 20 * INCIDENTS_S,
                         .incident = all,
                         .incidents = sizeof all / sizeof *all,
                         .incidents_told = 4};
    struct str out = STR_INIT;

    text_incidents(&out, &s); /* a report without any line of ours */
    text_incident_lines(&out, &s);
    CHECK_STR(str_cstr(&out), "");
    s.server.on = true;
    text_incident_lines(&out, &s);
    CHECK_STR(str_cstr(&out), "[ 15.000s ] sysbench stopped: for at least 2.500 s\n"
                              "[ 16.000s ] CPUs online: 4 -> 3\n"
                              "[ 17.000s ] rank 1 (load2): sysbench stopped: for at least 1.000 s\n"
                              "[ 18.000s ] rank 2: lost: the connection was closed\n");
    str_reset(&out);
    text_incidents(&out, &s);
    CHECK_STR(str_cstr(&out),
              "Incidents:\n"
              "    server restarted at 12.3 s: pid 123 -> 456\n"
              "    clients went to another server at 12.5 s: pid 456 -> 78\n"
              "    wall clock set at 13.0 s: by -3600.000 s\n"
              "    system suspended until 14.0 s: for 12.000 s\n"
              "    sysbench stopped until 15.0 s: for at least 2.500 s\n"
              "    CPUs online at 16.0 s: 4 -> 3\n"
              "    rank 1 (load2): sysbench stopped until 17.0 s: for at least 1.000 s\n"
              "    rank 2: lost at 18.0 s: the connection was closed\n\n");
    str_reset(&out);
    s.server.on = false;
    s.nranks = 2; /* the report of several load hosts is ours */
    text_incident_lines(&out, &s);
    CHECK(out.len > 0);
    str_free(&out);
}

/* --- statements --- */

static const struct stmt_figures statements[] = {
    {.class = STMT_CLASS_TRANSACTION,
     .name = "BEGIN",
     .text = "BEGIN",
     .count = 2,
     .sum_ns = 1000000,
     .min = 400000,
     .p50 = 500000,
     .p95 = 600000,
     .p99 = 600000,
     .max = 600000},
    {.class = STMT_CLASS_QUERY,
     .name = "SELECT\n   1",
     .text = "SELECT 1",
     .count = 4,
     .errors = 1,
     .rows = 3,
     .sum_ns = 4000000,
     .min = 500000,
     .p50 = 1000000,
     .p95 = 2000000,
     .p99 = 2000000,
     .max = 2000000},
    {.class = STMT_CLASS_CONNECT,
     .count = 1,
     .sum_ns = 7000000,
     .min = 7000000,
     .p50 = 7000000,
     .p95 = 7000000,
     .p99 = 7000000,
     .max = 7000000},
    {.class = STMT_CLASS_OTHER,
     .count = 1,
     .sum_ns = 0,
     .min = 0,
     .p50 = 0,
     .p95 = 0,
     .p99 = 0,
     .max = 0},
};

static void block(void)
{
    struct snapshot s = {.statements = statements, .nstatements = 4, .transactions_s = 0.01};
    struct str out = STR_INIT;

    text_statements(&out, &s, TEXT_FULL, TEXT_WIDTH);
    CHECK_STR(
        str_cstr(&out),
        "Statements by kind (times in ms, share of the time in transactions):\n"
        "       count   errors       rows       min       avg       p50       p95       p99       max   share  kind\n"
        "           4        1          3     0.500     1.000     1.000    2.000*    2.000*     2.000   40.0%  SELECT 1\n"
        "           1        0          0     0.000     0.000    0.000*    0.000*    0.000*     0.000    0.0%  (all others)\n"
        "           2        0          0     0.400     0.500     0.500    0.600*    0.600*     0.600   10.0%  BEGIN\n"
        "           1        0          0     7.000     7.000    7.000*    7.000*    7.000*     7.000       -  connect\n"
        "    * of fewer samples than this percentile needs: the slowest of them\n"
        "\n");
    str_reset(&out);
    text_statements(&out, &s, TEXT_BRIEF, TEXT_WIDTH);
    CHECK_STR(str_cstr(&out),
              "Statements by kind (times in ms, share of the time in transactions):\n"
              "     count errors      avg      p95      p99      max  share  kind\n"
              "         4      1    1.000   2.000*   2.000*    2.000  40.0%  SELECT 1\n"
              "         1      0    0.000   0.000*   0.000*    0.000   0.0%  (all others)\n"
              "         2      0    0.500   0.600*   0.600*    0.600  10.0%  BEGIN\n"
              "         1      0    7.000   7.000*   7.000*    7.000      -  connect\n"
              "    * of fewer samples than this percentile needs: the slowest of them\n"
              "\n");
    str_reset(&out);
    /* without errors; long times have fewer digits in the short form */
    struct stmt_figures f = {.class = STMT_CLASS_PREPARE, .count = 1000000, .rows = 5};
    f.sum_ns = 1000 * NS_PER_SEC, f.p95 = 99999 * NS_PER_MS, f.p99 = 100000 * NS_PER_MS;
    f.max = 999 * NS_PER_MS;
    s.statements = &f, s.nstatements = 1;
    text_statements(&out, &s, TEXT_BRIEF, TEXT_WIDTH);
    CHECK_STR(str_cstr(&out),
              "Statements by kind (times in ms, share of the time in transactions):\n"
              "     count      avg      p95      p99      max  share  kind\n"
              "   1000000    1.000  99999.0   100000  999.000      -  prepare\n"
              "\n");
    str_reset(&out);
    f.sum_ns = 1000000 * 1000 * NS_PER_MS;
    text_statements(&out, &s, TEXT_BRIEF, TEXT_WIDTH);
    CHECK(strstr(out.s, "\n   1000000   1000.0 ") != NULL);
    str_reset(&out);
    text_statements(&out, &s, TEXT_FULL, TEXT_WIDTH);
    CHECK(
        strstr(
            out.s,
            "\n     1000000        0          5     0.000  1000.000     0.000 99999.000 100000.000"
            "   999.000       -  prepare\n") != NULL);
    str_reset(&out);
    s.statements = statements, s.nstatements = 0;
    text_statements(&out, &s, TEXT_BRIEF, TEXT_WIDTH);
    CHECK_STR(str_cstr(&out),
              "Statements by kind (times in ms, share of the time in transactions):\n"
              "    none was executed\n\n");
    str_reset(&out);
    s.transactions_s = 0; /* nothing but a failure to connect */
    CHECK(isnan(statement_share(&s, &statements[1])));
    s.statements = NULL;
    text_statements(&out, &s, TEXT_FULL, TEXT_WIDTH);
    CHECK_INT(out.len, 0);
    str_free(&out);
}

static void long_text(void)
{
    struct stmt_figures f = statements[1];
    struct snapshot s = {.statements = &f, .nstatements = 1, .transactions_s = 1};
    struct str out = STR_INIT, text = STR_INIT;

    for (int i = 0; i < 99; i++)
        str_adds(&text, "x");
    str_adds(&text, "\xc3\xa9 and more");
    f.name = text.s;
    text_statements(&out, &s, TEXT_FULL, TEXT_WIDTH);
    CHECK(strstr(out.s, "xxx\xc3\xa9...\n") != NULL);
    str_reset(&out);
    text_statements(&out, &s, TEXT_FULL, 220);
    CHECK(strstr(out.s, "xxx\xc3\xa9 and more\n") != NULL);
    for (int brief = 0; brief < 2; brief++) { /* with a column of errors and without it */
        const char *last;
        f.errors = (uint64_t)brief;
        str_reset(&out);
        text_statements(&out, &s, TEXT_BRIEF, TEXT_WIDTH);
        last = strstr(out.s, "kind\n") + 5;
        CHECK_INT(strcspn(last, "\n"), 80);
        CHECK(strstr(last, "xxx...\n") != NULL);
        str_reset(&out);
        text_statements(&out, &s, TEXT_BRIEF, 130); /* a wide terminal */
        CHECK_INT(strcspn(strstr(out.s, "kind\n") + 5, "\n"), 130);
    }
    str_free(&text);
    str_free(&out);
}

static void marks(void)
{
    static const struct mark mark[] = {{.at = 5 * NS_PER_SEC, .text = "before"},
                                       {.at = 12345678901, .text = "after"}};
    struct snapshot s = {
        .at = 20 * NS_PER_SEC, .elapsed_ns = 10 * NS_PER_SEC, .marks = mark, .nmarks = 2};
    struct str out = STR_INIT;

    text_marks(&out, &s);
    CHECK_STR(str_cstr(&out), "[ -5.000s ] mark: before\n[ 2.346s ] mark: after\n");
    str_free(&out);
}

static void all_statements(void)
{
    block();
    long_text();
    marks();
}

/* --- actions --- */

#define NOT_OVER ",\"terminated_with_run\":false,\"left_processes\":false"

static const struct {
    struct report_action a;
    const char *text, *json; /* what follows the command; the text without the empty line */
} outcome[] = {
    {{.state = ACTION_WAITING},
     "not run: the run ended before\n",
     "\"state\":\"waiting\",\"begin_s\":null,\"duration_s\":null,\"exit_status\":null,"
     "\"signal\":null" NOT_OVER ",\"output\":null,\"output_bytes\":null,\"error\":null"},
    {{.state = ACTION_NOT_RUN},
     "not run: the run ended before\n",
     "\"state\":\"not run\",\"begin_s\":null,\"duration_s\":null,\"exit_status\":null,"
     "\"signal\":null" NOT_OVER ",\"output\":null,\"output_bytes\":null,\"error\":null"},
    {{.state = ACTION_RUNNING, .begin_s = 2},
     "running\n",
     "\"state\":\"running\",\"begin_s\":2,\"duration_s\":null,\"exit_status\":null,"
     "\"signal\":null" NOT_OVER ",\"output\":null,\"output_bytes\":null,\"error\":null"},
    {{.state = ACTION_FAILED, .why = "no memory"},
     "could not be started: no memory\n",
     "\"state\":\"not started\",\"begin_s\":null,\"duration_s\":null,\"exit_status\":null,"
     "\"signal\":null" NOT_OVER ",\"output\":null,\"output_bytes\":null,\"error\":\"no memory\""},
    {{.state = ACTION_ENDED, .begin_s = 2, .duration_s = 0.5, .exit_status = 3, .output = ""},
     "FAILED: exit status 3 after 0.500 s; no output\n",
     "\"state\":\"ended\",\"begin_s\":2,\"duration_s\":0.5,\"exit_status\":3,"
     "\"signal\":null" NOT_OVER ",\"output\":\"\",\"output_bytes\":0,\"error\":null"},
    {{.state = ACTION_ENDED,
      .begin_s = 2,
      .duration_s = 1,
      .exit_status = -1,
      .signal = 9,
      .output = "x",
      .output_bytes = 1},
     "FAILED: ended by signal 9 after 1.000 s; output, 1 byte:\n            x\n",
     "\"state\":\"ended\",\"begin_s\":2,\"duration_s\":1,\"exit_status\":null,"
     "\"signal\":9" NOT_OVER ",\"output\":\"x\",\"output_bytes\":1,\"error\":null"},
    {{.state = ACTION_ENDED,
      .begin_s = 2,
      .duration_s = 1,
      .exit_status = -1,
      .signal = 15,
      .stopped = true,
      .left = true,
      .output = "1\n2\n3\n4\n5\n6\n7",
      .output_bytes = 70000},
     "still running at the end of the run, terminated after 1.000 s; processes it had left were "
     "terminated with the run; output, 70000 bytes (the first 65536 were kept):\n"
     "            1\n            2\n            3\n            4\n            5\n"
     "            ... (2 more lines)\n",
     "\"state\":\"ended\",\"begin_s\":2,\"duration_s\":1,\"exit_status\":null,\"signal\":15,"
     "\"terminated_with_run\":true,\"left_processes\":true,\"output\":\"1\\n2\\n3\\n4\\n5\\n6\\n7\","
     "\"output_bytes\":70000,\"error\":null"},
};

static void states(void)
{
    for (size_t i = 0; i < sizeof outcome / sizeof *outcome; i++) {
        struct report_action a = outcome[i].a;
        bool began = a.state == ACTION_RUNNING || a.state == ACTION_ENDED;
        struct str s = STR_INIT;
        char want[1000];
        a.at_s = 1.5;
        a.name = i ? "pool" : NULL;
        a.command = "a \"b\"";
        text_actions(&s, &a, 1);
        snprintf(want, sizeof want, "Commands:\n    %s s: %sa \"b\"\n        %s\n",
                 began ? "2.000" : "1.500", i ? "pool: " : "", outcome[i].text);
        CHECK_STR(str_cstr(&s), want);
        str_reset(&s);
        json_members(&s, action_figures, NULL, &a);
        snprintf(want, sizeof want, "\"at_s\":1.5,\"name\":%s,\"command\":\"a \\\"b\\\"\",%s",
                 i ? "\"pool\"" : "null", outcome[i].json);
        CHECK_STR(str_cstr(&s), want);
        str_free(&s);
    }
}

/* Lines are cut between characters, and what does not print is a blank. */
static void lines(void)
{
    struct report_action a[2] = {{.state = ACTION_RUNNING}, {.state = ACTION_RUNNING}};
    struct str s = STR_INIT;
    char wide[140];

    memset(wide, 'x', sizeof wide);
    memcpy(wide + 119, "\xc3\xa4", 2); /* one character in two bytes, of which one fits */
    wide[130] = '\0';
    a[0].command = "tab\there\x7f";
    a[1].command = wide;
    text_actions(&s, a, 2);
    CHECK(strstr(str_cstr(&s), "    0.000 s: tab here \n") != NULL);
    CHECK(strstr(str_cstr(&s), "xxx...\n") != NULL && strchr(str_cstr(&s), '\xc3') == NULL);
    str_reset(&s);
    text_actions(&s, a, 0);
    CHECK_STR(str_cstr(&s), "");
    str_free(&s);
}

static void all_actions(void)
{
    states();
    lines();
}

/* --- profile --- */

static const struct report_profile whole = {.ended = true,
                                            .cpu = true,
                                            .off_cpu = true,
                                            .hz = 99,
                                            .start = NS_PER_SEC / 2,
                                            .length = 2 * NS_PER_SEC,
                                            .name = "db (pid 7)",
                                            .watched = 2 * NS_PER_SEC,
                                            .samples = 198,
                                            .stacks = 12,
                                            .off_cpu_time = 7 * NS_PER_SEC / 2,
                                            .threads = 4,
                                            .off_cpu_stacks = 5,
                                            .estimate = "estimated from 900 of 1000 waits",
                                            .switches = 1000,
                                            .involuntary = 10,
                                            .sampled = 900,
                                            .by_cfi = 150,
                                            .by_pointers = 50,
                                            .partial = 20,
                                            .cost = NS_PER_SEC / 100,
                                            .prefix = "dir/p",
                                            .file = {"dir/p.cpu.folded", "dir/p.cpu.svg"},
                                            .files = 2};

static void check(const struct report_profile *p, const char *text, const char *json)
{
    struct str s = STR_INIT;

    text_profile(&s, p);
    CHECK_STR(str_cstr(&s), text);
    str_reset(&s);
    json_doc_profile(&s, p);
    CHECK_STR(str_cstr(&s), json);
    str_free(&s);
}

static void check_one(void)
{
    struct report_profile one = whole;
    struct str s = STR_INIT;

    one.samples = one.stacks = one.threads = one.off_cpu_stacks = 1;
    text_profile(&s, &one);
    CHECK(strstr(str_cstr(&s), " 1 sample at 99/s ") &&
          strstr(str_cstr(&s), "), 1 different stack\n"));
    CHECK(strstr(str_cstr(&s), " in 1 thread, 1 different stack, estimated"));
    str_free(&s);
}

static void check_whole(void)
{
    check(
        &whole,
        "Server profile:\n"
        "    watched:                             db (pid 7), for 2.0000 s\n"
        "    on CPU:                              198 samples at 99/s on each CPU (about 2.0000 s "
        "of CPU time), 12 different stacks\n"
        "    off CPU:                             3.5000 s in 4 threads, 5 different stacks, "
        "estimated from 900 of 1000 waits\n"
        "    switches:                            1000 (10 involuntary), 900 sampled with a stack\n"
        "    unwinding:                           call frame information 75.0%, frame pointers "
        "25.0%; 10.0% do not reach the start of a thread\n"
        "    lost:                                0 records\n"
        "    profiler:                            0.0100 s of CPU (0.50% of one CPU)\n"
        "    files:                               dir/p.cpu.folded, .svg\n"
        "                                         dir/p.offcpu.folded, .svg\n"
        "\n",
        "{\"kinds\":[\"cpu\",\"offcpu\"],\"frequency_hz\":99,\"window_start_s\":0.5,"
        "\"window_length_s\":2,\"name\":\"db (pid 7)\",\"watched_s\":2,\"samples\":198,"
        "\"sampled_cpu_s\":2,\"stacks\":12,\"off_cpu_s\":3.5,\"off_cpu_threads\":4,"
        "\"off_cpu_stacks\":5,\"switches\":1000,\"involuntary_switches\":10,"
        "\"switches_with_stack\":900,\"unwound_by_frame_information\":150,"
        "\"unwound_by_frame_pointers\":50,\"unwound_in_part\":20,\"degraded_stacks\":0,"
        "\"lost_records\":0,\"left_out_frames\":0,\"profiler_cpu_s\":0.01,"
        "\"profiler_cpu_pct_of_one\":0.5,\"files\":[\"dir/p.cpu.folded\",\"dir/p.cpu.svg\"],"
        "\"files_complete\":true,\"missing\":{}}");
}

static void check_damaged(void)
{
    struct report_profile p = whole;

    p.off_cpu = false;
    p.length = 0;
    p.by_cfi = p.by_pointers = p.partial = 0;
    p.degraded = 3;
    p.lost = 4;
    p.truncated = 5;
    p.no_names = p.no_kernel_names = p.files_incomplete = true;
    p.files = 0;
    check(
        &p,
        "Server profile:\n"
        "    watched:                             db (pid 7), for 2.0000 s\n"
        "    on CPU:                              198 samples at 99/s on each CPU (about 2.0000 s "
        "of CPU time), 12 different stacks\n"
        "    unwinding:                           n/a (no stacks)\n"
        "                                         3 stacks by frame pointers alone, the profiler "
        "had used up its CPU share\n"
        "    names of its code:                   n/a (/proc/PID/maps of the server cannot be "
        "read: be its user, or have CAP_SYS_PTRACE)\n"
        "    names of the kernel:                 n/a (kernel.kptr_restrict hides the kernel's "
        "addresses)\n"
        "    lost:                                4 records: the kernel's buffers were full\n"
        "    left out:                            5 frames: too many different stacks\n"
        "    profiler:                            0.0100 s of CPU (0.50% of one CPU)\n"
        "    files:                               dir/p.cpu.folded, .svg (not all of them could "
        "be written)\n"
        "\n",
        "{\"kinds\":[\"cpu\"],\"frequency_hz\":99,\"window_start_s\":0.5,"
        "\"window_length_s\":null,\"name\":\"db (pid 7)\",\"watched_s\":2,\"samples\":198,"
        "\"sampled_cpu_s\":2,\"stacks\":12,\"off_cpu_s\":null,\"off_cpu_threads\":null,"
        "\"off_cpu_stacks\":null,\"switches\":null,\"involuntary_switches\":null,"
        "\"switches_with_stack\":null,\"unwound_by_frame_information\":0,"
        "\"unwound_by_frame_pointers\":0,\"unwound_in_part\":0,\"degraded_stacks\":3,"
        "\"lost_records\":4,\"left_out_frames\":5,\"profiler_cpu_s\":0.01,"
        "\"profiler_cpu_pct_of_one\":0.5,\"files\":[],\"files_complete\":false,"
        "\"missing\":{\"window_length_s\":\"to the end of the run\","
        "\"off_cpu_s\":\"offcpu was not asked for\","
        "\"off_cpu_threads\":\"offcpu was not asked for\","
        "\"off_cpu_stacks\":\"offcpu was not asked for\","
        "\"switches\":\"offcpu was not asked for\","
        "\"involuntary_switches\":\"offcpu was not asked for\","
        "\"switches_with_stack\":\"offcpu was not asked for\"}}");
}

/* Parts of the text that depend on one figure. */
static void check_parts(void)
{
    struct report_profile p = whole;
    struct str s = STR_INIT;

    p.no_cfi = "not on this kind of CPU";
    text_profile(&s, &p);
    CHECK(strstr(str_cstr(&s), "unwinding:                           frame pointers only (not on "
                               "this kind of CPU); 10.0% do not reach") != NULL);
    str_reset(&s);
    json_doc_profile(&s, &p);
    CHECK(strstr(str_cstr(&s), "\"unwound_by_frame_information\":null,"
                               "\"unwound_by_frame_pointers\":50,") != NULL);
    str_reset(&s);
    p.cpu = false;
    text_profile(&s, &p);
    CHECK(strstr(str_cstr(&s), "on CPU") == NULL);
    CHECK(strstr(str_cstr(&s), "    files:                               dir/p.offcpu.folded") !=
          NULL);
    str_free(&s);
}

static void check_nothing(void)
{
    struct report_profile p = {.ended = true, .cpu = true, .hz = 99, .why = "it ran elsewhere"};
    struct str s = STR_INIT;

    text_profile(&s, &p);
    CHECK_STR(str_cstr(&s), "Server profile:\n"
                            "    stacks:                              n/a (it ran elsewhere)\n\n");
    str_reset(&s);
    json_doc_profile(&s, &p);
    CHECK(strstr(str_cstr(&s), "\"name\":null,\"watched_s\":null,\"samples\":null,") != NULL);
    CHECK(strstr(str_cstr(&s), "\"watched_s\":\"it ran elsewhere\"") != NULL);
    str_free(&s);
    p.ended = false;
    check(&p, "", "null");
    check(NULL, "", "null");
}

static void all_profile(void)
{
    check_whole();
    check_one();
    check_damaged();
    check_parts();
    check_nothing();
}

TEST_MAIN(text_blocks_test)
{
    all_environment();
    all_errors();
    all_incidents();
    all_statements();
    all_actions();
    all_profile();
    return test_done("text_blocks");
}
