/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Takes the readings that snapshots are made of (figures.h).  Three baselines are kept: the last
 * interval report, the last checkpoint, and where measuring began; interval and checkpoint reports
 * therefore cannot steal samples from each other.  Phases and stages have their own (windows.c).
 *
 * cut_note (why the identity holds in every snapshot): the clients' counts and the drops are read
 * first, the clock after them, and the offered transactions are computed for that instant.  All
 * that were counted as begun or dropped were planned before it, so waiting = offered - dropped -
 * begun is never negative; a transaction that ends during the reading is in flight in this snapshot
 * and done in the next.
 */
#include "engine/collect.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "engine/client_state.h"
#include "engine/executor.h"
#include "engine/hosts.h"
#include "engine/ranks.h"
#include "engine/warmup.h"
#include "sql/sql.h"
#include "telemetry/member.h"

/* The processes are read so long after the counts: what was done meanwhile is counted again. */
#define SAMPLED_LATE NS_PER_MS

/* Counts and latencies of an interval may differ by one in so many. */
#define READ_APART 100
#define READ_TRIES 5

void collect_init(struct collect *c, struct run *r, bool warming)
{
    size_t n = (size_t)plan_told_clients(r->plan);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct baseline *const all[] = {&c->now, &c->interval, &c->period, &c->origin};

    memset(c, 0, sizeof *c);
    c->run = r;
    c->stride = ranks_lead(r) ? (size_t)r->plan->ranks : 1;
    figures_init(&c->figures, r->plan);
    c->figures.warming = warming;
    c->figures.ncpu = cpus > 0 ? (int)cpus : 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        baseline_init(all[i], n);
    if (r->plan->hosts && !warming)
        c->host = mem_array(run_hosts(r), sizeof *c->host);
    for (size_t i = 0; c->host && i < sizeof all / sizeof *all; i++) {
        all[i]->nhosts = run_hosts(r);
        all[i]->host = host_counts_new(all[i]->nhosts);
    }
}

static void windows_fini(struct windows *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->of[i]);
    if (w->from) {
        baseline_fini(w->from);
        free(w->from);
    }
}

void collect_fini(struct collect *c)
{
    baseline_fini(&c->now);
    baseline_fini(&c->interval);
    baseline_fini(&c->period);
    baseline_fini(&c->origin);
    figures_fini(&c->figures);
    rank_end_fini(&c->end);
    free(c->host);
    free(c->trail);
    windows_fini(&c->phase);
    windows_fini(&c->stage);
}

/* The schedule that is read, and the origin of its instants. */
static struct tickets *schedule_of(const struct collect *c, mono_ns *zero)
{
    *zero = c->figures.warming ? c->run->t0 : c->run->measure_from;
    return c->figures.warming ? c->run->warm.tickets : c->run->tickets;
}

/* The processes, the other sources, and what has happened to the machine meanwhile. */
static void read_processes(struct collect *c, struct baseline *b)
{
    struct run *r = c->run;
    struct machine_state m;

    if (r->server)
        server_read(r->server, &b->server);
    if (run_reads_self(r))
        self_read(&b->self);
    if (r->obs->probe)
        probe_read(r->obs->probe, r->server ? &b->server : NULL, &b->probe);
    machine_read(&m, run_now(r));
    incidents_look(&c->incidents, &m, r->server ? &b->server : NULL);
    b->cpu = c->incidents.last.cpu;
}

/* What was done by now, beside any other reading. */
static uint64_t done_by_now(const struct collect *c)
{
    uint64_t count[CNT_MAX] = {0};

    for (int i = 0; i < c->run->plan->clients; i++)
        warmup_counts(c->run, i, c->figures.warming, count);
    return figures_events(count);
}

void collect_final_reading(struct collect *c)
{
    if (!c->drawn) {
        read_processes(c, &c->last);
        c->last.sampled = done_by_now(c);
    }
    c->drawn = true;
}

/*
 * Counts and latencies of one instant; client i is number i * stride in reports.  A checkpoint
 * begins the client's next period right after its counts: later, a transaction that ends during the
 * reading would be counted in one period and be the shortest or longest of the other.
 */
static void read_clients(struct collect *c, enum snapshot_kind kind)
{
    struct run *r = c->run;
    struct baseline *b = &c->now;
    const struct shard *shard = c->figures.warming ? r->warm.shard : r->shard;

    memset(b->count, 0, sizeof b->count);
    b->undone = 0;
    hosts_read_begin(r, b);
    for (int i = 0; i < r->plan->clients; i++) {
        struct client *cl = &r->client[i];
        uint64_t own[CNT_MAX] = {0}; /* one reading: the clients' add up to the sum */
        size_t at = (size_t)i * c->stride;
        warmup_counts(r, i, c->figures.warming, own);
        for (int k = 0; k < CNT_MAX; k++)
            b->count[k] += own[k];
        b->events[at] = figures_events(own);
        hosts_read_client(cl, own, b);
        b->undone += LOAD(cl->undone);
        unsigned period = LOAD(cl->period);
        bool any = LOAD(cl->epoch) == period;
        b->lat_sum[at] = LOAD(cl->lat_sum);
        c->figures.clients[at].min_ns = any ? LOAD(cl->lat_min) : -1;
        c->figures.clients[at].max_ns = any ? LOAD(cl->lat_max) : -1;
        if (kind == SNAPSHOT_CHECKPOINT)
            STORE(cl->period, period + 1);
    }
    hosts_read_end(r, b);
    for (size_t i = 0; i < baseline_tally.hists; i++)
        hist_counts_clear(tally_hist(&baseline_tally, b, i));
    for (size_t i = 0; i < r->nshards * run_hosts(r); i++) {
        struct hist_counts *response = b->host ? &b->host[i / r->nshards].response : &b->response;
        hist_counts_add_stock(&b->stock, &shard[i].stock);
        if (shard[i].response)
            hist_counts_add(response, shard[i].response);
        if (r->tickets) {
            hist_counts_add(&b->service, shard[i].service);
            hist_counts_add(&b->lag, shard[i].lag);
        }
    }
    for (size_t h = 0; h < b->nhosts; h++)
        hist_counts_merge(&b->response, &b->host[h].response);
}

/* Everything cumulative, in the order of cut_note; `at` <= 0: now. */
static void take_reading(struct collect *c, enum snapshot_kind kind, mono_ns at)
{
    struct run *r = c->run;
    struct baseline *b = &c->now;
    mono_ns zero, end = atomic_load(&r->end), began;
    struct tickets *schedule = schedule_of(c, &zero);
    uint64_t sampled;
    int tries = kind == SNAPSHOT_CHECKPOINT ? 1 : READ_TRIES; /* it begins the clients' periods */

    /* the table of errors is of the measured part */
    b->lost = 0;
    c->errors.n = c->figures.warming ? 0 : error_table_rows(r->errors, c->errors.row);
    memset(b->errors, 0, sizeof b->errors);
    for (size_t i = 0; i < c->errors.n; i++)
        b->errors[i] = c->errors.row[i].count;
    /* A thread that loses its CPU between counts and latencies would put transactions into a
     * report's percentiles that are not among its counts.  So both are read again while they differ
     * by more than what clients were just recording, but not for ever. */
    do {
        read_clients(c, kind);
        sampled = r->tickets             ? b->service.total
                  : r->plan->percentiles ? b->stock.total
                                         : b->count[CNT_DONE]; /* nothing is measured */
        sampled = (uint64_t)llabs((int64_t)(sampled - b->count[CNT_DONE]));
    } while (--tries > 0 &&
             sampled * READ_APART > b->count[CNT_DONE] - c->interval.count[CNT_DONE]);
    if (schedule)
        b->dropped = tickets_dropped(schedule);
    b->at = at > 0 ? at : run_now(r);
    c->latest = b->at > c->latest ? b->at : c->latest;
    /* all that an earlier reading counted or dropped was offered: the final reading may be for an
     * earlier instant */
    if (schedule) {
        b->offered = tickets_offered(schedule, c->latest - zero);
        /* the earliest planned start of the transactions that are due and have not ended */
        dur_ns next = tickets_next_planned(schedule);
        b->oldest = next != MONO_NEVER ? zero + next : MONO_NEVER;
        for (int i = 0; i < r->plan->clients; i++) {
            mono_ns planned = LOAD(r->client[i].in_hand);
            if (planned && planned < b->oldest && (planned < r->measure_from) == c->figures.warming)
                b->oldest = planned;
        }
        /* what was asked for up to the reading, or to the end of the schedule */
        b->changed = tickets_rate_changed(schedule);
        b->planned_to = (b->at < end ? b->at : end) - zero;
        b->planned = tickets_pos(schedule, b->planned_to); /* it may change later */
    }
    c->reading_ns = 0;
    if (c->drawn) {
        b->server = c->last.server;
        b->self = c->last.self;
        b->probe = c->last.probe;
        b->sampled = c->last.sampled;
        b->cpu = c->last.cpu;
    } else {
        began = run_now(r);
        read_processes(c, b);
        c->reading_ns = run_now(r) - began;
        b->sampled = began - c->latest > SAMPLED_LATE ? done_by_now(c) : figures_events(b->count);
    }
    b->own = b->sampled;
    if (!c->drawn)
        trail_report(c);
}

void collect_first_reading(struct collect *c)
{
    read_processes(c, &c->origin);
    c->origin.sampled = c->origin.own = done_by_now(c);
    c->first_read = true;
}

/* All counts are still zero in every baseline, and stay so: the clients may have begun before this
 * is called, and all they did since `at` counts.  Nothing here may be slow, since the clock is
 * running. */
void collect_origin(struct collect *c, mono_ns at)
{
    const size_t n = (size_t)c->figures.nclients;

    if (!c->first_read)
        collect_first_reading(c);
    c->origin.at = at;
    baseline_copy(&c->interval, &c->origin, n);
    baseline_copy(&c->period, &c->origin, n);
}

void collect_fill(struct collect *c, enum snapshot_kind kind, const struct baseline *from,
                  const struct baseline *to, struct probe_delta *probe, struct snapshot *s)
{
    struct figure_table *f = &c->figures;
    struct server *server = c->run->server;

    f->server = server ? server_describe(server) : NULL;
    f->self = run_reads_self(c->run);
    f->probe = c->run->obs->probe;
    f->server_cpus = server ? server_cpus(server) : 0;
    f->threads_running = c->alive - atomic_load(&c->run->absent);
    f->origin = &c->origin;
    f->before = from;
    f->now = to;
    f->probe_delta = probe;
    figures_fill(f, kind, s);
    s->machine = span_machine(c->run, s, &from->cpu, &to->cpu);
}

void collect_own(struct collect *c, enum snapshot_kind kind, mono_ns at)
{
    mono_ns now, end, zero;
    struct tickets *schedule = schedule_of(c, &zero);

    if (c->run->tickets) { /* nothing is dropped for its age after the end */
        now = run_now(c->run);
        end = atomic_load(&c->run->end);
        now = now < end ? now : end;
        c->latest = now > c->latest ? now : c->latest;
        tickets_shed(schedule, now - zero);
    }
    take_reading(c, kind, at);
    c->alive = atomic_load(&c->run->alive);
    c->taken = true;
}

void collect_reading(struct collect *c, enum snapshot_kind kind, mono_ns at)
{
    if (!c->taken)
        collect_own(c, kind, at);
    c->taken = false;
    ranks_merge(c, kind);
}

/* Keeps the latest in order; returns how many there are. */
static size_t add_latest(mono_ns latest[BACKLOG_GAPS + 1], size_t n, mono_ns at)
{
    size_t k;

    if (n > BACKLOG_GAPS && at <= latest[0])
        return n;
    if (n > BACKLOG_GAPS)
        memmove(latest, latest + 1, --n * sizeof *latest);
    for (k = n; k && latest[k - 1] > at; k--)
        latest[k] = latest[k - 1];
    latest[k] = at;
    return n + 1;
}

/* In the order of cut_note.  `service` is summed over the histogram's buckets. */
void collect_look(struct collect *c, mono_ns before)
{
    struct run *r = c->run;
    struct hist_counts *service = &c->figures.diff;
    uint64_t dropped = tickets_dropped(r->tickets);
    struct backlog_point p = {.dropped = dropped, .late = c->late.late};
    mono_ns now = run_now(r), at = now < before ? now : before - 1;
    const struct backlog_point *last = &c->backlog.p[c->backlog.n - 1];
    mono_ns latest[BACKLOG_GAPS + 1]; /* begins of clients that run */
    uint64_t count[CNT_MAX] = {0};
    size_t k = 0;

    p.running = last->running;
    p.scripting = last->scripting;
    p.gaps = last->gaps;
    p.short_gaps = last->short_gaps;
    for (int i = 0; i < r->plan->clients; i++) {
        const struct client *v = &r->client[i];
        uint64_t n[CNT_MAX] = {0}, ended;
        warmup_counts(r, i, false, n);
        ended = n[CNT_DONE] + n[CNT_FAILED] + n[CNT_WITHDRAWN];
        for (int j = 0; j < CNT_MAX; j++)
            count[j] += n[j];
        p.begun += n[CNT_STARTED];
        p.ended += ended;
        p.busy += (double)LOAD(v->undone);
        p.woken += (double)LOAD(v->woken);
        if (n[CNT_STARTED] > ended) {
            mono_ns begun = LOAD(v->begun);
            k = add_latest(latest, k, begun);
            p.busy += now > begun ? (double)(now - begun) : 0;
            p.running++;
            p.scripting += !LOAD(v->in_statement);
        }
    }
    if (p.running - last->running == (uint64_t)r->plan->clients &&
        p.ended >= c->gaps_ended + BACKLOG_GAPS) { /* they are others than before */
        backlog_gaps(&p, latest, k);
        c->gaps_ended = p.ended;
    }
    c->latest = at > c->latest ? at : c->latest;
    p.at = at - r->measure_from;
    p.offered = tickets_offered(r->tickets, c->latest - r->measure_from);
    hist_counts_clear(service);
    for (size_t i = 0; i < r->nshards * run_hosts(r); i++)
        hist_counts_add(service, r->shard[i].service);
    p.done = service->total;
    p.service = service->total ? hist_mean(service) * (double)service->total : 0;
    p.busy += p.service;
    executor_look(r, &p.workers, &p.working);
    p.workers += last->workers;
    p.working += last->working;
    backlog_add(&c->backlog, &p);
    trail_look(c, at, count);
}
