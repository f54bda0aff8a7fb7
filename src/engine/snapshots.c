/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reading of the collector becomes a snapshot: with the windows that end there, the errors, the
 * hosts, the incidents, and in the final one what is known only at the end of a run.
 */
#include "engine/client_state.h"
#include "engine/collect.h"
#include "engine/executor.h"
#include "engine/hosts.h"
#include "engine/ranks.h"

#include "sql/sql.h"

void collect_end(struct collect *c, const struct run_result *res)
{
    struct run *r = c->run;
    struct rank_end *v = &c->end;
    unsigned away;

    rank_end_init(v);
    v->clients_left = res->clients_left;
    v->forced = res->forced;
    for (int i = 0; i < r->plan->clients; i++) {
        const struct client *n = &r->client[i];
        v->schedule_end = later(v->schedule_end, LOAD(n->over_at));
        if (res->clients_left)
            continue;
        if (LOAD(n->begun) >= n->planned)
            v->planned = later(v->planned, n->planned);
        v->begun = later(v->begun, LOAD(n->begun));
        v->worst_wake = later(v->worst_wake, n->worst_wake);
    }
    v->retries.transactions = LOAD(r->retries.transactions);
    v->retries.retries = LOAD(r->retries.retries);
    v->retries.most = LOAD(r->retries.most);
    v->retries.failed = LOAD(r->retries.failed);
    v->retries.unknown = LOAD(r->retries.unknown);
    v->connections = (struct snapshot_connections){.asked = r->plan->asks_more,
                                                   .limited = r->plan->min_clients_given,
                                                   .clients = (unsigned)plan_told_clients(r->plan),
                                                   .connected = (unsigned)r->plan->clients -
                                                                atomic_load(&r->refused) +
                                                                atomic_load(&r->joined),
                                                   .refused = atomic_load(&r->refused),
                                                   .refused_with = atomic_load(&r->refused_with),
                                                   .plain = sql_plain_connections()};
    v->batches = r->batches;
    v->workers = r->plan->workers;
    v->saturated = r->saturated.n;
    v->saturated_pct = r->saturated.most_pct;
    hist_counts_add(&v->first, r->retries.first);
    hist_counts_add(&v->last, r->retries.last);
    hist_counts_add(&v->connect, r->reconnects.connect);
    hist_counts_add(&v->again, r->reconnects.away);
    outages_latencies(r->outages, &v->during, &v->after);
    v->outages = outages_read(r->outages, c->now.at, v->outage, &v->more_outages, &away);
    for (size_t i = 0; i < v->outages; i++) /* it lasts until the end of the run */
        if (!v->outage[i].over)
            run_outage_counts(r, c->now.at, &v->outage[i].after, NULL);
}

/* The table is that of the measured part; its counts of an interval are a difference like all
 * others. */
static void fill_errors(struct collect *c, const struct baseline *before, struct snapshot *s)
{
    struct collect_errors *v = &c->errors;
    struct snapshot_outages *o = &v->outages;
    struct rank_end *end = &c->end;
    const struct plan *p = c->run->plan;

    s->connections_away = outages_away(c->run->outages) + ranks_members(c->run, 0).t.away;
    s->by_code = v->shown;
    for (size_t i = 0; i < v->n; i++)
        v->shown[s->nby_code++] =
            (struct snapshot_error){.row = &v->row[i],
                                    .count = c->now.errors[i] - before->errors[i],
                                    .first_ns = v->row[i].first - c->origin.at,
                                    .last_ns = v->row[i].last - c->origin.at};
    if (s->kind != SNAPSHOT_FINAL || c->figures.warming)
        return;
    *o = (struct snapshot_outages){.row = end->outage,
                                   .n = end->outages,
                                   .more = end->more_outages,
                                   .away = s->connections_away,
                                   .zero = c->origin.at};
    if (o->n == 0)
        return;
    /* response times: those before the first outage are all but the others; a rank that was lost
     * has not told which of its latencies were before them */
    figures_series(p, &end->during, &o->during);
    figures_series(p, &end->after, &o->after);
    hist_counts_merge(&end->during, &end->after);
    o->has_before = plan_keeps_all(p) && !p->old_rate && !ranks_failed(c->run, NULL, 0) &&
                    c->now.response.total >= end->during.total;
    if (o->has_before) {
        hist_counts_diff(&c->figures.diff, &c->now.response, &end->during);
        figures_series(p, &c->figures.diff, &o->before);
    }
    s->outages = o;
}

/* The last tick comes when it gets a CPU; the time after the last transaction of the run, or after
 * the last loop (--events), is not part of the interval that began at `from`.  Pauses that the time
 * limit does not end are (aligned_end_note). */
static void end_with_load(struct collect *c, mono_ns from)
{
    struct run *r = c->run;
    mono_ns loops_end = run_loops_end(r), last = ranks_members(r, 0).t.last;
    mono_ns over = run_keeps_pauses(r) ? loops_end : atomic_load(&r->end);

    if ((c->now.at <= over && c->now.at <= loops_end) || baseline_in_flight(&c->now))
        return;
    over = later(over, last);
    for (int i = 0; i < r->plan->clients; i++)
        over = later(over, LOAD(r->client[i].last));
    over = loops_end < over ? loops_end : over;
    if (over > from && over < c->now.at)
        c->now.at = over;
}

/* What has happened to the machine or the server, and what of it earlier reports have told. */
static void fill_incidents(struct collect *c, struct snapshot *s)
{
    struct incidents *in = &c->incidents;

    if (ranks_lead(c->run))
        ranks_own_incidents(in, cluster_host(c->run->ranks->link, 0));
    if (s->kind == SNAPSHOT_FINAL) {
        stalls_look(c, true);
        incidents_sort(in);
    }
    if (s->kind == SNAPSHOT_INTERVAL && !c->figures.warming)
        jumps_look(c, s);
    s->incident = in->v;
    s->incidents = in->n;
    s->incidents_told = in->told;
    if (s->kind != SNAPSHOT_CHECKPOINT)
        in->told = in->n;
}

/* What is known only at the end of a run. */
static void fill_final(struct collect *c, struct snapshot *s)
{
    const struct run *r = c->run;
    const struct rank_end *end = &c->end;

    windows_statements(c);
    s->phases = c->phases;
    s->nphases = c->phase.n;
    s->phases_lost = c->phase.lost;
    s->stages = c->stages;
    s->nstages = c->stage.n;
    s->stages_lost = c->stage.lost;
    s->retries = end->retries;
    figures_series(r->plan, &end->first, &s->retries.first);
    figures_series(r->plan, &end->last, &s->retries.last);
    s->connections = end->connections;
    figures_series(r->plan, &end->connect, &s->connections.connect);
    figures_series(r->plan, &end->again, &s->connections.away);
    s->warmed = r->warm.until.result;
    if (r->obs->stmt_stats) {
        s->statements = c->statement;
        s->nstatements = stmt_stats_figures(r->obs->stmt_stats, c->statement);
        s->transactions_s = figures_transactions_s(&c->figures);
    }
}

/* The readings of both ends are complete, and so are the windows between them, before anything is
 * filled; filling only derives from them.  (But incidents and marks count what they have told.) */
void collect_snapshot(struct collect *c, enum snapshot_kind kind, mono_ns at, struct snapshot *s)
{
    struct run *r = c->run;
    const struct baseline *base = kind == SNAPSHOT_INTERVAL ? &c->interval : &c->period;
    bool warming = c->figures.warming;

    collect_reading(c, kind, at);
    if (kind != SNAPSHOT_FINAL)
        end_with_load(c, base->at);
    c->now.wall = clock_label(r->clock, c->now.at);
    if (!warming)
        phases_cut(c, kind);
    if (kind == SNAPSHOT_FINAL)
        stages_end(c);

    collect_fill(c, kind, base, &c->now, &c->probe, s);
    s->stock_hist = &c->figures.shown;
    s->find = r->find;
    fill_errors(c, kind == SNAPSHOT_FINAL ? &c->origin : base, s);
    hosts_fill(r, &c->figures, base, c->host, s);
    /* from one reading: together they are all clients that have not ended */
    s->may_miss = absent_allowed(r);
    s->clients_missing = atomic_load(&r->absent);
    s->threads_running = c->alive - s->clients_missing;
    s->missing_with = atomic_load(&r->refused_with);
    ranks_fill(c, s);
    executor_fill_batches(r->plan, &c->end.batches, &s->batches);
    fill_incidents(c, s);
    if (!warming && r->obs->marks)
        s->marks = marks_at(r->obs->marks, c->marks_from);
    s->nmarks = warming ? 0 : c->marks_cut - c->marks_from;
    if (kind != SNAPSHOT_INTERVAL) {
        figures_fairness(&c->figures, s);
        struct verdict_readings v = span_readings(c, s, &c->now.cpu, &c->now.cpu);
        s->self_limit = verdict_own_cpu(&v, &c->limit) ? c->limit.why : NULL;
    }
    if (kind == SNAPSHOT_FINAL)
        fill_final(c, s);
}

void collect_next(struct collect *c, enum snapshot_kind kind)
{
    struct ranks *k = c->run->ranks;
    size_t n = (size_t)c->figures.nclients;

    if (kind == SNAPSHOT_CHECKPOINT &&
        ranks_lead(c->run)) { /* what follows is of the next period */
        pthread_mutex_lock(&k->lock);
        for (int i = 1; i < k->n; i++)
            k->of[i].checked = k->of[i].counted;
        pthread_mutex_unlock(&k->lock);
    }
    baseline_copy(kind == SNAPSHOT_CHECKPOINT ? &c->period : &c->interval, &c->now, n);
}
