/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See outages_join.h.
 */
#include "stats/outages_join.h"

#include <string.h>

static mono_ns later(mono_ns a, mono_ns b)
{
    return a > b ? a : b;
}

/* An instant that is 0 as long as it has not come: it has when it has for both. */
static mono_ns both(mono_ns a, mono_ns b)
{
    return a && b ? later(a, b) : 0;
}

static mono_ns end_of(mono_ns instant)
{
    return instant ? instant : MONO_NEVER;
}

static void join_silence(struct outage *a, const struct outage *b)
{
    mono_ns from = later(a->silent_from, b->silent_from);
    mono_ns a_end = end_of(a->success), b_end = end_of(b->success);
    mono_ns end = a_end < b_end ? a_end : b_end;

    if (from < end) {
        a->silent_from = from;
        a->success = end == MONO_NEVER ? 0 : end;
    } else if (b_end - b->silent_from > a_end - a->silent_from) {
        a->silent_from = b->silent_from;
        a->success = b->success;
    }
}

static void add_counts(struct outage_counts *a, const struct outage_counts *b)
{
    a->offered += b->offered;
    a->done += b->done;
    a->failed += b->failed;
    a->dropped += b->dropped;
    a->late += b->late;
}

/* Connections that were lost at only one of them are back when they are there. */
static mono_ns join_connected(const struct outage *a, const struct outage *b)
{
    if (!a->lost || !b->lost)
        return a->lost ? a->connected : b->connected;
    return both(a->connected, b->connected);
}

static void join(struct outage *a, const struct outage *b)
{
    join_silence(a, b);
    a->connected = join_connected(a, b);
    a->first_error = a->first_error < b->first_error ? a->first_error : b->first_error;
    a->last_error = later(a->last_error, b->last_error);
    a->drained = both(a->drained, b->drained);
    a->over = both(a->over, b->over);
    a->errors += b->errors;
    a->lost += b->lost;
    a->in_time = later(a->in_time, b->in_time);
    add_counts(&a->before, &b->before);
    add_counts(&a->after, &b->after);
}

static bool overlap(const struct outage *a, const struct outage *b)
{
    const struct outage *first = a->first_error <= b->first_error ? a : b;
    const struct outage *second = first == a ? b : a;

    return !first->over || second->first_error - first->over <= OUTAGE_MERGE;
}

/* Into its place; false: there is no room. */
static bool insert(struct outage row[OUTAGES_MAX], size_t n, const struct outage *o)
{
    size_t at = n;

    if (n == OUTAGES_MAX)
        return false;
    while (at > 0 && row[at - 1].first_error > o->first_error)
        at--;
    memmove(&row[at + 1], &row[at], (n - at) * sizeof *row);
    row[at] = *o;
    return true;
}

static void remove_row(struct outage *row, size_t n, size_t at)
{
    memmove(&row[at], &row[at + 1], (n - at - 1) * sizeof *row);
}

size_t outages_join(struct outage row[OUTAGES_MAX], size_t n, const struct outage *more,
                    size_t nmore, size_t *beyond)
{
    for (size_t m = 0; m < nmore; m++) {
        struct outage o = more[m];
        for (size_t i = 0; i < n;) { /* it may connect several */
            if (!overlap(&row[i], &o)) {
                i++;
                continue;
            }
            join(&o, &row[i]);
            remove_row(row, n--, i);
        }
        if (insert(row, n, &o))
            n++;
        else
            ++*beyond;
    }
    return n;
}
