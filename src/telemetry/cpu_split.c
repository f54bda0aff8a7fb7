/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See cpu_split.h for the argument behind the arithmetic.
 */
#include "telemetry/cpu_split.h"

int64_t cpu_ticks_ns(uint64_t ticks, int64_t tick_ns)
{
    return ticks > (uint64_t)(INT64_MAX / tick_ns) ? INT64_MAX : (int64_t)ticks * tick_ns;
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

int64_t cpu_split_user(int64_t cpu_ns, uint64_t utime, uint64_t stime, int64_t tick_ns)
{
    int64_t user = cpu_ticks_ns(utime, tick_ns), sys = cpu_ticks_ns(stime, tick_ns);
    int64_t rest = cpu_ns - user;

    rest = rest > INT64_MIN + sys ? rest - sys : INT64_MIN;
    /* clock and stat are read a moment apart, in which several CPUs may have worked: one tick of slack */
    if (rest >= -tick_ns && rest <= 3 * tick_ns)
        return clamp(user + rest / 2, 0, cpu_ns);
    if (utime == 0 && stime == 0)
        return cpu_ns; /* nothing is known about it, and far more often it is user time */
    return clamp((int64_t)((double)cpu_ns * ((double)utime / ((double)utime + (double)stime))), 0,
                 cpu_ns);
}

void cpu_split_advance(struct cpu_split *s, int64_t cpu_ns, int64_t user_ns)
{
    int64_t grown = cpu_ns - s->cpu_ns;

    if (grown < 0)
        return;
    s->user_ns += clamp(user_ns - s->user_ns, 0, grown);
    s->cpu_ns = cpu_ns;
}
