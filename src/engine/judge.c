/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The checks at the end of a run with a rate: was the rate held (verdict.h), and do the counts
 * balance?  span.c reads the figures that the verdict needs.
 */
#include "engine/causes.h"
#include "engine/client_state.h"
#include "engine/collect.h"
#include "engine/ranks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

/* A stage that was read so long after its end, and a twentieth of it. */
#define READ_LATE (20 * NS_PER_MS)

static struct verdict_readings run_readings(const struct collect *c, const struct snapshot *s,
                                            const struct run_result *res)
{
    const struct run *r = c->run;
    const struct snapshot_rate *q = &s->rate;
    const struct snapshot whole = span_whole(c, s);
    struct verdict_readings v = span_readings(c, &whole, &c->origin.cpu, &c->now.cpu);
    mono_ns end = atomic_load(&r->end), over = c->end.schedule_end;

    /* Where the schedule ended: with the time limit, when the run was stopped, after --events, or
     * with the loops of a workload that ends by itself.  With aligned arrivals each client begins
     * one after the time limit. */
    end = over && over < end ? over : end;
    if (end == MONO_NEVER)
        end = s->at;
    else if (run_keeps_pauses(r) && !res->clients_left)
        end = later(end, c->end.planned);
    /* How many of those offered were done after it was over.  No transaction begins after a time
     * limit, so no client can have ended two of them since; after --events / rate they may have,
     * and the point of the backlog that was taken then tells. */
    uint64_t since = ranks_members(r, end).trailing;
    for (int i = 0; i < r->plan->clients; i++)
        since += !client_warming(&r->client[i]) && client_last_done(&r->client[i]) > end;
    v.waiting = q->waiting;
    if (r->plan->max_events && c->end.begun > end) {
        struct backlog_point at = backlog_at(&c->backlog, end - r->measure_from);
        uint64_t ranks = (uint64_t)span_ranks(r), ended = (at.ended + at.dropped) * ranks;
        since = v.done > at.done * ranks ? v.done - at.done * ranks : 0;
        v.waiting = v.offered > (at.begun + at.dropped) * ranks
                        ? v.offered - (at.begun + at.dropped) * ranks
                        : 0;
        v.open = v.offered > ended ? v.offered - ended : 0;
    } else {
        v.open = q->waiting + q->in_flight + since;
    }
    v.in_time = v.done > since ? v.done - since : 0;
    v.scheduled = end - r->measure_from;
    v.worst_wake = res->clients_left ? 0 : c->end.worst_wake;
    span_events(&v, s, r->measure_from, end);
    span_backlog(&v, c, 0, v.scheduled);
    trail_parts(c, &v);
    return v;
}

/* What was done by the end of the schedule, over its length.  An even schedule that ends between
 * two starts covers the whole gap after the last one. */
static double achieved(const struct verdict_readings *r)
{
    double length = dur_sec(r->scheduled), gaps = (double)r->offered / r->target;

    if (gaps > length && (gaps - length) * r->target < 1)
        length = gaps;
    return r->scheduled > 0 ? (double)r->in_time / length : (double)NAN;
}

/* As many ended as were due, those of earlier stages among them, and few failed. */
static bool kept_up(const struct verdict_readings *r, const struct verdict *v)
{
    uint64_t ended = backlog_at(r->backlog, r->to).ended - backlog_at(r->backlog, r->from).ended;

    return ended * (uint64_t)r->clients >= r->offered * (uint64_t)r->own &&
           (double)r->failed * 2 < v->missing;
}

/* A stage of the rate.  A stage that was not sustained decides for the run, though others may have
 * made up for it. */
static void judge_stage(struct collect *c, size_t i, const struct snapshot *s,
                        const struct verdict_readings *run)
{
    struct snapshot_stage *stage = &c->stages[i];
    const struct window *w = c->stage.of[i];
    const struct snapshot_rate *q = &stage->s->rate;
    const mono_ns begin = stage->s->at - stage->s->interval_ns;
    const bool last = i + 1 == c->stage.n;
    uint64_t before = i ? c->stages[i - 1].s->rate.waiting : 0; /* what that had not begun */
    struct verdict_readings r = span_readings(c, stage->s, &w->cpu[0], &w->cpu[1]);
    uint64_t waiting = q->waiting < q->offered ? q->waiting : q->offered, ended;
    struct snapshot_error error[ERROR_ROWS_MAX + 1];
    struct snapshot errors = {.by_code = error};
    struct verdict v;

    if (stage->first == stage->last && !strpbrk(stage->text, "(@")) /* a constant rate */
        r.uneven = c->run->plan->arrival == ARRIVAL_POISSON || c->run->plan->jitter;
    /* clients take starts in the order of their instants: what it found waiting it has taken over,
     * or dropped before any of its own */
    r.dropped = q->lost + (q->dropped > before ? q->dropped - before : 0);
    r.waiting = waiting;
    r.open = last ? run->open : waiting + q->in_flight;
    r.open = r.open < r.offered ? r.open : r.offered;
    ended = waiting + r.failed + r.withdrawn + r.dropped;
    r.done = r.offered - (ended < r.offered ? ended : r.offered);
    r.in_time = last ? r.offered - (ended + r.open - waiting < r.offered ? ended + r.open - waiting
                                                                         : r.offered)
                     : r.done - (q->in_flight < r.done ? q->in_flight : r.done);
    /* known of the run only: longer than any lag of the stage, it was in another one */
    r.worst_wake = run->worst_wake <= r.lag_max ? run->worst_wake
                   : r.late_idle * 2 > r.late   ? r.lag_max
                                                : 0;
    r.longest = q->service.max;
    if (last)
        r.scheduled = run->scheduled - stage->from;
    span_backlog(&r, c, stage->from, stage->from + r.scheduled);
    trail_parts(c, &r);
    stage->judged = r.offered > 0;
    stage->s->rate.achieved = NAN;
    if (!stage->judged)
        return;
    /* the time without a success that lies in the stage, and its errors */
    span_events(&r, s, begin, stage->s->at);
    for (size_t k = 0; k < s->nby_code; k++) {
        error[errors.nby_code] = s->by_code[k];
        error[errors.nby_code].count = w->errors[k];
        errors.nby_code += w->errors[k] > 0;
    }
    span_errors(&r, &errors);
    verdict_of(&r, &v);
    /* read so late that what was open at its end is not known */
    dur_ns end = atomic_load(&c->run->end), until = c->run->measure_from + stage->until;
    dur_ns late = stage->until == MONO_NEVER ? 0 : stage->s->at - until;
    bool is_late = late > READ_LATE && late * 20 > stage->until - stage->from && until < end;
    if (!is_late)
        stage->s->rate.achieved = achieved(&r);
    stage->sustained = v.held == HELD_YES && !is_late;
    stage->unknown = v.held == HELD_UNKNOWN || is_late;
    if (is_late)
        snprintf(stage->why, sizeof stage->why,
                 "its figures were read %.3f s after its end, and what was done in between is "
                 "among them",
                 dur_sec(late));
    else if (*v.why && before * 2 > r.late && (stage->sustained || kept_up(&r, &v)))
        snprintf(stage->why, sizeof stage->why,
                 "%llu transactions were still waiting when it began", (unsigned long long)before);
    else
        snprintf(stage->why, sizeof stage->why, "%s", v.why);
}

void judge(struct collect *c, struct snapshot *s, struct run_result *res)
{
    const struct run *r = c->run;
    const struct snapshot_rate *q = &s->rate;
    struct str why = STR_INIT;
    struct verdict v;

    s->rate.achieved = NAN;
    res->sustained = res->accounts_balance = true;
    if (!r->tickets)
        return;
    if (s->find) { /* the verdict is that of the search: a rate held, in a whole step */
        text_find_answer(&why, s->find);
        res->sustained = s->find->held > 0 && s->find->confirmed > 0;
        snprintf(res->why, sizeof res->why, "%s", str_cstr(&why));
        str_free(&why);
    } else {
        if (r->plan->ranks < 2)
            collect_look(c, MONO_NEVER);
        c->judged = s;
        struct verdict_readings run = run_readings(c, s, res);
        verdict_of(&run, &v);
        res->sustained = v.held == HELD_YES;
        res->unknown = v.held == HELD_UNKNOWN;
        s->rate.achieved = achieved(&run);
        snprintf(res->why, sizeof res->why, "%s", v.why);
        for (size_t i = 0; i < c->stage.n; i++) {
            const struct snapshot_stage *stage = &c->stages[i];
            judge_stage(c, i, s, &run);
            stages_missed(c, i);
            if (c->stage.n < 2 || !stage->judged || stage->sustained || stage->unknown ||
                res->since_stage)
                continue;
            res->sustained = res->unknown = false;
            res->since_stage = (int)i + 1;
            snprintf(res->since, sizeof res->since, "%s", stage->text);
            snprintf(res->why, sizeof res->why, "%s", stage->why);
        }
        /* a rank that was lost decides before anything else, then an error that ended the run: what
         * would have been done in the rest of the time is unknown */
        bool lost = ranks_failed(r, res->why, sizeof res->why);
        if (lost || run_stopped(r) == STOP_ERROR) {
            char limit[32] = "";
            if (r->plan->time_limit)
                snprintf(limit, sizeof limit, " of %.6g s", dur_sec(r->plan->time_limit));
            /* it takes a transaction from each client at most: that is no shortfall of the rate */
            if (v.held != HELD_NO || v.missing <= plan_all_clients(r->plan))
                say_fatal(&run, &v);
            if (!lost)
                snprintf(res->why, sizeof res->why, "an error ended the run after %.1f s%s%s%.300s",
                         dur_sec(s->elapsed_ns), limit, *v.why ? "; " : "", v.why);
            res->sustained = res->unknown = false;
            res->since_stage = 0;
        }
    }
    if (c->end.clients_left) /* of this rank or of another one */
        return;
    /* Each offered arrival is in exactly one place, and different code counts each place: begun by
     * the clients, dropped by the tickets, returned by clients at the end of the run, or never
     * taken.  Only exact when all clients have ended. */
    struct ranks_members m = ranks_members(r, 0);
    uint64_t issued = m.t.issued + tickets_issued(r->tickets);
    uint64_t returned = m.t.returned;
    for (int i = 0; i < r->plan->clients; i++)
        returned += counters_get(&r->counters[i], CNT_RETURNED);
    res->accounts_balance = c->now.offered >= issued &&
                            q->waiting == returned + c->now.offered - issued && rate_balances(q);
}
