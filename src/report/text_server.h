/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The probe's figures as text: an addition to the interval line, and blocks of the cumulative
 * reports.  Empty when no probe was requested.  Pure rendering; any thread may call.  Private to
 * src/report
 */
#ifndef SB_REPORT_TEXT_SERVER_H
#define SB_REPORT_TEXT_SERVER_H

#include "base/str.h"
#include "report/snapshot.h"
#include "report/text_lines.h"

/* " | ipc 0.60 ... | cycles:u/tx 81234 ..." */
void text_interval_probe(struct str *out, const struct snapshot *s);

/* The rest of the lines about one process: faults, storage, waiting for a CPU. */
void text_process_more(struct text_lines *l, const struct snapshot_server *v,
                       const struct snapshot *s);

/* Blocks, each empty when it was not requested: events, the machine, the server's own counters. */
void text_probe(struct str *out, const struct snapshot *s, enum text_detail detail);

#endif
