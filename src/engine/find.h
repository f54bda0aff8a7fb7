/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Conducts the search for the highest rate: sets a rate, lets it settle, reads the figures of a
 * step, judges them, lets the backlog end, and asks the search for the next rate.
 *
 *     find_search    which rate next, and does it hold        run_set_rate()   the schedule
 *
 * A thread of its own ("sb-find") that sleeps nearly all the time.  Private to src/engine
 */
#ifndef SB_ENGINE_FIND_H
#define SB_ENGINE_FIND_H

#include "engine/collect.h"

struct finder; /* opaque */

/* Starts r->finder if the plan has a search; -1: there can be no thread. */
int find_begin(struct run *r, struct ticker *t, struct err *e);
/* The run is over, or could not begin: waits for the thread, and completes the record.  Like the
 * others it takes NULL for no search. */
void find_stop(struct finder *f);
void find_free(struct finder *f);

#endif
