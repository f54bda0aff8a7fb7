/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the objective of --tx-find: bounds that all have to hold, joined by commas or `and`.
 *
 *     p99<20ms    lag<1ms    service p99.9<=5ms    avg<2ms    errors<0.1%    cpu<80%
 *
 * The words are those of the laboratory's measure.objective (scripts/sysbench_lab/objective.py).
 * A time is that of the response, from the planned start on; `lag` alone is its p99.  Private to
 * src/engine
 */
#ifndef SB_ENGINE_FIND_OBJECTIVE_H
#define SB_ENGINE_FIND_OBJECTIVE_H

#include "base/err.h"
#include "report/find_record.h"

/* -1: one sentence about the first bound that is not one. */
int find_objective_parse(struct find_objective *o, const char *text, struct err *e);

#endif
