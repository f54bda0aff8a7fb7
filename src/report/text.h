/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Snapshots as the text that people and parsers read.  With stock's options only, every line is
 * stock's of the chosen generation (opt/generation.h) byte for byte apart from the figures; our
 * additions are at a line's end or in blocks after stock's, and only when the snapshot has a rate,
 * a server or several percentiles.  Pure rendering: no clock, no I/O, no state; any thread may
 * call.
 *
 *     text_stock.c    stock's reports: header, intervals, cumulative report, histogram
 *     text_ours.c     the end of an interval line, the rate, the verdict, outages, retries,
 *                     connections, database hosts, load hosts; the order of our blocks
 *     text_figures.c  server, load generator, machine: interval line and blocks
 *     text_phases.c   phases between marks, stages of the rate
 *     text_blocks.c   the other blocks
 *     text_find.c     the search for the highest rate
 *     text_table.c    what blocks are made of, and the table on a terminal
 *     text_columns.c  its columns
 */
#ifndef SB_REPORT_TEXT_H
#define SB_REPORT_TEXT_H

#include "base/str.h"
#include "opt/generation.h"
#include "report/run_info.h"
#include "report/snapshot.h"

struct environment; /* telemetry/environment.h */

/* The record of --report-environment: "Environment:" and a line for each item. */
void text_environment(struct str *out, const struct environment *e);

/* --- intervals --- */

enum text_form {
    TEXT_GENERIC, /* eps, no statements */
    TEXT_SQL      /* tps, qps, SQL statistics */
};

/* How long a line may become by our figures.  One that was left out once stays out. */
struct text_fit {
    size_t most;   /* characters */
    size_t kept;   /* figures; SIZE_MAX at first */
    size_t hidden; /* of the last line */
};

/* One interval: the line, and stock's second line with --rate.  `fit` NULL: of any length.
 * `middle`: of a workload that writes its own text between the time stamp and our additions, else
 * NULL; as in stock, there is no second line then. */
void text_interval(struct str *out, const struct snapshot *s, enum text_form form,
                   const char *middle, enum generation g, struct text_fit *fit);

/* True when this generation reports such a test at its end only, unless the test has figures of its
 * own for an interval. */
bool text_end_only(enum text_form form, enum generation g);

/* The marks and incidents since the last report, as lines of the timeline:
 * "[ 3.214s ] mark: new pool size", "[ 12.345s ] server restarted: pid 123 -> 456" */
void text_marks(struct str *out, const struct snapshot *s);
void text_incident_lines(struct str *out, const struct snapshot *s);

/* "1, 2 (lost)": the load hosts whose figures a report lacks, behind `before`. */
void text_missing_ranks(struct str *out, const struct snapshot *s, const char *before);

/* --- cumulative reports: a checkpoint's and the final one --- */

/* "[ 5s ] Checkpoint report:" */
void text_checkpoint_stamp(struct str *out, const struct snapshot *s, enum generation g);

/* Stock's blocks. */
void text_cumulative(struct str *out, const struct snapshot *s, enum text_form form,
                     enum generation g);

/* --debug: two lines per thread, at the level of debug messages. */
void text_threads(struct str *out, const struct snapshot *s, enum generation g);

/* --histogram, without the title's verbosity rules. */
void text_histogram(struct str *out, const struct hist_counts *h);
/* The same two columns for n buckets of anything: the value of bucket i is value(arg, i). */
void text_distribution(struct str *out, const uint64_t *count, size_t n,
                       double (*value)(const void *arg, size_t i), const void *arg);

enum text_detail {
    TEXT_BRIEF, /* what fits a screen and a half: the default on standard output */
    TEXT_FULL   /* everything: --verbosity=4, and text files */
};

/* The block of --settle, behind the header; n = 0: nothing. */
void text_settled(struct str *out, const struct report_settle *r, size_t n);

/* Our blocks after stock's, in their order; those that do not apply are left out.  `width`: columns
 * that there are for a text that would be cut. */
void text_additions(struct str *out, const struct snapshot *s, const struct report_end *v,
                    const struct report_info *info, enum text_detail detail, size_t width);

/* What is left to report of a run that ends without a final snapshot. */
void text_ending(struct str *out, const struct report_info *info);

/* --- parts that workloads use in their own reports --- */

/* n per second over the snapshot's interval; 0 for an interval without length. */
double text_per_sec(const struct snapshot *s, double n);

/* The end of an interval line: "<label> (ms,95%): 2.48"; of several percentiles "<label>
 * (ms,50%,95%): 1.20/2.48". */
void text_latency(struct str *out, const struct snapshot *s, const char *label, int decimals);

/* The lines of a Latency block between "max" and "sum", one for each percentile; the last digit
 * is in column `width`. */
void text_percentile_lines(struct str *out, const struct snapshot *s, int width);

/* Forced shutdown: how many transactions were abandoned; nothing when none was. */
void text_unfinished(struct str *out, const struct snapshot *s);

/* --- words, also of other formats and messages --- */

/* What stands between the word of a verdict and its reason. */
const char *text_verdict_join(bool sustained, const char *why);

/* --warmup-until: how the warm-up ended, one sentence without a full stop */
void text_warmed(struct str *out, const struct snapshot_warmup *w);

/* "server-restarted": the name in files */
const char *incident_name(enum incident_kind kind);
/* "server restarted: pid 123 -> 456", "rank 1 (load2): sysbench stopped: for at least 1.200 s";
 * `when`: what stands before the last colon */
void incident_text(struct str *out, const struct snapshot_incident *v, const char *when);

/* Of a kind of statement: its share of the time in transactions, per cent, NaN for kinds outside
 * transactions or when there was none; its name, or its class. */
double statement_share(const struct snapshot *s, const struct stmt_figures *f);
const char *statement_name(const struct stmt_figures *f);

/* "1290 (HY000)", "40001", "no code": how a code is written. */
#define TEXT_ERROR_CODE_SIZE 32
const char *text_error_code(char buf[TEXT_ERROR_CODE_SIZE], const struct error_row *r);
/* An error of a class, as people say it: "no connection", "errors". */
const char *text_error_words(const char *class);
/* An error that belongs to a load: a deadlock, a duplicate key and the like. */
bool text_error_is_usual(const struct error_row *r);

/* "1,768"; returns buf. */
#define TEXT_GROUPED_SIZE 32
const char *text_grouped(char buf[TEXT_GROUPED_SIZE], uint64_t v);

/* --- a search for the highest rate --- */

#define TEXT_FIND_SIZE 64

/* "20 ms", "0.1 %", "5/s"; "n/a".  All return buf. */
const char *text_find_amount(char buf[TEXT_FIND_SIZE], const struct find_bound *b, double v);
/* "p99": what a bound is of */
const char *text_find_name(char buf[TEXT_FIND_SIZE], const struct find_bound *b);
/* "p99 18.3 ms", "lag p99.9 0.2 ms", "errors 0.1 %" */
const char *text_find_value(char buf[TEXT_FIND_SIZE], const struct find_bound *b, double v);
/* "1,414/s", "0.62/s" */
const char *text_find_rate(char buf[TEXT_FIND_SIZE], double rate);
/* "latency", "server CPU": the side that was at its limit; "" for none. */
const char *text_find_limit(enum find_limit limit);

/* "step 7: 1,414/s for 10 s: p99 18.3 ms, lag p99 0.2 ms, done 100.0 %: holds" and a newline;
 * `aligned`: in columns, for a terminal. */
void text_find_step(struct str *out, const struct find_record *r, size_t step, bool aligned);

/* "1,414/s (confirmed 2 times); ...": one sentence. */
void text_find_answer(struct str *out, const struct find_record *r);

#endif
