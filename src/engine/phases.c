/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The marks of the timeline in snapshots, and the phases of the run between them.
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
 * the phase then ends at the previous reading, which is still in c->interval.  So that reading
 * replaces c->now while the phase is filled.
 */
#include "engine/collect.h"

#include <stdlib.h>

#include "base/mem.h"

/* The very end of an interval: this part of it, at most so long. */
#define AT_ITS_END 100
#define END_MOST   (20 * NS_PER_MS)

/* A phase, and all that its struct snapshot points to. */
struct phase {
    struct snapshot s;
    struct probe_delta probe;
};

void phases_fini(struct collect *c)
{
    for (size_t i = 0; i < c->nphases; i++)
        free(c->phase[i]);
    if (c->phase_base) {
        baseline_fini(c->phase_base);
        free(c->phase_base);
    }
}

/* The marks from `to` up to `at`; all of them at the end. */
static size_t marks_upto(const struct collect *c, enum snapshot_kind kind, size_t to, mono_ns at)
{
    struct marks *m = c->run->obs->marks;
    size_t n = m ? marks_count(m) : 0;

    while (to < n && (kind == SNAPSHOT_FINAL || marks_at(m, to)->at <= at))
        to++;
    return to;
}

/* From where the phase began to c->now; false: there is no interval in between. */
static bool add_phase(struct collect *c)
{
    const struct baseline *base = c->phase_base ? c->phase_base : &c->origin;
    struct snapshot_phase *v = &c->phases[c->nphases];
    struct phase *p;

    if (c->now.at <= base->at)
        return false;
    if (c->nphases == SNAPSHOT_MAX_PHASES) {
        c->phases_lost++;
        return true;
    }
    p = c->phase[c->nphases++] = mem_alloc(sizeof *p);
    collect_fill(c, SNAPSHOT_PHASE, base, &p->probe, &p->s);
    v->s = &p->s;
    v->nmarks = c->phase_marks_to - c->phase_marks;
    v->marks = v->nmarks ? marks_at(c->run->obs->marks, c->phase_marks) : NULL;
    return true;
}

static void swap(struct baseline *a, struct baseline *b)
{
    struct baseline t = *a;

    *a = *b;
    *b = t;
}

static bool end_at_last_interval(struct collect *c)
{
    bool any;

    swap(&c->now, &c->interval);
    any = add_phase(c);
    swap(&c->now, &c->interval);
    return any;
}

static void begin_here(struct collect *c)
{
    size_t n = (size_t)c->figures.nclients;

    if (!c->phase_base) {
        c->phase_base = mem_alloc(sizeof *c->phase_base);
        baseline_init(c->phase_base, n);
    }
    baseline_copy(c->phase_base, &c->now, n);
}

void phases_cut(struct collect *c, enum snapshot_kind kind)
{
    dur_ns end = (c->now.at - c->interval.at) / AT_ITS_END;
    size_t to;

    c->marks_from = c->marks_cut;
    if (kind == SNAPSHOT_CHECKPOINT)
        return;
    c->marks_cut = marks_upto(c, kind, c->marks_cut, c->now.at);
    to = marks_upto(c, kind, c->phase_cut, c->now.at - (end < END_MOST ? end : END_MOST));
    while (c->phase_cut < to && marks_at(c->run->obs->marks, c->phase_cut)->at <= c->origin.at)
        /* during the warm-up: nothing to cut yet */
        c->phase_marks = c->phase_marks_to = ++c->phase_cut;
    if (kind == SNAPSHOT_FINAL && (c->phase_cut < to || c->phase_base)) {
        end_at_last_interval(c);
    } else if (c->phase_cut < to) {
        if (end_at_last_interval(c))
            c->phase_marks = c->phase_cut;
        c->phase_marks_to = to; /* those of intervals in a row begin one phase */
        begin_here(c);
    }
    c->phase_cut = to;
}

void phases_fill(struct collect *c, struct snapshot *s)
{
    if (c->run->obs->marks)
        s->marks = marks_at(c->run->obs->marks, c->marks_from);
    s->nmarks = c->marks_cut - c->marks_from;
    if (s->kind != SNAPSHOT_FINAL)
        return;
    s->phases = c->phases;
    s->nphases = c->nphases;
    s->phases_lost = c->phases_lost;
}
