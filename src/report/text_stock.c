/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stock's reports: widths, blanks and the odd "(last digit in column 53)" are interface.  What
 * 0.4.12 and 0.5 print in another way is in text_legacy.c, our additions in text_ours.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text_blocks.h"
#include "report/writer.h"

/* --- the header --- */

#define IGNORED "Random number generator seed is 0 and will be ignored\n\n"
#define CURRENT "Initializing random number generator from current time\n\n"

/* What differs between generations. */
/* clang-format off */
static const struct words {
    bool old;
    const char *unseeded; /* there is no seed; ends with an empty line */
    const char *started;
    bool jitter;          /* the rate is shown with it */
} words[FORM_MAX] = {
    [FORM_1_0] = {false, CURRENT, "Threads started!\n", false},
    [FORM_1_1] = {false, CURRENT, "Threads started!\n", false},
    [FORM_0_4] = {true, "", "Threads started!", true},
    [FORM_0_5] = {true, IGNORED, "Threads started!\n", false},
};
/* clang-format on */

void text_header(struct str *out, const struct text_header *h)
{
    static const char *const shape[] = {
        [ARRIVAL_EVEN] = "even", [ARRIVAL_POISSON] = "Poisson", [ARRIVAL_ALIGNED] = "aligned"};
    const struct words *w = &words[h->form];
    double jitter = (double)h->jitter / 1e3;

    str_adds(out, "Running the test with following options:\n");
    str_printf(out, "Number of threads: %d\n", h->threads);
    if (h->workers)
        str_printf(out, "Worker threads: %d\n", h->workers);
    if (h->think)
        str_printf(out, "Think time: %.12g ms%s\n", dur_ms(h->think),
                   h->think_exponential ? " on average, exponential" : "");
    if (h->warmup_steady_pct > 0)
        str_printf(out, "Warmup until steady (%.12g%%), at most %llds\n", h->warmup_steady_pct,
                   (long long)(h->warmup / NS_PER_SEC));
    else if (h->warmup)
        str_printf(out, "Warmup time: %llds\n", (long long)(h->warmup / NS_PER_SEC));
    if (h->old_rate && w->jitter)
        str_printf(out, "Target transaction rate: %.0f/sec, with jitter %.0f usec\n", h->rate,
                   jitter);
    else if (h->stock_rate || h->old_rate)
        str_printf(out, "Target transaction rate: %.0f/sec\n", h->rate);
    else if (h->rate_spec)
        str_printf(out,
                   "Target transaction rate: %s, mean %.6g/sec, %s arrivals, jitter %.12g usec\n",
                   h->rate_spec, h->rate, shape[h->arrival], jitter);
    else if (h->rate > 0)
        str_printf(out, "Target transaction rate: %.12g/sec, %s arrivals, jitter %.12g usec\n",
                   h->rate, shape[h->arrival], jitter);
    if (h->report_interval)
        str_printf(out, "Report intermediate results every %.12g second(s)\n",
                   dur_sec(h->report_interval));
    for (size_t i = 0; i < h->checkpoints; i++)
        str_printf(out, "%s%lld%s", i ? ", " : "Report checkpoint(s) at ",
                   (long long)(h->checkpoint[i] / NS_PER_SEC),
                   i + 1 == h->checkpoints ? " seconds\n" : "");
    if (h->debug)
        str_adds(out, "Debug mode enabled.\n\n");
    if (h->validate)
        str_adds(out, w->old ? "Additional request validation enabled.\n\n"
                             : "Validation checks: on.\n\n");
    if (h->from_timer && w->old)
        str_adds(out, "Initializing random number generator from timer.\n\n");
    if (h->seed)
        str_printf(out, "Initializing random number generator from seed (%d).\n\n", (int)h->seed);
    else
        str_adds(out, w->unseeded);
    if (h->forced)
        str_printf(out, "Forcing shutdown in %lld seconds\n",
                   (long long)(h->forced_after / NS_PER_SEC));
    str_adds(out, "\n");
}

const char *text_header_started(const struct text_header *h)
{
    return words[h->form].started;
}

/* --- intervals --- */

double text_per_sec(const struct snapshot *s, double n)
{
    return s->interval_ns > 0 ? n / dur_sec(s->interval_ns) : 0;
}

static double per_sec(uint64_t n, const struct snapshot *s)
{
    return text_per_sec(s, (double)n);
}

const char *text_percentile(char buf[TEXT_PERCENTILE_SIZE], double p)
{
    snprintf(buf, TEXT_PERCENTILE_SIZE, "%.12g", p);
    return buf;
}

void text_percentiles(struct str *out, const struct snapshot *s, int decimals)
{
    for (size_t i = 0; i < s->percentiles; i++)
        str_printf(out, "%s%4.*f", i ? "/" : "", decimals, s->latency_pct_ms[i]);
    if (!s->percentiles)
        str_printf(out, "%4.*f", decimals, 0.0);
}

void text_latency(struct str *out, const struct snapshot *s, const char *label, int decimals)
{
    char buf[TEXT_PERCENTILE_SIZE];

    str_printf(out, "%s (ms", label);
    for (size_t i = 0; i < s->percentiles; i++)
        str_printf(out, ",%s%%", text_percentile(buf, s->percentile[i]));
    str_adds(out, s->percentiles ? "): " : ",0%): ");
    text_percentiles(out, s, decimals);
}

static bool is_old(enum generation g)
{
    return words[generation_facts(g)->form].old;
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
                   enum generation g)
{
    stamp(out, s, g);
    if (is_old(g)) {
        text_legacy_interval(out, s, generation_facts(g)->form);
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
    text_interval_additions(out, s);
    str_adds(out, "\n");
    if (s->stock_rate) {
        stamp(out, s, g);
        str_printf(out, "queue length: %llu%s concurrency: %llu\n",
                   (unsigned long long)s->queue_length, text == TEXT_SQL || is_old(g) ? "," : "",
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

/* --- the cumulative report --- */

void text_checkpoint_stamp(struct str *out, const struct snapshot *s, enum generation g)
{
    stamp(out, s, g);
    str_adds(out, "Checkpoint report:\n");
}

void text_queries(struct str *out, const char *title, const struct snapshot *s)
{
    str_printf(out,
               "%s:\n"
               "    queries performed:\n"
               "        read:                            %llu\n"
               "        write:                           %llu\n"
               "        other:                           %llu\n"
               "        total:                           %llu\n",
               title, (unsigned long long)s->reads, (unsigned long long)s->writes,
               (unsigned long long)s->other, (unsigned long long)(s->reads + s->writes + s->other));
}

void text_counted(struct str *out, const char *label, uint64_t n, const struct snapshot *s)
{
    str_printf(out, "    %-37s%-6llu (%.2f per sec.)\n", label, (unsigned long long)n,
               per_sec(n, s));
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

void text_unfinished(struct str *out, const struct snapshot *s)
{
    if (s->unfinished_forced)
        str_printf(out, "\nNumber of unfinished transactions on forced shutdown: %llu\n",
                   (unsigned long long)s->unfinished_forced);
}

void text_fairness(struct str *out, const struct snapshot *s)
{
    str_adds(out, "Threads fairness:\n");
    str_printf(out, "    events (avg/stddev):           %.4f/%3.2f\n", s->events_avg,
               s->events_stddev);
    str_printf(out, "    execution time (avg/stddev):   %.4f/%3.2f\n\n", s->exec_avg_s,
               s->exec_stddev_s);
}

void text_cumulative(struct str *out, const struct snapshot *s, enum text_form text,
                     enum generation g)
{
    uint64_t queries = s->reads + s->writes + s->other;

    if (is_old(g)) {
        text_legacy_cumulative(out, s, text, generation_facts(g)->form);
        return;
    }
    if (text == TEXT_SQL) {
        text_queries(out, "SQL statistics", s);
        text_counted(out, "transactions:", s->events, s);
        text_counted(out, "queries:", queries, s);
        text_counted(out, "ignored errors:", s->errors, s);
        text_counted(out, "reconnects:", s->reconnects, s);
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
    str_printf(out, "    total number of events:              %llu\n\n",
               (unsigned long long)s->events);
    str_printf(out,
               "Latency (ms):\n"
               "         min: %39.2f\n"
               "         avg: %39.2f\n"
               "         max: %39.2f\n",
               s->latency_min_ms, s->latency_avg_ms, s->latency_max_ms);
    text_percentile_lines(out, s, 53);
    str_printf(out, "         sum: %39.2f\n\n", s->latency_sum_ms);
    text_fairness(out, s);
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
                       (unsigned long long)count[i]);
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

const struct writer_ops write_text = {begin, snapshot, end};
