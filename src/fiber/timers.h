/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/fiber: timers in a binary heap, each embedded in the task that it wakes, so that
 * nothing is allocated while it is used and any timer can be removed.  The current time is an
 * argument.  One thread only.
 */
#ifndef SB_FIBER_TIMERS_H
#define SB_FIBER_TIMERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"

/* All zero: not set. */
struct timer {
    mono_ns at;
    size_t place; /* in the heap, from 1; 0: not in it */
};

struct timers {
    struct timer **heap; /* heap[0] is not used */
    size_t n, capacity;
};

/* Room for so many entries at a time. */
void timers_init(struct timers *t, size_t capacity);
void timers_fini(struct timers *t);

/* The entry must not be set already, and there must be room (both asserted). */
void timers_add(struct timers *t, struct timer *e, mono_ns at);

/* Nothing happens when it is not set. */
void timers_remove(struct timers *t, struct timer *e);

static inline bool timer_is_set(const struct timer *e)
{
    return e->place != 0;
}

/* The earliest instant, MONO_NEVER when there is none. */
static inline mono_ns timers_first(const struct timers *t)
{
    return t->n ? t->heap[1]->at : MONO_NEVER;
}

/* Removes and returns the earliest entry that is due at `now`; NULL: none is. */
struct timer *timers_due(struct timers *t, mono_ns now);

#endif
