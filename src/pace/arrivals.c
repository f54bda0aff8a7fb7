/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Even arrivals are divided, not added up: a rate is m*2^e with a whole m < 2^53, so k*1e9/R and
 * its inverse are quotients of integers of less than 128 bits, and rounding up makes the two agree
 * on every ns. Poisson sums keep whole ns and the fraction apart: the error per gap is the gap's
 * own 53rd bit, whether the run has lasted a second or a day.
 *
 * The heap of a queue (queue_note) is a plain binary one, ordered by planned start and, for equal
 * ones, by index, so that one seed always gives one order.
 */
#include "pace/arrivals.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"

typedef unsigned __int128 u128;

enum {
    MANTISSA_BITS = 53,
    /* purposes of the two random streams; see rng_seed_pair */
    PURPOSE_GAPS = 0x67617073,
    PURPOSE_JITTER = 0x6a697474,
};

/* rate = *m * 2^(return value), *m a whole number of at most 53 bits. */
static int split_rate(double rate, uint64_t *m)
{
    int e;

    assert(rate > 0 && isfinite(rate));
    *m = (uint64_t)ldexp(frexp(rate, &e), MANTISSA_BITS);
    return e - MANTISSA_BITS;
}

static int bits(u128 x)
{
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;

    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

dur_ns arrivals_even(double rate, uint64_t k)
{
    uint64_t m;
    int e = split_rate(rate, &m);
    u128 num = (u128)k * (u128)NS_PER_SEC, den = m;

    if (k == 0)
        return 0;
    if (e > 0)
        den = e > 63 ? (u128)1 << 116 : den << e; /* both exceed k*1e9 < 2^94 */
    else if (bits(num) - e > 127)
        return ARRIVALS_FAR; /* >= 2^127 over less than 2^53 */
    else
        num <<= -e;
    num = num / den + (num % den != 0);
    return num > ARRIVALS_FAR ? ARRIVALS_FAR : (dur_ns)num;
}

uint64_t arrivals_due_even(double rate, dur_ns t)
{
    uint64_t m;
    int e = split_rate(rate, &m);
    u128 n = (u128)m * (u128)(t < 0 ? 0 : t);

    if (t <= 0)
        return t == 0; /* k = 0 is due at once */
    if (e <= 0)
        n = -e > 127 ? 0 : n >> -e; /* floor(floor(x/a)/b) = floor(x/(a*b)) */
    else if (bits(n) + e > 127)
        return UINT64_MAX;
    else
        n <<= e;
    n /= (u128)NS_PER_SEC;
    return n >= UINT64_MAX ? UINT64_MAX : (uint64_t)n + 1;
}

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

dur_ns arrivals_start(const struct arrivals_spec *spec, uint64_t k)
{
    return spec->rates ? rates_start(spec->rates, k) : arrivals_even(spec->rate, k);
}

uint64_t arrivals_due(const struct arrivals_spec *spec, dur_ns t)
{
    return spec->rates ? rates_due(spec->rates, t) : arrivals_due_even(spec->rate, t);
}

rate_pos arrivals_pos(const struct arrivals *a)
{
    return a->spec.shape == ARRIVAL_POISSON ? a->sum : (rate_pos)a->k * RATE_ONE;
}

static void find_next(struct arrivals *a)
{
    if (a->spec.shape != ARRIVAL_POISSON) {
        a->next = a->spec.shape == ARRIVAL_EVEN ? arrivals_start(&a->spec, a->k)
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
    a->spec = *spec;
    a->k = 0;
    a->next = 0;
    a->fraction = 0;
    a->sum = 0;
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

void arrivals_skip_even(struct arrivals *a, uint64_t k)
{
    assert(a->spec.shape == ARRIVAL_EVEN);
    a->k = k;
    find_next(a);
}

dur_ns arrivals_peek(const struct arrivals *a)
{
    return a->next;
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
                                .share = share_checked(share)};
    arrivals_init(&l->cursor, spec);
    l->ahead = l->cursor;
    if (limit && spec->shape == ARRIVAL_EVEN)
        end_at(l, arrivals_start(spec, limit));
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
    return rate_change_start(l->change, arrivals_peek(a), arrivals_pos(a));
}

static bool cursor_left(const struct arrival_queue *l)
{
    return !(l->limit && l->cursor.k >= l->limit) && base_of(l, &l->cursor) < l->horizon;
}

static struct ticket at_cursor(const struct arrival_queue *l)
{
    struct ticket t = {
        .k = l->cursor.k, .first = arrivals_peek(&l->cursor), .pos = arrivals_pos(&l->cursor)};

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

    assert(!l->half && k >= l->left);
    arrivals_skip_even(&l->cursor, k);
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

/* --- aligned arrivals ---
 *
 * Start j of client i is arrival j*n + i of the list of all starts, so its planned start is
 * computed from these two numbers.  Counting those due walks the list, as for all shapes with
 * jitter. */

struct own {
    _Atomic uint64_t next; /* j of the start that it takes next */
    _Atomic int64_t extra; /* its start beyond the horizon (one_more_note), MONO_NEVER: none */
};

struct aligned {
    struct aligned_spec spec;
    struct own *client; /* of this rank */
    int clients;
    uint64_t limit; /* of what they take; UINT64_MAX: none */
    _Atomic uint64_t taken;
    pthread_mutex_t lock;     /* the queue */
    struct arrival_queue due; /* for counting due ones; no horizon, no limit */
};

/* Of the first max_tickets starts, those of this rank's clients; see limit_note. */
static uint64_t limit_of(const struct aligned_spec *s)
{
    struct arrival_queue q;
    struct ticket next;

    if (!s->max_tickets || s->share.ranks == 1)
        return s->max_tickets ? s->max_tickets : UINT64_MAX;
    arrival_queue_init(&q, &s->arrivals, s->share, ARRIVALS_FAR, 0);
    while (q.left < s->max_tickets && arrival_queue_peek(&q, &next) && next.planned < s->horizon)
        arrival_queue_pop(&q);
    uint64_t left = s->max_tickets - q.left;
    arrival_queue_fini(&q);
    return q.own + share_of(s->share, left);
}

struct aligned *aligned_new(const struct aligned_spec *spec)
{
    struct aligned *a = mem_alloc(sizeof *a);

    assert(spec->arrivals.shape == ARRIVAL_ALIGNED && spec->horizon <= ARRIVALS_FAR);
    a->spec = *spec;
    a->spec.share = share_checked(spec->share);
    a->limit = limit_of(&a->spec);
    a->clients = (int)share_of(a->spec.share, (uint64_t)spec->arrivals.clients);
    a->client = mem_array((size_t)a->clients, sizeof *a->client);
    for (int i = 0; i < a->clients; i++)
        atomic_init(&a->client[i].extra, MONO_NEVER);
    pthread_mutex_init(&a->lock, NULL);
    arrival_queue_init(&a->due, &spec->arrivals, a->spec.share, ARRIVALS_FAR, 0);
    return a;
}

void aligned_free(struct aligned *a)
{
    if (!a)
        return;
    arrival_queue_fini(&a->due);
    pthread_mutex_destroy(&a->lock);
    free(a->client);
    free(a);
}

/* Start j of a client. */
static struct ticket start(const struct aligned *a, int client, uint64_t j)
{
    uint64_t number = share_number(a->spec.share, (uint64_t)client);
    uint64_t k = j * (uint64_t)a->spec.arrivals.clients + number;
    struct ticket t = {.k = k, .base = arrivals_aligned(&a->spec.arrivals, k)};

    t.planned = arrival_queue_planned(&a->due, t.base, k);
    return t;
}

bool aligned_take(struct aligned *a, int client, struct ticket *out)
{
    struct own *c = &a->client[client];
    uint64_t j = atomic_load_explicit(&c->next, memory_order_relaxed);

    *out = start(a, client, j);
    if (out->planned >= a->spec.horizon && !a->spec.one_more)
        return false;
    if (atomic_fetch_add(&a->taken, 1) >= a->limit) { /* limit_note */
        atomic_fetch_sub(&a->taken, 1);
        out->base = arrivals_aligned(&a->spec.arrivals, a->spec.max_tickets);
        return false;
    }
    if (out->planned >= a->spec.horizon)
        atomic_store(&c->extra, out->planned);
    atomic_store(&c->next, j + 1);
    return true;
}

void aligned_give_back(struct aligned *a, int client)
{
    atomic_store(&a->client[client].extra, MONO_NEVER);
    atomic_fetch_sub(&a->client[client].next, 1);
    atomic_fetch_sub(&a->taken, 1);
}

uint64_t aligned_due(struct aligned *a, dur_ns now)
{
    dur_ns until = now < a->spec.horizon ? now : a->spec.horizon - 1;
    uint64_t most = a->spec.max_tickets ? a->spec.max_tickets : UINT64_MAX, n;
    struct ticket next;

    pthread_mutex_lock(&a->lock);
    while (a->due.left < most && arrival_queue_peek(&a->due, &next) && next.planned <= until)
        arrival_queue_pop(&a->due);
    n = a->due.own;
    pthread_mutex_unlock(&a->lock);
    for (int i = 0; now >= a->spec.horizon && i < a->clients; i++)
        n += atomic_load(&a->client[i].extra) <= now;
    return n < a->limit ? n : a->limit;
}

uint64_t aligned_taken(const struct aligned *a)
{
    return atomic_load(&((struct aligned *)(uintptr_t)a)->taken);
}

dur_ns aligned_next_planned(const struct aligned *a)
{
    dur_ns first = MONO_NEVER;

    if (aligned_taken(a) >= a->limit)
        return MONO_NEVER;
    for (int i = 0; i < a->clients; i++) {
        uint64_t j = atomic_load_explicit(&a->client[i].next, memory_order_relaxed);
        dur_ns planned = start(a, i, j).planned;
        first = planned < first ? planned : first;
    }
    return first < a->spec.horizon ? first : MONO_NEVER;
}
