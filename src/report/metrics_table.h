/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of fields.h as metrics: which family a figure belongs to, under which label, and
 * whether it is a level, a running total or growth that has to be added up.  Names follow the
 * conventions of Prometheus: base units, one family for metrics that differ only by a label, and no
 * metric that a query can compute from others (a rate, a figure per transaction).  Pure.  Private
 * to src/report
 */
#ifndef SB_REPORT_METRICS_TABLE_H
#define SB_REPORT_METRICS_TABLE_H

#include "report/fields.h"

enum metric_how {
    METRIC_NONE,  /* a query can compute it, or the latency series have it */
    METRIC_LEVEL, /* a gauge */
    METRIC_SINCE, /* a counter: the figure counts since measuring began */
    METRIC_GROWS, /* a counter: figures of all reports added up */
    METRIC_PER_S  /* the same, and the figure is per second of its section's interval_s */
};

struct metric {
    enum metric_how how;
    const char *family; /* without "sysbench_" and "_total" */
    const char *help;   /* of the family */
    const char *label;  /* NULL: the family has one sample */
    char value[160];    /* of the label */
    double factor;      /* from the figure's unit to the base unit */
};

/* False: the table does not know the figure, which is a mistake in it. */
bool metric_of(const struct field *f, struct metric *out);

#endif
