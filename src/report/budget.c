/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See budget.h.
 */
#include "report/budget.h"

#include <math.h>

#define COVERED 0.5 /* of the time, at least */
#define SAMPLES 5   /* fewer are chance */

/* Of the time in which the server's threads could run, the share in which they did; NaN. */
static double running(const struct snapshot *s)
{
    const struct sample_delta *d = &s->server.d;
    double could = (double)d->cpu_ns + (double)d->runq_wait_ns;

    return s->server.on && d->have & SAMPLE_CPU && d->have & SAMPLE_RUNQ && could > 0
               ? (double)d->cpu_ns / could
               : NAN;
}

void budget_fill(const struct snapshot *s, struct status_delta *d)
{
    const double n = (double)snapshot_sampled(s), service = s->service_ns;
    const struct status_waits *w = &d->waits;
    double sum = 0, scale, part = running(s), *us = d->budget_us;

    for (int i = 0; i < BUDGET_PARTS; i++)
        us[i] = NAN;
    if (n <= 0 || !isfinite(service) || s->hosts || s->hosts_many || w->samples < SAMPLES ||
        w->known <= 0 || (double)w->known < COVERED * (double)d->wall_ns)
        return;
    for (int c = 0; c < WAIT_CLASSES; c++)
        sum += (double)w->of[c];
    scale = (double)d->wall_ns / (double)w->known / n;
    if (sum * scale > service)
        scale = service / sum;
    for (int c = WAIT_ROW; c < WAIT_CLASSES; c++)
        us[BUDGET_OF(c)] = (double)w->of[c] * scale / 1e3;
    double cpu = (double)w->of[WAIT_CPU] * scale / 1e3;
    us[BUDGET_ON_CPU] = isfinite(part) ? cpu * part : cpu;
    us[BUDGET_CPU_WAIT] = cpu * (1 - part);
    us[BUDGET_REST] = fmax(service - sum * scale, 0) / 1e3;
}
