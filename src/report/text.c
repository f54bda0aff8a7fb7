/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stock's formats, one function per block: widths, blanks and the odd "(last digit in column 53)"
 * are interface.  What differs between generations is the table `format`: a form is a row, a block
 * that differs a column.  The blocks of 0.4.12 and 0.5 are in text_legacy.c, our additions in
 * text_rate.c.
 */
#include "report/text.h"

#include <math.h>
#include <string.h>

#include "report/text_legacy.h"
#include "report/text_rate.h"

static double per_sec(uint64_t n, const struct snapshot *s)
{
    return text_per_sec(s, (double)n);
}

static void stock_stamp(struct str *out, const struct snapshot *s)
{
    str_printf(out, "[ %.*fs ] ", s->stamp_decimals, dur_sec(s->elapsed_ns));
}

void text_latency(struct str *out, const struct snapshot *s, const char *label, int decimals)
{
    char buf[TEXT_PERCENTILE_SIZE];

    str_printf(out, "%s (ms", label);
    for (size_t i = 0; i < s->percentiles; i++)
        str_printf(out, ",%s%%", text_percentile(buf, s->percentile[i]));
    str_adds(out, s->percentiles ? "): " : ",0%): ");
    for (size_t i = 0; i < s->percentiles; i++)
        str_printf(out, "%s%4.*f", i ? "/" : "", decimals, s->latency_pct_ms[i]);
    if (!s->percentiles)
        str_printf(out, "%4.*f", decimals, 0.0);
}

static void interval_sql(struct str *out, const struct snapshot *s)
{
    str_printf(out, "thds: %u tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) ",
               s->threads_running, per_sec(s->events, s),
               per_sec(s->reads + s->writes + s->other, s), per_sec(s->reads, s),
               per_sec(s->writes, s), per_sec(s->other, s));
    text_latency(out, s, "lat", 2);
    str_printf(out, " err/s: %4.2f reconn/s: %4.2f", per_sec(s->errors, s),
               per_sec(s->reconnects, s));
}

static void interval_generic(struct str *out, const struct snapshot *s)
{
    str_printf(out, "thds: %u eps: %4.2f ", s->threads_running, per_sec(s->events, s));
    text_latency(out, s, "lat", 2);
}

static void stock_interval(struct str *out, const struct snapshot *s, enum text_form text,
                           enum report_form form)
{
    (void)form;
    if (text == TEXT_SQL)
        interval_sql(out, s);
    else
        interval_generic(out, s);
}

static void counted(struct str *out, const char *label, uint64_t n, const struct snapshot *s)
{
    str_printf(out, "    %-37s%-6llu (%.2f per sec.)\n", label, (unsigned long long)n,
               per_sec(n, s));
}

static void sql_statistics(struct str *out, const struct snapshot *s)
{
    uint64_t total = s->reads + s->writes + s->other;

    str_adds(out, "SQL statistics:\n    queries performed:\n");
    str_printf(out, "        read:                            %llu\n",
               (unsigned long long)s->reads);
    str_printf(out, "        write:                           %llu\n",
               (unsigned long long)s->writes);
    str_printf(out, "        other:                           %llu\n",
               (unsigned long long)s->other);
    str_printf(out, "        total:                           %llu\n", (unsigned long long)total);
    counted(out, "transactions:", s->events, s);
    counted(out, "queries:", total, s);
    counted(out, "ignored errors:", s->errors, s);
    counted(out, "reconnects:", s->reconnects, s);
}

void text_percentile_lines(struct str *out, const struct snapshot *s, int width)
{
    if (!s->percentiles)
        str_adds(out, "         percentile stats:               disabled\n");
    for (size_t i = 0; i < s->percentiles; i++) {
        char buf[TEXT_PERCENTILE_SIZE];
        int n = (int)strlen(text_percentile(buf, s->percentile[i]));
        str_printf(out, "        %3sth percentile:%*.2f\n", buf, width - 22 - (n > 3 ? n : 3),
                   s->latency_pct_ms[i]);
    }
}

static void latency(struct str *out, const struct snapshot *s)
{
    str_adds(out, "Latency (ms):\n");
    str_printf(out, "         min: %39.2f\n", s->latency_min_ms);
    str_printf(out, "         avg: %39.2f\n", s->latency_avg_ms);
    str_printf(out, "         max: %39.2f\n", s->latency_max_ms);
    text_percentile_lines(out, s, 53);
    str_printf(out, "         sum: %39.2f\n\n", s->latency_sum_ms);
}

static void events_line(struct str *out, const struct snapshot *s)
{
    str_printf(out, "    total number of events:              %llu\n\n",
               (unsigned long long)s->events);
}

static void general_statistics(struct str *out, const struct snapshot *s)
{
    str_adds(out, "\nGeneral statistics:\n");
    str_printf(out, "    total time:                          %.4fs\n", dur_sec(s->elapsed_ns));
    events_line(out, s);
}

static void throughput(struct str *out, const struct snapshot *s)
{
    str_adds(out, "\nThroughput:\n");
    str_printf(out, "    events/s (eps):                      %.4f\n", per_sec(s->events, s));
    str_printf(out, "    time elapsed:                        %.4fs\n", dur_sec(s->elapsed_ns));
    events_line(out, s);
}

typedef void block_fn(struct str *out, const struct snapshot *s);

static void stock_cumulative(struct str *out, const struct snapshot *s, enum text_form text,
                             block_fn *totals)
{
    if (text == TEXT_SQL)
        sql_statistics(out, s);
    text_unfinished(out, s);
    totals(out, s);
    latency(out, s);
    text_fairness(out, s);
}

static void cumulative_1_0(struct str *out, const struct snapshot *s, enum text_form text,
                           enum report_form form)
{
    (void)form;
    stock_cumulative(out, s, text, general_statistics);
}

static void cumulative_1_1(struct str *out, const struct snapshot *s, enum text_form text,
                           enum report_form form)
{
    (void)form;
    stock_cumulative(out, s, text, throughput);
}

/* --- the generations --- */

typedef void body_fn(struct str *out, const struct snapshot *s, enum text_form text,
                     enum report_form form);

#define STOCK                                                                                      \
    .stamp = stock_stamp, .interval = stock_interval, .queue_comma = {"", ","}, .execution = "event"
#define OLD                                                                                        \
    .stamp = text_legacy_stamp, .interval = text_legacy_interval,                                  \
    .cumulative = text_legacy_cumulative, .queue_comma = {",", ","}, .execution = "even",          \
    .end_only = true

static const struct format {
    block_fn *stamp;
    body_fn *interval, *cumulative;
    const char *queue_comma[2]; /* by enum text_form */
    const char *execution;      /* in the lines of --debug */
    bool end_only;              /* tests that are not scripts have only a final report */
} format[FORM_MAX] = {
    [FORM_1_0] = {STOCK, .cumulative = cumulative_1_0},
    [FORM_1_1] = {STOCK, .cumulative = cumulative_1_1},
    [FORM_0_4] = {OLD},
    [FORM_0_4_HEAD] = {OLD},
    [FORM_0_4_ORACLE] = {OLD},
    [FORM_0_5_2011] = {OLD},
    [FORM_0_5] = {OLD},
};

static const struct format *format_of(enum generation g)
{
    return &format[generation_facts(g)->form];
}

bool text_end_only(enum text_form text, enum generation g)
{
    return text == TEXT_GENERIC && format_of(g)->end_only;
}

static void stamp(struct str *out, const struct snapshot *s, enum generation g)
{
    if (s->warmup) /* not at the beginning of a line, where parsers look for intervals */
        str_adds(out, "Warm-up ");
    format_of(g)->stamp(out, s);
}

void text_interval(struct str *out, const struct snapshot *s, enum text_form text,
                   enum generation g)
{
    const struct format *f = format_of(g);

    stamp(out, s, g);
    f->interval(out, s, text, generation_facts(g)->form);
    text_interval_additions(out, s);
    str_adds(out, "\n");
    if (s->stock_rate) {
        stamp(out, s, g);
        str_printf(out, "queue length: %llu%s concurrency: %llu\n",
                   (unsigned long long)s->queue_length, f->queue_comma[text],
                   (unsigned long long)s->concurrency);
    }
}

void text_interval_of(struct str *out, const struct snapshot *s, const char *middle,
                      enum generation g)
{
    stamp(out, s, g);
    str_adds(out, middle);
    text_interval_additions(out, s);
    str_adds(out, "\n");
}

void text_checkpoint_stamp(struct str *out, const struct snapshot *s, enum generation g)
{
    stamp(out, s, g);
    str_adds(out, "Checkpoint report:\n");
}

void text_cumulative(struct str *out, const struct snapshot *s, enum text_form text,
                     enum generation g)
{
    format_of(g)->cumulative(out, s, text, generation_facts(g)->form);
}

static double seconds(int64_t ns)
{
    return ns > 0 ? dur_sec(ns) : 0;
}

void text_threads(struct str *out, const struct snapshot *s, enum generation g)
{
    str_adds(out, "DEBUG: Verbose per-thread statistics:\n\n");
    for (int i = 0; i < s->nclients; i++) {
        const struct snapshot_client *c = &s->clients[i];
        if (c->unknown) {
            str_printf(out, "DEBUG:     thread #%3d: n/a (its load host was lost)\n", i);
            continue;
        }
        str_printf(out,
                   "DEBUG:     thread #%3d: min: %.4fs  avg: %.4fs  max: %.4fs  events: %llu\n", i,
                   seconds(c->min_ns), c->events ? seconds(c->sum_ns) / (double)c->events : 0,
                   seconds(c->max_ns), (unsigned long long)c->events);
        str_printf(out, "DEBUG:                  total time taken by %s execution: %.4fs\n",
                   format_of(g)->execution, seconds(c->sum_ns));
    }
    str_adds(out, "\n");
}

void text_distribution(struct str *out, const uint64_t *count, size_t n,
                       double (*value)(const void *arg, size_t i), const void *arg)
{
    uint64_t most = 0;

    for (size_t i = 0; i < n; i++)
        most = count[i] > most ? count[i] : most;
    if (most)
        str_adds(out, "       value  ------------- distribution ------------- count\n");
    for (size_t i = 0; i < n; i++) {
        static const char stars[] = "****************************************";
        int width = (int)floor((double)count[i] / (double)(most ? most : 1) * 40 + 0.5);
        if (count[i])
            str_printf(out, "%12.3f |%-40.*s %llu\n", value(arg, i), width, stars,
                       (unsigned long long)count[i]);
    }
}

static double stock_value(const void *arg, size_t i)
{
    (void)arg;
    return hist_stock_value_ms(i);
}

void text_histogram(struct str *out, const struct hist_counts *h)
{
    text_distribution(out, h->count, h->size, stock_value, NULL);
}
