/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The state of the run as metrics, rewritten at every report: for node_exporter's textfile
 * collector (name it *.prom), as OpenMetrics (*.om), or published in both formats
 * (--metrics-listen).  Counts since measuring began are counters, latencies are summaries
 * (percentiles of the last report, sum and count since measuring began) and a histogram, the rest
 * are gauges of the last report.  The rows of sections.c and records.c say which metric a figure
 * is.  A missing value is left out, as is usual in these formats.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/metrics.h"
#include "report/text.h"
#include "report/writer.h"

#define MARKS_SHOWN 100

struct mark_shown {
    uint64_t number;
    wall_ns wall;
    char *text;
};

/* One latency series since measuring began. */
struct since {
    const char *family, *help;
    struct hist_counts counts;
};

enum { LATENCY, SERVICE, LAG, SERIES };

struct state {
    struct metrics run, body; /* run: whether it goes on; body: the rest, as of the last report */
    struct metrics_totals totals;
    struct since series[SERIES];
    struct mark_shown mark[MARKS_SHOWN]; /* a ring: the last ones */
    uint64_t marked;
};

static void gauge(struct metrics *m, const char *name, const char *help, double value)
{
    metrics_number(m, metrics_family(m, name, METRICS_GAUGE, help), "", NULL, 0, value);
}

/* --- the figures of the table --- */

struct walk {
    struct state *state;
    const struct report_info *info;
    enum snapshot_kind kind;
    double interval_s; /* of the section */
};

/* Adds the figure to its running total; a figure that this report lacks leaves it unchanged.
 * False: no report had the figure yet. */
static bool grown(const struct walk *w, const struct field *f, const struct metric *metric,
                  double *total)
{
    char key[FIELD_NAME_SIZE + 192];
    double part = field_number(f) * metric->factor;
    const double *seen;

    snprintf(key, sizeof key, "%s/%s", metric->family, metric->value);
    if (metric->how == METRIC_PER_S)
        part *= w->interval_s;
    if (!f->missing && isfinite(part)) {
        *total = metrics_grow(&w->state->totals, key, w->kind, w->info->intervals, part);
        return true;
    }
    seen = metrics_total(&w->state->totals, key, w->kind);
    if (seen)
        *total = *seen;
    return seen != NULL;
}

static void add_sample(struct metrics *m, const struct field *f, const struct metric *metric,
                       double value)
{
    struct metrics_label label = {metric->label, metric->value};
    bool counter = metric->how != METRIC_LEVEL;
    size_t family =
        metrics_family(m, metric->family, counter ? METRICS_COUNTER : METRICS_GAUGE, metric->help);

    if (f->type == FIELD_COUNT && metric->how == METRIC_SINCE)
        metrics_count(m, family, "", &label, metric->label ? 1 : 0, f->count);
    else
        metrics_number(m, family, "", &label, metric->label ? 1 : 0, value);
}

static void one_figure(void *arg, const struct field *f)
{
    struct walk *w = arg;
    struct metric metric;
    double value = field_number(f);

    if (strcmp(f->name, "interval_s") == 0)
        w->interval_s = f->missing ? NAN : f->number;
    metric_of(f, &metric);
    if (metric.how == METRIC_NONE)
        return;
    if (metric.how == METRIC_LEVEL || metric.how == METRIC_SINCE) {
        if (!f->missing)
            add_sample(&w->state->body, f, &metric, value * metric.factor);
    } else if (grown(w, f, &metric, &value)) {
        add_sample(&w->state->body, f, &metric, value);
    }
}

/* --- latencies --- */

static double sum_s(const struct hist_counts *h)
{
    return h->total ? hist_mean(h) * (double)h->total / 1e9 : 0;
}

static void quantile(struct metrics *m, size_t family, const char *statement, double q, int64_t ns)
{
    char text[32];
    struct metrics_label label[] = {{"quantile", text}, {"statement", statement}};

    if (ns < 0)
        return;
    snprintf(text, sizeof text, q == 1 ? "%.1f" : "%.12g", q);
    metrics_number(m, family, "", label, statement ? 2 : 1, dur_sec(ns));
}

/* Percentiles of the report, 1 the longest; sum and count since measuring began. */
static void summary(struct metrics *m, const struct since *since, const struct snapshot *s,
                    const struct snapshot_series *series)
{
    size_t family = metrics_family(m, since->family, METRICS_SUMMARY, since->help);

    quantile(m, family, NULL, 0.5, series->p50);
    quantile(m, family, NULL, 0.95, series->p95);
    quantile(m, family, NULL, 0.99, series->p99);
    for (size_t i = 0; i < s->percentiles; i++) {
        double p = s->percentile[i];
        if (p != 50 && p != 95 && p != 99 && p != 100)
            quantile(m, family, NULL, p / 100, series->pct[i]);
    }
    quantile(m, family, NULL, 1, series->max);
    metrics_number(m, family, "_sum", NULL, 0, sum_s(&since->counts));
    metrics_count(m, family, "_count", NULL, 0, since->counts.total);
}

/* 1, 2.5, 5 in each decade from 10 us to 100 s. */
static void histogram(struct metrics *m, const struct hist_counts *h)
{
    static const char *const bound[] = {"1e-05", "2.5e-05", "5e-05", "0.0001", "0.00025", "0.0005",
                                        "0.001", "0.0025",  "0.005", "0.01",   "0.025",   "0.05",
                                        "0.1",   "0.25",    "0.5",   "1.0",    "2.5",     "5.0",
                                        "10.0",  "25.0",    "50.0",  "100.0"};
    size_t family = metrics_family(m, "transaction_latency_seconds", METRICS_HISTOGRAM,
                                   "time of a transaction, with a rate from its planned start");
    uint64_t n = 0;
    size_t i = 0;

    for (size_t k = 0; k < sizeof bound / sizeof *bound; k++) {
        struct metrics_label le = {"le", bound[k]};
        for (; i < h->size && (double)hist_bucket_high(i) <= atof(bound[k]) * 1e9; i++)
            n += h->count[i];
        metrics_count(m, family, "_bucket", &le, 1, n);
    }
    metrics_count(m, family, "_bucket", &(struct metrics_label){"le", "+Inf"}, 1, h->total);
    metrics_number(m, family, "_sum", NULL, 0, sum_s(h));
    metrics_count(m, family, "_count", NULL, 0, h->total);
}

/* Adds a report's histogram to what was there; the summary's is that of the whole run. */
static void gather(struct since *since, const struct hist_counts *h, const struct snapshot *s,
                   bool intervals)
{
    if (h && s->kind == SNAPSHOT_FINAL)
        hist_counts_copy(&since->counts, h);
    else if (h && (s->kind == SNAPSHOT_INTERVAL || !intervals))
        hist_counts_merge(&since->counts, h);
}

/* --- statements by kind, of the whole run: known at the end --- */

/* Makes names of kinds unique: only the class distinguishes a name that the user gave from an equal
 * text. */
static void one_statement(struct metrics *m, const struct stmt_figures *f)
{
    const char *name = statement_name(f);
    struct metrics_label label = {"statement", name};
    size_t family = metrics_family(m, "statement_duration_seconds", METRICS_SUMMARY,
                                   "time of a statement, by kind");

    quantile(m, family, name, 0.5, f->p50);
    quantile(m, family, name, 0.95, f->p95);
    quantile(m, family, name, 0.99, f->p99);
    metrics_number(m, family, "_sum", &label, 1, dur_sec(f->sum_ns));
    metrics_count(m, family, "_count", &label, 1, f->count);
    family =
        metrics_family(m, "statement_errors", METRICS_COUNTER, "statements that failed, by kind");
    metrics_count(m, family, "", &label, 1, f->errors);
    family = metrics_family(m, "statement_rows", METRICS_COUNTER,
                            "rows of results, or changed, by kind");
    metrics_count(m, family, "", &label, 1, f->rows);
}

/* --- marks: the last ones as instants, for annotations --- */

static void marks(struct state *st)
{
    uint64_t first = st->marked > MARKS_SHOWN ? st->marked - MARKS_SHOWN : 0;
    size_t family;

    if (!st->marked)
        return;
    family = metrics_family(&st->body, "marks", METRICS_COUNTER, "marks in the timeline");
    metrics_count(&st->body, family, "", NULL, 0, st->marked);
    family = metrics_family(&st->body, "mark_timestamp_seconds", METRICS_GAUGE,
                            "when the mark was made, seconds since 1970");
    for (uint64_t i = first; i < st->marked; i++) {
        const struct mark_shown *m = &st->mark[i % MARKS_SHOWN];
        char number[24];
        struct metrics_label label[] = {{"mark", number}, {"text", m->text}};
        snprintf(number, sizeof number, "%llu", (unsigned long long)m->number);
        metrics_number(&st->body, family, "", label, 2, (double)(m->wall / NS_PER_MS) / 1e3);
    }
}

/* --- the whole --- */

static void run_info(struct metrics *m, const struct report_info *info)
{
    struct metrics_label label[] = {{"command", info->command}, {"version", info->version}};

    metrics_count(m, metrics_family(m, "run", METRICS_INFO, "what runs; always 1"), "", label, 2,
                  1);
    gauge(m, "run_start_time_seconds", "when the run began, seconds since 1970",
          (double)(info->wall / NS_PER_MS) / 1e3);
}

/* Renders only the formats that a publisher or the file needs. */
static void text_of(const struct state *st, enum metrics_form form, struct str *out)
{
    metrics_render(&st->run, form, out);
    metrics_render(&st->body, form, out);
    if (form == METRICS_OPENMETRICS)
        str_adds(out, METRICS_OPENMETRICS_END);
}

static void publish(struct report_file *f)
{
    struct str prometheus = STR_INIT, openmetrics = STR_INIT;

    text_of(f->state, METRICS_PROMETHEUS, &prometheus);
    text_of(f->state, METRICS_OPENMETRICS, &openmetrics);
    f->publish(f->publish_arg, &prometheus, &openmetrics);
    str_free(&prometheus);
    str_free(&openmetrics);
}

/* `active`: the run is going on */
static void write_out(struct report_file *f, bool active)
{
    struct state *st = f->state;

    metrics_clear(&st->run);
    gauge(&st->run, "run_active", "1 while the run lasts, 0 when it has ended", active);
    if (f->publish) {
        publish(f);
        return;
    }
    text_of(st, f->writer == &writer_openmetrics ? METRICS_OPENMETRICS : METRICS_PROMETHEUS,
            &f->text);
    out_replace_all(&f->out, f->text.s, f->text.len);
    str_reset(&f->text);
}

static void begin(struct report_file *f)
{
    static const struct {
        const char *family, *help;
    } series[] = {{"latency_seconds", "time of a transaction, with a rate from its planned start"},
                  {"service_time_seconds", "time of a transaction from its actual start"},
                  {"lag_seconds", "how late a transaction began after its planned start"}};
    struct state *st = mem_alloc(sizeof *st);

    for (size_t i = 0; i < SERIES; i++) {
        st->series[i] = (struct since){.family = series[i].family, .help = series[i].help};
        hist_counts_init(&st->series[i].counts, HIST_BUCKETS);
    }
    metrics_labels(&st->run, f->info->test, f->info->label, f->info->labels);
    metrics_labels(&st->body, f->info->test, f->info->label, f->info->labels);
    f->state = st;
    run_info(&st->body, f->info);
    histogram(&st->body, &st->series[LATENCY].counts);
    write_out(f, true);
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    struct state *st = f->state;
    struct walk w = {st, f->info, s->kind, NAN};

    metrics_clear(&st->body);
    run_info(&st->body, f->info);
    fields_each(s, one_figure, &w);
    gather(&st->series[LATENCY], s->hists.response, s, f->info->intervals);
    gather(&st->series[SERVICE], s->hists.service, s, f->info->intervals);
    gather(&st->series[LAG], s->hists.lag, s, f->info->intervals);
    if (s->has_latency)
        summary(&st->body, &st->series[LATENCY], s, &s->latency);
    if (s->has_rate) {
        summary(&st->body, &st->series[SERVICE], s, &s->rate.service);
        summary(&st->body, &st->series[LAG], s, &s->rate.lag);
    }
    histogram(&st->body, &st->series[LATENCY].counts);
    for (size_t i = 0; s->kind == SNAPSHOT_FINAL && i < s->nstatements; i++)
        one_statement(&st->body, &s->statements[i]);
    metrics_records(&st->body, s);
    for (size_t i = 0; i < s->nmarks; i++, st->marked++) {
        struct mark_shown *m = &st->mark[st->marked % MARKS_SHOWN];
        free(m->text);
        *m = (struct mark_shown){st->marked + 1, s->marks[i].wall, mem_strdup(s->marks[i].text)};
    }
    marks(st);
    if (s->kind != SNAPSHOT_FINAL) /* otherwise it is written with the end */
        write_out(f, true);
}

static void end(struct report_file *f, const struct report_end *e)
{
    struct state *st = f->state;

    (void)e;
    write_out(f, false);
    for (size_t i = 0; i < SERIES; i++)
        hist_counts_fini(&st->series[i].counts);
    for (size_t i = 0; i < MARKS_SHOWN; i++)
        free(st->mark[i].text);
    metrics_totals_free(&st->totals);
    metrics_free(&st->run);
    metrics_free(&st->body);
    free(st);
    f->state = NULL;
}

const struct writer writer_prometheus = {.name = "prometheus",
                                         .suffixes = " .prom ",
                                         .replaces = true,
                                         .begin = begin,
                                         .snapshot = snapshot,
                                         .end = end};
const struct writer writer_openmetrics = {.name = "openmetrics",
                                          .suffixes = " .om ",
                                          .replaces = true,
                                          .begin = begin,
                                          .snapshot = snapshot,
                                          .end = end};
