/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See metrics.h.
 */
#include "report/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/json.h"
#include "report/text.h"

struct metrics_family {
    char *name, *help;
    enum metrics_type type;
    struct str samples; /* the same in both formats */
};

/* Escapes as both formats require; bytes that are not UTF-8 become '?', because parsers would
 * reject the whole text. */
static void label(struct str *out, const char *name, const char *value)
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
    label(&m->labels, "test", test);
    for (size_t i = 0; i < n; i++)
        label(&m->labels, list[i].name, list[i].value);
}

size_t metrics_family(struct metrics *m, const char *name, enum metrics_type type, const char *help)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->family[i].name, name) == 0)
            return i;
    m->family = mem_grow(m->family, m->n + 1, sizeof *m->family);
    m->family[m->n] = (struct metrics_family){
        .name = mem_strdup(name), .help = mem_strdup(help), .type = type, .samples = STR_INIT};
    return m->n++;
}

static const char *type_ending(enum metrics_type type)
{
    return type == METRICS_COUNTER ? "_total" : type == METRICS_INFO ? "_info" : "";
}

/* The sample up to its value. */
static struct str *sample(struct metrics *m, size_t family, const char *ending,
                          const struct metrics_label *list, size_t n)
{
    const struct metrics_family *f = &m->family[family];
    struct str *out = &m->family[family].samples;

    str_printf(out, "sysbench_%s%s%s{%s", f->name, type_ending(f->type), ending,
               str_cstr(&m->labels));
    for (size_t i = 0; i < n; i++)
        label(out, list[i].name, list[i].value);
    str_adds(out, "} ");
    return out;
}

void metrics_number(struct metrics *m, size_t family, const char *ending,
                    const struct metrics_label *list, size_t n, double value)
{
    struct str *out = sample(m, family, ending, list, n);

    json_number(out, value);
    str_adds(out, "\n");
}

void metrics_count(struct metrics *m, size_t family, const char *ending,
                   const struct metrics_label *list, size_t n, uint64_t value)
{
    struct str *out = sample(m, family, ending, list, n);

    str_printf(out, "%llu\n", (unsigned long long)value);
}

static const char *type_name(enum metrics_type type, enum metrics_form form)
{
    static const char *const names[] = {[METRICS_GAUGE] = "gauge",
                                        [METRICS_COUNTER] = "counter",
                                        [METRICS_SUMMARY] = "summary",
                                        [METRICS_HISTOGRAM] = "histogram",
                                        [METRICS_INFO] = "info"};

    return names[type == METRICS_INFO && form == METRICS_PROMETHEUS ? METRICS_GAUGE : type];
}

/* NULL: a number of things. */
static const char *unit(const char *name)
{
    static const char *const units[] = {"seconds", "bytes", "ratio", "hertz"};
    const char *last = strrchr(name, '_');

    for (size_t i = 0; last && i < sizeof units / sizeof *units; i++)
        if (strcmp(last + 1, units[i]) == 0)
            return units[i];
    return NULL;
}

static void help_text(struct str *out, const char *text, enum metrics_form form)
{
    for (; *text; text++) {
        if (*text == '\n')
            str_adds(out, "\\n");
        else if (*text == '\\' || (*text == '"' && form == METRICS_OPENMETRICS))
            str_printf(out, "\\%c", *text);
        else
            str_add(out, text, 1);
    }
}

static void head(struct str *out, const struct metrics_family *f, enum metrics_form form)
{
    const char *ending = form == METRICS_PROMETHEUS ? type_ending(f->type) : "";
    const char *base = unit(f->name);

    str_printf(out, "# HELP sysbench_%s%s ", f->name, ending);
    help_text(out, f->help, form);
    str_printf(out, "\n# TYPE sysbench_%s%s %s\n", f->name, ending, type_name(f->type, form));
    if (base && form == METRICS_OPENMETRICS)
        str_printf(out, "# UNIT sysbench_%s %s\n", f->name, base);
}

void metrics_render(const struct metrics *m, enum metrics_form form, struct str *out)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct metrics_family *f = &m->family[i];
        if (!f->samples.len)
            continue;
        head(out, f, form);
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

/* --- figures --- */

void metric_of(const struct field *f, struct metric *m)
{
    static const char counted[] = "_counted_pct", each[] = "_per_transaction";
    size_t n = strlen(f->name);
    const struct figure *r = f->row;

    *m = (struct metric){.how = METRIC_NONE, .factor = 1};
    if (r) {
        m->how = r->metric;
        m->help = r->about;
        m->label = r->label;
        m->factor = r->factor != 0 ? r->factor : 1;
        snprintf(m->family, sizeof m->family, "%s%s",
                 f->section == FIELD_SERVER   ? "server_"
                 : f->section == FIELD_CLIENT ? "client_"
                 : f->section == FIELD_HOST   ? "host_"
                                              : "",
                 r->family ? r->family : "");
        snprintf(m->value, sizeof m->value, "%s", r->value ? r->value : "");
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

/* --- records: a family for each row that has one, a sample for each record --- */

#define LABELS 3

/* Its percentiles as gauges, or as a summary of the whole run. */
static void series(struct metrics *m, const struct figure *f, const struct snapshot_series *v,
                   const struct metrics_label *label, size_t n)
{
    static const char *const points[] = {"50", "95", "99", "100"}, *const quantiles[] = {
                                                                       "0.5", "0.95", "0.99",
                                                                       "1.0"};
    const int64_t ns[] = {v->p50, v->p95, v->p99, v->max};
    bool summary_of = f->metric == METRIC_SUMMARY;
    enum metrics_type type = summary_of ? METRICS_SUMMARY : METRICS_GAUGE;

    if (summary_of && !v->n)
        return;
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) {
        struct metrics_label all[LABELS + 1];
        if (n)
            memcpy(all, label, n * sizeof *all);
        all[n] = (struct metrics_label){summary_of ? "quantile" : "percentile",
                                        summary_of ? quantiles[i] : points[i]};
        if (ns[i] >= 0)
            metrics_number(m, metrics_family(m, f->family, type, f->about), "", all, n + 1,
                           dur_sec(ns[i]));
    }
    if (!summary_of)
        return;
    metrics_number(m, metrics_family(m, f->family, type, f->about), "_sum", label, n,
                   v->mean / 1e9 * (double)v->n);
    metrics_count(m, metrics_family(m, f->family, type, f->about), "_count", label, n, v->n);
}

/* Every row with a family; a value that does not exist has no sample. */
static void record(struct metrics *m, const struct figure_table *t, const struct snapshot *s,
                   const void *of, const struct metrics_label *label, size_t n)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct figure *f = &t->row[i];
        const void *inside = f->of && !f->stride ? figures_inside(f, s, of) : NULL;
        enum metrics_type type = f->metric == METRIC_SINCE ? METRICS_COUNTER : METRICS_GAUGE;
        struct value v;
        if (f->family && f->of) {
            series(m, f, inside, label, n);
        } else if (inside && f->of != &series_figures) {
            record(m, f->of, s, inside, label, n);
        } else if (f->family) {
            v = figures_value(f, s, of, NULL);
            if (v.kind == VALUE_COUNT)
                metrics_count(m, metrics_family(m, f->family, type, f->about), "", label, n,
                              v.count);
            else if (v.kind != VALUE_NONE)
                metrics_number(m, metrics_family(m, f->family, type, f->about), "", label, n,
                               v.number);
        }
    }
}

/* Every code that has occurred until now, so that no series ends while the run lasts. */
static void errors(struct metrics *m, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nby_code; i++) {
        const struct error_row *r = s->by_code[i].row;
        char code[16];
        const struct metrics_label label[] = {
            {"class", r->class}, {"code", code}, {"sqlstate", r->sqlstate}};
        snprintf(code, sizeof code, "%d", r->code);
        record(m, &error_figures, s, &s->by_code[i], label, 3);
    }
}

/* One that has not happened has no series, as with codes. */
static void incidents(struct metrics *m, const struct snapshot *s)
{
    uint64_t n[INCIDENT_RANK_LOST + 1] = {0};

    for (size_t i = 0; i < s->incidents; i++)
        n[s->incident[i].kind]++;
    for (size_t kind = 0; kind <= INCIDENT_RANK_LOST; kind++) {
        const struct metrics_label label = {"kind", incident_name((enum incident_kind)kind)};
        if (n[kind])
            metrics_count(m,
                          metrics_family(m, "incidents", METRICS_COUNTER,
                                         "what happened to the server and the machine"),
                          "", &label, 1, n[kind]);
    }
}

/* Known once the run has ended. */
static void outages(struct metrics *m, const struct snapshot *s)
{
    const struct snapshot_outages *v = s->outages;

    if (!v)
        return;
    metrics_count(m,
                  metrics_family(m, "outages", METRICS_COUNTER, "times that the server was away"),
                  "", NULL, 0, v->n + v->more);
    for (size_t i = 0; i < v->n; i++) {
        char number[24];
        struct metrics_label label = {"outage", number};
        snprintf(number, sizeof number, "%zu", i + 1);
        record(m, &outage_figures, s, &v->row[i], &label, 1);
    }
}

void metrics_records(struct metrics *m, const struct snapshot *s)
{
    char number[24];

    errors(m, s);
    incidents(m, s);
    outages(m, s);
    if (s->kind == SNAPSHOT_FINAL)
        record(m, &connections_figures, s, &s->connections, NULL, 0);
    if (s->kind == SNAPSHOT_FINAL && s->batches.asked)
        record(m, &batch_figures, s, &s->batches, NULL, 0);
    for (size_t i = 0; i < s->hosts; i++) {
        const struct metrics_label host = {"host", s->host[i].name};
        record(m, &host_figures, s, &s->host[i], &host, 1);
    }
    for (size_t i = 0; i < s->nstages; i++) {
        const struct snapshot_stage *v = &s->stages[i];
        const struct metrics_label stage[] = {{"stage", number}, {"text", v->text}};
        snprintf(number, sizeof number, "%zu", i + 1);
        record(m, &stage_rate_figures, v->s, &v->s->rate, stage, 2);
        record(m, &stage_figures, s, v, stage, 2);
        record(m, &stage_series_figures, v->s, &v->s->rate, stage, 2);
    }
    for (size_t i = 0; i < s->nranks; i++) {
        const struct metrics_label rank[] = {{"rank", number}, {"host", s->rank[i].host}};
        snprintf(number, sizeof number, "%d", s->rank[i].rank);
        record(m, &rank_figures, s, &s->rank[i], rank, 2);
    }
}

/* --- running totals --- */

struct metrics_total {
    char *key;
    double shown; /* the total */
    double whole; /* up to the last checkpoint, as the checkpoints say */
};

static struct metrics_total *total_of(const struct metrics_totals *t, const char *key)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->total[i].key, key) == 0)
            return &t->total[i];
    return NULL;
}

static struct metrics_total *find_or_make(struct metrics_totals *t, const char *key)
{
    struct metrics_total *one = total_of(t, key);

    if (one)
        return one;
    t->total = mem_grow(t->total, t->n + 1, sizeof *t->total);
    t->total[t->n] = (struct metrics_total){.key = mem_strdup(key)};
    return &t->total[t->n++];
}

double metrics_grow(struct metrics_totals *t, const char *key, enum snapshot_kind kind,
                    bool intervals, double growth)
{
    struct metrics_total *one = find_or_make(t, key);

    if (kind == SNAPSHOT_INTERVAL) {
        one->shown += growth;
        return one->shown;
    }
    one->whole += growth;
    if ((kind == SNAPSHOT_FINAL || !intervals) && one->whole > one->shown)
        one->shown = one->whole;
    return one->shown;
}

const double *metrics_total(const struct metrics_totals *t, const char *key,
                            enum snapshot_kind kind)
{
    struct metrics_total *one = total_of(t, key);

    if (one && kind == SNAPSHOT_FINAL && one->whole > one->shown)
        one->shown = one->whole;
    return one ? &one->shown : NULL;
}

void metrics_totals_free(struct metrics_totals *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->total[i].key);
    free(t->total);
}
