/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: figures as metrics, metrics as families of samples, and the two texts that
 * collectors read: Prometheus' text format 0.0.4 (also node_exporter's textfile collector) and
 * OpenMetrics 1.0.
 *
 *     metrics_labels   labels of every sample
 *     metrics_add      adds a sample to its family
 *     metrics_render   appends the text of one format, without OpenMetrics' end
 *
 * Families come out in the order of their first samples, each with its samples together, as both
 * formats demand.  The formats hardly differ: OpenMetrics names a counter's family without _total,
 * states units, has a type for run information, escapes quotes in help texts, and ends with
 * "# EOF".
 */
#ifndef SB_REPORT_METRICS_H
#define SB_REPORT_METRICS_H

#include "base/str.h"
#include "report/fields.h"
#include "report/run_info.h"

enum metrics_type {
    METRICS_GAUGE,
    METRICS_COUNTER, /* samples end in _total */
    METRICS_SUMMARY,
    METRICS_HISTOGRAM,
    METRICS_INFO /* samples end in _info; a gauge to the older format */
};

enum metrics_form { METRICS_PROMETHEUS, METRICS_OPENMETRICS };

struct metrics_family; /* opaque */

struct metrics {
    struct metrics_family *family;
    size_t n;
    struct str labels; /* `test="cpu",env="prod"` */
};

/* A label of one sample. */
struct metrics_label {
    const char *name, *value;
};

void metrics_labels(struct metrics *m, const char *test, const struct report_label *label,
                    size_t n);

/* `name` is without "sysbench_" and without the ending of its type; it and `help` are copied.
 * `ending` is added to the sample's name after that of the type: "_sum", "".  VALUE_NONE: no
 * sample. */
void metrics_add(struct metrics *m, enum metrics_type type, const char *name, const char *help,
                 const char *ending, const struct metrics_label *label, size_t n, struct value v);

void metrics_render(const struct metrics *m, enum metrics_form form, struct str *out);

/* Forgets the families; the labels stay. */
void metrics_clear(struct metrics *m);
void metrics_free(struct metrics *m);

/*
 * Which family a figure belongs to, under which label, and whether it is a level, a running total
 * or growth that has to be added up.  Names follow the conventions of Prometheus: base units, one
 * family for metrics that differ only by a label, and no metric that a query can compute from
 * others (a rate, a figure per transaction).
 */
struct metric {
    enum metric_how how;
    char family[96];   /* without "sysbench_" and "_total" */
    const char *help;  /* of the family */
    const char *label; /* NULL: the family has one sample */
    char value[160];   /* of the label */
    double factor;     /* from the figure's unit to the base unit */
};
void metric_of(const struct field *f, struct metric *out);

/* What is not in a section: errors by code, incidents, outages, connections, hosts, stages,
 * ranks. */
void metrics_records(struct metrics *m, const struct snapshot *s);

/* Running totals of growth that reports give piece by piece: the intervals add to a total while the
 * run goes on, the checkpoints and the summary correct it.  A total never falls.  It leaves out
 * what a report could not measure, so it is the growth that was seen. */
struct metrics_totals {
    struct metrics_total *total;
    size_t n;
};

/* A report of this kind says that `key` grew by `growth` in its period (NaN: it does not say);
 * returns the total.  NULL: no report had the key yet.  `intervals`: there are interval reports, so
 * checkpoints add nothing before the summary, where the total is the sum of the checkpoints if that
 * is larger. */
const double *metrics_grow(struct metrics_totals *t, const char *key, enum snapshot_kind kind,
                           bool intervals, double growth);

void metrics_totals_free(struct metrics_totals *t);

#endif
