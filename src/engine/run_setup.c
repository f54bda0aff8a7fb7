/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The state of a run, from the plan: schedule, seeds, clients and what they count in.  Nothing runs
 * here.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "engine/ranks.h"
#include "engine/run_state.h"

void run_setup(struct run *r, const struct plan *p, struct workload *w, struct rng_seeder *seeder,
               const struct run_observer *obs)
{
    size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_ONLN), most;
    uint32_t seed = p->common_seed ? p->common_seed : plan_draw_seed(p);
    struct ticket_spec schedule = {.arrivals = {.shape = p->arrival,
                                                .rate = plan_walked_rate(p),
                                                .rates = p->rates,
                                                .jitter = p->jitter,
                                                .clients = plan_all_clients(p),
                                                .seed = seed},
                                   .share = plan_shares(p),
                                   .overload = p->overload,
                                   .burst = p->burst,
                                   .max_lag = p->max_lag,
                                   .max_tickets = p->max_events,
                                   .horizon = p->time_limit ? p->time_limit : MONO_NEVER,
                                   .changes = p->rate_changes,
                                   .ends_with_last = p->stock_rate,
                                   .one_more = true};

    memset(r, 0, sizeof *r);
    r->plan = p;
    r->clock = p->clock;
    r->workload = w;
    r->obs = obs;
    r->deadline = MONO_NEVER;
    atomic_init(&r->end, MONO_NEVER);
    pthread_mutex_init(&r->err_lock, NULL);
    r->ranks = ranks_new(r);
    hist_stock_setup();
    r->tickets = p->rate > 0 ? tickets_new(&schedule) : NULL;
    if (r->tickets)
        ranks_schedule(r->ranks, &schedule);
    r->hosts.n = p->hosts;
    r->hosts.row = mem_array(run_hosts(r), sizeof *r->hosts.row);
    pthread_mutex_init(&r->hosts.lock, NULL);
    /* with workers each has its own set of shards, since client i is on worker i % M; with a rate a
     * set takes 0.8 MiB, with neither 8 KiB */
    most = p->workers ? (size_t)p->workers : !plan_keeps_all(p) ? 64 : 2 * cpus < 4 ? 4 : 2 * cpus;
    r->nshards = (size_t)p->clients < most ? (size_t)p->clients : most;
    r->shard = shards_new(r);
    warmup_setup(r, &schedule);
    r->line = (struct ticket_line){r->warm.tickets, r->tickets, &r->t0, &r->measure_from};
    r->errors = error_table_new();
    r->outages = outages_new(run_outage_counts, r);
    r->retries.first = mem_alloc(sizeof(struct hist)); /* untouched pages cost nothing */
    r->retries.last = mem_alloc(sizeof(struct hist));
    r->reconnects.connect = mem_alloc(sizeof(struct hist));
    r->reconnects.away = mem_alloc(sizeof(struct hist));
    r->events = p->max_events ? share_of(plan_shares(p), p->max_events) : UINT64_MAX;
    r->counters = mem_array_aligned((size_t)p->clients, sizeof *r->counters);
    r->client = mem_array_aligned((size_t)p->clients, sizeof *r->client);
    for (int i = 0; i < p->clients; i++) {
        client_setup(&r->client[i], r, i);
        rng_seed_pair(&r->client[i].think, seed,
                      UINT64_C(0x7468696e6b) << 24 | (uint64_t)r->client[i].number); /* "think" */
        error_backoff_init(&r->client[i].retry.backoff, seed, r->client[i].number);
    }
    rng_seeder_reseed(seeder, seed);
}

void run_seed_clients(struct run *r, struct rng_seeder *seeder)
{
    int i = 0;

    /* those of the other ranks are drawn, too: each client has the stream that it has alone */
    for (int number = 0; number < plan_all_clients(r->plan); number++) {
        struct rng rng;
        rng_seed(&rng, seeder);
        if (i < r->plan->clients && number == r->client[i].number)
            r->client[i++].rng = rng;
    }
}

void run_teardown(struct run *r)
{
    shards_free(r, r->shard);
    free(r->retries.first);
    free(r->retries.last);
    free(r->reconnects.connect);
    free(r->reconnects.away);
    warmup_teardown(r);
    error_table_free(r->errors);
    outages_free(r->outages);
    for (int i = 0; r->client && i < r->plan->clients; i++)
        free(r->client[i].before_move);
    free(r->hosts.row);
    pthread_mutex_destroy(&r->hosts.lock);
    free(r->counters);
    free(r->client);
    executor_busy_free(r->busy);
    tickets_free(r->tickets);
    ranks_free(r->ranks);
    pthread_mutex_destroy(&r->err_lock);
}

/* --- shards ---
 *
 * The histograms that clients write to: one set for each worker, or a few that threads share, so
 * that memory does not grow with the number of clients.
 */

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
