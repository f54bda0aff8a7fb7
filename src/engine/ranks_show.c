/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A row for each rank in the reports of the leader: what it did since the last interval report, or
 * in the whole run; and which ranks differ from the others.  One that differs is not a better or
 * worse half of an average: its host, its network or its clock is at fault, and the percentiles of
 * the whole run hide it.
 *
 * A rank's 99th percentile (of start lags, then of latencies) is compared with the
 * median of those of the other ranks, not of all: of two ranks the median of all is one of them or
 * lies between them.  Of an even number of others it is the upper one of the two in the middle, so
 * a rank that differs is above more than half of them, and where most ranks are slow, none is
 * called an exception.
 *
 * A difference must matter (more than 25 % and 1 ms) and must not be chance: 1 % of n samples has a
 * standard error of sqrt(0.01 * 0.99 / n), so what the share of samples beyond a value may be by
 * chance gives, read backwards, a value that the true percentile is not below.  That one must be
 * above the others' median by so much.  It assumes nothing about the distribution.  With
 * fewer than 1,000 samples less than 10 are beyond the percentile, and the rank is neither compared
 * nor part of the median.
 *
 * Of 20,000 runs of equal ranks with 1,000 independent samples each, so many (in %) had a rank that
 * "differs" by one figure (ranks_apart_test 20000 prints this):
 *
 *     ranks                        2        3        4       16
 *     exponential latencies     0.000    0.000    0.000    0.000
 *     log-normal, sigma 1       0.135    0.020    0.035    0.015
 *     Pareto, alpha 2           0.395    0.035    0.175    0.095
 *
 * With 10,000 samples there was none.  Samples of a stall are not independent: one that hits many
 * transactions of one rank is a difference of this run, though perhaps not of the host.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "engine/collect.h"
#include "engine/ranks.h"

/* --- rows --- */

static void fill_series(struct figure_table *f, const struct hist_counts *now,
                        const struct hist_counts *before, struct snapshot_series *s, int64_t *least)
{
    hist_counts_diff(&f->diff, now, before);
    figures_series(f->plan, &f->diff, s);
    *least = ranks_compares(s->n) ? hist_percentile(&f->diff, ranks_least_pct(s->n)) : -1;
}

static void fill_row(struct collect *c, int i, const struct snapshot *s, struct snapshot_rank *v)
{
    struct ranks *k = c->run->ranks;
    const struct rank *of = &k->of[i];
    bool final = s->kind == SNAPSHOT_FINAL;
    const struct baseline *now = &of->was[RANK_REPORT];
    const struct baseline *before = &of->was[final ? RANK_ORIGIN : RANK_SHOWN];
    struct cluster_clock_figures clock;
    struct sample_delta d;

    *v = (struct snapshot_rank){.rank = i,
                                .host = cluster_host(k->link, i),
                                .clients = (unsigned)of->now.clients,
                                .lost = of->lost,
                                .late = of->late,
                                .lost_after =
                                    of->lost_at > c->origin.at ? of->lost_at - c->origin.at : 0,
                                .why = of->why,
                                .cpus = (int)of->now.t.cpus,
                                .done = now->count[CNT_DONE] - before->count[CNT_DONE],
                                .failed = now->count[CNT_FAILED] - before->count[CNT_FAILED],
                                .starts_late = now->count[CNT_LATE] - before->count[CNT_LATE],
                                .dropped = now->dropped - before->dropped,
                                .given_up = now->lost - before->lost};
    v->per_s = s->interval_ns > 0
                   ? (double)v->done / dur_sec(final ? s->elapsed_ns : s->interval_ns)
                   : (double)NAN;
    fill_series(&c->figures, &now->response, &before->response, &v->response, &v->response_least);
    fill_series(&c->figures, &now->lag, &before->lag, &v->lag, &v->lag_least);
    sample_diff(&before->self, &now->self, &d);
    v->cpu_pct =
        d.have & SAMPLE_CPU && d.wall_ns > 0 ? sample_pct_one(d.cpu_ns, d.wall_ns) : (double)NAN;
    v->waited_pct = sample_waited_pct(&d);
    v->has_throttle = d.have & SAMPLE_THROTTLE;
    v->throttled = v->has_throttle ? d.throttled_ns : 0;
    v->throttled_periods = v->has_throttle ? d.throttled_periods : 0;
    if (final && i == 0) { /* its own are not in its end, which is that of all (ranks_ends) */
        v->workers = c->run->plan->workers;
        v->workers_busy = c->run->saturated.n;
        v->worker_pct = c->run->saturated.most_pct;
    } else if (final && of->ended) {
        v->workers = of->end.workers;
        v->workers_busy = of->end.saturated;
        v->worker_pct = of->end.saturated_pct;
    }
    v->has_clock = i > 0 && cluster_clock_figures(k->link, i, &clock);
    if (v->has_clock) {
        v->same_clock = clock.same_clock;
        v->clock_offset = clock.offset;
        v->clock_uncertainty = clock.uncertainty;
        v->clock_drift_ppm = clock.drift_ppm;
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

void ranks_add_running(const struct collect *c, struct snapshot *s)
{
    struct ranks *k = c->run->ranks;

    if (!ranks_lead(c->run))
        return;
    pthread_mutex_lock(&k->lock);
    for (int i = 1; i < k->n; i++)
        s->threads_running += k->of[i].now.t.running;
    pthread_mutex_unlock(&k->lock);
}

void ranks_fill(struct collect *c, struct snapshot *s)
{
    struct ranks *k = c->run->ranks;

    if (!ranks_lead(c->run))
        return;
    pthread_mutex_lock(&k->lock);
    for (int i = 1; i < k->n; i++) {
        const struct reading *v = c->figures.warming ? &k->of[i].warm : &k->of[i].now;
        s->threads_running += v->t.running;
        s->clients_missing += v->t.missing;
    }
    for (int i = 0; !s->warmup && s->kind != SNAPSHOT_CHECKPOINT && i < k->n; i++) {
        fill_row(c, i, s, &k->shown[i]);
        if (s->kind == SNAPSHOT_INTERVAL)
            baseline_copy(&k->of[i].was[RANK_SHOWN], &k->of[i].was[RANK_REPORT], 0);
        s->rank = k->shown;
        s->nranks = (size_t)k->n;
    }
    if (s->kind == SNAPSHOT_FINAL)
        ranks_mark_apart(k->shown, (size_t)k->n);
    pthread_mutex_unlock(&k->lock);
}

/* --- ranks that differ --- */

#define APART_FACTOR  1.25
#define APART_LEAST   NS_PER_MS
#define CPU_FULL_PCT  90 /* of the CPUs that a rank may use */
#define AT(v, offset) ((const void *)((const char *)(v) + (offset)))

bool ranks_compares(uint64_t n)
{
    return n >= RANKS_LEAST_SAMPLES;
}

double ranks_least_pct(uint64_t n)
{
    return 100 * (0.99 - RANKS_ERRORS * sqrt(0.99 * 0.01 / (double)n));
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

void ranks_mark_apart(struct snapshot_rank *row, size_t n)
{
    static const struct { /* the two figures that are compared */
        const char *name;
        size_t series, least;
    } figures[] = {{"start lag", offsetof(struct snapshot_rank, lag),
                    offsetof(struct snapshot_rank, lag_least)},
                   {"latency", offsetof(struct snapshot_rank, response),
                    offsetof(struct snapshot_rank, response_least)}};
    int64_t *p99 = mem_array(n, sizeof *p99);

    for (size_t i = 0; i < n; i++) {
        struct snapshot_rank *v = &row[i];
        if (v->cpus && v->cpu_pct > CPU_FULL_PCT * v->cpus)
            snprintf(v->apart, sizeof v->apart, "its CPU is full: %.0f %% of %d CPU%s", v->cpu_pct,
                     v->cpus, v->cpus == 1 ? "" : "s");
    }
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        size_t have = 0;
        for (size_t i = 0; i < n; i++) { /* p99: of all ranks that can be compared, in order */
            const struct snapshot_series *s = AT(&row[i], figures[k].series);
            if (!row[i].lost && ranks_compares(s->n))
                p99[have++] = s->p99;
        }
        qsort(p99, have, sizeof *p99, by_value);
        for (size_t i = 0; i < n && have > 1; i++) {
            struct snapshot_rank *v = &row[i];
            const struct snapshot_series *s = AT(v, figures[k].series);
            int64_t least = *(const int64_t *)AT(v, figures[k].least), median;
            if (v->lost || !ranks_compares(s->n) || *v->apart)
                continue;
            median = p99[(have - 1) / 2 + (p99[(have - 1) / 2] >= s->p99)]; /* of the others */
            if (least - median > APART_LEAST && (double)least > (double)median * APART_FACTOR)
                snprintf(v->apart, sizeof v->apart, "%s p99 %.3f ms, %s %.3f ms", figures[k].name,
                         dur_ms(s->p99), have == 2 ? "the other rank's" : "median of the others",
                         dur_ms(median));
        }
    }
    free(p99);
}
