/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The state of the run as OpenMetrics 1.0 text, made anew at every report: for node_exporter's textfile
 * collector (name it *.prom), or published instead (--metrics-listen).  Counts since measuring began are
 * counters, a histogram of the latency as well; the figures of the last report are gauges,
 * sysbench_interval_* and by section.  Base units: seconds, bytes, ratios.  What has no value is left out,
 * which is how this format says it.  The older text format of Prometheus reads all of it too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/fields.h"
#include "report/json.h"
#include "report/writer.h"

struct metrics {
    struct hist_counts latency; /* since measuring began */
    struct str figures;         /* of the last report, to be written again at the end */
};

/* NAME="VALUE" */
static void label(struct str *out, const char *name, const char *value)
{
    str_printf(out, "%s=\"", name);
    for (const char *p = value; *p; p++) {
        if (*p == '\n')
            str_adds(out, "\\n");
        else if (*p == '"' || *p == '\\')
            str_printf(out, "\\%c", *p);
        else
            str_add(out, p, 1);
    }
    str_adds(out, "\"");
}

/* {test="oltp_read_only"}; le as a further label. */
static void labels(struct str *out, const struct report_info *info, const char *le)
{
    str_adds(out, "{");
    label(out, "test", info->test);
    if (le)
        str_printf(out, ",le=\"%s\"", le);
    str_adds(out, "}");
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

    str_reset(&m->figures);
    fields_each(s, one_metric, &w);
    if (s->hists.response && s->kind == SNAPSHOT_INTERVAL)
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
    free(m);
    f->state = NULL;
}

const struct writer writer_openmetrics = {.name = "openmetrics", .suffixes = " .prom .om ", .replaces = true,
                                          .begin = begin, .snapshot = snapshot, .end = end};
