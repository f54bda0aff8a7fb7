/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names and formats of result files, and what is on the disk at every moment: before the run,
 * during it, when the file may not grow any more, and after it.  Tests of the whole program check
 * the contents (tests/t/report_*.t).
 */
#include "report/report.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/test_golden.h"
#include "report/test_fixture.h"

static char directory[] = "/tmp/sb-report-test-XXXXXX";

static struct str file, out;

/* What is in a file now. */
static const char *contents(const char *name)
{
    str_reset(&file);
    CHECK(golden_read(&file, name));
    return str_cstr(&file);
}

static int files_there(void)
{
    DIR *d = opendir(".");
    struct dirent *e;
    int n = 0;

    while (d && (e = readdir(d)))
        n += *e->d_name != '.';
    if (d)
        closedir(d);
    return n;
}

static void refuse(const char *names)
{
    char copy[100], *name[2], *rest = copy;
    struct report_files *r = NULL;
    struct err e = {0};
    size_t n = 0;

    snprintf(copy, sizeof copy, "%s", names);
    while (rest)
        name[n++] = strsep(&rest, " ");
    CHECK_INT(report_files_parse(&r, name, n, &e), -1);
    CHECK(r == NULL);
    CHECK(e.kind == ERR_USAGE || e.kind == ERR_FAILED);
    str_printf(&out, "%s\n", e.msg);
    CHECK_INT(files_there(), 0);
}

/* A table of reports that the run does not make would be empty. */
static void nothing_to_tell(char *name, bool intervals, bool checkpoints)
{
    struct report_files *r = NULL;
    struct err e = {0};

    CHECK_INT(report_files_parse(&r, &name, 1, &e), 0);
    CHECK_INT(report_files_check(r, intervals, checkpoints, true, &e), *e.msg ? -1 : 0);
    str_printf(&out, "%s: %s\n", name, e.msg);
    report_files_free(r);
}

static void names(void)
{
    static char table[][24] = {"a.csv", "a.summary.csv", "a.checkpoints.csv", "summary-csv:a.csv",
                               "a.json"};

    golden_each("a|a.|a.jso|a.json/|.json/a|xml:a.json|:a.json|json:|json:/|json:.|nowhere/a.json|"
                "openmetrics:-|prometheus:-|csv/a.b|openmetrics:/dev/null|a.csv json:a.csv|"
                "csv:- text:/dev/stdout",
                refuse);
    golden(&out, "refused");
    for (size_t i = 0; i < COUNT(table); i++)
        for (int intervals = 0; intervals < 2; intervals++)
            nothing_to_tell(table[i], intervals, !intervals);
    golden(&out, "with checkpoints, or with intervals");
}

static const struct report_end good = {.status = "completed", .measured = true, .why = ""};

static struct report_files *open_all(const char *const *names, size_t n)
{
    struct report_files *r = NULL;
    struct err e = {0};

    CHECK_INT(report_files_parse(&r, (char *const *)(uintptr_t)names, n, &e), 0);
    CHECK_INT(report_files_open(r, &fixture_info, &e), 0);
    CHECK_STR(e.msg, "");
    return r;
}

static void close_all(struct report_files *r, const struct report_end *end, int rc)
{
    CHECK_INT(report_files_close(r, end), rc);
    report_files_free(r);
}

/* Nothing else is there. */
static void removed(const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK_INT(unlink(strchr(names[i], ':') ? strchr(names[i], ':') + 1 : names[i]), 0);
    CHECK_INT(files_there(), 0);
}

static struct snapshot snapshot_of(enum snapshot_kind kind, struct hist_counts *h)
{
    return (struct snapshot){.kind = kind,
                             .elapsed_ns = NS_PER_SEC,
                             .interval_ns = NS_PER_SEC,
                             .has_latency = true,
                             .hists.response = h};
}

#define RUNNING                                                                                    \
    "\"end\":{\"status\":\"running\",\"signal\":null,\"error\":null,\"wall_time_unix_s\":null}}"

/* It ends so, apart from blanks: reserved room. */
static bool ends(const char *name, const char *end)
{
    size_t n = strlen(contents(name)), m = strlen(end);

    while (n > 0 && strchr(" \n", file.s[n - 1]))
        n--;
    return n >= m && strncmp(file.s + n - m, end, m) == 0;
}

static int count(const char *text, const char *what)
{
    int n = 0;

    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

/* A document is whole at every moment; the histograms of a log add up to the run. */
static void all_formats(void)
{
    static const char *const names[] = {"a.txt", "json:a", "a.hlog", "a.prom", "a.om"};
    struct report_files *r = open_all(names, COUNT(names));
    struct hist_counts h;
    struct snapshot s;

    hist_counts_init(&h, HIST_BUCKETS);
    hist_counts_put(&h, hist_index(5000), 3);
    CHECK_STR(contents("a.txt"), "header\n");
    CHECK(ends("a.prom", "_count{test=\"a \\\"test\\\"\",env=\"prod\"} 0"));
    CHECK(ends("a.om", "# EOF"));
    for (int i = 0; i <= 3; i++) {
        s = snapshot_of(i == 2 ? SNAPSHOT_CHECKPOINT : SNAPSHOT_INTERVAL, &h);
        if (i)
            report_files_snapshot(r, &s);
        CHECK(ends("a", RUNNING));
        CHECK_INT(count(file.s, "\"kind\":"), i);
    }
    hist_counts_put(&h, hist_index(5000), 4);
    s = snapshot_of(SNAPSHOT_FINAL, &h);
    report_files_snapshot(r, &s);
    close_all(r, &good, 0);
    CHECK_INT(count(contents("a"), "\"kind\":"), 4);
    CHECK(strstr(file.s, "\"buckets\":[[5000,5003,7]]"));
    CHECK(!strstr(file.s, "  ")); /* no room is left in it */
    CHECK_STR(contents("a.txt"), "header\nreport 0\nreport 1\nreport 0\nreport 2\n");
    CHECK_INT(count(contents("a.hlog"), "\nTag=latency,"), 3); /* two intervals of 3, and 1 more */
    hist_counts_fini(&h);
    removed(names, COUNT(names));
}

#define ROOM 12000 /* for a beginning and some intervals, not for ten */

/* The file may not grow beyond its limit: complete pieces stay, the rest is removed, and close
 * reports it. */
static void no_room(void)
{
    static const char *const names[] = {"b.json", "b.jsonl", "b.csv", "b.prom"};
    struct rlimit before, limit;
    struct snapshot s = snapshot_of(SNAPSHOT_INTERVAL, NULL);
    struct report_files *r = open_all(names, 4);
    int n;

    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 3; i++)
        report_files_snapshot(r, &s);
    limit = (struct rlimit){.rlim_cur = ROOM, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 10; i++)
        report_files_snapshot(r, &s);
    close_all(r, &good, -1);
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(strstr(contents("b.json"),
                 "\"end\":{\"status\":\"incomplete\",\"signal\":null,\"error\":\"the file could "
                 "not be written to its end\""));
    n = count(file.s, "\"kind\":\"interval\"");
    CHECK(n >= 3 && n < 13);
    CHECK_INT(count(file.s, "\"end\":"), 1);
    n = count(contents("b.jsonl"), "\n");
    CHECK(file.s[file.len - 1] == '\n' && n >= 4 && n < 14);
    removed(names, 4); /* nothing temporary */
}

/* A table keeps the columns of its first line, even when later figures differ. */
static void table_columns(void)
{
    static const char *const names[] = {"c.csv"};
    static const struct perf_spec spec[] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    struct probe_delta probe = {.how = "",
                                .events = 2,
                                .event = spec,
                                .perf = {.f = {{.have = true, .count = 1, .ratio = 1},
                                               {.have = true, .count = 2, .ratio = 1},
                                               {.have = true, .count = 3, .ratio = 1}}}};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL, .events = 1, .probe = &probe};
    struct report_files *r = open_all(names, 1);
    size_t commas[5], n = 0;

    report_files_snapshot(r, &s);
    probe.events = 3;
    report_files_snapshot(r, &s);
    probe.events = 0;
    report_files_snapshot(r, &s);
    s.probe = NULL;
    report_files_snapshot(r, &s);
    close_all(r, &good, 0);
    const char *text = contents("c.csv");
    CHECK(strstr(text, ",server_events_b_counted_pct,missing,at_least,marks,label_env\n") != NULL);
    CHECK(strstr(text, ",1,1,100,2,2,100,") != NULL);
    CHECK(strstr(text, ",,,,,,,") != NULL);
    for (const char *p = text; *p && n < 5; p = strchr(p, '\n') + 1, n++) {
        commas[n] = 0;
        for (bool quoted = false; *p != '\n'; p++) { /* reasons have commas of their own */
            quoted ^= *p == '"';
            commas[n] += *p == ',' && !quoted;
        }
        CHECK_INT(commas[n], commas[0]);
    }
    CHECK_INT(n, 5);
    removed(names, 1);
}

/* A run that never began: files have that status and parse. */
static void nothing_measured(void)
{
    static const char *const names[] = {"c.json", "c.hlog"};
    const struct report_end end = {.status = "failed", .error = "cannot \"connect\"", .why = ""};

    close_all(open_all(names, 2), &end, 0);
    CHECK(strstr(contents("c.json"),
                 "\"environment\":null,\n\"intervals\":[\n],\n"
                 "\"checkpoints\":[],\n\"marks\":[],\n\"phases\":[],\n\"commands\":[\n"));
    CHECK(strstr(file.s, "],\n\"summary\":null,\n\"verdict\":null,\n\"profile\":{"));
    CHECK(strstr(file.s, "\n\"histograms\":null,\n\"end\":{\"status\":\"failed\",\"signal\":null,"
                         "\"error\":\"cannot \\\"connect\\\"\""));
    CHECK(strncmp(contents("c.hlog"), "#[sysbench-tx 1.2, ", 19) == 0);
    CHECK(ends("c.hlog", "\"Interval_Compressed_Histogram\""));
    removed(names, 2);
}

/* A page has the lines of jsonl, in which no character ends its script. */
static void page(void)
{
    static const char *const names[] = {"c.html", "c.jsonl"};
    const struct report_end end = {.status = "failed", .error = "<a></script><<b", .why = "<"};
    struct str want = STR_INIT;
    const char *data;

    close_all(open_all(names, 2), &end, 0);
    CHECK_INT(count(contents("c.jsonl"), "<"), 4);
    for (const char *at = file.s; *at; at++)
        if (*at == '<')
            str_adds(&want, "\\u003c");
        else
            str_add(&want, at, 1);
    str_adds(&want, "</script>\n");
    data = strstr(contents("c.html"), "id=\"run\">\n");
    CHECK_STR(data ? data + 10 : "", str_cstr(&want));
    str_free(&want);
    removed(names, 2);
}

TEST_MAIN(report_test)
{
    log_set_verbosity(LOG_FATAL);
    const int here = open(".", O_DIRECTORY); /* where `srcdir` is */
    if (!mkdtemp(directory) || chdir(directory))
        return 1;
    names();
    all_formats();
    no_room();
    table_columns();
    nothing_measured();
    page();
    str_free(&file);
    str_free(&out);
    CHECK(fchdir(here) == 0 && close(here) == 0 && rmdir(directory) == 0);
    golden_done("report");
    return test_done("report");
}
