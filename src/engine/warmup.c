/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The warm-up of a run (--warmup-time) and where it ends, and the histograms that clients write to
 * on both sides: one set for each worker, or a few that threads share, so that memory does not grow
 * with the number of clients.
 *
 * warm_up_note: the boundary between the warm-up and the measured part is drawn by transaction, not
 * by reading.  A transaction belongs to the warm-up when its planned start (without a rate: its
 * start) lies before run->measure_from, an instant that is known before it comes.  All its
 * effects belong there too, however late it ends.  So nothing needs to be read at one moment: each
 * client changes sides when its first measured transaction begins, and from then on counts,
 * histograms, longest and shortest, statements by kind and the raw log all hold the same
 * transactions.
 *
 *   histograms   a set of shards for each side; the client's pointers change
 *   counters     one set, since scripts hold pointers to it; what it said at the change is kept
 *                in `before` and subtracted by the reader
 *   statements   a shard that discards figures, before the change
 *   tickets      a schedule for each side.  That of the warm-up ends with it, and what of it
 *                nobody had begun by then is given up: measuring begins without a backlog, and
 *                with the starts that the same seed gives without a warm-up
 *
 * The client stores `measured` (release) after all of that and before it counts the transaction as
 * begun; a reader loads it first (acquire), and counts nothing of a client that has not got there.
 * A reader of the warm-up loads it again after the counters, because the client may have moved on.
 *
 */
#include "engine/warmup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pace/rates.h"

#define MOST_RAMP (10 * NS_PER_SEC) /* of a warm-up that ends by itself */
dur_ns warmup_ramp(const struct plan *p)
{
    dur_ns quarter = p->warmup / 4;

    if (p->rate == 0 || p->stock_rate || p->plain_rate || p->arrival == ARRIVAL_ALIGNED)
        return 0;
    if (!(p->warmup_steady_pct > 0))
        return p->warmup;
    return quarter < MOST_RAMP ? quarter : MOST_RAMP;
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

void warmup_setup(struct run *r, const struct ticket_spec *spec)
{
    const struct plan *p = r->plan;
    double first = p->rates ? rates_at(p->rates, 0) : p->rate, rate = first > 0 ? first : p->rate;
    struct ticket_spec warm = *spec;
    dur_ns ramp = warmup_ramp(p);
    char text[100];
    struct err e = {0};

    if (!p->warmup)
        return;
    r->warm.shard = shards_new(r);
    r->warm.before = mem_array_aligned((size_t)p->clients, sizeof *r->warm.before);
    if (p->rate == 0)
        return;
    /* up to the rate with which measuring begins, then on with it; or that rate at once */
    snprintf(text, sizeof text, "0-%.6f:%.3fs,%.6f", rate, dur_sec(ramp), rate);
    if (ramp)
        r->warm.rates = rates_parse(text, &(struct rates_play){1, 1}, &e);
    warm.horizon = p->warmup;
    warm.max_tickets = 0;
    warm.one_more = false;
    warm.arrivals.seed = ~spec->arrivals.seed;
    warm.changes = false;
    warm.arrivals.rates = r->warm.rates;
    r->warm.tickets = tickets_new(&warm);
}

void warmup_teardown(struct run *r)
{
    hist_counts_fini(&r->warm.until.between);
    hist_counts_fini(&r->warm.until.before);
    shards_free(r, r->warm.shard);
    free(r->warm.before);
    tickets_free(r->warm.tickets);
    rates_free(r->warm.rates);
}

static void write_to(struct client *c, struct shard *shard)
{
    c->shard = &shard[LOAD(c->host) * c->run->nshards + (size_t)c->id % c->run->nshards];
    c->stock = c->run->plan->percentiles ? &c->shard->stock : NULL;
}

void client_write_to_host(struct client *c)
{
    write_to(c, client_warming(c) ? c->run->warm.shard : c->run->shard);
}

void warmup_client(struct client *c)
{
    const struct run *r = c->run;
    bool warm = r->plan->warmup > 0;

    write_to(c, warm ? r->warm.shard : r->shard);
    if (r->obs->stmt_stats)
        c->stmt_stats = warm ? stmt_stats_warmup_shard(r->obs->stmt_stats)
                             : stmt_stats_shard(r->obs->stmt_stats, (size_t)c->id);
    atomic_init(&c->measured, !warm);
}

void warmup_leave(struct client *c)
{
    struct run *r = c->run;
    struct counters *before = &r->warm.before[c->id];

    for (int k = 0; k < CNT_MAX; k++)
        counters_add(before, (enum counter)k, counters_get(c->counters, (enum counter)k));
    write_to(c, r->shard);
    if (r->obs->stmt_stats)
        c->stmt_stats = stmt_stats_shard(r->obs->stmt_stats, (size_t)c->id);
    /* pairs with warmup_counts(): what the client counts from now on is not in those counts */
    atomic_exchange_explicit(&c->measured, true, memory_order_acq_rel);
}

enum ticket_result warmup_shed(struct run *r, mono_ns now)
{
    if (r->warm.tickets && now < r->measure_from)
        return tickets_shed(r->warm.tickets, now - r->t0);
    return tickets_shed(r->tickets, now - r->measure_from);
}

void warmup_close(struct run *r, mono_ns at)
{
    if (r->warm.tickets)
        tickets_close(r->warm.tickets, at - r->t0);
    if (r->tickets)
        tickets_close(r->tickets, at - r->measure_from);
}

void warmup_counts(const struct run *r, int client, bool warming, uint64_t sum[CNT_MAX])
{
    const struct counters *before = r->warm.before ? &r->warm.before[client] : NULL;
    uint64_t now[CNT_MAX] = {0};
    bool measured = false;

    if (warming) {
        counters_sum(&r->counters[client], 1, now);
        /* Is it still warming, after its counters were read?  Then all that was read is of the
         * warm-up.  Writes `false` over `false`, which orders the reads before warmup_leave(); a
         * fence would do, but ThreadSanitizer does not know fences. */
        if (!atomic_compare_exchange_strong_explicit(&r->client[client].measured, &measured, false,
                                                     memory_order_acq_rel, memory_order_acquire)) {
            counters_sum(before, 1, sum);
            return;
        }
        for (int k = 0; k < CNT_MAX; k++)
            sum[k] += now[k];
    } else if (atomic_load_explicit(&r->client[client].measured, memory_order_acquire)) {
        counters_sum(&r->counters[client], 1, sum);
        for (int k = 0; before && k < CNT_MAX; k++)
            sum[k] -= counters_get(before, (enum counter)k);
    }
}
