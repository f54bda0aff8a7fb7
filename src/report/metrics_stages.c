/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See metrics_stages.h.  A family for each figure, a sample for each stage: labels are its number
 * and its text.  They are gauges, although most are counts: a stage is over when they appear.
 */
#include "report/metrics_stages.h"

#include <math.h>
#include <stdio.h>

typedef double stage_figure(const struct snapshot_stage *v);

static double target(const struct snapshot_stage *v)
{
    return v->s->rate.target;
}

static double achieved(const struct snapshot_stage *v)
{
    return v->s->rate.achieved;
}

static double offered(const struct snapshot_stage *v)
{
    return (double)v->s->rate.offered;
}

static double done(const struct snapshot_stage *v)
{
    return (double)v->s->rate.done;
}

static double failed(const struct snapshot_stage *v)
{
    return (double)v->s->rate.failed;
}

static double dropped(const struct snapshot_stage *v)
{
    return (double)v->s->rate.dropped;
}

static double late(const struct snapshot_stage *v)
{
    return (double)v->s->rate.late;
}

static double sustained(const struct snapshot_stage *v)
{
    return v->judged && !v->unknown ? v->sustained : (double)NAN;
}

static const struct {
    const char *family, *help;
    stage_figure *get;
} figures[] = {
    {"stage_target_per_second", "planned rate of a stage, mean", target},
    {"stage_achieved_per_second",
     "transactions delivered a second in the time of a stage, as its verdict counts", achieved},
    {"stage_offered", "planned starts of a stage", offered},
    {"stage_done", "transactions done while a stage lasted", done},
    {"stage_failed", "transactions that failed while a stage lasted", failed},
    {"stage_dropped", "planned starts dropped while a stage lasted", dropped},
    {"stage_late", "late starts of the transactions done while a stage lasted", late},
    {"stage_sustained", "1: the rate of a stage was sustained, 0: it was not", sustained}};

static const struct {
    const char *family, *help;
    size_t series;
} latencies[] = {
    {"stage_latency_seconds", "time of a transaction from its planned start, by stage",
     offsetof(struct snapshot_rate, response)},
    {"stage_service_time_seconds", "time of a transaction from its actual start, by stage",
     offsetof(struct snapshot_rate, service)},
    {"stage_lag_seconds", "how late a transaction began after its planned start, by stage",
     offsetof(struct snapshot_rate, lag)}};

/* One sample; a value that does not exist has none. */
static void add(struct metrics *m, const char *family, const char *help,
                const struct metrics_label *label, size_t n, double value)
{
    if (isfinite(value))
        metrics_number(m, metrics_family(m, family, METRICS_GAUGE, help), "", label, n, value);
}

static void add_latencies(struct metrics *m, const struct snapshot_stage *v,
                          const struct metrics_label stage[2])
{
    static const char *const at[] = {"50", "95", "99", "100"};

    for (size_t k = 0; k < sizeof latencies / sizeof *latencies; k++) {
        const struct snapshot_series *x =
            (const void *)((const char *)&v->s->rate + latencies[k].series);
        const int64_t ns[] = {x->p50, x->p95, x->p99, x->max};
        for (size_t i = 0; i < 4; i++) {
            const struct metrics_label label[] = {stage[0], stage[1], {"percentile", at[i]}};
            add(m, latencies[k].family, latencies[k].help, label, 3,
                ns[i] < 0 ? (double)NAN : dur_sec(ns[i]));
        }
    }
}

void metrics_stages(struct metrics *m, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nstages; i++) {
        const struct snapshot_stage *v = &s->stages[i];
        char number[24];
        const struct metrics_label label[] = {{"stage", number}, {"text", v->text}};
        snprintf(number, sizeof number, "%zu", i + 1);
        for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
            add(m, figures[k].family, figures[k].help, label, 2, figures[k].get(v));
        add_latencies(m, v, label);
    }
}
