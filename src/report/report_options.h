/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The general options that concern only reports.
 */
#ifndef SB_REPORT_REPORT_OPTIONS_H
#define SB_REPORT_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/err.h"
#include "opt/opt.h"
#include "report/run_info.h"

struct report_options {
    bool histogram; /* --histogram */
    bool debug;     /* --debug: the threads of a report one by one */
    bool validate;  /* --validate: the header says so */
};

void report_options_read(struct report_options *r, const struct opts *o);

/* `percentiles`: how many --percentile asks for.  -1: there is none, and --histogram. */
int report_options_check(const struct report_options *r, size_t percentiles, struct err *e);

/* How many decimals time stamps need to distinguish successive multiples of the interval; at most
 * three. */
int report_stamp_decimals(dur_ns interval);

/*
 * Labels of a run in the files for programs: --label=KEY=VALUE, as labels of every metric, members
 * of JSON, columns of csv.  Keys are names that metrics allow and that the program does not use
 * itself.
 */

/* `text` is "KEY=VALUE,KEY=VALUE"; empty pieces are skipped.  -1: one sentence that names --label;
 * the list is empty then. */
int report_labels_parse(struct report_label **out, size_t *n, const char *text, struct err *e);

void report_labels_free(struct report_label *list, size_t n);

#endif
