/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See arrival_queue.h (queue_note).  The heap is a plain binary one, ordered by planned start and,
 * for equal ones, by index, so that one seed always gives one order.
 */
#include "pace/arrival_queue.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

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

static void pop_top(struct arrival_queue *l)
{
    struct ticket last = l->heap[--l->n];
    size_t i = 0, child;

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

/* See end_note. */
static void look_ahead(struct arrival_queue *l)
{
    if (!l->limit || l->cursor.spec.shape == ARRIVAL_EVEN)
        return;
    while (l->ahead.k < l->limit && base_of(l, &l->ahead) <= base_of(l, &l->cursor) + l->half)
        arrivals_next(&l->ahead);
    if (l->ahead.k == l->limit)
        find_end(l);
}

static void push_cursor(struct arrival_queue *l)
{
    look_ahead(l);
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
    l->own += arrival_queue_own(l, l->half ? l->heap[0].k : l->cursor.k);
    if (l->half)
        pop_top(l);
    else
        arrivals_next(&l->cursor);
    l->left++;
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
    struct ticket *old;
    size_t n;

    while (l->half && cursor_left(l) && base_of(l, &l->cursor) - l->half < c->at)
        push_cursor(l);
    old = l->heap;
    n = l->n;
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
