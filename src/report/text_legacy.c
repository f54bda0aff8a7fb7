/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_legacy.h.  Widths and blanks are interface, as are the two blanks in "approx.  95
 * percentile".
 */
#include "report/text_legacy.h"

static double per_sec(uint64_t n, const struct snapshot *s)
{
    return text_per_sec(s, (double)n);
}

/* --- intervals --- */

void text_legacy_stamp(struct str *out, const struct snapshot *s)
{
    str_printf(out, "[%4.*fs] ", s->stamp_decimals, dur_sec(s->elapsed_ns));
}

/* "4.18ms (95%)", and of several percentiles "0.50/4.18ms (50/95%)"; the figures of 0.4.12.10 have
 * six decimals. */
static void response_time(struct str *out, const struct snapshot *s, int decimals)
{
    char buf[TEXT_PERCENTILE_SIZE];

    for (size_t i = 0; i < s->percentiles; i++)
        str_printf(out, "%s%4.*f", i ? "/" : "", decimals, s->latency_pct_ms[i]);
    if (!s->percentiles)
        str_printf(out, "%4.*f", decimals, 0.0);
    str_adds(out, "ms (");
    for (size_t i = 0; i < s->percentiles; i++)
        str_printf(out, "%s%s", i ? "/" : "", text_percentile(buf, s->percentile[i]));
    str_adds(out, s->percentiles ? "%)" : "0%)");
}

/* There is no comma before "response". */
static void interval_0_4(struct str *out, const struct snapshot *s, uint64_t n)
{
    str_printf(out, "threads: %u, tps: %4.2f, reads/s: %4.2f, writes/s: %4.2f response time: ",
               s->threads, per_sec(n, s), per_sec(s->reads, s), per_sec(s->writes, s));
    response_time(out, s, 2);
}

static void interval_oracle(struct str *out, const struct snapshot *s, uint64_t n)
{
    str_printf(out, "Intermediate results: %u threads, tps: %6f, reads/s: %6f, writes/s: %6f ",
               s->threads, per_sec(n, s), per_sec(s->reads, s), per_sec(s->writes, s));
    str_adds(out, "response time: ");
    response_time(out, s, 6);
}

static void interval_2011(struct str *out, const struct snapshot *s, uint64_t n)
{
    str_printf(out, "threads: %u, tps: %4.2f, reads/s: %4.2f, writes/s: %4.2f, response time: ",
               s->threads, per_sec(n, s), per_sec(s->reads, s), per_sec(s->writes, s));
    response_time(out, s, 2);
}

static void interval_0_5(struct str *out, const struct snapshot *s, uint64_t n)
{
    str_printf(out,
               "threads: %u, tps: %4.2f, reads: %4.2f, writes: %4.2f, response time: ", s->threads,
               per_sec(n, s), per_sec(s->reads, s), per_sec(s->writes, s));
    response_time(out, s, 2);
    str_printf(out, ", errors: %4.2f, reconnects: %5.2f", per_sec(s->errors, s),
               per_sec(s->reconnects, s));
}

/* --- the dialects --- */

#define GENERAL .summary = "General statistics", .latency = "response time", .unfinished = true

static const struct legacy {
    void (*interval)(struct str *out, const struct snapshot *s, uint64_t transactions);
    const char *summary, *latency; /* titles */
    const char *unit;              /* of the time taken by event execution */
    bool commits;                  /* are what `transactions` counts */
    bool deadlocks;                /* a line of their own */
    bool errors;                   /* ignored errors and reconnects have lines */
    bool unfinished;               /* a forced shutdown tells what it abandoned */
    bool always_percentile;        /* even if there was no event */
} legacy[FORM_MAX] = {
    [FORM_0_4] = {.interval = interval_0_4,
                  .summary = "Test execution summary",
                  .latency = "per-request statistics",
                  .unit = "",
                  .deadlocks = true},
    [FORM_0_4_HEAD] = {GENERAL, .interval = interval_0_4, .unit = "", .deadlocks = true},
    [FORM_0_4_ORACLE] = {GENERAL, .interval = interval_oracle, .unit = "", .deadlocks = true},
    [FORM_0_5_2011] = {GENERAL, .interval = interval_2011, .unit = "s", .commits = true,
                       .deadlocks = true, .always_percentile = true},
    [FORM_0_5] = {GENERAL, .interval = interval_0_5, .unit = "s", .commits = true, .errors = true,
                  .always_percentile = true},
};

static uint64_t transactions(const struct snapshot *s, const struct legacy *f)
{
    return f->commits ? s->count[CNT_COMMIT] : s->events;
}

void text_legacy_interval(struct str *out, const struct snapshot *s, enum text_form text,
                          enum report_form form)
{
    (void)text;
    legacy[form].interval(out, s, transactions(s, &legacy[form]));
}

/* --- the report --- */

static void counted(struct str *out, const char *label, uint64_t n, const struct snapshot *s)
{
    str_printf(out, "    %-37s%-6llu (%.2f per sec.)\n", label, (unsigned long long)n,
               per_sec(n, s));
}

static void queries(struct str *out, const char *label, uint64_t n)
{
    str_printf(out, "        %-33s%llu\n", label, (unsigned long long)n);
}

static void statements(struct str *out, const struct snapshot *s, const struct legacy *f)
{
    uint64_t requests = s->reads + s->writes;

    str_adds(out, "OLTP test statistics:\n    queries performed:\n");
    queries(out, "read:", s->reads);
    queries(out, "write:", s->writes);
    queries(out, "other:", s->other);
    queries(out, "total:", requests + s->other);
    counted(out, "transactions:", transactions(s, f), s);
    if (f->deadlocks)
        counted(out, "deadlocks:", s->errors, s);
    counted(out, "read/write requests:", requests, s);
    counted(out, "other operations:", s->other, s);
    if (!f->errors)
        return;
    counted(out, "ignored errors:", s->errors, s);
    counted(out, "reconnects:", s->reconnects, s);
}

static void percentile_lines(struct str *out, const struct snapshot *s, const struct legacy *f)
{
    if (!s->events && !f->always_percentile)
        return;
    for (size_t i = 0; i < s->percentiles; i++) {
        char buf[TEXT_PERCENTILE_SIZE];
        str_printf(out, "         approx. %3s percentile:         %10.2fms\n",
                   text_percentile(buf, s->percentile[i]), s->latency_pct_ms[i]);
    }
}

static void summary(struct str *out, const struct snapshot *s, const struct legacy *f)
{
    str_printf(out, "\n%s:\n", f->summary);
    str_printf(out, "    total time:                          %.4fs\n", dur_sec(s->elapsed_ns));
    str_printf(out, "    total number of events:              %llu\n",
               (unsigned long long)s->events);
    str_printf(out, "    total time taken by event execution: %.4f%s\n", s->latency_sum_ms / 1e3,
               f->unit);
    str_printf(out, "    %s:\n", f->latency);
    str_printf(out, "         min:                            %10.2fms\n", s->latency_min_ms);
    str_printf(out, "         avg:                            %10.2fms\n", s->latency_avg_ms);
    str_printf(out, "         max:                            %10.2fms\n", s->latency_max_ms);
    percentile_lines(out, s, f);
    str_adds(out, "\n");
}

void text_legacy_cumulative(struct str *out, const struct snapshot *s, enum text_form text,
                            enum report_form form)
{
    const struct legacy *f = &legacy[form];

    if (text == TEXT_SQL)
        statements(out, s, f);
    if (f->unfinished)
        text_unfinished(out, s);
    summary(out, s, f);
    text_fairness(out, s);
}
