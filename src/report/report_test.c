/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names and formats of result files, and what is on the disk at every moment: before the run,
 * during it, when the file may not grow any more, and after it.  Tests of the whole program check
 * the contents (tests/t/report_*.t).
 */
#include "report/report.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/test.h"

static char directory[] = "/tmp/sb-report-test-XXXXXX";

static char *contents(const char *name)
{
    struct str s = STR_INIT;
    int fd = open(name, O_RDONLY);
    char buf[4096];
    ssize_t n;

    while (fd >= 0 && (n = read(fd, buf, sizeof buf)) > 0)
        str_add(&s, buf, (size_t)n);
    if (fd >= 0)
        close(fd);
    return s.s ? s.s : mem_strdup("");
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

static void refused(void)
{
    static const struct {
        const char *name[2], *want; /* part of the sentence */
    } t[] = {
        {{"a", NULL},
         "'a' (its suffix names no format; formats are text, csv, summary-csv, checkpoints-csv, "
         "steps-csv, stages-csv, ranks-csv, hosts-csv, json, jsonl, html, "
         "hlog, prometheus, openmetrics, as "},
        {{"a.", NULL}, "its suffix names no format"},
        {{"a.jso", NULL}, "its suffix names no format"},
        {{"a.json/", NULL}, "its suffix names no format"},
        {{".json/a", NULL}, "its suffix names no format"},
        {{"xml:a.json", NULL}, "'xml:a.json' (no such format"},
        {{":a.json", NULL}, "no such format"},
        {{"json:", NULL}, "no file is named"},
        {{"json:/", NULL}, "'/' is a directory"},
        {{"json:.", NULL}, "'.' is a directory"},
        {{"nowhere/a.json", NULL}, "the directory of 'nowhere/a.json': No such file or directory"},
        {{"openmetrics:-", NULL}, "is not a regular file"},
        {{"prometheus:-", NULL}, "is not a regular file"},
        {{"csv/a.b", NULL}, "its suffix names no format"},
        {{"openmetrics:/dev/null", NULL}, "is not a regular file"},
        {{"a.csv", "json:a.csv"}, "'a.csv' is named twice"},
        {{"csv:-", "text:/dev/stdout"}, "is named twice"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct report_files *r = NULL;
        struct err e = {0};
        CHECK_INT(
            report_files_parse(&r, (char *const *)(uintptr_t)t[i].name, t[i].name[1] ? 2 : 1, &e),
            -1);
        CHECK(r == NULL);
        CHECK(e.kind == ERR_USAGE || e.kind == ERR_FAILED);
        if (!strstr(e.msg, t[i].want))
            CHECK_STR(e.msg, t[i].want);
    }
    CHECK_INT(files_there(), 0);
}

/* A table of reports that the run does not make would be empty. */
static void nothing_to_tell(void)
{
    static const struct {
        const char *name;
        bool intervals, checkpoints;
        const char *want; /* part of the sentence; NULL: it is good */
    } t[] = {
        {"a.csv", false, true,
         "--report-file=a.csv has a row for each interval: give --report-interval=N too, or name "
         "the file FILE.summary.csv for a row of the whole run"},
        {"a.csv", true, false, NULL},
        {"a.summary.csv", false, false, NULL},
        {"a.checkpoints.csv", true, false,
         "--report-file=a.checkpoints.csv has a row for each checkpoint: give "
         "--report-checkpoints=LIST too"},
        {"a.checkpoints.csv", false, true, NULL},
        {"summary-csv:a.csv", false, false, NULL},
        {"a.json", false, false, NULL},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct report_files *r = NULL;
        struct err e = {0};
        CHECK_INT(report_files_parse(&r, (char *const *)(uintptr_t)&t[i].name, 1, &e), 0);
        CHECK_INT(report_files_check(r, t[i].intervals, t[i].checkpoints, true, &e),
                  t[i].want ? -1 : 0);
        CHECK_STR(e.msg, t[i].want ? t[i].want : "");
        report_files_free(r);
    }
}

static void text_header(const void *arg, struct str *out)
{
    (void)arg;
    str_adds(out, "header\n");
}

static void text_of(const void *arg, const struct snapshot *s, struct str *out)
{
    (void)arg;
    str_printf(out, "report %d\n", (int)s->kind);
}

static const struct report_option options[] = {{"threads", "2", "2", REPORT_NUMBER, 2}};
static const struct report_fact facts[] = {{"host", "h", NULL, false},
                                           {"speed", NULL, "not known", true}};
static char program[] = "sysbench";
static char *arguments[] = {program, NULL};
static char key[] = "env", value[] = "prod";
static const struct report_label label[] = {{key, value}};
static const struct report_info info = {.label = label,
                                        .labels = 1,
                                        .version = "1",
                                        .test = "a \"test\"",
                                        .command = "run",
                                        .argv = arguments,
                                        .argc = 1,
                                        .option = options,
                                        .options = 1,
                                        .fact = facts,
                                        .facts = 2,
                                        .header = text_header,
                                        .text = text_of};
static const struct report_end good = {.status = "completed", .measured = true, .why = ""};

static struct report_files *open_all(const char *const *names, size_t n)
{
    struct report_files *r = NULL;
    struct err e = {0};

    CHECK_INT(report_files_parse(&r, (char *const *)(uintptr_t)names, n, &e), 0);
    CHECK_INT(report_files_open(r, &info, &e), 0);
    CHECK_STR(e.msg, "");
    return r;
}

static struct snapshot snapshot_of(enum snapshot_kind kind, struct hist_counts *h)
{
    return (struct snapshot){.kind = kind,
                             .elapsed_ns = NS_PER_SEC,
                             .interval_ns = NS_PER_SEC,
                             .has_latency = true,
                             .hists.response = h};
}

static void check_begin_end(const char *name, const char *begin, const char *end)
{
    char *text = contents(name);
    size_t n = strlen(text), m = strlen(end);

    CHECK(strncmp(text, begin, strlen(begin)) == 0);
    while (n > 0 && text[n - 1] == ' ') /* reserved room */
        n--;
    CHECK(n >= m && strncmp(text + n - m, end, m) == 0);
    free(text);
}

#define RUNNING                                                                                    \
    "\"end\":{\"status\":\"running\",\"signal\":null,\"error\":null,\"wall_time_unix_s\":null}}"

/* The document without the blanks at its end. */
static char *document(const char *name)
{
    char *text = contents(name);
    size_t n = strlen(text);

    CHECK(n > 0 && text[n - 1] == '\n');
    while (n > 0 && strchr(" \n", text[n - 1]))
        text[--n] = '\0';
    return text;
}

static bool ends(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

static int count(const char *text, const char *what)
{
    int n = 0;

    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static void all_formats(void)
{
    static const char *const names[] = {"a.txt",  "a.csv",   "a.summary.csv", "checkpoints-csv:t",
                                        "json:a", "a.jsonl", "a.hlog",        "a.prom",
                                        "a.om"};
    struct report_files *r = open_all(names, 9);
    struct hist_counts h;
    struct snapshot s;
    char *text;

    hist_counts_init(&h, HIST_BUCKETS);
    hist_counts_put(&h, hist_index(5000), 3);
    CHECK_INT(files_there(), 9);
    check_begin_end("a.txt", "header\n", "header\n");
    check_begin_end("a.prom", "# HELP sysbench_run_active ",
                    "_count{test=\"a \\\"test\\\"\",env=\"prod\"} 0\n");
    check_begin_end("a.om", "# HELP sysbench_run_active ", "# EOF\n");
    text = document("a");
    CHECK(ends(text, RUNNING));
    CHECK_INT(count(text, "\"kind\":"), 0);
    CHECK(strstr(text, "\"test\":\"a \\\"test\\\"\"") &&
          strstr(text, "\"missing\":{\"speed\":\"not known\"}"));
    free(text);
    for (int i = 1; i <= 3; i++) {
        s = snapshot_of(i == 2 ? SNAPSHOT_CHECKPOINT : SNAPSHOT_INTERVAL, &h);
        report_files_snapshot(r, &s);
        text = document("a");
        CHECK(ends(text, RUNNING));
        CHECK_INT(count(text, "\"kind\":"), i);
        free(text);
    }
    hist_counts_put(&h, hist_index(5000), 4);
    s = snapshot_of(SNAPSHOT_FINAL, &h);
    report_files_snapshot(r, &s);
    CHECK_INT(report_files_close(r, &good), 0);
    report_files_free(r);
    text = document("a");
    CHECK_INT(count(text, "\"kind\":"), 4);
    CHECK(strstr(text, "\"buckets\":[[5000,5003,7]]") && strstr(text, "\"status\":\"completed\""));
    CHECK(!strstr(text, "  ")); /* no room is left in it */
    free(text);
    check_begin_end("a.txt", "header\nreport 0\nreport 1\nreport 0\nreport 2\n", "report 2\n");
    text = contents("a.hlog"); /* two intervals of 3, and 1 more */
    CHECK_INT(count(text, "\nTag=latency,"), 3);
    free(text);
    CHECK_INT(files_there(), 9);
    hist_counts_fini(&h);
}

/* The file may not grow beyond its limit: complete pieces stay, the rest is removed, and close
 * reports it. */
static void no_room(void)
{
    static const char *const names[] = {"b.json", "b.jsonl", "b.csv", "b.prom"};
    struct rlimit before, limit;
    struct report_files *r;
    struct snapshot s = snapshot_of(SNAPSHOT_INTERVAL, NULL);
    char *text;

    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    r = open_all(names, 4);
    for (int i = 0; i < 3; i++)
        report_files_snapshot(r, &s);
    limit = (struct rlimit){.rlim_cur = 7000, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 10; i++)
        report_files_snapshot(r, &s);
    CHECK_INT(report_files_close(r, &good), -1);
    report_files_free(r);
    setrlimit(RLIMIT_FSIZE, &before);
    text = document("b.json");
    CHECK(strstr(text,
                 "\"end\":{\"status\":\"incomplete\",\"signal\":null,\"error\":\"the file could "
                 "not be written to its end\""));
    CHECK(count(text, "\"kind\":\"interval\"") >= 3 && count(text, "\"kind\":\"interval\"") < 13);
    CHECK_INT(count(text, "\"end\":"), 1);
    free(text);
    text = contents("b.jsonl");
    CHECK(ends(text, "}\n") && count(text, "\n") >= 4 && count(text, "\n") < 14);
    free(text);
    for (size_t i = 0; i < 4; i++)
        unlink(names[i]);
    CHECK_INT(files_there(), 9); /* nothing temporary */
}

/* A run that never began: files have that status and parse. */
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
    char *text;

    report_files_snapshot(r, &s);
    probe.events = 3;
    report_files_snapshot(r, &s);
    probe.events = 0;
    report_files_snapshot(r, &s);
    s.probe = NULL;
    report_files_snapshot(r, &s);
    CHECK_INT(report_files_close(r, &good), 0);
    report_files_free(r);
    text = contents("c.csv");
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
    free(text);
    unlink("c.csv");
}

static void nothing_measured(void)
{
    static const char *const names[] = {"c.json", "c.hlog"};
    const struct report_end end = {.status = "failed", .error = "cannot \"connect\"", .why = ""};
    struct report_files *r = open_all(names, 2);
    char *text;

    CHECK_INT(report_files_close(r, &end), 0);
    report_files_free(r);
    text = document("c.json");
    CHECK(strstr(text, "\"environment\":null,\n\"intervals\":[\n],\n"
                       "\"checkpoints\":[],\n\"marks\":[],\n\"phases\":[],\n"
                       "\"commands\":[],\n\"summary\":null,\n\"verdict\":null,\n"
                       "\"profile\":null,\n\"histograms\":null,\n"));
    CHECK(
        strstr(text, "\"status\":\"failed\",\"signal\":null,\"error\":\"cannot \\\"connect\\\"\""));
    free(text);
    check_begin_end("c.hlog", "#[sysbench-tx 1, ", "\"Interval_Compressed_Histogram\"\n");
    unlink("c.json");
    unlink("c.hlog");
}

/* A page has the lines of jsonl, in which no character ends its script. */
static void page(void)
{
    static const char *const names[] = {"c.html", "c.jsonl"};
    const struct report_end end = {.status = "failed", .error = "<a></script><<b", .why = "<"};
    struct report_files *r = open_all(names, 2);
    struct str want = STR_INIT;

    CHECK_INT(report_files_close(r, &end), 0);
    report_files_free(r);
    char *text = contents("c.html"), *lines = contents("c.jsonl"), *data;
    CHECK_INT(count(lines, "<"), 4);
    for (const char *at = lines; *at; at++)
        if (*at == '<')
            str_adds(&want, "\\u003c");
        else
            str_add(&want, at, 1);
    str_adds(&want, "</script>\n");
    data = strstr(text, "id=\"run\">\n");
    CHECK_STR(data ? data + 10 : "", str_cstr(&want));
    free(text);
    free(lines);
    str_free(&want);
    unlink("c.html");
    unlink("c.jsonl");
}

static void clean_up(void)
{
    static const char *const names[] = {"a.txt",   "a.csv",  "a.summary.csv", "t",   "a",
                                        "a.jsonl", "a.hlog", "a.prom",        "a.om"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(names[i]);
    CHECK_INT(files_there(), 0);
    if (chdir("/") == 0)
        rmdir(directory);
}

TEST_MAIN(report_test)
{
    log_set_verbosity(LOG_FATAL);
    if (!mkdtemp(directory) || chdir(directory))
        return 1;
    refused();
    nothing_to_tell();
    all_formats();
    no_room();
    table_columns();
    nothing_measured();
    page();
    clean_up();
    return test_done("report");
}
