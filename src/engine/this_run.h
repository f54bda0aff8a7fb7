/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The run of this process, for code that is told of none: signals, the FIFO of --mark-on, result
 * files (stop.c).
 */
#ifndef SB_ENGINE_THIS_RUN_H
#define SB_ENGINE_THIS_RUN_H

#include <stdbool.h>

#include "base/clock.h"
#include "base/err.h"

/* run_set_rate() (stop.h) for the run of this process, which exists from run_rate_open() to
 * run_rate_open(NULL). */
int run_set_rate_here(double rate, mono_ns *at, struct err *e);

/* True from the first signal on that ends the run.  Any thread may call. */
bool run_is_signalled(void);

/* After the run: the signal that ended the wait for the reader of a result file; 0: none. */
int run_late_signal(void);

#endif
