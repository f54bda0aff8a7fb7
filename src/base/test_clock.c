/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See test_clock.h.  `running` names the one thread that may run; that thread names the next one in
 * hand_over().  Only the running thread touches everything else; it does so under the lock all the
 * same, so that sanitizers see the order of the accesses.
 */
#include "base/test_clock.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

enum held_state { HELD_READY, HELD_ASLEEP, HELD_JOINING, HELD_ENDED };

struct held_thread {
    struct held_clock *clock;
    struct held_thread *next;
    pthread_cond_t turn;
    pthread_t id;
    enum held_state state;
    uint64_t order; /* when it fell asleep, or became ready without having slept */
    uint64_t woken; /* when it became ready */
    mono_ns until;
    _Atomic uint32_t *word;
    uint32_t expect;
    const struct held_thread *joins;
    void *(*fn)(void *);
    void *arg;
};

struct held_clock {
    struct clock clock; /* first: a struct clock is one of these */
    pthread_mutex_t lock;
    _Atomic mono_ns now;
    struct held_thread *all, *running;
    uint64_t order;
};

static struct held_clock *held_of(struct clock *c)
{
    return (struct held_clock *)c;
}

static void set(struct held_thread *t, enum held_state state)
{
    t->state = state;
    t->order = t->woken = t->clock->order++;
}

/* --- the next thread --- */

/* True when `a` comes before `b`; both are asleep or both are ready. */
static bool before(const struct held_thread *a, const struct held_thread *b)
{
    if (a->state == HELD_ASLEEP && a->until != b->until)
        return a->until < b->until;
    if (a->state == HELD_READY && a->woken != b->woken)
        return a->woken < b->woken;
    return a->order < b->order;
}

static struct held_thread *first(const struct held_clock *h, enum held_state state)
{
    struct held_thread *best = NULL;

    for (struct held_thread *t = h->all; t; t = t->next)
        if (t->state == state && (!best || before(t, best)))
            best = t;
    return best;
}

static struct held_thread *choose(struct held_clock *h)
{
    struct held_thread *t = first(h, HELD_READY);

    if (t)
        return t;
    t = first(h, HELD_ASLEEP);
    if (!t || t->until == MONO_NEVER) {
        fprintf(stderr, "held clock: every thread sleeps for ever\n");
        abort();
    }
    if (t->until > atomic_load(&h->now))
        atomic_store(&h->now, t->until);
    return t;
}

static void await_turn(struct held_thread *t)
{
    while (t->clock->running != t)
        pthread_cond_wait(&t->turn, &t->clock->lock);
}

/* Call it with the lock held and the caller's state set.  Returns when it is the caller's turn
 * again. */
static void hand_over(struct held_thread *t)
{
    struct held_clock *h = t->clock;

    h->running = choose(h);
    if (h->running != t)
        pthread_cond_signal(&h->running->turn);
    if (t->state == HELD_ENDED)
        return;
    await_turn(t);
    t->state = HELD_READY;
}

/* --- the clock --- */

static mono_ns now(struct clock *c)
{
    return atomic_load(&held_of(c)->now);
}

/* True: until the instant; false: the word changed. */
static bool sleep_until(struct clock *c, mono_ns until, _Atomic uint32_t *word, uint32_t expect)
{
    struct held_clock *h = held_of(c);
    struct held_thread *t = h->running;
    bool same = true, over = until <= now(c);

    pthread_mutex_lock(&h->lock);
    while ((same = atomic_load(word) == expect) && !over) {
        t->until = until;
        t->word = word;
        t->expect = expect;
        set(t, HELD_ASLEEP);
        hand_over(t);
        over = now(c) >= until;
        if (over)
            break;
    }
    t->word = NULL;
    pthread_mutex_unlock(&h->lock);
    return same;
}

static void wake(struct clock *c, _Atomic uint32_t *word)
{
    struct held_clock *h = held_of(c);

    pthread_mutex_lock(&h->lock);
    for (struct held_thread *t = h->all; t; t = t->next)
        if (t->state == HELD_ASLEEP && t->word == word && atomic_load(word) != t->expect) {
            t->state = HELD_READY;
            t->woken = h->order;
        }
    h->order++;
    pthread_mutex_unlock(&h->lock);
}

static void spin(struct clock *c, mono_ns until)
{
    _Atomic uint32_t word = 0;
    mono_ns turn = now(c) + HELD_CLOCK_SPIN;

    sleep_until(c, turn < until ? turn : until, &word, 0);
}

/* --- threads --- */

static struct held_thread *add_thread(struct held_clock *h)
{
    struct held_thread *t = mem_alloc(sizeof *t);

    t->clock = h;
    pthread_cond_init(&t->turn, NULL);
    t->next = h->all;
    h->all = t;
    set(t, HELD_READY);
    return t;
}

static void *held_thread(void *arg)
{
    struct held_thread *t = arg;
    struct held_clock *h = t->clock;
    void *result;

    pthread_mutex_lock(&h->lock);
    await_turn(t);
    pthread_mutex_unlock(&h->lock);
    result = t->fn(t->arg);
    pthread_mutex_lock(&h->lock);
    set(t, HELD_ENDED);
    for (struct held_thread *other = h->all; other; other = other->next)
        if (other->state == HELD_JOINING && other->joins == t)
            set(other, HELD_READY);
    hand_over(t);
    pthread_mutex_unlock(&h->lock);
    return result;
}

static int thread_create(struct clock *c, pthread_t *thread, const pthread_attr_t *attr,
                         void *(*fn)(void *), void *arg)
{
    struct held_clock *h = held_of(c);
    struct held_thread *t;
    int rc;

    pthread_mutex_lock(&h->lock);
    t = add_thread(h);
    t->fn = fn;
    t->arg = arg;
    rc = pthread_create(&t->id, attr, held_thread, t);
    if (rc)
        t->state = HELD_ENDED;
    else
        *thread = t->id;
    pthread_mutex_unlock(&h->lock);
    return rc;
}

static void remove_thread(struct held_clock *h, const struct held_thread *t)
{
    struct held_thread **at = &h->all;

    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
}

/* Takes the latest thread with that id: the system reuses the id of a detached thread. */
static int thread_join(struct clock *c, pthread_t thread)
{
    struct held_clock *h = held_of(c);
    struct held_thread *t = h->all, *me = h->running;
    int rc;

    pthread_mutex_lock(&h->lock);
    while (!t->fn || !pthread_equal(t->id, thread))
        t = t->next;
    if (t->state != HELD_ENDED) {
        me->joins = t;
        set(me, HELD_JOINING);
        hand_over(me);
    }
    remove_thread(h, t);
    pthread_mutex_unlock(&h->lock);
    rc = pthread_join(thread, NULL);
    pthread_cond_destroy(&t->turn);
    free(t);
    return rc;
}

/* --- for tests --- */

struct held_clock *held_clock_new(void)
{
    struct held_clock *h = mem_alloc(sizeof *h);

    h->clock = (struct clock){.now = now,
                              .sleep_until = sleep_until,
                              .wake = wake,
                              .spin = spin,
                              .thread_create = thread_create,
                              .thread_join = thread_join,
                              .wall_ahead = HELD_CLOCK_AHEAD,
                              .held = true};
    pthread_mutex_init(&h->lock, NULL);
    atomic_init(&h->now, HELD_CLOCK_START);
    h->running = add_thread(h);
    return h;
}

static bool all_ended(const struct held_clock *h)
{
    for (const struct held_thread *t = h->all; t; t = t->next)
        if (t != h->running && t->state != HELD_ENDED)
            return false;
    return true;
}

void held_clock_free(struct held_clock *h)
{
    struct held_thread *t, *next;
    bool ended;

    pthread_mutex_lock(&h->lock);
    ended = all_ended(h);
    for (t = ended ? h->all : NULL; t; t = next) {
        next = t->next;
        pthread_cond_destroy(&t->turn);
        free(t);
    }
    pthread_mutex_unlock(&h->lock);
    if (!ended)
        return;
    pthread_mutex_destroy(&h->lock);
    free(h);
}

struct clock *held_clock(struct held_clock *h)
{
    return &h->clock;
}

void held_clock_sleep(struct held_clock *h, dur_ns d)
{
    _Atomic uint32_t word = 0;

    sleep_until(&h->clock, now(&h->clock) + d, &word, 0);
}

void held_clock_stall(struct held_clock *h, dur_ns d)
{
    atomic_fetch_add(&h->now, d);
}
