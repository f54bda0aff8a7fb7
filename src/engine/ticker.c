/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The thread that takes a snapshot at each interval and checkpoint, on a schedule anchored where measuring
 * began: interval n ends at origin + n * interval, however long a report took.  It sleeps on the run's
 * word, so the end of the run wakes it at once; the last interval that is complete is always reported.
 *
 * slow_note: a reading of the server that takes longer than the interval cannot be hidden: ticks go by meanwhile, the
 * next report covers them all (its interval says so), and the run says once why.
 */
#include "engine/run_state.h"

#include "base/log.h"

static mono_ns next_tick(const struct ticker *t, enum snapshot_kind *kind)
{
    const struct plan *p = t->run->plan;
    mono_ns checkpoint = MONO_NEVER;

    if (t->next_checkpoint < p->checkpoints)
        checkpoint = t->run->measure_from + p->checkpoint[t->next_checkpoint];
    *kind = checkpoint < t->next_interval ? SNAPSHOT_CHECKPOINT : SNAPSHOT_INTERVAL;
    return checkpoint < t->next_interval ? checkpoint : t->next_interval;
}

/* Moves the schedule past the tick that is being reported.  Ticks that were missed altogether (the process was stopped)
 * are skipped: the report that comes late covers all of the time. */
static void advance(struct ticker *t, enum snapshot_kind kind, mono_ns now)
{
    dur_ns step = t->run->plan->report_interval;

    if (kind == SNAPSHOT_CHECKPOINT)
        t->next_checkpoint++;
    else
        t->next_interval += ((now - t->next_interval) / step + 1) * step;
}

/* See slow_note. */
static void say_slow(struct ticker *t, dur_ns reading)
{
    const struct run *r = t->run;

    if (t->said_slow || !run_watches(r) || reading <= r->plan->report_interval)
        return;
    t->said_slow = true;
    log_warn("Reading the server's figures took %.3f s, longer than --report-interval=%.12g: reports come as often as "
             "that allows, each covers the time since the one before", dur_sec(reading), dur_sec(r->plan->report_interval));
}

static void report(struct ticker *t, void *local, enum snapshot_kind kind)
{
    struct snapshot s;

    pthread_mutex_lock(&t->lock);
    collect_snapshot(&t->collect, kind, 0, &s);
    pthread_mutex_unlock(&t->lock);
    t->run->obs->report(t->run->obs->arg, local, &s);
    if (kind == SNAPSHOT_INTERVAL)
        say_slow(t, t->collect.reading_ns);
}

/* Ticks up to and including `end` belong to the run even when the thread gets the CPU later. */
static void run_ticks(struct ticker *t, void *local)
{
    struct run *r = t->run;

    for (;;) {
        enum snapshot_kind kind;
        mono_ns tick = next_tick(t, &kind), now;
        uint32_t word = atomic_load(&r->word);
        bool over = atomic_load(&r->over);

        now = clock_mono();
        if (now < tick) {
            if (over)
                return;
            clock_sleep_until(tick, &r->word, word);
            continue;
        }
        if (tick == MONO_NEVER)
            return;
        if (tick > atomic_load(&r->end) && atomic_load(&r->looping) == 0) {
            /* the run has ended while a slow reading went on: there is nothing more to report but its end */
            if (over)
                return;
            clock_sleep_until(MONO_NEVER, &r->word, word);
            continue;
        }
        report(t, local, kind);
        advance(t, kind, now);
    }
}

static void schedule(struct ticker *t)
{
    const struct plan *p = t->run->plan;

    t->next_interval = p->report_interval ? t->run->measure_from + p->report_interval : MONO_NEVER;
    while (t->next_checkpoint < p->checkpoints && p->checkpoint[t->next_checkpoint] <= 0)
        t->next_checkpoint++;
}

static void *ticker_thread(void *arg)
{
    struct ticker *t = arg;
    struct run *r = t->run;
    const struct run_observer *obs = r->obs;
    void *local;

    pthread_setname_np(pthread_self(), "sb-report"); /* what telemetry costs can be seen from outside */
    clock_precise_sleeps();
    if (r->plan->report_interval)
        log_debug("Reporting thread started");
    if (r->plan->checkpoints)
        log_debug("Checkpoints report thread started");
    local = obs->ticker_open ? obs->ticker_open(obs->arg) : NULL;
    atomic_store(&t->open, 1);
    run_poke(r);
    while (atomic_load(&t->origin) == 0)
        clock_sleep_until(MONO_NEVER, &t->origin, 0);
    if (atomic_load(&t->origin) == 1) {
        schedule(t);
        run_ticks(t, local);
    }
    if (obs->ticker_close)
        obs->ticker_close(obs->arg, local);
    return NULL;
}

int ticker_start(struct ticker *t, struct run *r, struct err *e)
{
    int rc;

    t->run = r;
    pthread_mutex_init(&t->lock, NULL);
    collect_init(&t->collect, r);
    if (!r->plan->report_interval && !r->plan->checkpoints)
        return 0;
    rc = pthread_create(&t->thread, NULL, ticker_thread, t);
    if (rc)
        return err_sys(e, rc, "cannot create the reporting thread");
    t->running = true;
    while (!atomic_load(&t->open)) { /* its script state is complete before any client starts */
        uint32_t word = atomic_load(&r->word);
        if (!atomic_load(&t->open))
            clock_sleep_until(MONO_NEVER, &r->word, word);
    }
    return 0;
}

void ticker_origin(struct ticker *t, mono_ns at, bool fresh)
{
    pthread_mutex_lock(&t->lock);
    collect_origin(&t->collect, at, fresh);
    pthread_mutex_unlock(&t->lock);
    atomic_store(&t->origin, 1);
    clock_wake(&t->origin);
}

void ticker_curtain(struct ticker *t)
{
    if (t->run->obs->curtain)
        t->run->obs->curtain(t->run->obs->arg);
    pthread_mutex_lock(&t->lock);
    collect_curtain(&t->collect);
    pthread_mutex_unlock(&t->lock);
    atomic_store(&t->run->curtain, 1);
    carrier_wake(t->run, &t->run->curtain);
}

void ticker_stop(struct ticker *t)
{
    uint32_t none = 0;

    if (!t->running)
        return;
    if (atomic_compare_exchange_strong(&t->origin, &none, 2))
        clock_wake(&t->origin);
    atomic_store(&t->run->over, 1);
    run_poke(t->run);
    pthread_join(t->thread, NULL);
    t->running = false;
}

void ticker_fini(struct ticker *t)
{
    pthread_mutex_destroy(&t->lock);
    collect_fini(&t->collect);
}
