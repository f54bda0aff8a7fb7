/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Even arrivals are divided, not added up (exact_note in rates.h).  Poisson sums keep whole ns and
 * the fraction apart: the error per gap is the gap's own 53rd bit, whether the run has lasted a
 * second or a day.
 *
 * The heap of a queue (queue_note) is a plain binary one, ordered by planned start and, for equal
 * ones, by index, so that one seed always gives one order.
 */
#include "pace/arrivals.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

typedef unsigned __int128 u128;

/* Purposes of the two random streams; see rng_seed_pair. */
enum { PURPOSE_GAPS = 0x67617073, PURPOSE_JITTER = 0x6a697474 };

/* Aligned: the period of one client. */
static dur_ns period(const struct arrivals_spec *spec)
{
    double p = round(1e9 / spec->rate * spec->clients);

    return p < 1 ? 1 : p >= (double)ARRIVALS_FAR ? ARRIVALS_FAR : (dur_ns)p;
}

dur_ns arrivals_aligned(const struct arrivals_spec *spec, uint64_t k)
{
    uint64_t n = (uint64_t)spec->clients;
    dur_ns p = period(spec);
    u128 at = k < n ? (u128)k * (u128)p / n : (u128)(k / n + 1) * (u128)p;

    return at > ARRIVALS_FAR ? ARRIVALS_FAR : (dur_ns)at;
}

rate_pos arrivals_pos(const struct arrivals *a)
{
    return a->spec.shape == ARRIVAL_POISSON ? a->sum : (rate_pos)a->k * RATE_ONE;
}

static void find_next(struct arrivals *a)
{
    if (a->spec.shape != ARRIVAL_POISSON) {
        a->next = a->spec.shape == ARRIVAL_EVEN ? rates_start(a->spec.rates, a->k)
                                                : arrivals_aligned(&a->spec, a->k);
        return;
    }
    /* the sum, and an exponential gap */
    double one = -log1p(-rng_double(&a->gaps)), gap = one / a->spec.rate * 1e9 + a->fraction;
    double whole = floor(gap);
    a->sum += (rate_pos)(one * (double)RATE_ONE);
    if (a->spec.rates) {
        a->next = rates_reach(a->spec.rates, a->sum);
    } else if (whole < (double)(ARRIVALS_FAR - a->next)) {
        a->next += (dur_ns)whole;
        a->fraction = gap - whole;
    } else {
        a->next = ARRIVALS_FAR; /* and it stays there */
    }
}

void arrivals_init(struct arrivals *a, const struct arrivals_spec *spec)
{
    assert(spec->rate > 0 && isfinite(spec->rate) && spec->jitter >= 0 &&
           spec->jitter <= ARRIVALS_FAR);
    assert(spec->shape != ARRIVAL_ALIGNED || (spec->clients > 0 && !spec->rates));
    assert(spec->shape != ARRIVAL_EVEN || spec->rates);
    *a = (struct arrivals){.spec = *spec};
    rng_seed_pair(&a->gaps, spec->seed, PURPOSE_GAPS);
    find_next(a);
}

dur_ns arrivals_next(struct arrivals *a)
{
    dur_ns at = a->next + arrivals_jitter(&a->spec, a->k);

    a->k++;
    find_next(a);
    return at < 0 ? -at : at;
}

dur_ns arrivals_jitter_window(const struct arrivals_spec *spec)
{
    return spec->jitter == 0 && spec->shape == ARRIVAL_ALIGNED ? period(spec) / 10 : spec->jitter;
}

dur_ns arrivals_jitter(const struct arrivals_spec *spec, uint64_t k)
{
    uint64_t window = (uint64_t)arrivals_jitter_window(spec);
    struct rng r;

    if (window == 0 || (spec->shape == ARRIVAL_ALIGNED && k < (uint64_t)spec->clients))
        return 0;
    /* a stream for each k, of which one draw is used */
    rng_seed_pair(&r, spec->seed + PURPOSE_JITTER, k);
    return (dur_ns)(((u128)rng_next(&r) * window) >> 64) - (dur_ns)(window / 2);
}

/* --- changes of the rate --- */

/* change_note: only of starts close to a change the instant before it is needed. */
dur_ns rate_change_start(const struct rate_change *c, dur_ns first, rate_pos pos)
{
    for (; c; c = c->before) {
        rate_pos step = 2 * (rate_pos)c->micro, t;
        if (pos + RATE_ONE <= c->base)
            continue;
        if (pos < c->base + RATE_ONE) {
            dur_ns was = rate_change_start(c->before, first, pos);
            if (was < c->at)
                return was;
        }
        if (step == 0)
            return RATES_FAR;
        if (pos <= c->base)
            return c->at;
        t = (pos - c->base + step - 1) / step;
        return t > (rate_pos)(RATES_FAR - c->at) ? RATES_FAR : c->at + (dur_ns)t;
    }
    return first;
}

rate_pos rate_change_pos(const struct rate_change *c, dur_ns t)
{
    t = t > RATES_FAR ? RATES_FAR : t;
    return c->base + 2 * (rate_pos)c->micro * (rate_pos)(t - c->at);
}

uint64_t rate_change_due(const struct rate_change *c, dur_ns t)
{
    rate_pos pos = rate_change_pos(c, t);
    uint64_t n = (uint64_t)(pos / RATE_ONE) + 1;

    return c->micro && n > c->due ? n : c->due;
}

/* --- the queue --- */

static void end_at(struct arrival_queue *l, dur_ns end)
{
    l->end = end < l->horizon ? end : l->horizon;
}

void arrival_queue_init(struct arrival_queue *l, const struct arrivals_spec *spec,
                        struct share share, dur_ns horizon, uint64_t limit)
{
    dur_ns window = arrivals_jitter_window(spec);

    assert(horizon <= ARRIVALS_FAR);
    *l = (struct arrival_queue){.horizon = horizon,
                                .limit = limit,
                                .end = horizon,
                                .half = window ? window / 2 + 1 : 0,
                                .share = share};
    arrivals_init(&l->cursor, spec);
    l->ahead = l->cursor;
    if (limit && spec->shape == ARRIVAL_EVEN)
        end_at(l, rates_start(spec->rates, limit));
}

void arrival_queue_fini(struct arrival_queue *l)
{
    free(l->heap);
    l->heap = NULL;
    l->n = l->capacity = 0;
}

/* Moves the start by its jitter, and mirrors at the two ends. */
static dur_ns jittered(const struct arrival_queue *l, dur_ns base, uint64_t k, dur_ns end)
{
    dur_ns planned = base + arrivals_jitter(&l->cursor.spec, k);

    if (planned < 0)
        planned = -planned;
    if (planned >= end) {
        planned -= 2 * (planned - (end - 1));
        planned = planned > 0 ? planned : 0; /* a window wider than the whole run */
    }
    return planned;
}

dur_ns arrival_queue_planned(const struct arrival_queue *l, dur_ns base, uint64_t k)
{
    return jittered(l, base, k, l->end);
}

/* A jitter may have brought a start before a change that its base lies after: then it stays there
 * (change_note). */
static dur_ns planned_by(const struct arrival_queue *l, const struct rate_change *c,
                         const struct ticket *t)
{
    dur_ns base = rate_change_start(c, t->first, t->pos), planned;

    if (!l->half)
        return c ? base : jittered(l, base, t->k, l->end);
    planned = c ? planned_by(l, c->before, t) : 0;
    if (c && planned < c->at)
        return planned;
    if (base >= l->horizon)
        return base; /* with this rate it has no place in the run, and nothing to mirror */
    if (!c)
        return jittered(l, base, t->k, l->end);
    planned = jittered(l, base, t->k, c->end);
    return planned > c->at ? planned : c->at;
}

void arrival_queue_plan(const struct arrival_queue *l, const struct rate_change *c,
                        struct ticket *t)
{
    t->base = rate_change_start(c, t->first, t->pos);
    t->planned = planned_by(l, c, t);
    if (t->base >= l->horizon && t->planned < l->horizon)
        t->base = t->planned; /* it stays where an earlier rate had put it */
}

static bool before(const struct ticket *a, const struct ticket *b)
{
    return a->planned < b->planned || (a->planned == b->planned && a->k < b->k);
}

static void push(struct arrival_queue *l, struct ticket t)
{
    size_t i = l->n;

    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 64;
        l->heap = mem_grow(l->heap, l->capacity, sizeof *l->heap);
    }
    l->n++;
    for (; i > 0 && before(&t, &l->heap[(i - 1) / 2]); i = (i - 1) / 2)
        l->heap[i] = l->heap[(i - 1) / 2];
    l->heap[i] = t;
}

/* Where the next arrival of a cursor is without jitter. */
static dur_ns base_of(const struct arrival_queue *l, const struct arrivals *a)
{
    return rate_change_start(l->change, a->next, arrivals_pos(a));
}

static bool cursor_left(const struct arrival_queue *l)
{
    return !(l->limit && l->cursor.k >= l->limit) && base_of(l, &l->cursor) < l->horizon;
}

static struct ticket at_cursor(const struct arrival_queue *l)
{
    struct ticket t = {.k = l->cursor.k, .first = l->cursor.next, .pos = arrivals_pos(&l->cursor)};

    arrival_queue_plan(l, l->change, &t);
    return t;
}

/* The end is where the first arrival beyond the limit would be. */
static void find_end(struct arrival_queue *l)
{
    dur_ns end = base_of(l, &l->ahead);

    if (!l->change)
        end_at(l, end);
    else
        l->change->end = end < l->horizon ? end : l->horizon;
}

static void push_cursor(struct arrival_queue *l)
{
    if (l->limit && l->cursor.spec.shape != ARRIVAL_EVEN) { /* end_note */
        while (l->ahead.k < l->limit && base_of(l, &l->ahead) <= base_of(l, &l->cursor) + l->half)
            arrivals_next(&l->ahead);
        if (l->ahead.k == l->limit)
            find_end(l);
    }
    push(l, at_cursor(l));
    arrivals_next(&l->cursor);
}

bool arrival_queue_peek(struct arrival_queue *l, struct ticket *out)
{
    if (!l->half) {
        if (!cursor_left(l))
            return false;
        *out = at_cursor(l);
        return true;
    }
    while (cursor_left(l) && (!l->n || base_of(l, &l->cursor) - l->half <= l->heap[0].planned)) {
        push_cursor(l);
    }
    if (l->n)
        *out = l->heap[0];
    return l->n > 0;
}

dur_ns arrival_queue_end(const struct arrival_queue *l)
{
    return base_of(l, &l->cursor);
}

bool arrival_queue_peek_own(struct arrival_queue *l, struct ticket *out)
{
    while (arrival_queue_peek(l, out)) {
        if (arrival_queue_own(l, out->k))
            return true;
        arrival_queue_pop(l);
    }
    return false;
}

void arrival_queue_pop(struct arrival_queue *l)
{
    size_t i = 0, child;

    l->left++;
    l->own += arrival_queue_own(l, l->half ? l->heap[0].k : l->cursor.k);
    if (!l->half) {
        arrivals_next(&l->cursor);
        return;
    }
    struct ticket last = l->heap[--l->n];
    while ((child = 2 * i + 1) < l->n) {
        if (child + 1 < l->n && before(&l->heap[child + 1], &l->heap[child]))
            child++;
        if (!before(&l->heap[child], &last))
            break;
        l->heap[i] = l->heap[child];
        i = child;
    }
    l->heap[i] = last;
}

uint64_t arrival_queue_skip_to(struct arrival_queue *l, uint64_t k)
{
    uint64_t before = l->own;

    assert(!l->half && k >= l->left && l->cursor.spec.shape == ARRIVAL_EVEN);
    l->cursor.k = k;
    find_next(&l->cursor);
    l->left = k;
    l->own = share_of(l->share, k);
    return l->own - before;
}

/* The order within the heap changes with the planned starts.  What a jitter may have brought before
 * the change stays there, so it goes on the heap first. */
void arrival_queue_change(struct arrival_queue *l, struct rate_change *c)
{
    while (l->half && cursor_left(l) && base_of(l, &l->cursor) - l->half < c->at)
        push_cursor(l);
    struct ticket *old = l->heap;
    size_t n = l->n;
    l->change = c;
    if (l->limit && l->ahead.k == l->limit)
        find_end(l);
    l->heap = NULL;
    l->n = l->capacity = 0;
    for (size_t i = 0; i < n; i++) {
        arrival_queue_plan(l, c, &old[i]);
        push(l, old[i]);
    }
    free(old);
}
