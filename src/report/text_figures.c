/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_figures.h.
 */
#include "report/text_figures.h"

#include <stdio.h>

double text_per_sec(const struct snapshot *s, double n)
{
    return s->interval_ns > 0 ? n / dur_sec(s->interval_ns) : 0;
}

const char *text_percentile(char buf[TEXT_PERCENTILE_SIZE], double p)
{
    snprintf(buf, TEXT_PERCENTILE_SIZE, "%.12g", p);
    return buf;
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
