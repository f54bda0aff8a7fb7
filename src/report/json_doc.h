/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: the objects that a JSON document and a stream of JSON lines have in
 * common; docs/schema/ describes them.  Each appends one object or value to `out`.  Pure.
 */
#ifndef SB_REPORT_JSON_DOC_H
#define SB_REPORT_JSON_DOC_H

#include "report/run_info.h"

struct environment;

#define JSON_DOC_SCHEMA  "sysbench-tx/report/1"
#define JSON_LINE_SCHEMA "sysbench-tx/report-line/1"

/* Program, test, labels, command line, options, environment. */
void json_doc_run(struct str *out, const struct report_info *info);

/* --label: {"env":"prod"}. */
void json_doc_labels(struct str *out, const struct report_info *info);

/* Members only, without the braces, so that the caller can write others before them: every figure
 * (fields.h). */
void json_doc_snapshot(struct str *out, bool *first, const struct snapshot *s);

/* The system calls of the snapshot, which must have them. */
void json_doc_syscalls(struct str *out, const struct snapshot *s);

/* Incidents from number `from` on, a list. */
void json_doc_incidents(struct str *out, const struct snapshot *s, size_t from);

/* Members only: the errors of the report by code. */
void json_doc_errors(struct str *out, bool *first, const struct snapshot *s);

/* Member only: the figures of each database host; left out with one. */
void json_doc_hosts(struct str *out, bool *first, const struct snapshot *s);

/* null if there was none. */
void json_doc_outages(struct str *out, const struct snapshot *s);

/* Members only: a mark of the snapshot. */
void json_doc_mark(struct str *out, bool *first, const struct snapshot *s, const struct mark *m);

/* Members only: the phase between two marks. */
void json_doc_phase(struct str *out, bool *first, const struct snapshot_phase *p);
void json_doc_ranks(struct str *out, bool *first, const struct snapshot *s);
void json_doc_stage(struct str *out, bool *first, const struct snapshot_stage *v, size_t number);

/* What the run depends on, by key; what is not known is null, with the reason in its member
 * "missing".  null when there is no record. */
void json_doc_environment(struct str *out, const struct environment *e);

/* Members only: a command of --do. */
void json_doc_action(struct str *out, bool *first, const struct report_action *a);

/* null without --server-profile, and until it has ended. */
void json_doc_profile(struct str *out, const struct report_profile *p);

/* Left out unless --worker-batch was given; adds to `missing` why a figure is null. */
void json_doc_batches(struct str *out, bool *first, const struct snapshot_batches *b,
                      struct str *missing, bool *first_missing);
/* Transactions that were run again after an error. */
void json_doc_retries(struct str *out, const struct snapshot_retries *r);
void json_doc_connections(struct str *out, const struct snapshot_connections *v);
/* The member "warmup", if there is something to say. */
void json_doc_warmup(struct str *out, bool *first, const struct snapshot_warmup *w);

/* The search of --tx-find. */
void json_doc_find(struct str *out, const struct find_record *r);
/* Members only: a step of it. */
void json_doc_find_step(struct str *out, bool *first, const struct find_record *r, size_t step);

/* null without any. */
void json_doc_histograms(struct str *out, const struct snapshot_hists *h);

/* null without a rate. */
void json_doc_verdict(struct str *out, const struct report_end *end);
void json_doc_end(struct str *out, const struct report_end *end);

#endif
