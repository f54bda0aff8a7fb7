/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is known of each host of a list of database servers: what a run keeps, and what a reading
 * has of one host.  Plain data; hosts.h fills it.  Private to src/engine
 *
 * The row after the last host is that of clients without a connection to any host of the list.
 */
#ifndef SB_ENGINE_HOST_COUNTS_H
#define SB_ENGINE_HOST_COUNTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/counters.h"
#include "stats/hist.h"

struct host_row {
    _Atomic unsigned connections; /* that are up */
    _Atomic uint64_t lost;        /* connections, since measuring began */
};

struct hosts {
    size_t n; /* 0: there is no list, and one row all the same */
    struct host_row *row;
    pthread_mutex_t lock; /* moving_note in hosts.h */
};

struct host_counts {
    uint64_t count[CNT_MAX], lost;
    unsigned connections, clients;
    struct hist_counts response;
};

/* Of n rows; all zero. */
struct host_counts *host_counts_new(size_t n);
void host_counts_free(struct host_counts *h, size_t n);
/* Nothing if either is NULL. */
void host_counts_copy(struct host_counts *to, const struct host_counts *from, size_t n);
/* Adds those of another process, host by host. */
void host_counts_add(struct host_counts *to, const struct host_counts *from, size_t n);

#endif
