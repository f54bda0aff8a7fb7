/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The search for the highest rate as text: a line for each step when it ends, and a block of the
 * final report.  Pure rendering; any thread may call.
 */
#ifndef SB_REPORT_TEXT_FIND_H
#define SB_REPORT_TEXT_FIND_H

#include "base/str.h"
#include "report/find_record.h"

#define TEXT_FIND_SIZE 64

/* "20 ms", "0.1 %", "5/s"; "n/a".  Both return buf. */
const char *text_find_amount(char buf[TEXT_FIND_SIZE], const struct find_bound *b, double v);
/* "p99 18.3 ms", "lag p99.9 0.2 ms", "errors 0.1 %" */
const char *text_find_value(char buf[TEXT_FIND_SIZE], const struct find_bound *b, double v);
/* "p99": what a bound is of */
const char *text_find_name(char buf[TEXT_FIND_SIZE], const struct find_bound *b);
#define TEXT_GROUPED_SIZE 32

/* "1,768"; returns buf. */
const char *text_grouped(char buf[TEXT_GROUPED_SIZE], uint64_t v);
/* "1,414/s", "0.62/s" */
const char *text_find_rate(char buf[TEXT_FIND_SIZE], double rate);

/* "step 7: 1,414/s for 10 s: p99 18.3 ms, lag p99 0.2 ms, done 100.0 %: holds" and a newline;
 * `aligned`: in columns, for a terminal. */
void text_find_step(struct str *out, const struct find_record *r, size_t step, bool aligned);

/* "latency", "server CPU": the side that was at its limit; "" for none. */
const char *text_find_limit(enum find_limit limit);

/* "1,414/s (confirmed 2 times); ...": one sentence. */
void text_find_answer(struct str *out, const struct find_record *r);

/* The block "Highest rate:". */
void text_find(struct str *out, const struct find_record *r);

#endif
