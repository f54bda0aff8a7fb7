/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Figures that several text reports show in the same way.
 */
#ifndef SB_REPORT_TEXT_FIGURES_H
#define SB_REPORT_TEXT_FIGURES_H

#include "report/snapshot.h"

/* n per second over the snapshot's interval; 0 for an interval without length. */
double text_per_sec(const struct snapshot *s, double n);

/* A percentile as lines name it: "95", "99.9".  Returns buf. */
#define TEXT_PERCENTILE_SIZE 32
const char *text_percentile(char buf[TEXT_PERCENTILE_SIZE], double p);

#endif
