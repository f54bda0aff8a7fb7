/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole runs in real time, with a thread for each client and with workers: the counts balance in
 * every snapshot however threads interleave and however late they wake.  Nothing here depends on
 * the speed of the machine; run_test.c and run_end_test.c check durations.
 */
#include "engine/run_test.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/test_timed.h"
#include "engine/client_state.h"
#include "fiber/sched.h"

#define CONNECTING (SCHED_CONNECTS + 6)
#define LONG       (60 * NS_PER_SEC) /* never reached: the run ends earlier */

static void whole(double rate)
{
    TRY(4, rate, 0, p->time_limit = 300 * MS, l->service = MS / 10);
    CHECK(res.final.elapsed_ns >= 300 * MS);
    CHECK_INT(res.final.rate.total_offered, rate ? 300 : 0);
    CHECK_INT(res.final.rate.total_done + rate_unfinished(&res.final.rate), rate ? 300 : 0);
    CHECK_INT(res.final.rate.response.n, res.final.rate.total_done);
}

static void limits(void)
{
    TRY(3, 500, 0, p->max_events = 50, p->time_limit = 0);
    CHECK_INT(res.final.rate.total_done, 50);
    CHECK(res.final.elapsed_ns >= 100 * MS);
    TRY(3, 0, 0, p->max_events = 50, p->time_limit = 0);
    CHECK_INT(res.final.events, 50);
    TRY(4, 1000, -1, p->time_limit = LONG, l->fail_client = 2);
    CHECK_STR(e.msg, "client 2 fails");
    CHECK_INT(res.final.rate.total_failed, 1);
    CHECK(res.measured);
    TRY(2, 1000, 0, l->cancel_client = 1, p->max_events = 200, p->time_limit = 0);
    CHECK_INT(res.final.rate.total_offered, 200);
    CHECK_INT(res.final.rate.withdrawn, 1);
    CHECK_INT(ran[1], 9);
    /* aligned arrivals: 4 at the start, 4 each 4 ms from 8 to 296, those at 300 on either side of
     * the limit, and one more of each client at most */
    TRY(4, 1000, 0, p->time_limit = 300 * MS, p->arrival = ARRIVAL_ALIGNED, l->service = MS / 10);
    CHECK(res.final.rate.total_offered >= 296 && res.final.rate.total_offered <= 304);
    CHECK_INT(res.final.rate.total_done + rate_unfinished(&res.final.rate),
              res.final.rate.total_offered);
}

/* --- signals --- */

static void interrupt_after(struct load *l, dur_ns delay)
{
    l->started = interrupt_later;
    l->delay = delay;
}

/* A stop in the middle of a schedule with many sleepers: the starts that they waited for are not
 * offered, and none begins, however long it takes to wake them all (cut_off_note).  A wide jitter
 * lets starts overtake each other. */
static void interrupted_sleepers(enum arrival_shape shape, dur_ns jitter, enum overload overload)
{
    for (int i = 0; i < 4; i++) {
        TRY(64, 20000, 0, p->time_limit = LONG, p->arrival = shape, p->jitter = jitter,
            p->overload = overload, p->max_lag = overload == OVERLOAD_QUEUE ? 0 : 5 * MS,
            interrupt_after(l, 50 * MS + i * MS));
        CHECK(res.began);
        CHECK_INT(res.signal, SIGINT);
    }
}

/* Clients that sleep on after the time limit, up to some seconds: a signal wakes them all, and
 * their starts are not offered. */
static void interrupted_after_the_limit(void)
{
    TRY(64, 10, 0, p->time_limit = 20 * MS, p->arrival = ARRIVAL_ALIGNED,
        interrupt_after(l, 50 * MS));
    CHECK_INT(res.signal, SIGINT);
    CHECK(!res.clients_left);
    CHECK_TIMED(res.final.rate.total_offered < 64);
}

static int open_late(struct load *l, struct client *c, struct err *err)
{
    if (client_id(c) == 0)
        kill(getpid(), SIGINT);
    return 0;
}

/* While clients open: the run ends without a report.  Sometimes all of them are ready when it is
 * noticed, and must have ended before their memory goes; a signal that is delivered late ends a
 * run that has begun. */
static void interrupted_while_opening(void)
{
    for (int i = 0; i < 50; i++) {
        struct load *l = mem_alloc(sizeof *l); /* abandoned threads still read it */
        struct plan *p = mem_alloc(sizeof *p);

        *l = fresh();
        l->opens = open_late;
        *p = base_plan(1 + i % 3, 0);
        p->time_limit = LONG;
        CHECK_INT(run(l, p), res.began ? 0 : -1);
        CHECK_INT(res.signal, SIGINT);
        CHECK(res.began || !res.measured);
        if (!res.clients_left) {
            free(l);
            free(p);
        }
    }
}

/* --- the end of the warm-up (warm_up_note) --- */

/* While all clients are as busy as can be; exactly `events` follow the warm-up. */
static void cut_once(double rate, uint64_t events)
{
    TRY(4, rate, 0, p->warmup = 100 * MS, p->time_limit = events ? 0 : 100 * MS,
        p->max_events = events, p->warmup_reports = p->keep_histograms = true, l->reads = 3,
        l->watched = check_figures);
    CHECK(!events || res.final.events == events);
}

/* Forced shutdown: client 0 hangs over the deadline, and one transaction is in flight when the
 * grace period ends; the abandoned client ends by itself, and its memory still exists. */
static void forced(void)
{
    TRY(2, 100, -1, p->time_limit = 200 * MS, p->forced = FORCED_ON, p->forced_grace = 100 * MS,
        l->stall = true);
    CHECK(res.forced && res.clients_left);
    CHECK_INT(res.final.unfinished_forced, res.final.rate.in_flight);
    CHECK(res.final.rate.in_flight >= 1);
    CHECK_INT(res.final.rate.total_done + rate_unfinished(&res.final.rate), 20);
}

static void all(void)
{
    whole(1000);
    whole(0);
    limits();
    interrupted_sleepers(ARRIVAL_EVEN, 0, OVERLOAD_QUEUE);
    interrupted_sleepers(ARRIVAL_EVEN, 20 * MS, OVERLOAD_QUEUE);
    interrupted_sleepers(ARRIVAL_POISSON, MS, OVERLOAD_DROP);
    interrupted_sleepers(ARRIVAL_ALIGNED, 20 * MS, OVERLOAD_QUEUE);
    TIMED(interrupted_after_the_limit);
    interrupted_while_opening();
    cut_once(0, 0);
    cut_once(0, 1000);
    cut_once(20000, 0);
    cut_once(20000, 50);
    forced();
}

/* --- a change of the rate while more clients connect than a worker lets --- */

static _Atomic int in_transaction, changed, arrived, refused;

static void await_all(_Atomic int *count, int all)
{
    while (atomic_load(count) < all)
        busy(MS / 10);
}

/* All hold a transaction, so each has yet to see the change when it connects. */
static int reconnect(struct load *l, struct client *c, struct err *err)
{
    if (!client_next(c))
        return 0;
    client_begin(c);
    atomic_fetch_add(&in_transaction, 1);
    await_all(&in_transaction, CONNECTING);
    if (client_id(c) == 0) {
        CHECK_INT(run_set_rate_here(500, NULL, err), 0);
        atomic_store(&changed, 1);
    }
    await_all(&changed, 1);
    atomic_fetch_add(&arrived, 1);
    if (!client_connecting(c, true, -1))
        atomic_fetch_add(&refused, 1);
    await_all(&arrived, CONNECTING); /* before that, nobody's turn is over */
    client_connecting(c, false, -1);
    client_end(c);
    return 0;
}

static void rate_changes_while_connecting(void)
{
    TRY(CONNECTING, 10000, 0, l->runs = reconnect, p->rate_changes = true, p->time_limit = LONG,
        p->workers = 1);
    CHECK_INT(arrived, CONNECTING);
    CHECK_INT(refused, 0);
    CHECK_INT(res.final.rate.total_done, CONNECTING);
}

TEST_MAIN(run_real_test)
{
    test_leaves_memory = true; /* runs abandon clients */
    log_set_verbosity(-1);
    for (test_workers = 0; test_workers <= 2; test_workers++)
        all();
    rate_changes_while_connecting();
    return timed_done("run_real_test");
}
