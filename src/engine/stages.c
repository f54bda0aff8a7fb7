/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stages of a rate that changes, as parts of the run (struct snapshot_stage).
 *
 * stage_note: the planned starts of a stage are known, so they are counted at its boundary to the
 * nanosecond, however late the reading.  What was done, failed and dropped is what the reading
 * says, which the ticker takes as soon as it gets the CPU; rates are divided by the time between
 * the readings.  The final reading ends the last stage, with what was done after its schedule.  So
 * each count adds up to that of the run: every difference begins where the one before it ended.
 * Starts of the next stage that were due at the reading, such as the one on the boundary itself,
 * are no unfinished ones of this stage.  They are the youngest: those that wait, then those that
 * have begun.
 */
#include "engine/collect.h"
#include "engine/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pace/rates.h"

/* A stage, and all that its struct snapshot points to. */
struct stage_kept {
    struct snapshot s;
    struct probe_delta probe;
    uint64_t errors[ERROR_ROWS_MAX + 1];
    struct proc_cpu_ticks cpu[2];
};

void stages_fini(struct collect *c)
{
    for (size_t i = 0; i < c->nstages; i++)
        free(c->stage_kept[i]);
    if (c->stage_base) {
        baseline_fini(c->stage_base);
        free(c->stage_base);
    }
}

mono_ns stages_boundary(const struct run *r, size_t i)
{
    const struct rates *rates = r->plan->rates;
    mono_ns at;

    if (!rates || i + 1 >= rates_stages(rates))
        return MONO_NEVER;
    at = r->measure_from + rates_stage(rates, i + 1)->from;
    return at < atomic_load(&r->end) ? at : MONO_NEVER;
}

/* "300ms", "60s", "5m", "2h": whole units. */
static void append_length(char *text, size_t size, dur_ns length)
{
    static const struct {
        dur_ns ns;
        const char *unit;
    } t[] = {
        {3600 * NS_PER_SEC, "h"}, {60 * NS_PER_SEC, "m"}, {NS_PER_SEC, "s"}, {NS_PER_MS, "ms"}};
    size_t i = 0, used = strlen(text);

    while (i < 2 && (length % t[i].ns != 0 || length == t[i].ns))
        i++;
    i += i == 2 && length % NS_PER_SEC != 0 && length < NS_PER_SEC;
    snprintf(text + used, size - used, ":%.12g%s", (double)length / (double)t[i].ns, t[i].unit);
}

static void describe(struct snapshot_stage *v, const struct rate_stage *stage)
{
    v->first = stage->first;
    v->last = stage->last;
    v->from = stage->from;
    v->until = stage->until;
    snprintf(v->text, sizeof v->text, "%s", stage->text);
    if (stage->until != MONO_NEVER)
        append_length(v->text, sizeof v->text, stage->until - stage->from);
}

/* A change by hand ends the plan of the stage, and of all that follow. */
static void describe_change(struct snapshot_stage *v, const struct tickets *t, dur_ns end)
{
    if (!tickets_rate_changed(t))
        return;
    v->first = rates_round(tickets_rate_at(t, v->from));
    v->last = rates_round(tickets_rate_at(t, end - 1));
}

/* The mean of the planned rate over the part of the stage that the run reached; `read`: between the
 * readings. */
static double mean_target(const struct run *r, struct snapshot_stage *v, double read)
{
    dur_ns end = atomic_load(&r->end) - r->measure_from;

    end = v->until < end ? v->until : end;
    if (end <= v->from || end == MONO_NEVER)
        return tickets_rate_changed(r->tickets) ? read : v->last;
    describe_change(v, r->tickets, end);
    return rates_round((double)(tickets_pos(r->tickets, end) - tickets_pos(r->tickets, v->from)) /
                       (double)RATE_ONE / dur_sec(end - v->from));
}

/* The youngest n of what has not ended: planned starts of the next stage. */
static void leave_to_next(struct snapshot_rate *q, uint64_t n)
{
    uint64_t waiting = n < q->waiting ? n : q->waiting;
    uint64_t begun = n - waiting < q->in_flight ? n - waiting : q->in_flight;

    q->waiting -= waiting;
    q->in_flight -= begun;
    q->unfinished -= waiting + begun;
}

/* `told`: how many starts the reading knows of; `lost`: those of the next stage that are lost.  Of
 * several ranks the reading of one may be missing (ranks_await_readings): what was planned and is
 * not told is waiting, as far as is known. */
static void cut_at_boundary(struct snapshot_rate *q, uint64_t told, uint64_t offered, uint64_t lost)
{
    q->lost -= lost;
    told -= lost;
    if (told >= offered) {
        leave_to_next(q, told - offered);
        return;
    }
    q->waiting += offered - told;
    q->unfinished += offered - told;
}

/* From where the stage began to c->now; `offered`: planned starts up to its end; `lost`: later ones
 * that are lost. */
static void add_stage(struct collect *c, uint64_t offered, uint64_t lost)
{
    const struct baseline *base = c->stage_base ? c->stage_base : &c->origin;
    struct snapshot_stage *v = &c->stages[c->nstages];
    struct stage_kept *k;

    if (c->nstages == SNAPSHOT_MAX_STAGES) {
        c->stages_lost++;
        return;
    }
    describe(v, rates_stage(c->run->plan->rates, c->nstages));
    k = c->stage_kept[c->nstages++] = mem_alloc(sizeof *k);
    collect_fill(c, SNAPSHOT_PHASE, base, &k->probe, &k->s);
    ranks_add_running(c, &k->s);
    k->s.rate.offered = offered - c->stage_offered;
    k->s.rate.target = mean_target(c->run, v, k->s.rate.target);
    cut_at_boundary(&k->s.rate, c->now.offered, offered, lost);
    for (size_t i = 0; i < c->errors.n; i++)
        k->errors[i] = c->now.errors[i] - base->errors[i];
    k->cpu[0] = base->cpu;
    k->cpu[1] = c->now.cpu;
    v->s = &k->s;
}

/* First of all: where the schedule must be walked, what was counted later stays counted. */
uint64_t stages_due(struct run *r, mono_ns boundary)
{
    dur_ns until = boundary - 1 - r->measure_from;

    return tickets_offered(r->tickets, until) + ranks_offered(r, until);
}

void stages_reading(struct collect *c, uint64_t due)
{
    size_t n = (size_t)c->figures.nclients;
    uint64_t lost;

    collect_reading(c);
    lost = ranks_lost_later(c->run);
    add_stage(c, due, lost);
    c->stage_offered = due;
    if (!c->stage_base) {
        c->stage_base = mem_alloc(sizeof *c->stage_base);
        baseline_init(c->stage_base, n);
    }
    baseline_copy(c->stage_base, &c->now, n);
    c->stage_base->lost -= lost;
}

/* Readings at boundaries may have come after the end of the run: those stages end with the run, and
 * what was done in the ones that follow is among the figures of the first. */
static void cut_late_readings(struct collect *c, mono_ns end)
{
    for (size_t i = 0; i < c->nstages; i++) {
        struct snapshot *s = &c->stage_kept[i]->s;
        dur_ns late = s->at - end;
        if (late <= 0)
            continue;
        s->at -= late;
        s->elapsed_ns -= late;
        s->wall -= late;
        s->interval_ns = s->interval_ns > late ? s->interval_ns - late : 0;
    }
    if (c->stage_base && c->stage_base->at > end)
        c->stage_base->at = end;
}

void stages_end(struct collect *c)
{
    const struct run *r = c->run;
    const struct rates *rates = r->plan->rates;

    if (!rates)
        return;
    cut_late_readings(c, c->now.at);
    if (c->nstages + c->stages_lost < rates_stages(rates) &&
        r->measure_from + rates_stage(rates, c->nstages + c->stages_lost)->from <
            atomic_load(&r->end))
        add_stage(c, c->now.offered, 0);
}

void stages_fill(const struct collect *c, struct snapshot *s)
{
    s->stages = c->stages;
    s->nstages = c->nstages;
    s->stages_lost = c->stages_lost;
}

void stages_missed(struct collect *c, size_t stage)
{
    const struct run *r = c->run;
    struct snapshot_stage *v = &c->stages[stage];
    mono_ns from = r->measure_from + v->from, end = atomic_load(&r->end);
    dur_ns late = v->s->at - v->s->interval_ns - from;

    end = v->until < end - r->measure_from ? r->measure_from + v->until : end;
    if (!v->judged || v->unknown || late * 2 < end - from)
        return;
    v->sustained = false;
    v->unknown = true;
    v->s->rate.achieved = NAN;
    snprintf(v->why, sizeof v->why,
             "the stage before was read %.3f s after this one began, and what was done in between "
             "is among its figures",
             dur_sec(late));
}

uint64_t stages_waiting(const struct collect *c, size_t stage)
{
    return c->stage_kept[stage]->s.rate.waiting;
}

const struct proc_cpu_ticks *stages_cpu(const struct collect *c, size_t stage)
{
    return c->stage_kept[stage]->cpu;
}

uint64_t stages_errors(const struct collect *c, size_t stage, size_t row)
{
    return c->stage_kept[stage]->errors[row];
}
