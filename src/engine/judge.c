/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The checks at the end of a run with a rate: was the rate held (verdict.h), and do the counts
 * balance?  This file reads the figures that the verdict needs besides those of the final snapshot.
 */
#include "engine/collect.h"
#include "engine/ranks.h"

#include <sched.h>
#include <stdio.h>

#include "engine/verdict.h"
#include "report/text_errors.h"
#include "report/text_find.h"

/* The latest planned start that was begun, or `end` if that is later: with aligned arrivals each
 * client begins one after the time limit. */
static mono_ns last_planned(const struct run *r, mono_ns end)
{
    for (int i = 0; i < r->plan->clients; i++) {
        const struct client *c = &r->client[i];
        if (c->begun >= c->planned && c->planned > end)
            end = c->planned;
    }
    return ranks_end(r, END_PLANNED, end);
}

/* Where the schedule ended: with the time limit, when the run was stopped, after --events, or with
 * the loops of a workload that ends by itself. */
static mono_ns schedule_end(const struct run *r, const struct run_result *res, mono_ns run_end)
{
    mono_ns end = atomic_load(&r->end), workload_end = 0;

    for (int i = 0; i < r->plan->clients; i++) {
        mono_ns client_end = atomic_load_explicit(&r->client[i].over_at, memory_order_relaxed);
        workload_end = client_end > workload_end ? client_end : workload_end;
    }
    workload_end = ranks_end(r, END_OVER, workload_end);
    end = workload_end && workload_end < end ? workload_end : end;
    if (end == MONO_NEVER)
        return run_end;
    return run_keeps_pauses(r) && !res->clients_left ? last_planned(r, end) : end;
}

/* When the last transaction began, or `end` if that was later.  Transactions of abandoned clients
 * began before a time limit: none begins after it. */
static mono_ns last_begun(const struct run *r, const struct run_result *res, mono_ns end)
{
    for (int i = 0; i < r->plan->clients && !res->clients_left; i++)
        end = r->client[i].begun > end ? r->client[i].begun : end;
    return ranks_end(r, END_BEGUN, end);
}

/* How many transactions ended after `limit`.  No transaction begins after the last start, so no
 * client can have ended two of them. */
static uint64_t trailing(const struct run *r, mono_ns limit)
{
    uint64_t n = 0;

    for (int i = 0; i < r->plan->clients; i++) {
        const struct client *c = &r->client[i];
        n += !client_warming(c) && atomic_load_explicit(&c->last, memory_order_relaxed) > limit;
    }
    return n + ranks_trailing(r, limit);
}

static dur_ns worst_wake(const struct run *r)
{
    dur_ns worst = 0;

    for (int i = 0; i < r->plan->clients; i++)
        worst = r->client[i].worst_wake > worst ? r->client[i].worst_wake : worst;
    return ranks_end(r, END_WAKE, worst);
}

/* CPUs that this process may run on; `all` where the kernel does not say. */
static int cpus(const struct snapshot *s)
{
    int all = s->ncpu;
    double pct;
    cpu_set_t set;

    if (ranks_busiest(s, &pct, &all))
        return all;
    return sched_getaffinity(0, sizeof set, &set) ? all : CPU_COUNT(&set);
}

/* CPU of our own process in % of one; of several, of the one that is nearest to its limit. */
static double self_cpu(const struct snapshot *s)
{
    double pct;
    int of;

    if (ranks_busiest(s, &pct, &of))
        return pct;
    if (!s->self.on || !(s->self.d.have & SAMPLE_CPU) || s->self.d.wall_ns <= 0)
        return 0;
    return sample_pct_one(s->self.d.cpu_ns, s->self.d.wall_ns);
}

/* CPUs that were stopped at once count once: no longer than the run. */
static dur_ns throttled(const struct snapshot *s)
{
    const struct sample_delta *d = &s->self.d;

    if (!s->self.on || !(d->have & SAMPLE_THROTTLE))
        return 0;
    return d->throttled_ns < d->wall_ns ? d->throttled_ns : d->wall_ns;
}

/* The most frequent error; NULL: there was none.  `usual`: those that belong to a load count, too.
 */
static const struct snapshot_error *most_frequent(const struct snapshot *s, bool usual)
{
    const struct snapshot_error *most = NULL;

    for (size_t i = 0; i < s->nby_code; i++) {
        const struct snapshot_error *x = &s->by_code[i];
        if ((usual || !text_error_is_usual(x->row)) && (!most || x->count > most->count))
            most = x;
    }
    return most;
}

static void add_errors(struct verdict_readings *v, const struct snapshot *s)
{
    const struct snapshot_error *most = most_frequent(s, true), *away = most_frequent(s, false);

    for (size_t i = 0; i < s->nby_code; i++)
        v->errors += s->by_code[i].count;
    if (most) {
        v->error = most->row->class;
        v->error_count = most->count;
        text_error_code(v->error_code, most->row);
    }
    if (away) {
        v->away_error = away->row->class;
        v->away_count = away->count;
        text_error_code(v->away_code, away->row);
    }
}

static dur_ns away(const struct snapshot *s)
{
    dur_ns sum = 0;

    for (size_t i = 0; s->outages && i < s->outages->n; i++)
        sum += snapshot_silence(s, &s->outages->row[i]);
    return sum;
}

static struct verdict_readings readings(const struct run *r, const struct snapshot *s,
                                        const struct run_result *res)
{
    const struct snapshot_rate *q = &s->rate;
    mono_ns end = schedule_end(r, res, s->at), begun = last_begun(r, res, end);
    dur_ns mean = q->service.n ? (dur_ns)q->service.mean : 0;

    return (struct verdict_readings){
        .clients = plan_told_clients(r->plan),
        .workers = r->plan->workers,
        .cpus = cpus(s),
        .target = q->target,
        .tolerance_pct = r->plan->tolerance_pct,
        .think = r->plan->think,
        .clients_left = res->clients_left,
        .offered = q->total_offered,
        .done = q->total_done,
        .failed = q->total_failed,
        .withdrawn = q->withdrawn,
        .unfinished = q->unfinished,
        .late = q->total_late,
        .late_idle = q->total_late_idle,
        .lag_max = q->lag.max,
        .worst_wake = res->clients_left ? 0 : worst_wake(r),
        .service_n = q->service.n,
        .service_mean = q->service.mean,
        .longest = q->in_flight && q->oldest_ns > q->service.max ? q->oldest_ns : q->service.max,
        .scheduled = end - r->measure_from,
        .begun = begun - r->measure_from,
        .trailing = trailing(r, begun + mean),
        .self_cpu_pct = self_cpu(s),
        .throttled = throttled(s),
        .away = away(s)};
}

/*
 * Each offered arrival is in exactly one place, and different code counts each place: begun by the
 * clients, dropped by the tickets, returned by clients at the end of the run, or never taken.  Only
 * exact when all clients have ended.
 */
static bool balance(const struct collect *c, const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;
    const struct run *r = c->run;
    uint64_t returned = 0, issued = tickets_issued(r->tickets), offered = c->now.offered;

    for (int i = 0; i < r->plan->clients; i++)
        returned += counters_get(&r->counters[i], CNT_RETURNED);
    ranks_add_tickets(r, &issued, &returned);
    return offered >= issued && q->waiting == returned + offered - issued &&
           q->total_offered ==
               q->total_done + q->total_failed + q->total_dropped + q->unfinished + q->total_lost;
}

/* With --tx-find the verdict is that of the search: a rate held, in a whole step. */
static void judge_search(const struct collect *c, const struct snapshot *s, struct run_result *res)
{
    struct str why = STR_INIT;

    text_find_answer(&why, s->find);
    res->sustained = s->find->held > 0 && s->find->confirmed > 0;
    snprintf(res->why, sizeof res->why, "%s", str_cstr(&why));
    str_free(&why);
    if (!res->clients_left && ranks_end(c->run, END_LEFT, 0) == 0)
        res->accounts_balance = balance(c, s);
}

/* What a stage did not get done of its own planned starts.  Clients take starts in the order of
 * their instants, so those that wait at its end are its own, and what it found waiting
 * (`left_over`) it has taken over, or dropped before any of its own. */
static uint64_t stage_missing(const struct snapshot *s, uint64_t waiting, uint64_t left_over)
{
    uint64_t dropped = s->rate.dropped > left_over ? s->rate.dropped - left_over : 0;
    uint64_t not_done = s->rate.failed + dropped + s->count[CNT_WITHDRAWN] + s->rate.lost;

    return not_done + waiting < s->rate.offered ? not_done + waiting : s->rate.offered;
}

/* Begun and not ended at the end of the stage, beyond what its rate keeps in flight. */
static uint64_t stage_piled_up(const struct snapshot_stage *v, dur_ns mean)
{
    double usual = v->last * dur_sec(mean);

    return (double)v->s->rate.in_flight > usual ? v->s->rate.in_flight - (uint64_t)usual : 0;
}

/* Known of the run only: longer than any lag of the stage, it was in another one. */
static dur_ns stage_worst_wake(const struct verdict_readings *run,
                               const struct verdict_readings *stage)
{
    if (run->worst_wake <= stage->lag_max)
        return run->worst_wake;
    return stage->late_idle * 2 > stage->late ? stage->lag_max : 0;
}

/* The run's, with what is known of the stage alone in their place. */
static struct verdict_readings stage_readings(const struct verdict_readings *run,
                                              const struct snapshot_stage *v, uint64_t waiting,
                                              uint64_t left_over, bool last)
{
    const struct snapshot *s = v->s;
    const struct snapshot_rate *q = &s->rate;
    dur_ns mean = q->service.n ? (dur_ns)q->service.mean : 0;
    struct verdict_readings r = *run;

    r.target = q->target;
    r.offered = q->offered;
    r.done = q->offered - stage_missing(s, waiting, left_over);
    r.failed = q->failed;
    r.withdrawn = s->count[CNT_WITHDRAWN];
    r.unfinished = waiting < q->offered ? waiting : q->offered;
    r.late = q->late;
    r.late_idle = s->count[CNT_LATE_IDLE];
    r.lag_max = q->lag.max;
    r.worst_wake = stage_worst_wake(run, &r);
    r.service_n = q->service.n;
    r.service_mean = q->service.mean;
    r.longest = q->service.max;
    r.begun = last ? run->begun - v->from : s->interval_ns;
    r.scheduled = last ? run->scheduled - v->from : s->interval_ns;
    r.trailing = last ? run->trailing : stage_piled_up(v, mean);
    r.self_cpu_pct = self_cpu(s);
    r.throttled = throttled(s);
    return r;
}

/* The time without a success that lies in the stage. */
static dur_ns stage_away(const struct snapshot *run, const struct snapshot *stage)
{
    mono_ns begin = stage->at - stage->interval_ns;
    dur_ns sum = 0;

    for (size_t i = 0; run->outages && i < run->outages->n; i++) {
        const struct outage *o = &run->outages->row[i];
        mono_ns from = o->silent_from > begin ? o->silent_from : begin;
        mono_ns to = o->silent_from + snapshot_silence(run, o);
        to = to < stage->at ? to : stage->at;
        sum += to > from ? to - from : 0;
    }
    return sum;
}

/* The errors of the stage, most frequent first, in the place of the run's. */
static void add_stage_errors(struct verdict_readings *v, const struct collect *c, size_t stage,
                             const struct snapshot *run)
{
    struct snapshot_error error[ERROR_ROWS_MAX + 1];
    struct snapshot s = {.by_code = error};

    v->errors = v->error_count = v->away_count = 0;
    v->error = v->away_error = NULL;
    for (size_t i = 0; i < run->nby_code; i++) {
        error[s.nby_code] = run->by_code[i];
        error[s.nby_code].count = stages_errors(c, stage, i);
        s.nby_code += error[s.nby_code].count > 0;
    }
    add_errors(v, &s);
}

/* What the stage before it had not begun. */
static uint64_t left_over(const struct collect *c, size_t stage)
{
    return stage ? stages_waiting(c, stage - 1) : 0;
}

static void judge_stage(struct collect *c, size_t i, const struct snapshot *s,
                        const struct verdict_readings *run)
{
    struct snapshot_stage *stage = &c->stages[i];
    struct verdict_readings r =
        stage_readings(run, stage, stages_waiting(c, i), left_over(c, i), i + 1 == c->nstages);
    struct verdict v;

    stage->judged = r.offered > 0;
    if (!stage->judged)
        return;
    r.away = stage_away(s, stage->s);
    add_stage_errors(&r, c, i, s);
    verdict_of(&r, &v);
    stage->sustained = v.sustained;
    if (v.sustained && *v.why && left_over(c, i) * 2 > r.late)
        snprintf(stage->why, sizeof stage->why,
                 "%llu transactions were still waiting when it began",
                 (unsigned long long)left_over(c, i));
    else
        snprintf(stage->why, sizeof stage->why, "%s", v.why);
}

/* A stage that was not sustained decides for the run, though others may have made up for it. */
static void judge_stages(struct collect *c, const struct snapshot *s, struct run_result *res,
                         const struct verdict_readings *run)
{
    for (size_t i = 0; i < c->nstages; i++) {
        const struct snapshot_stage *stage = &c->stages[i];
        judge_stage(c, i, s, run);
        if (c->nstages < 2 || !stage->judged || stage->sustained || res->since_stage)
            continue;
        res->sustained = false;
        res->since_stage = (int)i + 1;
        snprintf(res->since, sizeof res->since, "%s", stage->text);
        snprintf(res->why, sizeof res->why, "%s", stage->why);
    }
}

/* A rank that was lost decides before anything else: what it would have done is unknown. */
static void judge_ranks(const struct run *r, struct run_result *res)
{
    if (!ranks_failed(r, res->why, sizeof res->why))
        return;
    res->sustained = false;
    res->since_stage = 0;
}

void judge(struct collect *c, const struct snapshot *s, struct run_result *res)
{
    struct verdict_readings readings_now;
    struct verdict v;

    res->sustained = res->accounts_balance = true;
    if (!c->run->tickets)
        return;
    if (s->find) {
        judge_search(c, s, res);
        return;
    }
    readings_now = readings(c->run, s, res);
    add_errors(&readings_now, s);
    verdict_of(&readings_now, &v);
    res->sustained = v.sustained;
    snprintf(res->why, sizeof res->why, "%s", v.why);
    judge_stages(c, s, res, &readings_now);
    judge_ranks(c->run, res);
    if (!res->clients_left && ranks_end(c->run, END_LEFT, 0) == 0)
        res->accounts_balance = balance(c, s);
}
