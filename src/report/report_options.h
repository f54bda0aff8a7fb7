/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What reports take from the options: the decimals of time stamps, and labels.
 */
#ifndef SB_REPORT_REPORT_OPTIONS_H
#define SB_REPORT_REPORT_OPTIONS_H

#include <stddef.h>

#include "base/clock.h"
#include "base/err.h"
#include "report/run_info.h"

/* How many decimals time stamps need to distinguish successive multiples of the interval; at most
 * three. */
int report_stamp_decimals(dur_ns interval);

/*
 * Labels of a run in the files for programs: --label=KEY=VALUE, as labels of every metric, members
 * of JSON, columns of csv.  Keys are names that metrics allow and that the program does not use
 * itself.
 */

/* Adds "KEY=VALUE,KEY=VALUE" to the list; empty pieces are skipped.  -1: one sentence that names
 * --label; the list is empty then. */
int report_labels_parse(struct report_label **list, size_t *n, const char *text, struct err *e);

void report_labels_free(struct report_label *list, size_t n);

#endif
