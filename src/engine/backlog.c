/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See backlog.h.
 */
#include "engine/backlog.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define SHORTEST  (20 * NS_PER_MS) /* a step: fewer points than that would cost nothing less */
#define MOST      0.8              /* of an excess */
#define FAST      0.25             /* of the fastest step */
#define BY_CHANCE 3.0              /* standard deviations */
#define NEARLY    0.9              /* all of what is missing */

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

static double waiting(const struct backlog_point *p)
{
    return p->offered > p->begun + p->dropped ? (double)(p->offered - p->begun - p->dropped) : 0;
}

static double in_flight(const struct backlog_point *p)
{
    return p->begun > p->ended ? (double)(p->begun - p->ended) : 0;
}

struct backlog_point backlog_at(const struct backlog *b, dur_ns at)
{
    size_t i = 1;

    while (i < b->n && b->p[i].at < at)
        i++;
    if (i >= b->n)
        return b->n ? b->p[b->n - 1] : (struct backlog_point){.at = at};
    const struct backlog_point *p = &b->p[i - 1], *q = &b->p[i];
    double part = q->at > p->at ? (double)(at - p->at) / (double)(q->at - p->at) : 1;
    struct backlog_point v = *q;
    v.at = at;
    for (size_t k = 0; k < COUNT(v.count); k++)
        v.count[k] = p->count[k] + (uint64_t)((double)(q->count[k] - p->count[k]) * part + 0.5);
    v.service = p->service + (q->service - p->service) * part;
    v.busy = p->busy + (q->busy - p->busy) * part;
    v.woken = p->woken + (q->woken - p->woken) * part;
    return v;
}

void backlog_gaps(struct backlog_point *p, const mono_ns *begun, size_t n)
{
    dur_ns sorted[BACKLOG_GAPS], gap;
    size_t k = 0;

    for (size_t i = 1; i < n && i <= BACKLOG_GAPS; i++, k++) {
        size_t at = k;
        for (gap = begun[i] - begun[i - 1]; at && sorted[at - 1] > gap; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = gap;
    }
    if (k < BACKLOG_GAPS)
        return;
    p->gaps += k;
    for (size_t i = 0; i < k && sorted[i] * 3 < sorted[k / 2]; i++)
        p->short_gaps++;
}

void backlog_service(const struct backlog *b, dur_ns from, dur_ns to, double *least, double *most)
{
    size_t first, end;

    *least = *most = NAN;
    within(b, from, to, &first, &end);
    uint64_t all = end > first ? b->p[end - 1].done - b->p[first].done : 0;
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

struct backlog_peak backlog_peak(const struct backlog *b, dur_ns from, dur_ns to, double allowed)
{
    struct backlog_peak v = {0}, now = {0};
    size_t first, end;

    within(b, from, to, &first, &end);
    for (size_t i = first; i < end; i++) {
        double open = waiting(&b->p[i]) + in_flight(&b->p[i]);
        if (open <= allowed)
            continue;
        dur_ns since = b->p[i ? i - 1 : 0].at; /* it began to grow after that point */
        if (!now.most || since - now.to > now.to - now.from)
            now = (struct backlog_peak){.from = since, .n = now.n + 1};
        now.to = b->p[i].at;
        now.most = (uint64_t)open > now.most ? (uint64_t)open : now.most;
        if (now.most > v.most || now.from == v.from)
            v = now;
    }
    v.n = now.n;
    return v;
}

struct backlog_silence backlog_silence(const struct backlog *b, dur_ns from, dur_ns to)
{
    struct backlog_silence v = {0};
    size_t first, end, since;

    within(b, from, to, &first, &end);
    for (size_t i = since = first; i < end; i++) {
        const struct backlog_point *p = &b->p[i], *q = &b->p[since];
        if (p->ended != q->ended || p->begun <= p->ended)
            since = i;
        else if (p->at - q->at > v.length)
            v = (struct backlog_silence){q->at, p->at - q->at, p->busy - q->busy};
    }
    return v;
}

/* For what part of a step starts waited: those of its end have come in it, at the pace at which
 * starts came, and those of its beginning were begun at the pace at which clients began; and those
 * that came while this program did not run.  0: less than half; such a moment is shorter than what
 * the points resolve. */
static double waited(const struct backlog_point *p, const struct backlog_point *q)
{
    double before = waiting(p), after = waiting(q), part = q->dropped > p->dropped ? 1 : 0;

    if (after > 0)
        part = fmax(part, after / fmax((double)(q->offered - p->offered), after));
    if (before > 0)
        part = fmax(part, before / fmax((double)(q->begun - p->begun), before));
    if (q->late - p->late > SHORTEST && q->offered > p->offered)
        part = fmax(part, fmin((double)(q->late - p->late) / (double)(q->at - p->at), 1));
    return q->at > p->at && part >= 0.5 ? part : 0;
}

static void add(struct backlog_loss *to, const struct backlog_loss *v)
{
    to->busy += v->busy;
    to->idle += v->idle;
    to->burst += v->burst;
    to->stood += v->stood;
    to->work += v->work;
    to->late += v->late;
}

/* How much longer transactions can be by chance, ns. */
static double by_chance(const struct backlog_usual *u, double work, double eighth)
{
    double n = work / u->each;

    return fmax(u->part * work, u->off * n * sqrt(1 / fmax(n, 1) + 1 / fmax(eighth, 1)));
}

struct backlog_loss backlog_loss(const struct backlog *b, dur_ns from, dur_ns to,
                                 const struct backlog_usual *u)
{
    /* of all backlogs; of the present one until it was largest; of it since then */
    struct backlog_loss all = {0}, grown = {0}, since = {0};
    double most = 0, dropped = 0;
    size_t first, end;

    within(b, from, to, &first, &end);
    const double eighth = (double)(b->p[end - 1].ended - b->p[first].ended) / 8;
    bool beyond = end < b->n && b->p[end - 1].at < to; /* a step goes on beyond the span */
    end += beyond;
    for (size_t i = first + 1; i <= end; i++) {
        const struct backlog_point *p = &b->p[i - 1], *q = &b->p[i];
        double part = i < end ? waited(p, q) : 0;
        if (i + 1 == end && beyond)
            part *= (double)(to - p->at) / (double)(q->at - p->at);
        if (part <= 0) { /* it is over */
            if (grown.busy < by_chance(u, grown.work, eighth)) {
                grown.burst += grown.busy;
                grown.busy = 0;
            }
            grown.idle = fmax(grown.idle, 0);
            grown.burst = fmax(grown.burst, 0);
            add(&all, &grown);
            grown = since = (struct backlog_loss){0};
            most = dropped = 0;
            continue;
        }
        double dt = (double)(q->at - p->at), ended = (double)(q->ended - p->ended);
        double busy = q->busy - p->busy, extra = busy - ended * u->each, stood = 0;
        /* transactions under way when this program did not run took longer by that */
        if (q->late - p->late > SHORTEST)
            stood = fmin(u->clients * (double)(q->late - p->late), fmax(extra, 0));
        since.busy += part * (extra - stood);
        since.idle += part * (u->clients * dt - busy - ended * u->think);
        since.stood += part * stood;
        since.work += part * ended * u->each;
        since.burst +=
            part * ((double)(q->offered - p->offered) * (u->each + u->think) - u->clients * dt);
        since.late +=
            q->late - p->late > SHORTEST ? (dur_ns)(part * (double)(q->late - p->late)) : 0;
        all.waited += q->at - p->at;
        dropped += (double)(q->dropped - p->dropped);
        if (waiting(q) + dropped >= most || (i + 1 == end && beyond)) {
            most = waiting(q) + dropped;
            add(&grown, &since);
            since = (struct backlog_loss){0};
        }
    }
    all.idle = fmin(all.idle, b->p[end - 1].woken - b->p[first].woken) + all.stood;
    return all;
}

double backlog_woken(const struct backlog *b, dur_ns from, dur_ns to, double clients)
{
    double most = 0;
    size_t first, end;

    within(b, from, to, &first, &end);
    for (size_t i = first + 1; i < end; i++)
        most = fmax(most, (b->p[i].woken - b->p[i - 1].woken) / clients);
    return most > SHORTEST ? most : 0;
}

/* Starts that have not ended: what was dropped never will.  Or how late clients woke up. */
static double lost_by(const struct backlog_point *p, bool woken)
{
    if (woken)
        return p->woken;
    return p->offered > p->ended ? (double)(p->offered - p->ended) : 0;
}

/* In a step; no more than chance brings: 0. */
static double growth(const struct backlog_point *p, const struct backlog_point *q,
                     const struct backlog_chance *u)
{
    double grown = lost_by(q, u->woken) - lost_by(p, u->woken);
    double n = u->uneven ? (double)(q->offered - p->offered) : 0;

    return u->woken || grown > 1 + BY_CHANCE * sqrt(fmax(n, u->in_flight)) ? grown : 0;
}

size_t backlog_stretches(const struct backlog *b, dur_ns from, dur_ns to,
                         const struct backlog_chance *u,
                         struct backlog_stretch s[BACKLOG_STRETCHES])
{
    struct backlog_point v[BACKLOG_POINTS + 2]; /* those at the very ends, too */
    double fastest = 0, lost = 0, beside = 0, before;
    dur_ns length = 0;
    size_t first, end, points = 0, n = 0, last = 0;

    within(b, from, to, &first, &end);
    v[points++] = backlog_at(b, from);
    for (size_t i = first; i < end; i++)
        if (b->p[i].at > from && b->p[i].at < to)
            v[points++] = b->p[i];
    v[points++] = backlog_at(b, to);
    for (size_t i = 1; i < points; i++)
        fastest = fmax(fastest, growth(&v[i - 1], &v[i], u) / (double)(v[i].at - v[i - 1].at));
    for (size_t i = 1; fastest > 0 && i < points; i++) {
        const struct backlog_point *p = &v[i - 1], *q = &v[i];
        double grown = growth(p, q, u);
        if (grown <= 0 || grown < FAST * fastest * (double)(q->at - p->at))
            continue;
        if (!n || i > last + 2) {
            if (n == BACKLOG_STRETCHES)
                return 0;
            s[n++] = (struct backlog_stretch){.from = p->at};
        }
        s[n - 1].to = q->at;
        last = i;
    }
    /* between them it may have grown slowly */
    before = lost_by(&v[0], u->woken);
    for (size_t k = 0; k < n; k++) {
        struct backlog_point p = backlog_at(b, s[k].from), q = backlog_at(b, s[k].to);
        beside += fmax(lost_by(&p, u->woken) - before, 0);
        before = lost_by(&q, u->woken);
        s[k].lost = before - lost_by(&p, u->woken);
        lost += s[k].lost;
        length += s[k].to - s[k].from;
    }
    beside += fmax(lost_by(&v[points - 1], u->woken) - before, 0);
    /* chance adds up in all of the span */
    double all = u->woken    ? 0
                 : u->uneven ? (double)(v[points - 1].offered - v[0].offered)
                             : u->in_flight;
    return length * 2 < to - from && lost > BY_CHANCE * sqrt(all) &&
                   lost >= NEARLY * (lost + beside)
               ? n
               : 0;
}

void backlog_worst(const struct backlog *b, dur_ns *from, dur_ns *to, double each)
{
    double over[BACKLOG_POINTS];
    size_t first, end, a, z;

    within(b, *from, *to, &first, &end);
    for (size_t i = first; i < end; i++)
        over[i] = b->p[i].busy - (double)b->p[i].ended * each;
    a = first;
    z = end - 1;
    for (size_t i = first; i < end; i++)
        for (size_t k = i + 1; k < end && b->p[k].at - b->p[i].at < b->p[z].at - b->p[a].at; k++)
            if (over[k] - over[i] >= MOST * (over[end - 1] - over[first]))
                a = i, z = k;
    *from = b->p[a].at;
    *to = b->p[z].at;
}
