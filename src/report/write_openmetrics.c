/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The state of the run as OpenMetrics 1.0 text, made anew at every report: for node_exporter's textfile
 * collector (name it *.prom), or published instead (--metrics-listen).  Counts since measuring began are
 * counters, a histogram of the latency as well; the figures of the last report are gauges,
 * sysbench_interval_* and by section.  Base units: seconds, bytes, ratios.  What has no value is left out,
 * which is how this format says it.  The older text format of Prometheus reads all of it too.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/fields.h"
#include "report/json.h"
#include "report/text_statements.h"
#include "report/writer.h"

struct metrics {
    struct hist_counts latency; /* since measuring began */
    struct str figures;         /* of the last report, to be written again at the end */
    struct str statements;      /* by kind: known at the end */
    struct str marks;           /* the last ones, a line each */
    uint64_t marked;            /* how many there were */
};

#define MARKS_SHOWN 100

/* `test="oltp_read_only"` */
static void label(struct str *out, const char *name, const char *value)
{
    str_printf(out, "%s=\"", name);
    for (const char *p = value; *p;) {
        size_t n = str_utf8(p);
        if (*p == '\n')
            str_adds(out, "\\n");
        else if (*p == '"' || *p == '\\')
            str_printf(out, "\\%c", *p);
        else if (n == 0)
            str_adds(out, "?"); /* one such byte, and no parser takes any of it */
        else
            str_add(out, p, n);
        p += n ? n : 1;
    }
    str_adds(out, "\"");
}

/* {test="oltp_read_only"}; with one more when `name` is not NULL. */
static void labels2(struct str *out, const struct report_info *info, const char *name, const char *value)
{
    str_adds(out, "{");
    label(out, "test", info->test);
    if (name) {
        str_adds(out, ",");
        label(out, name, value);
    }
    str_adds(out, "}");
}

static void labels(struct str *out, const struct report_info *info, const char *le)
{
    labels2(out, info, le ? "le" : NULL, le);
}

static void family(struct str *out, const char *name, const char *type, const char *help)
{
    str_printf(out, "# TYPE %s %s\n# HELP %s %s\n", name, type, name, help);
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n >= m && strcmp(name + n - m, end) == 0;
}

/* Our units into base units by name; returns what the value is to be multiplied with. */
static double base_unit(struct str *name, const char *field)
{
    static const struct {
        const char *ours, *base;
        double factor;
    } units[] = {{"_s_per_transaction", "_seconds_per_transaction", 1}, {"_per_s", "_per_second", 1},
                 {"_s", "_seconds", 1}, {"_pct", "_ratio", 0.01}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!ends_with(field, units[i].ours))
            continue;
        str_add(name, field, strlen(field) - strlen(units[i].ours));
        str_adds(name, units[i].base);
        return units[i].factor;
    }
    str_adds(name, field);
    return 1;
}

/* Names of events and the server's counters have characters that names of metrics may not have. */
static void legal_name(struct str *name)
{
    for (size_t i = 0; i < name->len; i++) {
        char ch = name->s[i];
        bool legal = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9');
        if (!legal)
            name->s[i] = '_';
    }
}

struct walk {
    struct str *out;
    const struct report_info *info;
};

static void one_metric(void *arg, const struct field *f)
{
    struct walk *w = arg;
    struct str name = STR_INIT;
    double factor;

    if (f->missing)
        return;
    str_adds(&name, "sysbench_");
    if (!f->grows)
        str_printf(&name, "%s_", f->section == FIELD_LOAD ? "interval" : field_section_name(f->section));
    factor = base_unit(&name, f->name);
    legal_name(&name);
    family(w->out, name.s, f->grows ? "counter" : "gauge", f->help);
    str_printf(w->out, "%s%s", name.s, f->grows ? "_total" : "");
    labels(w->out, w->info, NULL);
    str_adds(w->out, " ");
    if (f->type == FIELD_COUNT)
        str_printf(w->out, "%llu", (unsigned long long)f->count);
    else
        json_number(w->out, f->number * factor);
    str_adds(w->out, "\n");
    str_free(&name);
}

/* 1, 2.5, 5 in each decade from 10 us to 100 s. */
static void histogram(struct str *out, const struct metrics *m, const struct report_info *info)
{
    static const char *const bound[] = {
        "1e-05", "2.5e-05", "5e-05", "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025",
        "0.05",  "0.1",     "0.25",  "0.5",    "1.0",     "2.5",    "5.0",   "10.0",   "25.0",  "50.0", "100.0"};
    uint64_t n = 0;
    size_t i = 0;

    family(out, "sysbench_transaction_latency_seconds", "histogram",
           "time of a transaction since measuring began; with a rate from its planned start");
    for (size_t k = 0; k < sizeof bound / sizeof *bound; k++) {
        for (; i < m->latency.size && (double)hist_bucket_high(i) <= atof(bound[k]) * 1e9; i++)
            n += m->latency.count[i];
        str_adds(out, "sysbench_transaction_latency_seconds_bucket");
        labels(out, info, bound[k]);
        str_printf(out, " %llu\n", (unsigned long long)n);
    }
    str_adds(out, "sysbench_transaction_latency_seconds_bucket");
    labels(out, info, "+Inf");
    str_printf(out, " %llu\nsysbench_transaction_latency_seconds_count", (unsigned long long)m->latency.total);
    labels(out, info, NULL);
    str_printf(out, " %llu\nsysbench_transaction_latency_seconds_sum", (unsigned long long)m->latency.total);
    labels(out, info, NULL);
    str_adds(out, " ");
    json_number(out, m->latency.total ? hist_mean(&m->latency) * (double)m->latency.total / 1e9 : 0);
    str_adds(out, "\n");
}

/* A gauge, because older readers know no type "info". */
static void run_info(struct str *out, const struct report_info *info)
{
    family(out, "sysbench_run_info", "gauge", "what runs, and since when; always 1");
    str_adds(out, "sysbench_run_info{");
    label(out, "test", info->test);
    str_adds(out, ",");
    label(out, "command", info->command);
    str_adds(out, ",");
    label(out, "version", info->version);
    str_printf(out, "} 1\n");
    family(out, "sysbench_run_start_time_seconds", "gauge", "when the run began, seconds since 1970");
    str_adds(out, "sysbench_run_start_time_seconds");
    labels(out, info, NULL);
    str_printf(out, " %.3f\n", (double)info->wall / 1e9);
}

static void statement_value(struct str *out, const struct report_info *info, const char *name,
                            const struct kind_figures *f, const char *value)
{
    str_adds(out, name);
    labels2(out, info, "statement", statement_name(f));
    str_printf(out, " %s\n", value);
}

static void statement_count(struct str *out, const struct report_info *info, const char *name, const char *help,
                            const struct snapshot *s, size_t offset)
{
    char value[32], sample[80];

    family(out, name, "counter", help);
    snprintf(sample, sizeof sample, "%s_total", name);
    for (size_t i = 0; i < s->nstatements; i++) {
        uint64_t n;
        memcpy(&n, (const char *)&s->statements[i] + offset, sizeof n);
        snprintf(value, sizeof value, "%llu", (unsigned long long)n);
        statement_value(out, info, sample, &s->statements[i], value);
    }
}

static void quantile(struct str *out, const struct report_info *info, const struct kind_figures *f, const char *q,
                     int64_t ns)
{
    str_adds(out, "sysbench_statement_duration_seconds{");
    label(out, "test", info->test);
    str_adds(out, ",");
    label(out, "statement", statement_name(f));
    str_adds(out, ",");
    label(out, "quantile", q);
    str_printf(out, "} %.9f\n", dur_sec(ns));
}

/* By kind, of the whole run.  No two kinds are named alike: what the user named is told from a text by the class alone,
 * which no sensible name needs. */
static void statements(struct str *out, const struct report_info *info, const struct snapshot *s)
{
    char value[32];

    if (!s->nstatements)
        return;
    family(out, "sysbench_statement_duration_seconds", "summary", "time of a statement, by kind");
    for (size_t i = 0; i < s->nstatements; i++) {
        const struct kind_figures *f = &s->statements[i];
        quantile(out, info, f, "0.5", f->p50);
        quantile(out, info, f, "0.95", f->p95);
        quantile(out, info, f, "0.99", f->p99);
        snprintf(value, sizeof value, "%.9f", dur_sec(f->sum_ns));
        statement_value(out, info, "sysbench_statement_duration_seconds_sum", f, value);
        snprintf(value, sizeof value, "%llu", (unsigned long long)f->count);
        statement_value(out, info, "sysbench_statement_duration_seconds_count", f, value);
    }
    statement_count(out, info, "sysbench_statement_errors", "statements that failed, by kind", s,
                    offsetof(struct kind_figures, errors));
    statement_count(out, info, "sysbench_statement_rows", "rows of results, or changed, by kind", s,
                    offsetof(struct kind_figures, rows));
}

/* The last ones as instants, for annotations. */
static void add_marks(struct metrics *m, const struct report_info *info, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nmarks; i++, m->marked++) {
        char n[24];
        if (m->marked >= MARKS_SHOWN) { /* the oldest line goes */
            size_t len = strcspn(m->marks.s, "\n") + 1;
            memmove(m->marks.s, m->marks.s + len, m->marks.len - len + 1);
            m->marks.len -= len;
        }
        snprintf(n, sizeof n, "%llu", (unsigned long long)m->marked + 1);
        str_adds(&m->marks, "sysbench_mark_timestamp_seconds{");
        label(&m->marks, "test", info->test);
        str_adds(&m->marks, ",");
        label(&m->marks, "mark", n);
        str_adds(&m->marks, ",");
        label(&m->marks, "text", s->marks[i].text);
        str_printf(&m->marks, "} %.3f\n", (double)s->marks[i].wall / 1e9);
    }
}

static void marks(struct str *out, const struct metrics *m, const struct report_info *info)
{
    if (!m->marked)
        return;
    family(out, "sysbench_marks", "counter", "marks in the timeline since the start");
    str_adds(out, "sysbench_marks_total");
    labels(out, info, NULL);
    str_printf(out, " %llu\n", (unsigned long long)m->marked);
    family(out, "sysbench_mark_timestamp_seconds", "gauge", "when the mark was made");
    str_add(out, m->marks.s, m->marks.len);
}

/* `active`: is the run going on? */
static void write_file(struct report_file *f, bool active)
{
    struct metrics *m = f->state;

    family(&f->text, "sysbench_run_active", "gauge", "1 while the run lasts, 0 when it has ended");
    str_adds(&f->text, "sysbench_run_active");
    labels(&f->text, f->info, NULL);
    str_printf(&f->text, " %d\n", active);
    run_info(&f->text, f->info);
    if (m->figures.len)
        str_add(&f->text, m->figures.s, m->figures.len);
    histogram(&f->text, m, f->info);
    if (m->statements.len)
        str_add(&f->text, m->statements.s, m->statements.len);
    marks(&f->text, m, f->info);
    str_adds(&f->text, "# EOF\n");
    if (f->publish)
        f->publish(f->publish_arg, f->text.s, f->text.len);
    else
        out_replace_all(&f->out, f->text.s, f->text.len);
    str_reset(&f->text);
}

static void begin(struct report_file *f)
{
    struct metrics *m = mem_alloc(sizeof *m);

    hist_counts_init(&m->latency, HIST_BUCKETS);
    f->state = m;
    write_file(f, true);
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    struct metrics *m = f->state;
    struct walk w = {&m->figures, f->info};

    add_marks(m, f->info, s);
    if (s->kind == SNAPSHOT_FINAL)
        statements(&m->statements, f->info, s);
    str_reset(&m->figures);
    fields_each(s, one_metric, &w);
    if (s->hists.response && (s->kind == SNAPSHOT_INTERVAL || (s->kind == SNAPSHOT_CHECKPOINT && !f->info->intervals)))
        hist_counts_merge(&m->latency, s->hists.response);
    else if (s->hists.response && s->kind == SNAPSHOT_FINAL)
        hist_counts_copy(&m->latency, s->hists.response);
    if (s->kind != SNAPSHOT_FINAL) /* else it is written with the end */
        write_file(f, true);
}

static void end(struct report_file *f, const struct report_end *e)
{
    struct metrics *m = f->state;

    (void)e;
    write_file(f, false);
    hist_counts_fini(&m->latency);
    str_free(&m->figures);
    str_free(&m->statements);
    str_free(&m->marks);
    free(m);
    f->state = NULL;
}

const struct writer writer_openmetrics = {.name = "openmetrics", .suffixes = " .prom .om ", .replaces = true,
                                          .begin = begin, .snapshot = snapshot, .end = end};
