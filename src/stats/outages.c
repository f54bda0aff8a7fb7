/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See outages.h.
 *
 * watch_note: while an outage is not over, a success takes the lock only if it may change the
 * state: when it ends the longest silence so far, or is the first one that began in time.  After
 * it, successes only read two instants, to know which histogram they belong to.
 */
#include "stats/outages.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/record.h"

struct outages {
    _Atomic bool seen;     /* first: outages_seen() */
    _Atomic bool watching; /* one is not over */
    _Atomic int64_t last_success;
    _Atomic int64_t longest; /* silence of the outage that is watched */
    _Atomic int64_t in_time; /* its limit of lateness; -1: a start in time has been seen */
    /* bounds of the last one; end 0: not over */
    _Atomic int64_t begin, end;
    struct hist *during, *after;

    outage_count *count;
    void *arg;
    pthread_mutex_t lock; /* of all that follows */
    struct outage row[OUTAGES_MAX];
    struct outage further; /* the last of those that have no row */
    size_t n;              /* of all */
    /* connections that are lost now, the sum of all clients'; some perhaps since a warm-up */
    _Atomic unsigned away;
};

#define LOAD(p)     atomic_load_explicit(&(p), memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(&(p), (v), memory_order_relaxed)

struct outages *outages_new(outage_count *count, void *arg)
{
    struct outages *o = mem_alloc(sizeof *o);

    o->count = count;
    o->arg = arg;
    pthread_mutex_init(&o->lock, NULL);
    return o;
}

void outages_free(struct outages *o)
{
    if (!o)
        return;
    pthread_mutex_destroy(&o->lock);
    free(o->during);
    free(o->after);
    free(o);
}

static struct outage *last(struct outages *o)
{
    if (o->n == 0)
        return NULL;
    return o->n > OUTAGES_MAX ? &o->further : &o->row[o->n - 1];
}

static void watch(struct outages *o, const struct outage *w)
{
    STORE(o->longest, w->success ? w->success - w->silent_from : -1);
    STORE(o->in_time, w->drained ? -1 : w->in_time);
    STORE(o->end, 0);
    STORE(o->watching, true);
}

static void open_row(struct outages *o, mono_ns now)
{
    o->n++;
    struct outage *w = last(o);
    *w =
        (struct outage){.first_error = now, .last_error = now, .silent_from = now, .lost = o->away};
    o->count(o->arg, now, &w->before, &w->in_time);
    if (!o->during) {
        o->during = mem_alloc(sizeof *o->during);
        o->after = mem_alloc(sizeof *o->after);
    }
    STORE(o->begin, now);
    STORE(o->last_success, now);
    watch(o, w);
    atomic_store_explicit(&o->seen, true, memory_order_release);
}

/* The client has not touched its connection since before the end of the last outage: that is when
 * the connection died. */
static bool found_late(const struct outage *w, bool lost, mono_ns idle_since)
{
    return w && w->over && lost && w->lost > 0 && idle_since <= w->over;
}

void outages_error(struct outages *o, mono_ns now, bool lost, mono_ns idle_since)
{
    pthread_mutex_lock(&o->lock);
    struct outage *w = last(o);
    if (!w || (w->over && now - w->over > OUTAGE_MERGE && !found_late(w, lost, idle_since)))
        open_row(o, now);
    else if (w->over &&
             !found_late(w, lost, idle_since)) { /* successes between its end and now were not
                                                    watched: the silence begins now */
        w->over = w->drained = 0;
        STORE(o->last_success, now);
        watch(o, w);
    }
    w = last(o);
    w->errors++;
    w->last_error = now > w->last_error ? now : w->last_error;
    w->lost += lost;
    o->away += lost;
    if (lost && !w->over)
        w->connected = 0;
    pthread_mutex_unlock(&o->lock);
}

void outages_lost(struct outages *o)
{
    pthread_mutex_lock(&o->lock);
    o->away++;
    pthread_mutex_unlock(&o->lock);
}

static mono_ns later(mono_ns a, mono_ns b)
{
    return a > b ? a : b;
}

/* Is it over now? */
static void settle(struct outages *o, struct outage *w, mono_ns now)
{
    if (w->over || !w->success || !w->drained || o->away > 0)
        return;
    w->over = later(later(w->success, w->drained), w->connected);
    o->count(o->arg, now, &w->after, NULL);
    STORE(o->end, w->over);
    STORE(o->watching, false);
}

void outages_connected(struct outages *o, mono_ns now)
{
    pthread_mutex_lock(&o->lock);
    struct outage *w = last(o);
    if (o->away > 0 && --o->away == 0 && w && !w->over) {
        w->connected = now;
        settle(o, w, now);
    }
    pthread_mutex_unlock(&o->lock);
}

void outages_success(struct outages *o, mono_ns planned, mono_ns begun, mono_ns ended)
{
    dur_ns lag = begun - planned;

    if (LOAD(o->watching)) {
        mono_ns from = atomic_exchange_explicit(&o->last_success, ended, memory_order_relaxed);
        if (ended - from > LOAD(o->longest) || lag <= LOAD(o->in_time)) {
            /* See watch_note. */
            pthread_mutex_lock(&o->lock);
            struct outage *w = last(o);
            if (!w->over && ended > w->first_error &&
                (!w->success || ended - from > w->success - w->silent_from)) {
                w->silent_from = from;
                w->success = ended;
                w->drained = 0;
                STORE(o->longest, ended - from);
                STORE(o->in_time, w->in_time);
            }
            if (!w->over && w->success && !w->drained && begun >= w->success &&
                begun > w->last_error && lag <= w->in_time) {
                w->drained = begun;
                STORE(o->in_time, -1);
            }
            settle(o, w, ended);
            pthread_mutex_unlock(&o->lock);
        }
    }
    /* a transaction that was in flight when the outage began was hit by it */
    mono_ns begin = LOAD(o->begin);
    mono_ns end = LOAD(o->end);
    if (end && planned >= end)
        hist_record_shared(o->after, ended - planned);
    else if (ended >= begin)
        hist_record_shared(o->during, ended - planned);
    else if (begin > o->row[0].first_error)
        hist_record_shared(o->after, ended - planned);
}

size_t outages_read(struct outages *o, mono_ns now, struct outage out[OUTAGES_MAX], size_t *more,
                    unsigned *away)
{
    pthread_mutex_lock(&o->lock);
    size_t n = o->n < OUTAGES_MAX ? o->n : OUTAGES_MAX;
    for (size_t i = 0; i < n; i++)
        out[i] = o->row[i];
    struct outage *w = n > 0 && n == o->n ? &out[n - 1] : NULL;
    mono_ns from = LOAD(o->last_success);
    /* the server is away at the end, for longer than ever: no success has ended that */
    if (w && !w->over && w->success && w->last_error > from &&
        now - from > w->success - w->silent_from) {
        w->silent_from = from;
        w->success = w->drained = 0;
    }
    *more = o->n - n;
    *away = o->away;
    pthread_mutex_unlock(&o->lock);
    return n;
}

unsigned outages_away(struct outages *o)
{
    return o->away;
}

void outages_latencies(struct outages *o, struct hist_counts *during, struct hist_counts *after)
{
    if (!outages_seen(o))
        return;
    hist_counts_add(during, o->during);
    hist_counts_add(after, o->after);
}

/* --- of several load hosts --- */

/* An instant that is 0 as long as it has not come: it has when it has for both. */
static mono_ns both(mono_ns a, mono_ns b)
{
    return a && b ? later(a, b) : 0;
}

#define FIELD(member, rule)                                                                        \
    {                                                                                              \
        RECORD_AT(struct outage, member), .name = #member, .merge = RECORD_##rule                  \
    }

static const struct record_field outage_fields[] = {
    FIELD(first_error, LEAST), FIELD(last_error, MOST),    FIELD(silent_from, NONE),
    FIELD(success, NONE),      FIELD(connected, NONE),     FIELD(drained, NONE),
    FIELD(over, NONE),         FIELD(in_time, MOST),       FIELD(errors, SUM),
    FIELD(lost, SUM),          FIELD(before.offered, SUM), FIELD(before.done, SUM),
    FIELD(before.failed, SUM), FIELD(before.dropped, SUM), FIELD(before.late, SUM),
    FIELD(after.offered, SUM), FIELD(after.done, SUM),     FIELD(after.failed, SUM),
    FIELD(after.dropped, SUM), FIELD(after.late, SUM),
};
const struct record outage_record = RECORD("outage", outage_fields);

size_t outages_join(struct outage row[OUTAGES_MAX], size_t n, const struct outage *more,
                    size_t nmore, size_t *beyond)
{
    for (size_t m = 0; m < nmore; m++) {
        struct outage o = more[m];
        for (size_t i = 0; i < n;) { /* it may connect several */
            const struct outage *first = row[i].first_error <= o.first_error ? &row[i] : &o;
            const struct outage *second = first == &o ? &row[i] : &o;
            if (first->over && second->first_error - first->over > OUTAGE_MERGE) {
                i++;
                continue;
            }
            mono_ns from = later(o.silent_from, row[i].silent_from);
            mono_ns a_end = o.success ? o.success : MONO_NEVER;
            mono_ns b_end = row[i].success ? row[i].success : MONO_NEVER;
            mono_ns end = a_end < b_end ? a_end : b_end;
            if (from < end) {
                o.silent_from = from;
                o.success = end == MONO_NEVER ? 0 : end;
            } else if (b_end - row[i].silent_from > a_end - o.silent_from) {
                o.silent_from = row[i].silent_from;
                o.success = row[i].success;
            }
            /* connections that were lost at only one of them are back when they are there */
            if (o.lost && row[i].lost)
                o.connected = both(o.connected, row[i].connected);
            else if (row[i].lost || !o.lost)
                o.connected = row[i].connected;
            o.drained = both(o.drained, row[i].drained);
            o.over = both(o.over, row[i].over);
            record_merge(&outage_record, &o, &row[i]);
            memmove(&row[i], &row[i + 1], (n - i - 1) * sizeof *row);
            n--;
        }
        if (n == OUTAGES_MAX) {
            ++*beyond;
            continue;
        }
        size_t at = n;
        while (at > 0 && row[at - 1].first_error > o.first_error)
            at--;
        memmove(&row[at + 1], &row[at], (n - at) * sizeof *row);
        row[at] = o;
        n++;
    }
    return n;
}
