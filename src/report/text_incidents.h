/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What happened to the machine or the server in the run, as text: a line of its own before the
 * interval that noticed it, and a block of the final report.  Reports that have none of our lines
 * have none of these.  Pure rendering; any thread may call.
 */
#ifndef SB_REPORT_TEXT_INCIDENTS_H
#define SB_REPORT_TEXT_INCIDENTS_H

#include "base/str.h"
#include "report/snapshot.h"

/* "server-restarted": the name in files */
const char *incident_name(enum incident_kind kind);

/* "server restarted: pid 123 -> 456", "rank 1 (load2): sysbench stopped: for at least 1.200 s" */
void incident_text(struct str *out, const struct snapshot_incident *v);

/* Seconds since measuring began. */
double incident_elapsed_s(const struct snapshot *s, const struct snapshot_incident *v);

/* "[ 12.345s ] server restarted: pid 123 -> 456": those since the last report. */
void text_incident_lines(struct str *out, const struct snapshot *s);

/* All of them, in the final report. */
void text_incidents(struct str *out, const struct snapshot *s);

#endif
