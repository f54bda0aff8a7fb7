/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The life of one run: start the clients, wait until all are ready, draw the start line (t0), warm
 * up, measure, drain, report, end.  Owns every thread it starts.  The observer uses the figures;
 * the workload defines a transaction.
 *
 * Threads: run_execute() is called on the main thread and returns when all is over.  The observer's
 * functions are called on the main thread, `interval` and `checkpoint` on the ticker's thread;
 * never two at once.
 */
#ifndef SB_ENGINE_RUN_H
#define SB_ENGINE_RUN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/rng.h"
#include "engine/plan.h"
#include "engine/observer.h"
#include "engine/this_run.h"
#include "engine/workload.h"

/*
 * -1 with *e filled when the run could not start or failed; *res is filled as far as possible, and
 * the observer has received the final report if anything was measured.
 */
int run_execute(const struct plan *plan, struct workload *w, struct rng_seeder *seeder,
                const struct run_observer *obs, struct run_result *res, struct err *e);

#endif
