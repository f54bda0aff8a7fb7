/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Was the rate held, do the accounts balance, and who was the limit?  Three judgements over the
 * final snapshot, each from figures that are printed beside it.
 */
#include "engine/run_state.h"

#include <math.h>
#include <stdio.h>

/* Where the schedule ended: with the time limit, when the run was stopped, or after --events. */
static mono_ns schedule_end(const struct run *r)
{
    mono_ns end = atomic_load(&r->end), over = 0;

    for (int i = 0; i < r->plan->clients; i++) {
        mono_ns told = atomic_load_explicit(&r->client[i].over_at, memory_order_relaxed);
        over = told > over ? told : over;
    }
    return over && over < end ? over : end;
}

/* When the last transaction began, or `end` if that was later.  Clients that are left behind began before a time
 * limit: nothing begins after it. */
static mono_ns last_begun(const struct run *r, const struct run_result *res, mono_ns end)
{
    for (int i = 0; i < r->plan->clients && !res->clients_left; i++)
        end = r->client[i].begun > end ? r->client[i].begun : end;
    return end;
}

/*
 * How many ended so long after the schedule that they were not delivered at its rate.  What is under
 * way at the end of the schedule takes its time, the mean service time more or less, and of a steady
 * load only few take longer: as many as chance may bring together, the square root of the number, are
 * forgiven.  More than that had piled up in the server.  Nothing begins after `begun`, so no client can
 * have ended two of them.
 */
static uint64_t piled_up(const struct run *r, const struct snapshot_rate *q, mono_ns begun)
{
    mono_ns limit = begun + (q->service.n ? (dur_ns)q->service.mean : 0);
    uint64_t n = 0, chance = (uint64_t)ceil(sqrt((double)q->total_offered));

    for (int i = 0; i < r->plan->clients; i++)
        n += atomic_load_explicit(&r->client[i].last, memory_order_relaxed) > limit;
    n = n > q->total_done ? q->total_done : n;
    return n > chance ? n - chance : 0;
}

/* The share of what was offered that was done, without what had piled up; times the time that the
 * schedule took over the time in which it was begun: what could only begin after --events / rate was
 * not delivered at that rate. */
static double delivered(const struct run *r, const struct snapshot_rate *q, mono_ns begun, uint64_t piled)
{
    mono_ns end = schedule_end(r);
    double in_time = 1;

    if (q->total_offered == 0)
        return 1;
    if (begun > end && end > r->measure_from)
        in_time = dur_sec(end - r->measure_from) / dur_sec(begun - r->measure_from);
    return (double)(q->total_done - piled) / (double)q->total_offered * in_time;
}

/*
 * Every offered arrival in exactly one place, each place counted by somebody else: begun by the clients, dropped by
 * the ticket line, returned by clients that were overtaken by the end, never taken by anybody.
 * Only exact when all clients have ended.
 */
static bool balance(const struct collect *c, const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;
    const struct run *r = c->run;
    uint64_t returned = 0, issued = tickets_issued(r->tickets), offered = c->now.offered;

    for (int i = 0; i < r->plan->clients; i++)
        returned += counters_get(&r->counters[i], CNT_RETURNED);
    return offered >= issued && q->waiting == returned + offered - issued &&
           q->total_offered == q->total_done + q->total_failed + q->total_dropped + q->unfinished;
}

/* CPU of our own process in % of what its clients could use at most. */
static double self_load(const struct run *r, const struct snapshot *s)
{
    int cpus = r->plan->clients < s->ncpu ? r->plan->clients : s->ncpu;

    if (!s->self.on || !(s->self.d.have & SAMPLE_CPU))
        return 0;
    return sample_pct_one(s->self.d.cpu_ns, s->self.d.wall_ns) / cpus;
}

/* The longest that a transaction is known to have lasted. */
static dur_ns longest(const struct snapshot_rate *q)
{
    return q->in_flight && q->oldest_ns > q->service.max ? q->oldest_ns : q->service.max;
}

/* Does the lateness come from clients that were idle in time and woke up late?  Not when most of what
 * is missing was still waiting or under way at the end: then they were busy. */
static bool woke_late(const struct run *r, const struct snapshot_rate *q, bool sustained, dur_ns *worst)
{
    *worst = 0;
    for (int i = 0; i < r->plan->clients; i++)
        *worst = r->client[i].worst_wake > *worst ? r->client[i].worst_wake : *worst;
    if (!sustained && q->unfinished * 2 > q->total_offered - q->total_done)
        return false;
    return q->total_late_idle * 2 > q->total_late || (*worst > 0 && *worst * 2 > q->lag.max);
}

/* One sentence about who was the limit; the first that applies. */
static void explain(const struct run *r, const struct snapshot *s, uint64_t piled, struct run_result *res)
{
    const struct snapshot_rate *q = &s->rate;
    uint64_t lost = q->total_failed + q->withdrawn;
    double load = self_load(r, s), can = r->plan->clients / (q->service.mean / 1e9); /* NaN without a sample */
    dur_ns worst;
    char *why = res->why;
    size_t room = sizeof res->why;

    if (!res->sustained && lost * 2 > q->total_offered - q->total_done)
        snprintf(why, room, "%llu transactions failed or were withdrawn by the script", (unsigned long long)lost);
    else if (load > 90)
        snprintf(why, room, "the load generator was the limit: it used %.0f%% of the CPU its %d threads can use", load,
                 r->plan->clients);
    else if (!res->sustained && piled * 2 > piled + q->total_offered - q->total_done)
        snprintf(why, room, "%llu transactions had piled up in the server and ended long after the last one had begun",
                 (unsigned long long)piled);
    else if (!res->clients_left && woke_late(r, q, res->sustained, &worst))
        snprintf(why, room, "the load generator woke up late: %llu of %llu late starts had an idle thread waiting for "
                 "them, the worst for %.3f ms", (unsigned long long)q->total_late_idle,
                 (unsigned long long)q->total_late, dur_ms(worst));
    else if (q->service.n == 0)
        snprintf(why, room, "no transaction ended");
    else if (can > q->target)
        snprintf(why, room, "no thread was idle for a while: at the mean service time of %.3f ms %d "
                 "threads can do %.0f per sec., but one took %.3f ms", q->service.mean / 1e6,
                 r->plan->clients, can, dur_ms(longest(q)));
    else
        snprintf(why, room, "no thread was idle: %d threads with a mean service time of %.3f ms can do at most %.0f "
                 "per sec.", r->plan->clients, q->service.mean / 1e6, can);
}

void verdict(const struct collect *c, const struct snapshot *s, struct run_result *res)
{
    const struct snapshot_rate *q = &s->rate;
    const struct run *r = c->run;
    uint64_t piled;
    mono_ns begun;

    res->sustained = res->accounts_balance = true;
    if (!r->tickets)
        return;
    begun = last_begun(r, res, schedule_end(r));
    piled = piled_up(r, q, begun);
    res->sustained = delivered(r, q, begun, piled) >= 1 - r->plan->tolerance_pct / 100;
    if (!res->clients_left)
        res->accounts_balance = balance(c, s);
    /* a hint is due when the rate was missed, or when more than one start in a hundred was late */
    if (!res->sustained || q->total_late * 100 > q->total_done)
        explain(r, s, piled, res);
}
