/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See cpu_split.h for the argument behind the arithmetic.
 */
#include "telemetry/cpu_split.h"

#include <stdbool.h>

int64_t cpu_ticks_ns(uint64_t ticks, int64_t tick_ns)
{
    return ticks > (uint64_t)(INT64_MAX / tick_ns) ? INT64_MAX : (int64_t)ticks * tick_ns;
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/*
 * The user part when utime + stime is cpu_ns less what was truncated.  likely_user is the estimate
 * if both were 0.  cpu_split.h derives the formula.
 */
static int64_t divide_rest(int64_t cpu_ns, int64_t user, int64_t sys, int64_t tick_ns,
                           double likely_user)
{
    int64_t rest = cpu_ns - user - sys;
    int64_t low = rest > tick_ns ? rest - tick_ns : 0, high = rest < tick_ns ? rest : tick_ns;
    double likely = likely_user - (double)user; /* of the rest */
    bool tells_nothing = user && sys; /* both were shown: half a tick of each is missing */

    if (user && !sys) /* more than a tick of system time would have shown */
        tells_nothing = (double)cpu_ns - likely_user > (double)tick_ns;
    if (sys && !user)
        tells_nothing = likely_user > (double)tick_ns;
    if (tells_nothing || low > high) /* low > high: clock and stat are not of one instant */
        return user + rest / 2;
    return user + (likely < (double)low ? low : likely > (double)high ? high : (int64_t)likely);
}

int64_t cpu_split_user(int64_t cpu_ns, uint64_t utime, uint64_t stime, int64_t tick_ns,
                       double share)
{
    int64_t user = cpu_ticks_ns(utime, tick_ns), sys = cpu_ticks_ns(stime, tick_ns);
    double u = (double)utime, s = (double)stime, rest, likely;

    /* the others' share weighs as much as 16 ticks of its own: the smallest error for 1 to 300
     * ms of CPU */
    likely = (double)cpu_ns * ((u + 16 * share) / (u + s + 16));
    rest = (double)cpu_ns - (double)user - (double)sys;
    /* several CPUs may have run threads between the readings of clock and stat: allow one tick */
    if (rest >= (double)-tick_ns && rest <= (double)(3 * tick_ns))
        return clamp(divide_rest(cpu_ns, user, sys, tick_ns, likely), 0, cpu_ns);
    return likely < (double)cpu_ns ? (int64_t)likely : cpu_ns;
}

void cpu_split_advance(struct cpu_split *s, int64_t cpu_ns, int64_t user_ns)
{
    int64_t grown = cpu_ns - s->cpu_ns;

    if (grown < 0)
        return;
    s->user_ns += clamp(user_ns - s->user_ns, 0, grown);
    s->cpu_ns = cpu_ns;
}
