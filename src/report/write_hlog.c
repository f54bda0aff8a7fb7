/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An HdrHistogram log, format version 1.3: a line for each interval and series, tagged with its
 * name, values in ns.  The lines of a tag add up to the run: the last line covers the time after
 * the last interval.  Interval_Max is in ms and times are relative to the start, as the readers
 * expect.  Checkpoints are not written, because they would count twice.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "report/hdr.h"
#include "report/text.h"
#include "report/writer.h"

enum { SERIES = 3 };

struct log {
    struct hist_counts written[SERIES]; /* the sum of all lines */
    struct hist_counts rest;
    bool begun;   /* the header is written */
    dur_ns until; /* end of the last line, since measuring began */
};

static void begin(struct report_file *f)
{
    struct log *l = mem_alloc(sizeof *l);

    for (int i = 0; i < SERIES; i++)
        hist_counts_init(&l->written[i], HIST_BUCKETS);
    hist_counts_init(&l->rest, HIST_BUCKETS);
    f->state = l;
}

/* With the first line: when measuring began is known then. */
static void header(struct report_file *f, wall_ns start)
{
    struct log *l = f->state;
    double s = (double)start / 1e9;

    if (l->begun)
        return;
    l->begun = true;
    str_printf(&f->text, "#[sysbench-tx %s, values in nanoseconds]\n", f->info->version);
    str_printf(&f->text, "#[Histogram log format version 1.3]\n");
    str_printf(&f->text, "#[StartTime: %.3f (seconds since epoch)]\n", s);
    str_printf(&f->text, "#[BaseTime: %.3f (seconds since epoch)]\n", s);
    str_adds(
        &f->text,
        "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n");
}

static void write_histogram(struct report_file *f, const char *tag, const struct hist_counts *h,
                            dur_ns from, dur_ns to)
{
    int64_t max = hist_max(h);

    str_printf(&f->text, "Tag=%s,%.3f,%.3f,%.6f,", tag, dur_sec(from), dur_sec(to - from),
               max < 0 ? 0 : dur_ms(max));
    hdr_compressed(&f->text, h);
    str_adds(&f->text, "\n");
}

/* The interval's histogram, or the whole run's minus all that was written. */
static const struct hist_counts *to_write(struct log *l, int i, const struct hist_counts *h,
                                          enum snapshot_kind kind)
{
    if (kind == SNAPSHOT_FINAL) {
        hist_counts_diff(&l->rest, h, &l->written[i]);
        return l->rest.total ? &l->rest : NULL;
    }
    hist_counts_merge(&l->written[i], h);
    return h;
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    const struct hist_counts *h[SERIES] = {s->hists.response, s->hists.service, s->hists.lag};
    const char *const tag[SERIES] = {h[1] ? "response" : "latency", "service", "lag"};
    struct log *l = f->state;

    if (s->kind == SNAPSHOT_CHECKPOINT)
        return;
    header(f, s->wall - s->elapsed_ns);
    for (size_t i = 0; i < s->nmarks; i++) /* a comment to readers of this format */
        str_printf(&f->text, "#[mark at %.3f: %s]\n", dur_sec(mark_elapsed(s, &s->marks[i])),
                   s->marks[i].text);
    for (int i = 0; i < SERIES; i++) {
        const struct hist_counts *w = h[i] ? to_write(l, i, h[i], s->kind) : NULL;
        if (w)
            write_histogram(f, tag[i], w, l->until,
                            s->elapsed_ns > l->until ? s->elapsed_ns : l->until);
    }
    l->until = s->elapsed_ns;
    report_file_flush(f);
}

static void end(struct report_file *f, const struct report_end *e)
{
    struct log *l = f->state;

    header(f, e->wall);
    report_file_flush(f);
    for (int i = 0; i < SERIES; i++)
        hist_counts_fini(&l->written[i]);
    hist_counts_fini(&l->rest);
    free(l);
    f->state = NULL;
}

const struct writer writer_hlog = {
    .name = "hlog", .suffixes = " .hlog ", .begin = begin, .snapshot = snapshot, .end = end};
