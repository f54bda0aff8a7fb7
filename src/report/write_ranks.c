/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The load hosts as a table (RFC 4180): a row for each rank and interval, and for each rank with
 * `summary` at the end, so that a figure can be compared between hosts without the json document.
 * What a rank does not have is empty.  With one load host there are the names only.
 */
#include <math.h>

#include "report/json.h"
#include "report/writer.h"

static void number(struct str *out, double v)
{
    str_adds(out, ",");
    if (isfinite(v))
        json_number(out, v);
}

static double seconds(int64_t ns)
{
    return ns < 0 ? (double)NAN : dur_sec(ns);
}

static void text(struct str *out, const char *s)
{
    str_adds(out, ",\"");
    for (; *s; s++)
        str_add(out, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    str_adds(out, "\"");
}

static void begin(struct report_file *f)
{
    str_adds(&f->text,
             "kind,elapsed_s,rank,host,threads,done,failed,dropped,late,lost,transactions_per_s,"
             "response_p50_s,response_p95_s,response_p99_s,response_max_s,lag_p99_s,cpu_pct,cpus,"
             "clock_offset_s,clock_uncertainty_s,clock_drift_ppm,figures_missing,lost_after_s,"
             "differs\n");
    report_file_flush(f);
}

static void clock_cells(struct str *out, const struct snapshot_rank *v)
{
    number(out, v->has_clock ? dur_sec(v->clock_offset) : (double)NAN);
    number(out, v->has_clock ? dur_sec(v->clock_uncertainty) : (double)NAN);
    number(out, v->has_clock ? v->clock_drift_ppm : (double)NAN);
}

static void row(struct str *out, const struct snapshot *s, const struct snapshot_rank *v)
{
    const uint64_t count[] = {v->clients, v->done, v->failed};
    const uint64_t scheduled[] = {v->dropped, v->starts_late, v->given_up};

    str_adds(out, s->kind == SNAPSHOT_FINAL ? "summary" : "interval");
    number(out, dur_sec(s->elapsed_ns));
    str_printf(out, ",%d", v->rank);
    text(out, v->host);
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        str_printf(out, ",%llu", (unsigned long long)count[i]);
    for (size_t i = 0; i < sizeof scheduled / sizeof *scheduled; i++)
        number(out, s->has_rate ? (double)scheduled[i] : (double)NAN);
    number(out, v->per_s);
    number(out, seconds(v->response.p50));
    number(out, seconds(v->response.p95));
    number(out, seconds(v->response.p99));
    number(out, seconds(v->response.max));
    number(out, s->has_rate ? seconds(v->lag.p99) : (double)NAN);
    number(out, v->cpu_pct);
    str_printf(out, ",%d", v->cpus);
    clock_cells(out, v);
    str_printf(out, ",%d", v->late);
    number(out, v->lost ? dur_sec(v->lost_after) : (double)NAN);
    text(out, v->apart);
    str_adds(out, "\n");
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nranks; i++)
        row(&f->text, s, &s->rank[i]);
    if (f->text.len)
        report_file_flush(f);
}

static void end(struct report_file *f, const struct report_end *e)
{
    (void)f;
    (void)e;
}

const struct writer writer_ranks_csv = {.name = "ranks-csv",
                                        .suffixes = " .ranks.csv ",
                                        .begin = begin,
                                        .snapshot = snapshot,
                                        .end = end};
