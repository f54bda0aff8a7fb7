/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Figures of each host of a list of database servers (--mysql-host=a,b).
 *
 * Nothing is counted twice: a client knows which host it is at, and writes its latencies to the
 * shards of that host.  Its counters are the same wherever it is, since scripts hold pointers to
 * them; when it moves to another host, what it has counted until then is kept for the old one
 * (`before_move`), and whatever is more belongs to where it is.  So the hosts always add up to the
 * whole.  The row after the last host is that of clients without a connection to any of the list.
 *
 * Moving and reading take a lock, so a reading finds each client at one host.  Clients move when a
 * connection was lost; a transaction takes no lock.  Private to src/engine
 */
#ifndef SB_ENGINE_HOSTS_H
#define SB_ENGINE_HOSTS_H

#include <stdint.h>

#include "stats/counters.h"

struct baseline;
struct client;
struct figure_table;
struct run;
struct snapshot;
struct snapshot_host;

/* A reading of the clients: hosts_read_begin(), hosts_read_client() for each with what it has
 * counted, hosts_read_end().  In between no client changes its host.  Nothing if b->host is NULL.
 */
void hosts_read_begin(struct run *r, struct baseline *b);
void hosts_read_client(const struct client *c, const uint64_t count[CNT_MAX], struct baseline *b);
void hosts_read_end(struct run *r, const struct baseline *b);

/* Into the snapshot of f->now; `before`: the report that it follows, `shown`: what s->host will
 * point to, of run_hosts() rows. */
void hosts_fill(const struct run *r, struct figure_table *f, const struct baseline *before,
                struct snapshot_host *shown, struct snapshot *s);

#endif
