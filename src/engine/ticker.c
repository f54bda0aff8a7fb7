/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The thread that takes a snapshot at each interval and checkpoint, on a schedule anchored where
 * measuring began: interval n ends at origin + n * interval, however long a report took.  It sleeps
 * on the run's word, so the end of the run wakes it at once; the last interval that is complete is
 * always reported.
 *
 * Before that a warm-up has ticks of its own, anchored at the start line; the last of them is where
 * it ends at the latest.  They are read and reported separately (warmup.c).
 *
 * Where a stage of the rate ends there is a tick, too: a reading that is in no report but the final
 * one (windows.c).  A look takes a point of the backlog (collect.h), which only the verdict needs;
 * one for stalls (stalls.c) comes 20 times a second.
 * Where several are due at the same instant, the end of a stage comes first.
 *
 * Of several ranks a member makes no reports: it sends a reading at each of its ticks, and one, a
 * beat, when it has sent none for RANKS_BEAT (ranks_merge.c), so that little is lost with this
 * rank. The leader waits a little for theirs.
 *
 * slow_note: when a reading of the server takes longer than the interval, ticks are missed
 * meanwhile; the next report covers them all (its interval shows it), and the run reports the
 * reason once.
 */
#include "engine/collect.h"
#include "engine/client_state.h"
#include "engine/executor.h"
#include "engine/ranks.h"
#include "engine/stop.h"

#include "base/log.h"

#define MOST_WAIT NS_PER_SEC /* of the leader, for the readings of a tick */
#define WAKING    (10 * NS_PER_MS)
#define READING   (200 * NS_PER_MS) /* a reading waits for the server's figures for half of that */

/* --- when the next tick is, and of what kind --- */

mono_ns ticks_next(const struct ticker *t, enum snapshot_kind *kind)
{
    const struct plan *p = t->run->plan;
    mono_ns checkpoint = MONO_NEVER, first = MONO_NEVER;

    if (t->next_checkpoint < p->checkpoints)
        checkpoint = t->run->measure_from + p->checkpoint[t->next_checkpoint];
    const struct { /* of the same instant the first */
        mono_ns at;
        enum snapshot_kind kind;
    } tick[] = {{stages_boundary(t->run, t->next_stage), SNAPSHOT_PHASE},
                {t->next_interval, SNAPSHOT_INTERVAL},
                {checkpoint, SNAPSHOT_CHECKPOINT},
                {t->next_beat, TICK_BEAT},
                {t->next_look, TICK_LOOK},
                {t->next_stall, TICK_STALL}};
    *kind = SNAPSHOT_INTERVAL;
    for (size_t i = 0; i < COUNT(tick); i++)
        if (tick[i].at < first) {
            first = tick[i].at;
            *kind = tick[i].kind;
        }
    return first;
}

/* Moves the schedule past the tick that is being reported.  Ticks that were missed altogether
 * (the process was stopped) are skipped: the report that comes late covers all of the time. */
void ticks_advance(struct ticker *t, enum snapshot_kind kind, mono_ns now)
{
    dur_ns step = t->run->plan->report_interval;

    if (kind == TICK_STALL) {
        t->next_stall = now + STALL_STEP;
        return;
    }
    if (kind == TICK_LOOK) {
        t->next_look = now + t->collect.backlog.step;
        if (now < t->last_look && t->last_look < t->next_look)
            t->next_look = t->last_look; /* exactly where the schedule of --events ends */
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
    t->next_stall = stalls_source(t->run) ? t->run->measure_from + STALL_STEP : MONO_NEVER;
    if (ticker_looks(t->run)) {
        dur_ns length = p->time_limit;
        if (p->max_events && p->rate > 0)
            length = (dur_ns)(1e9 * (double)p->max_events / p->rate);
        t->last_look = p->max_events ? t->run->measure_from + length : 0;
        collect_begin_looks(&t->collect, length);
        ticks_advance(t, TICK_LOOK, t->run->measure_from);
    }
}

/* --- reports --- */

/* Of this rank alone. */
static void tell(struct ticker *t, struct collect *c, enum snapshot_kind kind, mono_ns tick)
{
    pthread_mutex_lock(&t->lock);
    collect_own(c, kind, 0);
    ranks_tell_reading(c, kind, tick);
    pthread_mutex_unlock(&t->lock);
}

/* The leader reads its own figures before it waits for those of the others, without the lock: the
 * main thread may end the run meanwhile. */
static void gather(struct ticker *t, struct collect *c, enum snapshot_kind kind, mono_ns tick)
{
    dur_ns step = t->run->plan->report_interval;

    if (!ranks_lead(t->run))
        return;
    pthread_mutex_lock(&t->lock);
    collect_own(c, kind, 0);
    pthread_mutex_unlock(&t->lock);
    mono_ns until = run_now(t->run) + (step && step < 2 * MOST_WAIT ? step / 2 : MOST_WAIT);
    ranks_await(t->run->ranks, false, tick, c->figures.warming, until);
}

/* One that took longer than it can was stopped meanwhile; other hosts may be slow. */
static void note_reading(struct ticker *t, struct collect *c)
{
    const struct run *r = t->run;

    if (c != &t->collect || r->ranks || (r->server && server_cpus(r->server)))
        return;
    dur_ns late = late_add(&c->late, c->reading_ns - READING);
    incidents_late(&c->incidents, run_now(r), late);
    c->reading_ns -= late;
}

static void report(struct ticker *t, struct collect *c, enum snapshot_kind kind, mono_ns tick)
{
    const struct run *r = t->run;
    struct snapshot s;

    if (ranks_follow(r)) {
        tell(t, c, kind, tick);
        return;
    }
    gather(t, c, kind, tick);
    pthread_mutex_lock(&t->lock);
    collect_snapshot(c, kind, 0, &s);
    collect_next(c, kind);
    note_reading(t, c);
    pthread_mutex_unlock(&t->lock);
    observers_snapshot(&t->run->obs->list, &s);
    if (kind == SNAPSHOT_INTERVAL && !t->said_slow && run_watches(r) &&
        c->reading_ns > r->plan->report_interval) { /* slow_note */
        t->said_slow = true;
        log_warn("Reading the server's figures took %.3f s, longer than "
                 "--report-interval=%.12g: reports come less often, and each covers the time "
                 "since the previous one",
                 dur_sec(c->reading_ns), dur_sec(r->plan->report_interval));
    }
    if (kind == SNAPSHOT_CHECKPOINT)
        ranks_say_late(t->run, s.elapsed_ns);
}

/* --- the thread --- */

/* It had nothing else to do since `tick`, and should have had the CPU.  `least`: where ticks are
 * many, what waking up takes adds up, and is no lateness. */
static void note_late(struct ticker *t, mono_ns tick, mono_ns now, dur_ns least)
{
    pthread_mutex_lock(&t->lock);
    late_add(&t->collect.late, now > tick + least ? now - tick : 0);
    incidents_late(&t->collect.incidents, now, now - tick);
    pthread_mutex_unlock(&t->lock);
}

/* The ticks of the warm-up.  One so late that all clients have ended does not count. */
static void run_warm_ticks(struct ticker *t)
{
    struct run *r = t->run;
    dur_ns step = r->plan->report_interval;

    for (mono_ns tick = r->t0 + step; tick <= r->measure_from;) {
        uint32_t word = atomic_load(&r->word);
        bool over = atomic_load(&r->over);
        if (run_now(r) < tick) {
            if (over)
                return;
            clock_await(r->clock, tick, &r->word, word);
            continue;
        }
        if (atomic_load(&r->looping) == 0)
            return;
        report(t, &t->warm, SNAPSHOT_INTERVAL, tick);
        tick += ((run_now(r) - tick) / step + 1) * step;
    }
}

static void run_ticks(struct ticker *t)
{
    struct run *r = t->run;
    bool list = false;          /* of the server's statements */
    mono_ns awake = run_now(r); /* until then it had something to do */

    for (;;) {
        enum snapshot_kind kind;
        mono_ns tick = ticks_next(t, &kind), now;
        uint32_t word = atomic_load(&r->word);
        bool over = atomic_load(&r->over);

        now = run_now(r);
        if (now < tick) {
            if (over)
                return;
            if (list) /* what is read at the same instant does not wait for it */
                probe_list(r->obs->probe);
            list = false;
            clock_await(r->clock, tick, &r->word, word);
            continue;
        }
        if (tick == MONO_NEVER)
            return;
        note_late(t, tick > awake ? tick : awake, now, kind == TICK_STALL ? WAKING : 0);
        /* ticks up to and including the end belong to the run even when the thread gets the CPU
         * later */
        mono_ns loops_end = run_loops_end(r);
        if (loops_end != MONO_NEVER && (tick > atomic_load(&r->end) || tick > loops_end)) {
            /* it ended during a slow reading, or clients are closing: only its end is left to
             * report */
            if (over)
                return;
            clock_await(r->clock, MONO_NEVER, &r->word, word);
            continue;
        }
        if (kind == SNAPSHOT_PHASE && ranks_follow(r)) {
            tell(t, &t->collect, SNAPSHOT_PHASE, tick);
        } else if (kind == SNAPSHOT_PHASE) { /* one stage ends; nobody is told before the end */
            /* first of all: where the schedule must be walked, what was counted later stays so */
            dur_ns until = tick - 1 - r->measure_from;
            uint64_t due = tickets_offered(r->tickets, until) + ranks_offered(r, until);
            gather(t, &t->collect, SNAPSHOT_PHASE, tick);
            pthread_mutex_lock(&t->lock);
            stages_reading(&t->collect, due);
            pthread_mutex_unlock(&t->lock);
            list = true;
        } else if (kind == TICK_STALL || kind == TICK_LOOK) {
            pthread_mutex_lock(&t->lock);
            if (kind == TICK_STALL)
                stalls_look(&t->collect, false);
            else
                collect_look(&t->collect, stages_boundary(r, t->next_stage));
            pthread_mutex_unlock(&t->lock);
        } else
            report(t, &t->collect, kind, tick);
        awake =
            kind == TICK_STALL || kind == TICK_LOOK ? now : run_now(r); /* a look takes no time */
        ticks_advance(t, kind, now);
    }
}

static void await_change(struct ticker *t, enum ticker_origin from)
{
    while (atomic_load(&t->origin) == from)
        clock_await(t->run->clock, MONO_NEVER, &t->origin, from);
}

static void *ticker_thread(void *arg)
{
    struct ticker *t = arg;
    struct run *r = t->run;

    /* makes the cost of telemetry visible from outside */
    pthread_setname_np(pthread_self(), "sb-report");
    clock_precise_sleeps();
    if (r->plan->report_interval)
        log_debug("Reporting thread started");
    if (r->plan->checkpoints)
        log_debug("Checkpoints report thread started");
    observers_say(&r->obs->list, RUN_TICKER_OPENS);
    atomic_store(&t->open, 1);
    run_poke(r);
    await_change(t, ORIGIN_AHEAD);
    if (t->shows_warm_up && atomic_load(&t->origin) != ORIGIN_NEVER)
        run_warm_ticks(t);
    await_change(t, ORIGIN_WARMING);
    if (atomic_load(&t->origin) == ORIGIN_MEASURING) {
        ticks_schedule(t);
        late_begin(&t->collect.late, r->clock);
        run_ticks(t);
        late_fini(&t->collect.late);
    }
    observers_say(&r->obs->list, RUN_TICKER_CLOSES);
    return NULL;
}

int ticker_start(struct ticker *t, struct run *r, struct err *e)
{
    t->run = r;
    pthread_mutex_init(&t->lock, NULL);
    collect_init(&t->collect, r, false);
    t->shows_warm_up =
        r->plan->warmup > 0 && r->plan->report_interval > 0 && r->plan->warmup_reports;
    if (t->shows_warm_up)
        collect_init(&t->warm, r, true);
    if (!r->plan->report_interval && !r->plan->checkpoints && !ranks_follow(r) &&
        !ticker_looks(r) && !stalls_source(r))
        return 0;
    int rc = clock_thread_create(r->clock, &t->thread, NULL, ticker_thread, t);
    if (rc)
        return err_sys(e, rc, "cannot create the reporting thread");
    t->running = true;
    while (!atomic_load(&t->open)) { /* its script state is complete before any client starts */
        uint32_t word = atomic_load(&r->word);
        if (!atomic_load(&t->open))
            clock_await(r->clock, MONO_NEVER, &r->word, word);
    }
    return 0;
}

static void draw_origin(struct ticker *t, struct collect *c, mono_ns at, enum ticker_origin now)
{
    if (c) {
        pthread_mutex_lock(&t->lock);
        collect_origin(c, at);
        pthread_mutex_unlock(&t->lock);
    }
    atomic_store(&t->origin, now);
    clock_notify(t->run->clock, &t->origin);
}

void ticker_warm_up(struct ticker *t)
{
    draw_origin(t, t->shows_warm_up ? &t->warm : NULL, t->run->t0, ORIGIN_WARMING);
}

void ticker_first_reading(struct ticker *t)
{
    pthread_mutex_lock(&t->lock);
    collect_first_reading(&t->collect);
    pthread_mutex_unlock(&t->lock);
}

void ticker_origin(struct ticker *t, mono_ns at)
{
    note_late(t, at, run_now(t->run), 0); /* the main thread slept until then */
    draw_origin(t, &t->collect, at, ORIGIN_MEASURING);
    probe_list(t->run->obs->probe);
    if (t->run->obs->marks)
        marks_watch(t->run->obs->marks, probe_list, t->run->obs->probe);
    if (ranks_follow(t->run))
        tell(t, &t->collect, SNAPSHOT_INTERVAL, at);
}

void ticker_final_reading(struct ticker *t)
{
    observers_say(&t->run->obs->list, RUN_FINAL_READING);
    pthread_mutex_lock(&t->lock);
    collect_final_reading(&t->collect);
    pthread_mutex_unlock(&t->lock);
    atomic_store(&t->run->final_reading, 1);
    executor_wake(t->run, &t->run->final_reading);
}

void ticker_loops_ended(struct ticker *t)
{
    struct run *r = t->run;

    if (!ranks_follow(r) || t->loops_told || atomic_load(&t->origin) != ORIGIN_MEASURING)
        return;
    t->loops_told = true;
    tell(t, &t->collect, SNAPSHOT_CHECKPOINT, run_loops_end(r));
}

void ticker_stop(struct ticker *t)
{
    if (!t->running)
        return;
    if (atomic_load(&t->origin) != ORIGIN_MEASURING) { /* which only this thread draws */
        atomic_store(&t->origin, ORIGIN_NEVER);
        clock_notify(t->run->clock, &t->origin);
    }
    atomic_store(&t->run->over, 1);
    run_poke(t->run);
    clock_thread_join(t->run->clock, t->thread);
    t->running = false;
}

void ticker_fini(struct ticker *t)
{
    pthread_mutex_destroy(&t->lock);
    collect_fini(&t->collect);
    if (t->shows_warm_up)
        collect_fini(&t->warm);
}
