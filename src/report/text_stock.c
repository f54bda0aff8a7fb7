/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stock's reports: widths, blanks and the odd "(last digit in column 53)" are interface.  Our
 * additions are in text_ours.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text_blocks.h"
#include "report/writer.h"

/* What differs between generations. */
static const struct words {
    /* of the old ones: */
    const char *summary, *latency; /* titles; NULL: not an old one */
    const char *unit;              /* of the time taken by event execution */
    bool commits;                  /* are what `transactions` counts */
    bool deadlocks;                /* a line of their own */
    bool errors;                   /* ignored errors and reconnects have lines */
    bool unfinished;               /* a forced shutdown tells what it abandoned */
    bool always_percentile;        /* even if there was no event */
} words[FORM_MAX] = {
    [FORM_0_4] = {"Test execution summary", "per-request statistics", "", .deadlocks = true},
    [FORM_0_5] = {"General statistics", "response time", "s", .commits = true, .errors = true,
                  .unfinished = true, .always_percentile = true},
};

/* --- parts --- */

double text_per_sec(const struct snapshot *s, double n)
{
    return s->interval_ns > 0 ? n / dur_sec(s->interval_ns) : 0;
}

static double per_sec(uint64_t n, const struct snapshot *s)
{
    return text_per_sec(s, (double)n);
}

static void percentiles(struct str *out, const struct snapshot *s, int decimals)
{
    for (size_t i = 0; i < s->percentiles; i++)
        str_printf(out, "%s%4.*f", i ? "/" : "", decimals, s->latency_pct_ms[i]);
    if (!s->percentiles)
        str_printf(out, "%4.*f", decimals, 0.0);
}

void text_latency(struct str *out, const struct snapshot *s, const char *label, int decimals)
{
    str_printf(out, "%s (ms", label);
    for (size_t i = 0; i < s->percentiles; i++)
        str_printf(out, ",%.12g%%", s->percentile[i]);
    str_adds(out, s->percentiles ? "): " : ",0%): ");
    percentiles(out, s, decimals);
}

static void queries(struct str *out, const char *title, const struct snapshot *s)
{
    str_printf(out,
               "%s:\n"
               "    queries performed:\n"
               "        read:                            %llu\n"
               "        write:                           %llu\n"
               "        other:                           %llu\n"
               "        total:                           %llu\n",
               title, (ull)s->reads, (ull)s->writes, (ull)s->other,
               (ull)(s->reads + s->writes + s->other));
}

static void counted(struct str *out, const char *label, uint64_t n, const struct snapshot *s)
{
    str_printf(out, "    %-37s%-6llu (%.2f per sec.)\n", label, (ull)n, per_sec(n, s));
}

void text_unfinished(struct str *out, const struct snapshot *s)
{
    if (s->unfinished_forced)
        str_printf(out, "\nNumber of unfinished transactions on forced shutdown: %llu\n",
                   (ull)s->unfinished_forced);
}

static void fairness(struct str *out, const struct snapshot *s)
{
    str_adds(out, "Threads fairness:\n");
    str_printf(out, "    events (avg/stddev):           %.4f/%3.2f\n", s->events_avg,
               s->events_stddev);
    str_printf(out, "    execution time (avg/stddev):   %.4f/%3.2f\n\n", s->exec_avg_s,
               s->exec_stddev_s);
}

/* --- the reports of 0.4.12 and 0.5, whose lines scripts still parse ---
 *
 * The dialects differ in titles, units and in which lines there are, which `words`
 * has.  Widths and blanks are interface, as are the two blanks in "approx.  95 percentile".
 *
 * `transactions` of 0.5 counts COMMIT and UNLOCK TABLES statements; that of 0.4 counts events.  A
 * run without events shows 0.00 as its shortest response time, and not the 18446744073709.55ms that
 * the old programs printed. */

static uint64_t transactions(const struct snapshot *s, enum report_form form)
{
    return words[form].commits ? s->count[CNT_COMMIT] : s->events;
}

static void legacy_cumulative(struct str *out, const struct snapshot *s, enum text_form text,
                              enum report_form form)
{
    const struct words *f = &words[form];

    if (text == TEXT_SQL) {
        queries(out, "OLTP test statistics", s);
        counted(out, "transactions:", transactions(s, form), s);
        if (f->deadlocks)
            counted(out, "deadlocks:", s->errors, s);
        counted(out, "read/write requests:", s->reads + s->writes, s);
        counted(out, "other operations:", s->other, s);
        if (f->errors) {
            counted(out, "ignored errors:", s->errors, s);
            counted(out, "reconnects:", s->reconnects, s);
        }
    }
    if (f->unfinished)
        text_unfinished(out, s);
    str_printf(out,
               "\n%s:\n"
               "    total time:                          %.4fs\n"
               "    total number of events:              %llu\n"
               "    total time taken by event execution: %.4f%s\n",
               f->summary, dur_sec(s->elapsed_ns), (ull)s->events, s->latency_sum_ms / 1e3,
               f->unit);
    str_printf(out,
               "    %s:\n"
               "         min:                            %10.2fms\n"
               "         avg:                            %10.2fms\n"
               "         max:                            %10.2fms\n",
               f->latency, s->latency_min_ms, s->latency_avg_ms, s->latency_max_ms);
    for (size_t i = 0; i < s->percentiles && (s->events || f->always_percentile); i++)
        str_printf(out, "         approx. %3.12g percentile:         %10.2fms\n", s->percentile[i],
                   s->latency_pct_ms[i]);
    str_adds(out, "\n");
    fairness(out, s);
}

/* --- intervals --- */

static bool is_old(enum generation g)
{
    return words[generation_facts(g)->form].summary;
}

bool text_end_only(enum text_form text, enum generation g)
{
    return text == TEXT_GENERIC && is_old(g);
}

static void stamp(struct str *out, const struct snapshot *s, enum generation g)
{
    if (s->warmup) /* not at the beginning of a line, where parsers look for intervals */
        str_adds(out, "Warm-up ");
    str_printf(out, is_old(g) ? "[%4.*fs] " : "[ %.*fs ] ", s->stamp_decimals,
               dur_sec(s->elapsed_ns));
}

void text_interval(struct str *out, const struct snapshot *s, enum text_form text,
                   const char *middle, enum generation g, struct text_fit *fit)
{
    const size_t start = out->len;

    stamp(out, s, g);
    if (middle) {
        str_adds(out, middle);
    } else if (is_old(g)) {
        /* "4.18ms (95%)", and of several percentiles "0.50/4.18ms (50/95%)"; 0.4 has no comma
         * before "response" */
        enum report_form form = generation_facts(g)->form;
        str_printf(out,
                   form == FORM_0_5
                       ? "threads: %u, tps: %4.2f, reads: %4.2f, writes: %4.2f, response time: "
                       : "threads: %u, tps: %4.2f, reads/s: %4.2f, writes/s: %4.2f response time: ",
                   s->threads, per_sec(transactions(s, form), s), per_sec(s->reads, s),
                   per_sec(s->writes, s));
        percentiles(out, s, 2);
        str_adds(out, "ms (");
        for (size_t i = 0; i < s->percentiles; i++)
            str_printf(out, "%s%.12g", i ? "/" : "", s->percentile[i]);
        str_adds(out, s->percentiles ? "%)" : "0%)");
        if (form == FORM_0_5)
            str_printf(out, ", errors: %4.2f, reconnects: %5.2f", per_sec(s->errors, s),
                       per_sec(s->reconnects, s));
    } else if (text == TEXT_SQL) {
        str_printf(out, "thds: %u tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) ",
                   s->threads_running, per_sec(s->events, s),
                   per_sec(s->reads + s->writes + s->other, s), per_sec(s->reads, s),
                   per_sec(s->writes, s), per_sec(s->other, s));
        text_latency(out, s, "lat", 2);
        str_printf(out, " err/s: %4.2f reconn/s: %4.2f", per_sec(s->errors, s),
                   per_sec(s->reconnects, s));
    } else {
        str_printf(out, "thds: %u eps: %4.2f ", s->threads_running, per_sec(s->events, s));
        text_latency(out, s, "lat", 2);
    }
    text_interval_additions(out, s, start, fit);
    str_adds(out, "\n");
    if (s->stock_rate && !middle) {
        stamp(out, s, g);
        str_printf(out, "queue length: %llu%s concurrency: %llu\n", (ull)s->queue_length,
                   text == TEXT_SQL || is_old(g) ? "," : "", (ull)s->concurrency);
    }
}

/* --- the cumulative report --- */

void text_checkpoint_stamp(struct str *out, const struct snapshot *s, enum generation g)
{
    stamp(out, s, g);
    str_adds(out, "Checkpoint report:\n");
}

void text_percentile_lines(struct str *out, const struct snapshot *s, int width)
{
    if (!s->percentiles)
        str_adds(out, "         percentile stats:               disabled\n");
    for (size_t i = 0; i < s->percentiles; i++)
        str_printf(out, "        %3.12gth percentile:%*.2f\n", s->percentile[i],
                   width - 22 - snprintf(NULL, 0, "%3.12g", s->percentile[i]),
                   s->latency_pct_ms[i]);
}

void text_cumulative(struct str *out, const struct snapshot *s, enum text_form text,
                     enum generation g)
{
    if (is_old(g)) {
        legacy_cumulative(out, s, text, generation_facts(g)->form);
        return;
    }
    if (text == TEXT_SQL) {
        queries(out, "SQL statistics", s);
        counted(out, "transactions:", s->events, s);
        counted(out, "queries:", s->reads + s->writes + s->other, s);
        counted(out, "ignored errors:", s->errors, s);
        counted(out, "reconnects:", s->reconnects, s);
    }
    text_unfinished(out, s);
    if (generation_facts(g)->form == FORM_1_1)
        str_printf(out,
                   "\nThroughput:\n"
                   "    events/s (eps):                      %.4f\n"
                   "    time elapsed:                        %.4fs\n",
                   per_sec(s->events, s), dur_sec(s->elapsed_ns));
    else
        str_printf(out,
                   "\nGeneral statistics:\n"
                   "    total time:                          %.4fs\n",
                   dur_sec(s->elapsed_ns));
    str_printf(out, "    total number of events:              %llu\n\n", (ull)s->events);
    str_printf(out,
               "Latency (ms):\n"
               "         min: %39.2f\n"
               "         avg: %39.2f\n"
               "         max: %39.2f\n",
               s->latency_min_ms, s->latency_avg_ms, s->latency_max_ms);
    text_percentile_lines(out, s, 53);
    str_printf(out, "         sum: %39.2f\n\n", s->latency_sum_ms);
    fairness(out, s);
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
                   seconds(c->max_ns), (ull)c->events);
        str_printf(out, "DEBUG:                  total time taken by %s execution: %.4fs\n",
                   is_old(g) ? "even" : "event", seconds(c->sum_ns));
    }
    str_adds(out, "\n");
}

void text_distribution(struct str *out, const uint64_t *count, size_t n,
                       double (*value)(const void *arg, size_t i), const void *arg)
{
    static const char stars[] = "****************************************";
    uint64_t most = 0;

    for (size_t i = 0; i < n; i++)
        most = count[i] > most ? count[i] : most;
    if (most)
        str_adds(out, "       value  ------------- distribution ------------- count\n");
    for (size_t i = 0; i < n; i++)
        if (count[i])
            str_printf(out, "%12.3f |%-40.*s %llu\n", value(arg, i),
                       (int)floor((double)count[i] / (double)most * 40 + 0.5), stars,
                       (ull)count[i]);
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

/* --- a result file with what standard output shows, whatever its verbosity and the script's hooks
 * are --- */

static void begin(struct report_file *f)
{
    f->info->header(f->info->arg, &f->text);
    report_file_flush(f);
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    f->info->text(f->info->arg, s, &f->text);
    report_file_flush(f);
}

static void end(struct report_file *f, const struct report_end *e)
{
    if (strcmp(e->status, "completed") == 0)
        return;
    if (e->signal)
        str_printf(&f->text, "The run was ended by signal %d\n", e->signal);
    else
        str_printf(&f->text, "The run ended early: %s\n", e->error ? e->error : e->status);
    report_file_flush(f);
}

const struct writer_ops write_text = {begin, snapshot, end, NULL};
