/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Turns readings (baseline.h) into a snapshot: a pure function of the readings and the plan.
 * collect.c takes the readings.  Private to src/engine
 */
#ifndef SB_ENGINE_FIGURES_H
#define SB_ENGINE_FIGURES_H

#include "engine/baseline.h"
#include "engine/plan.h"
#include "report/snapshot.h"

/* The inputs of a snapshot. */
struct figure_table {
    /* constant in a run */
    const struct plan *plan;
    int nclients;              /* that are told of: with several ranks, those of all */
    bool warming;              /* the readings are of the warm-up */
    int ncpu;                  /* of this host */
    bool self;                 /* our own process is read */
    const struct probe *probe; /* NULL: none */

    /* of this snapshot */
    const char *server; /* what the server's processes are called; NULL: not read */
    int server_cpus;    /* of its host, 0: of ours */
    unsigned threads_running;
    const struct baseline *origin; /* where measuring began */
    const struct baseline *before; /* the report that this one follows */
    const struct baseline *now;
    struct probe_delta *probe_delta; /* for snapshot.probe to point to */

    /* what the snapshot points to; a reading leaves min_ns and max_ns in the clients */
    struct snapshot_client *clients;
    /* some are unknown; shortest and longest of theirs since the last checkpoint; -1: none */
    bool unknown;
    int64_t unknown_min, unknown_max;
    struct hist_counts shown; /* stock's histogram */
    struct hist_counts response, service, lag;
    struct hist_counts diff; /* scratch */
};

void figures_init(struct figure_table *f, const struct plan *p);
void figures_fini(struct figure_table *f);

/* Transactions, and events that scripts count besides them. */
uint64_t figures_events(const uint64_t count[CNT_MAX]);

/* The percentiles of a series, those that the user wants among them. */
void figures_series(const struct plan *p, const struct hist_counts *counts,
                    struct snapshot_series *s);

/* Fills the figures of any kind of snapshot. */
void figures_fill(struct figure_table *f, enum snapshot_kind kind, struct snapshot *s);

/* Adds those of checkpoints and of the end. */
void figures_fairness(struct figure_table *f, struct snapshot *s);

/* The time that clients have spent in transactions since measuring began, from actual starts on,
 * with any outcome; seconds. */
double figures_transactions_s(struct figure_table *f);

#endif
