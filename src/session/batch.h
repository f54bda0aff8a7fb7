/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --batch of sysbench 0.4.12: every --batch-delay seconds a line with the latencies of the run so
 * far, in seconds.  It takes the place of interval lines, which 0.4.12 did not have.  An interval's
 * histogram covers that interval, so the lines' figures come from the sum of all of them; their
 * smallest and largest value are known to a thousandth.
 */
#ifndef SB_SESSION_BATCH_H
#define SB_SESSION_BATCH_H

#include "base/str.h"
#include "report/snapshot.h"

struct batch;

struct batch *batch_new(void);
void batch_free(struct batch *b); /* NULL is allowed */

/* Adds an interval, and appends the line.  `service`: latencies begin with the actual start. */
void batch_line(struct batch *b, struct str *out, const struct snapshot *s, bool service);

#endif
