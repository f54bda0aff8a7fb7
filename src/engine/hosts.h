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

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/counters.h"
#include "stats/hist.h"

struct baseline;      /* figures.h */
struct figures;       /* figures.h */
struct run;           /* run_state.h */
struct snapshot;      /* report/snapshot.h */
struct snapshot_host; /* report/snapshot.h */

/* What a run keeps of a host. */
struct host_row {
    _Atomic unsigned connections; /* that are up */
    _Atomic uint64_t lost;        /* connections, since measuring began */
};

struct hosts {
    size_t n; /* 0: there is no list, and one row all the same */
    struct host_row *row;
    pthread_mutex_t lock;
};

/* What a reading has of a host. */
struct host_counts {
    uint64_t count[CNT_MAX], lost;
    unsigned connections, clients;
    struct hist_counts response;
};
struct tally; /* tally.h */
extern const struct tally host_tally;

/* Of n rows; all zero. */
struct host_counts *host_counts_new(size_t n);
void host_counts_free(struct host_counts *h, size_t n);
/* Nothing if either is NULL. */
void host_counts_copy(struct host_counts *to, const struct host_counts *from, size_t n);

void hosts_init(struct run *r);
void hosts_fini(struct run *r);
/* A connection of the client was lost. */
void hosts_lost(struct run *r, int host);

/* With a list: gives rows to baselines, a list that ends with NULL; the caller frees the rows that
 * it returns, for hosts_fill(). */
struct snapshot_host *hosts_rows_new(const struct run *r, struct baseline *const all[]);

/* A reading: begin, each client's counts of the measured part, end. */
void hosts_read_begin(struct run *r, struct baseline *b);
void hosts_read_client(const struct run *r, int client, const uint64_t count[CNT_MAX],
                       struct baseline *b);
void hosts_read_end(struct run *r, struct baseline *b);

/* Into the snapshot: since `before`, or since `origin` for a final one.  `shown`: a row for each.
 */
void hosts_fill(const struct run *r, struct figure_table *f, const struct baseline *before,
                struct snapshot_host *shown, struct snapshot *s);

#endif
