/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See timers.h: parent of place k is k / 2, its children are 2k and 2k + 1; no child is earlier
 * than its parent.
 */
#include "fiber/timers.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

void timers_init(struct timers *t, size_t capacity)
{
    t->heap = mem_array(capacity + 1, sizeof(struct timer *));
    t->n = 0;
    t->capacity = capacity;
}

void timers_fini(struct timers *t)
{
    free(t->heap);
    t->heap = NULL;
    t->n = t->capacity = 0;
}

static void place_at(struct timers *t, size_t place, struct timer *e)
{
    t->heap[place] = e;
    e->place = place;
}

/* Finds the place of e at or above `place`. */
static void rise(struct timers *t, size_t place, struct timer *e)
{
    for (; place > 1 && e->at < t->heap[place / 2]->at; place /= 2)
        place_at(t, place, t->heap[place / 2]);
    place_at(t, place, e);
}

void timers_add(struct timers *t, struct timer *e, mono_ns at)
{
    assert(e->place == 0 && t->n < t->capacity);
    e->at = at;
    rise(t, ++t->n, e);
}

void timers_remove(struct timers *t, struct timer *e)
{
    size_t place = e->place, child;
    struct timer *last;

    if (place == 0)
        return;
    assert(place <= t->n && t->heap[place] == e);
    last = t->heap[t->n--];
    e->place = 0;
    if (last == e)
        return;
    /* sinks to its place, or rises */
    for (; (child = 2 * place) <= t->n; place = child) {
        if (child < t->n && t->heap[child + 1]->at < t->heap[child]->at)
            child++;
        if (last->at <= t->heap[child]->at)
            break;
        place_at(t, place, t->heap[child]);
    }
    rise(t, place, last);
}

struct timer *timers_due(struct timers *t, mono_ns now)
{
    struct timer *e;

    if (t->n == 0 || t->heap[1]->at > now)
        return NULL;
    e = t->heap[1];
    timers_remove(t, e);
    return e;
}
