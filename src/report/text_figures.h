/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Figures and blocks that several text reports show in the same way.
 */
#ifndef SB_REPORT_TEXT_FIGURES_H
#define SB_REPORT_TEXT_FIGURES_H

#include "base/str.h"
#include "report/snapshot.h"

enum text_form {
    TEXT_GENERIC, /* eps, no statements */
    TEXT_SQL      /* tps, qps, SQL statistics */
};

/* n per second over the snapshot's interval; 0 for an interval without length. */
double text_per_sec(const struct snapshot *s, double n);

/* A percentile as lines name it: "95", "99.9".  Returns buf. */
#define TEXT_PERCENTILE_SIZE 32
const char *text_percentile(char buf[TEXT_PERCENTILE_SIZE], double p);

/* Forced shutdown: how many transactions were abandoned; nothing when none was. */
void text_unfinished(struct str *out, const struct snapshot *s);

/* "Threads fairness:", the last block. */
void text_fairness(struct str *out, const struct snapshot *s);

#endif
