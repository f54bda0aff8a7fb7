/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Three methods with the same counts.  Even arrivals without a policy only need one atomic
 * increment: the old value says which of the rank's own arrivals it is, that gives k, and its
 * planned start is k/R (and a jitter too narrow to change the order). Aligned arrivals belong to a
 * client each (own_note).  Everything else (Poisson, wide jitter, drops) takes from a queue under
 * a mutex; the critical section is some ten ns of arithmetic.
 *
 * The number of due arrivals is computed for the reporter once an interval and, with a burst limit,
 * for each ticket.  For even arrivals without jitter it is the inverse function; otherwise a second
 * queue over the same schedule follows the clock.
 */
#include "pace/ticket.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"

/* With aligned arrivals, of a client of this rank. */
struct own {
    _Atomic uint64_t next; /* j of the start that it takes next */
    _Atomic int64_t extra; /* its start beyond the horizon (one_more_note), MONO_NEVER: none */
};

struct tickets {
    struct ticket_spec spec;
    struct rates *constant; /* even arrivals at one rate: it */
    uint64_t limit;         /* of the rank's own arrivals; UINT64_MAX: none */
    bool lock_free;
    bool due_computed;
    struct own *aligned; /* NULL: other shapes */
    int clients;         /* ... of this rank */
    /* left the queue, of the rank's own; lock-free it exceeds the end ... */
    CACHE_ALIGNED _Atomic uint64_t claimed;
    _Atomic uint64_t refused; /* ... by the callers that got TICKET_OVER or gave one back */
    CACHE_ALIGNED pthread_mutex_t lock; /* the queues */
    struct arrival_queue head;          /* for taking tickets */
    struct arrival_queue due;           /* for counting due ones */
    uint64_t *stage_own; /* of the rank's own, before the end of each stage that `due` has passed */
    size_t stages_passed;
    bool full;                            /* full_note */
    _Atomic(struct rate_change *) change; /* the latest; NULL: none */
    _Atomic uint32_t epoch;               /* how often it changed, twice; odd: it is changing */
    _Atomic uint64_t dropped;
    _Atomic int64_t closed; /* no arrival planned later is offered */
};

/* The schedule ended before this start (tickets_close). */
static inline bool cut_off(const struct tickets *t, dur_ns planned)
{
    return planned > atomic_load_explicit(&t->closed, memory_order_acquire);
}

/* --- aligned arrivals ---
 *
 * own_note: start j of client i is arrival j*n + i of the list of all starts, so its planned start
 * is computed from these two numbers, without a lock.  Counting those due walks the list, as for
 * all shapes with jitter. */

/* Of the first max_tickets starts, those of this rank's clients; see limit_note. */
static uint64_t own_limit(const struct ticket_spec *s)
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

/* Start j of a client. */
static struct ticket own_start(const struct tickets *t, int client, uint64_t j)
{
    uint64_t number = share_number(t->spec.share, (uint64_t)client);
    uint64_t k = j * (uint64_t)t->spec.arrivals.clients + number;
    struct ticket out = {.k = k, .base = arrivals_aligned(&t->spec.arrivals, k)};

    out.planned = arrival_queue_planned(&t->due, out.base, k);
    return out;
}

/* False: it has none, and out->base is where the schedule would go on. */
static bool own_take(struct tickets *t, int client, struct ticket *out)
{
    struct own *c = &t->aligned[client];
    uint64_t j = atomic_load_explicit(&c->next, memory_order_relaxed);

    *out = own_start(t, client, j);
    if (out->planned >= t->spec.horizon && !t->spec.one_more)
        return false;
    if (atomic_fetch_add(&t->claimed, 1) >= t->limit) { /* limit_note */
        atomic_fetch_sub(&t->claimed, 1);
        out->base = arrivals_aligned(&t->spec.arrivals, t->spec.max_tickets);
        return false;
    }
    if (out->planned >= t->spec.horizon)
        atomic_store(&c->extra, out->planned);
    atomic_store(&c->next, j + 1);
    return true;
}

/* As if the client had not taken its latest ticket. */
static void own_give_back(struct tickets *t, int client)
{
    atomic_store(&t->aligned[client].extra, MONO_NEVER);
    atomic_fetch_sub(&t->aligned[client].next, 1);
    atomic_fetch_sub(&t->claimed, 1);
}

/* Planned at or before `now`; an earlier `now` than in a previous call returns that call's figure.
 */
static uint64_t own_due(struct tickets *t, dur_ns now)
{
    dur_ns until = now < t->spec.horizon ? now : t->spec.horizon - 1;
    uint64_t most = t->spec.max_tickets ? t->spec.max_tickets : UINT64_MAX, n;
    struct ticket next;

    pthread_mutex_lock(&t->lock);
    while (t->due.left < most && arrival_queue_peek(&t->due, &next) && next.planned <= until)
        arrival_queue_pop(&t->due);
    n = t->due.own;
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; now >= t->spec.horizon && i < t->clients; i++)
        n += atomic_load(&t->aligned[i].extra) <= now;
    return n < t->limit ? n : t->limit;
}

/* The earliest start before the horizon that was not taken, or MONO_NEVER. */
static dur_ns own_next(const struct tickets *t)
{
    dur_ns first = MONO_NEVER;

    if (atomic_load(&t->claimed) >= t->limit)
        return MONO_NEVER;
    for (int i = 0; i < t->clients; i++) {
        uint64_t j = atomic_load_explicit(&t->aligned[i].next, memory_order_relaxed);
        dur_ns planned = own_start(t, i, j).planned;
        first = planned < first ? planned : first;
    }
    return first < t->spec.horizon ? first : MONO_NEVER;
}

/* --- all shapes --- */

struct tickets *tickets_new(const struct ticket_spec *spec)
{
    struct tickets *t = mem_array_aligned(1, sizeof *t);
    struct arrivals_spec *a = &t->spec.arrivals;

    t->spec = *spec;
    t->spec.share = share_checked(spec->share);
    if (a->shape == ARRIVAL_EVEN && !a->rates)
        a->rates = t->constant = rates_constant(a->rate);
    double most = a->rates ? rates_most(a->rates) : a->rate;
    /* no jitter lets a start overtake another */
    bool in_order = a->jitter == 0 || (!spec->changes && (double)a->jitter * most <= 1e9);
    t->limit = spec->max_tickets ? share_of(t->spec.share, spec->max_tickets) : UINT64_MAX;
    if (t->spec.horizon > ARRIVALS_FAR)
        t->spec.horizon = ARRIVALS_FAR;
    t->lock_free = a->shape == ARRIVAL_EVEN && spec->overload == OVERLOAD_QUEUE && in_order;
    t->due_computed = a->shape == ARRIVAL_EVEN && a->jitter == 0;
    atomic_init(&t->claimed, 0);
    atomic_init(&t->refused, 0);
    atomic_init(&t->change, NULL);
    atomic_init(&t->epoch, 0);
    atomic_init(&t->dropped, 0);
    atomic_init(&t->closed, MONO_NEVER);
    pthread_mutex_init(&t->lock, NULL);
    arrival_queue_init(&t->head, a, t->spec.share, t->spec.horizon, spec->max_tickets);
    if (a->shape == ARRIVAL_ALIGNED) {
        assert(spec->overload == OVERLOAD_QUEUE);
        arrival_queue_init(&t->due, a, t->spec.share, ARRIVALS_FAR, 0); /* own_due() ends it */
        t->limit = own_limit(&t->spec);
        t->clients = (int)share_of(t->spec.share, (uint64_t)a->clients);
        t->aligned = mem_array((size_t)t->clients, sizeof *t->aligned);
        for (int i = 0; i < t->clients; i++)
            atomic_init(&t->aligned[i].extra, MONO_NEVER);
    } else {
        arrival_queue_init(&t->due, a, t->spec.share, t->spec.horizon, spec->max_tickets);
    }
    if (spec->arrivals.rates && !t->due_computed)
        t->stage_own = mem_array(rates_stages(a->rates), sizeof *t->stage_own);
    return t;
}

void tickets_free(struct tickets *t)
{
    if (!t)
        return;
    for (struct rate_change *c = atomic_load(&t->change), *before; c; c = before) {
        before = (struct rate_change *)(uintptr_t)c->before;
        free(c);
    }
    arrival_queue_fini(&t->head);
    arrival_queue_fini(&t->due);
    rates_free(t->constant);
    free(t->aligned);
    free(t->stage_own);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* The change in force at `at`; NULL: it lies before all of them. */
static const struct rate_change *change_at(const struct tickets *t, dur_ns at)
{
    const struct rate_change *c = atomic_load_explicit(&t->change, memory_order_acquire);

    while (c && at < c->at)
        c = c->before;
    return c;
}

/* Even, no jitter: the number planned at or before `now`, before the horizon, within the limit; of
 * all ranks. */
static uint64_t due_even(const struct tickets *t, dur_ns now)
{
    now = now < t->spec.horizon ? now : t->spec.horizon - 1;
    const struct rate_change *c = change_at(t, now);
    uint64_t n = now < 0 ? 0 : c ? rate_change_due(c, now) : rates_due(t->spec.arrivals.rates, now);
    return t->spec.max_tickets && n > t->spec.max_tickets ? t->spec.max_tickets : n;
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
        return due_even(t, now);
    now = until_closed(t, now); /* perhaps since the caller began to wait for the lock */
    for (dur_ns last = 0; arrival_queue_peek(&t->due, &next) && next.planned <= now;
         arrival_queue_pop(&t->due)) {
        if (t->spec.ends_when_full && !t->full && t->due.left > t->head.left + t->spec.burst) {
            t->full = true;
            tickets_close(t, now = last);
            if (next.planned > now)
                break;
        }
        last = next.planned;
        while (next.planned >= stage_end(t, t->stages_passed))
            t->stage_own[t->stages_passed++] = t->due.own;
    }
    return t->due.left;
}

uint64_t tickets_offered(struct tickets *t, dur_ns now)
{
    now = until_closed(t, now);
    if (t->due_computed && !(atomic_load_explicit(&t->epoch, memory_order_acquire) & 1))
        return share_of(t->spec.share, due_even(t, now));
    if (t->aligned)
        return own_due(t, now);
    pthread_mutex_lock(&t->lock);
    uint64_t n = due_locked(t, now);
    if (t->due_computed) {
        n = share_of(t->spec.share, n);
    } else { /* they have been walked, perhaps further than `now` */
        n = t->due.own;
        for (size_t i = t->stages_passed; i-- > 0 && now < stage_end(t, i);)
            n = t->stage_own[i];
    }
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

/* Applies the policy to the head of the queue. With the lock held. */
static enum ticket_result shed_locked(struct tickets *t, dur_ns now)
{
    uint64_t keep_from = 0, dropped = 0;

    if (t->spec.overload == OVERLOAD_QUEUE)
        return TICKET_OK;
    now = until_closed(t, now);
    if (t->spec.burst) {
        uint64_t due = due_locked(t, now);
        keep_from = due > t->spec.burst ? due - t->spec.burst : 0;
    }
    if (t->full)
        return TICKET_OVERLOAD;
    if (!overdue_locked(t, keep_from, now))
        return TICKET_OK;
    if (t->spec.overload == OVERLOAD_ABORT)
        return TICKET_OVERLOAD;
    if (t->due_computed) {
        /* at a rate far beyond capacity, walking the queue would take longer than the time it
         * covers */
        uint64_t old = t->spec.max_lag ? due_even(t, now - t->spec.max_lag - 1) : 0;
        dropped = arrival_queue_skip_to(&t->head, old > keep_from ? old : keep_from);
    } else {
        for (; overdue_locked(t, keep_from, now); dropped++)
            arrival_queue_pop(&t->head);
    }
    atomic_fetch_add_explicit(&t->dropped, dropped, memory_order_relaxed);
    atomic_store_explicit(&t->claimed, t->head.own, memory_order_relaxed);
    return TICKET_OK;
}

/* Even arrivals: from k alone. */
static void plan_even(const struct tickets *t, const struct rate_change *c, struct ticket *k)
{
    k->first = k->base = rates_start(t->spec.arrivals.rates, k->k);
    if (__builtin_expect(c != NULL, 0)) {
        k->pos = (rate_pos)k->k * RATE_ONE;
        arrival_queue_plan(&t->head, c, k);
    } else {
        k->planned = t->due_computed ? k->base : arrival_queue_planned(&t->head, k->base, k->k);
    }
}

enum ticket_result tickets_take(struct tickets *t, int client, dur_ns now, struct ticket *out)
{
    if (t->lock_free) {
        out->epoch = atomic_load_explicit(&t->epoch, memory_order_acquire); /* before the change */
        const struct rate_change *c = atomic_load_explicit(&t->change, memory_order_acquire);
        uint64_t i = atomic_fetch_add_explicit(&t->claimed, 1, memory_order_relaxed);
        out->owned = i < t->limit;
        /* all late callers get the same end */
        out->k = out->owned ? share_number(t->spec.share, i) : t->spec.max_tickets;
        plan_even(t, c, out);
        out->beyond = !out->owned || out->base >= t->spec.horizon || cut_off(t, out->planned);
        if (!out->beyond)
            return TICKET_OK;
        atomic_fetch_add_explicit(&t->refused, 1, memory_order_relaxed);
        return TICKET_OVER;
    }
    if (t->aligned) {
        if (!own_take(t, client, out))
            return TICKET_OVER;
        if (!cut_off(t, out->planned))
            return TICKET_OK;
        own_give_back(t, client);
        return TICKET_OVER;
    }
    pthread_mutex_lock(&t->lock);
    enum ticket_result rc = shed_locked(t, now);
    if (rc == TICKET_OK && arrival_queue_peek_own(&t->head, out)) {
        out->epoch = atomic_load_explicit(&t->epoch, memory_order_relaxed);
        out->beyond = false;
        out->owned = !cut_off(t, out->planned);
        rc = out->owned ? TICKET_OK : TICKET_OVER;
    } else if (rc == TICKET_OK) {
        out->owned = false;
        out->base = arrival_queue_end(&t->head);
        rc = TICKET_OVER;
    }
    if (rc == TICKET_OK) {
        arrival_queue_pop(&t->head);
        atomic_store_explicit(&t->claimed, t->head.own, memory_order_relaxed);
    }
    pthread_mutex_unlock(&t->lock);
    return rc;
}

bool tickets_give_back(struct tickets *t, int client, const struct ticket *k)
{
    if (!cut_off(t, k->planned))
        return true;
    if (t->aligned)
        own_give_back(t, client);
    else
        atomic_fetch_add_explicit(&t->refused, 1, memory_order_relaxed);
    return false;
}

enum ticket_result tickets_shed(struct tickets *t, dur_ns now)
{
    if (t->spec.overload == OVERLOAD_QUEUE)
        return TICKET_OK;
    pthread_mutex_lock(&t->lock);
    enum ticket_result rc = shed_locked(t, now);
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
        next.planned = own_next(t);
        any = next.planned != MONO_NEVER;
    } else {
        pthread_mutex_lock(&t->lock);
        any = arrival_queue_peek_own(&t->head, &next);
        pthread_mutex_unlock(&t->lock);
    }
    return any && !cut_off(t, next.planned) ? next.planned : MONO_NEVER;
}

bool tickets_end_with_last(struct tickets *t)
{
    return t->aligned ||
           (t->spec.ends_with_last && t->spec.max_tickets && tickets_issued(t) >= t->limit);
}

/* --- the rate changes meanwhile ---
 *
 * See epoch_note.  The changes are a list, the latest first.  Each is constant once it is
 * published, so readers walk the list without the lock; it is freed with the tickets. */

bool tickets_changed(struct tickets *t, const struct ticket *k)
{
    return k->epoch & 1 || atomic_load_explicit(&t->epoch, memory_order_acquire) != k->epoch;
}

enum ticket_result tickets_plan_again(struct tickets *t, struct ticket *k)
{
    assert(k->owned);
    pthread_mutex_lock(&t->lock);
    k->epoch = atomic_load(&t->epoch);
    if (t->lock_free)
        k->pos = (rate_pos)k->k * RATE_ONE;
    arrival_queue_plan(&t->head, atomic_load(&t->change), k);
    bool beyond = k->base >= t->spec.horizon || cut_off(t, k->planned);
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

    return a->rates
               ? rates_pos(a->rates, at)
               : (rate_pos)((long double)a->rate * (long double)at / 1e9L * (long double)RATE_ONE);
}

bool tickets_rate_changed(const struct tickets *t)
{
    return atomic_load_explicit(&t->change, memory_order_acquire) != NULL;
}

rate_pos tickets_pos(const struct tickets *t, dur_ns at)
{
    if (at <= 0)
        return 0;
    const struct rate_change *c = change_at(t, at);
    return c ? rate_change_pos(c, at) : first_pos(t, at);
}

double tickets_rate_at(const struct tickets *t, dur_ns at)
{
    const struct rate_change *c = change_at(t, at);
    const struct arrivals_spec *a = &t->spec.arrivals;

    return c ? (double)c->micro / 1e6 : a->rates ? rates_at(a->rates, at) : a->rate;
}

void tickets_set_rate(struct tickets *t, dur_ns at, double rate)
{
    struct rate_change *c = mem_alloc(sizeof *c);
    const struct rate_change *before = atomic_load(&t->change);
    uint64_t limit = t->spec.max_tickets;

    at = at > 0 ? at : 0;
    c->at = before && at <= before->at ? before->at + 1 : at;
    c->before = before;
    c->base = before ? rate_change_pos(before, c->at) : first_pos(t, c->at);
    c->micro = rates_micro(rate);
    c->due = t->due_computed ? due_even(t, c->at - 1) : 0;
    c->end = t->spec.horizon;
    if (limit && t->spec.arrivals.shape == ARRIVAL_EVEN) {
        dur_ns end = rate_change_start(c, rates_start(t->spec.arrivals.rates, limit),
                                       (rate_pos)limit * RATE_ONE);
        c->end = end < c->end ? end : c->end;
    }
    arrival_queue_change(&t->head, c);
    arrival_queue_change(&t->due, c);
    atomic_store_explicit(&t->change, c, memory_order_release);
    atomic_fetch_add(&t->epoch, 1);
    pthread_mutex_unlock(&t->lock);
}

/* --- a run's two schedules --- */

/* With aligned arrivals the time limit ends no pause, and a client runs what it took before it
 * (one_more_note). */
static mono_ns last_begin(const struct ticket_line *l, mono_ns from)
{
    return l->measured->aligned ? MONO_NEVER : from + l->measured->spec.horizon;
}

enum ticket_result ticket_next(const struct ticket_line *l, int client, mono_ns now,
                               struct ticket *k)
{
    mono_ns from = *l->from;
    enum ticket_result rc;

    if (k->owned) {
        k->zero = from;
        k->until = last_begin(l, from);
        if (tickets_changed(l->measured, k))
            return tickets_plan_again(l->measured, k);
        return k->beyond ? TICKET_OVER : TICKET_OK;
    }
    if (l->warm && now < from) {
        rc = tickets_take(l->warm, client, now - *l->start, k);
        k->warm = true;
        k->zero = *l->start;
        k->until = last_begin(l, from);
        if (rc == TICKET_OVERLOAD || (rc == TICKET_OK && k->zero + k->planned < from))
            return rc;
    }
    rc = tickets_take(l->measured, client, now - from, k);
    k->warm = false;
    k->zero = from;
    k->until = last_begin(l, from);
    k->owned = k->owned || rc == TICKET_OK;
    return rc;
}

bool ticket_is_stale(const struct ticket_line *l, struct ticket *k)
{
    mono_ns from = *l->from;

    if (!k->warm)
        return k->zero != from || tickets_changed(l->measured, k);
    if (k->zero + k->planned < from)
        return false;
    k->owned = false;
    return true;
}

bool ticket_return(const struct ticket_line *l, int client, struct ticket *k)
{
    if (k->warm)
        return false;
    if (tickets_changed(l->measured, k) && tickets_plan_again(l->measured, k) == TICKET_OVER)
        return false;
    return tickets_give_back(l->measured, client, k);
}
