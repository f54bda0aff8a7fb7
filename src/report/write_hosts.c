/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The database hosts as a table (RFC 4180), when the clients are spread over several: a row for
 * each host and interval, and for each host with `summary` at the end, which covers the whole run.
 * The transactions, failures, errors and reconnects of the rows of one report add up to those of
 * all hosts.  What a host does not have is empty.  Without a list, or with one that
 * has too many hosts (snapshot.h), there are the names only.
 */
#include <math.h>

#include "report/csv_cells.h"
#include "report/writer.h"

static void begin(struct report_file *f)
{
    str_adds(&f->text,
             "kind,elapsed_s,host,clients,connections,transactions,failed,errors,lost,reconnects,"
             "latency_samples,latency_p50_s,latency_p95_s,latency_p99_s,latency_max_s,"
             "latency_mean_s\n");
    report_file_flush(f);
}

/* The clients have closed their connections when the last report is made. */
static void row(struct str *out, const struct snapshot *s, const struct snapshot_host *h)
{
    bool final = s->kind == SNAPSHOT_FINAL;
    const uint64_t count[] = {h->events, h->failed, h->errors, h->lost, h->reconnects};
    const int64_t percentile[] = {h->latency.p50, h->latency.p95, h->latency.p99, h->latency.max};

    str_adds(out, final ? "summary" : "interval");
    csv_number(out, dur_sec(s->elapsed_ns));
    csv_text(out, h->name);
    csv_count(out, h->clients);
    csv_number(out, final ? (double)NAN : (double)h->connections);
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        csv_count(out, count[i]);
    csv_count(out, h->latency.n);
    for (size_t i = 0; i < sizeof percentile / sizeof *percentile; i++)
        csv_seconds(out, percentile[i]);
    csv_number(out, h->latency.n ? h->latency.mean / 1e9 : (double)NAN);
    str_adds(out, "\n");
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_INTERVAL && s->kind != SNAPSHOT_FINAL)
        return;
    for (size_t i = 0; i < s->hosts; i++)
        row(&f->text, s, &s->host[i]);
    if (f->text.len)
        report_file_flush(f);
}

static void end(struct report_file *f, const struct report_end *e)
{
    (void)f;
    (void)e;
}

const struct writer writer_hosts_csv = {.name = "hosts-csv",
                                        .suffixes = " .hosts.csv ",
                                        .begin = begin,
                                        .snapshot = snapshot,
                                        .end = end};
