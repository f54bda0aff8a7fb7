/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The warm-up of a run: a schedule and statistics of its own, so that nothing of it is in what is
 * measured (warm_up_note in warmup.c), and, with --warmup-until, the search for where it ends.
 * Private to src/engine
 */
#ifndef SB_ENGINE_WARMUP_H
#define SB_ENGINE_WARMUP_H

#include "engine/client_state.h"
#include "engine/run_state.h"

/* A set of shards, as many and as large as the plan needs */
struct shard *shards_new(const struct run *r);
void shards_free(const struct run *r, struct shard *shard);

/* Its latencies go to the shards of the host where it is */
void client_write_to_host(struct client *c);

/* How long the warm-up takes to reach the rate; 0: it begins with it. */
dur_ns warmup_ramp(const struct plan *p);

/* The two sides of a run, where the warm-up ends (warm_up_note) */
void warmup_setup(struct run *r, const struct ticket_spec *spec);
void warmup_teardown(struct run *r);
void warmup_client(struct client *c); /* which side it begins on */
void warmup_leave(struct client *c);  /* its first measured transaction is about to begin */
enum ticket_result warmup_shed(struct run *r, mono_ns now);
void warmup_close(struct run *r, mono_ns at);
/* Adds what one client has counted in the warm-up, or since, to `sum`. */
void warmup_counts(const struct run *r, int client, bool warming, uint64_t sum[CNT_MAX]);

/* warmup_until.c.  Main thread: looks whether the load is steady, and ends the warm-up; when to
 * look next */
void warmup_until_begin(struct run *r);
mono_ns warmup_until_look(struct run *r, mono_ns now);
void warmup_until_over(struct run *r); /* measuring has begun */

#endif
