/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See fields_computed.h.
 */
#include "report/fields_computed.h"

#include <math.h>
#include <string.h>

static double per_sec(const struct snapshot *s, double n)
{
    return s->interval_ns > 0 ? n / dur_sec(s->interval_ns) : NAN;
}

double field_wall_time(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return (double)s->wall / 1e9;
}

double field_transactions_rate(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return per_sec(s, (double)s->events);
}

double field_queries(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return (double)(s->reads + s->writes + s->other);
}

double field_queries_rate(const struct snapshot *s, const struct snapshot_server *v)
{
    return per_sec(s, field_queries(s, v));
}

/* Nothing of these three is kept for phases. */
double field_connections_away(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return s->kind == SNAPSHOT_PHASE ? NAN : s->connections_away;
}

double field_clients_missing(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return s->may_miss && s->kind != SNAPSHOT_PHASE ? s->clients_missing : NAN;
}

double field_lost(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return s->rate.shared ? (double)s->rate.lost : NAN;
}

double field_total_lost(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return s->rate.shared ? (double)s->rate.total_lost : NAN;
}

double field_connection_errors(const struct snapshot *s, const struct snapshot_server *v)
{
    double n = 0;

    (void)v;
    for (size_t i = 0; i < s->nby_code; i++)
        if (strcmp(s->by_code[i].row->class, "connection") == 0)
            n += (double)s->by_code[i].count;
    return s->kind == SNAPSHOT_PHASE ? NAN : n;
}

double field_total_transactions(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return (double)(s->total[CNT_DONE] + s->total[CNT_EVENT]);
}

/* Over the threads: the fewest (sign 1) or the most (-1) transactions of one. */
static double extreme(const struct snapshot *s, int sign)
{
    double best = NAN;

    for (int i = 0; s->clients && i < s->nclients; i++) {
        double n = sign * (double)s->clients[i].events;
        if (s->clients[i].unknown)
            continue;
        best = isnan(best) || n < best ? n : best;
    }
    return sign * best;
}

double field_transactions_least(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return extreme(s, 1);
}

double field_transactions_most(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return extreme(s, -1);
}

double field_user_pct(const struct snapshot *s, const struct snapshot_server *v)
{
    return sample_pct_system(v->d.user_ns, v->d.wall_ns, v->ncpu ? v->ncpu : s->ncpu);
}

double field_system_pct(const struct snapshot *s, const struct snapshot_server *v)
{
    return sample_pct_system(v->d.sys_ns, v->d.wall_ns, v->ncpu ? v->ncpu : s->ncpu);
}

/* Of the interval, as the server's: CPUs that are stopped at once may add up to more than 100. */
double field_throttled_pct(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)s;
    return sample_pct_one(v->d.throttled_ns, v->d.wall_ns);
}

static double per_transaction(const struct snapshot *s, double n)
{
    uint64_t events = snapshot_sampled(s);

    return events ? n / (double)events : NAN;
}

/* What the two figures below are divided by; events or none, as in a report without a rate. */
double field_between_readings(const struct snapshot *s, const struct snapshot_server *v)
{
    return (double)snapshot_sampled_by(s, v);
}

static double by_transaction(const struct snapshot *s, const struct snapshot_server *v, double n)
{
    uint64_t events = snapshot_sampled_by(s, v);

    return events ? n / (double)events : NAN;
}

double field_cpu_per_transaction(const struct snapshot *s, const struct snapshot_server *v)
{
    return by_transaction(s, v, dur_sec(v->d.cpu_ns));
}

double field_switches_per_transaction(const struct snapshot *s, const struct snapshot_server *v)
{
    return by_transaction(s, v, (double)(v->d.vol_switches + v->d.invol_switches));
}

/* Of a rate of the machine, what one transaction has. */
static double of_machine(const struct snapshot *s, double per_second)
{
    return per_transaction(s, per_second * dur_sec(s->probe->host.wall_ns));
}

double field_interrupts_per_transaction(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return of_machine(s, s->probe->host.in);
}

double field_host_switches(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return of_machine(s, s->probe->host.cs);
}

double field_cpu_energy(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return of_machine(s, s->probe->host.watts[POWER_CPU]);
}

double field_memory_energy(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return of_machine(s, s->probe->host.watts[POWER_MEMORY]);
}

double field_battery_energy(const struct snapshot *s, const struct snapshot_server *v)
{
    (void)v;
    return of_machine(s, s->probe->host.battery_watts);
}
