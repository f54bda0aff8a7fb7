/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run.h.  The main thread executes no transactions: it starts threads, sleeps on the run's
 * word, and decides when the time is over, when a signal ends the run, and when to stop waiting for
 * a blocked client.
 */
#include "engine/run.h"
#include "engine/collect.h"
#include "engine/client_state.h"
#include "engine/executor.h"
#include "engine/ranks.h"
#include "engine/stop.h"
#include "engine/warmup.h"

#include <math.h>
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
    /* True when the processes are read for the first time before the gate opens.  At full speed a
     * reading after it would compete for a CPU with every client that has just begun, and thousands
     * of them keep it waiting for a large part of a short run.  With a rate the clients sleep until
     * the line, and the server is read there: the wake-up of the clients before it is no load. */
    const bool early = !p->warmup && (!r->tickets || !(r->server || r->obs->probe));

    res->began = true;
    observers_say(&r->obs->list, RUN_STARTED); /* before any transaction can print anything */
    if (early)
        ticker_first_reading(t); /* however long it takes: the clock has not started */
    executor_mark(r);
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
    while (r->ranks && !r->tickets && run_now(r) < r->t0 && run_stopped(r) == STOP_NONE &&
           !atomic_load(&r->signal)) {
        uint32_t word = atomic_load(&r->word);
        clock_await(r->clock, r->t0, &r->word, word);
    }
    atomic_store(&r->gate, 1);
    executor_wake(r, &r->gate);
    if (run_watches(r))
        clock_await(r->clock, r->t0, &r->word, atomic_load(&r->word));
    if (p->warmup)
        ticker_warm_up(t);
    else if (!early)
        ticker_origin(t, r->t0);
}

/* Performs the actions of a state that the run enters. */
static void enter(struct run *r, struct ticker *t, struct course *c, struct run_result *res)
{
    uint32_t left;

    switch (c->state) {
    case COURSE_MEASURING:
        warmup_until_over(r);
        executor_measures(r);
        ticker_origin(t, r->measure_from);
        break;
    case COURSE_CLOSING:
        ticker_final_reading(t);
        ranks_close(r);
        if (r->ranks)
            c->close_by = run_now(r) + COURSE_GRACE;
        break;
    case COURSE_ABANDONED:
        res->forced = !c->signalled && !c->overloaded && !c->failed;
        res->clients_left = true;
        left = atomic_load(&r->looping);
        left = left ? left : atomic_load(&r->alive);
        if (c->failed && !c->signalled)
            log_warn("%u client%s still busy %lld s after the error that ends the run: the report "
                     "does not wait for %s",
                     (unsigned)left, left == 1 ? " was" : "s were",
                     (long long)(COURSE_GRACE / NS_PER_SEC), left == 1 ? "it" : "them");
        if (res->forced)
            log_fatal("The --max-time limit has expired, forcing shutdown...");
        ticker_final_reading(t);
        run_stop(r, STOP_FORCED);
        break;
    case COURSE_WARMING:
    case COURSE_DRAINING:
    case COURSE_OVER: break;
    }
}

/* "warm-up: 3 s of 10 s", "12 s of 60 s (20 %), 48 s left", "waiting for 3 of 16 clients" on a
 * terminal where no intervals are printed.  Returns when to draw again. */
static mono_ns draw_status(const struct run *r, const struct course *c, mono_ns now)
{
    const bool warming = c->state == COURSE_WARMING;
    const double limit = dur_sec(r->plan->time_limit), warmup = dur_sec(r->plan->warmup);
    const int64_t s = (now - (warming ? r->t0 : r->measure_from)) / NS_PER_SEC;
    char text[100];

    if ((r->plan->report_interval && !warming) || ranks_follow(r) || c->signalled ||
        log_verbosity() < LOG_NOTICE || !isatty(STDERR_FILENO))
        return MONO_NEVER;
    if (now < r->t0)
        return r->t0 + NS_PER_SEC;
    if (warming)
        snprintf(text, sizeof text, "warm-up: %lld s of %.12g s", (long long)s, warmup);
    else if (limit > 0 && (double)s > limit)
        snprintf(text, sizeof text, "waiting for %u of %d clients", atomic_load(&r->looping),
                 r->plan->clients);
    else if (limit > 0)
        snprintf(text, sizeof text, "%lld s of %.12g s (%.0f %%), %.12g s left", (long long)s,
                 limit, floor(100 * (double)s / limit), limit - (double)s);
    else
        snprintf(text, sizeof text, "%lld s", (long long)s);
    if (s > 0 && (!limit || s != limit))
        log_status(text);
    return (warming ? r->t0 : r->measure_from) + (s + 1) * NS_PER_SEC;
}

/* From the start line until all clients have ended or the grace period is over (run_state.h). */
static void await_end(struct run *r, struct ticker *t, struct run_result *res)
{
    struct course c;

    course_begin(&c, r->plan, r->measure_from, r->deadline);
    for (;;) {
        uint32_t word = atomic_load(&r->word);
        mono_ns now = run_now(r), wake = MONO_NEVER;

        /* when the backlog is looked at next, which may be too long */
        if (r->tickets && r->plan->overload == OVERLOAD_ABORT && run_stopped(r) == STOP_NONE &&
            now < r->deadline) {
            if (now >= r->t0 && warmup_shed(r, now) == TICKET_OVERLOAD)
                run_stop(r, STOP_OVERLOAD);
            wake = now < r->t0 ? r->t0 : now + BACKLOG_LOOK;
        }
        struct course_view v = {.now = now, .alive = atomic_load(&r->alive)};
        v.looping = atomic_load(&r->looping);
        /* it ended in its warm-up: it was stopped, or all loops ended */
        v.ended_warming = c.state == COURSE_WARMING && v.looping == 0;
        for (int i = 0; v.ended_warming && i < r->plan->clients; i++)
            v.ended_warming = r->client[i].loop_end < r->measure_from;
        v.ended_warming = v.ended_warming ||
                          (c.state == COURSE_WARMING && atomic_load(&r->end) < r->measure_from);
        if (v.looping == 0) {
            ticker_loops_ended(t); /* before the leader hears that they have */
            uint32_t others = ranks_go_on(r, course_abandon_at(&c), now);
            v.looping += others;
            v.alive += others;
        }
        v.stopped = run_stopped(r);
        /* only clients that were refused are left: nobody waits for them */
        uint32_t absent = atomic_load(&r->absent);
        if (v.stopped == STOP_NONE && absent && atomic_load(&r->looping) <= absent)
            run_stop(r, STOP_TIME);
        if (!c.overloaded && run_stopped(r) == STOP_OVERLOAD && !r->plan->stock_rate) {
            c.overloaded = now;
            res->overloaded = true;
        }
        if (!c.failed && atomic_load(&r->failed))
            c.failed = now;
        if (c.state == COURSE_WARMING) { /* which may end earlier than thought */
            wake = sooner(wake, warmup_until_look(r, now));
            course_move(&c, r->measure_from, r->deadline);
        }
        /* before the checks that end the run: short transactions end before this thread wakes */
        if (c.state == COURSE_WARMING && course_step(&c, &v))
            enter(r, t, &c, res);
        if (!c.signalled && atomic_load(&r->signal)) { /* then all conditions are checked again */
            res->signal = atomic_load(&r->signal);
            c.signalled = now;
            run_stop(r, STOP_SIGNAL);
            continue;
        }
        while (course_step(&c, &v))
            enter(r, t, &c, res);
        if (course_has_ended(&c)) {
            log_status(NULL);
            return;
        }
        if (v.stopped == STOP_NONE && now >= r->deadline)
            run_stop(r, STOP_TIME);
        wake = sooner(wake, draw_status(r, &c, now));
        clock_await(r->clock, sooner(wake, course_wake(&c, &v)), &r->word, word);
    }
}

/* --- the last report, when the clients have ended or were abandoned --- */

static void run_report(struct run *r, struct ticker *t, struct run_result *res)
{
    struct collect *c = &t->collect;
    struct snapshot *s = &res->final;
    const bool measuring = atomic_load(&t->origin) == ORIGIN_MEASURING, member = ranks_follow(r);
    const char *name = res->signal == SIGINT    ? "SIGINT"
                       : res->signal == SIGTERM ? "SIGTERM"
                       : res->signal == SIGHUP  ? "SIGHUP"
                                                : "a signal";
    char limit[32] = "";

    if (ranks_lead(r))
        ranks_await(r->ranks, true, 0, false, MONO_NEVER);
    if (!measuring && !member)
        log_notice("The run ended during the warm-up: nothing was measured.");
    if (!measuring)
        collect_origin(c, run_now(r));
    mono_ns end = c->origin.at + 1;
    for (int i = 0; i < r->plan->clients && !res->clients_left; i++)
        end = later(end, r->client[i].loop_end);
    end = res->clients_left ? run_now(r) : ranks_run_end(r, end);
    collect_own(c, SNAPSHOT_FINAL, end);
    collect_end(c, res);
    if (member) {
        res->sustained = res->accounts_balance = true;
        ranks_tell_end(c, end);
        return;
    }
    ranks_ends(c);
    if (!res->forced && c->end.forced) { /* clients that another rank has abandoned */
        log_fatal("The --max-time limit has expired, another rank was forced to shut down...");
        res->forced = true;
    }
    collect_snapshot(c, SNAPSHOT_FINAL, end, s);
    if (res->signal) {
        /* "SIGINT after 2.9 s of 600 s", "SIGTERM after 2.9 s", "SIGHUP in the warm-up".  A
         * terminal shows it at the head of the report, if there is one. */
        if (s->elapsed_ns < r->plan->time_limit)
            snprintf(limit, sizeof limit, " of %.6g s", dur_sec(r->plan->time_limit));
        if (measuring)
            snprintf(res->interrupted, sizeof res->interrupted, "%s after %.1f s%s", name,
                     dur_sec(s->elapsed_ns), limit);
        else
            snprintf(res->interrupted, sizeof res->interrupted, "%s in the warm-up", name);
        if (!measuring || !isatty(STDOUT_FILENO))
            log_stderr("Interrupted (%s)", res->interrupted);
    }
    s->threads_running = 0;
    if (res->forced)
        s->unfinished_forced = baseline_in_flight(&c->now);
    res->measured = measuring;
    /* It failed before a transaction was done, and stock prints no report.  It does if the queue of
     * --rate is full, which may be so before any client has begun. */
    s->untold = c->now.count[CNT_DONE] == 0 && !res->clients_left && !res->signal &&
                run_stopped(r) != STOP_TIME && run_stopped(r) != STOP_NONE &&
                run_stopped(r) != STOP_OVERLOAD && !snapshot_tells_rate(s) && !s->server.on;
    judge(c, s, res);
}

static int run_outcome(struct run *r, const struct run_result *res, struct err *e)
{
    char why[200];

    if (r->first.kind != ERR_NONE) {
        *e = r->first;
        return -1;
    }
    if (ranks_follow(r) && atomic_load(&r->ranks->ended_by_leader))
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

/* --- the state of a run ---
 *
 * The state of a run, from the plan: schedule, seeds, clients and what they count in.  Nothing runs
 * here.
 */

static void run_setup(struct run *r, const struct plan *p, struct workload *w,
                      struct rng_seeder *seeder, const struct run_observer *obs)
{
    size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_ONLN), most;
    uint32_t seed = p->common_seed ? p->common_seed : plan_draw_seed(p);
    struct ticket_spec schedule = {.arrivals = {.shape = p->arrival,
                                                .rate = plan_walked_rate(p),
                                                .rates = p->rates,
                                                .jitter = p->jitter,
                                                .clients = plan_all_clients(p),
                                                .seed = seed},
                                   .share = plan_shares(p),
                                   .overload = p->overload,
                                   .burst = p->burst,
                                   .max_lag = p->max_lag,
                                   .max_tickets = p->max_events,
                                   .horizon = p->time_limit ? p->time_limit : MONO_NEVER,
                                   .changes = p->rate_changes,
                                   .ends_with_last = p->stock_rate,
                                   .ends_when_full = p->stock_rate && p->overload == OVERLOAD_ABORT,
                                   .one_more = true};

    memset(r, 0, sizeof *r);
    r->plan = p;
    r->clock = p->clock;
    r->workload = w;
    r->obs = obs;
    r->deadline = MONO_NEVER;
    atomic_init(&r->end, MONO_NEVER);
    pthread_mutex_init(&r->err_lock, NULL);
    r->ranks = ranks_new(r);
    hist_stock_setup();
    r->tickets = p->rate > 0 ? tickets_new(&schedule) : NULL;
    if (r->tickets)
        ranks_schedule(r->ranks, &schedule);
    r->hosts.n = p->hosts;
    r->hosts.row = mem_array(run_hosts(r), sizeof *r->hosts.row);
    pthread_mutex_init(&r->hosts.lock, NULL);
    /* with workers each has its own set of shards, since client i is on worker i % M; with a rate a
     * set takes 0.8 MiB, with neither 8 KiB */
    most = p->workers ? (size_t)p->workers : !plan_keeps_all(p) ? 64 : 2 * cpus < 4 ? 4 : 2 * cpus;
    r->nshards = (size_t)p->clients < most ? (size_t)p->clients : most;
    r->shard = shards_new(r);
    warmup_setup(r, &schedule);
    r->line = (struct ticket_line){r->warm.tickets, r->tickets, &r->t0, &r->measure_from};
    r->errors = error_table_new();
    r->outages = outages_new(run_outage_counts, r);
    r->retries.first = mem_alloc(sizeof(struct hist)); /* untouched pages cost nothing */
    r->retries.last = mem_alloc(sizeof(struct hist));
    r->reconnects.connect = mem_alloc(sizeof(struct hist));
    r->reconnects.away = mem_alloc(sizeof(struct hist));
    r->events = p->max_events ? share_of(plan_shares(p), p->max_events) : UINT64_MAX;
    r->counters = mem_array_aligned((size_t)p->clients, sizeof *r->counters);
    r->client = mem_array_aligned((size_t)p->clients, sizeof *r->client);
    for (int i = 0; i < p->clients; i++) {
        client_setup(&r->client[i], r, i);
        rng_seed_pair(&r->client[i].think, seed,
                      UINT64_C(0x7468696e6b) << 24 | (uint64_t)r->client[i].number); /* "think" */
        error_backoff_init(&r->client[i].retry.backoff, seed, r->client[i].number);
    }
    rng_seeder_init(seeder, seed);
}

static void run_teardown(struct run *r)
{
    shards_free(r, r->shard);
    free(r->retries.first);
    free(r->retries.last);
    free(r->reconnects.connect);
    free(r->reconnects.away);
    warmup_teardown(r);
    error_table_free(r->errors);
    outages_free(r->outages);
    for (int i = 0; r->client && i < r->plan->clients; i++)
        free(r->client[i].before_move);
    free(r->hosts.row);
    pthread_mutex_destroy(&r->hosts.lock);
    free(r->counters);
    free(r->client);
    free(r->worker_cpu);
    tickets_free(r->tickets);
    ranks_free(r->ranks);
    pthread_mutex_destroy(&r->err_lock);
}

/* --- the whole --- */

/* All clients are ready: from the start line to the final report. */
static int measure(struct run *r, struct ticker *t, struct run_result *res, struct err *e)
{
    struct run_event ready = {.kind = RUN_READY};

    absent_say_begin(r);
    if (!ranks_follow(r)) /* the leader reads the server for all */
        observers_tell(&r->obs->list, &ready);
    r->server = ready.server;
    /* none, and the run would be of no use */
    if (!r->server && plan_find_without_server(
                          r->plan, ready.no_server ? ready.no_server : "no server is read", e)) {
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
    run_rate_open(NULL);
    ticker_stop(t);
    executor_end_batches(r);
    if (!res->signal)
        executor_say_busy(r, run_now(r) - r->t0);
    if (res->clients_left) {
        executor_leave(r);
    } else {
        executor_join(r);
        log_info("Done.\n");
    }
    client_errors_print();
    run_report(r, t, res);
    int rc = run_outcome(r, res, e);
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
        /* seeded in stock's order of starting threads: the reporting thread first (the ticker has
         * drawn), then the clients; those of the other ranks are drawn, too: each client has the
         * stream that it has alone */
        for (int number = 0, i = 0; number < plan_all_clients(r->plan); number++) {
            struct rng rng;
            rng_seed(&rng, seeder);
            if (i < r->plan->clients && number == r->client[i].number)
                r->client[i++].rng = rng;
        }
        r->init_by = r->plan->init_timeout ? run_now(r) + r->plan->init_timeout : MONO_NEVER;
        if (executor_start(r, e))
            res->clients_left = atomic_load(&r->alive) > 0;
        else if (ready_await(r, res, e) == 0 && ranks_await_others(r, res, e) == 0)
            return 0;
    }
    find_stop(r->finder);
    ticker_stop(t);
    if (res->clients_left)
        executor_leave(r);
    return -1;
}

int run_execute(const struct plan *plan, struct workload *w, struct rng_seeder *seeder,
                const struct run_observer *obs, struct run_result *res, struct err *e)
{
    struct run *r = mem_array_aligned(1, sizeof *r);
    struct ticker *t = mem_alloc(sizeof *t);

    memset(res, 0, sizeof *res);
    run_setup(r, plan, w, seeder, obs);
    if (w->ops->client_here)
        client_errors_begin(w->ops->client_here);
    stop_catch_signals(r);
    ranks_listen(r->ranks, true);
    int rc = start(r, t, seeder, res, e) || measure(r, t, res, e) ? -1 : 0;
    if (!res->began)
        ranks_call_off(r, e);
    ranks_listen(r->ranks, false);
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
