/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: metrics as families of samples, and the two texts that collectors read:
 * Prometheus' text format 0.0.4 (also node_exporter's textfile collector) and OpenMetrics 1.0.
 * Families come out in the order in which they were begun, each with its samples together, as both
 * formats demand.
 *
 *     metrics_labels   labels of every sample
 *     metrics_family   begins a family, or finds it
 *     metrics_number, metrics_count   add a sample to it
 *     metrics_render   appends the text of one format, without OpenMetrics' end
 *
 * The formats hardly differ: OpenMetrics names a counter's family without _total, states units, has
 * a type for run information, escapes quotes in help texts, and ends with "# EOF".
 */
#ifndef SB_REPORT_METRICS_TEXT_H
#define SB_REPORT_METRICS_TEXT_H

#include "base/str.h"
#include "report/run_info.h"

enum metrics_type {
    METRICS_GAUGE,
    METRICS_COUNTER, /* samples end in _total */
    METRICS_SUMMARY,
    METRICS_HISTOGRAM,
    METRICS_INFO /* samples end in _info; a gauge to the older format */
};

enum metrics_form { METRICS_PROMETHEUS, METRICS_OPENMETRICS };

#define METRICS_OPENMETRICS_END "# EOF\n"

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

/* `name` is without "sysbench_" and without the ending of its type; it and `help` are copied.  The
 * index is for the two functions that follow. */
size_t metrics_family(struct metrics *m, const char *name, enum metrics_type type,
                      const char *help);

/* `ending` is added to the sample's name before that of the type: "_sum", "". */
void metrics_number(struct metrics *m, size_t family, const char *ending,
                    const struct metrics_label *label, size_t n, double value);
void metrics_count(struct metrics *m, size_t family, const char *ending,
                   const struct metrics_label *label, size_t n, uint64_t value);

void metrics_render(const struct metrics *m, enum metrics_form form, struct str *out);

/* Forgets the families; the labels stay. */
void metrics_clear(struct metrics *m);
void metrics_free(struct metrics *m);

#endif
