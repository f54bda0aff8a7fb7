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

#endif
