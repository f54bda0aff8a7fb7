/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The windows that a final report tells of besides the run itself (struct windows in collect.h):
 * the phases between the marks of the timeline, and the stages of a rate that changes (struct
 * snapshot_stage).
 *
 * phase_note: a phase is made of whole intervals.  An interval with a mark is partly before and
 * partly after the change to the server, which itself takes time, so it belongs to no phase: a
 * phase ends with the interval before it and the next one begins with the interval after it.  The
 * figures are differences of the readings at both ends, percentiles from the histogram of all the
 * transactions that lie between them.  Without --report-interval there is nothing to cut at, and no
 * phase.  A mark at the very end of an interval, such as one of --at, is one of the next interval,
 * whichever of the two threads was first.
 *
 * The last phase ends with the last interval report.  The time after it is no whole interval: the
 * milliseconds in which the last transactions end, or the rest of a run whose length is no multiple
 * of the interval.  Where there is no interval between the last marks and the end, they begin no
 * phase.
 *
 * Whether an interval has a mark is known when it ends, and the end of the run when it has ended;
 * the phase then ends at the previous reading, which is still in c->interval.
 *
 * stage_note: the planned starts of a stage are known, so they are counted at its boundary to the
 * nanosecond, however late the reading.  What was done, failed and dropped is what the reading
 * says, which the ticker takes as soon as it gets the CPU; rates are divided by the time between
 * the readings.  The final reading ends the last stage, with what was done after its schedule.  So
 * each count adds up to that of the run: every difference begins where the one before it ended.
 * Starts of the next stage that were due at the reading, such as the one on the boundary itself,
 * are not open in this stage.  They are the youngest: those that wait, then those that have begun.
 */
#include "engine/collect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/ranks.h"
#include "pace/rates.h"

/* --- any window --- */

/* The next one begins at this reading. */
static void begin_at(struct collect *c, struct windows *w, const struct baseline *at)
{
    size_t n = (size_t)c->figures.nclients;

    if (!w->from) {
        w->from = mem_alloc(sizeof *w->from);
        baseline_init(w->from, n);
    }
    baseline_copy(w->from, at, n);
}

/* Ends at this reading; NULL: there are too many. */
static struct window *end_at(struct collect *c, struct windows *w, const struct baseline *to)
{
    const struct baseline *from = w->from ? w->from : &c->origin;

    if (w->n == WINDOWS_MAX) {
        w->lost++;
        return NULL;
    }
    struct window *v = w->of[w->n++] = mem_alloc(sizeof *v);
    collect_fill(c, SNAPSHOT_PHASE, from, to, &v->probe, &v->s);
    for (size_t i = 0; i < c->errors.n; i++)
        v->errors[i] = to->errors[i] - from->errors[i];
    v->cpu[0] = from->cpu;
    v->cpu[1] = to->cpu;
    const dur_ns late = v->s.interval_ns / 10; /* a list of statements may be, at most */
    v->listed =
        (struct status_span){{w->from ? from->at : 0, to->at}, {from->at + late, to->at + late}};
    return v;
}

void windows_statements(struct collect *c)
{
    const struct status_source *from = probe_status(c->run->obs->probe);

    if (!from || !from->list)
        return;
    from->statements(from->arg, &(struct status_span){{0, MONO_NEVER}, {MONO_NEVER, MONO_NEVER}},
                     &c->probe.statements);
    for (size_t i = 0; i < c->phase.n; i++)
        from->statements(from->arg, &c->phase.of[i]->listed, &c->phase.of[i]->probe.statements);
    for (size_t i = 0; i < c->stage.n; i++)
        from->statements(from->arg, &c->stage.of[i]->listed, &c->stage.of[i]->probe.statements);
}

/* --- phases --- */

/* The very end of an interval: this part of it, at most so long. */
#define AT_ITS_END 100
#define END_MOST   (20 * NS_PER_MS)

/* The marks from `to` up to `at`; all of them at the end. */
static size_t marks_upto(const struct collect *c, enum snapshot_kind kind, size_t to, mono_ns at)
{
    struct marks *m = c->run->obs->marks;
    size_t n = m ? marks_count(m) : 0;

    while (to < n && (kind == SNAPSHOT_FINAL || marks_at(m, to)->at <= at))
        to++;
    return to;
}

/* The phase ends with the last interval, before the mark or the end of the run at `until`; false:
 * there is no interval in it. */
static bool end_phase(struct collect *c, mono_ns until)
{
    const struct baseline *from = c->phase.from ? c->phase.from : &c->origin;
    struct snapshot_phase *v = &c->phases[c->phase.n];
    const size_t marks = c->phase_marks_to - c->phase_marks;

    if (c->interval.at <= from->at)
        return false;
    struct window *w = end_at(c, &c->phase, &c->interval);
    if (w) {
        *v = (struct snapshot_phase){.s = &w->s,
                                     .nmarks = marks,
                                     .marks = marks ? marks_at(c->run->obs->marks, c->phase_marks)
                                                    : NULL};
        if (c->phase.from && marks) /* it begins with the last of them */
            w->listed.at[0] = v->marks[marks - 1].at;
        w->listed.at[1] = until;
        w->listed.by[1] += until - c->interval.at;
    }
    return true;
}

void phases_cut(struct collect *c, enum snapshot_kind kind)
{
    dur_ns end = (c->now.at - c->interval.at) / AT_ITS_END;

    c->marks_from = c->marks_cut;
    if (kind == SNAPSHOT_CHECKPOINT)
        return;
    c->marks_cut = marks_upto(c, kind, c->marks_cut, c->now.at);
    size_t to = marks_upto(c, kind, c->phase_cut, c->now.at - (end < END_MOST ? end : END_MOST));
    while (c->phase_cut < to && marks_at(c->run->obs->marks, c->phase_cut)->at <= c->origin.at)
        /* during the warm-up: nothing to cut yet */
        c->phase_marks = c->phase_marks_to = ++c->phase_cut;
    mono_ns until = c->phase_cut < to ? marks_at(c->run->obs->marks, c->phase_cut)->at : c->now.at;
    if (kind == SNAPSHOT_FINAL && (c->phase_cut < to || c->phase.from)) {
        end_phase(c, until);
    } else if (c->phase_cut < to) {
        if (end_phase(c, until))
            c->phase_marks = c->phase_cut;
        c->phase_marks_to = to; /* those of intervals in a row begin one phase */
        begin_at(c, &c->phase, &c->now);
    }
    c->phase_cut = to;
}

/* --- stages --- */

mono_ns stages_boundary(const struct run *r, size_t i)
{
    const struct rates *rates = r->plan->rates;

    if (!rates || i + 1 >= rates_stages(rates))
        return MONO_NEVER;
    mono_ns at = r->measure_from + rates_stage(rates, i + 1)->from;
    return at < atomic_load(&r->end) ? at : MONO_NEVER;
}

/* From where the stage began to c->now; `offered`: planned starts up to its end; `lost`: later ones
 * that are lost. */
static void end_stage(struct collect *c, uint64_t offered, uint64_t lost)
{
    static const struct {
        dur_ns ns;
        const char *text;
    } units[] = {
        {3600 * NS_PER_SEC, "h"}, {60 * NS_PER_SEC, "m"}, {NS_PER_SEC, "s"}, {NS_PER_MS, "ms"}};
    const struct rate_stage *plan = rates_stage(c->run->plan->rates, c->stage.n);
    struct snapshot_stage *v = &c->stages[c->stage.n];
    struct window *w = end_at(c, &c->stage, &c->now);
    uint64_t told = c->now.offered - lost, next, begun; /* starts that the reading knows of */
    const struct tickets *t = c->run->tickets;
    bool changed = tickets_rate_changed(t);
    dur_ns end = atomic_load(&c->run->end) - c->run->measure_from;

    if (!w)
        return;
    *v = (struct snapshot_stage){.s = &w->s,
                                 .first = plan->first,
                                 .last = plan->last,
                                 .from = plan->from,
                                 .until = plan->until};
    snprintf(v->text, sizeof v->text, "%s", plan->text);
    if (plan->until != MONO_NEVER) { /* "300ms", "60s", "5m", "2h": whole units */
        dur_ns length = plan->until - plan->from;
        size_t i = 0, used = strlen(v->text);
        while (i < 2 && (length % units[i].ns != 0 || length == units[i].ns))
            i++;
        i += i == 2 && length % NS_PER_SEC != 0 && length < NS_PER_SEC;
        snprintf(v->text + used, sizeof v->text - used, ":%.12g%s",
                 (double)length / (double)units[i].ns, units[i].text);
    }
    ranks_add_running(c, &w->s);
    struct snapshot_rate *q = &w->s.rate;
    q->offered = offered - c->stage_offered;
    /* The mean of the planned rate over the part of the stage that the run reached.  A change by
     * hand ends the plan of the stage, and of all that follow. */
    end = v->until < end ? v->until : end;
    if (end > v->from && end != MONO_NEVER) {
        if (changed) {
            v->first = rates_round(tickets_rate_at(t, v->from));
            v->last = rates_round(tickets_rate_at(t, end - 1));
        }
        q->target = rates_round((double)(tickets_pos(t, end) - tickets_pos(t, v->from)) /
                                (double)RATE_ONE / dur_sec(end - v->from));
    } else if (!changed) {
        q->target = v->last;
    }
    q->lost -= lost;
    if (told >= offered) { /* the youngest of what has not ended are of the next stage */
        next = told - offered < q->waiting ? told - offered : q->waiting;
        begun = told - offered - next;
        begun = begun < q->in_flight ? begun : q->in_flight;
        q->waiting -= next;
        q->in_flight -= begun;
    } else { /* of several ranks the reading of one may be missing (ranks_await): what was
              * planned and is not told is waiting, as far as is known */
        q->waiting += offered - told;
    }
}

void stages_reading(struct collect *c, uint64_t due)
{
    collect_reading(c, SNAPSHOT_PHASE, 0);
    c->now.wall = clock_label(c->run->clock, c->now.at);
    uint64_t lost = ranks_members(c->run, 0).lost_later;
    end_stage(c, due, lost);
    c->stage_offered = due;
    begin_at(c, &c->stage, &c->now);
    c->stage.from->lost -= lost;
}

void stages_end(struct collect *c)
{
    const struct run *r = c->run;
    const struct rates *rates = r->plan->rates;
    size_t next = c->stage.n + c->stage.lost;
    mono_ns end = c->now.at;

    if (!rates)
        return;
    /* readings at boundaries may have come after the end of the run: those stages end with the run,
     * and what was done in the ones that follow is among the figures of the first */
    for (size_t i = 0; i < c->stage.n; i++) {
        struct snapshot *s = &c->stage.of[i]->s;
        dur_ns late = s->at - end;
        if (late <= 0)
            continue;
        s->at -= late;
        s->elapsed_ns -= late;
        s->wall -= late;
        s->interval_ns = s->interval_ns > late ? s->interval_ns - late : 0;
    }
    if (c->stage.from && c->stage.from->at > end)
        c->stage.from->at = end;
    if (next < rates_stages(rates) &&
        r->measure_from + rates_stage(rates, next)->from < atomic_load(&r->end))
        end_stage(c, c->now.offered, 0);
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
