/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The trail of a run (struct trail in collect.h), and the figures of a part of the run, which are
 * the difference of two of its points.  judge.c reads them as it reads those of the whole, and
 * verdict.c judges both in the same way.
 *
 * cost_note: processes are read with the reports anyway.  Where these are rare the trail has
 * readings of its own, four a second at most, and so seldom that they take a fiftieth of the time.
 * A server that does not answer holds up the reporting thread, and nothing else.
 */
#include "engine/client_state.h"
#include "engine/collect.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "telemetry/member.h"

#define STEP (250 * NS_PER_MS)
#define COST 50 /* a reading for it takes one in so many of the time until the next */
#define FEW  4  /* reports in a run */

void collect_begin_looks(struct collect *c, dur_ns length)
{
    const struct plan *p = c->run->plan;

    backlog_begin(&c->backlog, length);
    if (p->ranks > 1)
        return;
    c->trail = mem_alloc(sizeof *c->trail);
    c->trail->step = length / TRAIL_POINTS > STEP ? length / TRAIL_POINTS : STEP;
    c->trail->looks = !p->report_interval || (length && p->report_interval > length / FEW);
}

static void take(struct trail_point *v, const struct baseline *b)
{
    v->server = b->server;
    v->self = b->self;
    v->cpu = b->cpu;
    v->status = b->probe.status;
}

/* The next one; NULL: none is due. */
static struct trail_point *next_point(struct collect *c, mono_ns at)
{
    struct trail *t = c->trail;
    dur_ns since = at - c->run->measure_from;

    if (!t || (t->n && !c->drawn && since < t->p[t->n - 1].at + t->step - t->step / 8))
        return NULL;
    if (!t->n) /* where measuring began */
        take(&t->p[t->n++], &c->origin);
    if (t->n == TRAIL_POINTS) {
        for (size_t i = 1; 2 * i < TRAIL_POINTS; i++)
            t->p[i] = t->p[2 * i];
        t->n = TRAIL_POINTS / 2;
        t->step *= 2;
    }
    struct trail_point *v = &t->p[t->n++];
    *v = (struct trail_point){.at = since};
    for (int i = 0; i < c->run->plan->clients; i++)
        v->retried += LOAD(c->run->client[i].retried);
    for (size_t i = error_table_rows(c->run->errors, t->row); i-- > 0;)
        v->errors[i] = t->row[i].count;
    return v;
}

void trail_report(struct collect *c)
{
    struct trail_point *v = next_point(c, c->now.at);

    if (!v)
        return;
    take(v, &c->now);
    memcpy(v->count, c->now.count, sizeof v->count);
}

void trail_look(struct collect *c, mono_ns at, const uint64_t count[CNT_MAX])
{
    struct run *r = c->run;
    struct trail_point *v = c->drawn || (c->trail && c->trail->looks) ? next_point(c, at) : NULL;
    struct machine_state m;

    if (!v)
        return;
    memcpy(v->count, count, sizeof v->count);
    if (c->drawn) {
        take(v, &c->last);
        return;
    }
    mono_ns began = clock_mono();
    if (r->server)
        server_read(r->server, &v->server);
    if (run_reads_self(r))
        self_read(&v->self);
    dur_ns most = (clock_mono() - began) * COST;
    c->trail->step = c->trail->step > most ? c->trail->step : most;
    machine_read(&m, at);
    v->cpu = m.cpu;
    if (r->obs->probe)
        probe_read_status(r->obs->probe, &v->status);
}

/* --- a part --- */

static void part_readings(const struct verdict_readings *all, dur_ns from, dur_ns to,
                          struct verdict_readings *v)
{
    const struct collect *c = all->of;
    const struct snapshot *s = c->judged;
    const struct trail *t = c->trail;
    const mono_ns zero = c->run->measure_from;
    struct snapshot_error error[ERROR_ROWS_MAX + 1];
    struct probe_delta probe = {0};
    size_t i = 0, k;

    while (i + 2 < t->n && t->p[i + 1].at <= from)
        i++;
    for (k = i + 1; k + 1 < t->n && t->p[k].at <= to;)
        k++;
    const struct trail_point *p = &t->p[i], *q = &t->p[k];
    from = p->at > all->from ? p->at : all->from;
    to = q->at < all->to ? q->at : all->to;
    const struct backlog_point b = backlog_at(all->backlog, from), e = backlog_at(all->backlog, to);
    const uint64_t due = e.offered - e.dropped;
    const uint64_t done = e.done - b.done;
    struct snapshot part = {
        .kind = SNAPSHOT_INTERVAL,
        .elapsed_ns = to,
        .interval_ns = to - from,
        .ncpu = s->ncpu,
        .server = s->server,
        .self = s->self,
        .rate = {
            .target = (double)(e.offered - b.offered) / dur_sec(to - from),
            .offered = e.offered - b.offered,
            .dropped = e.dropped - b.dropped,
            .waiting = due > e.begun ? due - e.begun : 0,
            .in_flight = e.begun > e.ended ? e.begun - e.ended : 0,
            .service = {.n = done, .mean = done ? (e.service - b.service) / (double)done : NAN},
            .lag = s->rate.lag}};

    sample_diff(&p->server, &q->server, &part.server.d);
    sample_diff(&p->self, &q->self, &part.self.d);
    if (s->probe) {
        probe.statuses = s->probe->statuses;
        probe.status_name = s->probe->status_name;
        status_diff(probe.status_name, probe.statuses, &p->status, &q->status, &probe.status);
        if (probe.status.waits.seen) /* that this one is no chance is known of the whole */
            probe.status.waits.seen = s->probe->status.waits.seen;
        part.probe = &probe;
    }
    for (int n = 0; n < CNT_MAX; n++)
        part.count[n] = q->count[n] - p->count[n];
    part.by_code = error;
    for (size_t n = 0; n < s->nby_code; n++) {
        error[part.nby_code] = s->by_code[n];
        error[part.nby_code].count = q->errors[n] - p->errors[n];
        part.nby_code += q->errors[n] > p->errors[n];
    }
    part.count[CNT_DONE] = done;
    *v = span_readings(c, &part, &p->cpu, &q->cpu);
    span_events(v, s, zero + from, zero + to);
    v->retried = q->retried - p->retried;
    if (v->lock_who) /* that of `probe` ends here */
        v->lock_who = v->lock_behind > 0 ? q->status.waits.who : "";
    /* what one takes in an unloaded system, by chance, and at worst is known of the whole */
    v->uneven = all->uneven;
    v->calm = all->calm;
    v->early = all->early;
    v->least = all->least;
    v->spread = all->spread;
    v->longest = all->longest;
    v->worst_wake = all->worst_wake;
    v->rate_end = all->rate_end;
}

void trail_parts(const struct collect *c, struct verdict_readings *v)
{
    if (!c->trail || c->trail->n < 3)
        return;
    v->part = part_readings;
    v->of = c;
}
