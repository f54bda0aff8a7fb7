/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Was the rate held, do the accounts balance, and who was the limit?  Three judgements over the
 * final snapshot, each from figures that are printed beside it.
 */
#include "engine/run_state.h"

#include <stdio.h>

/*
 * Delivered share of what was offered: done/offered, times window/elapsed because transactions that ended long after
 * the schedule did were not delivered at that rate.
 */
static double delivered(const struct run *r, const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;
    double elapsed = dur_sec(s->elapsed_ns), window = elapsed;

    if (q->total_offered == 0)
        return 1;
    if (r->plan->time_limit && dur_sec(r->plan->time_limit) < window)
        window = dur_sec(r->plan->time_limit);
    return (double)q->total_done / (double)q->total_offered * (elapsed > 0 ? window / elapsed : 1);
}

/*
 * Every offered arrival in exactly one place, each place counted by somebody else: begun by the clients, dropped by
 * the ticket line, returned by clients that were overtaken by the end, never taken by anybody.
 * Only exact when all clients have ended.
 */
static bool balance(const struct run *r, const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;
    uint64_t returned = 0, issued = tickets_issued(r->tickets);
    uint64_t offered = tickets_offered(r->tickets, s->at - r->t0);
    uint64_t never_taken = offered > issued ? offered - issued : 0;

    for (int i = 0; i < r->plan->clients; i++)
        returned += counters_get(&r->counters[i], CNT_RETURNED);
    return q->waiting == returned + never_taken &&
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

static void explain(const struct run *r, const struct snapshot *s, struct run_result *res)
{
    const struct snapshot_rate *q = &s->rate;
    uint64_t wakes = 0;
    double load = self_load(r, s);

    for (int i = 0; i < r->plan->clients; i++)
        wakes += atomic_load_explicit(&r->client[i].late_wakes, memory_order_relaxed);
    if (load > 90)
        snprintf(res->why, sizeof res->why, "the load generator was the limit: it used %.0f%% of the CPU its "
                 "%d threads can use", load, r->plan->clients);
    else if (wakes * 2 > q->total_late && q->total_late > 0)
        snprintf(res->why, sizeof res->why, "the load generator woke up late: %llu of %llu late starts had an idle "
                 "thread waiting for them", (unsigned long long)wakes, (unsigned long long)q->total_late);
    else if (q->service.n == 0)
        snprintf(res->why, sizeof res->why, "no transaction ended");
    else
        snprintf(res->why, sizeof res->why, "no thread was idle: %d threads with a mean service time of %.3f ms can "
                 "do at most %.0f per sec.", r->plan->clients, q->service.mean / 1e6,
                 r->plan->clients / (q->service.mean / 1e9));
}

void verdict(const struct run *r, const struct snapshot *s, struct run_result *res)
{
    const struct snapshot_rate *q = &s->rate;

    res->sustained = res->accounts_balance = true;
    if (!r->tickets)
        return;
    res->sustained = delivered(r, s) >= 1 - r->plan->tolerance_pct / 100;
    if (!res->clients_left)
        res->accounts_balance = balance(r, s);
    /* a hint is due when the rate was missed, or when more than one start in a hundred was late */
    if (!res->sustained || q->total_late * 100 > q->total_done)
        explain(r, s, res);
}
