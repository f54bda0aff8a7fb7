/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors by code and outages, into snapshots.  The table and the outages are those of the measured
 * part; a reading keeps the counts, so an interval's are a difference like all others.
 */
#include "engine/collect.h"
#include "engine/ranks.h"

#include <string.h>

void collect_errors_read(struct collect *c)
{
    struct collect_errors *v = &c->errors;

    v->n = c->figures.warming ? 0 : error_table_rows(c->run->errors, v->row);
    memset(c->now.errors, 0, sizeof c->now.errors);
    for (size_t i = 0; i < v->n; i++)
        c->now.errors[i] = v->row[i].count;
}

static void fill_errors(struct collect *c, const struct baseline *before, struct snapshot *s)
{
    struct collect_errors *v = &c->errors;

    s->by_code = v->shown;
    for (size_t i = 0; i < v->n; i++) {
        v->shown[s->nby_code++] =
            (struct snapshot_error){.row = &v->row[i],
                                    .count = c->now.errors[i] - before->errors[i],
                                    .first_ns = v->row[i].first - c->origin.at,
                                    .last_ns = v->row[i].last - c->origin.at};
    }
}

/* Response times: those before the first outage are all but the others. */
static void fill_latencies(struct collect *c, struct snapshot_outages *o)
{
    struct hist_counts during, after;

    hist_counts_init(&during, HIST_BUCKETS);
    hist_counts_init(&after, HIST_BUCKETS);
    if (ranks_lead(c->run)) {
        hist_counts_merge(&during, &c->run->ranks->of[0].end.during);
        hist_counts_merge(&after, &c->run->ranks->of[0].end.after);
    } else {
        outages_latencies(c->run->outages, &during, &after);
    }
    figures_series(c->run->plan, &during, &o->during);
    figures_series(c->run->plan, &after, &o->after);
    /* a rank that was lost has not told which of its latencies were before them */
    o->has_before =
        plan_keeps_all(c->run->plan) && !c->run->plan->old_rate && !ranks_any_lost(c->run);
    hist_counts_merge(&during, &after);
    o->has_before = o->has_before && c->now.response.total >= during.total;
    if (o->has_before) {
        hist_counts_diff(&after, &c->now.response, &during);
        figures_series(c->run->plan, &after, &o->before);
    }
    hist_counts_fini(&during);
    hist_counts_fini(&after);
}

size_t collect_outages(struct collect *c, struct outage out[OUTAGES_MAX], size_t *more,
                       unsigned *away)
{
    size_t n = outages_read(c->run->outages, c->now.at, out, more, away);

    for (size_t i = 0; i < n; i++) /* it lasts until the end of the run */
        if (!out[i].over)
            run_outage_counts(c->run, c->now.at, &out[i].after, NULL);
    return n;
}

static void fill_outages(struct collect *c, struct snapshot *s)
{
    struct snapshot_outages *o = &c->errors.outages;

    *o = (struct snapshot_outages){.row = c->errors.outage, .zero = c->origin.at};
    if (ranks_lead(c->run))
        o->n = ranks_outages(c->run->ranks, c->errors.outage, &o->more);
    else
        o->n = collect_outages(c, c->errors.outage, &o->more, &o->away);
    if (o->n == 0)
        return;
    o->away = s->connections_away;
    fill_latencies(c, o);
    s->outages = o;
}

void collect_errors_fill(struct collect *c, const struct baseline *before, struct snapshot *s)
{
    s->connections_away = outages_away(c->run->outages) + ranks_away(c->run);
    fill_errors(c, s->kind == SNAPSHOT_FINAL ? &c->origin : before, s);
    if (s->kind == SNAPSHOT_FINAL && !c->figures.warming)
        fill_outages(c, s);
}
