/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One run in every format: an interval, a checkpoint and the end of a report that has something of
 * every kind (test_fixture.h), as text in both lengths, as files, as metrics, as columns of a
 * terminal and as the list of figures.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/test_golden.h"
#include "report/fields.h"
#include "report/json.h"
#include "report/metrics.h"
#include "report/report.h"
#include "report/test_fixture.h"
#include "report/text_blocks.h"
#include "report/text_table.h"

static const struct report_end end = {.status = "completed",
                                      .measured = true,
                                      .has_rate = true,
                                      .why = "no \"client\" was free",
                                      .since_stage = 2,
                                      .since = "500:5s",
                                      .interrupted = "",
                                      .accounts_balance = true,
                                      .offered = 77,
                                      .achieved = 12.5,
                                      .wall = 1234567890 * NS_PER_SEC};

static struct str out;

static void as_text(const struct snapshot *s, const char *kind)
{
    text_interval(&out, s, TEXT_SQL, NULL, GENERATION_1_0, NULL);
    text_marks(&out, s);
    text_incident_lines(&out, s);
    golden(&out, "%s: lines", kind);
    for (int detail = TEXT_BRIEF; detail <= TEXT_FULL; detail++) {
        text_additions(&out, s, &end, &fixture_info, (enum text_detail)detail, TEXT_WIDTH);
        golden(&out, "%s: blocks, %s", kind, detail == TEXT_FULL ? "all" : "short");
    }
}

static struct text_screen ask(void *arg)
{
    (void)arg;
    return (struct text_screen){.width = 1000, .colour = true};
}

/* Both lines of the header, and a row with its colours. */
static void as_table(const struct snapshot *s)
{
    struct text_table *table = text_table_new(ask, NULL);

    text_table_interval(table, &out, s, true);
    golden(&out, "table");
    text_table_free(table);
}

static void list(void *arg, const struct field *f)
{
    static const char *const how[] = {[METRIC_LEVEL] = "level",
                                      [METRIC_SINCE] = "since",
                                      [METRIC_GROWS] = "grows",
                                      [METRIC_PER_S] = "per_s"};
    const char *section = field_section_name(f->section);
    struct metric m;

    (void)arg;
    metric_of(f, &m);
    str_printf(&out, "%s%s%s: ", section, *section ? "." : "", f->name);
    json_value(&out, &f->value);
    str_printf(&out, "%s%s%s%s%s; %s", f->whole ? " whole" : "", f->level ? " level" : "",
               f->missing ? " n/a: " : "", f->missing ? f->missing : "",
               f->lower ? " at least" : "", f->help);
    if (m.how != METRIC_NONE)
        str_printf(&out, "; %s %s{%s=%s} * %g: %s", how[m.how], m.family, m.label ? m.label : "",
                   m.value, m.factor, m.help);
    str_adds(&out, "\n");
}

static void as_files(void)
{
    static char name[][24] = {
        "text:text",       "csv:csv",           "summary-csv:summary", "checkpoints-csv:points",
        "steps-csv:steps", "stages-csv:stages", "ranks-csv:ranks",     "hosts-csv:hosts",
        "json:json",       "jsonl:jsonl",       "hlog:hlog",           "prometheus:prom",
        "openmetrics:om"};
    enum { FILES = sizeof name / sizeof *name };
    char directory[] = "/tmp/sb-formats-test-XXXXXX", *names[FILES];
    struct report_files *r = NULL;
    struct err e = {0};

    CHECK(mkdtemp(directory) && chdir(directory) == 0);
    for (int i = 0; i < FILES; i++)
        names[i] = name[i];
    CHECK_INT(report_files_parse(&r, names, FILES, &e), 0);
    CHECK_INT(report_files_open(r, &fixture_info, &e), 0);
    report_files_snapshot(r, &fixture(SNAPSHOT_INTERVAL, 1)->s);
    report_files_snapshot(r, &fixture(SNAPSHOT_CHECKPOINT, 2)->s);
    report_files_snapshot(r, &fixture(SNAPSHOT_INTERVAL, 3)->s);
    report_files_snapshot(r, &fixture(SNAPSHOT_FINAL, 4)->s);
    CHECK_INT(report_files_close(r, &end), 0);
    report_files_free(r);
    for (int i = 0; i < FILES; i++) {
        const char *path = strchr(name[i], ':') + 1;
        CHECK(golden_read(&out, path));
        golden(&out, "file %s", path);
        unlink(path);
    }
    CHECK(chdir("/") == 0 && rmdir(directory) == 0);
}

TEST_MAIN(formats_test)
{
    as_text(&fixture(SNAPSHOT_INTERVAL, 1)->s, "interval");
    as_text(&fixture(SNAPSHOT_CHECKPOINT, 1)->s, "checkpoint");
    as_text(&fixture(SNAPSHOT_FINAL, 1)->s, "summary");
    as_table(&fixture(SNAPSHOT_INTERVAL, 1)->s);
    fields_each(&fixture(SNAPSHOT_FINAL, 1)->s, list, NULL);
    golden(&out, "figures");
    int here = open(".", O_DIRECTORY);
    as_files();
    CHECK(fchdir(here) == 0 && close(here) == 0); /* where `srcdir` is */
    golden_done("formats");
    str_free(&out);
    return test_done("formats");
}
