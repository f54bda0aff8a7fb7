/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the verdict is told of a span of a run (struct verdict_readings): from a snapshot, from the
 * points of the backlog, and from what is known of this machine.
 */
#include "engine/client_state.h"
#include "engine/collect.h"
#include "engine/ranks.h"

#include <math.h>
#include <sched.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "pace/rates.h"
#include "report/text.h"
#include "telemetry/cgroup.h"

/* Ticks of the machine's CPU clock, all CPUs: fewer say nothing of their shares. */
#define TICKS_ENOUGH 20.0

#define SAMPLES_ENOUGH 5 /* fewer are chance, whatever they saw */

#define FIRST 4 /* transactions, begun while few others ran */
/* and a rank correlation that so many hardly have by chance: 8 in 1 of 100, 16 in 1 of 10,000 */
#define GROWING 32
#define GROWS   0.8
/* times between two ends; with fewer the share of short ones tells nothing */
#define GAPS 100
/* in standard deviations: 2.93 of a normal distribution, 2.89 of an exponential one */
#define P10_TO_P95 2.9

/* The backlog's points are of this load host alone: it has an equal share of all starts. */
int span_ranks(const struct run *r)
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

/* Do the samples tell how long locks were waited for?  Only if they cover the span, and saw enough:
 * one that sees a wait is chance. */
static bool samples_tell(const struct status_delta *d)
{
    const struct status_waits *w = &d->waits;

    return w->known * 10 >= d->wall_ns * 9 &&
           !(waits_by_chance(w, WAIT_ROW) && waits_by_chance(w, WAIT_LOCK));
}

/* Locks: samples of all waits, as in the server's figures and the time of a transaction, so that a
 * user sees one figure; InnoDB's time in ms of the waits for row locks that are over only where
 * that is more and samples do not tell. */
static void add_locks(struct verdict_readings *v, const struct snapshot *s)
{
    const struct status_delta *d = s->probe ? &s->probe->status : NULL;
    const struct status_waits *w = d ? &d->waits : NULL;
    dur_ns locks = w && w->seen >= 2 ? w->locks : 0, ours = 0;

    v->lock_wait = locks > 0 ? locks : -1;
    v->lock_rows = locks <= 0 || w->of[WAIT_ROW] * 2 > locks;
    for (size_t i = 0; d && !(locks > 0 && samples_tell(d)) && i < s->probe->statuses; i++)
        if (strcasecmp(s->probe->status_name[i].name, "Innodb_row_lock_time") == 0 &&
            d->have >> i & 1 && d->v[i] * NS_PER_MS > (double)v->lock_wait) {
            v->lock_wait = (dur_ns)(d->v[i] * NS_PER_MS);
            v->lock_counted = v->lock_rows = true;
        }
    v->lock_who = w && w->known > 0 ? w->who : NULL;
    v->lock_why = w && !v->lock_who ? w->why : NULL;
    if (locks <= 0)
        return;
    v->lock_behind = (dur_ns)((double)v->lock_wait * (double)w->behind / (double)locks);
    v->lock_blockers = w->blockers;
    for (int c = 0; c <= WAIT_CLASSES; ours += w->root[c++])
        if (w->root[c] * 2 > locks)
            v->lock_root = (enum wait_class)c;
    v->lock_ours = ours * 2 > locks;
}

/* Estimates of all of the span, as in the time of a transaction (report/budget.h).  What threads of
 * sessions waited for a CPU is exact, and all of it that transactions waited: others of the
 * server's have work of their own. */
static void add_waits(struct verdict_readings *v, const struct snapshot *s)
{
    const struct status_delta *d = s->probe ? &s->probe->status : NULL;
    const struct status_waits *w = d ? &d->waits : NULL;
    const double exact = w && waits_exact(w) ? (double)d->wall_ns / (double)w->ran_known : 0;

    v->threads = exact > 0;
    if (v->threads) {
        v->server_wait = v->ready = (dur_ns)((double)w->waited * exact);
        v->waited[WAIT_CPU].time = (dur_ns)((double)w->ran * exact) + v->ready;
    }
    v->waits_known = w && w->samples >= SAMPLES_ENOUGH && w->known > 0 &&
                     w->known * 2 >= d->wall_ns &&
                     !(w->names && waits_by_chance(w, w->name[0].class));
    if (!v->waits_known)
        return;
    double scale = (double)d->wall_ns / (double)w->known, cpu = (double)w->of[WAIT_CPU] * scale;
    v->in_server = (dur_ns)((double)waits_all(w) * scale);
    if (v->threads) { /* also what of it does not fit into the time of transactions */
        v->in_server += (dur_ns)((double)w->ran * exact - cpu);
        cpu = (double)v->waited[WAIT_CPU].time;
    }
    for (size_t i = 0; i < w->names; i++) { /* the longest first */
        enum wait_class class = w->name[i].class;
        struct verdict_wait *of = &v->waited[class];
        bool sleeps = class == WAIT_OTHER && strcasestr(w->name[i].name, "sleep");
        if (*of->name || waits_by_chance(w, class) || (class == WAIT_OTHER && !sleeps))
            continue;
        memcpy(of->name, w->name[i].name, sizeof of->name);
        double time = (double)(sleeps ? w->name[i].time : w->of[class]) * scale;
        of->time = (dur_ns)(class == WAIT_CPU ? cpu : time);
        of->several = !sleeps && w->name[i].time * 10 < w->of[class] * 9;
    }
}

struct snapshot_machine span_machine(const struct run *r, const struct snapshot *s,
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
    const struct snapshot_machine m = span_machine(c->run, s, before, now);
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
    add_waits(v, s);
    v->server_cpus = usable ? usable : s->server.ncpu ? s->server.ncpu : cpus;
    v->host_cpus = cpus;
    v->server_here = s->server.on && !s->server.ncpu; /* of another host these are known */
    v->server_cpu_pct = v->server_waited_pct = NAN;
    if (s->server.on && d->have & SAMPLE_CPU && d->wall_ns > 0)
        v->server_cpu_pct = sample_pct_one(d->cpu_ns, d->wall_ns);
    if (s->server.on && d->processes > 0)
        v->server_processes = (uint64_t)d->processes;
    if (waited(&s->server) >= 0)
        v->server_waited_pct = sample_waited_pct(d);
    v->idle_pct = m.known ? m.idle_pct : NAN;
    v->others_pct = m.known ? m.others_pct : NAN;
    v->steal_pct = m.known ? m.stolen_pct : NAN;
}

/* Becomes the most frequent one. */
static void note_error(struct verdict_error *v, const struct snapshot_error *e)
{
    if (e->count <= v->count)
        return;
    v->class = e->row->class;
    v->count = e->count;
    text_error_code(v->code, e->row);
}

void span_errors(struct verdict_readings *v, const struct snapshot *s)
{
    for (const struct snapshot_error *e = s->by_code; e < s->by_code + s->nby_code; e++) {
        v->errors += e->count;
        note_error(&v->error, e);
        if (!text_error_is_usual(e->row))
            note_error(&v->away_error, e);
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

/* The longest standstill that is told between them. */
static void add_stall(struct verdict_readings *r, const struct snapshot *s, mono_ns from,
                      mono_ns to)
{
    for (const struct snapshot_incident *v = s->incident; v < s->incident + s->incidents; v++)
        if (v->kind == INCIDENT_STALL && v->at > from && v->at - v->duration < to &&
            v->duration > r->stall_length && !strstr(v->why, "more standstills")) {
            r->stall = v->why;
            r->stall_length = v->duration;
            r->stall_from = v->at - v->duration - from + r->from;
        }
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
void span_backlog(struct verdict_readings *v, const struct collect *c, dur_ns from, dur_ns to)
{
    const struct run *r = c->run;
    double share = (double)v->offered / span_ranks(r);

    add_points(v, c, from, to);
    dur_ns span = isfinite(v->calm) && v->calm > NS_PER_MS ? (dur_ns)v->calm : NS_PER_MS;
    span = span < to ? span : to;
    v->rate_end = span <= 0
                      ? 0
                      : (double)(tickets_pos(r->tickets, to) - tickets_pos(r->tickets, to - span)) /
                            (double)RATE_ONE / dur_sec(span);
    struct backlog_peak peak =
        backlog_peak(&c->backlog, from, to,
                     share * v->tolerance_pct / 100 + (double)v->together / span_ranks(r) +
                         (isfinite(v->calm) ? v->target / span_ranks(r) * v->calm / 1e9 : 0));
    v->peak = peak.most * (uint64_t)span_ranks(r);
    v->peak_from = peak.from;
    v->peak_to = peak.to;
    v->peaks = peak.n;
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

struct verdict_readings span_readings(const struct collect *c, const struct snapshot *s,
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
    span_errors(&v, s);
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

void span_events(struct verdict_readings *v, const struct snapshot *s, mono_ns from, mono_ns to)
{
    v->stopped = stopped(s, from, to);
    add_stall(v, s, from, to);
    v->outages = 0;
    v->away = 0;
    for (size_t i = 0; s->outages && i < s->outages->n; i++) {
        dur_ns away = silent_between(s, &s->outages->row[i], from, to);
        v->away += away;
        v->outages += away > 0;
    }
}

struct snapshot span_whole(const struct collect *c, const struct snapshot *s)
{
    struct snapshot whole = *s;

    if (s->server.on)
        sample_diff(&c->origin.server, &c->now.server, &whole.server.d);
    if (s->self.on)
        sample_diff(&c->origin.self, &c->now.self, &whole.self.d);
    return whole;
}
