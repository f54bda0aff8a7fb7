/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The arrivals of one schedule in the order of their planned starts.  A jitter wider than the gap
 * lets a later arrival overtake an earlier one; in the order of the schedule, a client would sleep
 * for the one while the time of the other passes, and this program would cause the lateness.
 *
 * queue_note: an arrival moves by at most `half` (half the jitter's window), so nothing that is
 * still in the cursor can begin before cursor - half.  All that lies before that instant is on a
 * heap, and the heap's top is the next planned start.  Without jitter the cursor is the order.
 *
 * end_note: a schedule with a limit ends where the first arrival beyond the limit would be.  For
 * even arrivals that is computed; for the other shapes a second cursor runs half a window ahead, so
 * that the end is known before the first arrival that a jitter could move over it.
 *
 * A queue belongs to one thread at a time.  Memory: the arrivals of one window.
 */
#ifndef SB_PACE_ARRIVAL_QUEUE_H
#define SB_PACE_ARRIVAL_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "pace/arrivals.h"
#include "pace/rate_change.h"
#include "pace/share.h"

struct ticket {
    uint64_t k;     /* index in the schedule */
    dur_ns base;    /* where the schedule put it before jitter */
    dur_ns planned; /* ns after the start line */
    /* what it is planned again from when the rate changes (rate_change.h) */
    dur_ns first; /* `base` before all changes */
    rate_pos pos;
    uint32_t epoch; /* of the rate that it was planned by (ticket.h) */
    bool owned;     /* it has left the queue for one client */
    bool beyond;    /* ... but lies beyond the end, as if it had not */
};

struct arrival_queue {
    struct arrivals cursor;
    dur_ns horizon;        /* <= ARRIVALS_FAR: arrivals whose base is at or after it do not exist */
    uint64_t limit;        /* nor do those with this index and above; 0 = no limit */
    dur_ns half;           /* 0: no jitter */
    dur_ns end;            /* no planned start is at or after it; see arrival_queue_planned() */
    struct arrivals ahead; /* finds `end` where it cannot be computed (end_note) */
    struct rate_change *change; /* the latest; NULL: none */
    uint64_t left;              /* how many have been popped or skipped */
    uint64_t own;               /* ... that arrival_queue_own() is true of */
    struct share share;
    struct ticket *heap;
    size_t n, capacity;
};

/* Of the whole schedule, all arrivals are in the queue; `share` tells which are this rank's. */
void arrival_queue_init(struct arrival_queue *l, const struct arrivals_spec *spec,
                        struct share share, dur_ns horizon, uint64_t limit);
void arrival_queue_fini(struct arrival_queue *l);

/* The next planned start, which stays in the queue; false when there is none, then
 * arrival_queue_end() says where the schedule would have gone on. */
bool arrival_queue_peek(struct arrival_queue *l, struct ticket *out);
dur_ns arrival_queue_end(const struct arrival_queue *l);

/* Arrival k is this rank's; of aligned arrivals, it belongs to one of its clients. */
static inline bool arrival_queue_own(const struct arrival_queue *l, uint64_t k)
{
    const struct arrivals_spec *a = &l->cursor.spec;

    return share_has(l->share, a->shape == ARRIVAL_ALIGNED ? k % (uint64_t)a->clients : k);
}

/* As arrival_queue_peek(), after those of the other ranks have been popped. */
bool arrival_queue_peek_own(struct arrival_queue *l, struct ticket *out);

/* Removes the arrival that arrival_queue_peek just returned. */
void arrival_queue_pop(struct arrival_queue *l);

/* For even arrivals without jitter only: as if all arrivals before k had been popped.  Returns how
 * many of them are this rank's. */
uint64_t arrival_queue_skip_to(struct arrival_queue *l, uint64_t k);

/* From now on the rate is this one; all that is in the queue is planned again. */
void arrival_queue_change(struct arrival_queue *l, struct rate_change *c);

/* Fills base and planned from k, first and pos, with the changes up to `c`; any thread. */
void arrival_queue_plan(const struct arrival_queue *l, const struct rate_change *c,
                        struct ticket *t);

/* Planned start of arrival k at `base`: jitter moves it, but neither before the start line nor over
 * the end (the horizon or, if earlier, where the limit ends the schedule), so that every arrival
 * can begin; both mirror, so that starts are as dense there as everywhere. */
dur_ns arrival_queue_planned(const struct arrival_queue *l, dur_ns base, uint64_t k);

#endif
