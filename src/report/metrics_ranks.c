/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See metrics_ranks.h.  All are gauges of the last report, as the other rates are; counters of a
 * rank would go backwards for a scraper when the rank is lost.
 */
#include "report/metrics_ranks.h"

#include <math.h>
#include <stdio.h>

typedef double rank_figure(const struct snapshot_rank *v);

static double seconds(int64_t ns)
{
    return ns < 0 ? (double)NAN : dur_sec(ns);
}

static double up(const struct snapshot_rank *v)
{
    return !v->lost;
}

static double threads(const struct snapshot_rank *v)
{
    return v->clients;
}

static double per_s(const struct snapshot_rank *v)
{
    return v->per_s;
}

static double response_p99(const struct snapshot_rank *v)
{
    return seconds(v->response.p99);
}

static double lag_p99(const struct snapshot_rank *v)
{
    return seconds(v->lag.p99);
}

static double late(const struct snapshot_rank *v)
{
    return (double)v->starts_late;
}

static double cpu(const struct snapshot_rank *v)
{
    return v->cpus ? v->cpu_pct / 100 / v->cpus : (double)NAN;
}

static double offset(const struct snapshot_rank *v)
{
    return v->has_clock ? dur_sec(v->clock_offset) : (double)NAN;
}

static const struct {
    const char *family, *help;
    rank_figure *get;
} figures[] = {
    {"rank_up", "1: the load host takes part, 0: it was lost", up},
    {"rank_threads", "clients of a load host", threads},
    {"rank_transactions_per_second", "transactions that a load host did, a second", per_s},
    {"rank_latency_p99_seconds", "99 % of the latencies of a load host were not longer",
     response_p99},
    {"rank_lag_p99_seconds", "99 % of the starts of a load host were not later", lag_p99},
    {"rank_late_transactions", "late starts of a load host in the period", late},
    {"rank_cpu_ratio", "CPU time of a load host's process as a share of its CPUs", cpu},
    {"rank_clock_offset_seconds", "the leader's clock minus that of a load host", offset}};

void metrics_ranks(struct metrics *m, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nranks; i++) {
        const struct snapshot_rank *v = &s->rank[i];
        char number[24];
        const struct metrics_label label[] = {{"rank", number}, {"host", v->host}};
        snprintf(number, sizeof number, "%d", v->rank);
        for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
            double value = figures[k].get(v);
            if (isfinite(value))
                metrics_number(m,
                               metrics_family(m, figures[k].family, METRICS_GAUGE, figures[k].help),
                               "", label, 2, value);
        }
    }
}
