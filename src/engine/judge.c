/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The checks at the end of a run with a rate: was the rate held (verdict.h), and do the counts
 * balance?  This file reads the figures that the verdict needs besides those of the final snapshot.
 */
#include "engine/collect.h"
#include "engine/ranks.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "pace/rates.h"
#include "report/text.h"

/* Ticks of the machine's CPU clock, all CPUs: fewer say nothing of their shares. */
#define TICKS_ENOUGH 20.0

#define READ_LATE (20 * NS_PER_MS)

/* The backlog's points are of this load host alone: it has an equal share of all starts. */
static int ranks_of(const struct run *r)
{
    return r->plan->ranks > 1 ? r->plan->ranks : 1;
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

/* How long a process's threads were ready to run and had no CPU; -1: unknown. */
static dur_ns waited(const struct snapshot_server *v)
{
    return v->on && v->d.have & SAMPLE_RUNQ ? v->d.runq_wait_ns : -1;
}

/* What the server and this machine were doing, of the same span as s->server and s->self. */
static void add_processes(struct verdict_readings *v, const struct collect *c,
                          const struct snapshot *s, const union proc_cpu_ticks *before,
                          const union proc_cpu_ticks *now)
{
    const struct sample_delta *d = &s->server.d, *self = &s->self.d;
    const struct server *server = c->run->server;
    int of, cpus = s->ncpu, usable = server ? server_usable_cpus(server) : 0;
    double all = (double)(proc_cpu_total(now) - proc_cpu_total(before)), busy, its = 0;
    bool here = s->server.on && !s->server.ncpu; /* of another host these are known */

    /* of our own process, in % of one CPU; of several, of the one that is nearest to its limit */
    if (!ranks_busiest(s, &v->self_cpu_pct, &of) && s->self.on && self->have & SAMPLE_CPU &&
        self->wall_ns > 0)
        v->self_cpu_pct = sample_pct_one(self->cpu_ns, self->wall_ns);
    if (s->self.on && self->have & SAMPLE_THROTTLE) /* CPUs that were stopped at once count once */
        v->throttled = self->throttled_ns < self->wall_ns ? self->throttled_ns : self->wall_ns;
    v->self_wait = waited(&s->self);
    if (v->self_wait > 0 && s->self.d.wall_ns > 0)
        v->self_wait_pct = 100 * (double)v->self_wait / (double)s->self.d.wall_ns;
    v->server_wait = waited(&s->server);
    /* row locks, where --server-status counts them: InnoDB's time in ms */
    v->lock_wait = -1;
    for (size_t i = 0; s->probe && i < s->probe->statuses; i++)
        if (strcasecmp(s->probe->status_name[i].name, "Innodb_row_lock_time") == 0 &&
            s->probe->status.have >> i & 1)
            v->lock_wait = (dur_ns)(s->probe->status.v[i] * NS_PER_MS);
    v->server_cpus = usable ? usable : s->server.ncpu ? s->server.ncpu : cpus;
    v->host_cpus = cpus;
    v->server_here = here;
    v->server_cpu_pct = v->server_waited_pct = v->idle_pct = v->others_pct = v->steal_pct = NAN;
    if (s->server.on && d->have & SAMPLE_CPU && d->wall_ns > 0)
        v->server_cpu_pct = sample_pct_one(d->cpu_ns, d->wall_ns);
    if (v->server_wait >= 0)
        v->server_waited_pct = sample_waited_pct(d);
    if (all < TICKS_ENOUGH || c->run->plan->ranks > 1 || c->run->clock)
        return; /* a test's clock is not the machine's */
    v->idle_pct = 100 * (double)(now->idle - before->idle + now->iowait - before->iowait) / all;
    v->steal_pct = 100 * (double)(now->steal - before->steal) / all;
    busy = 100 - v->idle_pct - v->steal_pct;
    if (here && isfinite(v->server_cpu_pct))
        its = v->server_cpu_pct / cpus;
    v->others_pct = fmax(busy - its - v->self_cpu_pct / cpus, 0);
}

/* The most frequent error; NULL: there was none.  `usual`: those that belong to a load count, too.
 */
static const struct snapshot_error *most_frequent(const struct snapshot *s, bool usual)
{
    const struct snapshot_error *most = NULL;

    for (size_t i = 0; i < s->nby_code; i++) {
        const struct snapshot_error *x = &s->by_code[i];
        if ((usual || !text_error_is_usual(x->row)) && x->count > (most ? most->count : 0))
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

/* The load generator, or its machine, did not run. */
static dur_ns stopped(const struct snapshot *s, mono_ns from, mono_ns to)
{
    dur_ns sum = 0;

    for (size_t i = 0; i < s->incidents; i++) {
        const struct snapshot_incident *v = &s->incident[i];
        if ((v->kind == INCIDENT_STOPPED || v->kind == INCIDENT_SUSPENDED) && v->at > from &&
            v->at <= to)
            sum += v->duration;
    }
    return sum;
}

/* What the points of the backlog tell of a span of the schedule. */
static void add_backlog(struct verdict_readings *v, const struct collect *c, dur_ns from, dur_ns to)
{
    const struct run *r = c->run;
    const struct backlog *b = &c->backlog;
    double share = (double)v->offered / ranks_of(r);

    backlog_service(b, from, to, &v->calm, &v->worst);
    if (isnan(v->calm)) /* nothing ended in it */
        backlog_service(b, from, INT64_MAX, &v->calm, &v->worst);
    dur_ns span = isfinite(v->calm) && v->calm > NS_PER_MS ? (dur_ns)v->calm : NS_PER_MS;
    span = span < to ? span : to;
    v->rate_end = span <= 0
                      ? 0
                      : (double)(tickets_pos(r->tickets, to) - tickets_pos(r->tickets, to - span)) /
                            (double)RATE_ONE / dur_sec(span);
    v->silence = backlog_silence(b, from, to, &v->silent_from);
    struct backlog_peak peak =
        backlog_peak(b, from, to,
                     share * v->tolerance_pct / 100 + (double)v->together / ranks_of(r) +
                         (isfinite(v->calm) ? v->target / ranks_of(r) * v->calm / 1e9 : 0));
    v->peak = peak.most * (uint64_t)ranks_of(r);
    v->peak_from = peak.from;
    v->peak_to = peak.to;
}

struct verdict_readings judge_span(const struct collect *c, const struct snapshot *s,
                                   const union proc_cpu_ticks *before,
                                   const union proc_cpu_ticks *now)
{
    const struct plan *p = c->run->plan;
    const struct snapshot_rate *q = &s->rate;
    const bool all =
        s->kind == SNAPSHOT_FINAL; /* since measuring began, not since the last report */
    const uint64_t *n = all ? s->total : s->count;
    struct verdict_readings v = {
        .clients = plan_told_clients(p),
        .workers = p->workers,
        .cpus = cpus(s),
        .target = q->target,
        .no_rate = !c->run->tickets || c->run->finder,
        .tolerance_pct = p->tolerance_pct,
        .think = p->think,
        .scheduled = s->interval_ns,
        .offered = all ? q->total_offered : q->offered,
        .done = n[CNT_DONE],
        .failed = n[CNT_FAILED],
        .withdrawn = n[CNT_WITHDRAWN],
        .dropped = all ? q->total_dropped + q->total_lost : q->dropped + q->lost,
        .open = q->waiting + q->in_flight,
        .waiting = q->waiting,
        .together = p->arrival == ARRIVAL_ALIGNED ? plan_told_clients(p) : 1,
        .calm = q->service.mean,
        .worst = q->service.mean,
        .late = n[CNT_LATE],
        .late_idle = n[CNT_LATE_IDLE],
        .lag_max = q->lag.max,
        .service_n = q->service.n,
        .service_mean = q->service.mean,
        .longest = q->in_flight && q->oldest_ns > q->service.max ? q->oldest_ns : q->service.max};

    add_processes(&v, c, s, before, now);
    add_errors(&v, s);
    return v;
}

/* The time without a success of an outage that lies between two instants. */
static dur_ns silent_between(const struct snapshot *s, const struct outage *o, mono_ns from,
                             mono_ns to)
{
    mono_ns end = o->silent_from + snapshot_silence(s, o);

    from = later(from, o->silent_from);
    to = to < end ? to : end;
    return to > from ? to - from : 0;
}

static struct verdict_readings run_readings(const struct collect *c, const struct snapshot *s,
                                            const struct run_result *res)
{
    const struct run *r = c->run;
    const struct snapshot_rate *q = &s->rate;
    struct verdict_readings v = judge_span(c, s, &c->origin.cpu, &c->now.cpu);
    mono_ns end = atomic_load(&r->end), over = c->end.schedule_end;

    /* Where the schedule ended: with the time limit, when the run was stopped, after --events, or
     * with the loops of a workload that ends by itself.  With aligned arrivals each client begins
     * one after the time limit. */
    end = over && over < end ? over : end;
    if (end == MONO_NEVER)
        end = s->at;
    else if (run_keeps_pauses(r) && !res->clients_left)
        end = later(end, c->end.planned);
    /* How many of those offered had not ended when it was over.  No transaction begins after a time
     * limit, so no client can have ended two of them since; after --events / rate they may have,
     * and the points of the backlog tell. */
    v.open = q->waiting + q->in_flight + ranks_members(r, end).trailing;
    for (int i = 0; i < r->plan->clients; i++)
        v.open += !client_warming(&r->client[i]) && LOAD(r->client[i].last) > end;
    if (r->plan->max_events && c->end.begun > end)
        v.open = (uint64_t)(backlog_left(&c->backlog, end - r->measure_from) * ranks_of(r) + 0.5);
    v.clients_left = res->clients_left;
    v.scheduled = end - r->measure_from;
    v.worst_wake = res->clients_left ? 0 : c->end.worst_wake;
    v.stopped = stopped(s, r->measure_from, s->at);
    add_backlog(&v, c, 0, v.scheduled);
    for (size_t i = 0; s->outages && i < s->outages->n; i++) {
        const struct outage *o = &s->outages->row[i];
        v.away += snapshot_silence(s, o);
        v.peak_away +=
            silent_between(s, o, r->measure_from + v.peak_from, r->measure_from + v.peak_to);
    }
    return v;
}

/* What was delivered in the time of the schedule, per second. */
static double achieved(const struct verdict_readings *r, const struct verdict *v)
{
    return r->scheduled > 0
               ? fmin((double)r->offered - v->missing, (double)r->done) / dur_sec(r->scheduled)
               : (double)NAN;
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
    struct verdict_readings r = judge_span(c, stage->s, &w->cpu[0], &w->cpu[1]);
    uint64_t waiting = q->waiting < q->offered ? q->waiting : q->offered, ended;
    struct snapshot_error error[ERROR_ROWS_MAX + 1];
    struct snapshot errors = {.by_code = error};
    struct verdict v;

    r.clients_left = run->clients_left;
    /* clients take starts in the order of their instants: what it found waiting it has taken over,
     * or dropped before any of its own */
    r.dropped = q->lost + (q->dropped > before ? q->dropped - before : 0);
    r.waiting = waiting;
    r.open = last ? run->open : waiting + q->in_flight;
    r.open = r.open < r.offered ? r.open : r.offered;
    ended = waiting + r.failed + r.withdrawn + r.dropped;
    r.done = r.offered - (ended < r.offered ? ended : r.offered);
    /* known of the run only: longer than any lag of the stage, it was in another one */
    r.worst_wake = run->worst_wake <= r.lag_max ? run->worst_wake
                   : r.late_idle * 2 > r.late   ? r.lag_max
                                                : 0;
    r.longest = q->service.max;
    if (last)
        r.scheduled = run->scheduled - stage->from;
    add_backlog(&r, c, stage->from, stage->from + r.scheduled);
    stage->judged = r.offered > 0;
    stage->s->rate.achieved = NAN;
    if (!stage->judged)
        return;
    /* the time without a success that lies in the stage, and its errors */
    for (size_t k = 0; s->outages && k < s->outages->n; k++)
        r.away += silent_between(s, &s->outages->row[k], begin, stage->s->at);
    r.stopped = stopped(s, begin, stage->s->at);
    for (size_t k = 0; k < s->nby_code; k++) {
        error[errors.nby_code] = s->by_code[k];
        error[errors.nby_code].count = w->errors[k];
        errors.nby_code += w->errors[k] > 0;
    }
    add_errors(&r, &errors);
    verdict_of(&r, &v);
    /* read so late that what was open at its end is not known */
    dur_ns end = atomic_load(&c->run->end), until = c->run->measure_from + stage->until;
    dur_ns late = stage->until == MONO_NEVER ? 0 : stage->s->at - until;
    bool is_late = late > READ_LATE && late * 20 > stage->until - stage->from && until < end;
    if (!is_late)
        stage->s->rate.achieved = achieved(&r, &v);
    stage->sustained = v.held == HELD_YES && !is_late;
    stage->unknown = v.held == HELD_UNKNOWN || is_late;
    if (is_late)
        snprintf(stage->why, sizeof stage->why,
                 "its figures were read %.3f s after its end, and what was done in between is "
                 "among them",
                 dur_sec(late));
    else if (stage->sustained && *v.why && before * 2 > r.late)
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
        struct verdict_readings run = run_readings(c, s, res);
        verdict_of(&run, &v);
        res->sustained = v.held == HELD_YES;
        res->unknown = v.held == HELD_UNKNOWN;
        s->rate.achieved = achieved(&run, &v);
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
            if (!lost)
                snprintf(res->why, sizeof res->why, "an error ended the run after %.1f s%s%s%.300s",
                         dur_sec(s->elapsed_ns), limit, v.held == HELD_NO ? "; " : "",
                         v.held == HELD_NO ? v.why : "");
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
                            q->waiting == returned + c->now.offered - issued &&
                            q->total_offered == q->total_done + q->total_failed + q->total_dropped +
                                                    q->unfinished + q->total_lost;
}

/* --- the backlog (collect.h) --- */

#define SHORTEST (20 * NS_PER_MS) /* a step: fewer points than that would cost nothing less */

void backlog_begin(struct backlog *b, dur_ns length)
{
    memset(b, 0, sizeof *b);
    b->n = 1;
    b->step = length / (BACKLOG_POINTS / 2);
    if (length == 0 || b->step > NS_PER_SEC)
        b->step = NS_PER_SEC;
    if (b->step < SHORTEST)
        b->step = SHORTEST;
}

void backlog_add(struct backlog *b, const struct backlog_point *p)
{
    if (b->n == BACKLOG_POINTS) {
        for (size_t i = 1; 2 * i < BACKLOG_POINTS; i++)
            b->p[i] = b->p[2 * i];
        b->n = BACKLOG_POINTS / 2;
        b->step *= 2;
    }
    b->p[b->n++] = *p;
}

/* The points of [from, to]: first <= i < end. */
static void within(const struct backlog *b, dur_ns from, dur_ns to, size_t *first, size_t *end)
{
    for (*first = 0; *first + 1 < b->n && b->p[*first].at < from;)
        ++*first;
    for (*end = b->n; *end > *first + 1 && b->p[*end - 1].at > to;)
        --*end;
}

void backlog_service(const struct backlog *b, dur_ns from, dur_ns to, double *least, double *most)
{
    size_t first, end;

    *least = *most = NAN;
    within(b, from, to, &first, &end);
    uint64_t all = b->p[end - 1].done - b->p[first].done;
    uint64_t need = all / 8 > 20 ? all / 8 : all < 20 ? all : 20;
    for (size_t i = first, k = first; all && k < end; i++) {
        while (k < end && b->p[k].done - b->p[i].done < need)
            k++;
        if (k < end) {
            double mean =
                (b->p[k].service - b->p[i].service) / (double)(b->p[k].done - b->p[i].done);
            *least = fmin(*least, mean); /* fmin() and fmax() pass over NaN */
            *most = fmax(*most, mean);
        }
    }
}

double backlog_left(const struct backlog *b, dur_ns at)
{
    size_t i = 1;

    while (i + 1 < b->n && b->p[i].at < at)
        i++;
    i = i < b->n ? i : b->n - 1;
    double gone = (double)b->p[i].gone;
    if (b->p[i].at > at && b->p[i].at > b->p[i - 1].at)
        gone -= (double)(b->p[i].gone - b->p[i - 1].gone) * (double)(b->p[i].at - at) /
                (double)(b->p[i].at - b->p[i - 1].at);
    return fmax((double)b->p[b->n - 1].offered - gone, 0);
}

struct backlog_peak backlog_peak(const struct backlog *b, dur_ns from, dur_ns to, double allowed)
{
    struct backlog_peak v = {0};
    size_t first, end;

    within(b, from, to, &first, &end);
    for (size_t i = first; i < end; i++) {
        double open = b->p[i].offered > b->p[i].gone ? (double)(b->p[i].offered - b->p[i].gone) : 0;
        if (open <= allowed)
            continue;
        if (!v.most)
            v.from = b->p[i ? i - 1 : 0].at; /* it began to grow after that point */
        v.to = b->p[i].at;
        v.most = (uint64_t)open > v.most ? (uint64_t)open : v.most;
    }
    return v;
}

dur_ns backlog_silence(const struct backlog *b, dur_ns from, dur_ns to, dur_ns *began)
{
    dur_ns longest = 0;
    size_t first, end, since;

    within(b, from, to, &first, &end);
    for (size_t i = since = first; i < end; i++) {
        const struct backlog_point *p = &b->p[i];
        if (p->gone != b->p[since].gone || p->begun <= p->gone)
            since = i;
        else if (p->at - b->p[since].at > longest) {
            longest = p->at - b->p[since].at;
            *began = b->p[since].at;
        }
    }
    return longest;
}
