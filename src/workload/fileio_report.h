/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The counts of `fileio` as text.  Pure rendering; any thread may call.  Private to src/workload
 */
#ifndef SB_WORKLOAD_FILEIO_REPORT_H
#define SB_WORKLOAD_FILEIO_REPORT_H

#include "base/str.h"
#include "report/snapshot.h"

/* The text between the time stamp and the end of an interval line. */
void fileio_text_interval(struct str *out, const struct snapshot *s);

/* Stock 1.0's two blocks, which the common report follows. */
void fileio_text_1_0(struct str *out, const struct snapshot *s);

/* Stock 1.1's whole report. */
void fileio_text_1_1(struct str *out, const struct snapshot *s);

#endif
