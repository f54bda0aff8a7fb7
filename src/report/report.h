/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The result files of a run (--report-file).  Each has a writer (writer.h), and all writers get the
 * same data: the facts before the run, every snapshot, and how the run ended.
 *
 *     report_files_parse     names and formats; touches nothing
 *     report_files_check     checks that there will be data to write
 *     report_files_open      creates the files, writes their beginnings
 *     report_files_snapshot  at each interval, checkpoint and at the end
 *     report_files_close     writes their ends; -1 when a file is incomplete
 *
 * A failure to write is reported once and ends that file, nothing else.  One call at a time; the
 * threads may differ.
 */
#ifndef SB_REPORT_REPORT_H
#define SB_REPORT_REPORT_H

#include "base/err.h"
#include "base/str.h"
#include "report/out.h"
#include "report/run_info.h"

struct report_files; /* opaque; NULL: there are none */

/* Each name is "PATH", whose suffix determines the format, or "FORMAT:PATH".  -1: unknown format, a
 * file twice, or one that could not be written; one sentence. */
int report_files_parse(struct report_files **out, char *const *name, size_t n, struct err *e);

/* Adds their paths to those that the run will write to.  -1: another output has one of them. */
int report_files_claim(const struct report_files *r, struct outs *outs, struct err *e);

/* Checks that there will be data: a table of intervals, checkpoints or steps of a search needs
 * some.  -1: a sentence. */
int report_files_check(const struct report_files *r, bool intervals, bool checkpoints, bool steps,
                       struct err *e);

/* Adds a writer without a file: the metrics of each report go to `publish`.  Creates *r when it is
 * NULL. */
void report_files_publish(struct report_files **r, report_publish *publish, void *arg);

int report_files_open(struct report_files *r, const struct report_info *info, struct err *e);
void report_files_snapshot(struct report_files *r, const struct snapshot *s);
int report_files_close(struct report_files *r, const struct report_end *end);
/* True when a file contains report_info.record. */
bool report_files_want_record(const struct report_files *r);
void report_files_free(struct report_files *r);

/* "csv, json, ..." */
void report_formats(struct str *out);

#endif
