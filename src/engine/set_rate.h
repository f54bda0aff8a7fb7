/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Changes the rate of a run while it lasts: a person feels for the knee with a line in the FIFO of
 * --mark-on, and --tx-find takes its steps.
 *
 * The change takes effect some ms ahead, so that every client that sleeps until its planned start
 * has looked at that start again by then: 512 clients at 10 per second hold the starts of the next
 * 51 s, and at 500 per second these lie within one.  Why the accounts hold at every instant:
 * epoch_note in pace/ticket.h.
 */
#ifndef SB_ENGINE_SET_RATE_H
#define SB_ENGINE_SET_RATE_H

#include "base/clock.h"
#include "base/err.h"

struct run;

/* From an instant on that lies a few ms ahead (*at, unless it is NULL) the rate is `rate`; 0 is a
 * pause.  In the warm-up it waits until measuring begins.  -1 with a reason: nothing has changed.
 * Any thread. */
int run_set_rate(struct run *r, double rate, mono_ns *at, struct err *e);

/* run_set_rate() for the run of this process.  It exists from run_rate_open() to run_rate_close().
 */
int run_set_rate_here(double rate, mono_ns *at, struct err *e);
void run_rate_open(struct run *r);
void run_rate_close(void);

#endif
