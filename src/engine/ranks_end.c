/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a rank tells once, when no transaction of it is left: what the verdict needs, and figures
 * that are in the final report only.  Of latencies it tells the histograms, because percentiles
 * cannot be added.
 */
#include "engine/collect.h"
#include "engine/ranks.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "stats/outages_join.h"

#define VERSION 1

/* --- memory --- */

#define HISTS 6

static void hists(struct rank_end *v, struct hist_counts *of[HISTS])
{
    struct hist_counts *const all[HISTS] = {&v->first, &v->last,   &v->connect,
                                            &v->again, &v->during, &v->after};

    memcpy(of, all, sizeof all);
}

void rank_end_init(struct rank_end *v)
{
    struct hist_counts *h[HISTS];

    memset(v, 0, sizeof *v);
    hists(v, h);
    for (size_t i = 0; i < HISTS; i++)
        hist_counts_init(h[i], HIST_BUCKETS);
}

void rank_end_fini(struct rank_end *v)
{
    struct hist_counts *h[HISTS];

    hists(v, h);
    for (size_t i = 0; i < HISTS; i++)
        hist_counts_fini(h[i]);
}

/* --- what there is to tell --- */

static void raise_to(int64_t *most, int64_t n)
{
    *most = n > *most ? n : *most;
}

static void fill_clients(struct rank_end *v, struct run *r)
{
    for (int i = 0; i < r->plan->clients; i++) {
        struct client *c = &r->client[i];
        if (c->begun >= c->planned)
            raise_to(&v->n[END_PLANNED], c->planned);
        raise_to(&v->n[END_BEGUN], c->begun);
        raise_to(&v->n[END_WAKE], c->worst_wake);
        raise_to(&v->n[END_OVER], LOAD(c->over_at));
    }
}

static void fill_retries(struct rank_end *v, struct run *r)
{
    v->n[END_RETRIED] = (int64_t)LOAD(r->retries.transactions);
    v->n[END_RETRIES] = (int64_t)LOAD(r->retries.retries);
    v->n[END_MOST_RETRIES] = (int64_t)LOAD(r->retries.most);
    v->n[END_RETRIED_FAILED] = (int64_t)LOAD(r->retries.failed);
    v->n[END_UNKNOWN] = (int64_t)LOAD(r->retries.unknown);
    hist_counts_add(&v->first, r->retries.first);
    hist_counts_add(&v->last, r->retries.last);
}

static void fill_connections(struct rank_end *v, const struct run *r)
{
    struct snapshot_connections s;

    connections_fill(r, &s);
    v->n[END_CONNECTED] = s.connected;
    v->n[END_REFUSED] = s.refused;
    v->n[END_REFUSED_WITH] = s.refused_with;
    v->n[END_PLAIN] = (int64_t)s.plain;
    hist_counts_add(&v->connect, r->reconnects.connect);
    hist_counts_add(&v->again, r->reconnects.away);
}

static void fill_batches(struct rank_end *v, const struct sched_batches *b)
{
    v->n[END_BATCHES] = (int64_t)b->n;
    v->n[END_ANSWERS] = (int64_t)b->answers;
    v->n[END_HELD] = (int64_t)b->sum;
    v->n[END_HELD_MOST] = (int64_t)b->most;
}

void rank_end_fill(struct rank_end *v, struct collect *c, const struct run_result *res)
{
    struct run *r = c->run;
    unsigned away;

    v->n[END_LEFT] = res->clients_left;
    v->n[END_FORCED] = res->forced;
    if (!res->clients_left)
        fill_clients(v, r);
    fill_retries(v, r);
    fill_connections(v, r);
    fill_batches(v, &r->batches);
    v->n[END_WORKERS] = r->plan->workers;
    v->n[END_SATURATED] = r->saturated.n;
    v->n[END_SATURATED_PPM] = (int64_t)(r->saturated.most_pct * 1e4);
    outages_latencies(r->outages, &v->during, &v->after);
    v->outages = collect_outages(c, v->outage, &v->more_outages, &away);
}

/* --- as bytes --- */

#define OUTAGE_INSTANTS 8
#define OUTAGE_COUNTS   11

static void instants(struct outage *o, int64_t *of[OUTAGE_INSTANTS])
{
    int64_t *const all[OUTAGE_INSTANTS] = {&o->first_error, &o->last_error, &o->silent_from,
                                           &o->success,     &o->connected,  &o->drained,
                                           &o->over,        &o->in_time};

    memcpy(of, all, sizeof all);
}

static void counts(struct outage *o, uint64_t *of[OUTAGE_COUNTS])
{
    uint64_t *const all[OUTAGE_COUNTS] = {&o->errors,        &o->before.offered, &o->before.done,
                                          &o->before.failed, &o->before.dropped, &o->before.late,
                                          &o->after.offered, &o->after.done,     &o->after.failed,
                                          &o->after.dropped, &o->after.late};

    memcpy(of, all, sizeof all);
}

static void put_outage(struct put *out, struct outage *o)
{
    int64_t *instant[OUTAGE_INSTANTS];
    uint64_t *count[OUTAGE_COUNTS];

    instants(o, instant);
    counts(o, count);
    for (size_t i = 0; i < OUTAGE_INSTANTS; i++)
        put_i64(out, *instant[i]);
    for (size_t i = 0; i < OUTAGE_COUNTS; i++)
        put_u64(out, *count[i]);
    put_u64(out, o->lost);
}

static void get_outage(struct outage *o, struct get *in)
{
    int64_t *instant[OUTAGE_INSTANTS];
    uint64_t *count[OUTAGE_COUNTS];

    instants(o, instant);
    counts(o, count);
    for (size_t i = 0; i < OUTAGE_INSTANTS; i++)
        *instant[i] = get_i64(in);
    for (size_t i = 0; i < OUTAGE_COUNTS; i++)
        *count[i] = get_u64(in);
    o->lost = (unsigned)get_u64(in);
}

void rank_end_put(struct put *out, struct rank_end *v)
{
    struct hist_counts *h[HISTS], none;

    hists(v, h);
    put_u64(out, VERSION);
    for (size_t i = 0; i < END_MAX; i++)
        put_i64(out, v->n[i]);
    for (size_t i = 0; i < HISTS; i++) {
        hist_counts_init(&none, HIST_BUCKETS);
        reading_put_hist(out, h[i], &none);
        hist_counts_fini(&none);
    }
    put_u64(out, v->more_outages);
    put_u64(out, v->outages);
    for (size_t i = 0; i < v->outages; i++)
        put_outage(out, &v->outage[i]);
}

int rank_end_get(struct rank_end *v, struct get *in)
{
    struct hist_counts *h[HISTS];

    hists(v, h);
    if (get_u64(in) != VERSION)
        return -1;
    for (size_t i = 0; i < END_MAX; i++)
        v->n[i] = get_i64(in);
    for (size_t i = 0; i < HISTS; i++)
        if (reading_get_hist(h[i], in))
            return -1;
    v->more_outages = (size_t)get_u64(in);
    v->outages = (size_t)get_u64(in);
    if (in->bad || v->outages > OUTAGES_MAX)
        return -1;
    for (size_t i = 0; i < v->outages; i++)
        get_outage(&v->outage[i], in);
    return in->bad ? -1 : 0;
}

/* --- the leader adds them to its own --- */

static bool is_most(size_t i)
{
    return i == END_RUN || i == END_OVER || i == END_PLANNED || i == END_BEGUN || i == END_WAKE ||
           i == END_MOST_RETRIES || i == END_REFUSED_WITH || i == END_HELD_MOST;
}

void rank_end_add(struct rank_end *to, struct rank_end *v)
{
    struct hist_counts *sum[HISTS], *h[HISTS];

    hists(to, sum);
    hists(v, h);
    for (size_t i = 0; i < END_MAX; i++) {
        if (is_most(i))
            raise_to(&to->n[i], v->n[i]);
        else
            to->n[i] += v->n[i];
    }
    for (size_t i = 0; i < HISTS; i++)
        hist_counts_merge(sum[i], h[i]);
    to->more_outages += v->more_outages;
    to->outages = outages_join(to->outage, to->outages, v->outage, v->outages, &to->more_outages);
}

/* Into the leader's own.  What ranks that were lost would have told is unknown, and left out. */
void ranks_ends(struct collect *c, const struct run_result *res)
{
    struct ranks *k = c->run->ranks;

    if (!ranks_lead(c->run))
        return;
    rank_end_fill(&k->of[0].end, c, res);
    pthread_mutex_lock(&k->lock);
    for (int i = 1; i < k->n; i++)
        if (k->of[i].ended)
            rank_end_add(&k->of[0].end, &k->of[i].end);
    pthread_mutex_unlock(&k->lock);
}

mono_ns ranks_run_end(const struct run *r, mono_ns own)
{
    mono_ns end = own;

    for (int i = 1; ranks_lead(r) && i < r->ranks->n; i++)
        raise_to(&end, r->ranks->of[i].ended ? r->ranks->of[i].end.n[END_RUN] : 0);
    return end;
}

int64_t ranks_end(const struct run *r, enum rank_end_figure figure, int64_t own)
{
    int64_t all = own;

    if (ranks_lead(r))
        raise_to(&all, r->ranks->of[0].end.n[figure]);
    return all;
}

static void batches_fill(const struct rank_end *v, struct snapshot_batches *out)
{
    uint64_t answers = (uint64_t)v->n[END_ANSWERS];

    out->batches = (uint64_t)v->n[END_BATCHES];
    out->answers = answers;
    out->held_mean_s = out->batches ? (double)v->n[END_HELD] / (double)answers / NS_PER_SEC : NAN;
    out->held_max_s = out->batches ? (double)v->n[END_HELD_MOST] / NS_PER_SEC : NAN;
}

void ranks_end_fill(struct collect *c, struct snapshot *s)
{
    const struct plan *p = c->run->plan;
    const struct rank_end *v;

    if (!ranks_lead(c->run))
        return;
    v = &c->run->ranks->of[0].end;
    s->retries.transactions = (uint64_t)v->n[END_RETRIED];
    s->retries.retries = (uint64_t)v->n[END_RETRIES];
    s->retries.most = (uint64_t)v->n[END_MOST_RETRIES];
    s->retries.failed = (uint64_t)v->n[END_RETRIED_FAILED];
    s->retries.unknown = (uint64_t)v->n[END_UNKNOWN];
    figures_series(p, &v->first, &s->retries.first);
    figures_series(p, &v->last, &s->retries.last);
    s->connections.clients = (unsigned)plan_told_clients(p);
    s->connections.connected = (unsigned)v->n[END_CONNECTED];
    s->connections.refused = (unsigned)v->n[END_REFUSED];
    s->connections.refused_with = (int)v->n[END_REFUSED_WITH];
    s->connections.plain = (size_t)v->n[END_PLAIN];
    figures_series(p, &v->connect, &s->connections.connect);
    figures_series(p, &v->again, &s->connections.away);
    batches_fill(v, &s->batches);
}

size_t ranks_outages(const struct ranks *k, struct outage out[OUTAGES_MAX], size_t *more)
{
    const struct rank_end *v = &k->of[0].end;

    *more = v->more_outages;
    memcpy(out, v->outage, v->outages * sizeof *out);
    return v->outages;
}
