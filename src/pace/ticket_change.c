/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rate of a schedule from which clients take tickets, changed while they hold some: epoch_note
 * in ticket.h.  The changes are a list, the latest first.  Each is constant once it is published,
 * so readers walk the list without the lock; it is freed with the tickets.
 */
#include "pace/ticket.h"

#include <assert.h>
#include <stdlib.h>

#include "pace/ticket_state.h"

void tickets_free_changes(struct tickets *t)
{
    struct rate_change *c = atomic_load(&t->change), *before;

    for (; c; c = before) {
        before = (struct rate_change *)(uintptr_t)c->before;
        free(c);
    }
}

uint64_t tickets_due_even(const struct tickets *t, dur_ns now)
{
    const struct rate_change *c = atomic_load_explicit(&t->change, memory_order_acquire);
    uint64_t n;

    if (now >= t->spec.horizon)
        now = t->spec.horizon - 1;
    while (c && now < c->at)
        c = c->before;
    n = now < 0 ? 0 : c ? rate_change_due(c, now) : arrivals_due(&t->spec.arrivals, now);
    return t->spec.max_tickets && n > t->spec.max_tickets ? t->spec.max_tickets : n;
}

bool tickets_changed(struct tickets *t, const struct ticket *k)
{
    return atomic_load_explicit(&t->epoch, memory_order_acquire) != k->epoch;
}

static bool lies_beyond(const struct tickets *t, const struct ticket *k)
{
    return k->base >= t->spec.horizon || ticket_cut_off(t, k->planned);
}

enum ticket_result tickets_plan_again(struct tickets *t, struct ticket *k)
{
    bool beyond;

    assert(k->owned);
    pthread_mutex_lock(&t->lock);
    k->epoch = atomic_load(&t->epoch);
    if (t->lock_free)
        k->pos = (rate_pos)k->k * RATE_ONE;
    arrival_queue_plan(&t->head, atomic_load(&t->change), k);
    beyond = lies_beyond(t, k);
    if (beyond != k->beyond)
        atomic_fetch_add_explicit(&t->refused, beyond ? 1 : UINT64_MAX, memory_order_relaxed);
    k->beyond = beyond;
    pthread_mutex_unlock(&t->lock);
    return beyond ? TICKET_OVER : TICKET_OK;
}

void tickets_hold(struct tickets *t)
{
    assert(!t->aligned);
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->epoch, 1);
}

/* The integral of the rate at `at`, by the schedule before all changes. */
static rate_pos first_pos(const struct tickets *t, dur_ns at)
{
    const struct arrivals_spec *a = &t->spec.arrivals;
    long double pos = (long double)a->rate * (long double)at / 1e9L * (long double)RATE_ONE;

    if (a->rates)
        return rates_pos(a->rates, at);
    return (rate_pos)pos;
}

/* The change in force at `at`; NULL: it lies before all of them. */
static const struct rate_change *change_at(const struct tickets *t, dur_ns at)
{
    const struct rate_change *c = atomic_load_explicit(&t->change, memory_order_acquire);

    while (c && at < c->at)
        c = c->before;
    return c;
}

bool tickets_rate_changed(const struct tickets *t)
{
    return atomic_load_explicit(&t->change, memory_order_acquire) != NULL;
}

rate_pos tickets_pos(const struct tickets *t, dur_ns at)
{
    const struct rate_change *c;

    if (at <= 0)
        return 0;
    c = change_at(t, at);
    return c ? rate_change_pos(c, at) : first_pos(t, at);
}

double tickets_rate_at(const struct tickets *t, dur_ns at)
{
    const struct rate_change *c = change_at(t, at);
    const struct arrivals_spec *a = &t->spec.arrivals;

    return c ? (double)c->micro / 1e6 : a->rates ? rates_at(a->rates, at) : a->rate;
}

static struct rate_change *change_of(struct tickets *t, dur_ns at, double rate)
{
    struct rate_change *c = mem_alloc(sizeof *c);
    const struct rate_change *before = atomic_load(&t->change);
    uint64_t limit = t->spec.max_tickets;

    c->at = before && at <= before->at ? before->at + 1 : at;
    c->before = before;
    c->base = before ? rate_change_pos(before, c->at) : first_pos(t, c->at);
    c->micro = rates_micro(rate);
    c->due = t->due_computed && c->at > 0 ? tickets_due_even(t, c->at - 1) : 0;
    c->end = t->spec.horizon;
    if (limit && t->spec.arrivals.shape == ARRIVAL_EVEN) {
        dur_ns end = rate_change_start(c, arrivals_start(&t->spec.arrivals, limit),
                                       (rate_pos)limit * RATE_ONE);
        c->end = end < c->end ? end : c->end;
    }
    return c;
}

void tickets_set_rate(struct tickets *t, dur_ns at, double rate)
{
    struct rate_change *c = change_of(t, at > 0 ? at : 0, rate);

    arrival_queue_change(&t->head, c);
    arrival_queue_change(&t->due, c);
    atomic_store_explicit(&t->change, c, memory_order_release);
    atomic_fetch_add(&t->epoch, 1);
    pthread_mutex_unlock(&t->lock);
}
