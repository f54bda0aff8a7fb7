/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tickets of the steady-rate patch of 2009: each client has a schedule of its own (aligned_note in
 * arrivals.h says which).  A client that is late catches up with its own schedule, back to back; no
 * other client takes its starts, and none is dropped.
 *
 * one_more_note: the patch tested the time limit after a transaction, before the pause.  A client
 * that ended a transaction in time takes its next start, wherever that lies, and runs it; only then
 * it stops.  So with `one_more` each client may take one start at or after the horizon, its extra
 * one, and such a start exists only if it was taken.  Those before the horizon exist in any case.
 *
 * limit_note: within a limit of starts for all clients, the first who ask get some.  Ranks cannot
 * ask each other, so each has the starts of its clients among the first of the whole, in the order
 * of their planned instants; its clients ask among themselves.
 *
 * aligned_take() and aligned_give_back() are for the client's own thread, and take no lock; any
 * thread may call the rest.
 */
#ifndef SB_PACE_ALIGNED_H
#define SB_PACE_ALIGNED_H

#include <stdbool.h>
#include <stdint.h>

#include "pace/arrival_queue.h"

struct aligned; /* opaque */

struct aligned_spec {
    struct arrivals_spec arrivals;
    struct share share;   /* of the clients; those below are its own: 0, 1, ... */
    uint64_t max_tickets; /* of all clients; 0 = no limit */
    dur_ns horizon;       /* <= ARRIVALS_FAR */
    bool one_more;
};

struct aligned *aligned_new(const struct aligned_spec *spec);
void aligned_free(struct aligned *a);

/* The client's next start; false: it has none, and out->base is where the schedule would go on. */
bool aligned_take(struct aligned *a, int client, struct ticket *out);

/* As if the client had not taken its latest ticket. */
void aligned_give_back(struct aligned *a, int client);

/* How many starts are planned at or before `now`.  An earlier `now` than in a previous call returns
 * that call's figure. */
uint64_t aligned_due(struct aligned *a, dur_ns now);

uint64_t aligned_taken(const struct aligned *a);

/* The earliest start before the horizon that was not taken, or MONO_NEVER. */
dur_ns aligned_next_planned(const struct aligned *a);

#endif
