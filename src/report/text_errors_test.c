/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors by code and outages as text and as JSON: when they show, codes without a part, texts of
 * any bytes, and outages that were not over.
 */
#include "report/text_errors.h"

#include <string.h>

#include "base/test.h"
#include "report/json_doc.h"
#include "report/metrics_errors.h"

#define S NS_PER_SEC

static struct error_row row[3];
static struct snapshot_error error[3];

static void set_error(size_t i, int code, const char *state, const char *class, const char *text)
{
    row[i] = (struct error_row){.code = code, .class = class};
    memcpy(row[i].sqlstate, state, strlen(state) + 1);
    error_text_clean(row[i].text, text);
    error[i] = (struct snapshot_error){
        .row = &row[i], .count = 1860, .first_ns = 5 * S, .last_ns = 8 * S + 1000000};
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
    bool first = true;

    s.by_code = &error[1];
    s.nby_code = 2;
    json_doc_errors(&out, &first, &s);
    CHECK_STR(str_cstr(&out),
              "\"errors_by_code\":[{\"code\":1290,\"sqlstate\":\"HY000\",\"class\":\"read-only\","
              "\"count\":1860,\"first_s\":5,\"last_s\":8.001,\"text\":\"The MariaDB server is "
              "running with the --read-only option so it cannot execute this statement\"},"
              "{\"code\":null,\"sqlstate\":null,\"class\":\"other\",\"count\":1860,\"first_s\":5,"
              "\"last_s\":8.001,\"text\":\"\xef\xbf\xbd\\\"quoted\\\";   and \xe2\x82\xac\"}]");
    str_free(&out);
}

/* --- outages --- */

static const struct outage outage[] = {{.first_error = 15 * S,
                                        .last_error = 17 * S,
                                        .silent_from = 15 * S,
                                        .success = 18 * S,
                                        .connected = 18 * S + S / 2,
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

static struct snapshot_outages two(void)
{
    const struct snapshot_series none = {.p50 = -1, .p95 = -1, .p99 = -1, .max = -1};

    return (struct snapshot_outages){
        .row = outage,
        .n = 2,
        .more = 3,
        .away = 2,
        .zero = 10 * S,
        .has_before = true,
        .before = {.n = 1000, .p50 = 400000, .p95 = 500000, .p99 = 600000, .max = 700000},
        .during = {.n = 700, .p50 = S, .p95 = 2 * S, .p99 = 3 * S, .max = 4 * S},
        .after = none};
}

static void outages_as_text(void)
{
    struct snapshot_outages v = two();
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .at = 31 * S};
    struct str out = STR_INIT;

    text_outages(&out, &s);
    CHECK_STR(str_cstr(&out), "");
    s.outages = &v;
    s.has_rate = true;
    text_outages(&out, &s);
    CHECK_STR(str_cstr(&out),
              "Outages (an error of the server or a connection until the load is as before):\n"
              "    outage 1:                            first error at 5.000 s (64 errors)\n"
              "      first success:                     after 3.000 s\n"
              "      longest time without success:      3.000 s\n"
              "      lost connections are back:         after 3.500 s (16)\n"
              "      transactions begin in time:        after 4.000 s\n"
              "      meanwhile:                         800 offered; 710 done, 600 of them\n"
              "                                         late; 2 failed, 88 dropped\n"
              "    outage 2:                            first error at 19.000 s (1 error)\n"
              "      first success:                     not before the end of the run\n"
              "      longest time without success:      2.000 s, to the end\n"
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
              "      first success:                     after 3.000 s\n"
              "      longest time without success:      3.000 s\n"
              "      lost connections are back:         after 3.500 s (16)\n"
              "      meanwhile:                         710 done, 2 failed\n\n");
    str_free(&out);
}

static void outages_as_json(void)
{
    struct snapshot_outages v = two();
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .at = 31 * S, .has_rate = true};
    struct str out = STR_INIT;

    json_doc_outages(&out, &s);
    CHECK_STR(str_cstr(&out), "null");
    str_reset(&out);
    s.outages = &v;
    json_doc_outages(&out, &s);
    CHECK_STR(
        str_cstr(&out),
        "{\"list\":[{\"first_error_s\":5,\"last_error_s\":7,\"over_after_s\":4,"
        "\"success_after_s\":3,\"without_success_s\":3,\"connected_after_s\":3.5,"
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
    metrics_errors(&m, &s);
    s.incident = incident;
    s.incidents = s.incidents_told = 3;
    s.outages = &v;
    s.at = 31 * S;
    s.nby_code = 0;
    metrics_errors(&m, &s);
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
        "sysbench_outage_without_success_seconds{test=\"t\",outage=\"1\"} 3\n"
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

TEST_MAIN(text_errors_test)
{
    shown();
    errors_as_json();
    outages_as_text();
    outages_as_json();
    as_metrics();
    codes();
    return test_done("text_errors");
}
