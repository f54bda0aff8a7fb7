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
