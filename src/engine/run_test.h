/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by the tests of whole runs: a workload written in C, and an observer that checks the
 * counts in every snapshot.  With `held` set a run follows a clock that is held
 * (base/test_clock.h), and every figure is exact; without it the run is in real time, and the
 * checks must hold on any machine, however slow.
 */
#ifndef SB_ENGINE_RUN_TEST_H
#define SB_ENGINE_RUN_TEST_H

#include "engine/run.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test_clock.h"
#include "base/test_golden.h"
#include "engine/client.h"

#define MS NS_PER_MS
#define US NS_PER_US

/* A run hands over more than most tests need. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The clock of all runs; NULL: real time. */
static struct held_clock *held;

/* How the clients of base_plan() run: --workers.  Real time only. */
static int test_workers;

struct load {
    struct workload w;
    dur_ns service; /* each transaction sleeps this long */
    uint64_t reads; /* and counts so many statements */
    dur_ns opening; /* each client, before it is ready */
    dur_ns closing; /* and when its loop has ended */
    /* NULL, or what a client does after `opening`, and in place of loop() */
    int (*opens)(struct load *l, struct client *c, struct err *err);
    int (*runs)(struct load *l, struct client *c, struct err *err);
    bool serial;         /* the server serves one transaction after the other ... */
    mono_ns server_free; /* ... and is free again at this instant; held clock only */
    /* NULL, or how long the transaction takes that begins now */
    dur_ns (*takes)(struct load *l, mono_ns now);
    int fail_client;   /* this client's 10th transaction fails for good; -1: none */
    int cancel_client; /* this one withdraws its 10th */
    bool cancel_all;   /* every transaction is withdrawn, the loop goes on */
    bool counts;       /* each counts an event on its own, as scripts may */
    /* client 0's first transaction lasts until `release`; the others begin after it */
    bool stall;
    _Atomic int stalling, release;
    _Atomic int cancelled; /* cancel_client has withdrawn its own: the others wait for that */
    _Atomic uint64_t ran[2048];
    int snapshots, unbalanced, backwards;
    uint64_t last_done;
    struct snapshot last;
    void (*started)(struct load *l);                     /* NULL, or called at the start line */
    void (*on)(struct load *l, struct run_event *event); /* NULL, or called with each event */
    /* NULL, or called with each report */
    void (*watched)(struct load *l, const struct snapshot *s);
    struct marks *marks;
    struct probe *probe;
    struct stmt_stats *stmt_stats;
    struct server *server; /* what is found when all clients are ready; NULL: none */
    pthread_t killer;      /* a thread that `started` began, e.g. interrupt_later() */
    dur_ns delay;
    bool ends;
    uint64_t after; /* and what it waits for: so many transactions */
};

static void busy(dur_ns d)
{
    struct timespec ts = {.tv_sec = d / NS_PER_SEC, .tv_nsec = d % NS_PER_SEC};

    if (held && d)
        held_clock_sleep(held, d);
    else if (d)
        nanosleep(&ts, NULL);
}

static mono_ns test_now(void)
{
    return clock_now(held ? held_clock(held) : NULL);
}

static void serve(struct load *l)
{
    mono_ns now = test_now();
    dur_ns service = l->takes ? l->takes(l, now) : l->service;
    mono_ns begin = l->serial && l->server_free > now ? l->server_free : now;

    if (l->serial)
        l->server_free = begin + service;
    busy(begin + service - now);
}

static int open_client(struct workload *w, struct client *c, void **state, struct err *err)
{
    struct load *l = (struct load *)w;

    *state = w;
    busy(l->opening);
    return l->opens ? l->opens(l, c, err) : 0;
}

static int loop(struct load *l, struct client *c, struct err *err)
{
    int id = client_id(c);

    for (int n = 1; client_next(c); n++) {
        while ((l->stall && id != 0 && !atomic_load(&l->stalling)) ||
               (l->cancel_client >= 0 && id != l->cancel_client && !atomic_load(&l->cancelled)))
            busy(NS_PER_MS / 4);
        client_begin(c);
        atomic_store(client_in_statement(c), l->reads > 0);
        serve(l);
        atomic_store(client_in_statement(c), false);
        counters_add(client_counters(c), CNT_READ, l->reads);
        if (l->stall && id == 0 && n == 1) {
            atomic_store(&l->stalling, 1);
            while (!atomic_load(&l->release))
                busy(NS_PER_MS);
        }
        if (id == l->fail_client && n == 10) {
            client_fail(c);
            return err_set(err, ERR_FAILED, "client %d fails", id);
        }
        if (id == l->cancel_client && n == 10) {
            client_cancel(c);
            atomic_store(&l->cancelled, 1);
            return 0;
        }
        if (l->cancel_all) {
            client_cancel(c);
            continue;
        }
        if (l->counts)
            counters_add(client_counters(c), CNT_EVENT, 1);
        client_end(c);
        atomic_fetch_add(&l->ran[id], 1);
    }
    return 0;
}

static int run_client(struct workload *w, struct client *c, void *state, struct err *err)
{
    struct load *l = (struct load *)w;

    return l->runs ? l->runs(l, c, err) : loop(l, c, err);
}

static int close_client(struct workload *w, struct client *c, void *state, bool failed,
                        struct err *err)
{
    busy(((struct load *)w)->closing);
    return 0;
}

static void free_client(struct workload *w, struct client *c, void *state) {}

static _Thread_local int this_client = -1; /* unless clients are on workers */

static int client_here(void)
{
    return this_client;
}

static const struct workload_ops ops = {.name = "test",
                                        .client_here = client_here,
                                        .client_open = open_client,
                                        .client_run = run_client,
                                        .client_close = close_client,
                                        .client_free = free_client};

static void watch(struct load *l, const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;

    l->snapshots++;
    if (l->last.warmup && !s->warmup)
        l->last_done = 0;
    l->last = *s;
    if (s->has_rate) {
        l->unbalanced += !rate_balances(q);
        l->unbalanced += q->waiting > q->total_offered || q->in_flight > 2048;
        l->backwards += q->total_done < l->last_done;
        l->last_done = q->total_done;
    }
    if (l->watched)
        l->watched(l, s);
}

static void watch_events(void *self, struct run_event *event)
{
    struct load *l = self;

    if (event->kind == RUN_READY)
        event->server = l->server;
    else if (event->kind == RUN_STARTED && l->started)
        l->started(l);
    else if (event->kind == RUN_SNAPSHOT)
        watch(l, event->s);
    if (l->on)
        l->on(l, event);
}

static const struct observer_ops watcher = {.name = "watcher", .on = watch_events};
#define WATCHED_BY(l) .list = {.item = {{&watcher, (l)}}, .n = 1}

static struct load fresh(void)
{
    return (struct load){
        .w = {.ops = &ops, .name = "test"}, .fail_client = -1, .cancel_client = -1};
}

static struct plan base_plan(int clients, double rate)
{
    return (struct plan){.clock = held ? held_clock(held) : NULL,
                         .generation = generation_facts(GENERATION_1_0),
                         .clients = clients,
                         .rate = rate,
                         .time_limit = NS_PER_SEC,
                         .percentile = {95},
                         .percentiles = 1,
                         .seed = 1,
                         .report_interval = NS_PER_SEC / 10,
                         .tolerance_pct = 1,
                         .workers = clients < test_workers ? clients : test_workers};
}

/* For `started`: SIGINT after `delay`; what stalls and ends goes on 100 ms later. */
static void *kill_later(void *arg)
{
    struct load *l = arg;

    busy(l->delay);
    if (held)
        raise(SIGINT);
    else
        kill(getpid(), SIGINT);
    if (l->ends) {
        busy(100 * MS);
        atomic_store(&l->release, 1);
    }
    return NULL;
}

static inline void interrupt_later(struct load *l)
{
    clock_thread_create(held ? held_clock(held) : NULL, &l->killer, NULL, kill_later, l);
}

static int go(struct load *l, const struct plan *p, struct run_result *r, struct err *err)
{
    struct run_observer obs = {WATCHED_BY(l), .marks = l->marks, .probe = l->probe,
                               .stmt_stats = l->stmt_stats};
    struct rng_seeder seeder;
    int rc;

    rng_seeder_init(&seeder, 1);
    rc = run_execute(p, &l->w, &seeder, &obs, r, err);
    if (l->killer)
        clock_thread_join(p->clock, l->killer);
    CHECK_INT(l->unbalanced, 0);
    CHECK_INT(l->backwards, 0);
    if (r->began && !r->clients_left)
        CHECK(r->accounts_balance);
    return rc;
}

/* Of the latest run. */
static struct run_result res;
static struct err e;

static inline int run(struct load *l, const struct plan *p)
{
    e = (struct err){0};
    return go(l, p, &res, &e);
}

static inline void check_rate(uint64_t offered, uint64_t done, uint64_t dropped,
                              uint64_t unfinished)
{
    CHECK_INT(res.final.rate.total_offered, offered);
    CHECK_INT(res.final.rate.total_done, done);
    CHECK_INT(res.final.rate.total_dropped, dropped);
    CHECK_INT(rate_unfinished(&res.final.rate), unfinished);
}

/* Histograms keep three digits and more. */
static inline void check_ns(int64_t got, dur_ns want)
{
    CHECK_NEAR(got, want, (double)want / 1000);
}

/* For `watched`, with 3 reads in each transaction: the figures of the end are all of the same
 * transactions. */
static inline void check_figures(struct load *l, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_FINAL)
        return;
    CHECK_INT(s->latency.n, s->events);
    CHECK_INT(s->stock_hist->total, s->events);
    CHECK_INT(s->hists.response->total, s->events);
    CHECK_INT(s->reads, 3 * s->events);
    if (!s->has_rate)
        return;
    CHECK_INT(s->rate.total_done, s->events);
    CHECK_INT(s->rate.response.n, s->events);
    CHECK_INT(s->rate.service.n, s->events);
    CHECK_INT(s->rate.lag.n, s->events);
}

/* What watchers of a run say, for tell_run(). */
static struct str told;

/* Adds what is exact of the latest run, which returned rc, to the golden file of the test. */
static inline void tell_run(const struct load *l, const struct plan *p, int rc, const char *title)
{
    const struct snapshot *s = &res.final;
    const struct snapshot_rate *q = &s->rate;
    const struct snapshot_series *const series[] = {&q->response, &q->service, &q->lag};
    const struct {
        const char *name;
        bool is;
    } facts[] = {{"not begun", !res.began},      {"not measured", !res.measured},
                 {"untold", s->untold},          {"forced", res.forced},
                 {"overloaded", res.overloaded}, {"clients left", res.clients_left},
                 {"signal", res.signal}};

    str_printf(&told, "%s%s; %.6f s, %llu events, %d reports", rc ? "failed: " : "done",
               rc ? e.msg : "", dur_sec(s->elapsed_ns), (unsigned long long)s->events,
               l->snapshots);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        str_printf(&told, "%s%s", facts[i].is ? "; " : "", facts[i].is ? facts[i].name : "");
    str_printf(&told, "%s%s\nlatency %.6g %.6g %.6g ms, sum %.6g ms\n",
               *res.interrupted ? "; " : "", res.interrupted, s->latency_min_ms, s->latency_avg_ms,
               s->latency_max_ms, s->latency_sum_ms);
    if (s->unfinished_forced)
        str_printf(&told, "unfinished %d\n", (int)s->unfinished_forced);
    if (s->retries.transactions)
        str_printf(&told, "%llu met errors, %llu retries, %llu at most, %llu failed; %g %g ms\n",
                   (unsigned long long)s->retries.transactions,
                   (unsigned long long)s->retries.retries, (unsigned long long)s->retries.most,
                   (unsigned long long)s->retries.failed, dur_ms(s->retries.first.p50),
                   dur_ms(s->retries.last.max));
    if (s->warmed.asked)
        str_printf(&told, "%s after %.6f s\n", s->warmed.steady ? "steady" : "not steady",
                   dur_sec(s->warmed.after));
    if (s->has_rate) {
        str_printf(&told, "offered %llu, done %llu, failed %llu, dropped %llu, withdrawn %llu, ",
                   (unsigned long long)q->total_offered, (unsigned long long)q->total_done,
                   (unsigned long long)q->total_failed, (unsigned long long)q->total_dropped,
                   (unsigned long long)q->withdrawn);
        str_printf(&told, "unfinished %llu (%llu wait, %.7g ms), late %llu (%llu idle)\n",
                   (unsigned long long)rate_unfinished(q), (unsigned long long)q->waiting,
                   dur_ms(q->oldest_ns), (unsigned long long)q->total_late,
                   (unsigned long long)q->total_late_idle);
        for (int i = 0; i < 3; i++)
            str_printf(&told, "%s%llu: %.4g to %.4g ms", i ? ", " : "",
                       (unsigned long long)series[i]->n, dur_ms(series[i]->p10),
                       dur_ms(series[i]->max));
        str_printf(&told, "\n%s %s\n",
                   res.unknown     ? "not known"
                   : res.sustained ? "sustained"
                                   : "not sustained",
                   res.why);
    }
    golden(&told, "%d clients, %g/s: %s", p->clients, p->rate, title);
}

/* Of the latest run. */
static uint64_t ran[64];

/* Clients that a run abandons outlive it, and end a little later: what they use stays. */
static inline void run_over(struct load *l, struct plan *p)
{
    for (size_t i = 0; i < 64; i++)
        ran[i] = l->ran[i];
    if (!res.clients_left) {
        plan_fini(p);
        free(l);
        free(p);
        return;
    }
    atomic_store(&l->release, 1);
    busy(held ? 20 * NS_PER_SEC : NS_PER_SEC / 5);
}

static inline void run_told(struct load *l, struct plan *p, const char *title)
{
    mono_ns begin = test_now();
    int rc = run(l, p);

    if (!res.began)
        str_printf(&told, "%.6f s later: ", dur_sec(test_now() - begin));
    tell_run(l, p, rc, title);
    run_over(l, p);
}

/* A run that differs from base_plan() and fresh() by what is done to p and l. */
#define RUN_OF(clients, rate, then, ...)                                                           \
    do {                                                                                           \
        struct load *l = mem_alloc(sizeof *l);                                                     \
        struct plan *p = mem_alloc(sizeof *p);                                                     \
        *l = fresh();                                                                              \
        *p = base_plan(clients, rate);                                                             \
        __VA_ARGS__;                                                                               \
        then;                                                                                      \
    } while (0)
/* Told in the golden file; or not told, and `rc` is what it returns. */
#define RUN(clients, rate, ...) RUN_OF(clients, rate, run_told(l, p, #__VA_ARGS__), __VA_ARGS__)
#define TRY(clients, rate, rc, ...)                                                                \
    RUN_OF(clients, rate, CHECK_INT(run(l, p), rc); run_over(l, p); str_reset(&told), __VA_ARGS__)

#endif
