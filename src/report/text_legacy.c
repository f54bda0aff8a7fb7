/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reports of sysbench 0.4.12 and 0.5, whose lines scripts still parse: interval lines, the
 * final and checkpoint report.  The dialects differ in titles, units and in which lines there are,
 * so a dialect is a row of a table.  Widths and blanks are interface, as are the two blanks in
 * "approx.  95 percentile".
 *
 * `transactions` of 0.5 counts COMMIT and UNLOCK TABLES statements; that of 0.4 counts events.  A
 * run without events shows 0.00 as its shortest response time, and not the 18446744073709.55ms that
 * the old programs printed.
 */
#include "report/text_blocks.h"

/* clang-format off */
static const struct legacy {
    const char *summary, *latency; /* titles */
    const char *unit;              /* of the time taken by event execution */
    bool commits;                  /* are what `transactions` counts */
    bool deadlocks;                /* a line of their own */
    bool errors;                   /* ignored errors and reconnects have lines */
    bool unfinished;               /* a forced shutdown tells what it abandoned */
    bool always_percentile;        /* even if there was no event */
} legacy[FORM_MAX] = {
    [FORM_0_4] = {"Test execution summary", "per-request statistics", "", .deadlocks = true},
    [FORM_0_5] = {"General statistics", "response time", "s", .commits = true, .errors = true,
                  .unfinished = true, .always_percentile = true},
};
/* clang-format on */

static double per_sec(uint64_t n, const struct snapshot *s)
{
    return text_per_sec(s, (double)n);
}

static uint64_t transactions(const struct snapshot *s, enum report_form form)
{
    return legacy[form].commits ? s->count[CNT_COMMIT] : s->events;
}

void text_legacy_interval(struct str *out, const struct snapshot *s, enum report_form form)
{
    double n = per_sec(transactions(s, form), s), reads = per_sec(s->reads, s),
           writes = per_sec(s->writes, s);
    char buf[TEXT_PERCENTILE_SIZE];

    if (form == FORM_0_5)
        str_printf(out, "threads: %u, tps: %4.2f, reads: %4.2f, writes: %4.2f, ", s->threads, n,
                   reads, writes);
    else /* 0.4 has no comma before "response" */
        str_printf(out, "threads: %u, tps: %4.2f, reads/s: %4.2f, writes/s: %4.2f ", s->threads, n,
                   reads, writes);
    /* "4.18ms (95%)", and of several percentiles "0.50/4.18ms (50/95%)" */
    str_adds(out, "response time: ");
    text_percentiles(out, s, 2);
    str_adds(out, "ms (");
    for (size_t i = 0; i < s->percentiles; i++)
        str_printf(out, "%s%s", i ? "/" : "", text_percentile(buf, s->percentile[i]));
    str_adds(out, s->percentiles ? "%)" : "0%)");
    if (form == FORM_0_5)
        str_printf(out, ", errors: %4.2f, reconnects: %5.2f", per_sec(s->errors, s),
                   per_sec(s->reconnects, s));
}

void text_legacy_cumulative(struct str *out, const struct snapshot *s, enum text_form text,
                            enum report_form form)
{
    const struct legacy *f = &legacy[form];
    uint64_t requests = s->reads + s->writes;

    if (text == TEXT_SQL) {
        text_queries(out, "OLTP test statistics", s);
        text_counted(out, "transactions:", transactions(s, form), s);
        if (f->deadlocks)
            text_counted(out, "deadlocks:", s->errors, s);
        text_counted(out, "read/write requests:", requests, s);
        text_counted(out, "other operations:", s->other, s);
        if (f->errors) {
            text_counted(out, "ignored errors:", s->errors, s);
            text_counted(out, "reconnects:", s->reconnects, s);
        }
    }
    if (f->unfinished)
        text_unfinished(out, s);
    str_printf(out,
               "\n%s:\n"
               "    total time:                          %.4fs\n"
               "    total number of events:              %llu\n"
               "    total time taken by event execution: %.4f%s\n",
               f->summary, dur_sec(s->elapsed_ns), (unsigned long long)s->events,
               s->latency_sum_ms / 1e3, f->unit);
    str_printf(out,
               "    %s:\n"
               "         min:                            %10.2fms\n"
               "         avg:                            %10.2fms\n"
               "         max:                            %10.2fms\n",
               f->latency, s->latency_min_ms, s->latency_avg_ms, s->latency_max_ms);
    for (size_t i = 0; i < s->percentiles && (s->events || f->always_percentile); i++) {
        char buf[TEXT_PERCENTILE_SIZE];
        str_printf(out, "         approx. %3s percentile:         %10.2fms\n",
                   text_percentile(buf, s->percentile[i]), s->latency_pct_ms[i]);
    }
    str_adds(out, "\n");
    text_fairness(out, s);
}
