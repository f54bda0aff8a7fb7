/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --mark-on: marks in the timeline of a run from outside (stats/marks.h): each SIGUSR1, or each line that somebody
 * writes into a FIFO.  A thread of its own waits for either; clients never see it, and SIGUSR1 is blocked in every
 * thread that is started after marking_open, so that it interrupts no call of a client.
 */
#ifndef SB_CLI_MARKING_H
#define SB_CLI_MARKING_H

#include "base/err.h"
#include "stats/marks.h"

struct marking; /* opaque */

/* Could it be done?  Touches nothing.  `value` is that of the option, not "".  -1: one sentence. */
int marking_check(const char *value, struct err *e);

/* Before threads are started.  A FIFO that is not there is made (mode 0600) and removed by marking_close. */
int marking_open(struct marking **out, const char *value, struct marks *marks, struct err *e);
void marking_close(struct marking *m); /* NULL is allowed */

#endif
