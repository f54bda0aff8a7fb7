/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The load hosts as JSON: what each did in the period, and how its clock compares.  Only in reports
 * of runs with several.
 */
#include <math.h>

#include "report/json.h"
#include "report/json_doc.h"

static double seconds(int64_t ns)
{
    return ns < 0 ? (double)NAN : dur_sec(ns);
}

static void flag(struct str *out, bool *first, const char *name, bool value)
{
    json_name(out, first, name);
    str_adds(out, value ? "true" : "false");
}

/* What only a schedule has. */
static void scheduled(struct str *out, bool *first, const struct snapshot *s, const char *name,
                      uint64_t n)
{
    json_number_member(out, first, name, s->has_rate ? (double)n : (double)NAN);
}

static void series(struct str *out, bool *first, const char *name, const struct snapshot_series *v)
{
    bool inner = true;

    json_name(out, first, name);
    str_adds(out, "{");
    json_count_member(out, &inner, "samples", v->n);
    json_number_member(out, &inner, "p50_s", seconds(v->p50));
    json_number_member(out, &inner, "p95_s", seconds(v->p95));
    json_number_member(out, &inner, "p99_s", seconds(v->p99));
    json_number_member(out, &inner, "max_s", seconds(v->max));
    json_number_member(out, &inner, "mean_s", v->mean / 1e9);
    str_adds(out, "}");
}

static void clock_of(struct str *out, bool *first, const struct snapshot_rank *v)
{
    bool inner = true;

    json_name(out, first, "clock");
    if (!v->has_clock) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "{");
    flag(out, &inner, "same", v->same_clock);
    json_number_member(out, &inner, "offset_s", dur_sec(v->clock_offset));
    json_number_member(out, &inner, "uncertainty_s", dur_sec(v->clock_uncertainty));
    json_number_member(out, &inner, "drift_ppm", v->clock_drift_ppm);
    str_adds(out, "}");
}

static void one(struct str *out, const struct snapshot *s, const struct snapshot_rank *v)
{
    bool first = true;

    str_adds(out, "{");
    json_count_member(out, &first, "rank", (uint64_t)v->rank);
    json_string_member(out, &first, "host", v->host);
    json_count_member(out, &first, "threads", v->clients);
    json_count_member(out, &first, "done", v->done);
    json_count_member(out, &first, "failed", v->failed);
    scheduled(out, &first, s, "dropped", v->dropped);
    scheduled(out, &first, s, "late", v->starts_late);
    scheduled(out, &first, s, "lost", v->given_up);
    json_number_member(out, &first, "transactions_per_s", v->per_s);
    series(out, &first, "response", &v->response);
    if (s->has_rate)
        series(out, &first, "lag", &v->lag);
    json_number_member(out, &first, "cpu_pct", v->cpu_pct);
    json_count_member(out, &first, "cpus", (uint64_t)v->cpus);
    json_number_member(out, &first, "throttled_s",
                       v->has_throttle ? dur_sec(v->throttled) : (double)NAN);
    json_number_member(out, &first, "cpu_wait_pct", v->waited_pct);
    if (s->kind == SNAPSHOT_FINAL && v->workers) {
        json_count_member(out, &first, "workers", (uint64_t)v->workers);
        json_count_member(out, &first, "workers_saturated", (uint64_t)v->workers_busy);
    }
    clock_of(out, &first, v);
    flag(out, &first, "figures_missing", v->late);
    json_number_member(out, &first, "lost_after_s", v->lost ? dur_sec(v->lost_after) : (double)NAN);
    json_string_member(out, &first, "why_lost", v->lost ? v->why : NULL);
    json_string_member(out, &first, "differs", *v->apart ? v->apart : NULL);
    str_adds(out, "}");
}

void json_doc_ranks(struct str *out, bool *first, const struct snapshot *s)
{
    if (s->nranks == 0)
        return;
    json_name(out, first, "ranks");
    str_adds(out, "[");
    for (size_t i = 0; i < s->nranks; i++) {
        str_adds(out, i ? "," : "");
        one(out, s, &s->rank[i]);
    }
    str_adds(out, "]");
}
