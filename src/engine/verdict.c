/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Was the rate held, do the accounts balance, and who was the limit?  Three judgements over the
 * final snapshot, each from figures that are printed beside it.
 */
#include "engine/run_state.h"

#include <stdio.h>

/* Where the schedule ended: with the time limit, when the run was stopped, or after --events. */
static mono_ns schedule_end(const struct run *r)
{
    mono_ns end = atomic_load(&r->end), over = 0;

    for (int i = 0; i < r->plan->clients; i++)
        over = r->client[i].over_at > over ? r->client[i].over_at : over;
    return over && over < end ? over : end;
}

/*
 * Delivered share of what was offered: done/offered, times the time that the schedule took over the time in which it was begun.
 * A transaction that began in time may end when it ends; one that could only begin after the schedule's end was
 * not delivered at that rate.  Clients that are left behind began before a time limit: nothing begins after it.
 */
static double delivered(const struct run *r, const struct snapshot *s, const struct run_result *res)
{
    const struct snapshot_rate *q = &s->rate;
    mono_ns end = schedule_end(r), begun = end;

    if (q->total_offered == 0)
        return 1;
    for (int i = 0; i < r->plan->clients && !res->clients_left; i++)
        begun = r->client[i].begun > begun ? r->client[i].begun : begun;
    if (begun == end || end <= r->measure_from)
        return (double)q->total_done / (double)q->total_offered;
    return (double)q->total_done / (double)q->total_offered * dur_sec(end - r->measure_from) /
           dur_sec(begun - r->measure_from);
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

/* Does the lateness come from clients that were idle in time and woke up late?  Not when most of what is missing was still
 * waiting or under way at the end: then they were busy. */
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
static void explain(const struct run *r, const struct snapshot *s, struct run_result *res)
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
    else if (!res->clients_left && woke_late(r, q, res->sustained, &worst))
        snprintf(why, room, "the load generator woke up late: %llu of %llu late starts had an idle thread waiting for "
                 "them, the worst for %.3f ms", (unsigned long long)q->total_late_idle,
                 (unsigned long long)q->total_late, dur_ms(worst));
    else if (q->service.n == 0)
        snprintf(why, room, "no transaction ended");
    else if (can > q->target)
        snprintf(why, room, "no thread was idle for a while: at the mean service time of %.3f ms %d threads can do %.0f "
                 "per sec., but one took %.3f ms", q->service.mean / 1e6, r->plan->clients, can,
                 dur_ms(longest(q)));
    else
        snprintf(why, room, "no thread was idle: %d threads with a mean service time of %.3f ms can do at most %.0f "
                 "per sec.", r->plan->clients, q->service.mean / 1e6, can);
}

void verdict(const struct collect *c, const struct snapshot *s, struct run_result *res)
{
    const struct snapshot_rate *q = &s->rate;
    const struct run *r = c->run;

    res->sustained = res->accounts_balance = true;
    if (!r->tickets)
        return;
    res->sustained = delivered(r, s, res) >= 1 - r->plan->tolerance_pct / 100;
    if (!res->clients_left)
        res->accounts_balance = balance(c, s);
    /* a hint is due when the rate was missed, or when more than one start in a hundred was late */
    if (!res->sustained || q->total_late * 100 > q->total_done)
        explain(r, s, res);
}
