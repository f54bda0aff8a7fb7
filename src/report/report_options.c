/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See report_options.h.
 */
#include "report/report_options.h"

#include <math.h>

void report_options_read(struct report_options *r, const struct opts *o)
{
    r->histogram = opt_bool(o, "histogram");
    r->debug = opt_bool(o, "debug");
    r->validate = opt_bool(o, "validate");
}

int report_options_check(const struct report_options *r, size_t percentiles, struct err *e)
{
    if (r->histogram && !percentiles)
        return err_set(e, ERR_USAGE, "--histogram cannot be used with --percentile=0");
    return 0;
}

int report_stamp_decimals(dur_ns interval)
{
    double s = dur_sec(interval), unit = s;
    int decimals = 0;

    while (decimals < 3 && fabs(unit - round(unit)) > 1e-9 * s) {
        decimals++;
        unit *= 10;
    }
    return decimals;
}
