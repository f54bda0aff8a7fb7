/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See budget.h.
 */
#include "report/budget.h"

#include <math.h>

#define COVERED 0.5               /* of the time, at least */
#define SAMPLES 5                 /* fewer are chance */
#define SILENT  0.1               /* of the time, at most, the server may not have answered */
#define QUICK   (250 * NS_PER_MS) /* who stands still in the shortest silence waits longer */
#define FITS    1.5  /* of the time: the server's own threads, and what serves samples */
#define OTHERS  0.05 /* mean sessions of others that work beside ours, at most */

/* What is more than the time that there is: a thread waits for a CPU after its answer as well, and
 * while it seems to wait for what it has got by then; of the server as a whole, what sessions did
 * that seem to do neither is on a CPU, too.  The rest of it is by chance, of all estimates alike,
 * which the CPU time of sessions' threads is not.  Returns what the parts leave. */
static double fit(double *us, enum budget_source source, double room)
{
    static const int twice[] = {BUDGET_CPU_WAIT, BUDGET_OF(WAIT_OTHER)};
    int first = BUDGET_ON_CPU;
    double sum = 0;

    if (source == BUDGET_OF_THREADS) {
        us[first] = fmin(us[first], room);
        room -= us[first++];
    }
    for (int i = first; i < BUDGET_REST; i++)
        sum += isfinite(us[i]) ? us[i] : 0;
    for (int i = 0; i < (source == BUDGET_OF_SERVER ? 2 : 1) && sum > room; i++) {
        double less = fmin(sum - room, isfinite(us[twice[i]]) ? us[twice[i]] : 0);
        us[twice[i]] -= less;
        sum -= less;
    }
    for (int i = first; i < BUDGET_REST && sum > room; i++)
        us[i] *= room / sum;
    return fmax(room - sum, 0);
}

/* Samples saw no more than that, less two standard errors. */
static bool fits(const struct status_waits *w, double room, double per)
{
    double hits = 0, squares = 0;

    for (int c = WAIT_ROW; c < WAIT_CLASSES; c++)
        hits += w->hits[c], squares += w->squares[c];
    return (hits - 2 * sqrt(squares)) / w->samples * per <= FITS * room;
}

static enum budget_source source_of(const struct snapshot *s, const struct status_delta *d,
                                    double room)
{
    const struct sample_delta *p = &s->server.d;

    if (waits_exact(&d->waits))
        return BUDGET_OF_THREADS;
    return s->server.on && p->have & SAMPLE_CPU && p->have & SAMPLE_RUNQ &&
                   (double)p->cpu_ns <= FITS * room * 1e3 * (double)snapshot_sampled(s) &&
                   (double)d->others.active <= OTHERS * (double)d->others.known
               ? BUDGET_OF_SERVER
               : BUDGET_OF_SAMPLES;
}

/* Did the server not answer for too long?  Of the time that sessions may have spent in it then,
 * unless transactions went on: then of all time. */
static bool was_silent(const struct snapshot *s, const struct status_delta *d, double service_ns)
{
    const struct snapshot_series *v = &s->rate.service;
    const bool went_on =
        s->has_rate && v->n > 0 && v->max < QUICK && s->undone < QUICK && s->rate.oldest_ns < QUICK;

    return (double)d->waits.silent * (went_on ? 1 : s->threads) >
           SILENT * (went_on ? (double)d->wall_ns : service_ns);
}

void budget_fill(const struct snapshot *s, struct status_delta *d)
{
    const double n = (double)snapshot_sampled(s),
                 room = (s->service_ns + (double)s->undone / n) / 1e3;
    struct status_waits *w = &d->waits;
    double per, *us = d->budget_us;

    for (int i = 0; i < BUDGET_PARTS; i++)
        us[i] = NAN;
    d->unended = false;
    if (n <= 0 || !isfinite(room) || s->hosts || s->hosts_many || w->samples < SAMPLES ||
        w->known <= 0 || (double)w->known < COVERED * (double)d->wall_ns ||
        was_silent(s, d, n * room * 1e3))
        return;
    per = (double)d->wall_ns / n / 1e3;
    d->unended = !fits(w, room, per);
    if (d->unended)
        return;
    for (int c = WAIT_ROW; c < WAIT_CLASSES; c++)
        us[BUDGET_OF(c)] = (double)w->of[c] / (double)w->known * per;
    d->budget = source_of(s, d, room);
    switch (d->budget) {
    case BUDGET_OF_THREADS:
        us[BUDGET_ON_CPU] = (double)w->ran / (double)w->ran_known * per;
        us[BUDGET_CPU_WAIT] = (double)w->waited / (double)w->ran_known * per;
        break;
    case BUDGET_OF_SERVER:
        us[BUDGET_ON_CPU] = (double)s->server.d.cpu_ns / n / 1e3;
        us[BUDGET_CPU_WAIT] = (double)s->server.d.runq_wait_ns / n / 1e3;
        break;
    case BUDGET_OF_SAMPLES: /* none: MariaDB does not say who runs, and its threads are not seen */
        if (w->of[WAIT_CPU] > 0)
            us[BUDGET_ON_CPU] = (double)w->of[WAIT_CPU] / (double)w->known * per;
        break;
    }
    us[BUDGET_REST] = fit(us, d->budget, room);
    if (d->budget == BUDGET_OF_THREADS) /* so that both are one figure */
        waits_set_cpu(w, (us[BUDGET_ON_CPU] + us[BUDGET_CPU_WAIT]) / per);
}
