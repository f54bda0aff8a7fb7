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
    struct own *client;
    _Atomic uint64_t taken;
    pthread_mutex_t lock;     /* the queue */
    struct arrival_queue due; /* for counting due ones; no horizon, no limit */
};

struct aligned *aligned_new(const struct aligned_spec *spec)
{
    struct aligned *a = mem_alloc(sizeof *a);

    assert(spec->arrivals.shape == ARRIVAL_ALIGNED && spec->horizon <= ARRIVALS_FAR);
    a->spec = *spec;
    a->client = mem_array((size_t)spec->arrivals.clients, sizeof *a->client);
    for (int i = 0; i < spec->arrivals.clients; i++)
        atomic_init(&a->client[i].extra, MONO_NEVER);
    pthread_mutex_init(&a->lock, NULL);
    arrival_queue_init(&a->due, &spec->arrivals, ARRIVALS_FAR, 0);
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
    uint64_t k = j * (uint64_t)a->spec.arrivals.clients + (uint64_t)client;
    struct ticket t = {.k = k, .base = arrivals_aligned(&a->spec.arrivals, k)};

    t.planned = arrival_queue_planned(&a->due, t.base, k);
    return t;
}

/* Of the limit for all clients, the first who ask get some. */
static bool claim(struct aligned *a)
{
    if (atomic_fetch_add(&a->taken, 1) < a->spec.max_tickets || !a->spec.max_tickets)
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
    struct ticket next;
    uint64_t n;

    pthread_mutex_lock(&a->lock);
    while (arrival_queue_peek(&a->due, &next) && next.planned <= until)
        arrival_queue_pop(&a->due);
    n = a->due.left;
    pthread_mutex_unlock(&a->lock);
    return n;
}

uint64_t aligned_due(struct aligned *a, dur_ns now)
{
    uint64_t n = due_before_horizon(a, now);

    for (int i = 0; now >= a->spec.horizon && i < a->spec.arrivals.clients; i++)
        n += atomic_load(&a->client[i].extra) <= now;
    return a->spec.max_tickets && n > a->spec.max_tickets ? a->spec.max_tickets : n;
}

uint64_t aligned_taken(const struct aligned *a)
{
    return atomic_load(&((struct aligned *)(uintptr_t)a)->taken);
}

dur_ns aligned_next_planned(const struct aligned *a)
{
    dur_ns first = MONO_NEVER;

    if (a->spec.max_tickets && aligned_taken(a) >= a->spec.max_tickets)
        return MONO_NEVER;
    for (int i = 0; i < a->spec.arrivals.clients; i++) {
        uint64_t j = atomic_load_explicit(&a->client[i].next, memory_order_relaxed);
        dur_ns planned = start(a, i, j).planned;
        first = planned < first ? planned : first;
    }
    return first < a->spec.horizon ? first : MONO_NEVER;
}
