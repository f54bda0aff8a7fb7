/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Snapshots as the text that people and parsers read.  With stock's options only, every line is
 * stock's of the chosen generation (opt/generation.h) byte for byte apart from the figures; what is
 * ours comes at a line's end or in blocks after stock's, and only when the snapshot carries a rate,
 * a server or several percentiles.  Pure rendering: no clock, no I/O, no state; any thread may
 * call.
 */
#ifndef SB_REPORT_TEXT_H
#define SB_REPORT_TEXT_H

#include "base/str.h"
#include "opt/generation.h"
#include "report/snapshot.h"
#include "report/text_lines.h"

enum text_form {
    TEXT_GENERIC, /* eps, no statements */
    TEXT_SQL      /* tps, qps, SQL statistics */
};

/* One interval: the line, and stock's second line with --rate. */
void text_interval(struct str *out, const struct snapshot *s, enum text_form form);

/* One interval of a workload that words it itself: `middle` between the time stamp and our
 * additions.  No second line with --rate, as ever. */
void text_interval_of(struct str *out, const struct snapshot *s, const char *middle);

/* n per second over the snapshot's interval; 0 for an interval without length. */
double text_per_sec(const struct snapshot *s, double n);

/* Forced shutdown: how many transactions were abandoned; nothing when none was. */
void text_unfinished(struct str *out, const struct snapshot *s);

/* "[ 5s ] Checkpoint report:" */
void text_checkpoint_stamp(struct str *out, const struct snapshot *s);

/* The cumulative report: checkpoint and final. */
void text_cumulative(struct str *out, const struct snapshot *s, enum text_form form,
                     enum generation g);

/* A percentile as lines name it: "95", "99.9".  Returns buf. */
#define TEXT_PERCENTILE_SIZE 32
const char *text_percentile(char buf[TEXT_PERCENTILE_SIZE], double p);

/* The end of an interval line: "<label> (ms,95%): 2.48"; of several percentiles "<label>
 * (ms,50%,95%): 1.20/2.48". */
void text_latency(struct str *out, const struct snapshot *s, const char *label, int decimals);

/* The lines of a Latency block between "max" and "sum", one for each percentile; the last digit is
 * in column `width`. */
void text_percentile_lines(struct str *out, const struct snapshot *s, int width);

/* --debug: two lines per thread, at the level of debug messages. */
void text_threads(struct str *out, const struct snapshot *s);

/* Our blocks after it, each nothing when the snapshot does not carry it: Rate without its last
 * line, that last line, Server and Load generator. */
void text_rate(struct str *out, const struct snapshot *s);
void text_verdict(struct str *out, const struct snapshot *s, bool sustained, const char *why);
void text_processes(struct str *out, const struct snapshot *s, enum text_detail detail);

/* --histogram, without the title's verbosity rules. */
void text_histogram(struct str *out, const struct hist_counts *h);
/* The same two columns for n buckets of anything: the value of bucket i is value(arg, i). */
void text_distribution(struct str *out, const uint64_t *count, size_t n,
                       double (*value)(const void *arg, size_t i), const void *arg);

#endif
