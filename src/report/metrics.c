/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The state of the run as metrics, rewritten at every report: for node_exporter's textfile
 * collector (name it *.prom), as OpenMetrics (*.om), or published in both formats
 * (--metrics-listen).  Counts since measuring began are counters, latencies are summaries
 * (percentiles of the last report, sum and count since measuring began) and a histogram, the rest
 * are gauges of the last report.  The rows of sections.c and records.c say which metric a figure
 * is.  A missing value is left out, as is usual in these formats.
 */
#include "report/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/json.h"
#include "report/text.h"
#include "report/writer.h"

/* --- families and samples --- */

struct metrics_family {
    char *name, *help;
    enum metrics_type type;
    struct str samples; /* the same in both formats */
};

static const struct {
    const char *name, *ending;
} types[] = {[METRICS_GAUGE] = {"gauge", ""},
             [METRICS_COUNTER] = {"counter", "_total"},
             [METRICS_SUMMARY] = {"summary", ""},
             [METRICS_HISTOGRAM] = {"histogram", ""},
             [METRICS_INFO] = {"info", "_info"}};

/* Escapes as both formats require; bytes that are not UTF-8 become '?', because parsers would
 * reject the whole text. */
static void add_label(struct str *out, const char *name, const char *value)
{
    str_printf(out, "%s%s=\"", out->len && out->s[out->len - 1] != '{' ? "," : "", name);
    for (const char *p = value; *p;) {
        size_t n = str_utf8(p);
        if (*p == '\n')
            str_adds(out, "\\n");
        else if (*p == '"' || *p == '\\')
            str_printf(out, "\\%c", *p);
        else if (n == 0)
            str_adds(out, "?");
        else
            str_add(out, p, n);
        p += n ? n : 1;
    }
    str_adds(out, "\"");
}

void metrics_labels(struct metrics *m, const char *test, const struct report_label *list, size_t n)
{
    str_reset(&m->labels);
    add_label(&m->labels, "test", test);
    for (size_t i = 0; i < n; i++)
        add_label(&m->labels, list[i].name, list[i].value);
}

void metrics_add(struct metrics *m, enum metrics_type type, const char *name, const char *help,
                 const char *ending, const struct metrics_label *label, size_t n, struct value v)
{
    size_t i = 0;

    if (v.kind == VALUE_NONE)
        return;
    while (i < m->n && strcmp(m->family[i].name, name) != 0)
        i++;
    if (i == m->n) {
        m->family = mem_grow(m->family, ++m->n, sizeof *m->family);
        m->family[i] = (struct metrics_family){mem_strdup(name), mem_strdup(help), type, STR_INIT};
    }
    struct str *out = &m->family[i].samples;
    str_printf(out, "sysbench_%s%s%s{%s", name, types[type].ending, ending, str_cstr(&m->labels));
    for (size_t k = 0; k < n; k++)
        add_label(out, label[k].name, label[k].value);
    str_adds(out, "} ");
    v.kind = v.kind == VALUE_TRUTH ? VALUE_NUMBER : v.kind;
    json_value(out, &v);
    str_adds(out, "\n");
}

void metrics_render(const struct metrics *m, enum metrics_form form, struct str *out)
{
    static const char *const units[] = {"_seconds", "_bytes", "_ratio", "_hertz"};
    const bool open = form == METRICS_OPENMETRICS;

    for (const struct metrics_family *f = m->family; f < m->family + m->n; f++) {
        const char *ending = open ? "" : types[f->type].ending, *last = strrchr(f->name, '_');
        bool info = f->type == METRICS_INFO && !open;
        str_printf(out, "# HELP sysbench_%s%s ", f->name, ending);
        for (const char *p = f->help; *p; p++)
            if (*p == '\n')
                str_adds(out, "\\n");
            else if (*p == '\\' || (*p == '"' && open))
                str_printf(out, "\\%c", *p);
            else
                str_add(out, p, 1);
        str_printf(out, "\n# TYPE sysbench_%s%s %s\n", f->name, ending,
                   types[info ? METRICS_GAUGE : f->type].name);
        for (size_t i = 0; open && last && i < sizeof units / sizeof *units; i++)
            if (strcmp(last, units[i]) == 0)
                str_printf(out, "# UNIT sysbench_%s %s\n", f->name, last + 1);
        str_add(out, f->samples.s, f->samples.len);
    }
}

void metrics_clear(struct metrics *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free(m->family[i].name);
        free(m->family[i].help);
        str_free(&m->family[i].samples);
    }
    free(m->family);
    m->family = NULL;
    m->n = 0;
}

void metrics_free(struct metrics *m)
{
    metrics_clear(m);
    str_free(&m->labels);
}

/* --- the figures of the sections --- */

void metric_of(const struct field *f, struct metric *m)
{
    static const char counted[] = "_counted_pct", each[] = "_per_transaction";
    static const char *const prefix[FIELD_SECTIONS] = {
        [FIELD_SERVER] = "server_", [FIELD_CLIENT] = "client_", [FIELD_HOST] = "host_"};
    size_t n = strlen(f->name);
    const struct figure *r = f->row;

    *m = (struct metric){.how = METRIC_NONE, .factor = 1};
    if (r) {
        m->how = r->metric.how;
        m->help = r->metric.about ? r->metric.about : r->help;
        m->label = r->metric.label;
        m->factor = r->metric.factor != 0 ? r->metric.factor : 1;
        snprintf(m->family, sizeof m->family, "%s%s", prefix[f->section] ? prefix[f->section] : "",
                 r->metric.family ? r->metric.family : "");
        snprintf(m->value, sizeof m->value, "%s", r->metric.value ? r->metric.value : "");
    } else if (f->section == FIELD_STATUS) { /* one of the server's own counters, by its own name */
        m->how = f->level ? METRIC_LEVEL : METRIC_GROWS;
        m->help = f->level ? "the server's own levels, by its own names"
                           : "growth of the server's own counters, by its own names";
        m->label = "variable";
        snprintf(m->family, sizeof m->family, "server_status%s", f->level ? "_level" : "");
        snprintf(m->value, sizeof m->value, "%s", f->name);
    } else if (f->section == FIELD_EVENTS) { /* by the name that the user gave */
        bool ratio = n > strlen(counted) && strcmp(f->name + n - strlen(counted), counted) == 0;
        if (n > strlen(each) && strcmp(f->name + n - strlen(each), each) == 0)
            return;
        m->how = ratio ? METRIC_LEVEL : METRIC_GROWS;
        m->help = ratio ? "share of the time in which there was a counter for the event"
                        : "events of the server's threads, scaled up where they shared a counter";
        m->label = "event";
        m->factor = ratio ? 0.01 : 1;
        snprintf(m->family, sizeof m->family, "server_event%s", ratio ? "_counted_ratio" : "s");
        snprintf(m->value, sizeof m->value, "%.*s", (int)(n - (ratio ? strlen(counted) : 0)),
                 f->name);
    }
}

struct metrics_total {
    char *key;
    double shown; /* the total */
    double whole; /* up to the last checkpoint, as the checkpoints say */
};

const double *metrics_grow(struct metrics_totals *t, const char *key, enum snapshot_kind kind,
                           bool intervals, double growth)
{
    size_t i = 0;

    while (i < t->n && strcmp(t->total[i].key, key) != 0)
        i++;
    if (i == t->n && !isfinite(growth))
        return NULL;
    if (i == t->n) {
        t->total = mem_grow(t->total, ++t->n, sizeof *t->total);
        t->total[i] = (struct metrics_total){.key = mem_strdup(key)};
    }
    struct metrics_total *one = &t->total[i];
    if (isfinite(growth))
        *(kind == SNAPSHOT_INTERVAL ? &one->shown : &one->whole) += growth;
    if (kind == SNAPSHOT_FINAL || (kind != SNAPSHOT_INTERVAL && !intervals))
        one->shown = one->whole > one->shown ? one->whole : one->shown;
    return &one->shown;
}

void metrics_totals_free(struct metrics_totals *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->total[i].key);
    free(t->total);
}

#define MARKS_SHOWN 100

enum { LATENCY, SERVICE, LAG, SERIES };

struct state {
    struct metrics run, body; /* run: whether it goes on; body: the rest, as of the last report */
    struct metrics_totals totals;
    struct hist_counts since[SERIES]; /* measuring began */
    const struct mark *marks_end;     /* behind the last one; all of the run follow each other */
    uint64_t marked;
};

struct walk {
    struct state *state;
    const struct report_info *info;
    enum snapshot_kind kind;
    double interval_s; /* of the section */
};

/* A figure that this report lacks leaves its running total unchanged. */
static void one_figure(void *arg, const struct field *f)
{
    struct walk *w = arg;
    struct metric metric;
    struct value v = f->missing ? figures_number(NAN) : f->value;
    char key[FIELD_NAME_SIZE + 192];

    if (strcmp(f->name, "interval_s") == 0)
        w->interval_s = v.number;
    metric_of(f, &metric);
    if (metric.how == METRIC_NONE)
        return;
    v.number *= metric.factor;
    if (metric.how == METRIC_LEVEL && v.kind == VALUE_COUNT) {
        v.kind = VALUE_NUMBER;
    } else if (metric.how == METRIC_GROWS || metric.how == METRIC_PER_S) {
        snprintf(key, sizeof key, "%s/%s", metric.family, metric.value);
        const double *total =
            metrics_grow(&w->state->totals, key, w->kind, w->info->intervals,
                         v.number * (metric.how == METRIC_PER_S ? w->interval_s : 1));
        v = figures_number(total ? *total : (double)NAN);
    }
    metrics_add(&w->state->body, metric.how == METRIC_LEVEL ? METRICS_GAUGE : METRICS_COUNTER,
                metric.family, metric.help, "", &(struct metrics_label){metric.label, metric.value},
                metric.label ? 1 : 0, v);
}

/* --- latencies --- */

static void sum_and_count(struct metrics *m, enum metrics_type type, const struct figure_metric *f,
                          const struct metrics_label *label, size_t n, double sum, uint64_t count)
{
    metrics_add(m, type, f->family, f->about, "_sum", label, n, figures_number(sum));
    metrics_add(m, type, f->family, f->about, "_count", label, n, figures_whole(count));
}

/* The percentiles of a series as gauges, or as quantiles of a summary; those that `s` lists among
 * them. */
static void points(struct metrics *m, const struct figure_metric *f,
                   const struct snapshot_series *v, const struct snapshot *s,
                   const struct metrics_label *label, size_t n)
{
    const bool summary = f->how == METRIC_SUMMARY;
    const size_t listed = s ? s->percentiles : 0;

    for (size_t i = 0; i < listed + 4; i++) {
        bool last = i == listed + 3, own = i >= 3 && !last;
        double p = own ? s->percentile[i - 3] : last ? 100 : (double[]){50, 95, 99}[i];
        int64_t ns = own ? v->pct[i - 3] : last ? v->max : (int64_t[]){v->p50, v->p95, v->p99}[i];
        struct metrics_label all[4];
        char text[32];
        if (ns < 0 || (own && (p == 50 || p == 95 || p == 99 || p == 100)))
            continue;
        snprintf(text, sizeof text, summary && last ? "%.1f" : "%.12g", summary ? p / 100 : p);
        all[summary ? 0 : n] = (struct metrics_label){summary ? "quantile" : "percentile", text};
        for (size_t k = 0; k < n; k++)
            all[k + summary] = label[k];
        metrics_add(m, summary ? METRICS_SUMMARY : METRICS_GAUGE, f->family, f->about, "", all,
                    n + 1, figures_number(dur_sec(ns)));
    }
}

static double sum_s(const struct hist_counts *h)
{
    return h->total ? hist_mean(h) * (double)h->total / 1e9 : 0;
}

/* 1, 2.5, 5 in each decade from 10 us to 100 s. */
static void histogram(struct metrics *m, const struct hist_counts *h)
{
    static const char *const bound[] = {"1e-05", "2.5e-05", "5e-05", "0.0001", "0.00025", "0.0005",
                                        "0.001", "0.0025",  "0.005", "0.01",   "0.025",   "0.05",
                                        "0.1",   "0.25",    "0.5",   "1.0",    "2.5",     "5.0",
                                        "10.0",  "25.0",    "50.0",  "100.0",  "+Inf"};
    static const struct figure_metric f = {
        .family = "transaction_latency_seconds",
        .about = "time of a transaction, with a rate from its planned start"};
    uint64_t n = 0;

    for (size_t k = 0, i = 0; k < sizeof bound / sizeof *bound; k++) {
        for (; i < h->size && (double)hist_bucket_high(i) <= atof(bound[k]) * 1e9; i++)
            n += h->count[i];
        metrics_add(m, METRICS_HISTOGRAM, f.family, f.about, "_bucket",
                    &(struct metrics_label){"le", bound[k]}, 1,
                    figures_whole(*bound[k] == '+' ? h->total : n));
    }
    sum_and_count(m, METRICS_HISTOGRAM, &f, NULL, 0, sum_s(h), h->total);
}

/* --- records: a family for each row that has one, a sample for each record --- */

/* Every row with a family; a value that does not exist has no sample. */
static void record(struct metrics *m, const struct figure *t, const struct snapshot *s,
                   const void *of, const struct metrics_label *label, size_t n)
{
    for (const struct figure *f = t; !figure_ends(f); f++) {
        const struct figure_metric *is = &f->metric;
        const struct figure *within = f->inside.of;
        const void *inside = within && !f->inside.stride ? figures_inside(f, s, of) : NULL;
        const struct snapshot_series *v = inside;
        if (is->family && within && (is->how != METRIC_SUMMARY || v->n)) {
            points(m, is, v, NULL, label, n);
            if (is->how == METRIC_SUMMARY)
                sum_and_count(m, METRICS_SUMMARY, is, label, n, v->mean / 1e9 * (double)v->n, v->n);
        } else if (inside && within != series_figures) {
            record(m, within, s, inside, label, n);
        } else if (is->family && !within) {
            metrics_add(m, is->how == METRIC_SINCE ? METRICS_COUNTER : METRICS_GAUGE, is->family,
                        is->about, "", label, n, figures_value(f, s, of, NULL));
        }
    }
}

void metrics_records(struct metrics *m, const struct snapshot *s)
{
    const struct snapshot_outages *away = s->outages;
    uint64_t happened[INCIDENT_RANK_LOST + 1] = {0};
    char number[24];

    /* every code that has occurred until now, so that no series ends while the run lasts */
    for (size_t i = 0; i < s->nby_code; i++) {
        const struct error_row *r = s->by_code[i].row;
        snprintf(number, sizeof number, "%d", r->code);
        record(m, error_figures, s, &s->by_code[i],
               (struct metrics_label[]){
                   {"class", r->class}, {"code", number}, {"sqlstate", r->sqlstate}},
               3);
    }
    for (size_t i = 0; i < s->incidents; i++) /* one that has not happened has no series, too */
        happened[s->incident[i].kind]++;
    for (size_t kind = 0; kind <= INCIDENT_RANK_LOST; kind++)
        if (happened[kind])
            metrics_add(m, METRICS_COUNTER, "incidents",
                        "what happened to the server and the machine", "",
                        &(struct metrics_label){"kind", incident_name((enum incident_kind)kind)}, 1,
                        figures_whole(happened[kind]));
    if (away) /* known once the run has ended */
        metrics_add(m, METRICS_COUNTER, "outages", "times that the server was away", "", NULL, 0,
                    figures_whole(away->n + away->more));
    for (size_t i = 0; away && i < away->n; i++) {
        snprintf(number, sizeof number, "%zu", i + 1);
        record(m, outage_figures, s, &away->row[i], &(struct metrics_label){"outage", number}, 1);
    }
    if (s->kind == SNAPSHOT_FINAL)
        record(m, connections_figures, s, &s->connections, NULL, 0);
    if (s->kind == SNAPSHOT_FINAL && s->batches.asked)
        record(m, batch_figures, s, &s->batches, NULL, 0);
    for (size_t i = 0; i < s->hosts; i++)
        record(m, host_figures, s, &s->host[i], &(struct metrics_label){"host", s->host[i].name},
               1);
    for (size_t i = 0; i < s->nstages; i++) {
        const struct snapshot_stage *v = &s->stages[i];
        const struct metrics_label stage[] = {{"stage", number}, {"text", v->text}};
        snprintf(number, sizeof number, "%zu", i + 1);
        record(m, stage_rate_figures, v->s, &v->s->rate, stage, 2);
        record(m, stage_figures, s, v, stage, 2);
        record(m, stage_series_figures, v->s, &v->s->rate, stage, 2);
    }
    for (size_t i = 0; i < s->nranks; i++) {
        const struct metrics_label rank[] = {{"rank", number}, {"host", s->rank[i].host}};
        snprintf(number, sizeof number, "%d", s->rank[i].rank);
        record(m, rank_figures, s, &s->rank[i], rank, 2);
    }
}

/* --- statements by kind, of the whole run: known at the end --- */

static void statement(struct metrics *m, const struct snapshot *s, const struct stmt_figures *f)
{
    static const struct figure_metric row = {.how = METRIC_SUMMARY,
                                             .family = "statement_duration_seconds",
                                             .about = "time of a statement, by kind"};
    const struct metrics_label label = {"statement", statement_name(f)};

    points(m, &row,
           &(struct snapshot_series){
               .n = f->count, .p50 = f->p50, .p95 = f->p95, .p99 = f->p99, .max = -1},
           NULL, &label, 1);
    sum_and_count(m, METRICS_SUMMARY, &row, &label, 1, dur_sec(f->sum_ns), f->count);
    record(m, statement_figures, s, f, &label, 1);
}

/* --- marks: the last ones as instants, for annotations --- */

static void marks(struct state *st, const struct snapshot *s)
{
    const uint64_t n = st->marked += s->nmarks;

    if (s->nmarks)
        st->marks_end = s->marks + s->nmarks;
    if (n)
        metrics_add(&st->body, METRICS_COUNTER, "marks", "marks in the timeline", "", NULL, 0,
                    figures_whole(n));
    for (uint64_t i = n > MARKS_SHOWN ? n - MARKS_SHOWN : 0; i < n; i++) {
        const struct mark *m = st->marks_end - (n - i);
        char number[24];
        snprintf(number, sizeof number, "%llu", (ull)i + 1);
        metrics_add(&st->body, METRICS_GAUGE, "mark_timestamp_seconds",
                    "when the mark was made, seconds since 1970", "",
                    (struct metrics_label[]){{"mark", number}, {"text", m->text}}, 2,
                    figures_number((double)(m->wall / NS_PER_MS) / 1e3));
    }
}

/* --- the whole --- */

static void run_info(struct metrics *m, const struct report_info *info)
{
    metrics_add(m, METRICS_INFO, "run", "what runs; always 1", "",
                (struct metrics_label[]){{"command", info->command}, {"version", info->version}}, 2,
                figures_whole(1));
    metrics_add(m, METRICS_GAUGE, "run_start_time_seconds",
                "when the run began, seconds since 1970", "", NULL, 0,
                figures_number((double)(info->wall / NS_PER_MS) / 1e3));
}

/* `active`: the run is going on.  Renders only the formats that a publisher or the file needs. */
static void write_out(struct report_file *f, bool active)
{
    struct state *st = f->state;
    struct str text[2] = {STR_INIT, STR_INIT};
    const int own = f->writer->variant;

    metrics_clear(&st->run);
    metrics_add(&st->run, METRICS_GAUGE, "run_active", "1 while the run lasts, 0 when it has ended",
                "", NULL, 0, figures_whole(active));
    for (int form = METRICS_PROMETHEUS; form <= METRICS_OPENMETRICS; form++) {
        if (!f->publish && form != own)
            continue;
        metrics_render(&st->run, (enum metrics_form)form, &text[form]);
        metrics_render(&st->body, (enum metrics_form)form, &text[form]);
        if (form == METRICS_OPENMETRICS)
            str_adds(&text[form], "# EOF\n");
    }
    if (f->publish)
        f->publish(f->publish_arg, &text[METRICS_PROMETHEUS], &text[METRICS_OPENMETRICS]);
    else
        out_replace_all(&f->out, text[own].s, text[own].len);
    str_free(&text[0]);
    str_free(&text[1]);
}

static void begin(struct report_file *f)
{
    struct state *st = f->state = mem_alloc(sizeof *st);

    for (size_t i = 0; i < SERIES; i++)
        hist_counts_init(&st->since[i], HIST_BUCKETS);
    metrics_labels(&st->run, f->info->test, f->info->label, f->info->labels);
    metrics_labels(&st->body, f->info->test, f->info->label, f->info->labels);
    run_info(&st->body, f->info);
    histogram(&st->body, &st->since[LATENCY]);
    write_out(f, true);
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    static const struct figure_metric series[SERIES] = {
        {.how = METRIC_SUMMARY,
         .family = "latency_seconds",
         .about = "time of a transaction, with a rate from its planned start"},
        {.how = METRIC_SUMMARY,
         .family = "service_time_seconds",
         .about = "time of a transaction from its actual start"},
        {.how = METRIC_SUMMARY,
         .family = "lag_seconds",
         .about = "how late a transaction began after its planned start"}};
    const struct hist_counts *h[] = {s->hists.response, s->hists.service, s->hists.lag};
    const struct snapshot_series *v[] = {&s->latency, &s->rate.service, &s->rate.lag};
    struct state *st = f->state;

    metrics_clear(&st->body);
    run_info(&st->body, f->info);
    fields_each(s, one_figure, &(struct walk){st, f->info, s->kind, NAN});
    for (int i = 0; i < SERIES; i++) {
        /* a report's histogram is added to what was there; the summary's is that of the run */
        if (h[i] && s->kind == SNAPSHOT_FINAL)
            hist_counts_copy(&st->since[i], h[i]);
        else if (h[i] && (s->kind == SNAPSHOT_INTERVAL || !f->info->intervals))
            hist_counts_merge(&st->since[i], h[i]);
        if (i == LATENCY ? !s->has_latency : !s->has_rate)
            continue;
        points(&st->body, &series[i], v[i], s, NULL, 0);
        sum_and_count(&st->body, METRICS_SUMMARY, &series[i], NULL, 0, sum_s(&st->since[i]),
                      st->since[i].total);
    }
    histogram(&st->body, &st->since[LATENCY]);
    for (size_t i = 0; s->kind == SNAPSHOT_FINAL && i < s->nstatements; i++)
        statement(&st->body, s, &s->statements[i]);
    metrics_records(&st->body, s);
    marks(st, s);
    if (s->kind != SNAPSHOT_FINAL) /* otherwise it is written with the end */
        write_out(f, true);
}

static void end(struct report_file *f, const struct report_end *e)
{
    struct state *st = f->state;

    (void)e;
    write_out(f, false);
    for (size_t i = 0; i < SERIES; i++)
        hist_counts_fini(&st->since[i]);
    metrics_totals_free(&st->totals);
    metrics_free(&st->run);
    metrics_free(&st->body);
    free(st);
    f->state = NULL;
}

const struct writer_ops write_metrics = {begin, snapshot, end, NULL};
