/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Turns readings into a snapshot.  All counts of clients and servers only grow, so a report is the
 * difference of two readings (struct baseline), and nothing is ever reset under a writer.  Private
 * to src/engine
 *
 * collect.c takes the readings; a snapshot is a pure function of the readings and the plan.
 */
#ifndef SB_ENGINE_FIGURES_H
#define SB_ENGINE_FIGURES_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/record.h"
#include "cluster/codec.h"
#include "engine/plan.h"
#include "pace/rates.h"
#include "report/snapshot.h"
#include "stats/counters.h"
#include "stats/hist.h"
#include "telemetry/host.h"

/* --- structs of numbers and histograms (reading.c) ---
 *
 * A struct of numbers and histograms, described once: what a rank or a database host has done.  It
 * is initialized, copied, added up and sent by loops over the description, so a figure that is to
 * be sent to the leader is a member and a row.
 */

#define TALLY_HISTS 6

struct tally {
    struct record numbers;
    size_t hists, hist[TALLY_HISTS]; /* offsets of struct hist_counts */
};

static inline struct hist_counts *tally_hist(const struct tally *t, const void *v, size_t i)
{
    return (struct hist_counts *)(void *)((char *)(uintptr_t)v + t->hist[i]);
}

/* The histograms, of HIST_BUCKETS; the numbers stay as they are. */
void tally_init(const struct tally *t, void *v);
void tally_fini(const struct tally *t, void *v);
/* Adds another one, each number by its rule. */
void tally_merge(const struct tally *t, void *to, const void *from);

/* As bytes.  Of a histogram only the buckets that differ from that of `sent`, another one of these
 * structs, which is then the same; NULL: nothing was sent before. */
void tally_put(struct put *out, const struct tally *t, const void *v, void *sent);
/* Brings *v up to date.  -1: these are not such bytes; *v may have changed. */
int tally_get(struct get *in, const struct tally *t, void *v);

/* The same of one histogram. */
void tally_put_hist(struct put *out, const struct hist_counts *now, struct hist_counts *sent);
int tally_get_hist(struct get *in, struct hist_counts *to);

/* --- database hosts (collect.c): what a run keeps of a host --- */

struct host_row {
    _Atomic unsigned connections; /* that are up */
    _Atomic uint64_t lost;        /* connections, since measuring began */
};

struct hosts {
    size_t n; /* 0: there is no list, and one row all the same */
    struct host_row *row;
    pthread_mutex_t lock;
};

/* What a reading has of a host: one row for each, and one for clients without any. */
struct host_counts {
    uint64_t count[CNT_MAX], lost;
    unsigned connections, clients;
    struct hist_counts response;
};
extern const struct tally host_tally;

/* Of n rows; all zero. */
struct host_counts *host_counts_new(size_t n);
void host_counts_free(struct host_counts *h, size_t n);
/* Nothing if either is NULL. */
void host_counts_copy(struct host_counts *to, const struct host_counts *from, size_t n);

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
    struct host_counts *host; /* collect.c; NULL: no list, or not kept */
    size_t nhosts;
};

/* What of it ranks send each other (reading.c). */
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
