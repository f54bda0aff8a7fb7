/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Readings into snapshots.  Everything the clients and the server count only grows, so a report is
 * the difference of two readings and nothing is ever reset under a writer.  Three baselines are
 * kept: the last interval report, the last checkpoint, and where measuring began; interval and
 * checkpoint reports therefore cannot steal samples from each other.  A fourth one comes with the
 * first mark in the timeline (phases.c).
 *
 * cut_note (why the identity holds in every snapshot): the clients' counts and the drops are read
 * first, the clock after them, and what is offered is computed for that instant.  Whatever was
 * counted as begun or dropped was planned before it, so waiting = offered - dropped - begun is
 * never negative; what ends while the reading goes on is simply still in flight in this snapshot
 * and done in the next.
 */
#include "engine/run_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

void collect_init(struct collect *c, struct run *r, bool warming)
{
    size_t n = (size_t)r->plan->clients;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    memset(c, 0, sizeof *c);
    c->run = r;
    c->warming = warming;
    c->ncpu = cpus > 0 ? (int)cpus : 1;
    baseline_init(&c->now, n);
    baseline_init(&c->interval, n);
    baseline_init(&c->period, n);
    baseline_init(&c->origin, n);
    c->clients = mem_array(n, sizeof *c->clients);
    hist_counts_init(&c->diff, HIST_BUCKETS);
    hist_counts_init(&c->shown, HIST_STOCK_SIZE);
    hist_counts_init(&c->response, HIST_BUCKETS);
    hist_counts_init(&c->service, HIST_BUCKETS);
    hist_counts_init(&c->lag, HIST_BUCKETS);
}

void collect_fini(struct collect *c)
{
    baseline_fini(&c->now);
    baseline_fini(&c->interval);
    baseline_fini(&c->period);
    baseline_fini(&c->origin);
    free(c->clients);
    hist_counts_fini(&c->diff);
    hist_counts_fini(&c->shown);
    hist_counts_fini(&c->response);
    hist_counts_fini(&c->service);
    hist_counts_fini(&c->lag);
    phases_fini(c);
}

/* The schedule that is read, and what its instants are counted from. */
static struct tickets *line_of(const struct collect *c, mono_ns *zero)
{
    *zero = c->warming ? c->run->t0 : c->run->measure_from;
    return c->warming ? c->run->warm.tickets : c->run->tickets;
}

static void read_hists(const struct collect *c, struct baseline *b)
{
    const struct run *r = c->run;
    const struct shard *shard = c->warming ? r->warm.shard : r->shard;

    hist_counts_clear(&b->stock);
    hist_counts_clear(&b->response);
    hist_counts_clear(&b->service);
    hist_counts_clear(&b->lag);
    for (size_t i = 0; i < r->nshards; i++) {
        hist_counts_add_stock(&b->stock, &shard[i].stock);
        if (shard[i].response)
            hist_counts_add(&b->response, shard[i].response);
        if (r->tickets) {
            hist_counts_add(&b->service, shard[i].service);
            hist_counts_add(&b->lag, shard[i].lag);
        }
    }
}

static void read_processes(struct run *r, struct sample *server, struct sample *self,
                           struct probe_reading *probe)
{
    if (r->server)
        server_read(r->server, server);
    if (run_watches(r))
        self_read(self);
    if (r->obs->probe)
        probe_read(r->obs->probe, r->server ? server : NULL, probe);
}

void collect_curtain(struct collect *c)
{
    if (!c->drawn)
        read_processes(c->run, &c->last_server, &c->last_self, &c->last_probe);
    c->drawn = true;
}

static uint64_t all_events(const uint64_t count[CNT_MAX])
{
    return count[CNT_DONE] + count[CNT_EVENT];
}

/*
 * The latencies of client i since the last checkpoint, read right behind its counts.  A checkpoint
 * begins its next period here as well: later, what ends while the reading goes on would be counted
 * in one period and be the shortest or longest of the other.
 */
static void read_latencies(struct collect *c, int i, enum snapshot_kind kind)
{
    struct client *cl = &c->run->client[i];
    unsigned period = atomic_load_explicit(&cl->period, memory_order_relaxed);
    bool any = atomic_load_explicit(&cl->epoch, memory_order_relaxed) == period;

    c->now.lat_sum[i] = atomic_load_explicit(&cl->lat_sum, memory_order_relaxed);
    c->clients[i].min_ns = any ? atomic_load_explicit(&cl->lat_min, memory_order_relaxed) : -1;
    c->clients[i].max_ns = any ? atomic_load_explicit(&cl->lat_max, memory_order_relaxed) : -1;
    if (kind == SNAPSHOT_CHECKPOINT)
        atomic_store_explicit(&cl->period, period + 1, memory_order_relaxed);
}

/* Everything cumulative, in the order of cut_note; `at` <= 0: now. */
static void take_reading(struct collect *c, enum snapshot_kind kind, mono_ns at)
{
    struct run *r = c->run;
    struct baseline *b = &c->now;
    mono_ns zero;
    struct tickets *line = line_of(c, &zero);

    memset(b->count, 0, sizeof b->count);
    for (int i = 0; i < r->plan->clients; i++) {
        uint64_t before = all_events(b->count); /* one reading: the clients' add up to the sum */
        warmup_counts(r, i, c->warming, b->count);
        b->events[i] = all_events(b->count) - before;
        read_latencies(c, i, kind);
    }
    if (line)
        b->dropped = tickets_dropped(line);
    b->at = at > 0 ? at : clock_mono();
    c->latest = b->at > c->latest ? b->at : c->latest;
    /* what an earlier reading counted or dropped was offered: the final one may be for an instant
     * before it */
    if (line)
        b->offered = tickets_offered(line, c->latest - zero);
    if (c->drawn) {
        b->server = c->last_server;
        b->self = c->last_self;
        b->probe = c->last_probe;
    } else {
        mono_ns began = clock_mono();
        read_processes(r, &b->server, &b->self, &b->probe);
        c->reading_ns = clock_mono() - began;
    }
    read_hists(c, b);
}

/* The time that went into transactions that were not done. */
static int64_t undone(struct run *r)
{
    int64_t sum = 0;

    for (int i = 0; i < r->plan->clients; i++)
        sum += atomic_load_explicit(&r->client[i].undone, memory_order_relaxed);
    return sum;
}

/* All counts are still zero in every baseline, and stay so: the clients may have begun before this
 * is called, and all they did since `at` counts.  Nothing slow here, the clock is running. */
void collect_origin(struct collect *c, mono_ns at)
{
    struct baseline *const all[] = {&c->interval, &c->period, &c->origin};
    struct sample server = {0}, self = {0};
    struct probe_reading probe = {0};

    read_processes(c->run, &server, &self, &probe);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        all[i]->at = at;
        all[i]->server = server;
        all[i]->self = self;
        all[i]->probe = probe;
    }
}

static struct snapshot_series series(struct collect *c, const struct hist_counts *now,
                                     const struct hist_counts *before)
{
    const struct plan *p = c->run->plan;
    struct snapshot_series s;

    hist_counts_diff(&c->diff, now, before);
    s.n = c->diff.total;
    s.p50 = hist_percentile(&c->diff, 50);
    s.p95 = hist_percentile(&c->diff, 95);
    s.p99 = hist_percentile(&c->diff, 99);
    for (size_t i = 0; i < p->percentiles; i++)
        s.pct[i] = hist_percentile(&c->diff, p->percentile[i]);
    s.max = hist_max(&c->diff);
    s.mean = hist_mean(&c->diff);
    return s;
}

/* How long the oldest unfinished planned start has been due at `at`. */
static dur_ns oldest_due(const struct collect *c, mono_ns at)
{
    const struct run *r = c->run;
    mono_ns oldest = at, zero;
    dur_ns next = tickets_next_planned(line_of(c, &zero));

    if (next != MONO_NEVER && zero + next < oldest)
        oldest = zero + next;
    for (int i = 0; i < r->plan->clients; i++) {
        mono_ns planned = atomic_load_explicit(&r->client[i].in_hand, memory_order_relaxed);
        if (planned && planned < oldest && (planned < r->measure_from) == c->warming)
            oldest = planned;
    }
    return at - oldest;
}

uint64_t collect_in_flight(const struct collect *c)
{
    const uint64_t *n = c->now.count;

    return n[CNT_STARTED] - n[CNT_DONE] - n[CNT_FAILED] - n[CNT_WITHDRAWN];
}

/* How evenly the transactions were spread over the clients. */
static void fill_spread(const struct collect *c, const struct baseline *base,
                        struct snapshot_rate *q)
{
    q->events_least = UINT64_MAX;
    for (int i = 0; i < c->run->plan->clients; i++) {
        uint64_t n = c->now.events[i] - base->events[i];
        q->events_least = n < q->events_least ? n : q->events_least;
        q->events_most = n > q->events_most ? n : q->events_most;
    }
}

static void fill_rate(struct collect *c, const struct baseline *base, struct snapshot *s)
{
    struct snapshot_rate *q = &s->rate;
    const struct baseline *b = &c->now, *o = &c->origin;

    s->has_rate = true;
    q->target = c->run->plan->rate;
    q->offered = b->offered - base->offered;
    q->done = b->count[CNT_DONE] - base->count[CNT_DONE];
    q->failed = b->count[CNT_FAILED] - base->count[CNT_FAILED];
    q->dropped = b->dropped - base->dropped;
    q->late = b->count[CNT_LATE] - base->count[CNT_LATE];
    q->total_offered = b->offered - o->offered;
    q->total_done = b->count[CNT_DONE] - o->count[CNT_DONE];
    q->total_failed = b->count[CNT_FAILED] - o->count[CNT_FAILED];
    q->total_dropped = b->dropped - o->dropped;
    q->total_late = b->count[CNT_LATE] - o->count[CNT_LATE];
    q->total_late_idle = b->count[CNT_LATE_IDLE] - o->count[CNT_LATE_IDLE];
    q->withdrawn = b->count[CNT_WITHDRAWN] - o->count[CNT_WITHDRAWN];
    q->in_flight = collect_in_flight(c);
    q->waiting = b->offered - b->dropped - b->count[CNT_STARTED];
    q->unfinished = q->waiting + q->in_flight + q->withdrawn;
    if (s->kind == SNAPSHOT_PHASE)
        q->oldest_ns = -1; /* it can be told at the moment only, and that is over */
    else
        q->oldest_ns = q->waiting + q->in_flight ? oldest_due(c, b->at) : 0;
    if (s->kind == SNAPSHOT_FINAL)
        base = o;
    q->response = series(c, &b->response, &base->response);
    q->service = series(c, &b->service, &base->service);
    q->lag = series(c, &b->lag, &base->lag);
    if (s->kind == SNAPSHOT_CHECKPOINT || s->kind == SNAPSHOT_FINAL)
        fill_spread(c, base, q);
    s->stock_rate = c->run->plan->stock_rate;
    s->queue_length = q->waiting;
    s->concurrency = q->in_flight;
}

/* After the curtain nothing is read any more: an interval that lies behind it has no figures, not
 * those of no time. */
static void fill_process(struct snapshot_server *v, const char *describe,
                         const struct sample *before, const struct sample *now)
{
    v->on = true;
    v->describe = describe;
    sample_diff(before, now, &v->d);
    if (v->d.wall_ns <= 0)
        sample_none(&v->d, "the load had ended before this interval");
}

static void fill_server(struct collect *c, const struct baseline *base, struct snapshot *s,
                        struct probe_delta *probe)
{
    struct run *r = c->run;

    s->ncpu = c->ncpu;
    if (r->server)
        fill_process(&s->server, server_describe(r->server), &base->server, &c->now.server);
    s->server.ncpu = r->server ? server_cpus(r->server) : 0;
    if (run_watches(r))
        fill_process(&s->self, "sysbench", &base->self, &c->now.self);
    if (r->obs->probe) {
        probe_diff(r->obs->probe, &base->probe, &c->now.probe, s->server.on ? &s->server.d : NULL,
                   probe);
        s->probe = probe;
    }
}

/* What one client did in the period; read_latencies() has left the shortest and the longest there.
 */
static void client_figures(struct collect *c, const struct baseline *base, int i,
                           struct snapshot_client *f)
{
    f->events = c->now.events[i] - base->events[i];
    f->sum_ns = c->now.lat_sum[i] - base->lat_sum[i];
    if (f->events == 0)
        f->min_ns = f->max_ns = -1;
}

/* Of the population, in a second pass: differences of large squares would leave a spread where
 * there is none. */
static void fill_stddev(struct snapshot *s)
{
    double ev2 = 0, ex2 = 0;

    for (int i = 0; i < s->nclients; i++) {
        double ev = (double)s->clients[i].events - s->events_avg;
        double ex = dur_sec(s->clients[i].sum_ns) - s->exec_avg_s;
        ev2 += ev * ev;
        ex2 += ex * ex;
    }
    s->events_stddev = sqrt(ev2 / s->nclients);
    s->exec_stddev_s = sqrt(ex2 / s->nclients);
}

/* Stock's fairness block and min/avg/max/sum: over the clients, for the period. */
static void fill_fairness(struct collect *c, const struct baseline *base, struct snapshot *s)
{
    int64_t min = INT64_MAX, max = 0;
    double n = c->run->plan->clients, ev = 0, ex = 0;

    for (int i = 0; i < c->run->plan->clients; i++) {
        struct snapshot_client *f = &c->clients[i];
        client_figures(c, base, i, f);
        ev += (double)f->events;
        ex += dur_sec(f->sum_ns);
        min = f->min_ns >= 0 && f->min_ns < min ? f->min_ns : min;
        max = f->max_ns > max ? f->max_ns : max;
    }
    s->clients = c->clients;
    s->nclients = c->run->plan->clients;
    s->latency_sum_ms = ex * 1e3;
    s->latency_avg_ms = ev > 0 ? ex * 1e3 / ev : 0;
    s->latency_min_ms = min == INT64_MAX ? 0 : dur_ms(min);
    s->latency_max_ms = dur_ms(max);
    s->events_avg = ev / n;
    s->exec_avg_s = ex / n;
    fill_stddev(s);
}

/* Nothing is dropped for its age after the end: what is waiting then is unfinished. */
static void shed(struct collect *c)
{
    mono_ns now = clock_mono(), end = atomic_load(&c->run->end), zero;
    struct tickets *line = line_of(c, &zero);

    now = now < end ? now : end;
    c->latest = now > c->latest ? now : c->latest;
    tickets_shed(line, now - zero);
}

/* The last tick comes when it gets a CPU; the time after the last transaction of the run is not
 * part of the interval. */
static void end_with_run(struct collect *c, const struct baseline *base)
{
    struct run *r = c->run;
    mono_ns end = atomic_load(&r->end);

    if (c->now.at <= end || collect_in_flight(c))
        return;
    for (int i = 0; i < r->plan->clients; i++) {
        mono_ns last = atomic_load_explicit(&r->client[i].last, memory_order_relaxed);
        end = last > end ? last : end;
    }
    if (end > base->at && end < c->now.at)
        c->now.at = end;
}

/* Latencies with all their digits: the figures of what `events` covers, and the histograms for
 * those who want all. */
static void fill_latency(struct collect *c, const struct baseline *base, struct snapshot *s)
{
    const struct baseline *b = &c->now;

    s->has_latency = c->run->tickets || c->run->plan->keep_histograms;
    if (!s->has_latency)
        return;
    s->latency = series(c, &b->response, &base->response);
    if (!c->run->plan->keep_histograms || s->kind == SNAPSHOT_PHASE)
        return;
    if (s->kind == SNAPSHOT_FINAL)
        base = &c->origin;
    hist_counts_diff(&c->response, &b->response, &base->response);
    s->hists.response = &c->response;
    if (!c->run->tickets)
        return;
    hist_counts_diff(&c->service, &b->service, &base->service);
    hist_counts_diff(&c->lag, &b->lag, &base->lag);
    s->hists.service = &c->service;
    s->hists.lag = &c->lag;
}

/* The time that clients have spent in transactions since measuring began, from actual starts on and
 * whatever became of them. */
static double time_in_transactions(struct collect *c)
{
    int64_t sum = undone(c->run);

    if (c->run->tickets) {
        hist_counts_diff(&c->diff, &c->now.service, &c->origin.service);
        return (c->diff.total ? hist_mean(&c->diff) * (double)c->diff.total / 1e9 : 0) +
               dur_sec(sum);
    }
    for (int i = 0; i < c->run->plan->clients; i++)
        sum += c->now.lat_sum[i] - c->origin.lat_sum[i];
    return dur_sec(sum);
}

static void fill_statements(struct collect *c, struct snapshot *s)
{
    s->statements = c->statement;
    s->nstatements = kinds_figures(c->run->obs->kinds, c->statement);
    s->transactions_s = time_in_transactions(c);
}

/* The listed percentiles of the latencies in c->shown, on stock's grid. */
static void fill_percentiles(const struct collect *c, struct snapshot *s)
{
    const struct plan *p = c->run->plan;

    s->percentiles = p->percentiles;
    for (size_t i = 0; i < p->percentiles; i++) {
        s->percentile[i] = p->percentile[i];
        s->latency_pct_ms[i] = hist_stock_percentile_ms(&c->shown, p->percentile[i]);
    }
}

void collect_fill(struct collect *c, enum snapshot_kind kind, const struct baseline *base,
                  struct probe_delta *probe, struct snapshot *s)
{
    struct run *r = c->run;

    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->warmup = c->warming;
    s->at = c->now.at;
    s->wall = clock_wall_at(s->at);
    s->elapsed_ns = c->now.at - c->origin.at;
    s->interval_ns = c->now.at - base->at;
    s->threads_running = atomic_load(&r->alive);
    s->stamp_decimals = r->plan->stamp_decimals;
    for (int k = 0; k < CNT_MAX; k++) {
        s->count[k] = c->now.count[k] - base->count[k];
        s->total[k] = c->now.count[k] - c->origin.count[k];
    }
    s->events = all_events(s->count);
    s->reads = s->count[CNT_READ];
    s->writes = s->count[CNT_WRITE];
    s->other = s->count[CNT_OTHER];
    s->errors = s->count[CNT_ERROR];
    s->reconnects = s->count[CNT_RECONNECT];
    hist_counts_diff(&c->shown, &c->now.stock, &base->stock);
    fill_percentiles(c, s);
    if (r->tickets)
        fill_rate(c, base, s);
    fill_latency(c, base, s);
    fill_server(c, base, s, probe);
}

void collect_snapshot(struct collect *c, enum snapshot_kind kind, mono_ns at, struct snapshot *s)
{
    struct run *r = c->run;
    struct baseline *base = kind == SNAPSHOT_INTERVAL ? &c->interval : &c->period;
    size_t n = (size_t)r->plan->clients;

    if (r->tickets)
        shed(c);
    take_reading(c, kind, at);
    if (kind != SNAPSHOT_FINAL)
        end_with_run(c, base);
    if (!c->warming)
        phases_cut(c, kind);
    collect_fill(c, kind, base, &c->probe, s);
    s->stock_hist = &c->shown;
    if (!c->warming)
        phases_fill(c, s);
    if (kind != SNAPSHOT_INTERVAL)
        fill_fairness(c, base, s);
    if (kind == SNAPSHOT_FINAL && r->obs->kinds)
        fill_statements(c, s);
    if (kind == SNAPSHOT_CHECKPOINT)
        baseline_copy(&c->period, &c->now, n);
    else if (kind == SNAPSHOT_INTERVAL)
        baseline_copy(&c->interval, &c->now, n);
}
