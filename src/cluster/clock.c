/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See clock.h.
 */
#include "cluster/clock.h"

#include <ck_pr.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "base/mem.h"

/* --- skew --- */

static dur_ns width(const struct skew_sample *b)
{
    return b->high - b->low;
}

void skew_add(struct skew *s, mono_ns sent, mono_ns received, mono_ns answered, mono_ns back)
{
    struct skew_sample *last = &s->sample[(s->next + SKEW_SAMPLES - 1) % SKEW_SAMPLES];
    struct skew_sample b = {
        .at = sent + (back - sent) / 2, .low = answered - back, .high = received - sent};

    if (back < sent || answered < received || b.high < b.low)
        return; /* no clock says that */
    s->taken++;
    if (s->n) {
        /* No drift that a clock can have leads from one to the other: a host slept, or its clock
         * was set.  What was before says nothing about now. */
        double most = SKEW_DRIFT_MAX * (double)llabs(b.at - last->at);

        if ((double)(b.low - last->high) > most || (double)(last->low - b.high) > most)
            s->n = s->next = 0;
    }
    /* of each stretch of time the narrowest is kept */
    if (s->n && b.at / SKEW_SPACING == last->at / SKEW_SPACING) {
        if (width(&b) <= width(last))
            *last = b;
        return;
    }
    s->sample[s->next] = b;
    s->next = (s->next + 1) % SKEW_SAMPLES;
    if (s->n < SKEW_SAMPLES)
        s->n++;
}

/* Both bounds, between `low` and `high`; contradicting bounds change places. */
struct range {
    double low, high;
};

static void narrow(struct range *r, double low, double high)
{
    r->low = fmax(r->low, low);
    r->high = fmin(r->high, high);
}

static struct range in_order(struct range r)
{
    return r.low <= r.high ? r : (struct range){r.high, r.low};
}

static void bind_drift(struct range *r, const struct skew_sample *a, const struct skew_sample *b)
{
    double apart = (double)(b->at - a->at);

    if (apart > 0)
        narrow(r, (double)(b->low - a->high) / apart, (double)(b->high - a->low) / apart);
    else if (apart < 0)
        bind_drift(r, b, a);
}

bool skew_at(const struct skew *s, mono_ns now, struct skew_estimate *out)
{
    struct range drift = {-SKEW_DRIFT_MAX, SKEW_DRIFT_MAX}, offset = {-INFINITY, INFINITY};
    const struct skew_sample *best = s->sample;

    if (!s->n)
        return false;
    for (size_t i = 0; i < s->n; i++) {
        if (width(&s->sample[i]) < width(best))
            best = &s->sample[i];
        for (size_t j = 0; j < i; j++)
            bind_drift(&drift, &s->sample[i], &s->sample[j]);
    }
    drift = in_order(drift);
    drift.low = fmin(fmax(drift.low, -SKEW_DRIFT_MAX), SKEW_DRIFT_MAX);
    drift.high = fmin(fmax(drift.high, -SKEW_DRIFT_MAX), SKEW_DRIFT_MAX);
    out->drift = (drift.low + drift.high) / 2;
    out->drift_error = (drift.high - drift.low) / 2;
    out->round_trip = width(best);
    /* offsets are compared as differences from that of one sample: those are small */
    dur_ns base = best->low;
    for (size_t i = 0; i < s->n; i++) {
        const struct skew_sample *b = &s->sample[i];
        double age = (double)(now - b->at), grown = out->drift * age;
        double doubt = out->drift_error * fabs(age);

        narrow(&offset, (double)(b->low - base) + grown - doubt,
               (double)(b->high - base) + grown + doubt);
    }
    offset = in_order(offset);
    out->offset = base + (dur_ns)llround((offset.low + offset.high) / 2);
    out->uncertainty = (dur_ns)ceil((offset.high - offset.low) / 2) + 1;
    return true;
}

/* --- map --- */

static mono_ns along(mono_ns theirs, dur_ns passed, double rate)
{
    return theirs + passed + (dur_ns)llround((double)passed * rate);
}

static dur_ns needed(dur_ns wanted, double rate)
{
    return wanted - (dur_ns)llround((double)wanted * (rate / (1 + rate)));
}

struct clock_map clock_map_make(mono_ns own, dur_ns offset, double drift)
{
    return (struct clock_map){own, own + offset, drift, own, own + offset, drift};
}

mono_ns clock_map_at(const struct clock_map *m, mono_ns own)
{
    return own < m->turn ? along(m->theirs, own - m->own, m->rate)
                         : along(m->theirs_at_turn, own - m->turn, m->settled);
}

mono_ns clock_map_own(const struct clock_map *m, mono_ns theirs)
{
    mono_ns own = theirs < m->theirs_at_turn
                      ? m->own + needed(theirs - m->theirs, m->rate)
                      : m->turn + needed(theirs - m->theirs_at_turn, m->settled);

    while (clock_map_at(m, own) < theirs)
        own++;
    while (clock_map_at(m, own - 1) >= theirs)
        own--;
    return own;
}

/* An error so large that it is never made good would have its end beyond all time. */
#define FARTHEST 1e18

void clock_map_steer(struct clock_map *m, mono_ns own, dur_ns offset, double drift)
{
    mono_ns theirs = clock_map_at(m, own);
    double error = (double)(own + offset - theirs), slew = error / (double)CLOCK_MAP_HORIZON;

    slew = fmin(fmax(slew, -CLOCK_MAP_SLEW), CLOCK_MAP_SLEW);
    m->own = own;
    m->theirs = theirs;
    m->rate = drift + slew;
    m->settled = drift;
    m->turn = own + (slew == 0 ? 0 : (dur_ns)llround(fmin(error / slew, FARTHEST)));
    m->theirs_at_turn = along(theirs, m->turn - own, m->rate);
}

/* --- clock --- */

/* `seq` is odd while the map changes.  A reader takes the sequence, the time and the map, and
 * begins anew when the sequence has changed.  The writer reads the time at which the new map begins
 * after it made the sequence odd; so whoever used the old map read an earlier time, and no two
 * readings, of whatever threads, contradict each other. */
struct cluster_clock {
    struct clock clock; /* first: a struct clock is one of these */
    CACHE_ALIGNED _Atomic uint32_t seq;
    _Atomic mono_ns own, theirs, turn, theirs_at_turn;
    _Atomic double rate, settled;
};

#define GET(x)    atomic_load_explicit(&(x), memory_order_acquire)
#define SET(x, v) atomic_store_explicit(&(x), v, memory_order_release)

static struct clock_map load(struct cluster_clock *k)
{
    return (struct clock_map){GET(k->own),  GET(k->theirs),         GET(k->rate),
                              GET(k->turn), GET(k->theirs_at_turn), GET(k->settled)};
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

        *own = clock_mono();
        struct clock_map m = load(k);
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
    struct clock_map m = take((struct cluster_clock *)c, &own);

    return clock_map_at(&m, own);
}

/* The map may be steered during a sleep.  A long one ends early and is continued, so that it is
 * late by no more than what steering does to the last LAST_PART. */
#define LAST_PART (NS_PER_SEC / 10)

static mono_ns wake_at(struct clock *c, mono_ns until)
{
    mono_ns own;

    if (until == MONO_NEVER)
        return MONO_NEVER;
    struct clock_map m = take((struct cluster_clock *)c, &own);
    mono_ns wake = clock_map_own(&m, until);
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

static void spin(struct clock *c, mono_ns until)
{
    (void)c, (void)until;
    ck_pr_stall();
}

struct cluster_clock *cluster_clock_new(dur_ns offset, double drift)
{
    struct cluster_clock *k = mem_array_aligned(1, sizeof *k);
    mono_ns own = clock_mono();
    struct clock_map m = clock_map_make(own, offset, drift);

    k->clock = (struct clock){.now = now,
                              .sleep_until = sleep_until,
                              .wake_at = wake_at,
                              .spin = spin,
                              .wall_ahead = clock_wall_at(own) - m.theirs};
    store(k, &m);
    return k;
}

/* The one variable of this file that is not part of a clock: so that what was retired can still be
 * found, by abandoned threads and by whoever looks for leaks. */
static struct cluster_clock *_Atomic retired;

void cluster_clock_retire(struct cluster_clock *k)
{
    if (k)
        free(atomic_exchange(&retired, k));
}

void cluster_clock_steer(struct cluster_clock *k, mono_ns own, dur_ns offset, double drift)
{
    struct clock_map m = load(k);

    atomic_exchange(&k->seq, atomic_load(&k->seq) + 1);
    mono_ns begin = clock_mono();
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
