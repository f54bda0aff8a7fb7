/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tickets on a schedule that is computed, not queued.  A client that becomes idle takes the next
 * ticket: the next planned start.  There is no generator thread, no queue to overflow, no thread to
 * wake; idle clients take turns, so the load spreads evenly over all connections; a late client
 * takes a ticket whose time has passed, so lateness is measured, not lost.
 *
 * ticket_note (why the counts add up): every arrival is in exactly one state.  Not due yet; due and
 * waiting for a client; taken; dropped.  `issued` is the number of arrivals that left the waiting
 * state, by being taken or dropped, in the order of their planned starts; `offered(now)` is a
 * function of the schedule alone.  Hence waiting = offered - dropped - begun, where begun is
 * counted by the clients, and nothing is counted twice because `issued` only moves under one atomic
 * operation or the lock.
 *
 * Aligned arrivals are an exception: each client has its own (aligned_note in arrivals.h), and the
 * policy is to queue.  A client that is late catches up with its own schedule, back to back; no
 * other client takes its starts, and none is dropped.
 *
 * one_more_note: the patch of 2009 tested the time limit after a transaction, before the pause.  A
 * client that ended a transaction in time takes its next start, wherever that lies, and runs it;
 * only then it stops.  So with `one_more` each client may take one start at or after the horizon,
 * its extra one, and such a start exists only if it was taken.  Those before the horizon exist in
 * any case.
 *
 * limit_note: within a limit of aligned starts for all clients, the first who ask get some.  Ranks
 * cannot ask each other, so each has the starts of its clients among the first of the whole, in the
 * order of their planned instants; its clients ask among themselves.
 *
 * epoch_note (changing the rate while clients hold tickets): a start that a client has begun must
 * stay offered, whatever the rate becomes, and one that it has not begun follows the new rate.  So
 * tickets_hold() makes the epoch odd, the caller reads the clock after that, and
 * tickets_set_rate() changes the rate from that reading on (or a little later) and makes the epoch
 * even again.  A client looks at the epoch after the reading of the clock that lets it begin: if it
 * is still that of its ticket, its planned start lies before the change, and stays.  If not, it
 * waits for the change in tickets_plan_again() and may find that it is to sleep again.  A ticket
 * that was taken while the epoch was odd is always planned again: its client may read the clock
 * after the change has come into force, if the thread that makes it loses its CPU in between.  One
 * who holds a ticket beyond the end keeps it, because a higher rate may bring it back.  Readers
 * take the lock while the epoch is odd, so that no figure is drawn between the two.
 *
 * full_note: with `ends_when_full` nothing is offered after the start that made the backlog too
 * deep, and every client is told TICKET_OVERLOAD from then on.  At 2e9 per second the starts up to
 * now cannot be walked: that takes longer than the time that they cover.
 *
 * ranks_note: several ranks share one schedule (share.h), each with tickets of its own.  Each
 * computes the whole and takes the arrivals whose index k is its own; of aligned arrivals those of
 * its clients.  So the planned starts of all ranks together are those of one rank, to the ns, and
 * so are the counts, which are of the rank's share.  The limits are of the whole: with a burst of b
 * an arrival is dropped when b later ones are due, whoever had to take them.
 *
 * Instants here are ns after the start line (t0).  Any thread may call anything, except that a
 * client's tickets are for one thread at a time.
 */
#ifndef SB_PACE_TICKET_H
#define SB_PACE_TICKET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "pace/arrivals.h"
#include "pace/share.h"

enum overload { OVERLOAD_QUEUE, OVERLOAD_DROP, OVERLOAD_ABORT };

struct ticket_spec {
    struct arrivals_spec arrivals;
    struct share share; /* all else here is of the whole, and alike on all ranks */
    enum overload overload;
    uint64_t burst; /* overdue arrivals that may still be taken; 0 = no limit */
    /* arrivals overdue by more than this are dropped (or abort); 0 = no limit */
    dur_ns max_lag;
    uint64_t max_tickets; /* --events; 0 = no limit */
    /* arrivals planned at or after this instant are not offered; MONO_NEVER */
    dur_ns horizon;
    bool changes;        /* tickets_set_rate() may be called */
    bool ends_with_last; /* the last of max_tickets ends the run (tickets_end_with_last()) */
    bool ends_when_full; /* OVERLOAD_ABORT with a burst, not aligned (full_note) */
    bool one_more;       /* aligned only: but one of each client that takes it (one_more_note) */
};

enum ticket_result {
    TICKET_OK,
    TICKET_OVER,    /* no further arrivals; out->base is where the schedule would have gone on */
    TICKET_OVERLOAD /* policy abort: the backlog is deeper than allowed */
};

struct tickets; /* opaque */

struct tickets *tickets_new(const struct ticket_spec *spec);
void tickets_free(struct tickets *t);

/* For one of this rank's clients (0, 1, ...): with aligned arrivals its own next start, otherwise
 * the next of all. */
enum ticket_result tickets_take(struct tickets *t, int client, dur_ns now, struct ticket *out);

/* The rate that the ticket was planned by is no longer in force, or was about to change. */
bool tickets_changed(struct tickets *t, const struct ticket *k);

/* Plans a ticket again that tickets_take() or this returned; k->owned.  TICKET_OVER: it lies beyond
 * the end now. */
enum ticket_result tickets_plan_again(struct tickets *t, struct ticket *k);

/* epoch_note.  tickets_hold() is to be followed by tickets_set_rate() within microseconds: from
 * `at` on the rate is `rate` (0: a pause), for ever.  Not with aligned arrivals. */
void tickets_hold(struct tickets *t);
void tickets_set_rate(struct tickets *t, dur_ns at, double rate);

/* Returns a ticket that will not be used.  True: it still counts as offered (no other client gets
 * it; the caller counts it).  False: it lies beyond tickets_close(), as if it had never been taken.
 * If tickets_close() will be called, call this only after it has returned. */
bool tickets_give_back(struct tickets *t, int client, const struct ticket *k);

/* Drops the arrivals that the policy considers too old, without taking a ticket: keeps the figures
 * current when no client is idle.  TICKET_OVERLOAD as above, else TICKET_OK. */
enum ticket_result tickets_shed(struct tickets *t, dur_ns now);

/* No arrival planned after `at` is offered any more (the run was stopped early). */
void tickets_close(struct tickets *t, dur_ns at);

/* Arrivals planned at or before `now` (and before the horizon, and within max_tickets).  Where the
 * schedule must be walked, a `now` earlier than in a previous call returns the figure of the end of
 * its stage, or that call's figure if the stage was not over. */
uint64_t tickets_offered(struct tickets *t, dur_ns now);

/* tickets_set_rate() was called.  Then the integral of the rate up to `at`, and the rate there, are
 * no longer those of the specification. */
bool tickets_rate_changed(const struct tickets *t);
rate_pos tickets_pos(const struct tickets *t, dur_ns at);
double tickets_rate_at(const struct tickets *t, dur_ns at);

uint64_t tickets_issued(struct tickets *t); /* left the queue: taken + dropped */
uint64_t tickets_dropped(struct tickets *t);

/* Planned start of the oldest arrival that no client has taken, or MONO_NEVER. */
dur_ns tickets_next_planned(struct tickets *t);

/* The schedule ends with its last start: nobody waits until a further one would have been due. */
bool tickets_end_with_last(struct tickets *t);

/*
 * The two schedules of a run, one after the other: that of its warm-up, and the one that is
 * measured, whose instants are counted from where measuring begins.  That may move once
 * (--warmup-until), to an instant that is to come: a start of the warm-up that lies behind it is
 * void, since nobody counts what the warm-up offered; one of the measured schedule moves with it.
 */
struct ticket_line {
    struct tickets *warm; /* NULL: none */
    struct tickets *measured;
    const mono_ns *start;        /* of the run: what the instants of `warm` are counted from */
    const _Atomic int64_t *from; /* where measuring begins */
};

/* The client's next ticket, or the one that it holds (k->owned), planned again if the rate has
 * changed (epoch_note). */
enum ticket_result ticket_next(const struct ticket_line *l, int client, mono_ns now,
                               struct ticket *k);
/* The ticket is no longer what it was when ticket_next() returned it: to be called again. */
bool ticket_is_stale(const struct ticket_line *l, struct ticket *k);
/* The run ended before its start.  True: it stays offered.  (The counts of a warm-up that was cut
 * short are not kept.) */
bool ticket_return(const struct ticket_line *l, int client, struct ticket *k);

#endif
