/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The warm-up of a run (--warmup-time) and where it ends.
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
 * moved_note: with --warmup-until the boundary is first where the longest warm-up would end.
 * warmup_until.c moves it once, to an instant some ms ahead, closes the warm-up's schedule there
 * and wakes the clients that sleep until a planned start.  They look at what they hold (struct
 * ticket_line).
 *
 * The client stores `measured` (release) after all of that and before it counts the transaction as
 * begun; a reader loads it first (acquire), and counts nothing of a client that has not got there.
 * A reader of the warm-up loads it again after the counters, because the client may have moved on.
 */
#include "engine/run_state.h"

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

/* Up to the rate with which measuring begins, then on with it; NULL: that rate at once. */
static struct rates *ramp_of(const struct plan *p)
{
    double first = p->rates ? rates_at(p->rates, 0) : p->rate, rate = first > 0 ? first : p->rate;
    dur_ns ramp = warmup_ramp(p);
    char spec[100];
    struct err e;

    if (!ramp)
        return NULL;
    if (ramp == p->warmup)
        return rates_ramp(0, rate, ramp);
    snprintf(spec, sizeof spec, "0-%.6f:%.3fs,%.6f", rate, dur_sec(ramp), rate);
    return rates_parse(spec, &(struct rates_play){1, 1}, &e);
}

void warmup_setup(struct run *r, const struct ticket_spec *spec)
{
    struct ticket_spec warm = *spec;

    if (!r->plan->warmup)
        return;
    r->warm.shard = shards_new(r);
    r->warm.before = mem_array_aligned((size_t)r->plan->clients, sizeof *r->warm.before);
    if (r->plan->rate == 0)
        return;
    warm.horizon = r->plan->warmup;
    warm.max_tickets = 0;
    warm.one_more = false;
    warm.arrivals.seed = ~spec->arrivals.seed;
    warm.changes = false;
    warm.arrivals.rates = r->warm.rates = ramp_of(r->plan);
    r->warm.tickets = tickets_new(&warm);
}

void warmup_teardown(struct run *r)
{
    warmup_until_end(r);
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
    /* reads what warm_counts() wrote: what the client counts from now on is not in those counts */
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

static void subtract(uint64_t sum[CNT_MAX], const struct counters *c)
{
    for (int k = 0; k < CNT_MAX; k++)
        sum[k] -= counters_get(c, (enum counter)k);
}

static bool is_measured(const struct run *r, int client)
{
    return atomic_load_explicit(&r->client[client].measured, memory_order_acquire);
}

/* Is it still warming, after its counters were read?  True: everything that was read is of the
 * warm-up.  Writes `false` over `false`, which orders the reads before warmup_leave(); a fence
 * would do, but ThreadSanitizer does not know fences. */
static bool still_warming(const struct run *r, int client)
{
    bool measured = false;

    return atomic_compare_exchange_strong_explicit(&r->client[client].measured, &measured, false,
                                                   memory_order_acq_rel, memory_order_acquire);
}

/* What it has counted in the warm-up. */
static void warm_counts(const struct run *r, int client, uint64_t sum[CNT_MAX])
{
    uint64_t now[CNT_MAX] = {0};

    counters_sum(&r->counters[client], 1, now);
    if (!still_warming(r, client)) {
        counters_sum(&r->warm.before[client], 1, sum);
        return;
    }
    for (int k = 0; k < CNT_MAX; k++)
        sum[k] += now[k];
}

void warmup_counts(const struct run *r, int client, bool warming, uint64_t sum[CNT_MAX])
{
    if (warming) {
        warm_counts(r, client, sum);
    } else if (is_measured(r, client)) {
        counters_sum(&r->counters[client], 1, sum);
        if (r->warm.before)
            subtract(sum, &r->warm.before[client]);
    }
}
