/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Figures of each host of a list of database servers (--mysql-host=a,b).  Private to src/engine
 *
 * Nothing is counted twice: a client knows which host it is at, and writes its latencies to the
 * shards of that host.  Its counters are the same wherever it is, since scripts hold pointers to
 * them; when it moves to another host, what it has counted until then is kept for the old one
 * (`before_move`), and whatever is more belongs to where it is.  So the hosts always add up to the
 * whole.  The row after the last host is that of clients without a connection to any of the list.
 *
 * Moving and reading take a lock, so a reading finds each client at one host.  Clients move when a
 * connection was lost; a transaction takes no lock.
 */
#ifndef SB_ENGINE_HOSTS_H
#define SB_ENGINE_HOSTS_H

#include "engine/figures.h"
#include "engine/run_state.h"

/* A connection of the client was lost. */
void hosts_lost(struct run *r, int host);

/* A reading: begin, which takes r->hosts.lock; each client's counts of the measured part. */
void hosts_read_begin(struct run *r, struct baseline *b);
void hosts_read_client(const struct run *r, int client, const uint64_t count[CNT_MAX],
                       struct baseline *b);

/* Into the snapshot: since `before`, or since `origin` for a final one.  `shown`: a row for each.
 */
void hosts_fill(const struct run *r, struct figure_table *f, const struct baseline *before,
                struct snapshot_host *shown, struct snapshot *s);

#endif
