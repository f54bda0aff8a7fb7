/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a member tells the leader while the run goes on and at its end, and how the leader takes it.
 * A member makes no report: at each tick it takes a reading, as for a report, and sends it; when
 * ticks are far apart, one more after each RANKS_BEAT, so that little is lost with it.
 */
#include "engine/collect.h"
#include "engine/ranks.h"

#include <string.h>

#include "engine/carry.h"

static mono_ns last_end(const struct client *c)
{
    return client_warming(c) ? 0 : LOAD(((struct client *)(uintptr_t)c)->last);
}

static void fill_client(const struct collect *c, size_t i, struct reading_client *v)
{
    *v = (struct reading_client){.events = c->now.events[i],
                                 .lat_sum = c->now.lat_sum[i],
                                 .lat_min = c->figures.clients[i].min_ns,
                                 .lat_max = c->figures.clients[i].max_ns,
                                 .last = last_end(&c->run->client[i])};
}

static uint64_t returned(const struct run *r)
{
    uint64_t n = 0;

    for (int i = 0; i < r->plan->clients; i++)
        n += counters_get(&r->counters[i], CNT_RETURNED);
    return n;
}

/* Sum and extremes of the latencies of all clients. */
static void add_latencies(const struct collect *c, size_t i, struct reading *to)
{
    const struct snapshot_client *v = &c->figures.clients[i];

    to->lat_sum += c->now.lat_sum[i];
    if (v->min_ns >= 0 && (to->lat_min < 0 || v->min_ns < to->lat_min))
        to->lat_min = v->min_ns;
    to->lat_max = v->max_ns > to->lat_max ? v->max_ns : to->lat_max;
}

void ranks_own_reading(const struct collect *c, bool whole, mono_ns tick, struct reading *out)
{
    struct run *r = c->run;

    out->tick = tick;
    out->cpus = (uint32_t)carry_cpus();
    out->whole = whole;
    out->issued = r->tickets && !c->figures.warming ? tickets_issued(r->tickets) : 0;
    out->returned = returned(r);
    out->loops_end = run_loops_end(r);
    out->missing = atomic_load(&r->absent);
    out->running = c->alive - out->missing;
    out->away = c->figures.warming ? 0 : outages_away(r->outages);
    out->last = out->lat_sum = 0;
    out->lat_min = out->lat_max = -1;
    for (size_t i = 0; i < out->clients; i++) {
        mono_ns last = LOAD(r->client[i].last);
        out->last = last > out->last ? last : out->last;
        add_latencies(c, i, out);
        if (whole)
            fill_client(c, i, &out->client[i]);
    }
}

/* c->now, with the bytes that are sent: the reading borrows its memory. */
static void put_reading(struct collect *c, bool whole, mono_ns tick, struct put *out)
{
    struct ranks *k = c->run->ranks;
    bool warming = c->figures.warming;

    k->mine.b = c->now;
    k->mine.errors = c->errors.n;
    for (size_t i = 0; i < c->errors.n; i++)
        k->mine.error[i] = c->errors.row[i];
    k->mine.incidents = c->incidents.n;
    memcpy(k->mine.incident, c->incidents.v, sizeof c->incidents.v);
    ranks_own_reading(c, whole, tick, &k->mine);
    put_u64(out, warming);
    reading_put(out, &k->mine, warming ? &k->warm_sent : &k->sent);
}

void ranks_tell_reading(struct collect *c, enum snapshot_kind kind, mono_ns tick)
{
    struct put out = {0};

    ranks_payload(&out);
    put_reading(c, kind == SNAPSHOT_CHECKPOINT, tick, &out);
    ranks_send(c->run->ranks, 0, RANKS_READING, &out);
    put_free(&out);
}

void ranks_tell_end(struct collect *c, const struct run_result *res, mono_ns run_end)
{
    struct ranks *k = c->run->ranks;
    struct put out = {0};
    struct rank_end end;

    rank_end_init(&end);
    rank_end_fill(&end, c, res);
    end.n[END_RUN] = run_end;
    ranks_payload(&out);
    put_reading(c, true, run_end, &out);
    rank_end_put(&out, &end);
    ranks_put_statements(c->run, &out);
    rank_end_fini(&end);
    pthread_mutex_lock(&k->lock);
    k->end_told = true; /* before it is sent: the leader may leave at once */
    pthread_mutex_unlock(&k->lock);
    ranks_send(k, 0, RANKS_FINAL, &out);
    put_free(&out);
}

/* --- the leader, under the lock --- */

/* See range_note. */
static void widen(struct lat_range *to, const struct reading_client *from)
{
    if (from->lat_min >= 0 && (to->min < 0 || from->lat_min < to->min))
        to->min = from->lat_min;
    if (from->lat_max > to->max)
        to->max = from->lat_max;
}

static void take_ranges(struct rank *v)
{
    for (size_t i = 0; v->now.whole && i < v->now.clients; i++)
        widen(&v->range[i], &v->now.client[i]);
}

static void take(struct ranks *k, int from, struct get *in)
{
    struct rank *v = &k->of[from];
    bool warming = get_u64(in) != 0;

    if (v->lost)
        return;
    if (reading_get(warming ? &v->warm : &v->now, in)) {
        in->bad = true;
        return;
    }
    if (!warming && v->origin.self.at == 0) { /* ticker_origin(): nothing was done yet */
        v->origin.self = v->now.b.self;
        v->shown.self = v->now.b.self;
    }
    if (!warming)
        take_ranges(v);
}

void ranks_on_reading(struct ranks *k, int from, struct get *in)
{
    take(k, from, in);
}

void ranks_on_final(struct ranks *k, int from, struct get *in)
{
    struct rank *v = &k->of[from];

    take(k, from, in);
    if (v->lost || in->bad)
        return;
    if (rank_end_get(&v->end, in) || ranks_get_statements(k->run, in)) {
        in->bad = true;
        return;
    }
    v->looping = false;
    v->ended = true;
}
