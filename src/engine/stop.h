/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How a run ends, and how its rate changes while it lasts (stop.c).  Private to src/engine
 *
 * A person feels for the knee of a server with a line in the FIFO of --mark-on, and --tx-find takes
 * its steps.  The change takes effect some ms ahead, so that every client that sleeps until its
 * planned start has looked at that start again by then: 512 clients at 10 per second hold the
 * starts of the next 51 s, and at 500 per second these lie within one.  Why the accounts hold at
 * every instant: epoch_note in pace/ticket.h.
 */
#ifndef SB_ENGINE_STOP_H
#define SB_ENGINE_STOP_H

#include "base/err.h"
#include "engine/run_state.h"

/* From an instant on that lies a few ms ahead (*at, unless it is NULL) the rate is `rate`; 0 is a
 * pause.  In the warm-up it waits until measuring begins.  -1 with a reason: nothing has changed.
 * Any thread.
 */
int run_set_rate(struct run *r, double rate, mono_ns *at, struct err *e);
void run_rate_open(struct run *r); /* for run_set_rate_here() in run.h; NULL: it is over */
/* What a member of several ranks is told: the rate from `at` on, or from now on if that
 * has passed.  Any thread. */
void run_rate_from(struct run *r, mono_ns at, double rate);
/* Wakes all that sleep until a planned start: it may have moved. */
void clients_look_again(struct run *r);

void run_stop(struct run *r, enum stop_reason why);
void run_fail(struct run *r, const struct err *e);
void run_note_error(struct run *r, const struct err *e); /* the first failure of any client */
/* This process, or another rank, was sent it.  False: an earlier signal ends the run. */
bool run_signal(struct run *r, int sig, mono_ns now);
void run_poke(struct run *r); /* word++ and wake */
void stop_catch_signals(struct run *r);
void stop_release_signals(const struct run *r);

#endif
