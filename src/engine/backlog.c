/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See backlog.h.
 */
#include "engine/backlog.h"

#include <math.h>
#include <string.h>

#define SHORTEST (20 * NS_PER_MS) /* a step: fewer points than that would cost nothing less */

void backlog_begin(struct backlog *b, dur_ns length)
{
    memset(b, 0, sizeof *b);
    b->n = 1;
    b->step = length / (BACKLOG_POINTS / 2);
    if (length == 0 || b->step > NS_PER_SEC)
        b->step = NS_PER_SEC;
    if (b->step < SHORTEST)
        b->step = SHORTEST;
}

void backlog_add(struct backlog *b, const struct backlog_point *p)
{
    if (b->n == BACKLOG_POINTS) {
        for (size_t i = 1; 2 * i < BACKLOG_POINTS; i++)
            b->p[i] = b->p[2 * i];
        b->n = BACKLOG_POINTS / 2;
        b->step *= 2;
    }
    b->p[b->n++] = *p;
}

/* The points of [from, to]: first <= i < end. */
static void within(const struct backlog *b, dur_ns from, dur_ns to, size_t *first, size_t *end)
{
    for (*first = 0; *first + 1 < b->n && b->p[*first].at < from;)
        ++*first;
    for (*end = b->n; *end > *first + 1 && b->p[*end - 1].at > to;)
        --*end;
}

void backlog_service(const struct backlog *b, dur_ns from, dur_ns to, double *least, double *most)
{
    size_t first, end;

    *least = *most = NAN;
    within(b, from, to, &first, &end);
    uint64_t all = b->p[end - 1].done - b->p[first].done;
    uint64_t need = all / 8 > 20 ? all / 8 : all < 20 ? all : 20;
    for (size_t i = first, k = first; all && k < end; i++) {
        while (k < end && b->p[k].done - b->p[i].done < need)
            k++;
        if (k < end) {
            double mean =
                (b->p[k].service - b->p[i].service) / (double)(b->p[k].done - b->p[i].done);
            *least = fmin(*least, mean); /* fmin() and fmax() pass over NaN */
            *most = fmax(*most, mean);
        }
    }
}

static double open_at(const struct backlog_point *p)
{
    return p->offered > p->gone ? (double)(p->offered - p->gone) : 0;
}

double backlog_left(const struct backlog *b, dur_ns at)
{
    size_t i = 1;

    while (i + 1 < b->n && b->p[i].at < at)
        i++;
    i = i < b->n ? i : b->n - 1;
    double gone = (double)b->p[i].gone;
    if (b->p[i].at > at && b->p[i].at > b->p[i - 1].at)
        gone -= (double)(b->p[i].gone - b->p[i - 1].gone) * (double)(b->p[i].at - at) /
                (double)(b->p[i].at - b->p[i - 1].at);
    return fmax((double)b->p[b->n - 1].offered - gone, 0);
}

struct backlog_peak backlog_peak(const struct backlog *b, dur_ns from, dur_ns to, double allowed)
{
    struct backlog_peak v = {0};
    size_t first, end;

    within(b, from, to, &first, &end);
    for (size_t i = first; i < end; i++) {
        double open = open_at(&b->p[i]);
        if (open <= allowed)
            continue;
        if (!v.most)
            v.from = b->p[i ? i - 1 : 0].at; /* it began to grow after that point */
        v.to = b->p[i].at;
        v.most = (uint64_t)open > v.most ? (uint64_t)open : v.most;
    }
    return v;
}

dur_ns backlog_silence(const struct backlog *b, dur_ns from, dur_ns to, dur_ns *began)
{
    dur_ns longest = 0;
    size_t first, end, since;

    within(b, from, to, &first, &end);
    for (size_t i = since = first; i < end; i++) {
        const struct backlog_point *p = &b->p[i];
        if (p->gone != b->p[since].gone || p->begun <= p->gone)
            since = i;
        else if (p->at - b->p[since].at > longest) {
            longest = p->at - b->p[since].at;
            *began = b->p[since].at;
        }
    }
    return longest;
}
