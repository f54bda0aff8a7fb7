/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The marks of a run (stats/marks.h) and --mark-on, which makes them from outside: every SIGUSR1,
 * or every line written into a FIFO, is a mark; a line `rate 1500` also changes the rate.  A thread
 * of its own waits for them.  SIGUSR1 is blocked in every thread that is started after
 * marking_open, so it interrupts no client's call.
 */
#ifndef SB_SESSION_MARKING_H
#define SB_SESSION_MARKING_H

#include <stdbool.h>

#include "base/err.h"
#include "report/snapshot.h"
#include "stats/marks.h"

struct marking; /* opaque */

/* Checks the option's value (not ""); touches nothing.  -1: one sentence. */
int marking_check(const char *value, struct err *e);

/* Is it a signal, and no path? */
bool marking_is_signal(const char *value);

struct marking *marking_new(void);
void marking_free(struct marking *m); /* NULL is allowed; not when scripts may still make marks */
struct marks *marking_list(struct marking *m);

/* Before threads are started; value "": marks come from scripts only.  A FIFO that does not exist
 * is created (mode 0600), and removed by marking_close, unless something else stands in its
 * place. */
int marking_open(struct marking *m, const char *value, struct err *e);
/* Ends marks from outside. */
void marking_close(struct marking *m);

/* Closes, and adds to the final report the marks that came after its reading. */
void marking_last(struct marking *m, struct snapshot *s);

#endif
