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

void arrival_queue_init(struct arrival_queue *l, const struct arrivals_spec *spec, dur_ns horizon,
                        uint64_t limit)
{
    dur_ns window = arrivals_jitter_window(spec);

    assert(horizon <= ARRIVALS_FAR);
    *l = (struct arrival_queue){
        .horizon = horizon, .limit = limit, .end = horizon, .half = window ? window / 2 + 1 : 0};
    arrivals_init(&l->cursor, spec);
    l->ahead = l->cursor;
    if (limit && spec->shape == ARRIVAL_EVEN)
        end_at(l, arrivals_even(spec->rate, limit));
}

void arrival_queue_fini(struct arrival_queue *l)
{
    free(l->heap);
    l->heap = NULL;
    l->n = l->capacity = 0;
}

dur_ns arrival_queue_planned(const struct arrival_queue *l, dur_ns base, uint64_t k)
{
    dur_ns planned = base + arrivals_jitter(&l->cursor.spec, k);

    if (planned < 0)
        planned = -planned;
    if (planned >= l->end) {
        planned -= 2 * (planned - (l->end - 1));
        planned = planned > 0 ? planned : 0; /* a window wider than the whole run */
    }
    return planned;
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

static bool cursor_left(const struct arrival_queue *l)
{
    return !(l->limit && l->cursor.k >= l->limit) && arrivals_peek(&l->cursor) < l->horizon;
}

static struct ticket at_cursor(const struct arrival_queue *l)
{
    struct ticket t = {.k = l->cursor.k, .base = arrivals_peek(&l->cursor)};

    t.planned = arrival_queue_planned(l, t.base, t.k);
    return t;
}

/* See end_note. */
static void look_ahead(struct arrival_queue *l)
{
    if (!l->limit || l->cursor.spec.shape == ARRIVAL_EVEN)
        return;
    while (l->ahead.k < l->limit && arrivals_peek(&l->ahead) <= arrivals_peek(&l->cursor) + l->half)
        arrivals_next(&l->ahead);
    if (l->ahead.k == l->limit)
        end_at(l, arrivals_peek(&l->ahead));
}

bool arrival_queue_peek(struct arrival_queue *l, struct ticket *out)
{
    if (!l->half) {
        if (!cursor_left(l))
            return false;
        *out = at_cursor(l);
        return true;
    }
    while (cursor_left(l) && (!l->n || arrivals_peek(&l->cursor) - l->half <= l->heap[0].planned)) {
        look_ahead(l);
        push(l, at_cursor(l));
        arrivals_next(&l->cursor);
    }
    if (l->n)
        *out = l->heap[0];
    return l->n > 0;
}

dur_ns arrival_queue_end(const struct arrival_queue *l)
{
    return arrivals_peek(&l->cursor);
}

void arrival_queue_pop(struct arrival_queue *l)
{
    if (l->half)
        pop_top(l);
    else
        arrivals_next(&l->cursor);
    l->left++;
}

void arrival_queue_skip_to(struct arrival_queue *l, uint64_t k)
{
    assert(!l->half && k >= l->left);
    arrivals_skip_even(&l->cursor, k);
    l->left = k;
}
