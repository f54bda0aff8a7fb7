/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run.h.  The main thread executes no transactions: it starts threads, sleeps on the run's
 * word, and decides when the time is over, when a signal ends the run, and when to stop waiting for
 * a blocked client.
 */
#include "engine/run.h"
#include "engine/collect.h"
#include "engine/find.h"
#include "engine/ranks.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/client_errors.h"
#include "base/log.h"
#include "base/mem.h"

/* With --tx-overload=abort the backlog is checked this often, so that it ends the run even when no
 * client takes the next start: perhaps all of them wait for a server that has stopped answering.
 */
#define BACKLOG_LOOK (10 * NS_PER_MS)

/* True when the processes are read for the first time before the gate opens.  At full speed a
 * reading after it would compete for a CPU with every client that has just begun, and thousands of
 * them keep it waiting for a large part of a short run.  With a rate the clients sleep until the
 * line, and the server is read there: the wake-up of the clients before it is no load. */
static bool reads_before_gate(const struct run *r)
{
    return !r->plan->warmup && (!r->tickets || !(r->server || r->obs->probe));
}

/* Before the clock starts; -1: there is none, and the run would be of no use. */
static int find_server(struct run *r, struct err *e)
{
    struct run_event ready = {.kind = RUN_READY};

    if (!ranks_follow(r)) /* the leader reads it for all */
        observers_tell(&r->obs->list, &ready);
    r->server = ready.server;
    if (r->server)
        return 0;
    return plan_find_without_server(r->plan,
                                    ready.no_server ? ready.no_server : "no server is read", e);
}

static void await_line(struct run *r)
{
    while (run_now(r) < r->t0 && run_stopped(r) == STOP_NONE && !atomic_load(&r->signal)) {
        uint32_t word = atomic_load(&r->word);
        clock_await(r->clock, r->t0, &r->word, word);
    }
}

/*
 * The start line.  With a rate it lies far enough ahead for every client to wake up, take its
 * ticket and fall asleep again, so that the first transactions are not late for the start of the
 * threads.  With several ranks the leader draws it, for all, and far enough ahead in any case:
 * those without a rate open the gate there.
 */
static void draw_start_line(struct run *r, struct ticker *t, struct run_result *res)
{
    const struct plan *p = r->plan;
    dur_ns ahead = (r->tickets ? NS_PER_MS + p->clients * 30 * NS_PER_US : 0) + ranks_ahead(r);
    bool early;

    res->began = true;
    observers_say(&r->obs->list, RUN_STARTED); /* before any transaction can print anything */
    early = reads_before_gate(r);
    if (early)
        ticker_first_reading(t); /* however long it takes: the clock has not started */
    carrier_mark(r);
    r->t0 = run_now(r) + ahead;
    ranks_start_line(r);
    r->measure_from = r->t0 + p->warmup;
    if (p->time_limit)
        r->deadline = r->measure_from + p->time_limit;
    atomic_store(&r->end, r->deadline);
    warmup_until_begin(r);
    if (!r->warm.until.result.asked)
        run_tell_begin(r);
    if (early)
        ticker_origin(t, r->t0);
    run_rate_open(r);
    if (r->ranks && !r->tickets)
        await_line(r);
    atomic_store(&r->gate, 1);
    carrier_wake(r, &r->gate);
    if (run_watches(r))
        clock_await(r->clock, r->t0, &r->word, atomic_load(&r->word));
    if (p->warmup)
        ticker_warm_up(t);
    else if (!early)
        ticker_origin(t, r->t0);
}

/* When the main thread checks the backlog next; MONO_NEVER: never.  Ends the run when the backlog
 * is too long. */
static mono_ns look_at_backlog(struct run *r, mono_ns now)
{
    if (!r->tickets || r->plan->overload != OVERLOAD_ABORT || run_stopped(r) != STOP_NONE ||
        now >= r->deadline)
        return MONO_NEVER;
    if (now < r->t0)
        return r->t0;
    if (warmup_shed(r, now) == TICKET_OVERLOAD)
        run_stop(r, STOP_OVERLOAD);
    return now + BACKLOG_LOOK;
}

/* True when the run ended in its warm-up: it was stopped, or all loops ended. */
static bool ended_warming(const struct run *r)
{
    if (atomic_load(&r->end) < r->measure_from)
        return true;
    if (atomic_load(&r->looping) > 0)
        return false;
    for (int i = 0; i < r->plan->clients; i++)
        if (r->client[i].loop_end >= r->measure_from)
            return false;
    return true;
}

/* The observations on which the course of the run depends, at `now`. */
static struct course_view course_view_at(struct run *r, struct ticker *t, const struct course *c,
                                         mono_ns now)
{
    uint32_t alive = atomic_load(&r->alive), looping = atomic_load(&r->looping), others = 0;

    if (looping == 0) {
        ticker_loops_ended(t); /* before the leader hears that they have */
        others = ranks_go_on(r, course_abandon_at(c), now);
    }

    return (struct course_view){.now = now,
                                .stopped = run_stopped(r),
                                .ended_warming = c->state == COURSE_WARMING && ended_warming(r),
                                .looping = looping + others,
                                .alive = alive + others};
}

/* True: a signal has just arrived, and all conditions must be checked again. */
static bool note_signal(struct run *r, struct course *c, mono_ns now, struct run_result *res)
{
    if (c->signalled || !atomic_load(&r->signal))
        return false;
    res->signal = atomic_load(&r->signal);
    c->signalled = now;
    run_stop(r, STOP_SIGNAL);
    return true;
}

static void note_overload(struct run *r, struct course *c, mono_ns now, struct run_result *res)
{
    if (c->overloaded || run_stopped(r) != STOP_OVERLOAD || r->plan->stock_rate)
        return;
    c->overloaded = now;
    res->overloaded = true;
}

static void note_failure(struct run *r, struct course *c, mono_ns now)
{
    if (!c->failed && atomic_load(&r->failed))
        c->failed = now;
}

static void say_left(const struct run *r)
{
    uint32_t looping = atomic_load(&r->looping), left = looping ? looping : atomic_load(&r->alive);

    log_warn(
        "%u client%s still busy %lld s after the error that ends the run: the report does not wait for %s",
        (unsigned)left, left == 1 ? " was" : "s were", (long long)(COURSE_GRACE / NS_PER_SEC),
        left == 1 ? "it" : "them");
}

static void abandon(struct run *r, struct ticker *t, const struct course *c, struct run_result *res)
{
    res->forced = !c->signalled && !c->overloaded && !c->failed;
    res->clients_left = true;
    if (c->failed && !c->signalled)
        say_left(r);
    if (res->forced)
        log_fatal("The --max-time limit has expired, forcing shutdown...");
    ticker_final_reading(t);
    run_stop(r, STOP_FORCED);
}

/* Performs the actions of a state that the run enters. */
static void enter(struct run *r, struct ticker *t, struct course *c, struct run_result *res)
{
    switch (c->state) {
    case COURSE_MEASURING:
        warmup_until_over(r);
        carrier_measures(r);
        ticker_origin(t, r->measure_from);
        break;
    case COURSE_CLOSING:
        ticker_final_reading(t);
        ranks_close(r);
        if (r->ranks)
            c->close_by = run_now(r) + COURSE_GRACE;
        break;
    case COURSE_ABANDONED: abandon(r, t, c, res); break;
    case COURSE_WARMING:
    case COURSE_DRAINING:
    case COURSE_OVER: break;
    }
}

/* When to look again; the warm-up may end earlier than thought. */
static mono_ns look_for_steady(struct run *r, struct course *c, mono_ns now)
{
    mono_ns next;

    if (c->state != COURSE_WARMING)
        return MONO_NEVER;
    next = warmup_until_look(r, now);
    course_move(c, r->measure_from, r->deadline);
    return next;
}

/* One look; false: the run is over. */
static bool await_change(struct run *r, struct ticker *t, struct course *c, struct run_result *res)
{
    uint32_t word = atomic_load(&r->word);
    mono_ns now = run_now(r), backlog = look_at_backlog(r, now), steady, wake, busy;
    struct course_view v = course_view_at(r, t, c, now);

    if (v.stopped == STOP_NONE && absent_only(r))
        run_stop(r, STOP_TIME);
    note_overload(r, c, now, res);
    note_failure(r, c, now);
    steady = look_for_steady(r, c, now);
    busy = carrier_look(r, now);
    /* before the checks that end the run: short transactions end before this thread wakes */
    if (c->state == COURSE_WARMING && course_step(c, &v))
        enter(r, t, c, res);
    if (note_signal(r, c, now, res))
        return true;
    while (course_step(c, &v))
        enter(r, t, c, res);
    if (course_has_ended(c))
        return false;
    if (v.stopped == STOP_NONE && now >= r->deadline)
        run_stop(r, STOP_TIME);
    wake = course_wake(c, &v);
    wake = busy < wake ? busy : wake;
    wake = steady < wake ? steady : wake;
    clock_await(r->clock, backlog < wake ? backlog : wake, &r->word, word);
    return true;
}

/* From the start line until all clients have ended or the grace period is over (course.h). */
static void await_end(struct run *r, struct ticker *t, struct run_result *res)
{
    struct course c;

    course_begin(&c, r->plan, r->measure_from, r->deadline);
    while (await_change(r, t, &c, res))
        ;
}

/* --- the last report, when the clients have ended or were abandoned --- */

static mono_ns end_of_run(const struct run *r, const struct ticker *t, const struct run_result *res)
{
    mono_ns end = t->collect.origin.at + 1;

    if (res->clients_left)
        return run_now(r);
    for (int i = 0; i < r->plan->clients; i++)
        if (r->client[i].loop_end > end)
            end = r->client[i].loop_end;
    return ranks_run_end(r, end);
}

/* False: it failed before a transaction was done, and stock prints no report. */
static bool has_result(const struct run *r, const struct ticker *t, const struct run_result *res)
{
    return t->collect.now.count[CNT_DONE] > 0 || res->clients_left || res->signal ||
           run_stopped(r) == STOP_TIME || run_stopped(r) == STOP_NONE;
}

/* A member's.  A warm-up that did not end has measured nothing. */
static void tell_end(struct run *r, struct ticker *t, struct run_result *res)
{
    mono_ns end;

    res->sustained = res->accounts_balance = true;
    if (atomic_load(&t->origin) != ORIGIN_MEASURING)
        collect_origin(&t->collect, run_now(r));
    end = end_of_run(r, t, res);
    collect_own(&t->collect, SNAPSHOT_FINAL, end);
    ranks_tell_end(&t->collect, res, end);
}

/* Clients that another rank has abandoned. */
static void note_forced(const struct run *r, struct run_result *res)
{
    const struct rank_end *all = ranks_end(r);

    if (res->forced || !all || !all->forced)
        return;
    log_fatal("The --max-time limit has expired, another rank was forced to shut down...");
    res->forced = true;
}

/* "SIGINT after 2.9 s of 600 s", "SIGTERM after 2.9 s", "SIGHUP in the warm-up".  A terminal shows
 * it at the head of the report, if there is one. */
static void say_interrupted(const struct run *r, struct run_result *res, bool measuring,
                            dur_ns after)
{
    const char *name = res->signal == SIGINT    ? "SIGINT"
                       : res->signal == SIGTERM ? "SIGTERM"
                       : res->signal == SIGHUP  ? "SIGHUP"
                                                : "a signal";
    char limit[32] = "";

    if (after < r->plan->time_limit)
        snprintf(limit, sizeof limit, " of %.6g s", dur_sec(r->plan->time_limit));
    if (measuring)
        snprintf(res->interrupted, sizeof res->interrupted, "%s after %.1f s%s", name,
                 dur_sec(after), limit);
    else
        snprintf(res->interrupted, sizeof res->interrupted, "%s in the warm-up", name);
    if (!measuring || !isatty(STDOUT_FILENO))
        log_stderr("Interrupted (%s)", res->interrupted);
}

static void final_report(struct run *r, struct ticker *t, struct run_result *res)
{
    struct snapshot *s = &res->final;
    bool measuring = atomic_load(&t->origin) == ORIGIN_MEASURING;
    mono_ns end;

    ranks_await_ends(r);
    if (!measuring) {
        log_notice("The run ended during the warm-up: nothing was measured.");
        collect_origin(&t->collect, run_now(r));
    }
    end = end_of_run(r, t, res);
    collect_own(&t->collect, SNAPSHOT_FINAL, end);
    ranks_ends(&t->collect, res);
    note_forced(r, res);
    collect_snapshot(&t->collect, SNAPSHOT_FINAL, end, s);
    if (res->signal)
        say_interrupted(r, res, measuring, s->elapsed_ns);
    s->threads_running = 0;
    if (res->forced)
        s->unfinished_forced = baseline_in_flight(&t->collect.now);
    res->measured = measuring;
    s->untold = !has_result(r, t, res) && !snapshot_tells_rate(s) && !s->server.on;
    judge(&t->collect, s, res);
}

static void run_report(struct run *r, struct ticker *t, struct run_result *res)
{
    if (ranks_follow(r))
        tell_end(r, t, res);
    else
        final_report(r, t, res);
}

static int run_outcome(struct run *r, const struct run_result *res, struct err *e)
{
    char why[200];

    if (r->first.kind != ERR_NONE) {
        *e = r->first;
        return -1;
    }
    if (ranks_told(r))
        return 0; /* the leader says why */
    if (run_stopped(r) == STOP_OVERLOAD || res->overloaded)
        return err_set(e, ERR_FAILED, "%s",
                       r->plan->stock_rate
                           ? r->plan->generation->queue_full
                           : "the rate could not be held: more transactions were overdue than "
                             "--tx-burst or --tx-max-lag allow");
    if (res->forced)
        return err_set(e, ERR_REPORTED, "forced shutdown");
    if (ranks_failed(r, why, sizeof why))
        return err_set(e, ERR_FAILED, "%s", why);
    return 0;
}

/* --- the whole --- */

/* All clients are ready: from the start line to the final report. */
static int measure(struct run *r, struct ticker *t, struct run_result *res, struct err *e)
{
    int rc;

    absent_say_begin(r);
    if (find_server(r, e)) {
        ready_call_off(r);
        find_stop(r->finder);
        ticker_stop(t);
        return -1;
    }
    draw_start_line(r, t, res);
    if (r->plan->warmup)
        observers_say(&r->obs->list, RUN_WARMING_UP);
    await_end(r, t, res);
    ranks_close(r);
    find_stop(r->finder);
    run_rate_close();
    ticker_stop(t);
    carrier_end_batches(r);
    if (!res->signal)
        carrier_say_busy(r, run_now(r) - r->t0);
    if (res->clients_left) {
        carrier_leave(r);
    } else {
        carrier_join(r);
        log_info("Done.\n");
    }
    client_errors_print();
    run_report(r, t, res);
    rc = run_outcome(r, res, e);
    if (rc && e->kind != ERR_REPORTED) {
        log_fatal("%s", e->msg);
        e->kind = ERR_REPORTED;
    }
    if (res->measured)
        observers_snapshot(&r->obs->list, &res->final);
    return rc;
}

/* The reporting thread, then the clients; 0: all are ready. */
static int start(struct run *r, struct ticker *t, struct rng_seeder *seeder, struct run_result *res,
                 struct err *e)
{
    if (ticker_start(t, r, e) == 0 && find_begin(r, t, e) == 0 &&
        ranks_await_turn(r, res, e) == 0) {
        run_seed_clients(r, seeder);
        r->init_by = r->plan->init_timeout ? run_now(r) + r->plan->init_timeout : MONO_NEVER;
        if (carrier_start(r, e))
            res->clients_left = atomic_load(&r->alive) > 0;
        else if (ready_await(r, res, e) == 0 && ranks_await_others(r, res, e) == 0)
            return 0;
    }
    find_stop(r->finder);
    ticker_stop(t);
    if (res->clients_left)
        carrier_leave(r);
    return -1;
}

int run_execute(const struct plan *plan, struct workload *w, struct rng_seeder *seeder,
                const struct run_observer *obs, struct run_result *res, struct err *e)
{
    struct run *r = mem_array_aligned(1, sizeof *r);
    struct ticker *t = mem_alloc(sizeof *t);
    int rc;

    memset(res, 0, sizeof *res);
    run_setup(r, plan, w, seeder, obs);
    if (w->ops->client_here)
        client_errors_begin(w->ops->client_here);
    stop_catch_signals(r);
    ranks_listen(r->ranks);
    rc = start(r, t, seeder, res, e) || measure(r, t, res, e) ? -1 : 0;
    if (!res->began)
        ranks_call_off(r, e);
    ranks_unlisten(r->ranks);
    if (res->clients_left)
        client_errors_leave();
    else
        client_errors_end();
    stop_release_signals(r);
    if (!res->clients_left) {
        find_free(r->finder);
        ticker_fini(t);
        run_teardown(r);
        free(r);
        free(t);
    }
    return rc;
}
