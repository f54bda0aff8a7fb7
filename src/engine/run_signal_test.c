/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A signal at every stage of a run, on a held clock: each snapshot balances and covers only
 * measured time.
 */
#include "engine/run_test.h"

#include "base/log.h"
#include "base/mem.h"

#define LONG (60 * NS_PER_SEC) /* never reached: the run ends earlier */

/* SIGINT some time after the start line; what stalls goes on 100 ms later. */
static void *kill_later(void *arg)
{
    struct load *l = arg;

    busy(l->delay);
    raise(SIGINT);
    busy(100 * MS);
    atomic_store(&l->release, 1);
    return NULL;
}

static void arm(struct load *l)
{
    clock_thread_create(held_clock(held), &l->killer, NULL, kill_later, l);
}

/* How far ahead the start line lies. */
static dur_ns ahead(const struct plan *p)
{
    return p->rate > 0 ? MS + p->clients * 30 * US : 0;
}

/* A run that is interrupted `at` after its start line. */
static void run_until(struct load *l, dur_ns at, const struct plan *p)
{
    l->started = arm;
    l->delay = at + ahead(p);
    CHECK_INT(run(l, p), 0);
    CHECK(res.began);
    clock_thread_join(held_clock(held), l->killer);
    CHECK_INT(res.signal, SIGINT);
}

/* Client 0 is in its first transaction until 600 ms, the signal comes after 500; the two others
 * have done what was planned by then. */
static void interrupted_at_a_rate(void)
{
    struct load l = fresh();
    struct plan p = base_plan(3, 300);

    p.time_limit = LONG;
    l.service = MS;
    l.stall = true;
    run_until(&l, 500 * MS, &p);
    CHECK(res.measured && !res.clients_left);
    CHECK_INT(res.final.rate.total_offered, 151);
    CHECK_INT(res.final.rate.total_done + res.final.rate.waiting, 151);
    CHECK(res.final.rate.waiting <= 1); /* that of 500 ms */
    CHECK_INT(res.final.rate.in_flight, 0);
    CHECK_INT(l.ran[0], 1);
    CHECK_INT(res.final.elapsed_ns, 600 * MS);
}

/* The others end the one that they are in; 500 each. */
static void interrupted_at_full_speed(void)
{
    struct load l = fresh();
    struct plan p = base_plan(3, 0);

    p.time_limit = LONG;
    l.service = MS;
    l.stall = true;
    run_until(&l, 500 * MS, &p);
    CHECK(res.measured && !res.clients_left);
    CHECK_INT(l.ran[0], 1);
    CHECK_INT(l.ran[1], l.ran[2]);
    CHECK_NEAR(l.ran[1], 499, 1); /* they began when client 0 was seen to stall */
    CHECK_INT(res.final.elapsed_ns, 600 * MS);
}

/* One that does not end within the grace of 2 s is abandoned. */
static void *kill_for_good(void *arg)
{
    struct load *l = arg;

    busy(l->delay);
    raise(SIGINT);
    return NULL;
}

static void arm_for_good(struct load *l)
{
    clock_thread_create(held_clock(held), &l->killer, NULL, kill_for_good, l);
}

static void interrupted_and_left(void)
{
    static struct load l;
    struct plan *p = mem_alloc(sizeof *p);

    l = fresh();
    *p = base_plan(2, 0);
    p->time_limit = LONG;
    l.service = MS;
    l.stall = true;
    l.started = arm_for_good;
    l.delay = 500 * MS;
    CHECK_INT(run(&l, p), 0);
    clock_thread_join(held_clock(held), l.killer);
    CHECK(res.measured && res.clients_left && !res.forced);
    CHECK_INT(res.signal, SIGINT);
    CHECK_INT(res.final.elapsed_ns, 2500 * MS);
    atomic_store(&l.release, 1);
    busy(NS_PER_SEC);
}

/* A stop in the middle of a schedule with many sleepers: the starts that they waited for are not
 * offered.  A wide jitter lets starts overtake each other. */
static void interrupted_sleepers(enum arrival_shape shape, dur_ns jitter, enum overload overload)
{
    struct load l = fresh();
    struct plan p = base_plan(64, 20000);

    p.time_limit = LONG;
    p.arrival = shape;
    p.jitter = jitter;
    p.overload = overload;
    p.max_lag = overload == OVERLOAD_QUEUE ? 0 : 5 * MS;
    run_until(&l, 20 * MS + 7, &p);
    CHECK_INT(res.final.elapsed_ns, 20 * MS + 7);
    CHECK_INT(res.final.rate.total_done, res.final.rate.total_offered);
    CHECK_INT(res.final.rate.unfinished, 0);
    if (shape == ARRIVAL_EVEN && !jitter)
        CHECK_INT(res.final.rate.total_offered, 401);
    else
        CHECK_NEAR(res.final.rate.total_offered, 400, 4 * 20);
}

/* Nothing was measured, so nothing is reported, in particular no time since the machine booted. */
static void interrupted_warm_up(double rate)
{
    struct load l = fresh();
    struct plan p = base_plan(2, rate);

    p.warmup = LONG;
    l.service = MS;
    run_until(&l, 200 * MS, &p);
    CHECK(!res.measured);
    CHECK_INT(l.snapshots, 0);
    CHECK_INT(res.final.events, 0);
    CHECK_INT(res.final.elapsed_ns, 1);
    CHECK_STR(res.interrupted, "SIGINT in the warm-up");
}

/* No signal: the script ends the loops before the warm-up is over. */
static void over_in_warm_up(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 0);

    l.cancel_client = 0;
    l.service = MS;
    p.warmup = LONG;
    CHECK_INT(run(&l, &p), 0);
    CHECK(!res.measured);
    CHECK_INT(l.snapshots, 0);
}

/* Nor does a transaction count that began before the signal and ends when the warm-up would have.
 */
static void interrupted_warm_up_in_flight(double rate)
{
    struct load l = fresh();
    struct plan p = base_plan(1, rate);

    p.warmup = 100 * MS;
    p.time_limit = LONG;
    l.stall = true;
    run_until(&l, 50 * MS, &p);
    CHECK(!res.measured && !res.clients_left);
    CHECK_INT(l.snapshots, 0);
    CHECK_INT(res.final.rate.total_offered, 0);
}

static void signal_now(struct load *l, struct run_event *event)
{
    if (event->kind == RUN_READY)
        raise(SIGALRM), raise(SIGINT); /* the first one means nothing and is ignored */
}

/* Between the last client's readiness and the start line. */
static void interrupted_before_the_line(double rate)
{
    struct load l = fresh();
    struct plan p = base_plan(3, rate);

    l.on = signal_now;
    p.time_limit = LONG;
    l.service = MS;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(res.signal, SIGINT);
    CHECK(res.final.elapsed_ns <= MS);
}

static int open_and_raise(struct load *l, struct client *c, struct err *err)
{
    if (client_id(c) == 1)
        raise(SIGINT);
    busy(l->opening * (client_id(c) == 2));
    return 0;
}

/* While clients open: there is no run and no report; a client that is still connecting is left. */
static void interrupted_while_opening(dur_ns opening)
{
    static struct load l;
    struct plan *p = mem_alloc(sizeof *p);

    l = fresh();
    *p = base_plan(3, 0);
    l.opens = open_and_raise;
    l.opening = opening;
    CHECK_INT(run(&l, p), -1);
    CHECK_STR(e.msg, "interrupted before the run began");
    CHECK_INT(res.signal, SIGINT);
    CHECK(!res.began && !res.measured);
    CHECK_INT(res.clients_left, opening > 0);
    busy(NS_PER_SEC);
}

TEST_MAIN(run_signal_test)
{
    test_leaves_memory = true; /* runs abandon clients */
    log_set_verbosity(-1);
    held = held_clock_new();
    interrupted_before_the_line(100); /* the first run: SIGALRM would still end the process */
    interrupted_before_the_line(0);
    interrupted_at_a_rate();
    interrupted_at_full_speed();
    interrupted_and_left();
    interrupted_sleepers(ARRIVAL_EVEN, 0, OVERLOAD_QUEUE);
    interrupted_sleepers(ARRIVAL_EVEN, 20 * MS, OVERLOAD_QUEUE);
    interrupted_sleepers(ARRIVAL_POISSON, MS, OVERLOAD_DROP);
    interrupted_warm_up(0);
    interrupted_warm_up(100);
    interrupted_warm_up_in_flight(0);
    interrupted_warm_up_in_flight(100);
    over_in_warm_up();
    interrupted_while_opening(0);
    interrupted_while_opening(NS_PER_SEC / 2);
    held_clock_free(held);
    return test_done("run_signal_test");
}
