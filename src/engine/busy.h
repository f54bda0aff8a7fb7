/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds workers that are near their limit while a run lasts, from readings that the caller takes
 * about once a second.  A worker is near its limit when it uses almost a whole CPU; more workers
 * help only while other CPUs have time to spare.  So a machine that is short of CPU for other
 * reasons is not reported, and neither is a single busy second.
 *
 * And from how many clients on workers carry the bundled scripts, and how many workers there are.
 */
#ifndef SB_ENGINE_BUSY_H
#define SB_ENGINE_BUSY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/* Time between two readings. */
#define BUSY_STEP NS_PER_SEC

struct busy_reading {
    mono_ns at;
    int64_t idle; /* CPU time that a further worker could have had, ns; -1: unknown */
    int64_t *cpu; /* CPU time of each worker, ns; -1: unknown */
};

/* Workers that used more than `limit_pct` of the time since `before`; *most: the share of the
 * busiest in %. */
int busy_workers(int workers, const struct busy_reading *before, const struct busy_reading *now,
                 double limit_pct, double *most);

/* How many workers to report at this reading, 0: none.  *in_a_row, at first 0: readings that found
 * a worker near its limit, and CPUs with time to spare. */
int busy_step(int *in_a_row, int workers, const struct busy_reading *before,
              const struct busy_reading *now, double *most);

/* The number of workers to try; 0: there are as many as CPUs. */
int busy_advice(int workers, int cpus);

#define BUSY_TEXT 160

/* A sentence about the whole run: so many of the workers were busy.  False: there is nothing to
 * say, because nobody chose the number of workers (`by_default`), and there are no CPUs for more.
 */
bool busy_describe(char text[BUSY_TEXT], int workers, int cpus, bool by_default, int busy,
                   double most);

/* --- the rule of --workers=default and --workers=auto --- */

/* The least number of clients that workers carry by default with this driver; 0: threads carry any
 * number. */
int carry_from(const char *driver);

/* The number of workers for so many clients on so many CPUs, at least 1. */
int carry_workers(int clients, int cpus);

/* The CPUs that this process may use. */
int carry_cpus(void);

#endif
