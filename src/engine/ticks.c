/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * When the ticker (ticker.c) wakes next, and for what: an interval, a checkpoint, the end of a
 * stage or, of a member of several ranks, a beat.  Where several are due at the same instant, the
 * end of a stage comes first.
 *
 * A look takes a point of the backlog (backlog.h), which only the verdict needs.  A beat tells the
 * leader a reading when nothing else has told it one for RANKS_BEAT, so that little is lost with
 * this rank; with reports that come as often there is none.
 */
#include "engine/collect.h"
#include "engine/ranks.h"

mono_ns ticks_next(const struct ticker *t, enum snapshot_kind *kind)
{
    const struct plan *p = t->run->plan;
    mono_ns checkpoint = MONO_NEVER, stage = stages_boundary(t->run, t->next_stage), report;

    if (t->next_checkpoint < p->checkpoints)
        checkpoint = t->run->measure_from + p->checkpoint[t->next_checkpoint];
    *kind = checkpoint < t->next_interval ? SNAPSHOT_CHECKPOINT : SNAPSHOT_INTERVAL;
    report = checkpoint < t->next_interval ? checkpoint : t->next_interval;
    if (stage <= report && stage != MONO_NEVER) {
        *kind = SNAPSHOT_PHASE;
        report = stage;
    }
    if (t->next_beat < report) {
        *kind = TICK_BEAT;
        report = t->next_beat;
    }
    if (t->next_look < report) {
        *kind = TICK_LOOK;
        report = t->next_look;
    }
    return report;
}

/* Moves the schedule past the tick that is being reported.  Ticks that were missed altogether
 * (the process was stopped) are skipped: the report that comes late covers all of the time. */
void ticks_advance(struct ticker *t, enum snapshot_kind kind, mono_ns now)
{
    dur_ns step = t->run->plan->report_interval;

    if (kind == TICK_LOOK) {
        t->next_look = now + t->collect.backlog.step;
        return;
    }
    if (kind == SNAPSHOT_CHECKPOINT)
        t->next_checkpoint++;
    else if (kind == SNAPSHOT_PHASE)
        t->next_stage++;
    else if (kind == TICK_BEAT)
        t->next_beat += ((now - t->next_beat) / RANKS_BEAT + 1) * RANKS_BEAT;
    else
        t->next_interval += ((now - t->next_interval) / step + 1) * step;
    if (kind != TICK_BEAT && t->next_beat != MONO_NEVER)
        t->next_beat = now + RANKS_BEAT;
}

void ticks_schedule(struct ticker *t)
{
    const struct plan *p = t->run->plan;

    t->next_interval = p->report_interval ? t->run->measure_from + p->report_interval : MONO_NEVER;
    while (t->next_checkpoint < p->checkpoints && p->checkpoint[t->next_checkpoint] <= 0)
        t->next_checkpoint++;
    t->next_beat = ranks_follow(t->run) ? t->run->measure_from + RANKS_BEAT : MONO_NEVER;
    t->next_look = MONO_NEVER;
    if (ticker_looks(t->run)) {
        dur_ns length = p->time_limit;
        if (p->max_events && p->rate > 0)
            length = (dur_ns)(1e9 * (double)p->max_events / p->rate);
        backlog_begin(&t->collect.backlog, length);
        t->next_look = t->run->measure_from + t->collect.backlog.step;
    }
}
