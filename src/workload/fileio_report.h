/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The counts of `fileio` as text.  Pure rendering; any thread may call.  Private to src/workload
 */
#ifndef SB_WORKLOAD_FILEIO_REPORT_H
#define SB_WORKLOAD_FILEIO_REPORT_H

#include "base/str.h"
#include "opt/generation.h"
#include "report/snapshot.h"

/* The text between the time stamp and the end of an interval line. */
void fileio_text_interval(struct str *out, const struct snapshot *s, enum report_form form);

/* The lines before the common report.  True: they are the whole report. */
bool fileio_text_cumulative(struct str *out, const struct snapshot *s, enum report_form form);

#endif
