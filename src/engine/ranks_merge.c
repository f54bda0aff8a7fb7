/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The leader makes the reading of all ranks out of its own and the latest of each member.  All
 * figures are totals that only grow, so the reports, which are differences of two readings, need to
 * know nothing about ranks.  A member's reading that is older than the tick is as good: what is not
 * in it is in a later one, and each share's counts balance by themselves.
 *
 * At a tick the leader reads its own figures first, and then waits for those of the same tick, for
 * half an interval at most; the next tick is not late then.
 */
#include "engine/carry.h"
#include "engine/collect.h"
#include "engine/ranks.h"

#include <string.h>

#include "base/log.h"
#include "base/str.h"

/* --- waiting --- */

/* Calls f for each member, under the lock. */
static void each(const struct run *r, void (*f)(const struct rank *v, void *arg), void *arg)
{
    if (!ranks_lead(r))
        return;
    pthread_mutex_lock(&r->ranks->lock);
    for (int i = 1; i < r->ranks->n; i++)
        f(&r->ranks->of[i], arg);
    pthread_mutex_unlock(&r->ranks->lock);
}

static bool has_reading(const struct rank *v, mono_ns tick, bool warming)
{
    const struct reading *r = warming ? &v->warm : &v->now;

    return v->lost || v->ended || r->tick >= tick || r->loops_end < tick;
}

static bool all_have(struct ranks *k, mono_ns tick, bool warming)
{
    bool all = true;

    pthread_mutex_lock(&k->lock);
    for (int i = 1; i < k->n; i++) {
        bool has = has_reading(&k->of[i], tick, warming);
        k->of[i].late = !has;
        all = all && has;
    }
    pthread_mutex_unlock(&k->lock);
    return all;
}

void ranks_await_readings(struct ranks *k, mono_ns tick, bool warming, dur_ns at_most)
{
    struct clock *clock = k->run->clock;
    mono_ns until = clock_now(clock) + at_most;

    for (;;) {
        uint32_t word = atomic_load(&k->word);
        if (all_have(k, tick, warming) || clock_now(clock) >= until)
            return;
        clock_await(clock, until, &k->word, word);
    }
}

void ranks_say_late(const struct run *r, dur_ns at)
{
    struct str text = STR_INIT;

    if (!ranks_lead(r))
        return;
    pthread_mutex_lock(&r->ranks->lock);
    for (int i = 1; i < r->ranks->n; i++)
        if (r->ranks->of[i].late)
            str_printf(&text, "%s%d", text.len ? ", " : "", i);
    pthread_mutex_unlock(&r->ranks->lock);
    if (text.len)
        log_warn("The checkpoint report at %.12g s is without the latest figures of rank %s, which "
                 "did not come in time: the next report has them",
                 dur_sec(at), str_cstr(&text));
    str_free(&text);
}

static bool all_ended(struct ranks *k)
{
    bool all = true;

    pthread_mutex_lock(&k->lock);
    for (int i = 1; i < k->n; i++) {
        all = all && (k->of[i].ended || k->of[i].lost);
        k->of[i].late = false;
    }
    pthread_mutex_unlock(&k->lock);
    return all;
}

void ranks_await_ends(struct run *r)
{
    struct ranks *k = r->ranks;

    while (ranks_lead(r)) {
        uint32_t word = atomic_load(&k->word);
        if (all_ended(k))
            return;
        clock_await(r->clock, MONO_NEVER, &k->word, word);
    }
}

/* --- the members' schedules --- */

void ranks_schedule(struct ranks *k, const struct ticket_spec *spec)
{
    struct ticket_spec share = *spec;

    for (int i = 1; k && k->rank == 0 && i < k->n; i++) {
        share.share.rank = (uint64_t)i;
        k->of[i].schedule = tickets_new(&share);
    }
}

void ranks_close_schedule(struct run *r, mono_ns at)
{
    for (int i = 1; ranks_lead(r) && r->tickets && i < r->ranks->n; i++)
        tickets_close(r->ranks->of[i].schedule, at - r->measure_from);
}

void ranks_set_rate(struct run *r, mono_ns at, double rate)
{
    struct ranks *k = r->ranks;
    struct put text = {0};

    if (!ranks_lead(r))
        return;
    for (int i = 1; i < k->n; i++) {
        tickets_hold(k->of[i].schedule);
        tickets_set_rate(k->of[i].schedule, at - r->measure_from, rate);
    }
    ranks_payload(&text);
    put_i64(&text, at);
    put_double(&text, rate);
    ranks_send_all(k, RANKS_RATE, &text);
    put_free(&text);
}

uint64_t ranks_offered(struct run *r, dur_ns at)
{
    uint64_t sum = 0;

    for (int i = 1; ranks_lead(r) && i < r->ranks->n; i++) {
        struct rank *v = &r->ranks->of[i];
        v->stage_due = tickets_offered(v->schedule, at);
        sum += v->stage_due;
    }
    return sum;
}

static void add_lost_later(const struct rank *v, void *arg)
{
    uint64_t later = v->now.b.offered > v->stage_due ? v->now.b.offered - v->stage_due : 0;

    *(uint64_t *)arg += later < v->given_up ? later : v->given_up;
}

uint64_t ranks_lost_later(const struct run *r)
{
    uint64_t n = 0;

    each(r, add_lost_later, &n);
    return n;
}

/* --- merging --- */

static void add_clients(struct collect *c, int rank, const struct reading *from,
                        enum snapshot_kind kind)
{
    struct lat_range *range = c->run->ranks->of[rank].range;

    for (size_t i = 0; i < from->clients; i++) {
        size_t at = i * (size_t)c->run->ranks->n + (size_t)rank;
        c->now.events[at] = from->client[i].events;
        c->now.lat_sum[at] = from->client[i].lat_sum;
        c->figures.clients[at].min_ns = range[i].min;
        c->figures.clients[at].max_ns = range[i].max;
        c->figures.clients[at].unknown = c->run->ranks->of[rank].lost;
        if (kind == SNAPSHOT_CHECKPOINT)
            range[i] = (struct lat_range){-1, -1};
    }
}

/* What each client did since the last checkpoint went with the rank; what all did is in its last
 * reading. */
static void add_lost(struct collect *c, const struct rank *v)
{
    struct figure_table *f = &c->figures;

    f->unknown = true;
    if (figures_events(v->now.b.count) == v->checked || v->now.lat_min < 0)
        return; /* nothing since then */
    f->unknown_min =
        f->unknown_min < 0 || v->now.lat_min < f->unknown_min ? v->now.lat_min : f->unknown_min;
    f->unknown_max = v->now.lat_max > f->unknown_max ? v->now.lat_max : f->unknown_max;
}

/* A checkpoint was reported: what follows is of the next period. */
void ranks_checked(struct ranks *k)
{
    pthread_mutex_lock(&k->lock);
    for (int i = 1; i < k->n; i++)
        k->of[i].checked = k->of[i].counted;
    pthread_mutex_unlock(&k->lock);
}

void reading_add(struct baseline *to, const struct baseline *from)
{
    for (size_t i = 0; i < CNT_MAX; i++)
        to->count[i] += from->count[i];
    to->offered += from->offered;
    to->dropped += from->dropped;
    to->lost += from->lost;
    to->undone += from->undone;
    to->sampled += from->sampled;
    to->oldest = from->oldest < to->oldest ? from->oldest : to->oldest;
    hist_counts_merge(&to->stock, &from->stock);
    hist_counts_merge(&to->response, &from->response);
    hist_counts_merge(&to->service, &from->service);
    hist_counts_merge(&to->lag, &from->lag);
    reading_add_hosts(to, from);
}

/* Of a rank that is lost nothing goes on, and nothing is connected. */
static void end_all(struct reading *r, uint64_t ended)
{
    r->b.count[CNT_STARTED] = ended;
    r->b.oldest = MONO_NEVER;
    r->running = r->missing = r->away = 0;
    for (size_t h = 0; r->b.host && h < r->b.nhosts; h++)
        r->b.host[h].connections = r->b.host[h].clients = 0;
}

/* See lost_note.  `offered`: by its schedule, of which it may have told more. */
static void give_up(struct reading *r, bool scheduled, uint64_t offered)
{
    struct baseline *b = &r->b;
    uint64_t ended = b->count[CNT_DONE] + b->count[CNT_FAILED] + b->count[CNT_WITHDRAWN];

    end_all(r, ended);
    if (!scheduled)
        return;
    b->offered = offered > b->offered ? offered : b->offered;
    b->lost = b->offered - b->dropped - ended;
}

/* What a warm-up would have offered to it is not known, and in no figure but those of its lines. */
static void give_up_share(struct collect *c, struct rank *v, struct reading *r)
{
    dur_ns at = c->latest - c->run->measure_from;
    bool counts = v->schedule && !c->figures.warming;

    give_up(r, v->schedule != NULL, counts ? tickets_offered(v->schedule, at) : 0);
    if (!c->figures.warming)
        v->given_up = r->b.lost;
}

static void add_rank(struct collect *c, int i, enum snapshot_kind kind)
{
    struct rank *v = &c->run->ranks->of[i];
    struct reading *from = c->figures.warming ? &v->warm : &v->now;

    if (v->lost)
        give_up_share(c, v, from);
    reading_add(&c->now, &from->b);
    c->now.lat_total += from->lat_sum;
    add_clients(c, i, from, kind);
    if (v->lost && !c->figures.warming)
        add_lost(c, v);
    v->counted = c->figures.warming ? 0 : figures_events(v->now.b.count);
}

/* For its row: what is its own of c->now. */
static void keep_own(struct collect *c)
{
    struct rank *v = &c->run->ranks->of[0];
    struct reading *own = c->figures.warming ? &v->warm : &v->now;

    baseline_copy(&own->b, &c->now, 0);
    own->missing = atomic_load(&c->run->absent);
    own->running = c->alive - own->missing;
    own->away = outages_away(c->run->outages);
    own->cpus = (uint32_t)carry_cpus();
    if (!c->figures.warming && v->origin.self.at == 0)
        v->origin.self = v->shown.self = c->origin.self;
}

void ranks_merge(struct collect *c, enum snapshot_kind kind)
{
    struct ranks *k = c->run->ranks;

    if (!ranks_lead(c->run))
        return;
    pthread_mutex_lock(&k->lock);
    keep_own(c);
    c->figures.unknown = false;
    c->figures.unknown_min = c->figures.unknown_max = -1;
    c->now.lat_total = 0;
    for (int i = 0; i < c->run->plan->clients; i++)
        c->now.lat_total += c->now.lat_sum[(size_t)i * c->stride];
    for (int i = 1; i < k->n; i++)
        add_rank(c, i, kind);
    for (int i = 0; !c->figures.warming && i < k->n; i++)
        baseline_copy(&k->of[i].merged, &k->of[i].now.b, 0);
    if (!c->figures.warming)
        ranks_merge_rows(k, c->errors.row, &c->errors.n);
    ranks_merge_incidents(k, c->figures.warming, &c->incidents);
    pthread_mutex_unlock(&k->lock);
    memset(c->now.errors, 0, sizeof c->now.errors);
    for (size_t i = 0; i < c->errors.n; i++)
        c->now.errors[i] = c->errors.row[i].count;
}

/* --- sums and extremes over the members --- */

/* Tickets of a member that is lost do not wait for anybody. */
static void add_tickets(const struct rank *v, void *arg)
{
    uint64_t *sum = arg;

    sum[0] += v->lost ? v->now.b.offered : v->now.issued;
    sum[1] += v->lost ? 0 : v->now.returned;
}

void ranks_add_tickets(const struct run *r, uint64_t *issued, uint64_t *returned)
{
    uint64_t sum[2] = {*issued, *returned};

    each(r, add_tickets, sum);
    *issued = sum[0];
    *returned = sum[1];
}

struct trailing {
    mono_ns limit;
    uint64_t n;
};

static void add_trailing(const struct rank *v, void *arg)
{
    struct trailing *t = arg;

    for (size_t i = 0; i < v->now.clients; i++)
        t->n += v->now.client[i].last > t->limit;
}

uint64_t ranks_trailing(const struct run *r, mono_ns limit)
{
    struct trailing t = {.limit = limit};

    each(r, add_trailing, &t);
    return t.n;
}

static void add_away(const struct rank *v, void *arg)
{
    *(unsigned *)arg += v->now.away;
}

unsigned ranks_away(const struct run *r)
{
    unsigned n = 0;

    each(r, add_away, &n);
    return n;
}

static void latest(const struct rank *v, void *arg)
{
    mono_ns *last = arg;

    *last = v->now.last > *last ? v->now.last : *last;
}

mono_ns ranks_last(const struct run *r)
{
    mono_ns last = 0;

    each(r, latest, &last);
    return last;
}
