/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tickets on a schedule that is computed, not queued.  A client that becomes idle takes the next
 * ticket: the next planned start.  There is no generator thread, no queue to overflow, nothing to
 * wake; idle clients serve in turn, so the load spreads evenly over all connections; a client that
 * is late takes a ticket whose time has passed, so lateness is measured, not lost.
 *
 * ticket_note (why the counts add up): every arrival is in exactly one state.  Not due yet; due and
 * waiting for a client; taken; dropped.  `issued` is the number of arrivals that left the waiting
 * state, by being taken or dropped, in the order of their planned starts; `offered(now)` is a
 * function of the schedule alone.  Hence waiting = offered - dropped - begun, where begun is
 * counted by the clients, and nothing is counted twice because `issued` only moves under one atomic
 * operation or the lock.
 *
 * Instants here are ns after the start line (t0).  Any thread may call anything.
 */
#ifndef SB_PACE_TICKET_H
#define SB_PACE_TICKET_H

#include <stdbool.h>
#include <stdint.h>

#include "pace/arrivals.h"
#include "pace/line.h"

enum overload { OVERLOAD_QUEUE, OVERLOAD_DROP, OVERLOAD_ABORT };

struct ticket_spec {
    struct arrivals_spec arrivals;
    enum overload overload;
    uint64_t burst; /* overdue arrivals that may be made up for; 0 = no limit */
    dur_ns max_lag; /* arrivals overdue by more than this are dropped (or abort); 0 = no limit */
    uint64_t max_tickets; /* --events; 0 = no limit */
    dur_ns horizon; /* arrivals planned at or after this instant are not offered; MONO_NEVER */
};

enum ticket_result {
    TICKET_TAKEN,
    TICKET_OVER,    /* no further arrivals; out->base is where the schedule would have gone on */
    TICKET_OVERLOAD /* policy abort: the backlog is deeper than allowed */
};

struct tickets; /* opaque */

struct tickets *tickets_new(const struct ticket_spec *spec);
void tickets_free(struct tickets *t);

enum ticket_result tickets_take(struct tickets *t, dur_ns now, struct ticket *out);

/* A ticket that was taken and will not be used.  True: it is still among what is offered (nobody
 * else gets it; the caller counts it).  False: tickets_close() had cut it off, and it is as if it
 * had never been taken.  Only after tickets_close() has returned, if it is going to be called. */
bool tickets_give_back(struct tickets *t, const struct ticket *k);

/* Drops what the policy says is too old, without taking anything: keeps the figures timely when
 * no client is idle.  TICKET_OVERLOAD as above, else TICKET_TAKEN. */
enum ticket_result tickets_shed(struct tickets *t, dur_ns now);

/* No arrival planned after `at` is offered any more (the run was stopped early). */
void tickets_close(struct tickets *t, dur_ns at);

/* Arrivals planned at or before `now` (and before the horizon, and within max_tickets).  Where the
 * schedule has to be walked, an earlier `now` than in a previous call gives that call's figure. */
uint64_t tickets_offered(struct tickets *t, dur_ns now);

uint64_t tickets_issued(struct tickets *t); /* left the line: taken + dropped */
uint64_t tickets_dropped(struct tickets *t);

/* Planned start of the oldest arrival nobody has taken, or MONO_NEVER. */
dur_ns tickets_next_planned(struct tickets *t);

#endif
