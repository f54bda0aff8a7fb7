/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How runs end before their time: a client that fails or withdraws, a signal at every stage, a
 * client that never comes back.  Whatever happens, each snapshot balances and says nothing about a
 * time that was not measured.
 */
#include "engine/run_test.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

#define LONG (60 * NS_PER_SEC) /* until which nobody waits: the run ends otherwise */

static void client_fails(void)
{
    struct load l = fresh();
    struct plan p = base_plan(4, 1000);
    struct run_result res;
    struct err e = {0};

    p.time_limit = LONG;
    l.fail_client = 2;
    CHECK_INT(go(&l, &p, &res, &e), -1);
    CHECK_STR(e.msg, "client 2 fails");
    CHECK_INT(res.final.rate.total_failed, 1);
    CHECK(res.measured);
    CHECK(res.final.elapsed_ns < LONG);
}

static void client_withdraws(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 500);
    struct run_result res;
    struct err e = {0};

    l.cancel_client = 1;
    p.max_events = 500;
    p.time_limit = 0;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK_INT(res.final.rate.total_offered, 500);
    CHECK_INT(res.final.rate.withdrawn, 1);
    CHECK_INT(res.final.rate.in_flight, 0);
    CHECK_INT(l.ran[1], 9);
}

/* A run that leaves clients behind leaves its memory to them: not a leak. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "detect_leaks=0";
}

/* SIGINT some time after the start line; what stalls goes on a little later. */
static void *kill_later(void *arg)
{
    struct load *l = arg;

    busy(l->delay);
    for (uint64_t ran = 0; ran < l->after;) {
        busy(NS_PER_MS);
        ran = 0;
        for (int i = 0; i < 64; i++)
            ran += atomic_load(&l->ran[i]);
    }
    kill(getpid(), SIGINT);
    busy(NS_PER_SEC / 10);
    atomic_store(&l->release, 1);
    return NULL;
}

static void arm(struct load *l)
{
    pthread_create(&l->killer, NULL, kill_later, l);
}

/* A run that is interrupted `delay` after its start line. */
static void go_until(struct load *l, dur_ns delay, const struct plan *p, struct run_result *res)
{
    struct err e = {0};

    l->started = arm;
    l->delay = delay;
    CHECK_INT(go(l, p, res, &e), 0);
    CHECK(res->began);
    if (res->began)
        pthread_join(l->killer, NULL);
    CHECK_INT(res->signal, SIGINT);
}

static void interrupted(double rate)
{
    static struct load l; /* client 0 may outlive the run, if the machine stands still between
                             signal and release */
    static struct plan p;
    struct run_result res;

    l = fresh();
    p = base_plan(3, rate);
    p.time_limit = LONG;
    l.service = NS_PER_MS;
    l.stall = true;
    l.after = 11;
    go_until(&l, NS_PER_SEC / 2, &p, &res);
    CHECK(res.measured);
    CHECK(!res.clients_left);
    if (res.clients_left)
        busy(NS_PER_SEC / 5);
    CHECK(res.final.elapsed_ns < LONG);
    CHECK(res.final.events > 10);
}

static void interrupted_at_a_rate(void)
{
    interrupted(300);
}

static void interrupted_at_full_speed(void)
{
    interrupted(0);
}

/* A stop in the middle of a schedule with many sleepers: what they were waiting for is not offered,
 * and none of it begins, however long it takes to wake them all.  A wide jitter lets starts
 * overtake each other. */
static void interrupted_sleepers(enum arrival_shape shape, dur_ns jitter, enum overload overload)
{
    for (int i = 0; i < 8; i++) {
        struct load l = fresh();
        struct plan p = base_plan(64, 20000);
        struct run_result res;

        p.time_limit = LONG;
        p.arrival = shape;
        p.jitter = jitter;
        p.overload = overload;
        p.max_lag = overload == OVERLOAD_QUEUE ? 0 : 5 * NS_PER_MS;
        go_until(&l, NS_PER_SEC / 10 + i * NS_PER_MS, &p, &res);
        CHECK(res.final.elapsed_ns < LONG);
    }
}

/* Nothing was measured, so nothing is reported: least of all a time since the machine was started.
 */
static void interrupted_warm_up(double rate)
{
    struct load l = fresh();
    struct plan p = base_plan(2, rate);
    struct run_result res;

    p.warmup = LONG;
    go_until(&l, NS_PER_SEC / 5, &p, &res);
    CHECK(!res.measured);
    CHECK_INT(l.snapshots, 0);
    CHECK_INT(res.final.events, 0);
    CHECK(res.final.elapsed_ns < LONG);
}

/* The script ends the loops before the warm-up is over. */
static void over_in_warm_up(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 0);
    struct run_result res;
    struct err e = {0};

    l.cancel_client = 0;
    p.warmup = LONG;
    CHECK_INT(go(&l, &p, &res, &e), 0);
    CHECK(!res.measured);
    CHECK_INT(l.snapshots, 0);
}

/* Nor does a transaction that was begun before the signal and ends when the warm-up would have. */
static void interrupted_warm_up_in_flight(double rate)
{
    static struct load l;
    static struct plan p;
    struct run_result res;

    l = fresh();
    p = base_plan(1, rate);
    p.warmup = NS_PER_SEC / 10;
    p.time_limit = LONG;
    l.stall = true;
    go_until(&l, NS_PER_SEC / 20, &p, &res);
    CHECK(!res.measured);
    CHECK_INT(l.snapshots, 0);
    CHECK_INT(res.final.rate.total_offered, 0);
    if (res.clients_left)
        busy(NS_PER_SEC / 5);
}

static void interrupted_warm_up_at_a_rate(void)
{
    interrupted_warm_up_in_flight(100);
}

static void interrupted_warm_up_at_full_speed(void)
{
    interrupted_warm_up_in_flight(0);
}

static struct server *signal_now(void *arg)
{
    (void)arg;
    kill(getpid(), SIGINT);
    return NULL;
}

/* Between the last client's readiness and the start line. */
static void interrupted_before_the_line(double rate)
{
    struct load l = fresh();
    struct plan p = base_plan(3, rate);
    struct run_observer obs = {.arg = &l, .report = watch, .ready = signal_now};
    struct rng_seeder seeder;
    struct run_result res;
    struct err e = {0};

    p.time_limit = LONG;
    rng_seeder_init(&seeder, 1);
    CHECK_INT(run_execute(&p, &l.w, &seeder, &obs, &res, &e), 0);
    rng_seeder_fini(&seeder);
    CHECK_INT(res.signal, SIGINT);
    CHECK_INT(l.unbalanced, 0);
    CHECK(res.accounts_balance);
    CHECK(res.final.elapsed_ns < LONG);
}

static int open_late(struct workload *w, struct client *c, void **state, struct err *e)
{
    struct load *l = (struct load *)w;

    (void)e;
    *state = w;
    atomic_fetch_add(&l->ran[client_id(c)], 1);
    if (client_id(c) == 0)
        kill(getpid(), SIGINT);
    return 0;
}

static const struct workload_ops late_ops = {
    .name = "late", .client_open = open_late, .client_run = loop, .client_free = free_client};

/* While clients open: the run ends without a report.  Sometimes all of them are ready when it is
 * noticed, and must have ended before their memory goes; a signal that is delivered late ends a run
 * that has begun. */
static void interrupted_while_opening(void)
{
    for (int i = 0; i < 50; i++) {
        struct load *l = mem_alloc(sizeof *l); /* threads that are left behind still look at it */
        struct plan *p = mem_alloc(sizeof *p);
        struct run_result res;
        struct err e = {0};

        *l = fresh();
        l->w.ops = &late_ops;
        *p = base_plan(1 + i % 3, 0);
        p->time_limit = LONG;
        CHECK_INT(go(l, p, &res, &e), res.began ? 0 : -1);
        CHECK_INT(res.signal, SIGINT);
        CHECK(res.began || !res.measured);
        if (!res.clients_left) {
            free(l);
            free(p);
        }
    }
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
    CHECK_INT(res.final.rate.response.n, res.final.rate.total_done);
    CHECK_INT(res.final.rate.lag.n,
              res.final.rate.total_done); /* lags are of transactions that ended, too */
    CHECK(res.final.rate.oldest_ns >= p->forced_grace); /* it began before the deadline */
    atomic_store(&l.release, 1);
    busy(NS_PER_SEC / 5); /* what was left behind ends by itself and finds its memory */
}

/* Without a rate, begun before a checkpoint, never ended: still one. */
static void forced_after_checkpoint(void)
{
    static struct load l;
    struct plan *p = mem_alloc(sizeof *p);
    struct run_result res;
    struct err e = {0};

    l = fresh();
    *p = base_plan(1, 0);
    p->report_interval = 0;
    p->checkpoint[0] = NS_PER_SEC / 2;
    p->checkpoints = 1;
    p->forced = FORCED_ON;
    l.stall = true;
    CHECK_INT(go(&l, p, &res, &e), -1);
    CHECK(res.forced && res.clients_left);
    CHECK(res.measured); /* although no transaction ended */
    CHECK_INT(l.snapshots, 2);
    CHECK_INT(res.final.unfinished_forced, 1);
    atomic_store(&l.release, 1);
    busy(NS_PER_SEC / 5);
}

static void all(void)
{
    client_fails();
    client_withdraws();
    TEST_UNSTALLED(interrupted_at_a_rate);
    TEST_UNSTALLED(interrupted_at_full_speed);
    interrupted_sleepers(ARRIVAL_EVEN, 0, OVERLOAD_QUEUE);
    interrupted_sleepers(ARRIVAL_EVEN, 20 * NS_PER_MS, OVERLOAD_QUEUE);
    interrupted_sleepers(ARRIVAL_POISSON, NS_PER_MS, OVERLOAD_DROP);
    interrupted_warm_up(0);
    interrupted_warm_up(100);
    TEST_UNSTALLED(interrupted_warm_up_at_a_rate);
    TEST_UNSTALLED(interrupted_warm_up_at_full_speed);
    over_in_warm_up();
    interrupted_before_the_line(100);
    interrupted_before_the_line(0);
    interrupted_while_opening();
    TEST_UNSTALLED(forced);
    TEST_UNSTALLED(forced_after_checkpoint);
}

int main(void)
{
    log_set_verbosity(-1);
    for (test_workers = 0; test_workers <= 2; test_workers++)
        all();
    return test_done("run_end_test");
}
