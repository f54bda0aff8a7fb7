/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A workload written in C, and an observer that checks the accounts in every snapshot: what the
 * tests of whole runs share.  On the real clock but short.  Nothing here measures speed: what a
 * slow machine changes (lag, unfinished) is part of the accounts, and what only holds when the
 * machine does not stand still goes through TEST_UNSTALLED.
 */
#ifndef SB_ENGINE_RUN_TEST_H
#define SB_ENGINE_RUN_TEST_H

#include "engine/run.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/test.h"
#include "base/test_stall.h"
#include "engine/client.h"

/* How the clients of base_plan() are carried: --workers. */
static int test_workers;

struct load {
    struct workload w;
    dur_ns service;          /* each transaction sleeps this long */
    uint64_t reads;          /* and counts so many statements */
    dur_ns closing;          /* and each client when its loop has ended */
    pthread_mutex_t *server; /* NULL, or all sleep one after the other */
    int fail_client;         /* this client's 10th transaction fails for good; -1: none */
    int cancel_client;       /* this one withdraws its 10th */
    bool cancel_all;         /* every transaction is withdrawn, the loop goes on */
    bool counts;             /* each counts an event on its own, as scripts may */
    bool stall; /* client 0's first transaction lasts until `release`; the others begin after it */
    _Atomic int stalling, release;
    _Atomic int cancelled; /* cancel_client has withdrawn its own: the others wait for that */
    _Atomic uint64_t ran[64];
    int snapshots, unbalanced, backwards;
    uint64_t last_done;
    struct snapshot last;
    void (*started)(struct load *l); /* NULL, or called at the start line */
    void (*watched)(struct load *l,
                    const struct snapshot *s); /* NULL, or called with each report */
    const struct marks *marks;
    pthread_t killer; /* for its use */
    dur_ns delay;
    uint64_t after; /* and what it waits for: so many transactions */
};

static void busy(dur_ns d)
{
    struct timespec ts = {.tv_sec = d / NS_PER_SEC, .tv_nsec = d % NS_PER_SEC};
    if (d)
        nanosleep(&ts, NULL);
}

/* A client on a worker must not wait for a lock that another client of the worker holds over a
 * pause. */
static void enter_server(pthread_mutex_t *server)
{
    if (!test_workers)
        pthread_mutex_lock(server);
    else
        while (pthread_mutex_trylock(server))
            busy(NS_PER_MS / 4);
}

static int open_client(struct workload *w, struct client *c, void **state, struct err *e)
{
    (void)c;
    (void)e;
    *state = w;
    return 0;
}

static int loop(struct workload *w, struct client *c, void *state, struct err *e)
{
    struct load *l = (struct load *)w;
    int id = client_id(c);

    (void)state;
    for (int n = 1; client_next(c); n++) {
        while ((l->stall && id != 0 && !atomic_load(&l->stalling)) ||
               (l->cancel_client >= 0 && id != l->cancel_client && !atomic_load(&l->cancelled)))
            busy(NS_PER_MS / 4);
        client_begin(c);
        if (l->server)
            enter_server(l->server);
        busy(l->service);
        counters_add(client_counters(c), CNT_READ, l->reads);
        if (l->server)
            pthread_mutex_unlock(l->server);
        if (l->stall && id == 0 && n == 1) {
            atomic_store(&l->stalling, 1);
            while (!atomic_load(&l->release))
                busy(NS_PER_MS);
        }
        if (id == l->fail_client && n == 10) {
            client_fail(c);
            return err_set(e, ERR_FAILED, "client %d fails", id);
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

static int close_client(struct workload *w, struct client *c, void *state, bool failed,
                        struct err *e)
{
    (void)c;
    (void)state;
    (void)failed;
    (void)e;
    busy(((struct load *)w)->closing);
    return 0;
}

static void free_client(struct workload *w, struct client *c, void *state)
{
    (void)w;
    (void)c;
    (void)state;
}

static const struct workload_ops ops = {.name = "test",
                                        .client_open = open_client,
                                        .client_run = loop,
                                        .client_close = close_client,
                                        .client_free = free_client};

static void watch(void *arg, void *local, const struct snapshot *s)
{
    struct load *l = arg;
    const struct snapshot_rate *q = &s->rate;

    (void)local;
    l->snapshots++;
    if (l->last.warmup && !s->warmup)
        l->last_done = 0;
    l->last = *s;
    if (s->has_rate) {
        l->unbalanced +=
            q->total_offered != q->total_done + q->total_failed + q->total_dropped + q->unfinished;
        l->unbalanced += q->unfinished != q->waiting + q->in_flight + q->withdrawn;
        l->unbalanced += q->waiting > q->total_offered || q->in_flight > 64;
        l->backwards += q->total_done < l->last_done;
        l->last_done = q->total_done;
    }
    if (l->watched)
        l->watched(l, s);
}

static void started(void *arg)
{
    struct load *l = arg;

    if (l->started)
        l->started(l);
}

static struct load fresh(void)
{
    return (struct load){
        .w = {.ops = &ops, .name = "test"}, .fail_client = -1, .cancel_client = -1};
}

static struct plan base_plan(int clients, double rate)
{
    return (struct plan){.generation = generation_facts(GENERATION_1_0),
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

static int go(struct load *l, const struct plan *p, struct run_result *res, struct err *e)
{
    struct run_observer obs = {.arg = l, .report = watch, .started = started, .marks = l->marks};
    struct rng_seeder seeder;
    int rc;

    rng_seeder_init(&seeder, 1);
    rc = run_execute(p, &l->w, &seeder, &obs, res, e);
    rng_seeder_fini(&seeder);
    CHECK_INT(l->unbalanced, 0);
    CHECK_INT(l->backwards, 0);
    if (res->began && !res->clients_left)
        CHECK(res->accounts_balance);
    return rc;
}

#endif
