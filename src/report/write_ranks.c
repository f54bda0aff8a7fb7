/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The load hosts as a table (RFC 4180): a row for each rank and interval, and for each rank with
 * `summary` at the end, so that a figure can be compared between hosts without the json document.
 * What a rank does not have is empty.  With one load host there are the names only.
 */
#include <math.h>

#include "report/csv_cells.h"
#include "report/writer.h"

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
    csv_number(out, v->has_clock ? dur_sec(v->clock_offset) : (double)NAN);
    csv_number(out, v->has_clock ? dur_sec(v->clock_uncertainty) : (double)NAN);
    csv_number(out, v->has_clock ? v->clock_drift_ppm : (double)NAN);
}

static void row(struct str *out, const struct snapshot *s, const struct snapshot_rank *v)
{
    const uint64_t count[] = {v->clients, v->done, v->failed};
    const uint64_t scheduled[] = {v->dropped, v->starts_late, v->given_up};

    str_adds(out, s->kind == SNAPSHOT_FINAL ? "summary" : "interval");
    csv_number(out, dur_sec(s->elapsed_ns));
    str_printf(out, ",%d", v->rank);
    csv_text(out, v->host);
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        csv_count(out, count[i]);
    for (size_t i = 0; i < sizeof scheduled / sizeof *scheduled; i++)
        csv_number(out, s->has_rate ? (double)scheduled[i] : (double)NAN);
    csv_number(out, v->per_s);
    csv_seconds(out, v->response.p50);
    csv_seconds(out, v->response.p95);
    csv_seconds(out, v->response.p99);
    csv_seconds(out, v->response.max);
    csv_seconds(out, s->has_rate ? v->lag.p99 : -1);
    csv_number(out, v->cpu_pct);
    str_printf(out, ",%d", v->cpus);
    clock_cells(out, v);
    str_printf(out, ",%d", v->late);
    csv_number(out, v->lost ? dur_sec(v->lost_after) : (double)NAN);
    csv_text(out, v->apart);
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
