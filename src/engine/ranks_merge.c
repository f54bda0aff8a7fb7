/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Readings of several ranks.  A member makes no report: at each tick it takes a reading, as for a
 * report, and sends it; when ticks are far apart, one more after each RANKS_BEAT, so that little is
 * lost with it.
 *
 * The leader makes the reading of all ranks out of its own and the latest of each member.  All
 * figures are totals that only grow, so the reports, which are differences of two readings, need to
 * know nothing about ranks.  A member's reading that is older than the tick is as good: what is not
 * in it is in a later one, and each share's counts balance by themselves.
 *
 * At a tick the leader reads its own figures first, and then waits for those of the same tick, for
 * half an interval at most; the next tick is not late then.
 */
#include "engine/client_state.h"
#include "engine/collect.h"
#include "engine/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/plan.h"
#include "sql/sql_sessions.h"

/* --- what this rank knows --- */

/* As its next report has it; the memory is that of c->now. */
static void put_reading(struct collect *c, bool whole, mono_ns tick, struct str *out)
{
    struct run *r = c->run;
    struct reading *m = &r->ranks->mine;
    struct reading_totals t = {.tick = tick, .lat_min = -1, .lat_max = -1};
    bool warming = c->figures.warming;

    m->b = c->now;
    m->whole = whole;
    m->errors = c->errors.n;
    memcpy(m->error, c->errors.row, c->errors.n * sizeof *m->error);
    m->incidents = c->incidents.n;
    memcpy(m->incident, c->incidents.v, sizeof c->incidents.v);
    t.cpus = (unsigned)carry_cpus();
    t.issued = r->tickets && !warming ? tickets_issued(r->tickets) : 0;
    t.loops_end = run_loops_end(r);
    t.missing = atomic_load(&r->absent);
    t.running = c->alive - t.missing;
    t.away = warming ? 0 : outages_away(r->outages);
    for (size_t i = 0; i < m->clients; i++) {
        struct client *v = &r->client[i];
        struct reading_client own = {.events = c->now.events[i],
                                     .lat_sum = c->now.lat_sum[i],
                                     .lat_min = c->figures.clients[i].min_ns,
                                     .lat_max = c->figures.clients[i].max_ns,
                                     .last = LOAD(v->last)};

        t.returned += counters_get(&r->counters[i], CNT_RETURNED);
        t.last = later(t.last, own.last);
        t.lat_sum += own.lat_sum;
        if (own.lat_min >= 0 && (t.lat_min < 0 || own.lat_min < t.lat_min))
            t.lat_min = own.lat_min;
        t.lat_max = later(t.lat_max, own.lat_max);
        if (whole) {
            own.last = client_warming(v) ? 0 : client_last_done(v);
            m->client[i] = own;
        }
    }
    m->t = t;
    put_u64(out, RANKS_VERSION);
    put_u64(out, warming);
    reading_put(out, m, warming ? &r->ranks->warm_sent : &r->ranks->sent);
    sql_sessions_put(out, &r->ranks->sessions_told);
}

void ranks_tell_reading(struct collect *c, enum snapshot_kind kind, mono_ns tick)
{
    struct str out = STR_INIT;

    put_reading(c, kind == SNAPSHOT_CHECKPOINT, tick, &out);
    cluster_send(c->run->ranks->link, 0, RANKS_READING, out.s, out.len);
    str_free(&out);
}

void ranks_tell_end(struct collect *c, mono_ns run_end)
{
    struct ranks *k = c->run->ranks;
    struct str out = STR_INIT;

    c->end.run_end = run_end;
    put_reading(c, true, run_end, &out);
    rank_end_put(&out, &c->end);
    reading_put_statements(&out, c->run->obs->stmt_stats);
    pthread_mutex_lock(&k->lock);
    k->end_sent = true; /* before it is: the leader may leave at once */
    pthread_mutex_unlock(&k->lock);
    cluster_send(k->link, 0, RANKS_FINAL, out.s, out.len);
    str_free(&out);
}

/* --- the leader takes them --- */

int ranks_take_reading(struct ranks *k, int from, struct get *in)
{
    struct rank *v = &k->of[from];
    bool warming = get_u64(in) != 0;

    if (v->lost)
        return in->bad ? -1 : 0;
    if (reading_get(warming ? &v->warm : &v->now, in))
        return -1;
    sql_sessions_get(from, in);
    if (warming)
        return 0;
    if (v->was[RANK_ORIGIN].self.at == 0) /* ticker_origin(): nothing was done yet */
        v->was[RANK_ORIGIN].self = v->was[RANK_SHOWN].self = v->now.b.self;
    for (size_t i = 0; v->now.whole && i < v->now.clients; i++) {
        const struct reading_client *c = &v->now.client[i];
        struct lat_range *range = &v->range[i];

        if (c->lat_min >= 0 && (range->min < 0 || c->lat_min < range->min))
            range->min = c->lat_min;
        range->max = later(range->max, c->lat_max);
    }
    return 0;
}

int ranks_take_end(struct ranks *k, int from, struct get *in)
{
    struct rank *v = &k->of[from];

    if (ranks_take_reading(k, from, in))
        return -1;
    if (v->lost)
        return 0;
    if (rank_end_get(&v->end, in) || reading_get_statements(k->run->obs->stmt_stats, in))
        return -1;
    v->looping = false;
    v->ended = true;
    return 0;
}

/* --- waiting --- */

void ranks_await(struct ranks *k, bool ends, mono_ns tick, bool warming, mono_ns until)
{
    for (;;) {
        uint32_t word = atomic_load(&k->word);
        bool all = true;

        pthread_mutex_lock(&k->lock);
        for (int i = 1; i < k->n; i++) {
            struct rank *v = &k->of[i];
            const struct reading_totals *t = warming ? &v->warm.t : &v->now.t;
            bool has = v->lost || v->ended || (!ends && (t->tick >= tick || t->loops_end < tick));

            v->late = !has && !ends;
            all = all && has;
        }
        pthread_mutex_unlock(&k->lock);
        if (all || clock_now(k->run->clock) >= until)
            return;
        clock_await(k->run->clock, until, &k->word, word);
    }
}

void ranks_say_late(const struct run *r, dur_ns at)
{
    struct str text = STR_INIT;

    if (!ranks_lead(r))
        return;
    pthread_mutex_lock(&r->ranks->lock);
    for (int i = 1; i < r->ranks->n; i++)
        if (r->ranks->of[i].late)
            str_printf(&text, "%s%d", text.len ? ", " : "", i);
    pthread_mutex_unlock(&r->ranks->lock);
    if (text.len)
        log_warn("The checkpoint report at %.12g s is without the latest figures of rank %s, which "
                 "did not come in time: the next report has them",
                 dur_sec(at), str_cstr(&text));
    str_free(&text);
}

/* --- the members' schedules --- */

void ranks_schedule(struct ranks *k, const struct ticket_spec *spec)
{
    struct ticket_spec share = *spec;

    for (int i = 1; k && k->rank == 0 && i < k->n; i++) {
        share.share.rank = (uint64_t)i;
        k->of[i].schedule = tickets_new(&share);
    }
}

void ranks_close_schedule(struct run *r, mono_ns at)
{
    for (int i = 1; ranks_lead(r) && r->tickets && i < r->ranks->n; i++)
        tickets_close(r->ranks->of[i].schedule, at - r->measure_from);
}

void ranks_set_rate(struct run *r, mono_ns at, double rate)
{
    struct ranks *k = r->ranks;

    if (!ranks_lead(r))
        return;
    for (int i = 1; i < k->n; i++) {
        tickets_hold(k->of[i].schedule);
        tickets_set_rate(k->of[i].schedule, at - r->measure_from, rate);
    }
    ranks_send(k, RANKS_RATE, &(struct ranks_note){.at = at, .rate = rate});
}

uint64_t ranks_offered(struct run *r, dur_ns at)
{
    uint64_t sum = 0;

    for (int i = 1; ranks_lead(r) && i < r->ranks->n; i++) {
        struct rank *v = &r->ranks->of[i];
        v->stage_due = tickets_offered(v->schedule, at);
        sum += v->stage_due;
    }
    return sum;
}

/* --- errors and incidents --- */

/* Counts are added up anew for each report.  The row of all ranks keeps its place once any rank has
 * met it, as in the table of one process, because reports subtract rows by their places; what finds
 * no place is counted in the last row, as is that of the others, which has no code and is the last
 * one of a full table. */
void ranks_merge_rows(struct ranks *k, struct error_row *row, size_t *n)
{
    for (size_t i = 0; i < k->rows; i++)
        k->row[i].count = 0;
    for (int m = 0; m < k->n; m++) {
        const struct error_row *from = m ? k->of[m].now.error : row;
        size_t rows = m ? k->of[m].now.errors : *n;

        for (size_t i = 0; i < rows; i++) {
            const struct error_row *v = &from[i];
            size_t own = k->rows < ERROR_ROWS_MAX ? k->rows : ERROR_ROWS_MAX, at = 0;

            while (at < own &&
                   (k->row[at].code != v->code || strcmp(k->row[at].sqlstate, v->sqlstate) != 0 ||
                    strcmp(k->row[at].class, v->class) != 0))
                at++;
            if (i == ERROR_ROWS_MAX)
                at = ERROR_ROWS_MAX;
            if (at >= own && at < ERROR_ROWS_MAX) {
                k->row[at] = *v;
                k->row[at].count = 0;
                k->rows = at + 1;
            } else if (at == ERROR_ROWS_MAX && k->rows <= ERROR_ROWS_MAX) {
                k->row[at] = (struct error_row){.class = "other", .first = -1};
                k->rows = ERROR_ROWS_MAX + 1;
            }
            record_merge(&reading_error_record, &k->row[at], v);
        }
    }
    *n = k->rows;
    memcpy(row, k->row, k->rows * sizeof *row);
}

/* Times need no conversion: members notice by the leader's clock.  The wall clock, the sleep and
 * the CPUs of a member on the leader's kernel are the leader's, which tells of them itself; that a
 * process was stopped is of each. */
void ranks_add_incidents(struct incidents *to, struct reading *from, int rank, const char *host,
                         bool same_kernel)
{
    for (; from->merged < from->incidents && to->n < SNAPSHOT_MAX_INCIDENTS; from->merged++) {
        struct snapshot_incident v = from->incident[from->merged];

        if (same_kernel && (v.kind == INCIDENT_CLOCK_SET || v.kind == INCIDENT_SUSPENDED ||
                            v.kind == INCIDENT_CPUS))
            continue;
        v.rank = rank;
        v.host = host ? host : "";
        to->v[to->n++] = v;
    }
}

void ranks_own_incidents(struct incidents *i, const char *host)
{
    for (size_t k = i->told; k < i->n; k++)
        if (!i->v[k].host && i->v[k].kind > INCIDENT_SERVER_CHANGED)
            i->v[k].host = host ? host : "";
}

/* --- merging --- */

static void add_rank(struct collect *c, int rank, enum snapshot_kind kind)
{
    struct figure_table *f = &c->figures;
    struct rank *v = &c->run->ranks->of[rank];
    struct reading *from = f->warming ? &v->warm : &v->now;

    if (v->lost) {
        /* See lost_note.  Nothing goes on, and nothing is connected; its tickets wait for nobody.
         * What a warm-up would have offered is not known, and in no figure but those of its
         * lines. */
        struct baseline *b = &from->b;
        uint64_t ended = b->count[CNT_DONE] + b->count[CNT_FAILED] + b->count[CNT_WITHDRAWN];

        b->count[CNT_STARTED] = ended;
        b->oldest = MONO_NEVER;
        from->t.running = from->t.missing = from->t.away = 0;
        for (size_t h = 0; b->host && h < b->nhosts; h++)
            b->host[h].connections = b->host[h].clients = 0;
        if (v->schedule) { /* it may have told of more than its schedule says */
            uint64_t offered =
                f->warming ? 0 : tickets_offered(v->schedule, c->latest - c->run->measure_from);

            b->offered = offered > b->offered ? offered : b->offered;
            b->lost = b->offered - b->dropped - ended;
        }
        if (!f->warming) {
            v->given_up = b->lost;
            from->t.issued = b->offered;
            from->t.returned = 0;
        }
    }
    reading_add(&c->now, &from->b);
    c->now.lat_total += from->t.lat_sum;
    for (size_t i = 0; i < from->clients; i++) {
        size_t at = i * (size_t)c->run->ranks->n + (size_t)rank;

        c->now.events[at] = from->client[i].events;
        c->now.lat_sum[at] = from->client[i].lat_sum;
        f->clients[at].min_ns = v->range[i].min;
        f->clients[at].max_ns = v->range[i].max;
        f->clients[at].unknown = v->lost;
        if (kind == SNAPSHOT_CHECKPOINT)
            v->range[i] = (struct lat_range){-1, -1};
    }
    v->counted = f->warming ? 0 : figures_events(v->now.b.count);
    if (!v->lost || f->warming)
        return;
    /* what each client did since the last checkpoint went with the rank; what all did is in its
     * last reading */
    f->unknown = true;
    if (v->counted == v->checked || from->t.lat_min < 0)
        return; /* nothing since then */
    if (f->unknown_min < 0 || from->t.lat_min < f->unknown_min)
        f->unknown_min = from->t.lat_min;
    f->unknown_max = later(f->unknown_max, from->t.lat_max);
}

void ranks_merge(struct collect *c, enum snapshot_kind kind)
{
    struct ranks *k = c->run->ranks;
    bool warming = c->figures.warming;
    struct incidents *to = &c->incidents;

    if (!ranks_lead(c->run))
        return;
    pthread_mutex_lock(&k->lock);
    struct reading *own = warming ? &k->of[0].warm : &k->of[0].now;
    baseline_copy(&own->b, &c->now, 0);
    own->t.missing = atomic_load(&c->run->absent);
    own->t.running = c->alive - own->t.missing;
    own->t.away = outages_away(c->run->outages);
    own->t.cpus = (unsigned)carry_cpus();
    if (!warming && k->of[0].was[RANK_ORIGIN].self.at == 0)
        k->of[0].was[RANK_ORIGIN].self = k->of[0].was[RANK_SHOWN].self = c->origin.self;
    c->figures.unknown = false;
    c->figures.unknown_min = c->figures.unknown_max = -1;
    c->now.lat_total = 0;
    for (int i = 0; i < c->run->plan->clients; i++)
        c->now.lat_total += c->now.lat_sum[(size_t)i * c->stride];
    for (int i = 1; i < k->n; i++)
        add_rank(c, i, kind);
    for (int i = 0; !warming && i < k->n; i++)
        baseline_copy(&k->of[i].was[RANK_REPORT], &k->of[i].now.b, 0);
    if (!warming)
        ranks_merge_rows(k, c->errors.row, &c->errors.n);
    for (int i = 1; i < k->n; i++) {
        struct rank *v = &k->of[i];
        const char *host = cluster_host(k->link, i);
        struct cluster_clock_figures clock;
        bool same = cluster_clock_figures(k->link, i, &clock) && clock.same_clock;

        /* a loss only once what is measured is reported, so that the times agree */
        if (!warming && v->lost && !v->reported) {
            v->reported = true;
            incidents_add(to, .kind = INCIDENT_RANK_LOST, .at = v->lost_at, .rank = i,
                          .host = host ? host : "", .why = v->why);
        }
        ranks_add_incidents(to, warming ? &v->warm : &v->now, i, host, same);
    }
    pthread_mutex_unlock(&k->lock);
    memset(c->now.errors, 0, sizeof c->now.errors);
    for (size_t i = 0; i < c->errors.n; i++)
        c->now.errors[i] = c->errors.row[i].count;
}

struct ranks_members ranks_members(const struct run *r, mono_ns limit)
{
    struct ranks_members sum = {.t = {.lat_min = -1, .lat_max = -1}};

    if (!ranks_lead(r))
        return sum;
    pthread_mutex_lock(&r->ranks->lock);
    for (int i = 1; i < r->ranks->n; i++) {
        const struct rank *v = &r->ranks->of[i];
        uint64_t later = v->now.b.offered > v->stage_due ? v->now.b.offered - v->stage_due : 0;

        record_merge(&reading_totals_record, &sum.t, &v->now.t);
        sum.lost_later += later < v->given_up ? later : v->given_up;
        for (size_t c = 0; c < v->now.clients; c++)
            sum.trailing += v->now.client[c].last > limit;
    }
    pthread_mutex_unlock(&r->ranks->lock);
    return sum;
}

/* --- the ends --- */

void ranks_ends(struct collect *c)
{
    struct ranks *k = c->run->ranks;

    if (!ranks_lead(c->run))
        return;
    pthread_mutex_lock(&k->lock);
    for (int i = 1; i < k->n; i++)
        if (k->of[i].ended)
            rank_end_add(&c->end, &k->of[i].end);
    pthread_mutex_unlock(&k->lock);
}

mono_ns ranks_run_end(const struct run *r, mono_ns own)
{
    for (int i = 1; ranks_lead(r) && i < r->ranks->n; i++)
        if (r->ranks->of[i].ended)
            own = later(own, r->ranks->of[i].end.run_end);
    return own;
}

/* --- what the report tells of ranks ---
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
    struct sample_delta *d = &v->self;

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
    sample_diff(&before->self, &now->self, d);
    v->cpu_pct = d->have & SAMPLE_CPU ? sample_pct_one(d->cpu_ns, d->wall_ns) : (double)NAN;
    v->waited_pct = sample_waited_pct(d);
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
