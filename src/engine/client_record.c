/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records the end of a client's transaction: done, failed for good, or withdrawn by its script.
 * Each function reads the clock once.
 */
#include "engine/client.h"
#include "engine/run_state.h"

/* min and max cannot be subtracted, so they belong to a period: the first event after a checkpoint
 * begins them anew. */
static void note_latency(struct client *c, dur_ns latency)
{
    unsigned epoch = LOAD(c->period);

    if (epoch != LOAD(c->epoch)) {
        STORE(c->epoch, epoch);
        STORE(c->lat_min, latency);
        STORE(c->lat_max, latency);
    } else {
        if (latency < LOAD(c->lat_min))
            STORE(c->lat_min, latency);
        if (latency > LOAD(c->lat_max))
            STORE(c->lat_max, latency);
    }
    STORE(c->lat_sum, LOAD(c->lat_sum) + latency);
}

static void record_stock(struct client *c, dur_ns response)
{
    rng_next(&c->rng); /* drop-in: stock spends one draw here, and seeded key sequences show it */
    if (c->shard_shared)
        hist_stock_record_shared(c->stock, response);
    else
        hist_stock_record(c->stock, response);
}

static void record_rate(struct client *c, mono_ns now)
{
    struct shard *s = c->shard;
    dur_ns lag = c->begun - c->planned, service = now - c->begun;

    if (lag > PLAN_LATE_NS) {
        counters_add(c->counters, CNT_LATE, 1);
        counters_add(c->counters, CNT_LATE_IDLE, c->idle_in_time);
    }
    if (c->shard_shared) {
        hist_record_shared(s->response, lag + service);
        hist_record_shared(s->service, service);
        hist_record_shared(s->lag, lag);
    } else {
        hist_record(s->response, lag + service);
        hist_record(s->service, service);
        hist_record(s->lag, lag);
    }
}

/* Without a rate, when latencies are logged or histograms are kept. */
static void record_response(struct client *c, dur_ns response)
{
    if (c->shard_shared)
        hist_record_shared(c->shard->response, response);
    else
        hist_record(c->shard->response, response);
}

static void empty_hand(struct client *c)
{
    if (c->run->tickets)
        STORE(c->in_hand, 0);
}

static void log_raw(struct client *c, mono_ns now, enum raw_outcome outcome)
{
    const struct raw_record r = {.begun = c->begun,
                                 .lag = c->begun - c->planned,
                                 .service = now - c->begun,
                                 .outcome = outcome};

    if (c->raw)
        raw_ring_add(c->raw, &r);
}

void client_end(struct client *c)
{
    mono_ns now = run_now(c->run);
    dur_ns latency = now - (c->run->plan->old_rate ? c->begun : c->planned);

    STORE(c->last, now);
    log_raw(c, now, RAW_DONE);
    if (!client_warming(c))
        note_latency(c, latency);
    if (c->stock)
        record_stock(c, latency);
    if (c->run->tickets)
        record_rate(c, now);
    else if (c->shard->response)
        record_response(c, now - c->planned);
    counters_add(c->counters, CNT_DONE, 1);
    if (outages_seen(c->run->outages) && !client_warming(c))
        outages_success(c->run->outages, c->planned, c->begun, now);
    empty_hand(c);
    if (__builtin_expect(c->troubled, 0))
        client_trouble_over(c, now, true);
}

static void note_undone(struct client *c, mono_ns now)
{
    if (!client_warming(c))
        STORE(c->undone, LOAD(c->undone) + (now - c->begun));
}

void client_fail(struct client *c)
{
    mono_ns now = run_now(c->run);

    STORE(c->last, now);
    log_raw(c, now, RAW_FAILED);
    note_undone(c, now);
    counters_add(c->counters, CNT_FAILED, 1);
    empty_hand(c);
    client_trouble_over(c, now, false);
}

void client_cancel(struct client *c)
{
    mono_ns now = run_now(c->run);

    STORE(c->last, now);
    log_raw(c, now, RAW_WITHDRAWN);
    note_undone(c, now);
    counters_add(c->counters, CNT_WITHDRAWN, 1);
    empty_hand(c);
    c->retry.retries = 0; /* neither done nor failed */
    client_trouble_over(c, now, false);
}
