/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See line.h (line_note).  The heap is a plain binary one, ordered by planned start and, for equal
 * ones, by index, so that one seed always gives one order.
 */
#include "pace/line.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

static void end_at(struct line *l, dur_ns end)
{
    l->end = end < l->horizon ? end : l->horizon;
}

void line_init(struct line *l, const struct arrivals_spec *spec, dur_ns horizon, uint64_t limit)
{
    dur_ns window = arrivals_jitter_window(spec);

    assert(horizon <= ARRIVALS_FAR);
    *l = (struct line){
        .horizon = horizon, .limit = limit, .end = horizon, .half = window ? window / 2 + 1 : 0};
    arrivals_init(&l->cursor, spec);
    l->ahead = l->cursor;
    if (limit && spec->shape == ARRIVAL_EVEN)
        end_at(l, arrivals_even(spec->rate, limit));
}

void line_fini(struct line *l)
{
    free(l->heap);
    l->heap = NULL;
    l->n = l->room = 0;
}

dur_ns line_planned(const struct line *l, dur_ns base, uint64_t k)
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

static void push(struct line *l, struct ticket t)
{
    size_t i = l->n;

    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->heap = mem_grow(l->heap, l->room, sizeof *l->heap);
    }
    l->n++;
    for (; i > 0 && before(&t, &l->heap[(i - 1) / 2]); i = (i - 1) / 2)
        l->heap[i] = l->heap[(i - 1) / 2];
    l->heap[i] = t;
}

static void pop_top(struct line *l)
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

static bool cursor_left(const struct line *l)
{
    return !(l->limit && l->cursor.k >= l->limit) && arrivals_peek(&l->cursor) < l->horizon;
}

static struct ticket at_cursor(const struct line *l)
{
    struct ticket t = {.k = l->cursor.k, .base = arrivals_peek(&l->cursor)};

    t.planned = line_planned(l, t.base, t.k);
    return t;
}

/* See end_note. */
static void look_ahead(struct line *l)
{
    if (!l->limit || l->cursor.spec.shape == ARRIVAL_EVEN)
        return;
    while (l->ahead.k < l->limit && arrivals_peek(&l->ahead) <= arrivals_peek(&l->cursor) + l->half)
        arrivals_next(&l->ahead);
    if (l->ahead.k == l->limit)
        end_at(l, arrivals_peek(&l->ahead));
}

bool line_peek(struct line *l, struct ticket *out)
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

dur_ns line_end(const struct line *l)
{
    return arrivals_peek(&l->cursor);
}

void line_pop(struct line *l)
{
    if (l->half)
        pop_top(l);
    else
        arrivals_next(&l->cursor);
    l->left++;
}

void line_skip_to(struct line *l, uint64_t k)
{
    assert(!l->half && k >= l->left);
    arrivals_skip_even(&l->cursor, k);
    l->left = k;
}
