/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run.h.  The main thread does no work of its own here: it starts threads, sleeps on the run's
 * word, and decides when the time is over, when a signal ends the run, and when waiting for a
 * blocked client has lasted long enough.
 */
#include "engine/run_state.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

/* After a signal, transactions in flight get this long before the report is printed without them.
 */
#define SIGNAL_GRACE (2 * NS_PER_SEC)

/* With --tx-overload=abort the line is looked at this often, so that a backlog ends the run
 * although no client asks for the next start: perhaps all of them wait for a server that has
 * stopped to answer. */
#define LINE_LOOK (10 * NS_PER_MS)

static void count_shards(struct run *r)
{
    size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_ONLN), n = (size_t)r->plan->clients;
    bool whole = r->plan->rate > 0 || r->plan->keep_histograms;
    size_t most = whole ? 2 * cpus : 64; /* with a rate a shard takes 0.8 MiB, with neither 8 KiB */

    if (r->plan->workers)
        most = (size_t)r->plan->workers;
    else if (most < 4)
        most = 4;
    r->nshards =
        n < most ? n : most; /* with workers: each has its own, since client i is on worker i % M */
}

struct shard *shards_new(const struct run *r)
{
    bool rate = r->plan->rate > 0, whole = rate || r->plan->keep_histograms;
    struct shard *shard = mem_array_aligned(r->nshards, sizeof *shard);

    for (size_t i = 0; whole && i < r->nshards; i++)
        shard[i].response = mem_alloc(sizeof(struct hist)); /* untouched pages cost nothing */
    for (size_t i = 0; rate && i < r->nshards; i++) {
        shard[i].service = mem_alloc(sizeof(struct hist));
        shard[i].lag = mem_alloc(sizeof(struct hist));
    }
    return shard;
}

void shards_free(const struct run *r, struct shard *shard)
{
    for (size_t i = 0; shard && i < r->nshards; i++) {
        free(shard[i].response);
        free(shard[i].service);
        free(shard[i].lag);
    }
    free(shard);
}

static struct ticket_spec schedule_of(const struct plan *p, uint64_t seed)
{
    return (struct ticket_spec){
        .arrivals = {.shape = p->arrival,
                     .rate = plan_walked_rate(p),
                     .jitter = p->jitter,
                     .clients = p->clients,
                     .seed = seed},
        .overload = p->overload,
        .burst = p->burst,
        .max_lag = p->max_lag,
        .max_tickets = p->max_events,
        .horizon = p->time_limit ? p->time_limit : MONO_NEVER,
    };
}

/* The seed that was given, or one that differs between runs begun in the same second. */
static uint32_t effective_seed(const struct plan *p)
{
    wall_ns now = clock_wall();

    if (p->seed)
        return p->seed;
    return (uint32_t)(now ^ (now >> 32) ^ ((int64_t)getpid() << 16)) | 1;
}

static void run_setup(struct run *r, const struct plan *p, struct workload *w,
                      struct rng_seeder *seeder, const struct run_observer *obs)
{
    uint32_t seed = effective_seed(p);
    struct ticket_spec schedule = schedule_of(p, seed);

    memset(r, 0, sizeof *r);
    r->plan = p;
    r->workload = w;
    r->obs = obs;
    r->deadline = MONO_NEVER;
    atomic_init(&r->end, MONO_NEVER);
    pthread_mutex_init(&r->err_lock, NULL);
    hist_stock_setup();
    r->tickets = p->rate > 0 ? tickets_new(&schedule) : NULL;
    count_shards(r);
    r->shard = shards_new(r);
    warmup_setup(r, &schedule);
    r->counters = mem_array_aligned((size_t)p->clients, sizeof *r->counters);
    r->client = mem_array_aligned((size_t)p->clients, sizeof *r->client);
    for (int i = 0; i < p->clients; i++) {
        client_setup(&r->client[i], r, i);
        think_setup(&r->client[i], seed);
    }
    rng_seeder_reseed(seeder, seed);
}

/* In the order in which stock starts its threads: what reports comes first (the ticker has drawn),
 * then the clients. */
static void seed_clients(struct run *r, struct rng_seeder *seeder)
{
    for (int i = 0; i < r->plan->clients; i++)
        rng_seed(&r->client[i].rng, seeder);
}

static void run_teardown(struct run *r)
{
    shards_free(r, r->shard);
    warmup_teardown(r);
    free(r->counters);
    free(r->client);
    free(r->worker_cpu);
    tickets_free(r->tickets);
    pthread_mutex_destroy(&r->err_lock);
}

/* Sleeps until something about the run changed since `word` was read, or until `until`. */
static void wait_change(struct run *r, uint32_t word, mono_ns until)
{
    clock_sleep_until(until, &r->word, word);
}

/*
 * The start line.  With a rate it lies far enough ahead for every client to wake up, take its
 * ticket and fall asleep again, so that the first transactions are not late for the start of the
 * threads.
 */
static void draw_start_line(struct run *r, struct ticker *t, struct run_result *res)
{
    const struct plan *p = r->plan;
    dur_ns ahead = r->tickets ? NS_PER_MS + p->clients * 30 * NS_PER_US : 0;

    if (r->obs->ready)
        r->server = r->obs->ready(r->obs->arg);
    res->began = true;
    if (r->obs->started)
        r->obs->started(r->obs->arg); /* before the first transaction can print anything */
    carrier_mark(r);
    r->t0 = clock_mono() + ahead;
    r->measure_from = r->t0 + p->warmup;
    if (p->time_limit)
        r->deadline = r->measure_from + p->time_limit;
    atomic_store(&r->end, r->deadline);
    if (r->obs->begin)
        r->obs->begin(r->obs->arg, r->measure_from);
    if (!p->warmup && !r->server && !r->obs->probe)
        ticker_origin(t, r->t0);
    atomic_store(&r->gate, 1);
    carrier_wake(r, &r->gate);
    if (run_watches(r))
        clock_sleep_until(r->t0, &r->word, atomic_load(&r->word));
    if (p->warmup)
        ticker_warm_up(t);
    else if (r->server || r->obs->probe)
        ticker_origin(t, r->t0); /* telemetry is read at the line, not before it */
}

/* Which instant ends the patience with clients that are still busy; MONO_NEVER: none does.
 * `stopped`: when a signal or the backlog ended the run, or 0. */
static mono_ns patience(const struct run *r, mono_ns stopped)
{
    mono_ns end = MONO_NEVER;

    if (r->plan->forced == FORCED_ON && r->deadline != MONO_NEVER)
        end = r->deadline + r->plan->forced_grace;
    if (stopped && stopped + SIGNAL_GRACE < end)
        end = stopped + SIGNAL_GRACE;
    return end;
}

/* When the main thread looks at the line the next time; MONO_NEVER: it need not.  Ends the run when
 * it is too long. */
static mono_ns look_at_line(struct run *r, mono_ns now)
{
    if (!r->tickets || r->plan->overload != OVERLOAD_ABORT || run_stopped(r) != STOP_NONE ||
        now >= r->deadline)
        return MONO_NEVER;
    if (now < r->t0)
        return r->t0;
    if (warmup_shed(r, now) == TICKET_OVERLOAD)
        run_stop(r, STOP_OVERLOAD);
    return now + LINE_LOOK;
}

/* Was the run over before the warm-up was: stopped, or because all loops ended? */
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

/* From the start line until all loops have ended or patience has. */
static void await_end(struct run *r, struct ticker *t, struct run_result *res)
{
    mono_ns signalled = 0, overloaded = 0;
    bool origin = r->plan->warmup == 0, drawn = false;

    for (;;) {
        uint32_t word = atomic_load(&r->word);
        mono_ns now = clock_mono(), look = look_at_line(r, now), until;
        enum stop_reason why = run_stopped(r);

        if (!overloaded && why == STOP_OVERLOAD && !r->plan->stock_rate) {
            overloaded = now;
            res->overloaded = true;
        }
        until = patience(r, signalled ? signalled : overloaded);
        /* before anything that ends the run: short transactions are over before this thread wakes
         */
        if (!origin && now >= r->measure_from && !ended_warming(r)) {
            ticker_origin(t, r->measure_from);
            origin = true;
        }
        if (!signalled && atomic_load(&r->signal)) {
            res->signal = atomic_load(&r->signal);
            signalled = now;
            run_stop(r, STOP_SIGNAL);
            continue;
        }
        if (atomic_load(&r->alive) == 0)
            return;
        if (!drawn && atomic_load(&r->looping) == 0) {
            ticker_curtain(t);
            drawn = true;
        }
        if (now >= until) {
            res->forced = !signalled && !overloaded;
            res->clients_left = true;
            if (res->forced)
                log_fatal("The --max-time limit has expired, forcing shutdown...");
            ticker_curtain(t);
            run_stop(r, STOP_FORCED);
            return;
        }
        if (why == STOP_NONE && now >= r->deadline)
            run_stop(r, STOP_TIME);
        if (!origin && r->measure_from < until && r->measure_from > now)
            until = r->measure_from;
        if (why == STOP_NONE && r->deadline < until && r->deadline > now)
            until = r->deadline;
        wait_change(r, word, look < until ? look : until);
    }
}

static mono_ns end_of_run(const struct run *r, const struct ticker *t, const struct run_result *res)
{
    mono_ns end = t->collect.origin.at + 1;

    if (res->clients_left)
        return clock_mono();
    for (int i = 0; i < r->plan->clients; i++)
        if (r->client[i].loop_end > end)
            end = r->client[i].loop_end;
    return end;
}

static void final_report(struct run *r, struct ticker *t, struct run_result *res)
{
    struct snapshot *s = &res->final;
    bool measuring = atomic_load(&t->origin) == ORIGIN_MEASURING;

    if (!measuring) {
        log_notice("The run ended during the warm-up: nothing was measured.");
        collect_origin(&t->collect, clock_mono());
    }
    collect_snapshot(&t->collect, SNAPSHOT_FINAL, end_of_run(r, t, res), s);
    s->threads_running = 0;
    if (res->forced)
        s->unfinished_forced = collect_in_flight(&t->collect);
    res->measured =
        measuring && (t->collect.now.count[CNT_DONE] > 0 || res->clients_left || res->signal ||
                      run_stopped(r) == STOP_TIME || run_stopped(r) == STOP_NONE);
    judge(&t->collect, s, res);
}

static int outcome(struct run *r, const struct run_result *res, struct err *e)
{
    if (r->first.kind != ERR_NONE) {
        *e = r->first;
        return -1;
    }
    if (run_stopped(r) == STOP_OVERLOAD || res->overloaded)
        return err_set(
            e, ERR_FAILED,
            r->plan->stock_rate
                ? "The event queue is full. This means the worker threads are unable to keep up with the "
                  "specified event generation rate"
                : "the rate could not be held: more transactions were overdue than --tx-burst or "
                  "--tx-max-lag allow");
    if (res->forced)
        return err_set(e, ERR_REPORTED, "forced shutdown");
    return 0;
}

int run_execute(const struct plan *plan, struct workload *w, struct rng_seeder *seeder,
                const struct run_observer *obs, struct run_result *res, struct err *e)
{
    struct run *r = mem_array_aligned(1, sizeof *r);
    struct ticker *t = mem_alloc(sizeof *t);
    int rc;

    memset(res, 0, sizeof *res);
    run_setup(r, plan, w, seeder, obs);
    stop_catch_signals(r);
    rc = ticker_start(t, r, e);
    if (rc == 0) {
        seed_clients(r, seeder);
        rc = carrier_start(r, e) || ready_await(r, res, e) ? -1 : 0;
    }
    if (rc == 0) {
        draw_start_line(r, t, res);
        if (plan->warmup && obs->warming_up)
            obs->warming_up(obs->arg);
        await_end(r, t, res);
        ticker_stop(t);
        if (!res->signal)
            carrier_say_busy(r, clock_mono() - r->t0);
        if (res->clients_left) {
            carrier_leave(r);
        } else {
            carrier_join(r);
            log_info("Done.\n");
        }
        final_report(r, t, res);
        rc = outcome(r, res, e);
        if (rc && e->kind != ERR_REPORTED) {
            log_fatal("%s", e->msg);
            e->kind = ERR_REPORTED;
        }
        if (res->measured)
            obs->report(obs->arg, NULL, &res->final);
    } else {
        ticker_stop(t);
        if (res->clients_left)
            carrier_leave(r);
    }
    stop_release_signals();
    if (!res->clients_left) {
        ticker_fini(t);
        run_teardown(r);
        free(r);
        free(t);
    }
    return rc;
}
