/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Figures of each host of a list of database servers (--mysql-host=a,b).  Private to src/engine
 *
 * Nothing is counted twice: a client knows which host it is at, and writes its latencies to the
 * shards of that host.  Its counters are the same wherever it is, since scripts hold pointers to
 * them; when it moves to another host, what it has counted until then is kept for the old one
 * (`was`), and whatever is more belongs to where it is.  So the hosts always add up to the whole.
 *
 * moving_note: moving and reading take a lock, so a reading finds each client at one host.  Clients
 * move when a connection was lost; a transaction takes no lock.
 *
 * The row after the last host is that of clients without a connection to any host of the list.
 */
#ifndef SB_ENGINE_HOSTS_H
#define SB_ENGINE_HOSTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/plan.h"
#include "report/snapshot.h"

struct run;
struct client;
struct baseline;
struct collect;

struct host_row {
    _Atomic unsigned connections; /* that are up */
    _Atomic uint64_t lost;        /* connections, since measuring began */
};

struct hosts {
    size_t n; /* 0: there is no list, and one row all the same */
    struct host_row *row;
    pthread_mutex_t lock; /* moving_note */
};

/* What a reading has of one host. */
struct baseline_host {
    uint64_t count[CNT_MAX], lost;
    unsigned connections, clients;
    struct hist_counts response;
};

void hosts_init(struct run *r);
void hosts_fini(struct run *r);
void hosts_client(struct client *c); /* of client_setup(): it is at no host yet */
size_t hosts_rows(const struct run *r);
/* A connection of the client was lost. */
void hosts_lost(struct run *r, int host);

/* A reading: begin, each client's counts of the measured part, end. */
void hosts_read_begin(struct run *r, struct baseline *b);
void hosts_read_client(const struct run *r, int client, const uint64_t count[CNT_MAX],
                       struct baseline *b);
void hosts_read_end(struct run *r, struct baseline *b);

/* The memory of the host figures of a baseline; NULL without a list. */
struct baseline_host *hosts_figures_new(const struct run *r);
void hosts_figures_free(struct baseline_host *h, size_t n);
void hosts_figures_copy(struct baseline_host *to, const struct baseline_host *from, size_t n);
/* Adds the figures of another process, host by host. */
void hosts_figures_add(struct baseline_host *to, const struct baseline_host *from, size_t n);

/* Into the snapshot: since `before`, or of the whole run for a final one. */
void hosts_fill(struct collect *c, const struct baseline *before, struct snapshot *s);

#endif
