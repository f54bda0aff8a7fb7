/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See cluster_clock.h.
 *
 * seq_note: `seq` is odd while the map changes.  A reader takes the sequence, the time and the map,
 * and begins anew when the sequence has changed.  The writer reads the time at which the new map
 * begins after it made the sequence odd; so whoever used the old map read an earlier time, and no
 * two readings, of whatever threads, contradict each other.
 */
#include "cluster/cluster_clock.h"

#include <ck_pr.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cluster/clock_map.h"

struct cluster_clock {
    struct clock clock; /* first: a struct clock is one of these */
    CACHE_ALIGNED _Atomic uint32_t seq;
    _Atomic mono_ns own, theirs, turn, theirs_at_turn;
    _Atomic double rate, settled;
};

static struct cluster_clock *of(struct clock *c)
{
    return (struct cluster_clock *)c;
}

#define GET(x)    atomic_load_explicit(&(x), memory_order_acquire)
#define SET(x, v) atomic_store_explicit(&(x), v, memory_order_release)

static struct clock_map load(struct cluster_clock *k)
{
    return (struct clock_map){.own = GET(k->own),
                              .theirs = GET(k->theirs),
                              .rate = GET(k->rate),
                              .turn = GET(k->turn),
                              .theirs_at_turn = GET(k->theirs_at_turn),
                              .settled = GET(k->settled)};
}

static void store(struct cluster_clock *k, const struct clock_map *m)
{
    SET(k->own, m->own);
    SET(k->theirs, m->theirs);
    SET(k->rate, m->rate);
    SET(k->turn, m->turn);
    SET(k->theirs_at_turn, m->theirs_at_turn);
    SET(k->settled, m->settled);
}

/* A map and the time, which belong together. */
static struct clock_map take(struct cluster_clock *k, mono_ns *own)
{
    for (int turns = 1;; turns++) {
        uint32_t seq = GET(k->seq);
        struct clock_map m;

        *own = clock_mono();
        m = load(k);
        if (!(seq & 1) && atomic_load_explicit(&k->seq, memory_order_relaxed) == seq)
            return m;
        if (turns % 64 == 0)
            sched_yield(); /* the writer lost its CPU */
        ck_pr_stall();
    }
}

static mono_ns now(struct clock *c)
{
    mono_ns own;
    struct clock_map m = take(of(c), &own);

    return clock_map_at(&m, own);
}

/* wake_note: the map may be steered during a sleep.  A long one ends early and is continued, so
 * that it is late by no more than what steering does to the last LAST_PART. */
#define LAST_PART (NS_PER_SEC / 10)

static mono_ns wake_at(struct clock *c, mono_ns until)
{
    mono_ns own, wake;
    struct clock_map m;

    if (until == MONO_NEVER)
        return MONO_NEVER;
    m = take(of(c), &own);
    wake = clock_map_own(&m, until);
    return wake - own > 5 * LAST_PART ? wake - LAST_PART : wake;
}

static bool sleep_until(struct clock *c, mono_ns until, _Atomic uint32_t *word, uint32_t expect)
{
    do
        if (!clock_sleep_until(wake_at(c, until), word, expect))
            return false;
    while (now(c) < until);
    return true;
}

static void wake(struct clock *c, _Atomic uint32_t *word)
{
    (void)c;
    clock_wake(word);
}

static void spin(struct clock *c, mono_ns until)
{
    (void)c, (void)until;
    ck_pr_stall();
}

static int thread_create(struct clock *c, pthread_t *thread, const pthread_attr_t *attr,
                         void *(*fn)(void *), void *arg)
{
    (void)c;
    return pthread_create(thread, attr, fn, arg);
}

static int thread_join(struct clock *c, pthread_t thread)
{
    (void)c;
    return pthread_join(thread, NULL);
}

struct cluster_clock *cluster_clock_new(dur_ns offset, double drift)
{
    struct cluster_clock *k = mem_array_aligned(1, sizeof *k);
    mono_ns own = clock_mono();
    struct clock_map m = clock_map_make(own, offset, drift);

    k->clock = (struct clock){.now = now,
                              .sleep_until = sleep_until,
                              .wake_at = wake_at,
                              .wake = wake,
                              .spin = spin,
                              .thread_create = thread_create,
                              .thread_join = thread_join,
                              .wall_ahead = clock_wall_at(own) - m.theirs};
    store(k, &m);
    return k;
}

void cluster_clock_free(struct cluster_clock *k)
{
    free(k);
}

struct clock *cluster_clock_of(struct cluster_clock *k)
{
    return &k->clock;
}

void cluster_clock_steer(struct cluster_clock *k, mono_ns own, dur_ns offset, double drift)
{
    struct clock_map m = load(k);
    mono_ns begin;

    atomic_exchange(&k->seq, atomic_load(&k->seq) + 1);
    begin = clock_mono();
    clock_map_steer(&m, begin, offset + (dur_ns)llround(drift * (double)(begin - own)), drift);
    store(k, &m);
    SET(k->seq, atomic_load(&k->seq) + 1);
}

mono_ns cluster_clock_at(struct cluster_clock *k, mono_ns own)
{
    mono_ns present;
    struct clock_map m = take(k, &present);

    return clock_map_at(&m, own);
}
