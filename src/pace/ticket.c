/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Three methods with the same counts.  Even arrivals without a policy only need one atomic
 * increment: the old value says which of the rank's own arrivals it is, that gives k, and its
 * planned start is k/R (and a jitter too narrow to change the order). Aligned arrivals belong to a
 * client each (aligned.c).  Everything else (Poisson, wide jitter, drops) takes from a queue under
 * a mutex; the critical section is some ten ns of arithmetic.
 *
 * The number of due arrivals is computed for the reporter once an interval and, with a burst limit,
 * for each ticket.  For even arrivals without jitter it is the inverse function; otherwise a second
 * queue over the same schedule follows the clock.
 */
#include "pace/ticket.h"

#include <assert.h>
#include <stdlib.h>

#include "pace/ticket_state.h"

static struct aligned *aligned_of(const struct ticket_spec *s)
{
    assert(s->overload == OVERLOAD_QUEUE);
    return aligned_new(&(struct aligned_spec){.arrivals = s->arrivals,
                                              .share = s->share,
                                              .max_tickets = s->max_tickets,
                                              .horizon = s->horizon,
                                              .one_more = s->one_more});
}

/* True when no jitter lets a start overtake another. */
static bool keeps_order(const struct arrivals_spec *a, bool changes)
{
    double most = a->rates ? rates_most(a->rates) : a->rate;

    return a->jitter == 0 || (!changes && (double)a->jitter * most <= 1e9);
}

struct tickets *tickets_new(const struct ticket_spec *spec)
{
    struct tickets *t = mem_array_aligned(1, sizeof *t);
    const struct arrivals_spec *a = &spec->arrivals;

    t->spec = *spec;
    t->spec.share = share_checked(spec->share);
    t->limit = spec->max_tickets ? share_of(t->spec.share, spec->max_tickets) : UINT64_MAX;
    if (t->spec.horizon > ARRIVALS_FAR)
        t->spec.horizon = ARRIVALS_FAR;
    t->lock_free = a->shape == ARRIVAL_EVEN && spec->overload == OVERLOAD_QUEUE &&
                   keeps_order(a, spec->changes);
    t->due_computed = a->shape == ARRIVAL_EVEN && a->jitter == 0;
    atomic_init(&t->claimed, 0);
    atomic_init(&t->refused, 0);
    atomic_init(&t->change, NULL);
    atomic_init(&t->epoch, 0);
    atomic_init(&t->dropped, 0);
    atomic_init(&t->closed, MONO_NEVER);
    pthread_mutex_init(&t->lock, NULL);
    arrival_queue_init(&t->head, a, t->spec.share, t->spec.horizon, spec->max_tickets);
    arrival_queue_init(&t->due, a, t->spec.share, t->spec.horizon, spec->max_tickets);
    if (a->shape == ARRIVAL_ALIGNED)
        t->aligned = aligned_of(&t->spec);
    if (a->rates && !t->due_computed)
        t->stage_own = mem_array(rates_stages(a->rates), sizeof *t->stage_own);
    return t;
}

void tickets_free(struct tickets *t)
{
    if (!t)
        return;
    tickets_free_changes(t);
    arrival_queue_fini(&t->head);
    arrival_queue_fini(&t->due);
    aligned_free(t->aligned);
    free(t->stage_own);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* Limits `now` to the end of the schedule, for counts of what was due. */
static dur_ns until_closed(const struct tickets *t, dur_ns now)
{
    dur_ns closed = atomic_load_explicit(&t->closed, memory_order_acquire);

    return now < closed ? now : closed;
}

/* Where stage i of the rate ends and the next one begins; MONO_NEVER: none does. */
static dur_ns stage_end(const struct tickets *t, size_t i)
{
    const struct rates *rates = t->spec.arrivals.rates;

    return rates && i + 1 < rates_stages(rates) ? rates_stage(rates, i + 1)->from : MONO_NEVER;
}

/* Of all ranks. */
static uint64_t due_locked(struct tickets *t, dur_ns now)
{
    struct ticket next;

    if (t->due_computed)
        return tickets_due_even(t, now);
    for (; arrival_queue_peek(&t->due, &next) && next.planned <= now; arrival_queue_pop(&t->due))
        while (next.planned >= stage_end(t, t->stages_passed))
            t->stage_own[t->stages_passed++] = t->due.own;
    return t->due.left;
}

/* Of the rank's own, where they must be walked: `due` may be further. */
static uint64_t walked_own(const struct tickets *t, dur_ns now)
{
    uint64_t n = t->due.own;

    for (size_t i = t->stages_passed; i-- > 0 && now < stage_end(t, i);)
        n = t->stage_own[i];
    return n;
}

uint64_t tickets_offered(struct tickets *t, dur_ns now)
{
    uint64_t n;

    now = until_closed(t, now);
    if (t->due_computed && !(atomic_load_explicit(&t->epoch, memory_order_acquire) & 1))
        return share_of(t->spec.share, tickets_due_even(t, now));
    if (t->aligned)
        return aligned_due(t->aligned, now);
    pthread_mutex_lock(&t->lock);
    n = due_locked(t, now);
    n = t->due_computed ? share_of(t->spec.share, n) : walked_own(t, now);
    pthread_mutex_unlock(&t->lock);
    return n;
}

/* True when the head of the queue is too old: where it stands in the whole counts. */
static bool overdue_locked(struct tickets *t, uint64_t keep_from, dur_ns now)
{
    struct ticket next;

    return arrival_queue_peek_own(&t->head, &next) &&
           (t->head.left < keep_from || (t->spec.max_lag && now - next.planned > t->spec.max_lag));
}

/* Removes all that are too old from the queue; returns how many.  Where possible the number is
 * computed: at a rate far beyond capacity, walking the queue would take longer than the time it
 * covers. */
static uint64_t drop_locked(struct tickets *t, uint64_t keep_from, dur_ns now)
{
    uint64_t dropped = 0;

    if (t->due_computed) {
        uint64_t old = t->spec.max_lag ? tickets_due_even(t, now - t->spec.max_lag - 1) : 0;
        return arrival_queue_skip_to(&t->head, old > keep_from ? old : keep_from);
    }
    for (; overdue_locked(t, keep_from, now); dropped++)
        arrival_queue_pop(&t->head);
    return dropped;
}

/* Applies the policy to the head of the queue. With the lock held. */
static enum ticket_result shed_locked(struct tickets *t, dur_ns now)
{
    uint64_t keep_from = 0, dropped;

    if (t->spec.overload == OVERLOAD_QUEUE)
        return TICKET_OK;
    now = until_closed(t, now);
    if (t->spec.burst) {
        uint64_t due = due_locked(t, now);
        keep_from = due > t->spec.burst ? due - t->spec.burst : 0;
    }
    if (!overdue_locked(t, keep_from, now))
        return TICKET_OK;
    if (t->spec.overload == OVERLOAD_ABORT)
        return TICKET_OVERLOAD;
    dropped = drop_locked(t, keep_from, now);
    atomic_fetch_add_explicit(&t->dropped, dropped, memory_order_relaxed);
    atomic_store_explicit(&t->claimed, t->head.own, memory_order_relaxed);
    return TICKET_OK;
}

/* Even arrivals: from k alone. */
static void plan_even(const struct tickets *t, const struct rate_change *c, struct ticket *k)
{
    k->first = arrivals_start(&t->spec.arrivals, k->k);
    k->base = k->first;
    if (__builtin_expect(c != NULL, 0)) {
        k->pos = (rate_pos)k->k * RATE_ONE;
        arrival_queue_plan(&t->head, c, k);
    } else {
        k->planned = arrival_queue_planned(&t->head, k->base, k->k);
    }
}

static enum ticket_result take_lock_free(struct tickets *t, struct ticket *out)
{
    uint64_t i;
    const struct rate_change *c;

    out->epoch = atomic_load_explicit(&t->epoch, memory_order_acquire); /* before the change */
    c = atomic_load_explicit(&t->change, memory_order_acquire);
    i = atomic_fetch_add_explicit(&t->claimed, 1, memory_order_relaxed);
    out->owned = i < t->limit;
    /* all late callers get the same end */
    out->k = out->owned ? share_number(t->spec.share, i) : t->spec.max_tickets;
    plan_even(t, c, out);
    out->beyond = !out->owned || out->base >= t->spec.horizon || ticket_cut_off(t, out->planned);
    if (!out->beyond)
        return TICKET_OK;
    atomic_fetch_add_explicit(&t->refused, 1, memory_order_relaxed);
    return TICKET_OVER;
}

static enum ticket_result take_locked(struct tickets *t, dur_ns now, struct ticket *out)
{
    enum ticket_result rc = shed_locked(t, now);

    if (rc != TICKET_OK)
        return rc;
    if (!arrival_queue_peek_own(&t->head, out)) {
        out->owned = false;
        out->base = arrival_queue_end(&t->head);
        return TICKET_OVER;
    }
    out->epoch = atomic_load_explicit(&t->epoch, memory_order_relaxed);
    out->beyond = false;
    out->owned = !ticket_cut_off(t, out->planned);
    if (!out->owned)
        return TICKET_OVER;
    arrival_queue_pop(&t->head);
    atomic_store_explicit(&t->claimed, t->head.own, memory_order_relaxed);
    return TICKET_OK;
}

static enum ticket_result take_own(struct tickets *t, int client, struct ticket *out)
{
    if (!aligned_take(t->aligned, client, out))
        return TICKET_OVER;
    if (!ticket_cut_off(t, out->planned))
        return TICKET_OK;
    aligned_give_back(t->aligned, client);
    return TICKET_OVER;
}

enum ticket_result tickets_take(struct tickets *t, int client, dur_ns now, struct ticket *out)
{
    enum ticket_result rc;

    if (t->lock_free)
        return take_lock_free(t, out);
    if (t->aligned)
        return take_own(t, client, out);
    pthread_mutex_lock(&t->lock);
    rc = take_locked(t, now, out);
    pthread_mutex_unlock(&t->lock);
    return rc;
}

bool tickets_give_back(struct tickets *t, int client, const struct ticket *k)
{
    if (!ticket_cut_off(t, k->planned))
        return true;
    if (t->aligned)
        aligned_give_back(t->aligned, client);
    else
        atomic_fetch_add_explicit(&t->refused, 1, memory_order_relaxed);
    return false;
}

enum ticket_result tickets_shed(struct tickets *t, dur_ns now)
{
    enum ticket_result rc;

    if (t->spec.overload == OVERLOAD_QUEUE)
        return TICKET_OK;
    pthread_mutex_lock(&t->lock);
    rc = shed_locked(t, now);
    pthread_mutex_unlock(&t->lock);
    return rc;
}

void tickets_close(struct tickets *t, dur_ns at)
{
    int64_t old = atomic_load(&t->closed);

    while (at < old && !atomic_compare_exchange_weak(&t->closed, &old, at))
        ;
}

uint64_t tickets_issued(struct tickets *t)
{
    if (t->aligned)
        return aligned_taken(t->aligned);
    return atomic_load_explicit(&t->claimed, memory_order_relaxed) -
           atomic_load_explicit(&t->refused, memory_order_relaxed);
}

uint64_t tickets_dropped(struct tickets *t)
{
    return atomic_load_explicit(&t->dropped, memory_order_relaxed);
}

dur_ns tickets_next_planned(struct tickets *t)
{
    struct ticket next = {.planned = MONO_NEVER};
    bool any;

    if (t->lock_free) {
        uint64_t i = atomic_load_explicit(&t->claimed, memory_order_relaxed);
        next.k = share_number(t->spec.share, i);
        plan_even(t, atomic_load_explicit(&t->change, memory_order_acquire), &next);
        any = i < t->limit && next.base < t->spec.horizon;
    } else if (t->aligned) {
        next.planned = aligned_next_planned(t->aligned);
        any = next.planned != MONO_NEVER;
    } else {
        pthread_mutex_lock(&t->lock);
        any = arrival_queue_peek_own(&t->head, &next);
        pthread_mutex_unlock(&t->lock);
    }
    return any && !ticket_cut_off(t, next.planned) ? next.planned : MONO_NEVER;
}
