/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The histograms that clients write to: one set for each worker, or a few that threads share, so
 * that memory does not grow with the number of clients.
 */
#include "engine/run_state.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

void shards_count(struct run *r)
{
    size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_ONLN), n = (size_t)r->plan->clients;
    bool whole = plan_keeps_all(r->plan);
    size_t most = whole ? 2 * cpus : 64; /* with a rate a shard takes 0.8 MiB, with neither 8 KiB */

    if (r->plan->workers)
        most = (size_t)r->plan->workers;
    else if (most < 4)
        most = 4;
    /* with workers: each has its own, since client i is on worker i % M */
    r->nshards = n < most ? n : most;
}

struct shard *shards_new(const struct run *r)
{
    bool rate = r->plan->rate > 0, whole = plan_keeps_all(r->plan);
    size_t n = r->nshards * run_hosts(r);
    struct shard *shard = mem_array_aligned(n, sizeof *shard);

    for (size_t i = 0; whole && i < n; i++)
        shard[i].response = mem_alloc(sizeof(struct hist)); /* untouched pages cost nothing */
    for (size_t i = 0; rate && i < n; i++) {
        shard[i].service = mem_alloc(sizeof(struct hist));
        shard[i].lag = mem_alloc(sizeof(struct hist));
    }
    return shard;
}

void shards_free(const struct run *r, struct shard *shard)
{
    for (size_t i = 0; shard && i < r->nshards * run_hosts(r); i++) {
        free(shard[i].response);
        free(shard[i].service);
        free(shard[i].lag);
    }
    free(shard);
}
