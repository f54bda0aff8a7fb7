/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Marks in the timeline of a run (stats/marks.h): the list of them, and --mark-on, where they come
 * from outside: each SIGUSR1, or each line that somebody writes into a FIFO.  A thread of its own
 * waits for either; clients never see it, and SIGUSR1 is blocked in every thread that is started
 * after marking_open, so that it interrupts no call of a client.
 */
#ifndef SB_CLI_MARKING_H
#define SB_CLI_MARKING_H

#include "base/err.h"
#include "report/snapshot.h"
#include "stats/marks.h"

struct marking; /* opaque */

/* Could it be done?  Touches nothing.  `value` is that of the option, not "".  -1: one sentence. */
int marking_check(const char *value, struct err *e);

struct marking *marking_new(void);
void marking_free(struct marking *m); /* NULL is allowed; not when scripts may still make marks */
struct marks *marking_list(struct marking *m);

/* Before threads are started; value "": marks come from scripts only.  A FIFO that is not there is
 * made (mode 0600) and removed by marking_close. */
int marking_open(struct marking *m, const char *value, struct err *e);
/* None comes from outside any more. */
void marking_close(struct marking *m);

/* Adds to the final report's marks those that have come since its reading; from now on none comes
 * from outside. */
void marking_last(struct marking *m, struct snapshot *s);

#endif
