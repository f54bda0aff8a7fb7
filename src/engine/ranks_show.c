/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A row for each rank in the reports of the leader: what it did since the last interval report, or
 * in the whole run.
 */
#include "engine/collect.h"
#include "engine/ranks.h"

#include <math.h>

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

static void fill_process(const struct sample *before, const struct sample *now,
                         struct snapshot_rank *v)
{
    struct sample_delta d;

    sample_diff(before, now, &d);
    v->cpu_pct =
        d.have & SAMPLE_CPU && d.wall_ns > 0 ? sample_pct_one(d.cpu_ns, d.wall_ns) : (double)NAN;
    v->waited_pct = sample_waited_pct(&d);
    v->has_throttle = d.have & SAMPLE_THROTTLE;
    v->throttled = v->has_throttle ? d.throttled_ns : 0;
    v->throttled_periods = v->has_throttle ? d.throttled_periods : 0;
}

/* The leader's own are not in its end, which is that of all (ranks_ends). */
static void fill_workers(const struct run *r, int i, struct snapshot_rank *v)
{
    const struct rank *of = &r->ranks->of[i];

    if (i == 0) {
        v->workers = r->plan->workers;
        v->workers_busy = r->saturated.n;
        v->worker_pct = r->saturated.most_pct;
    } else if (of->ended) {
        v->workers = (int)of->end.n[END_WORKERS];
        v->workers_busy = (int)of->end.n[END_SATURATED];
        v->worker_pct = (double)of->end.n[END_SATURATED_PPM] / 1e4;
    }
}

static void fill_series(struct figure_table *f, const struct hist_counts *now,
                        const struct hist_counts *before, struct snapshot_series *s, int64_t *least)
{
    hist_counts_diff(&f->diff, now, before);
    figures_series(f->plan, &f->diff, s);
    *least = ranks_compares(s->n) ? hist_percentile(&f->diff, ranks_least_pct(s->n)) : -1;
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
    fill_series(&c->figures, &now->response, &before->response, &v->response, &v->response_least);
    fill_series(&c->figures, &now->lag, &before->lag, &v->lag, &v->lag_least);
    fill_process(&before->self, &now->self, v);
    if (s->kind == SNAPSHOT_FINAL)
        fill_workers(c->run, i, v);
    fill_clock(k, i, v);
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

void ranks_add_running(const struct collect *c, struct snapshot *s)
{
    struct ranks *k = c->run->ranks;

    if (!ranks_lead(c->run))
        return;
    pthread_mutex_lock(&k->lock);
    for (int i = 1; i < k->n; i++)
        s->threads_running += k->of[i].now.running;
    pthread_mutex_unlock(&k->lock);
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
