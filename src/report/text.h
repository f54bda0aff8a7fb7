/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Snapshots as the text that people and parsers read.  With stock's options only, every line is
 * stock's of the chosen generation (opt/generation.h) byte for byte apart from the figures; our
 * additions are at a line's end or in blocks after stock's, and only when the snapshot has a rate,
 * a server or several percentiles.  Pure rendering: no clock, no I/O, no state; any thread may
 * call.
 */
#ifndef SB_REPORT_TEXT_H
#define SB_REPORT_TEXT_H

#include "base/str.h"
#include "opt/generation.h"
#include "report/snapshot.h"
#include "report/text_figures.h"

/* One interval: the line, and stock's second line with --rate. */
void text_interval(struct str *out, const struct snapshot *s, enum text_form form,
                   enum generation g);

/* One interval of a workload that writes its own text: `middle` between the time stamp and our
 * additions.  As in stock, there is no second line with --rate. */
void text_interval_of(struct str *out, const struct snapshot *s, const char *middle,
                      enum generation g);

/* True when this generation reports such a test at its end only, unless the test has figures of its
 * own for an interval. */
bool text_end_only(enum text_form form, enum generation g);

/* "[ 5s ] Checkpoint report:" */
void text_checkpoint_stamp(struct str *out, const struct snapshot *s, enum generation g);

/* The cumulative report: checkpoint and final. */
void text_cumulative(struct str *out, const struct snapshot *s, enum text_form form,
                     enum generation g);

/* The end of an interval line: "<label> (ms,95%): 2.48"; of several percentiles "<label>
 * (ms,50%,95%): 1.20/2.48". */
void text_latency(struct str *out, const struct snapshot *s, const char *label, int decimals);

/* The lines of a Latency block between "max" and "sum", one for each percentile; the last digit
 * is in column `width`. */
void text_percentile_lines(struct str *out, const struct snapshot *s, int width);

/* --debug: two lines per thread, at the level of debug messages. */
void text_threads(struct str *out, const struct snapshot *s, enum generation g);

/* --histogram, without the title's verbosity rules. */
void text_histogram(struct str *out, const struct hist_counts *h);
/* The same two columns for n buckets of anything: the value of bucket i is value(arg, i). */
void text_distribution(struct str *out, const uint64_t *count, size_t n,
                       double (*value)(const void *arg, size_t i), const void *arg);

#endif
