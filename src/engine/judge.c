/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The checks at the end of a run with a rate: was the rate held (verdict.h), and do the counts
 * balance?  This file reads the figures that the verdict needs besides those of the final snapshot.
 */
#include "engine/causes.h"
#include "engine/collect.h"
#include "engine/ranks.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "pace/rates.h"
#include "report/text.h"
#include "telemetry/cgroup.h"

/* Ticks of the machine's CPU clock, all CPUs: fewer say nothing of their shares. */
#define TICKS_ENOUGH 20.0

#define FIRST 4 /* transactions, begun while few others ran */
/* and a rank correlation that so many hardly have by chance: 8 in 1 of 100, 16 in 1 of 10,000 */
#define GROWING 32
#define GROWS   0.8
/* times between two ends; with fewer the share of short ones tells nothing */
#define GAPS 100
/* in standard deviations: 2.93 of a normal distribution, 2.89 of an exponential one */
#define P10_TO_P95 2.9

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

/* Locks, where --server-status tells: InnoDB's time in ms of the waits for row locks that are over,
 * and samples of all waits.  One sample that sees a wait is chance. */
static void add_locks(struct verdict_readings *v, const struct snapshot *s)
{
    const struct status_waits *w = s->probe ? &s->probe->status.waits : NULL;

    v->lock_wait = -1;
    for (size_t i = 0; s->probe && i < s->probe->statuses; i++)
        if (strcasecmp(s->probe->status_name[i].name, "Innodb_row_lock_time") == 0 &&
            s->probe->status.have >> i & 1)
            v->lock_wait = (dur_ns)(s->probe->status.v[i] * NS_PER_MS);
    v->lock_rows = true;
    v->lock_who = w && w->known > 0 ? w->who : NULL;
    v->lock_why = w && !v->lock_who ? w->why : NULL;
    if (!w || w->seen < 2 || w->waited <= 0)
        return;
    if (w->waited > v->lock_wait) {
        v->lock_wait = w->waited;
        v->lock_rows = w->rows * 2 > w->waited;
    }
    v->lock_behind = (dur_ns)((double)v->lock_wait * (double)w->behind / (double)w->waited);
    v->lock_blockers = w->blockers;
}

struct snapshot_machine judge_machine(const struct run *r, const struct snapshot *s,
                                      const union proc_cpu_ticks *before,
                                      const union proc_cpu_ticks *now)
{
    const struct snapshot_server *const ours[] = {&s->server, &s->self};
    double all = (double)(proc_cpu_total(now) - proc_cpu_total(before)), busy;
    struct snapshot_machine m = {.known = all >= TICKS_ENOUGH && r->plan->ranks <= 1 && !r->clock};

    if (!m.known) /* a test's clock is not the machine's */
        return m;
    m.idle_pct = 100 * (double)(now->idle - before->idle + now->iowait - before->iowait) / all;
    m.stolen_pct = 100 * (double)(now->steal - before->steal) / all;
    busy = 100 - m.idle_pct - m.stolen_pct;
    for (size_t i = 0; i < COUNT(ours); i++) /* a server on another host has CPUs of its own */
        if (ours[i]->on && !ours[i]->ncpu && ours[i]->d.have & SAMPLE_CPU && ours[i]->d.wall_ns > 0)
            busy -= sample_pct_one(ours[i]->d.cpu_ns, ours[i]->d.wall_ns) / s->ncpu;
    m.others_pct = fmax(busy, 0);
    return m;
}

/* What the server and this machine were doing, of the same span as s->server and s->self. */
static void add_processes(struct verdict_readings *v, const struct collect *c,
                          const struct snapshot *s, const union proc_cpu_ticks *before,
                          const union proc_cpu_ticks *now)
{
    const struct sample_delta *d = &s->server.d, *self = &s->self.d;
    const struct server *server = c->run->server;
    int of, cpus = s->ncpu;
    double usable = server ? server_usable_cpus(server) : 0;
    const struct snapshot_machine m = judge_machine(c->run, s, before, now);
    struct quota quota;

    /* of our own process, in % of one CPU; of several, of the one that is nearest to its limit */
    if (!ranks_busiest(s, &v->self_cpu_pct, &of) && s->self.on && self->have & SAMPLE_CPU &&
        self->wall_ns > 0)
        v->self_cpu_pct = sample_pct_one(self->cpu_ns, self->wall_ns);
    if (s->self.on && self->have & SAMPLE_THROTTLE) /* CPUs that were stopped at once count once */
        v->throttled = self->throttled_ns < self->wall_ns ? self->throttled_ns : self->wall_ns;
    if (v->throttled > 0 && !quota_read("/proc", getpid(), &quota))
        v->quota = quota.cpus;
    v->self_wait = waited(&s->self);
    if (v->self_wait > 0 && s->self.d.wall_ns > 0)
        v->self_wait_pct = 100 * (double)v->self_wait / (double)s->self.d.wall_ns;
    v->server_wait = waited(&s->server);
    add_locks(v, s);
    v->server_cpus = usable ? usable : s->server.ncpu ? s->server.ncpu : cpus;
    v->host_cpus = cpus;
    v->server_here = s->server.on && !s->server.ncpu; /* of another host these are known */
    v->server_cpu_pct = v->server_waited_pct = NAN;
    if (s->server.on && d->have & SAMPLE_CPU && d->wall_ns > 0)
        v->server_cpu_pct = sample_pct_one(d->cpu_ns, d->wall_ns);
    if (s->server.on && d->processes > 0)
        v->server_processes = (uint64_t)d->processes;
    if (v->server_wait >= 0)
        v->server_waited_pct = sample_waited_pct(d);
    v->idle_pct = m.known ? m.idle_pct : NAN;
    v->others_pct = m.known ? m.others_pct : NAN;
    v->steal_pct = m.known ? m.stolen_pct : NAN;
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

/* The load generator, or its machine, did not run: of that, what lies between two instants. */
static dur_ns stopped(const struct snapshot *s, mono_ns from, mono_ns to)
{
    dur_ns sum = 0;

    for (size_t i = 0; i < s->incidents; i++) {
        const struct snapshot_incident *v = &s->incident[i];
        mono_ns begin = later(v->at - v->duration, from), end = v->at < to ? v->at : to;
        if ((v->kind == INCIDENT_STOPPED || v->kind == INCIDENT_SUSPENDED) && end > begin)
            sum += end - begin;
    }
    return sum;
}

/* What the points of the backlog tell of a span of the schedule. */
static void add_points(struct verdict_readings *v, const struct collect *c, dur_ns from, dur_ns to)
{
    const uint64_t *n = c->now.count;
    const struct backlog *b = &c->backlog;
    double most;

    v->backlog = b;
    v->from = from;
    v->to = to;
    backlog_service(b, from, to, &v->calm, &most);
    if (isnan(v->calm)) /* nothing ended in it */
        backlog_service(b, from, INT64_MAX, &v->calm, &most);
    const struct backlog_point p = backlog_at(b, from), q = backlog_at(b, to);
    v->no_sql = n[CNT_READ] + n[CNT_WRITE] + n[CNT_OTHER] + n[CNT_ERROR] == 0 &&
                q.running - p.running == q.scripting - p.scripting;
    if (!v->no_sql)
        v->script_pct = backlog_script_pct(&p, &q);
    if (q.gaps - p.gaps >= GAPS)
        v->short_pct = 100 * (double)(q.short_gaps - p.short_gaps) / (double)(q.gaps - p.gaps);
    if (q.workers > p.workers)
        v->worker_pct = 100 * (double)(q.working - p.working) / (double)(q.workers - p.workers);
}

/* And of a backlog that it had on the way. */
static void add_backlog(struct verdict_readings *v, const struct collect *c, dur_ns from, dur_ns to)
{
    const struct run *r = c->run;
    double share = (double)v->offered / ranks_of(r);

    add_points(v, c, from, to);
    dur_ns span = isfinite(v->calm) && v->calm > NS_PER_MS ? (dur_ns)v->calm : NS_PER_MS;
    span = span < to ? span : to;
    v->rate_end = span <= 0
                      ? 0
                      : (double)(tickets_pos(r->tickets, to) - tickets_pos(r->tickets, to - span)) /
                            (double)RATE_ONE / dur_sec(span);
    struct backlog_peak peak =
        backlog_peak(&c->backlog, from, to,
                     share * v->tolerance_pct / 100 + (double)v->together / ranks_of(r) +
                         (isfinite(v->calm) ? v->target / ranks_of(r) * v->calm / 1e9 : 0));
    trail_parts(c, v);
    v->peak = peak.most * (uint64_t)ranks_of(r);
    v->peak_from = peak.from;
    v->peak_to = peak.to;
}

struct first {
    mono_ns begun;
    double took;
};

/* Do those that began later take longer?  Spearman's rank correlation of n, none of them equal:
 * 1 if each does, about 0 if they do not. */
static double growth(const struct first *v, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double d = (double)i;
        for (size_t k = 0; k < n; k++)
            d -= v[k].took < v[i].took || (v[k].took == v[i].took && k < i);
        sum += d * d;
    }
    return 1 - 6 * sum / ((double)n * ((double)n * (double)n - 1));
}

/* What the first transactions of clients took, which began before many others were under way: if
 * each took longer than the one before, the first alone; otherwise the median of four, since a busy
 * machine holds up some of them, or of two, if there are fewer than 8 clients, the longer.  NaN:
 * there are none, or too few clients to compare. */
static double early(const struct run *r)
{
    struct first first[GROWING];
    const size_t few = r->plan->clients < 2 * FIRST ? FIRST / 2 : FIRST;
    size_t have = 0;

    for (int i = 0; i < r->plan->clients; i++) {
        const struct client *c = &r->client[i];
        mono_ns begun = LOAD(c->first_begun);
        size_t k = have;
        if (!begun)
            continue;
        for (; k > 0 && first[k - 1].begun > begun; k--)
            if (k < GROWING)
                first[k] = first[k - 1];
        if (k < GROWING) {
            first[k] = (struct first){begun, (double)LOAD(c->first_took)};
            have += have < GROWING;
        }
    }
    if (have < few || r->plan->clients < 3)
        return NAN;
    if (have >= 2 * FIRST && growth(first, have) > GROWS)
        return first[0].took;
    double sum = 0, least = INFINITY, most = 0;
    for (size_t k = 0; k < few; k++) {
        sum += first[k].took;
        least = fmin(least, first[k].took);
        most = fmax(most, first[k].took);
    }
    return few < FIRST ? most : (sum - least - most) / 2;
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
        .own = p->clients,
        .workers = p->workers,
        .cpus = cpus(s),
        .target = q->target,
        .no_rate = !c->run->tickets || c->run->finder,
        .tolerance_pct = p->tolerance_pct,
        .think = p->think,
        .events = p->max_events > 0,
        .scheduled = s->interval_ns,
        .offered = all ? q->total_offered : q->offered,
        .done = n[CNT_DONE],
        .in_time = n[CNT_DONE],
        .failed = n[CNT_FAILED],
        .withdrawn = n[CNT_WITHDRAWN],
        .dropped = all ? q->total_dropped + q->total_lost : q->dropped + q->lost,
        .open = q->waiting + q->in_flight,
        .waiting = q->waiting,
        .uneven = p->arrival == ARRIVAL_POISSON || p->jitter || p->rates,
        .together = p->arrival == ARRIVAL_ALIGNED ? plan_told_clients(p) : 1,
        .calm = q->service.mean,
        .early = early(c->run),
        .least = q->service.n ? (double)q->service.p10 : (double)NAN,
        .spread = (double)(q->service.p95 - q->service.p10) / P10_TO_P95,
        .worker_pct = NAN,
        .script_pct = NAN,
        .short_pct = NAN,
        .late = n[CNT_LATE],
        .late_idle = n[CNT_LATE_IDLE],
        .lag_max = q->lag.max,
        .service_n = q->service.n,
        .service_mean = q->service.mean,
        .longest = q->in_flight && q->oldest_ns > q->service.max ? q->oldest_ns : q->service.max};

    for (int i = 0; i < p->clients; i++)
        v.retried += LOAD(c->run->client[i].retried);
    if (s->kind == SNAPSHOT_INTERVAL) /* a step of a search; of others more is known */
        add_points(&v, c, s->elapsed_ns - s->interval_ns, s->elapsed_ns);
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

void judge_events(struct verdict_readings *v, const struct snapshot *s, mono_ns from, mono_ns to)
{
    v->stopped = stopped(s, from, to);
    v->outages = 0;
    v->away = 0;
    for (size_t i = 0; s->outages && i < s->outages->n; i++) {
        dur_ns away = silent_between(s, &s->outages->row[i], from, to);
        v->away += away;
        v->outages += away > 0;
    }
}

struct snapshot judge_whole(const struct collect *c, const struct snapshot *s)
{
    struct snapshot whole = *s;

    if (s->server.on)
        sample_diff(&c->origin.server, &c->now.server, &whole.server.d);
    if (s->self.on)
        sample_diff(&c->origin.self, &c->now.self, &whole.self.d);
    return whole;
}

static struct verdict_readings run_readings(const struct collect *c, const struct snapshot *s,
                                            const struct run_result *res)
{
    const struct run *r = c->run;
    const struct snapshot_rate *q = &s->rate;
    const struct snapshot whole = judge_whole(c, s);
    struct verdict_readings v = judge_span(c, &whole, &c->origin.cpu, &c->now.cpu);
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
     * and the point of the backlog that was taken then tells. */
    uint64_t since = ranks_members(r, end).trailing;
    for (int i = 0; i < r->plan->clients; i++)
        since += !client_warming(&r->client[i]) && LOAD(r->client[i].last) > end;
    v.waiting = q->waiting;
    if (r->plan->max_events && c->end.begun > end) {
        struct backlog_point at = backlog_at(&c->backlog, end - r->measure_from);
        uint64_t ranks = (uint64_t)ranks_of(r), ended = (at.ended + at.dropped) * ranks;
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
    judge_events(&v, s, r->measure_from, end);
    add_backlog(&v, c, 0, v.scheduled);
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
    add_backlog(&r, c, stage->from, stage->from + r.scheduled);
    stage->judged = r.offered > 0;
    stage->s->rate.achieved = NAN;
    if (!stage->judged)
        return;
    /* the time without a success that lies in the stage, and its errors */
    judge_events(&r, s, begin, stage->s->at);
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
        stage->s->rate.achieved = achieved(&r);
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
                            q->waiting == returned + c->now.offered - issued &&
                            q->total_offered == q->total_done + q->total_failed + q->total_dropped +
                                                    q->unfinished + q->total_lost;
}
