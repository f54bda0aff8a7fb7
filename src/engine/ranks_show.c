/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A row for each rank in the reports of the leader: what it did since the last interval report, or
 * in the whole run, and which ranks differ from the others.  One that differs is not a better or
 * worse half of an average: its host, its network or its clock is at fault, and the percentiles of
 * the whole run hide it.
 */
#include "engine/collect.h"
#include "engine/ranks.h"

#include <math.h>
#include <stdio.h>

#define APART_FACTOR 1.25
#define APART_LEAST  NS_PER_MS
#define CPU_FULL_PCT 90 /* of the CPUs that a rank may use */

static void fill_clock(const struct ranks *k, int i, struct snapshot_rank *v)
{
    struct cluster_clock_figures f;

    v->has_clock = i > 0 && cluster_clock_figures(k->link, i, &f);
    if (!v->has_clock)
        return;
    v->same_clock = f.same_clock;
    v->clock_offset = f.offset;
    v->clock_uncertainty = f.uncertainty;
    v->clock_drift_ppm = f.drift_ppm;
}

static double cpu_of(const struct sample *before, const struct sample *now)
{
    struct sample_delta d;

    sample_diff(before, now, &d);
    return d.have & SAMPLE_CPU && d.wall_ns > 0 ? sample_pct_one(d.cpu_ns, d.wall_ns) : (double)NAN;
}

static struct snapshot_series series(struct figures *f, const struct hist_counts *now,
                                     const struct hist_counts *before)
{
    struct snapshot_series s;

    hist_counts_diff(&f->diff, now, before);
    figures_series(f->plan, &f->diff, &s);
    return s;
}

static void fill_counts(const struct baseline *now, const struct baseline *before,
                        struct snapshot_rank *v)
{
    v->done = now->count[CNT_DONE] - before->count[CNT_DONE];
    v->failed = now->count[CNT_FAILED] - before->count[CNT_FAILED];
    v->starts_late = now->count[CNT_LATE] - before->count[CNT_LATE];
    v->dropped = now->dropped - before->dropped;
    v->given_up = now->lost - before->lost;
}

static void fill_row(struct collect *c, int i, const struct snapshot *s, struct snapshot_rank *v)
{
    struct ranks *k = c->run->ranks;
    const struct rank *of = &k->of[i];
    const struct baseline *now = &of->merged;
    const struct baseline *before = s->kind == SNAPSHOT_FINAL ? &of->origin : &of->shown;

    *v = (struct snapshot_rank){.rank = i,
                                .host = cluster_host(k->link, i),
                                .clients = (unsigned)of->now.clients,
                                .lost = of->lost,
                                .late = of->late,
                                .lost_after =
                                    of->lost_at > c->origin.at ? of->lost_at - c->origin.at : 0,
                                .why = of->why,
                                .cpus = (int)of->now.cpus};
    fill_counts(now, before, v);
    v->per_s =
        s->interval_ns > 0
            ? (double)v->done / dur_sec(s->kind == SNAPSHOT_FINAL ? s->elapsed_ns : s->interval_ns)
            : (double)NAN;
    v->response = series(&c->figures, &now->response, &before->response);
    v->lag = series(&c->figures, &now->lag, &before->lag);
    v->cpu_pct = cpu_of(&before->self, &now->self);
    fill_clock(k, i, v);
}

/* --- ranks that differ --- */

/* The median of what `of` gives, the lower one of two; -1: fewer than two ranks have it. */
static int64_t median(const struct snapshot_rank *row, size_t n,
                      int64_t (*of)(const struct snapshot_rank *v))
{
    size_t have = 0;

    for (size_t i = 0; i < n; i++)
        have += of(&row[i]) >= 0;
    for (size_t i = 0; i < n && have > 1; i++) {
        size_t below = 0, equal = 0, half = (have - 1) / 2;
        for (size_t j = 0; j < n; j++) {
            below += of(&row[j]) >= 0 && of(&row[j]) < of(&row[i]);
            equal += of(&row[j]) == of(&row[i]);
        }
        if (of(&row[i]) >= 0 && below <= half && half < below + equal)
            return of(&row[i]);
    }
    return -1;
}

static int64_t response_p99(const struct snapshot_rank *v)
{
    return v->response.n ? v->response.p99 : -1;
}

static int64_t lag_p99(const struct snapshot_rank *v)
{
    return v->lag.n ? v->lag.p99 : -1;
}

static bool is_apart(int64_t value, int64_t median)
{
    return median >= 0 && (double)value > (double)median * APART_FACTOR &&
           value - median > APART_LEAST;
}

static void compare(struct snapshot_rank *v, const char *what, int64_t value, int64_t median)
{
    if (!*v->apart && is_apart(value, median))
        snprintf(v->apart, sizeof v->apart, "%s p99 %.3f ms, median of the ranks %.3f ms", what,
                 dur_ms(value), dur_ms(median));
}

void ranks_mark_apart(struct snapshot_rank *row, size_t n)
{
    int64_t lag = median(row, n, lag_p99), response = median(row, n, response_p99);

    for (size_t i = 0; i < n; i++) {
        struct snapshot_rank *v = &row[i];
        if (v->cpus && v->cpu_pct > CPU_FULL_PCT * v->cpus)
            snprintf(v->apart, sizeof v->apart, "its CPU is full: %.0f %% of %d CPU%s", v->cpu_pct,
                     v->cpus, v->cpus == 1 ? "" : "s");
        compare(v, "start lag", lag_p99(v), lag);
        compare(v, "latency", response_p99(v), response);
    }
}

bool ranks_busiest(const struct snapshot *s, double *pct, int *cpus)
{
    double most = 0;

    for (size_t i = 0; i < s->nranks; i++) {
        const struct snapshot_rank *v = &s->rank[i];
        if (v->cpus == 0 || !(v->cpu_pct / v->cpus > most))
            continue;
        most = v->cpu_pct / v->cpus;
        *pct = v->cpu_pct;
        *cpus = v->cpus;
    }
    return most > 0;
}

/* --- into the snapshot --- */

static void add_clients(const struct ranks *k, bool warming, struct snapshot *s)
{
    for (int i = 1; i < k->n; i++) {
        const struct reading *v = warming ? &k->of[i].warm : &k->of[i].now;
        s->threads_running += v->running;
        s->clients_missing += v->missing;
    }
}

void ranks_fill(struct collect *c, struct snapshot *s)
{
    struct ranks *k = c->run->ranks;

    if (!ranks_lead(c->run))
        return;
    pthread_mutex_lock(&k->lock);
    add_clients(k, c->figures.warming, s);
    for (int i = 0; !s->warmup && s->kind != SNAPSHOT_CHECKPOINT && i < k->n; i++) {
        fill_row(c, i, s, &k->shown[i]);
        if (s->kind == SNAPSHOT_INTERVAL)
            baseline_copy(&k->of[i].shown, &k->of[i].merged, 0);
        s->rank = k->shown;
        s->nranks = (size_t)k->n;
    }
    if (s->kind == SNAPSHOT_FINAL)
        ranks_mark_apart(k->shown, (size_t)k->n);
    pthread_mutex_unlock(&k->lock);
}
