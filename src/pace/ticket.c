/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two ways to the same counts.  Even arrivals without a policy need nothing but one atomic
 * increment: k is the old value, its planned start k/R.  Everything else (Poisson, aligned, drops) walks
 * a cursor under a mutex; the critical section is some ten ns of arithmetic.
 *
 * How many arrivals are due is asked by the reporter once an interval and, where a burst limit
 * is set, at each take.  Even without jitter it is the inverse function; otherwise a second cursor over the
 * same schedule trails behind: `sure` has passed every arrival that is due whatever its jitter, and the few whose
 * jitter decides are looked at one by one from there.
 */
#include "pace/ticket.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"

struct tickets {
    struct ticket_spec spec;
    bool computed;                 /* even, no policy: lock-free */
    CACHE_ALIGNED _Atomic uint64_t next; /* asked for; the lock-free path runs past the end ... */
    _Atomic uint64_t refused;      /* ... by as many as were told that it is over */
    CACHE_ALIGNED pthread_mutex_t lock; /* everything below */
    struct arrivals head;          /* what is handed out */
    struct arrivals sure;          /* trails: all of these are due */
    _Atomic uint64_t dropped;
    _Atomic int64_t horizon;
};

struct tickets *tickets_new(const struct ticket_spec *spec)
{
    struct tickets *t = mem_array_aligned(1, sizeof *t);

    t->spec = *spec;
    t->computed = spec->arrivals.shape == ARRIVAL_EVEN && spec->overload == OVERLOAD_QUEUE;
    atomic_init(&t->next, 0);
    atomic_init(&t->refused, 0);
    atomic_init(&t->dropped, 0);
    atomic_init(&t->horizon, spec->horizon);
    pthread_mutex_init(&t->lock, NULL);
    arrivals_init(&t->head, &spec->arrivals);
    arrivals_init(&t->sure, &spec->arrivals);
    return t;
}

void tickets_free(struct tickets *t)
{
    if (!t)
        return;
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static bool beyond_end(const struct tickets *t, uint64_t k, dur_ns planned)
{
    return (t->spec.max_tickets && k >= t->spec.max_tickets) ||
           planned >= atomic_load_explicit(&t->horizon, memory_order_relaxed);
}

/* The horizon cuts the schedule without jitter; jitter moves what is left, but neither before the
 * start line nor over the horizon, so that what is offered has its chance to begin. */
static dur_ns moved(const struct tickets *t, dur_ns base, uint64_t k)
{
    dur_ns planned = base + arrivals_jitter(&t->spec.arrivals, k);
    dur_ns horizon = atomic_load_explicit(&t->horizon, memory_order_relaxed);

    if (planned >= horizon)
        planned = horizon - 1;
    return planned > 0 ? planned : 0;
}

/* Planned start of the next arrival of a cursor, jitter included, cursor untouched. */
static dur_ns peek_planned(const struct tickets *t, const struct arrivals *a)
{
    return moved(t, arrivals_peek(a), a->k);
}

static uint64_t due_locked(struct tickets *t, dur_ns now)
{
    dur_ns half = arrivals_jitter_window(&t->spec.arrivals) / 2 + 1;
    struct arrivals a;
    uint64_t n;

    while (arrivals_peek(&t->sure) + half <= now &&
           !beyond_end(t, t->sure.k, arrivals_peek(&t->sure)))
        arrivals_next(&t->sure);
    n = t->sure.k;
    for (a = t->sure; arrivals_peek(&a) - half <= now && !beyond_end(t, a.k, arrivals_peek(&a));
         arrivals_next(&a))
        n += peek_planned(t, &a) <= now;
    return n;
}

static bool computed_due(const struct tickets *t)
{
    return t->spec.arrivals.shape == ARRIVAL_EVEN && t->spec.arrivals.jitter == 0;
}

/* Even, no jitter: how many are planned at or before `now`, before the horizon, within the limit. */
static uint64_t due_even(const struct tickets *t, dur_ns now)
{
    dur_ns horizon = atomic_load_explicit(&t->horizon, memory_order_relaxed);
    uint64_t n;

    if (now >= horizon)
        now = horizon - 1;
    n = now < 0 ? 0 : arrivals_due_even(t->spec.arrivals.rate, now);
    return t->spec.max_tickets && n > t->spec.max_tickets ? t->spec.max_tickets : n;
}

uint64_t tickets_offered(struct tickets *t, dur_ns now)
{
    uint64_t n;

    if (computed_due(t))
        return due_even(t, now);
    pthread_mutex_lock(&t->lock);
    n = due_locked(t, now);
    pthread_mutex_unlock(&t->lock);
    return n;
}

/* Applies the policy to the head of the line. With the lock held. */
static enum ticket_result shed_locked(struct tickets *t, dur_ns now)
{
    uint64_t keep_from = 0, dropped = 0;

    if (t->spec.overload == OVERLOAD_QUEUE)
        return TICKET_TAKEN;
    if (t->spec.burst) {
        uint64_t due = computed_due(t) ? due_even(t, now) : due_locked(t, now);
        keep_from = due > t->spec.burst ? due - t->spec.burst : 0;
    }
    for (;;) {
        dur_ns planned = peek_planned(t, &t->head);
        bool old = t->head.k < keep_from || (t->spec.max_lag && now - planned > t->spec.max_lag);
        if (!old || beyond_end(t, t->head.k, arrivals_peek(&t->head)))
            break;
        if (t->spec.overload == OVERLOAD_ABORT)
            return TICKET_OVERLOAD;
        arrivals_next(&t->head);
        dropped++;
    }
    if (dropped) {
        atomic_fetch_add_explicit(&t->dropped, dropped, memory_order_relaxed);
        atomic_store_explicit(&t->next, t->head.k, memory_order_relaxed);
    }
    return TICKET_TAKEN;
}

static enum ticket_result take_computed(struct tickets *t, struct ticket *out)
{
    uint64_t k = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
    dur_ns base = arrivals_even(t->spec.arrivals.rate, k);

    out->base = base;
    if (beyond_end(t, k, base)) {
        atomic_fetch_add_explicit(&t->refused, 1, memory_order_relaxed);
        return TICKET_OVER;
    }
    out->k = k;
    out->planned = moved(t, base, k);
    return TICKET_TAKEN;
}

enum ticket_result tickets_take(struct tickets *t, dur_ns now, struct ticket *out)
{
    enum ticket_result rc;

    if (t->computed)
        return take_computed(t, out);
    pthread_mutex_lock(&t->lock);
    rc = shed_locked(t, now);
    out->base = arrivals_peek(&t->head);
    if (rc == TICKET_TAKEN && beyond_end(t, t->head.k, out->base))
        rc = TICKET_OVER;
    if (rc == TICKET_TAKEN) {
        out->k = t->head.k;
        out->planned = peek_planned(t, &t->head);
        arrivals_next(&t->head);
        atomic_store_explicit(&t->next, t->head.k, memory_order_relaxed);
    }
    pthread_mutex_unlock(&t->lock);
    return rc;
}

enum ticket_result tickets_shed(struct tickets *t, dur_ns now)
{
    enum ticket_result rc;

    if (t->spec.overload == OVERLOAD_QUEUE)
        return TICKET_TAKEN;
    pthread_mutex_lock(&t->lock);
    rc = shed_locked(t, now);
    pthread_mutex_unlock(&t->lock);
    return rc;
}

void tickets_close(struct tickets *t, dur_ns at)
{
    int64_t old = atomic_load(&t->horizon);

    while (at < old && !atomic_compare_exchange_weak(&t->horizon, &old, at))
        ;
}

uint64_t tickets_issued(struct tickets *t)
{
    return atomic_load_explicit(&t->next, memory_order_relaxed) -
           atomic_load_explicit(&t->refused, memory_order_relaxed);
}

bool tickets_still_offered(const struct tickets *t, const struct ticket *k)
{
    return !beyond_end(t, k->k, k->base);
}

uint64_t tickets_dropped(struct tickets *t)
{
    return atomic_load_explicit(&t->dropped, memory_order_relaxed);
}

dur_ns tickets_next_planned(struct tickets *t)
{
    dur_ns base, planned;
    uint64_t k;

    if (t->computed) {
        k = atomic_load_explicit(&t->next, memory_order_relaxed);
        base = arrivals_even(t->spec.arrivals.rate, k);
        return beyond_end(t, k, base) ? MONO_NEVER : moved(t, base, k);
    }
    pthread_mutex_lock(&t->lock);
    planned = beyond_end(t, t->head.k, arrivals_peek(&t->head)) ? MONO_NEVER : peek_planned(t, &t->head);
    pthread_mutex_unlock(&t->lock);
    return planned;
}
