/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a step of the search measures: the counts and histograms between two readings, and the CPU
 * of both sides, as figures of a step.
 *
 *     find_figures_begin() ... the rate is in force ... find_figures_end() -> struct find_step
 *
 * It reads through a collector of its own, under the ticker's lock, so interval reports go on
 * beside it.  For the thread of the search alone.  Private to src/engine
 */
#ifndef SB_ENGINE_FIND_FIGURES_H
#define SB_ENGINE_FIND_FIGURES_H

#include "engine/collect.h"

struct find_figures {
    struct run *run;
    struct ticker *ticker;
    struct collect collect;
    struct hist_counts before[3], diff; /* by enum find_series: where the window began */
    struct proc_cpu_ticks cpu;          /* of this machine, there */
};

void find_figures_init(struct find_figures *g, struct run *r, struct ticker *t);
void find_figures_fini(struct find_figures *g);

/* Measuring has begun. */
void find_figures_origin(struct find_figures *g);

/* The window begins, or begins anew. */
void find_figures_begin(struct find_figures *g, struct snapshot *s);

/* It ends: all of *step that is measured, and what the cause is found from. */
void find_figures_end(struct find_figures *g, const struct find_objective *o, struct snapshot *s,
                      struct verdict_readings *v, struct find_step *step);

/* Why a process of the snapshot has no CPU; NULL: it has. */
const char *find_figures_no_cpu(const struct snapshot_server *v);

/* Of the window that has ended, ns; NaN: nothing was done. */
double find_figures_time(struct find_figures *g, enum find_series series, double point);

#endif
