/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole runs with workloads written in C, on the real clock but short: the accounts in every snapshot, the even
 * spread over clients, overload, failures, stalls, signals and the deadline.  Nothing here measures
 * speed: all bounds hold on a loaded machine, because what a slow machine changes (lag, unfinished) is
 * part of the accounts.
 */
#include "engine/run.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/test.h"
#include "engine/client.h"

struct load {
    struct workload w;
    dur_ns service;          /* each transaction sleeps this long */
    int fail_client;         /* this client's 10th transaction fails for good; -1: none */
    int cancel_client;       /* this one withdraws its 10th */
    bool stall;              /* client 0's first transaction lasts until stall_end */
    _Atomic int release;
    _Atomic uint64_t ran[64];
    int snapshots, unbalanced, backwards;
    uint64_t last_done;
    struct snapshot last;
};

static void busy(dur_ns d)
{
    struct timespec ts = {.tv_sec = d / NS_PER_SEC, .tv_nsec = d % NS_PER_SEC};
    if (d)
        nanosleep(&ts, NULL);
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
        client_begin(c);
        busy(l->service);
        if (l->stall && id == 0 && n == 1)
            while (!atomic_load(&l->release))
                busy(NS_PER_MS);
        if (id == l->fail_client && n == 10) {
            client_fail(c);
            return err_set(e, ERR_FAILED, "client %d fails", id);
        }
        if (id == l->cancel_client && n == 10) {
            client_cancel(c);
            return 0;
        }
        client_end(c);
        atomic_fetch_add(&l->ran[id], 1);
    }
    return 0;
}

static void free_client(struct workload *w, struct client *c, void *state)
{
    (void)w;
    (void)c;
    (void)state;
}

static const struct workload_ops ops = {.name = "test", .client_open = open_client, .client_run = loop,
                                        .client_free = free_client};

static void watch(void *arg, void *local, const struct snapshot *s)
{
    struct load *l = arg;
    const struct snapshot_rate *q = &s->rate;

    (void)local;
    l->snapshots++;
    l->last = *s;
    if (s->has_rate) {
        l->unbalanced += q->total_offered != q->total_done + q->total_failed + q->total_dropped + q->unfinished;
        l->unbalanced += q->waiting > q->total_offered || q->in_flight > 64;
        l->backwards += q->total_done < l->last_done;
        l->last_done = q->total_done;
    }
}

static struct load fresh(void)
{
    return (struct load){.w = {.ops = &ops, .name = "test"}, .fail_client = -1, .cancel_client = -1};
}

static struct plan base_plan(int clients, double rate)
{
    return (struct plan){.clients = clients, .rate = rate, .time_limit = NS_PER_SEC, .percentile = 95, .seed = 1,
                         .report_interval = NS_PER_SEC / 10, .tolerance_pct = 1};
}

static int go(struct load *l, const struct plan *p, struct run_result *res, struct err *e)
{
    struct run_observer obs = {.arg = l, .report = watch};
    struct rng_seeder seeder;
    int rc;

    rng_seeder_init(&seeder, 1);
    rc = run_execute(p, &l->w, &seeder, &obs, res, e);
    rng_seeder_fini(&seeder);
    CHECK_INT(l->unbalanced, 0);
    CHECK_INT(l->backwards, 0);
    if (!res->clients_left)
        CHECK(res->accounts_balance);
    return rc;
}

static void even_rate(void)
{
    struct load l = fresh();
    struct plan p = base_plan(4, 1000);
    struct run_result res;
    struct err e = {0};
    uint64_t least = UINT64_MAX, most = 0;

    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_offered, 1000);
    CHECK_INT(res.final.rate.total_done + res.final.rate.unfinished, 1000);
    CHECK(l.snapshots == 11);
    CHECK(res.final.elapsed_ns >= NS_PER_SEC);
    for (int i = 0; i < 4; i++) {
        least = l.ran[i] < least ? l.ran[i] : least;
        most = l.ran[i] > most ? l.ran[i] : most;
    }
    CHECK(res.final.rate.total_late > 0 || most - least <= 1);
    CHECK_INT(res.final.rate.response.n, res.final.rate.total_done);
    CHECK(res.final.rate.response.max >= res.final.rate.lag.p50);
}

static void low_rate_lasts(void)
{
    struct load l = fresh();
    struct plan p = base_plan(8, 2.5);
    struct run_result res;
    struct err e = {0};

    CHECK_INT(go(&l, &p, &res, &e), 0); /* planned at 0, 0.4, 0.8 s */
    CHECK_INT(res.final.rate.total_done, 3);
    CHECK(res.final.elapsed_ns >= NS_PER_SEC);
    CHECK(res.sustained);
}

static void events_limit(void)
{
    struct load l = fresh();
    struct plan p = base_plan(3, 200);
    struct run_result res;
    struct err e = {0};

    p.max_events = 50;
    p.time_limit = 0;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_offered, 50);
    CHECK_INT(res.final.rate.total_done, 50);
    CHECK(res.final.elapsed_ns >= NS_PER_SEC / 4); /* N events take N/R */
    l = fresh();
    p.rate = 0;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.events, 50);
}

/* One client of 20 ms service at 200/s: half of what is offered can be done, at most. */
static void overload_queue(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 200);
    struct run_result res;
    struct err e = {0};

    l.service = 20 * NS_PER_MS;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_offered, 200);
    CHECK(res.final.rate.total_done <= 51);
    CHECK_INT(res.final.rate.total_dropped, 0);
    CHECK(res.final.rate.waiting >= 149);
    CHECK(!res.sustained);
    CHECK(strstr(res.why, "no thread was idle: 1 threads") != NULL);
    CHECK(res.final.rate.lag.max > 500 * NS_PER_MS);
    CHECK(res.final.rate.service.p50 < 500 * NS_PER_MS);
}

static void overload_drop(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 200);
    struct run_result res;
    struct err e = {0};

    l.service = 20 * NS_PER_MS;
    p.overload = OVERLOAD_DROP;
    p.burst = 5;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_offered, 200);
    CHECK(res.final.rate.total_dropped >= 140);
    CHECK(res.final.rate.unfinished <= 6);
    CHECK(!res.sustained);
}

static void overload_abort(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 1000);
    struct run_result res;
    struct err e = {0};

    l.service = 20 * NS_PER_MS;
    p.overload = OVERLOAD_ABORT;
    p.max_lag = 100 * NS_PER_MS;
    CHECK_INT(go(&l, &p, &res, &e), -1);
    CHECK(res.measured);
    CHECK(res.final.elapsed_ns < NS_PER_SEC);
    CHECK(strstr(e.msg, "more transactions were overdue") != NULL);
}

static void client_fails(void)
{
    struct load l = fresh();
    struct plan p = base_plan(4, 1000);
    struct run_result res;
    struct err e = {0};

    l.fail_client = 2;
    CHECK_INT(go(&l, &p, &res, &e), -1);
    CHECK_STR(e.msg, "client 2 fails");
    CHECK_INT(res.final.rate.total_failed, 1);
    CHECK(res.measured);
    CHECK(res.final.elapsed_ns < NS_PER_SEC);
}

static void client_withdraws(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 500);
    struct run_result res;
    struct err e = {0};

    l.cancel_client = 1;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_offered, 500);
    CHECK(res.final.rate.unfinished >= 1);
    CHECK_INT(l.ran[1], 9);
}

static void *after(void *arg)
{
    struct load *l = arg;

    busy(NS_PER_SEC / 2);
    kill(getpid(), SIGINT);
    busy(NS_PER_SEC / 10);
    atomic_store(&l->release, 1);
    return NULL;
}

static void interrupted(double rate)
{
    struct load l = fresh();
    struct plan p = base_plan(3, rate);
    struct run_result res;
    struct err e = {0};
    pthread_t t;

    p.time_limit = 20 * NS_PER_SEC;
    l.service = NS_PER_MS;
    l.stall = true;
    pthread_create(&t, NULL, after, &l);
    CHECK_INT(go(&l, &p, &res, &e), 0);
    pthread_join(t, NULL);
    CHECK_INT(res.signal, SIGINT);
    CHECK(res.measured);
    CHECK(!res.clients_left);
    CHECK(res.final.elapsed_ns < 5 * NS_PER_SEC);
    CHECK(res.final.events > 10);
}

/* Client 0 hangs over the deadline: one transaction is in flight when patience ends. */
static void forced(void)
{
    static struct load l; /* its thread outlives the run */
    struct plan *p = mem_alloc(sizeof *p);
    struct run_result res;
    struct err e = {0};

    l = fresh();
    *p = base_plan(2, 100);
    p->forced = FORCED_ON;
    p->forced_grace = NS_PER_SEC / 5;
    l.stall = true;
    CHECK_INT(go(&l, p, &res, &e), -1);
    CHECK(res.forced && res.clients_left);
    CHECK_INT(res.final.unfinished_forced, 1);
    CHECK_INT(res.final.rate.in_flight, 1);
    CHECK_INT(res.final.rate.total_offered, 100);
    CHECK_INT(res.final.rate.total_done + res.final.rate.unfinished, 100);
    CHECK(res.final.rate.oldest_ns >= NS_PER_SEC);
    atomic_store(&l.release, 1);
    busy(NS_PER_SEC / 5); /* what was left behind ends by itself and finds its memory */
}

static void checkpoints_and_fairness(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 400);
    struct run_result res;
    struct err e = {0};

    p.report_interval = 0;
    p.checkpoint[0] = NS_PER_SEC / 2;
    p.checkpoints = 1;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(l.snapshots, 2);
    CHECK(res.final.interval_ns < 6 * NS_PER_SEC / 10 && res.final.elapsed_ns >= NS_PER_SEC);
    CHECK_INT(res.final.rate.total_done + res.final.rate.unfinished, 400);
    CHECK(res.final.events < 300);
    CHECK_NEAR(res.final.events_avg * 2, (double)res.final.events, 1e-9);
    CHECK_NEAR(res.final.latency_avg_ms * (double)res.final.events, res.final.latency_sum_ms, 1e-6);
}

static void warmed_up(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 500);
    struct run_result res;
    struct err e = {0};

    p.warmup = NS_PER_SEC / 2;
    p.time_limit = NS_PER_SEC / 2;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK(res.final.elapsed_ns < 8 * NS_PER_SEC / 10);
    CHECK(res.final.events <= 260 && res.final.events > 100);
}

int main(void)
{
    log_set_verbosity(-1);
    even_rate();
    low_rate_lasts();
    events_limit();
    overload_queue();
    overload_drop();
    overload_abort();
    client_fails();
    client_withdraws();
    interrupted(300);
    interrupted(0);
    checkpoints_and_fairness();
    warmed_up();
    forced();
    return test_done("run_test");
}
