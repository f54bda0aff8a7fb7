/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * At the end of a run a worker is reported that was busy nearly all of the time: a further one may
 * raise the throughput.  Only the CPU time of the workers' threads is read for it, at both ends.
 * Pure functions.  Private to src/engine
 */
#ifndef SB_ENGINE_BUSY_H
#define SB_ENGINE_BUSY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/* Workers that used more than 80 % of the time, of which so much has passed between two
 * readings of their CPU time (ns; -1: unknown); *most: the share of the busiest in %. */
int busy_workers(int workers, dur_ns elapsed, const int64_t *before, const int64_t *now,
                 double *most);

/* The number of workers to try; 0: there are as many as CPUs. */
int busy_advice(int workers, int cpus);

#define BUSY_TEXT 160

/* A sentence about the whole run: so many of the workers were busy.  False: there is nothing to
 * say, because nobody chose the number of workers (`by_default`), and there are no CPUs for more.
 */
bool busy_describe(char text[BUSY_TEXT], int workers, int cpus, bool by_default, int busy,
                   double most);

#endif
