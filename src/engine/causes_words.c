/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The words of the causes, and the arithmetic that they share.  See causes.h.
 */
#include "engine/causes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

/* Per cent of its time that it waits: for other CPUs than those that are idle. */
#define CONFINED 75.0

double service_sum(const struct verdict_readings *r)
{
    return r->service_n ? r->service_mean * (double)r->service_n : 0;
}

bool is_most(const struct verdict_readings *r, dur_ns t)
{
    return t * 4 > (r->to - r->from) * 3;
}

double part_of(double part, double all)
{
    return part > 0 && all > 0 ? fmin(part / all, 1) : 0;
}

void say(struct verdict *v, const char *fmt, ...)
{
    size_t used = strlen(v->why);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(v->why + used, sizeof v->why - used, fmt, ap);
    va_end(ap);
}

const char *say_rate(char buf[32], double v)
{
    if (v < 10 || v >= 1e12) {
        snprintf(buf, 32, v < 10 ? "%.2f" : "%.3g", v);
        return buf;
    }
    return text_grouped(buf, (uint64_t)(v + 0.5));
}

const char *say_ms(char buf[32], double ns)
{
    snprintf(buf, 32, "%.*f", ns < 1e6 ? 3 : ns < 1e7 ? 2 : ns < 1e8, ns / 1e6);
    return buf;
}

const char *say_error(char buf[MOST_FREQUENT], const struct verdict_error *e)
{
    char n[32];

    snprintf(buf, MOST_FREQUENT, "%s: %s %s%s", text_error_words(e->class), e->code,
             e->count == 1 ? "once" : text_grouped(n, e->count), e->count == 1 ? "" : " times");
    return buf;
}

const char *say_s(int n)
{
    return n == 1 ? "" : "s";
}

const char *say_or_lower(const struct verdict_readings *r)
{
    return r->no_rate ? "" : " or lower the rate";
}

const char *say_limit(char buf[32], const struct account *a, double bound)
{
    return say_rate(buf, fmin(fmax(bound, a->ended), a->r->target));
}

void say_machine_time(const struct verdict_readings *r, bool here, double cpus, double waited,
                      struct verdict *v)
{
    double server = r->server_here ? r->server_cpu_pct / r->host_cpus : (double)NAN;
    double self = r->self_cpu_pct / r->host_cpus;
    const char *most =
        r->others_pct >= server + self ? "free the machine" : "free the machine or add CPUs";
    bool others = r->others_pct > 20 && r->others_pct > r->idle_pct;

    if (!here || !isfinite(r->idle_pct))
        say(v, "; free its machine%s", say_or_lower(r));
    else if (r->steal_pct > 20)
        say(v,
            "; the hypervisor gave %.0f%% of this machine's CPU time to others: measure on another "
            "one",
            r->steal_pct);
    else if (r->idle_pct > 20 && cpus >= r->host_cpus && waited < CONFINED)
        say(v, ", at moments: %.0f%% of this machine's CPU time was idle; add CPUs%s", r->idle_pct,
            say_or_lower(r));
    else if (r->idle_pct > 20)
        say(v,
            " while %.0f%% of this machine's CPU time was idle; let it use more CPUs (affinity, "
            "control group)",
            r->idle_pct);
    else if (isfinite(server))
        say(v,
            "; of this machine's CPU time the server used %.0f%%, sysbench %.0f%%, others "
            "%.0f%%: %s%s",
            server, self, r->others_pct, others ? most : "add CPUs", others ? "" : say_or_lower(r));
    else
        say(v,
            "; of this machine's CPU time sysbench used %.0f%%, all others %.0f%%: free the "
            "machine%s",
            self, r->others_pct, say_or_lower(r));
}

const char *say_when(char buf[64], const struct verdict_readings *r, dur_ns from, dur_ns to)
{
    *buf = '\0';
    if (is_most(r, to - from) || to <= from)
        return buf;
    if (r->to - to < (r->to - r->from) / 20)
        snprintf(buf, 64, " from second %.1f on", dur_sec(from));
    else if (lround(10 * dur_sec(from)) == lround(10 * dur_sec(to)))
        snprintf(buf, 64, " at second %.1f", dur_sec(from));
    else
        snprintf(buf, 64, " between second %.1f and %.1f", dur_sec(from), dur_sec(to));
    return buf;
}
