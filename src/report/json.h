/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * JSON (RFC 8259) by appending: a value at a time.  Any bytes
 * become a valid string; a finite double keeps all its digits, any other is null.
 *
 * Below, the objects that a JSON document, a stream of JSON lines and the live page have in common;
 * docs/schema/ describes them.  The members of most are the rows of tables (fields.h).  Each
 * appends one object or value to `out`.  Pure.  Private to src/report
 */
#ifndef SB_REPORT_JSON_H
#define SB_REPORT_JSON_H

#include "base/str.h"
#include "report/fields.h"
#include "report/run_info.h"

/* Quoted and escaped; bytes that are not UTF-8 become U+FFFD.  NULL: null. */
void json_string(struct str *out, const char *text);
void json_list(struct str *out, const char *const *text, size_t n); /* of strings */

/* The shortest text that reads back as the same double; "null" when it is not finite. */
void json_number(struct str *out, double v);

void json_value(struct str *out, const struct value *v);

/* `"name":`, with a comma before it where something precedes it in its object. */
void json_name(struct str *out, const char *name);

/* A member as a whole. */
void json_string_member(struct str *out, const char *name, const char *value);
void json_number_member(struct str *out, const char *name, double value);

#define JSON_DOC_SCHEMA  "sysbench-tx/report/1"
#define JSON_LINE_SCHEMA "sysbench-tx/report-line/1"

/* The members of a record, without the braces, so that the caller can write others beside them. */
void json_members(struct str *out, const struct figure *t, const struct snapshot *s,
                  const void *of);
/* With the braces. */
void json_object(struct str *out, const struct figure *t, const struct snapshot *s, const void *of);

/* Program, test, labels, command line, options, environment. */
void json_doc_run(struct str *out, const struct report_info *info);

/* --label: {"env":"prod"}. */
void json_doc_labels(struct str *out, const struct report_info *info);

/* Every figure of a report: its members, and the object. */
void json_doc_snapshot(struct str *out, const struct snapshot *s);
void json_doc_report(struct str *out, const struct snapshot *s);

/* What the run depends on, by key: a key that occurs several times has a list.  What is not known
 * is null, with the reason in its member "missing".  null when there is no record. */
void json_doc_environment(struct str *out, const struct environment *e);

/* A missing figure is null, with its reason in "missing".  null without --server-profile, and until
 * it has ended. */
void json_doc_profile(struct str *out, const struct report_profile *p);

/* The bounds and the count of each bucket that is not empty; null without any. */
void json_doc_histograms(struct str *out, const struct snapshot_hists *h);

/* null without a rate. */
void json_doc_verdict(struct str *out, const struct report_end *end);

#endif
