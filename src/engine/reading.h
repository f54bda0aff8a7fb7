/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What one load host tells the leader of its part of a run, as bytes and back (docs/cluster.md).
 *
 *     member   collect -> struct reading -> reading_put() -> link
 *     leader   link -> reading_get() -> struct reading of that rank -> ranks_merge.c
 *
 * Every figure is a total since measuring began, so a reading that is late costs nothing: the next
 * one has all.  Of the histograms only what has changed since the last reading is sent, with its
 * total; the link neither loses nor reorders messages.  So a reading grows with the
 * transactions of an interval and not with the clients.  The figures of each client are in the
 * readings of checkpoints and of the end only (`whole`).
 *
 * The tables in reading.c say what is sent, and how the leader adds it up: a figure that is added
 * there needs nothing else.  Pure functions, except that they allocate.  Private to src/engine
 */
#ifndef SB_ENGINE_READING_H
#define SB_ENGINE_READING_H

#include "cluster/codec.h"
#include "engine/baseline.h"
#include "fiber/sched.h"
#include "report/snapshot.h"
#include "stats/outages.h"
#include "stats/stmt_stats.h"

struct reading_client {
    uint64_t events;
    int64_t lat_sum;
    int64_t lat_min, lat_max; /* since the last checkpoint; -1: no event */
    mono_ns last; /* when its latest transaction ended; 0: it is not done, or not measured */
};

struct reading_totals {
    mono_ns tick;      /* the tick that it was taken for, the same at all ranks; 0: none yet */
    uint64_t issued;   /* tickets that were taken or dropped */
    uint64_t returned; /* of these, those that clients gave back (CNT_RETURNED) */
    mono_ns last;      /* when the latest transaction ended */
    mono_ns loops_end; /* when the last loop did; MONO_NEVER: one goes on */
    int64_t lat_sum;   /* of all clients, as theirs above */
    int64_t lat_min, lat_max;
    unsigned running, missing, away; /* see struct snapshot */
    unsigned cpus;                   /* that this process may use; 0: unknown */
};

struct reading {
    struct reading_totals t;
    /* without wall, server, probe, errors, events and lat_sum; of `self` what the CPU is computed
     * from */
    struct baseline b;
    bool whole; /* `client` is of this reading */
    struct reading_client *client;
    size_t clients;
    struct error_row error[ERROR_ROWS_MAX + 1];
    size_t errors;
    char *class[ERROR_ROWS_MAX + 1]; /* what error[].class points to, where it was received */
    struct snapshot_incident incident[SNAPSHOT_MAX_INCIDENTS]; /* without rank and host */
    size_t incidents;
    size_t merged; /* the leader has these among its own */
};

/* What the other side has got already. */
struct reading_sent {
    struct baseline b; /* of it the histograms */
    size_t incidents;
};

void reading_init(struct reading *r, size_t clients);
void reading_fini(struct reading *r);

/* Appends what has changed since `sent`, which is then up to date. */
void reading_put(struct str *out, const struct reading *r, struct reading_sent *sent);
/* Brings *r up to date.  -1: these are not the bytes of a reading; *r may have changed. */
int reading_get(struct reading *r, struct get *in);
/* The hosts in it. */
int reading_get_hosts(struct baseline *b, struct get *in);

/* Adds those of another rank: the figures of all; those of a reading, a row of errors. */
void reading_add(struct baseline *to, const struct baseline *from);
extern const struct record reading_totals_record, reading_error_record; /* for record_merge() */

/* What a rank tells once, when no transaction of it is left: what the verdict needs, and figures
 * that are in the final report only.  Of latencies it tells the histograms, because percentiles
 * cannot be added.  0: nothing of the kind. */
struct rank_end {
    mono_ns run_end;      /* end_of_run() */
    mono_ns schedule_end; /* where the workload ended the schedule */
    mono_ns planned;      /* latest planned start that was begun */
    mono_ns begun;        /* when the last transaction began */
    dur_ns worst_wake;    /* struct client */
    int clients_left;     /* that were abandoned */
    int forced;           /* ranks that ended by a forced shutdown */
    struct snapshot_retries retries;
    struct snapshot_connections connections;
    struct sched_batches batches;
    int workers, saturated; /* struct run, saturated */
    double saturated_pct;
    struct hist_counts first, last;    /* of retries */
    struct hist_counts connect, again; /* of connections: `connect`, `away` */
    struct hist_counts during, after;  /* of outages */
    struct outage outage[OUTAGES_MAX];
    size_t outages, more_outages;
};

void rank_end_init(struct rank_end *v);
void rank_end_fini(struct rank_end *v);
void rank_end_put(struct str *out, const struct rank_end *v);
int rank_end_get(struct rank_end *v, struct get *in);
void rank_end_add(struct rank_end *to, const struct rank_end *v);

/* Statements by kind (--report-statements): the histogram and the sums of each kind; the reader
 * adds them to those of its own kinds of the same name.  NULL: there are none. */
void reading_put_statements(struct str *out, struct stmt_stats *kinds);
int reading_get_statements(struct stmt_stats *kinds, struct get *in);

#endif
