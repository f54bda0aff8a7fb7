/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The warm-up of a run: a schedule and statistics of its own, so that nothing of it is in what is
 * measured (warm_up_note in warmup.c), and, with --warmup-until, the search for where it ends
 * (warmup_until.c).  Private to src/engine
 */
#ifndef SB_ENGINE_WARMUP_STATE_H
#define SB_ENGINE_WARMUP_STATE_H

#include "engine/plan.h"
#include "engine/steady.h"
#include "pace/ticket.h"
#include "report/snapshot.h"

struct client;
struct run;
struct shard;

/* What the main thread knows of a warm-up that ends by itself (warmup_until.c). */
struct warmup_until {
    struct steady trend;
    mono_ns next;    /* reading; MONO_NEVER: no further one */
    mono_ns read_at; /* the latest; 0: none */
    uint64_t done;
    struct hist_counts before, between; /* response times at the latest reading, and since it */
    struct snapshot_warmup result;
    bool told; /* the observers know where measuring begins */
};

/* The data that a warm-up writes apart from the measured data (warmup.c).  All NULL without one. */
struct warmup {
    struct tickets *tickets;
    struct rates *rates; /* the ramp up to the rate; NULL: there is none */
    struct shard *shard;
    struct counters *before; /* of each client: what it had counted when it began to be measured */
    struct warmup_until until;
};

/* warmup.c: the two sides of a run, where the warm-up ends (warm_up_note) */
void warmup_setup(struct run *r, const struct ticket_spec *spec);
void warmup_teardown(struct run *r);
void warmup_client(struct client *c); /* which side it begins on */
void warmup_leave(struct client *c);  /* its first measured transaction is about to begin */
enum ticket_result warmup_shed(struct run *r, mono_ns now);
void warmup_close(struct run *r, mono_ns at);
/* Adds what one client has counted in the warm-up, or since, to `sum`. */
void warmup_counts(const struct run *r, int client, bool warming, uint64_t sum[CNT_MAX]);

/* warmup.c: how long the warm-up takes to reach the rate; 0: it begins with it */
dur_ns warmup_ramp(const struct plan *p);

/* warmup_until.c, main thread: looks whether the load is steady, and ends the warm-up; when to look
 * next */
void warmup_until_begin(struct run *r);
mono_ns warmup_until_look(struct run *r, mono_ns now);
void warmup_until_over(struct run *r); /* measuring has begun */
void warmup_until_end(struct run *r);

#endif
