/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Clients on threads of their own or on workers: start them, wait until they are ready, wake them,
 * and part from them.  Main thread, unless it says something else.  Private to src/engine
 */
#ifndef SB_ENGINE_EXECUTOR_H
#define SB_ENGINE_EXECUTOR_H

#include "engine/run_state.h"

int executor_start(struct run *r, struct err *e);
void executor_join(struct run *r);
void executor_leave(struct run *r); /* abandons clients that are blocked in a call */
void executor_wake(struct run *r, _Atomic uint32_t *word); /* it has changed */
int executor_check(struct run *r, struct err *e); /* once all clients are ready: can this go on? */

/* There will be no run.  Opens the gate first: run_stop() wakes each client by its own word, and to
 * find who sleeps on it the kernel walks past those at the gate. */
void run_call_off(struct run *r, enum stop_reason why);
/* The start line; the end of a warm-up; before executor_join: what --workers=batch did, and was a
 * worker overloaded */
void executor_mark(struct run *r);
void executor_measures(struct run *r);
void executor_end_batches(struct run *r);
void executor_fill_batches(const struct plan *p, const struct sched_batches *b,
                           struct snapshot_batches *out);
void executor_say_busy(struct run *r, dur_ns elapsed);
/* The number of workers, and of those that run a client now; unchanged without workers. */
void executor_look(const struct run *r, uint64_t *workers, uint64_t *working);

/* ready.c: all clients are connected and initialised?  -1: one failed, it took too long, or a
 * signal came */
int ready_await(struct run *r, struct run_result *res, struct err *e);
/* All clients are at the gate, and there will be no run: they end.  -1 */
int ready_call_off(struct run *r);

#endif
