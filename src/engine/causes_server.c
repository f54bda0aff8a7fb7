/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The causes on the side of the server: its CPU time and this machine's, locks, waits for a CPU,
 * standstills, and what else makes transactions slow.  See causes.h.
 */
#include "engine/causes.h"

#include <math.h>
#include <stdio.h>

#define NEARLY 0.95 /* all */
#define BEFORE 10   /* transactions tell what one cost */
#define AGREES 1.02 /* what was done, with what the CPUs do; a quota lends time at first */

/* A transaction's share of the server's CPU time is part of its service: what is more is the work
 * of others. */
static double server_demand(const struct account *a)
{
    double each = a->r->server_cpu_pct / 100 / a->ended * 1e9;

    return each < 2 * a->r->service_mean + NS_PER_MS ? each : (double)NAN;
}

static double server_bound(const struct account *a)
{
    return a->r->server_cpus / server_demand(a) * 1e9;
}

static void say_server_cpu(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    char cost[32], most[32], cpus[32];

    snprintf(cpus, sizeof cpus, "%.3g", r->server_cpus);
    if (server_bound(a) < r->target && a->ended <= AGREES * server_bound(a))
        say(a->v,
            "a transaction costs the server %s ms of CPU time, so its %s CPU%s do%s %s/s at most",
            say_ms(cost, server_demand(a)), cpus, r->server_cpus == 1 ? "" : "s",
            r->server_cpus == 1 ? "es" : "", say_limit(most, a, server_bound(a)));
    else
        say(a->v, "the server used %.0f%% of its %s CPU%s", verdict_server_pct(r), cpus,
            r->server_cpus == 1 ? "" : "s");
    say(a->v, "; give it more CPUs%s", say_or_lower(r));
}

CAUSE(server_cpu, "the server's CPU time", SERVER_CPU, .bound = server_bound);

/* Where its threads want all CPUs, whoever has them: those of a server with a pool, of its few. */
static bool wants_all(const struct verdict_readings *r)
{
    return r->server_cpu_pct / (1 - r->server_waited_pct / 100) > 85 * r->server_cpus;
}

/* What a transaction cost while the backlog lasted, and before, both without the time around its
 * beginning, if that was read; if that is more than all CPUs can do, and more than twice as much;
 * and if it is not the work of other sessions, as far as that is known. */
static bool has_grown(const struct account *a, struct account there[2],
                      struct verdict_readings r[2])
{
    const struct verdict_readings *all = a->all;
    const dur_ns at = all->peak_from, last = all->peak_to - at, first = at - all->from;

    if (a->r != all || !a->missed || !all->part || !all->peak || first <= 0)
        return false;
    all->part(all, at + last / 4, all->peak_to, &r[0]);
    all->part(all, all->from, at - first / 2, &r[1]);
    if (r[1].to > at || r[1].in_time < BEFORE)
        return false;
    for (int i = 0; i < 2; i++) {
        there[i] = *a;
        there[i].r = &r[i];
        there[i].ended = (double)(r[i].in_time + r[i].failed) / dur_sec(r[i].scheduled);
    }
    double used = r->server_cpu_pct / 100 * (double)r->scheduled;
    double ours = (double)(r->waited[WAIT_CPU].time - r->ready);
    return server_bound(there) * 100 / USED_UP < r->target &&
           server_demand(there) > 2 * server_demand(there + 1) && wants_all(r) &&
           (!r->threads || ours > HALF * used);
}

static double grown(const struct account *a)
{
    struct verdict_readings r[2];
    struct account there[2];

    return has_grown(a, there, r);
}

static void say_grown(const struct account *a)
{
    const struct verdict_readings *all = a->all;
    struct verdict_readings r[2];
    struct account there[2];
    char cost[32], before[32], most[32], span[64];

    if (!has_grown(a, there, r))
        return;
    if (!*say_when(span, all, all->peak_from, all->peak_to))
        snprintf(span, sizeof span, " from second %.1f on", dur_sec(all->peak_from));
    say(a->v,
        "a transaction cost the server %s ms of CPU time%s, and %s ms before, so its %.3g CPU%s "
        "do%s %s/s at most; find out what changed, such as a plan or an index",
        say_ms(cost, server_demand(there)), span, say_ms(before, server_demand(there + 1)),
        r->server_cpus, r->server_cpus == 1 ? "" : "s", r->server_cpus == 1 ? "es" : "",
        say_limit(most, there, server_bound(there)));
}

CAUSE(grown, "CPU time of a transaction that grew", SERVER_CPU, .missing = true, .part = grown);

/* Both share this machine. */
static double machine_bound(const struct account *a)
{
    const struct verdict_readings *r = a->r;

    if (!r->server_here || !isfinite(server_demand(a)))
        return NAN;
    return a->ended * 100 * r->host_cpus / (r->server_cpu_pct + r->self_cpu_pct);
}

static void say_machine(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    char server[32], own[32], most[32];

    say(a->v,
        "a transaction costs %s ms of CPU time in the server and %s in the load "
        "generator, so the %d "
        "CPU%s of this machine do%s %s/s at most; add CPUs%s",
        say_ms(server, server_demand(a)), say_ms(own, r->self_cpu_pct / 100 / a->ended * 1e9),
        r->host_cpus, say_s(r->host_cpus), r->host_cpus == 1 ? "es" : "",
        say_limit(most, a, machine_bound(a)), say_or_lower(r));
}

CAUSE(machine, "this machine's CPU time", SERVER_CPU, .bound = machine_bound);

double busy_sum(const struct account *a)
{
    const struct verdict_readings *r = a->r;

    if (!r->backlog)
        return service_sum(r);
    return backlog_at(r->backlog, r->to).busy - backlog_at(r->backlog, r->from).busy;
}

double count_sum(const struct verdict_readings *r)
{
    if (!r->backlog)
        return (double)r->service_n;
    const struct backlog_point p = backlog_at(r->backlog, r->from),
                               q = backlog_at(r->backlog, r->to);
    return (double)(q.begun - p.begun + q.ended - p.ended) / 2;
}

double spent_sum(const struct account *a, dur_ns waited)
{
    double ended = service_sum(a->r);

    return ended >= (double)waited ? ended : busy_sum(a);
}

/* Where nothing ended in time, all of the time counts. */
static double locks(const struct account *a)
{
    if (a->missed && a->ended <= 0)
        return part_of((double)a->r->lock_wait, spent_sum(a, a->r->lock_wait));
    return a->slow * part_of((double)a->r->lock_wait, a->excess);
}

static void say_locks(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    bool behind = r->lock_behind * 2 >= r->lock_wait && r->lock_who && *r->lock_who;
    double spent = spent_sum(a, r->lock_wait), waited = (double)r->lock_wait;

    if (spent > 0 && waited > spent) /* it is known for longer than the schedule lasted */
        waited = spent;
    say(a->v, "transactions waited %.1f s for %s%s, %.0f%% of their time", waited / 1e9,
        behind         ? "locks"
        : r->lock_rows ? "row locks"
                       : "locks other than row locks",
        r->lock_counted ? " (Innodb_row_lock_time)" : "", 100 * part_of(waited, spent));
    if (behind)
        say(a->v, ", %sbehind %s%s); end %s",
            (double)r->lock_behind >= NEARLY * (double)r->lock_wait ? "" : "most of it ",
            r->lock_blockers > 1 ? "other sessions (the last: " : "another session (", r->lock_who,
            r->lock_blockers > 1 ? "them" : "it");
    else if (say_root(a))
        return;
    else if (r->lock_rows)
        say(a->v, "; spread them over more rows%s", say_or_lower(r));
    else
        say(a->v, "%s%s",
            r->lock_ours ? ", most of it behind own transactions; hold them for less time"
                         : "; find out who holds them",
            r->lock_ours ? say_or_lower(r) : "");
    if (!behind && r->lock_rows && r->lock_why)
        say(a->v, ", unless another session holds them (not known: %s)", r->lock_why);
}

CAUSE(locks, "locks", LATENCY, .part = locks);

double cpu_waits(const struct verdict_readings *r)
{
    double room = busy_sum(&(struct account){.r = r}) - (double)r->in_server;

    return r->threads && r->waits_known ? fmin((double)r->server_wait, fmax(room, 0))
                                        : (double)r->server_wait;
}

/* A pool queues inside the server: where its few threads are runnable all the time and seldom run,
 * all that waits in its queue waits for a CPU.  A server with a process per connection has none. */
static double server_wait(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    if (!isfinite(r->server_waited_pct))
        return 0;
    if (!r->threads && r->server_processes <= (uint64_t)r->clients && r->server_waited_pct > 50 &&
        wants_all(r))
        return a->slow * r->server_waited_pct / 100;
    return a->slow * part_of(cpu_waits(r), a->excess);
}

static void say_server_wait(const struct account *a)
{
    say(a->v, "the server waited for a CPU for %.0f%% of the time that it could run",
        a->r->server_waited_pct);
    say_machine_time(a->r, a->r->server_here, a->r->server_cpus, a->r->server_waited_pct, a->v);
}

CAUSE(server_wait, "the server's wait for a CPU", CPU_WAIT, .part = server_wait);

/* Much longer than a transaction takes, and than there is none. */
static double silence(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double whole =
        a->slow * part_of(a->silence.busy, a->excess) * (1 - cause_outages.part(a)) - locks(a);

    return (double)a->silence.length > 5 * a->each && dur_sec(a->silence.length) * r->target > 10
               ? fmax(whole, 0)
               : 0;
}

static void say_silence(const struct account *a)
{
    struct account still = *a;
    struct verdict_readings r;

    const dur_ns from = a->silence.from, to = from + a->silence.length;
    const bool told = a->r->stall_from < to && a->r->stall_from + a->r->stall_length > from;
    say(a->v, "no transaction ended for %.1f s (from second %.1f on), although some were running",
        dur_sec(told ? a->r->stall_length : to - from), dur_sec(told ? a->r->stall_from : from));
    if (a->all->part) {
        a->all->part(a->all, a->silence.from, a->silence.from + a->silence.length, &r);
        still.r = &r;
    }
    say_find_out(&still, still.r, a->all->part ? busy_sum(&still) : a->silence.busy);
}

CAUSE(silence, "a standstill", LATENCY, .part = silence);

double cause_unexplained(const struct account *a)
{
    double known =
        locks(a) + silence(a) + server_wait(a) + cause_own_wait.part(a) + cause_errors.part(a);

    return fmax(a->slow * (1 - cause_outages.part(a)) - known, 0);
}

/* What is left of the time that transactions took. */
static double inside(const struct account *a)
{
    return cause_unexplained(a) - cause_waits(a);
}

static void say_inside(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    char took[32], each[32], span[64];
    dur_ns from = r->from, to = r->to;
    double piled = (double)(r->open - r->waiting);

    if (r->backlog)
        backlog_worst(r->backlog, &from, &to, a->each);
    struct backlog_point p = {0}, q = {0};
    if (r->backlog)
        p = backlog_at(r->backlog, from), q = backlog_at(r->backlog, to);
    double mean = q.ended > p.ended ? (q.busy - p.busy) / (double)(q.ended - p.ended)
                                    : (double)r->service_mean;
    double script = r->no_sql               ? (double)NAN
                    : q.running > p.running ? backlog_script_pct(&p, &q)
                                            : r->script_pct;
    const char *where = r->no_sql ? "" : " in the server",
               * or = r->no_sql ? "" : " or on the network";
    if (a->crowded)
        say(a->v, "transactions waited for each other%s%s", where, or);
    else if (a->missed && piled * 2 > a->missing)
        say(a->v, "%.0f transactions piled up%s", piled, where);
    else if (script > 50)
        say(a->v, "transactions took longer in the script");
    else
        say(a->v, "transactions took longer%s%s", where, or);
    if (mean > APART * a->each)
        say(a->v, ": %s ms%s, and %s ms otherwise", say_ms(took, mean),
            say_when(span, a->all, from, to), say_ms(each, a->each));
    say_find_out(a, r, busy_sum(a));
}

CAUSE(inside, "slow transactions", LATENCY, .part = inside);

static double endless(const struct account *a)
{
    return a->missed && a->ended <= 0 && a->r->offered ? 1 - cause_outages.part(a) - locks(a) : 0;
}

static void say_endless(const struct account *a)
{
    say(a->v, "no transaction ended; raise --time%s", a->r->no_sql ? "" : " or check the server");
    if (a->r->waits_known)
        say_find_out(a, a->r, busy_sum(a));
}

CAUSE(endless, "no transaction that ended", LATENCY, .missing = true, .part = endless);
