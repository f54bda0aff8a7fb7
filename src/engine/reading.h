/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What one load host tells the leader of its part of a run, as bytes and back (docs/cluster.md).
 *
 *     member   collect -> struct reading -> reading_put() -> link
 *     leader   link -> reading_get() -> struct reading of that rank -> ranks_merge.c
 *
 * cumulative_note: every figure is a total since measuring began, so a reading that is late costs
 * nothing: the next one has all.  Of the histograms and of the errors only what has changed since
 * the last reading is sent, with its total; the link neither loses nor reorders messages.  So a
 * reading grows with the transactions of an interval and not with the clients.  The figures of
 * each client are in the readings of checkpoints and of the end only (`whole`).
 *
 * Pure functions, except that they allocate.  Private to src/engine
 */
#ifndef SB_ENGINE_READING_H
#define SB_ENGINE_READING_H

#include "cluster/codec.h"
#include "engine/figures.h"

struct reading_client {
    uint64_t events;
    int64_t lat_sum;
    int64_t lat_min, lat_max; /* since the last checkpoint; -1: no event */
    mono_ns last;             /* when its latest measured transaction ended; 0: there is none */
};

struct reading {
    mono_ns tick;      /* the tick that it was taken for, the same at all ranks; 0: none yet */
    bool whole;        /* `client` is of this reading */
    uint64_t issued;   /* tickets that were taken or dropped */
    uint64_t returned; /* of these, those that clients gave back (CNT_RETURNED) */
    mono_ns last;      /* when the latest transaction ended */
    mono_ns loops_end; /* when the last loop did; MONO_NEVER: one goes on */
    int64_t lat_sum;   /* of all clients, as theirs below */
    int64_t lat_min, lat_max;        /* since the last checkpoint; -1: no event */
    uint32_t running, missing, away; /* see struct snapshot */
    uint32_t cpus;                   /* that this process may use; 0: unknown */
    /* without wall, server, probe, errors, events and lat_sum; of `self` what the CPU is computed
     * from */
    struct baseline b;
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
    struct hist_counts stock, response, service, lag;
    struct hist_counts *host; /* reading_hosts.c */
    size_t hosts;
    size_t incidents;
    size_t errors; /* rows whose texts it has */
    bool others;   /* it has that of the last row, too */
};

void reading_init(struct reading *r, size_t clients);
void reading_fini(struct reading *r);
void reading_sent_init(struct reading_sent *s);
void reading_sent_fini(struct reading_sent *s);

/* Appends what has changed since `sent`, which is then up to date. */
void reading_put(struct put *out, const struct reading *r, struct reading_sent *sent);

/* Brings *r up to date.  -1: these are not the bytes of a reading; *r may have changed. */
int reading_get(struct reading *r, struct get *in);

/* reading_hosts.c: the same for the database hosts; and adds them up. */
void reading_put_hosts(struct put *out, const struct baseline *b, struct reading_sent *sent);
int reading_get_hosts(struct baseline *b, struct get *in);
void reading_add_hosts(struct baseline *to, const struct baseline *from);
void reading_sent_fini_hosts(struct reading_sent *s);

/* A histogram: its buckets that differ from *sent, which is then the same. */
void reading_put_hist(struct put *out, const struct hist_counts *now, struct hist_counts *sent);
int reading_get_hist(struct hist_counts *to, struct get *in);

#endif
