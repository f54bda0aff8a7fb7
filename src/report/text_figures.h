/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: what server, load generator and machine did in the time of a report, as
 * numbers that text shows; NaN where there is none.
 */
#ifndef SB_REPORT_TEXT_FIGURES_H
#define SB_REPORT_TEXT_FIGURES_H

#include <stddef.h>

#include "report/snapshot.h"

enum { TEXT_DERIVED = 5 };

/* user, system and both */
enum { TEXT_USER, TEXT_SYSTEM, TEXT_CPU, TEXT_CPUS };

struct text_process {
    double of_system[TEXT_CPUS], of_one[TEXT_CPUS]; /* % of the whole system, of one CPU */
    double per_tx[TEXT_CPUS];                       /* us per transaction */
    double voluntary, involuntary, switches, switches_tx;
    double threads, rss_mib, minor_faults, major_faults, read, written;
    double waited_s, waited_tx, waited_pct, throttled_s, throttled_periods;
};

struct text_figures {
    struct text_process server, client;
    struct host_delta host; /* as it was read; these are per transaction: */
    double interrupts, switches, joules[POWER_KINDS], battery_joules;
    double derived[TEXT_DERIVED];
    double transactions, per_s, target, planned, failed, dropped, unfinished, late;
};

/* What follows from several events. */
struct text_derived {
    unsigned bit; /* PERF_*: what was requested */
    const char *brief, *label;
    int decimals;
    const char *unit;
};
extern const struct text_derived text_derived[TEXT_DERIVED];

void text_figures_of(struct text_figures *f, const struct snapshot *s);

/* The double at this offset; NaN: `figures` is NULL. */
double text_figure(const void *figures, size_t offset);

/* Of a transaction: NaN if there was none. */
double text_per(double v, uint64_t n);

#endif
