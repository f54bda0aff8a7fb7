/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reading: everything that a run has counted up to an instant.  All counts only grow, so a report
 * is the difference of two readings, and nothing is ever reset under a writer.  A baseline owns its
 * histograms and per-client figures, so a copy is a deep one, and copying one over another
 * allocates nothing.  Pure functions, except that they allocate.  Private to src/engine
 */
#ifndef SB_ENGINE_BASELINE_H
#define SB_ENGINE_BASELINE_H

#include "base/clock.h"
#include "engine/tally.h"
#include "pace/rates.h"
#include "stats/counters.h"
#include "stats/error_table.h"
#include "telemetry/host.h"
#include "telemetry/probe.h"
#include "telemetry/sample.h"

/* What a reading has of a host: one row for each, and one for clients without any. */
struct host_counts {
    uint64_t count[CNT_MAX], lost;
    unsigned connections, clients;
    struct hist_counts response;
};
extern const struct tally host_tally;

/* Of n rows; all zero. */
struct host_counts *host_counts_new(size_t n);

/* Everything cumulative at one instant. */
struct baseline {
    mono_ns at;
    wall_ns wall; /* the same instant by the wall clock */
    uint64_t count[CNT_MAX];
    uint64_t offered, dropped;
    uint64_t lost; /* offered to ranks that are lost, and not known to be done (engine/ranks.h) */
    bool changed;  /* tickets_set_rate(): the target is no longer that of the plan */
    rate_pos planned;                    /* the integral of the rate ... */
    dur_ns planned_to;                   /* ... up to here, after measuring began */
    uint64_t errors[ERROR_ROWS_MAX + 1]; /* by code, in the order of the table */
    mono_ns oldest; /* planned start of the oldest transaction that is due and has not ended;
                       MONO_NEVER: none */
    dur_ns undone;  /* time that went into transactions that failed or were withdrawn */
    struct hist_counts stock, response, service, lag;
    struct sample server, self;
    union proc_cpu_ticks cpu; /* of this machine, read with them; all 0: unknown */
    struct probe_reading probe;
    uint64_t sampled; /* transactions done when these were read */
    uint64_t own;     /* of these, those of this rank */
    uint64_t *events; /* per client: fairness */
    int64_t *lat_sum;
    int64_t lat_total;        /* with several ranks: of all clients, those of lost ranks included */
    struct host_counts *host; /* hosts.h; NULL: no list, or not kept */
    size_t nhosts;
};

/* What of it ranks send each other. */
extern const struct tally baseline_tally;
/* `clients` is the same for all of a run */
void baseline_init(struct baseline *b, size_t clients);
void baseline_fini(struct baseline *b);
void baseline_copy(struct baseline *to, const struct baseline *from, size_t clients);

/* Begun and not ended. */
static inline uint64_t baseline_in_flight(const struct baseline *b)
{
    const uint64_t *n = b->count;

    return n[CNT_STARTED] - n[CNT_DONE] - n[CNT_FAILED] - n[CNT_WITHDRAWN];
}

#endif
