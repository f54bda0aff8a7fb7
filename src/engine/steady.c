/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See steady.h.
 *
 * steady_note: with readings y at times x, means X and Y, and Sxx the sum of (x-X)^2, the slope is
 * b = sum((x-X)*(y-Y)) / Sxx, and its standard error is s = sqrt(sum(r^2) / (n-2) / Sxx), with r
 * the distance of a reading from the line.  Both times the length of the window (n readings, from
 * the first one's beginning to the last one's end) and divided by Y are the change over the window
 * and its error.  The load is steady when |change| + error <= bound.
 *
 * fio's `ss=iops_slope:5%` looks at the slope alone, per reading.  There a noisy series passes as
 * soon as its line happens to be flat.  Here the noise counts: a series whose noise hides a drift
 * as large as the bound never passes, and one without noise passes exactly when it is flat enough.
 */
#include "engine/steady.h"

#include <math.h>

void steady_add(struct steady *s, double at_s, double value)
{
    s->window[s->readings++ % STEADY_READINGS] = (struct steady_reading){at_s, value};
}

bool steady_trend(const struct steady *s, struct steady_trend *t)
{
    const double n = STEADY_READINGS;
    double sxx = 0, sxy = 0, rest = 0, slope, length;
    struct steady_reading mean = {0, 0};
    size_t first = s->readings % STEADY_READINGS, last = first + STEADY_READINGS - 1;

    for (size_t i = 0; i < STEADY_READINGS; i++) {
        mean.at_s += s->window[i].at_s / STEADY_READINGS;
        mean.value += s->window[i].value / STEADY_READINGS;
    }
    if (s->readings < STEADY_READINGS || !(mean.value > 0))
        return false;
    for (size_t i = 0; i < STEADY_READINGS; i++) {
        double x = s->window[i].at_s - mean.at_s;
        sxx += x * x;
        sxy += x * (s->window[i].value - mean.value);
    }
    slope = sxy / sxx;
    for (size_t i = 0; i < STEADY_READINGS; i++) {
        double line = mean.value + slope * (s->window[i].at_s - mean.at_s);
        rest += (s->window[i].value - line) * (s->window[i].value - line);
    }
    length = s->window[last % STEADY_READINGS].at_s - s->window[first].at_s;
    length *= n / (n - 1); /* between the outer ends of both */
    t->change_pct = 100 * slope * length / mean.value;
    t->error_pct = 100 * sqrt(rest / (n - 2) / sxx) * length / mean.value;
    return true;
}

bool steady_within(const struct steady_trend *t, double bound_pct)
{
    return fabs(t->change_pct) + t->error_pct <= bound_pct;
}
