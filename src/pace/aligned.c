/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See aligned.h.  Start j of client i is arrival j*n + i of the list of all starts, so its planned
 * start is computed from these two numbers.  Counting those due walks the list, as for all shapes
 * with jitter (arrival_queue.h).
 */
#include "pace/aligned.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"

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
    uint64_t left;

    if (!s->max_tickets || s->share.ranks == 1)
        return s->max_tickets ? s->max_tickets : UINT64_MAX;
    arrival_queue_init(&q, &s->arrivals, s->share, ARRIVALS_FAR, 0);
    while (q.left < s->max_tickets && arrival_queue_peek(&q, &next) && next.planned < s->horizon)
        arrival_queue_pop(&q);
    left = s->max_tickets - q.left;
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

/* Of the limit for all clients, the first who ask get some. */
static bool claim(struct aligned *a)
{
    if (atomic_fetch_add(&a->taken, 1) < a->limit)
        return true;
    atomic_fetch_sub(&a->taken, 1);
    return false;
}

bool aligned_take(struct aligned *a, int client, struct ticket *out)
{
    struct own *c = &a->client[client];
    uint64_t j = atomic_load_explicit(&c->next, memory_order_relaxed);

    *out = start(a, client, j);
    if (out->planned >= a->spec.horizon && !a->spec.one_more)
        return false;
    if (!claim(a)) {
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

static uint64_t due_before_horizon(struct aligned *a, dur_ns now)
{
    dur_ns until = now < a->spec.horizon ? now : a->spec.horizon - 1;
    uint64_t most = a->spec.max_tickets ? a->spec.max_tickets : UINT64_MAX, n;
    struct ticket next;

    pthread_mutex_lock(&a->lock);
    while (a->due.left < most && arrival_queue_peek(&a->due, &next) && next.planned <= until)
        arrival_queue_pop(&a->due);
    n = a->due.own;
    pthread_mutex_unlock(&a->lock);
    return n;
}

uint64_t aligned_due(struct aligned *a, dur_ns now)
{
    uint64_t n = due_before_horizon(a, now);

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
