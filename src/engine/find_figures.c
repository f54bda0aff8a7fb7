/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See find_figures.h.  A snapshot has no histograms that are the finder's own, so those of where
 * the window began are kept here.
 */
#include "engine/find_figures.h"

#include <math.h>

void find_figures_init(struct find_figures *g, struct run *r, struct ticker *t)
{
    g->run = r;
    g->ticker = t;
    collect_init(&g->collect, r, false);
    for (int i = 0; i < 3; i++)
        hist_counts_init(&g->before[i], HIST_BUCKETS);
    hist_counts_init(&g->diff, HIST_BUCKETS);
}

void find_figures_fini(struct find_figures *g)
{
    collect_fini(&g->collect);
    for (int i = 0; i < 3; i++)
        hist_counts_fini(&g->before[i]);
    hist_counts_fini(&g->diff);
}

void find_figures_origin(struct find_figures *g)
{
    pthread_mutex_lock(&g->ticker->lock);
    collect_origin(&g->collect, g->run->measure_from);
    pthread_mutex_unlock(&g->ticker->lock);
}

static const struct hist_counts *series_of(const struct find_figures *g, enum find_series series)
{
    const struct baseline *b = &g->collect.now;

    return series == FIND_RESPONSE ? &b->response : series == FIND_SERVICE ? &b->service : &b->lag;
}

void find_figures_begin(struct find_figures *g, struct snapshot *s)
{
    pthread_mutex_lock(&g->ticker->lock);
    collect_snapshot(&g->collect, SNAPSHOT_INTERVAL, 0, s);
    pthread_mutex_unlock(&g->ticker->lock);
    g->cpu = g->collect.now.cpu;
    for (int i = 0; i < 3; i++)
        hist_counts_copy(&g->before[i], series_of(g, (enum find_series)i));
}

double find_figures_time(struct find_figures *g, enum find_series series, double point)
{
    int64_t ns;

    hist_counts_diff(&g->diff, series_of(g, series), &g->before[series]);
    if (point == FIND_MEAN)
        return hist_mean(&g->diff);
    ns = point == FIND_MAX ? hist_max(&g->diff) : hist_percentile(&g->diff, point);
    return ns < 0 ? NAN : (double)ns;
}

static double errors_of(const struct find_bound *b, const struct find_step *s)
{
    double bad = (double)(s->failed + s->dropped + s->errors);

    if (b->what == FIND_ERRORS_RATE)
        return bad / dur_sec(s->length);
    return s->offered ? 100 * bad / (double)s->offered : NAN;
}

/* A lower bound could pass for a figure that keeps a limit. */
static bool has_cpu(const struct snapshot_server *v)
{
    return v->on && v->d.have & ~v->d.lower & SAMPLE_CPU && v->d.wall_ns > 0;
}

const char *find_figures_no_cpu(const struct snapshot_server *v)
{
    if (has_cpu(v))
        return NULL;
    return v->on ? sample_why(&v->d, SAMPLE_CPU) : "its process is not read";
}

/* In per cent of all CPUs of its host. */
static double system_cpu(const struct snapshot *s, const struct snapshot_server *v)
{
    return has_cpu(v) ? sample_pct_system(v->d.cpu_ns, v->d.wall_ns, v->ncpu ? v->ncpu : s->ncpu)
                      : NAN;
}

static double value_of(struct find_figures *g, const struct find_bound *b,
                       const struct find_step *step, const struct snapshot *s)
{
    switch (b->what) {
    case FIND_TIME: return find_figures_time(g, b->series, b->point);
    case FIND_ERRORS_PCT:
    case FIND_ERRORS_RATE: return errors_of(b, step);
    case FIND_SERVER_CPU: return system_cpu(s, &s->server);
    case FIND_CLIENT_CPU: return system_cpu(s, &s->self);
    }
    return NAN;
}

static void fill_step(struct find_figures *g, const struct find_objective *o,
                      const struct snapshot *s, const struct verdict_readings *v,
                      struct find_step *step)
{
    const struct snapshot_rate *q = &s->rate;

    step->from = s->elapsed_ns - s->interval_ns;
    step->length = s->interval_ns;
    step->offered = q->offered;
    step->done = q->done;
    step->failed = q->failed;
    step->dropped = q->dropped;
    step->errors = s->errors;
    step->waiting = q->waiting;
    step->lag_p99 = find_figures_time(g, FIND_LAG, 99);
    step->server_busy_pct = has_cpu(&s->server) ? verdict_server_pct(v) : NAN;
    step->client_busy_pct = has_cpu(&s->self) ? verdict_self_pct(v) : NAN;
    for (size_t i = 0; i < o->n; i++)
        step->value[i] = value_of(g, &o->bound[i], step, s);
}

void find_figures_end(struct find_figures *g, const struct find_objective *o, struct snapshot *s,
                      struct verdict_readings *v, struct find_step *step)
{
    const struct collect *c = &g->collect;

    pthread_mutex_lock(&g->ticker->lock);
    collect_snapshot(&g->collect, SNAPSHOT_INTERVAL, 0, s);
    *v = judge_span(c, s, &g->cpu, &c->now.cpu);
    pthread_mutex_unlock(&g->ticker->lock);
    fill_step(g, o, s, v, step);
}
