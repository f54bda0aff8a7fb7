/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See csv_cells.h.
 */
#include "report/csv_cells.h"

#include <math.h>

#include "base/clock.h"
#include "report/json.h"

void csv_count(struct str *out, uint64_t n)
{
    str_printf(out, ",%llu", (unsigned long long)n);
}

void csv_number(struct str *out, double v)
{
    str_adds(out, ",");
    if (isfinite(v))
        json_number(out, v);
}

void csv_seconds(struct str *out, int64_t ns)
{
    csv_number(out, ns < 0 ? (double)NAN : dur_sec(ns));
}

void csv_text(struct str *out, const char *text)
{
    str_adds(out, ",\"");
    for (; *text; text++)
        str_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    str_adds(out, "\"");
}
