/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See perf_figures.h.  A ratio takes both its events in the same modes: user misses per user and
 * kernel instruction would be neither.
 */
#include "telemetry/perf_figures.h"

#include <math.h>

/* The first event of that role in the modes of `like` (NULL: any); n when there is none. */
static size_t find(const struct perf_spec *spec, size_t n, enum perf_role role,
                   const struct perf_spec *like)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (spec[i].role == role &&
            (!like || (spec[i].no_user == like->no_user && spec[i].no_kernel == like->no_kernel)))
            break;
    return i;
}

struct pair {
    size_t top, bottom;
};

static bool find_pair(const struct perf_spec *spec, size_t n, enum perf_role top,
                      enum perf_role bottom, struct pair *p)
{
    p->top = find(spec, n, top, NULL);
    if (p->top == n)
        return false;
    p->bottom = find(spec, n, bottom, &spec[p->top]);
    return p->bottom < n;
}

static const struct {
    enum perf_role top, bottom;
} derived[] = {{PERF_INSTRUCTIONS, PERF_CYCLES},
               {PERF_ICACHE_MISSES, PERF_INSTRUCTIONS},
               {PERF_ITLB_MISSES, PERF_INSTRUCTIONS},
               {PERF_BRANCH_MISSES, PERF_BRANCHES}};

unsigned perf_figures_derived(const struct perf_spec *spec, size_t n)
{
    unsigned mask = 0;
    struct pair p;

    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
        if (find_pair(spec, n, derived[i].top, derived[i].bottom, &p))
            mask |= 1u << i;
    return find(spec, n, PERF_CYCLES, NULL) < n ? mask | PERF_WORK : mask;
}

static double quotient(const struct perf_spec *spec, size_t n, const struct perf_delta *d,
                       size_t which)
{
    struct pair p;

    if (!find_pair(spec, n, derived[which].top, derived[which].bottom, &p) || !d->f[p.top].have ||
        !d->f[p.bottom].have || !(d->f[p.bottom].count > 0))
        return NAN;
    return d->f[p.top].count / d->f[p.bottom].count;
}

static double cycles(const struct perf_spec *spec, size_t n, const struct perf_delta *d)
{
    size_t i = find(spec, n, PERF_CYCLES, NULL);

    return i < n && d->f[i].have && d->f[i].count > 0 ? d->f[i].count : NAN;
}

static void figure(const struct perf_spec *spec, const struct perf_value *b,
                   const struct perf_value *a, struct perf_figure *f)
{
    uint64_t enabled = a->enabled_ns - b->enabled_ns, running = a->running_ns - b->running_ns;

    if (a->value < b->value || a->enabled_ns < b->enabled_ns || a->running_ns < b->running_ns) {
        f->why = "the counter went backwards";
        return;
    }
    if (enabled > 0 && running == 0) {
        f->why = spec->type == 1 ? "it was never switched on"
                                 : "other events held the CPU's counters all the time";
        return;
    }
    f->have = true;
    f->ratio = enabled > running ? (double)running / (double)enabled : 1;
    f->count = (double)(a->value - b->value) / f->ratio;
}

void perf_figures_diff(const struct perf_spec *spec, size_t n, const struct perf_reading *before,
                       const struct perf_reading *after, struct perf_delta *out)
{
    *out = (struct perf_delta){.wall_ns = after->at - before->at};
    for (size_t i = 0; i < n; i++) {
        if (spec[i].why[0])
            out->f[i].why = spec[i].why;
        else if (before->generation != after->generation)
            out->f[i].why = "the counters were opened anew in this interval";
        else if (!(before->have & after->have & UINT32_C(1) << i))
            out->f[i].why = "the counter could not be read";
        else
            figure(&spec[i], &before->v[i], &after->v[i], &out->f[i]);
    }
    out->d.ipc = quotient(spec, n, out, 0);
    out->d.icache_per_instruction = quotient(spec, n, out, 1);
    out->d.itlb_per_instruction = quotient(spec, n, out, 2);
    out->d.branch_miss_pct = 100 * quotient(spec, n, out, 3);
    out->d.cycles = cycles(spec, n, out);
}
