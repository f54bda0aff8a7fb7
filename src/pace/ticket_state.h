/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The inside of the tickets, for the two files that share it: ticket.c takes them, ticket_change.c
 * changes the rate meanwhile.  Private to src/pace
 */
#ifndef SB_PACE_TICKET_STATE_H
#define SB_PACE_TICKET_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "pace/aligned.h"
#include "pace/arrival_queue.h"
#include "pace/ticket_spec.h"

struct tickets {
    struct ticket_spec spec;
    uint64_t limit; /* of the rank's own arrivals; UINT64_MAX: none */
    bool lock_free;
    bool due_computed;
    struct aligned *aligned; /* NULL: other shapes */
    /* left the queue, of the rank's own; lock-free it exceeds the end ... */
    CACHE_ALIGNED _Atomic uint64_t claimed;
    _Atomic uint64_t refused; /* ... by the callers that got TICKET_OVER or gave one back */
    CACHE_ALIGNED pthread_mutex_t lock; /* the queues */
    struct arrival_queue head;          /* for taking tickets */
    struct arrival_queue due;           /* for counting due ones */
    uint64_t *stage_own; /* of the rank's own, before the end of each stage that `due` has passed */
    size_t stages_passed;
    _Atomic(struct rate_change *) change; /* the latest; NULL: none */
    _Atomic uint32_t epoch;               /* how often it changed, twice; odd: it is changing */
    _Atomic uint64_t dropped;
    _Atomic int64_t closed; /* no arrival planned later is offered */
};

/* The schedule ended before this start (tickets_close). */
static inline bool ticket_cut_off(const struct tickets *t, dur_ns planned)
{
    return planned > atomic_load_explicit(&t->closed, memory_order_acquire);
}

/* ticket_change.c */
/* Even, no jitter: the number planned at or before `now`, before the horizon, within the limit; of
 * all ranks. */
uint64_t tickets_due_even(const struct tickets *t, dur_ns now);
void tickets_free_changes(struct tickets *t);

#endif
