/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See figures.h.  No clock, no thread, no shared data: the results depend only on the arguments.
 */
#include "engine/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pace/rates.h"
#include "report/budget.h"
#include "report/report_options.h"

#define SAMPLED_APART 50 /* counts that differ by more than one in so many differ */

void figures_init(struct figure_table *f, const struct plan *p)
{
    memset(f, 0, sizeof *f);
    f->plan = p;
    f->nclients = plan_told_clients(p);
    f->clients = mem_array((size_t)f->nclients, sizeof *f->clients);
    hist_counts_init(&f->diff, HIST_BUCKETS);
    hist_counts_init(&f->shown, HIST_STOCK_SIZE);
    hist_counts_init(&f->response, HIST_BUCKETS);
    hist_counts_init(&f->service, HIST_BUCKETS);
    hist_counts_init(&f->lag, HIST_BUCKETS);
}

void figures_fini(struct figure_table *f)
{
    free(f->clients);
    hist_counts_fini(&f->diff);
    hist_counts_fini(&f->shown);
    hist_counts_fini(&f->response);
    hist_counts_fini(&f->service);
    hist_counts_fini(&f->lag);
}

uint64_t figures_events(const uint64_t count[CNT_MAX])
{
    return count[CNT_DONE] + count[CNT_EVENT];
}

void figures_series(const struct plan *p, const struct hist_counts *counts,
                    struct snapshot_series *s)
{
    s->n = counts->total;
    s->p10 = hist_percentile(counts, 10);
    s->p50 = hist_percentile(counts, 50);
    s->p95 = hist_percentile(counts, 95);
    s->p99 = hist_percentile(counts, 99);
    for (size_t i = 0; i < p->percentiles; i++)
        s->pct[i] = hist_percentile(counts, p->percentile[i]);
    s->max = hist_max(counts);
    s->mean = hist_mean(counts);
}

static struct snapshot_series series(struct figure_table *f, const struct hist_counts *now,
                                     const struct hist_counts *before)
{
    struct snapshot_series s;

    hist_counts_diff(&f->diff, now, before);
    figures_series(f->plan, &f->diff, &s);
    return s;
}

/* The mean of the planned rate in the interval; of a whole run, up to its end.  A search as a whole
 * has none: it tries many rates, and pauses between them. */
static double target(const struct figure_table *f, enum snapshot_kind kind)
{
    const struct rates *rates = f->plan->rates;
    dur_ns from = f->before->at - f->origin->at, to = f->now->at - f->origin->at;
    const struct baseline *now = f->now, *begin = kind == SNAPSHOT_FINAL ? f->origin : f->before;

    if (plan_finds(f->plan) && kind == SNAPSHOT_FINAL)
        return NAN;
    if (now->changed && now->planned_to > begin->planned_to) /* by hand, or by a search */
        return rates_round((double)(now->planned - begin->planned) / (double)RATE_ONE /
                           dur_sec(now->planned_to - begin->planned_to));
    if (rates && kind == SNAPSHOT_FINAL && to > 0 && to < f->plan->time_limit)
        return rates_mean(rates, to); /* it was stopped early */
    if (!rates || kind == SNAPSHOT_FINAL || to <= from)
        return f->plan->rate;
    return rates_round((double)(rates_pos(rates, to) - rates_pos(rates, from)) / (double)RATE_ONE /
                       dur_sec(to - from));
}

static void fill_rate(struct figure_table *f, struct snapshot *s)
{
    struct snapshot_rate *q = &s->rate;
    const struct baseline *b = f->now, *from = f->before, *o = f->origin;

    s->has_rate = true;
    q->target = target(f, s->kind);
    q->target_changed = f->now->changed;
    q->shared = f->plan->ranks > 1;
    /* in the interval, and since measuring began */
    q->offered = b->offered - from->offered;
    q->done = b->count[CNT_DONE] - from->count[CNT_DONE];
    q->failed = b->count[CNT_FAILED] - from->count[CNT_FAILED];
    q->dropped = b->dropped - from->dropped;
    q->late = b->count[CNT_LATE] - from->count[CNT_LATE];
    q->total_offered = b->offered - o->offered;
    q->total_done = b->count[CNT_DONE] - o->count[CNT_DONE];
    q->total_failed = b->count[CNT_FAILED] - o->count[CNT_FAILED];
    q->total_dropped = b->dropped - o->dropped;
    q->total_late = b->count[CNT_LATE] - o->count[CNT_LATE];
    q->total_late_idle = b->count[CNT_LATE_IDLE] - o->count[CNT_LATE_IDLE];
    q->withdrawn = b->count[CNT_WITHDRAWN] - o->count[CNT_WITHDRAWN];
    q->in_flight = baseline_in_flight(b);
    q->lost = b->lost - from->lost;
    q->total_lost = b->lost - o->lost;
    q->waiting = b->offered - b->dropped - b->count[CNT_STARTED] - b->lost;
    if (s->kind == SNAPSHOT_PHASE)
        q->oldest_ns = -1; /* known only at the moment of the reading, which is over */
    else
        q->oldest_ns = q->waiting + q->in_flight && b->oldest < b->at ? b->at - b->oldest : 0;
    if (s->kind == SNAPSHOT_FINAL)
        from = f->origin;
    q->response = series(f, &b->response, &from->response);
    q->service = series(f, &b->service, &from->service);
    q->lag = series(f, &b->lag, &from->lag);
    if (s->kind == SNAPSHOT_CHECKPOINT || s->kind == SNAPSHOT_FINAL) {
        /* how evenly the transactions were spread over the clients */
        q->events_least = UINT64_MAX;
        for (int i = 0; i < f->nclients; i++) {
            uint64_t n = b->events[i] - from->events[i];
            if (f->clients[i].unknown)
                continue;
            q->events_least = n < q->events_least ? n : q->events_least;
            q->events_most = n > q->events_most ? n : q->events_most;
        }
    }
    s->stock_rate = f->plan->stock_rate;
    s->plain_rate = f->plan->plain_rate;
    s->queue_length = q->waiting;
    s->concurrency = q->in_flight;
}

/* The mean time of transactions from their begin on; without a rate, of what stock sums up. */
static double mean_service(struct figure_table *f, const struct snapshot *s)
{
    double sum = 0;

    if (s->has_rate && (s->kind != SNAPSHOT_FINAL || s->interval_ns >= s->elapsed_ns))
        return s->rate.service.mean;
    if (s->has_rate) { /* a final report's own figures are of the whole run */
        const struct snapshot_series v = series(f, &f->now->service, &f->before->service);
        return v.n ? v.mean : NAN;
    }
    for (int i = 0; i < f->nclients; i++)
        sum += (double)(f->now->lat_sum[i] - f->before->lat_sum[i]);
    return s->events ? sum / (double)s->events : NAN;
}

/* There is no reading after the final one of the processes: an interval that lies after it has no
 * figures, instead of figures over no time. */
static void fill_process(struct snapshot_server *v, const char *describe,
                         const struct sample *before, const struct sample *now)
{
    v->on = true;
    v->describe = describe;
    sample_diff(before, now, &v->d);
    if (v->d.wall_ns <= 0)
        sample_none(&v->d, "the load had ended before this interval");
}

/* The listed percentiles, on stock's grid; 0.4 and 0.5 had 100,000 buckets, so theirs come from
 * ours. */
static void fill_percentiles(struct figure_table *f, struct snapshot *s)
{
    const struct plan *p = f->plan;
    const struct baseline *now = f->now, *from = f->before;

    if (p->fine_percentiles && p->old_rate)
        hist_counts_diff(&f->diff, &now->service, &from->service);
    else if (p->fine_percentiles)
        hist_counts_diff(&f->diff, &now->response, &from->response);
    s->percentiles = p->percentiles;
    for (size_t i = 0; i < p->percentiles; i++) {
        double pct = s->percentile[i] = p->percentile[i];
        int64_t ns = p->fine_percentiles ? hist_percentile(&f->diff, pct) : 0;
        s->latency_pct_ms[i] = !p->fine_percentiles ? hist_stock_percentile_ms(&f->shown, pct)
                               : ns < 0             ? 0
                                                    : dur_ms(ns);
    }
}

void figures_fill(struct figure_table *f, enum snapshot_kind kind, struct snapshot *s)
{
    const struct plan *p = f->plan;
    const struct baseline *now = f->now, *from = f->before;

    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->warmup = f->warming;
    s->at = now->at;
    s->wall = now->wall;
    s->elapsed_ns = now->at - f->origin->at;
    s->interval_ns = now->at - from->at;
    s->threads = (unsigned)f->nclients;
    s->threads_running = f->threads_running;
    s->stamp_decimals = p->stamp_decimals;
    for (int k = 0; k < CNT_MAX; k++) {
        s->count[k] = now->count[k] - from->count[k];
        s->total[k] = now->count[k] - f->origin->count[k];
    }
    s->events = figures_events(s->count);
    s->reads = s->count[CNT_READ];
    s->writes = s->count[CNT_WRITE];
    s->other = s->count[CNT_OTHER];
    s->errors = s->count[CNT_ERROR];
    s->reconnects = s->count[CNT_RECONNECT];
    hist_counts_diff(&f->shown, &now->stock, &from->stock);
    fill_percentiles(f, s);
    if (p->rate > 0)
        fill_rate(f, s);
    /* latencies with all their digits: the figures of the transactions that `events` covers, and
     * the histograms for observers that need all */
    s->has_latency = plan_keeps_all(p);
    if (s->has_latency)
        s->latency = series(f, &now->response, &from->response);
    if (s->has_latency && p->keep_histograms && kind != SNAPSHOT_PHASE) {
        const struct baseline *since = kind == SNAPSHOT_FINAL ? f->origin : from;
        hist_counts_diff(&f->response, &now->response, &since->response);
        s->hists.response = &f->response;
        if (p->rate > 0) {
            hist_counts_diff(&f->service, &now->service, &since->service);
            hist_counts_diff(&f->lag, &now->lag, &since->lag);
            s->hists.service = &f->service;
            s->hists.lag = &f->lag;
        }
    }
    /* The processes may have been read long after the clients' counts, by a thread that waited for
     * a CPU: then what was done between two counts says nothing of what was used between two
     * readings. Where both agree, the count of the report is taken, so that its figures can be
     * recomputed. */
    int64_t more = (int64_t)(now->sampled - from->sampled) - (int64_t)s->events;
    s->sampled_more = (uint64_t)llabs(more) * SAMPLED_APART > s->events ? more : 0;
    s->has_own = p->ranks > 1;
    s->own = now->own - from->own;
    s->ncpu = f->ncpu;
    if (f->server)
        fill_process(&s->server, f->server, &from->server, &now->server);
    s->server.ncpu = f->server_cpus;
    if (f->self)
        fill_process(&s->self, "sysbench", &from->self, &now->self);
    if (f->probe) {
        probe_diff(f->probe, &from->probe, &now->probe, s->server.on ? &s->server.d : NULL,
                   f->probe_delta);
        s->probe = f->probe_delta;
        s->service_ns = mean_service(f, s);
        s->undone = now->undone - from->undone;
        budget_fill(s, &f->probe_delta->status);
        status_share(f->probe_delta->status_name, f->probe_delta->statuses, snapshot_sampled(s),
                     &f->probe_delta->status);
    }
}

/* Stock's fairness block and min/avg/max/sum: over the clients, for the period. */
void figures_fairness(struct figure_table *f, struct snapshot *s)
{
    double n = 0, ev = 0, ex = 0, ev2 = 0, ex2 = 0;
    /* of a rank that was lost the sums are known, and not what is of each client */
    int64_t min = f->unknown && f->unknown_min >= 0 ? f->unknown_min : INT64_MAX;
    int64_t max = f->unknown && f->unknown_max > 0 ? f->unknown_max : 0;

    for (int i = 0; i < f->nclients; i++) {
        struct snapshot_client *c = &f->clients[i];
        c->events = f->now->events[i] - f->before->events[i];
        c->sum_ns = f->now->lat_sum[i] - f->before->lat_sum[i];
        if (c->events == 0)
            c->min_ns = c->max_ns = -1; /* else the reading has stored them */
        if (c->unknown)
            continue;
        n++;
        ev += (double)c->events;
        ex += dur_sec(c->sum_ns);
        min = c->min_ns >= 0 && c->min_ns < min ? c->min_ns : min;
        max = c->max_ns > max ? c->max_ns : max;
    }
    uint64_t all = figures_events(f->now->count) - figures_events(f->before->count);
    double events = f->unknown ? (double)all : ev;
    double sum_s = f->unknown ? dur_sec(f->now->lat_total - f->before->lat_total) : ex;
    s->clients = f->clients;
    s->nclients = f->nclients;
    s->latency_sum_ms = sum_s * 1e3;
    s->latency_avg_ms = events > 0 ? sum_s * 1e3 / events : 0;
    s->latency_min_ms = min == INT64_MAX ? 0 : dur_ms(min);
    s->latency_max_ms = dur_ms(max);
    s->events_avg = ev / n;
    s->exec_avg_s = ex / n;
    /* of the population, in a second pass: differences of large squares would leave a spread where
     * there is none */
    for (int i = 0; i < s->nclients; i++) {
        if (s->clients[i].unknown)
            continue;
        ev = (double)s->clients[i].events - s->events_avg;
        ex = dur_sec(s->clients[i].sum_ns) - s->exec_avg_s;
        ev2 += ev * ev;
        ex2 += ex * ex;
    }
    s->events_stddev = sqrt(ev2 / n);
    s->exec_stddev_s = sqrt(ex2 / n);
}

double figures_transactions_s(struct figure_table *f)
{
    int64_t sum = f->now->undone;

    if (f->plan->rate > 0) {
        hist_counts_diff(&f->diff, &f->now->service, &f->origin->service);
        return (f->diff.total ? hist_mean(&f->diff) * (double)f->diff.total / 1e9 : 0) +
               dur_sec(sum);
    }
    if (f->unknown)
        return dur_sec(sum + f->now->lat_total - f->origin->lat_total);
    for (int i = 0; i < f->nclients; i++)
        sum += f->now->lat_sum[i] - f->origin->lat_sum[i];
    return dur_sec(sum);
}
