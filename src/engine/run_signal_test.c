/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A signal at every stage of a run, on a held clock: each snapshot balances and covers only
 * measured time.
 */
#include "engine/run_test.h"

#include "base/log.h"
#include "base/mem.h"

#define LONG (60 * NS_PER_SEC) /* never reached: the run ends earlier */

/* A run that is interrupted `at` after its start line. */
static void until(struct load *l, struct plan *p, dur_ns at)
{
    p->time_limit = LONG;
    l->started = interrupt_later;
    l->delay = at + (p->rate > 0 ? MS + p->clients * 30 * US : 0);
}

/* A stop in the middle of a schedule with many sleepers: the starts that they waited for are not
 * offered.  A wide jitter lets starts overtake each other. */
static void interrupted_sleepers(enum arrival_shape shape, dur_ns jitter, enum overload overload)
{
    TRY(64, 20000, 0, until(l, p, 20 * MS + 7), p->arrival = shape, p->jitter = jitter,
        p->overload = overload, p->max_lag = overload == OVERLOAD_QUEUE ? 0 : 5 * MS);
    CHECK_INT(res.signal, SIGINT);
    CHECK_INT(res.final.elapsed_ns, 20 * MS + 7);
    CHECK_INT(res.final.rate.total_done, res.final.rate.total_offered);
    CHECK_INT(rate_unfinished(&res.final.rate), 0);
    if (shape == ARRIVAL_EVEN && !jitter)
        CHECK_INT(res.final.rate.total_offered, 401);
    else
        CHECK_NEAR(res.final.rate.total_offered, 400, 4 * 20);
}

static void signal_now(struct load *l, struct run_event *event)
{
    if (event->kind == RUN_READY)
        raise(SIGALRM), raise(SIGINT); /* the first one means nothing and is ignored */
}

static int open_and_raise(struct load *l, struct client *c, struct err *err)
{
    if (client_id(c) == 1)
        raise(SIGINT);
    busy(client_id(c) == 2 ? (dur_ns)l->after * MS : 0);
    return 0;
}

TEST_MAIN(run_signal_test)
{
    test_leaves_memory = true; /* runs abandon clients */
    log_set_verbosity(-1);
    held = held_clock_new();
    /* between the last client's readiness and the start line; the first run: SIGALRM would still
     * end the process */
    RUN(3, 100, l->on = signal_now, p->time_limit = LONG, l->service = MS);
    RUN(3, 0, l->on = signal_now, p->time_limit = LONG, l->service = MS);
    /* client 0 is in its first transaction until 600 ms; the two others have done what was planned
     * by then, but perhaps that of 500 ms */
    RUN(3, 300, until(l, p, 500 * MS - 1), l->service = MS, l->stall = true, l->ends = true);
    /* the others end the one that they are in */
    RUN(3, 0, until(l, p, 500 * MS - 1), l->service = MS, l->stall = true, l->ends = true);
    /* one that does not end within the grace of 2 s is abandoned */
    RUN(2, 0, until(l, p, 500 * MS - 1), l->service = MS, l->stall = true);
    interrupted_sleepers(ARRIVAL_EVEN, 0, OVERLOAD_QUEUE);
    interrupted_sleepers(ARRIVAL_EVEN, 20 * MS, OVERLOAD_QUEUE);
    interrupted_sleepers(ARRIVAL_POISSON, MS, OVERLOAD_DROP);
    /* in a warm-up nothing was measured, so nothing is reported, in particular no time since the
     * machine booted */
    RUN(2, 0, until(l, p, 200 * MS), p->warmup = LONG, l->service = MS);
    RUN(2, 100, until(l, p, 200 * MS), p->warmup = LONG, l->service = MS);
    /* nor does a transaction count that began before the signal and ends when the warm-up would
     * have */
    RUN(1, 0, until(l, p, 50 * MS), p->warmup = 100 * MS, l->stall = true, l->ends = true);
    RUN(1, 100, until(l, p, 50 * MS), p->warmup = 100 * MS, l->stall = true, l->ends = true);
    /* no signal: the script ends the loops before the warm-up is over */
    RUN(1, 0, l->cancel_client = 0, l->service = MS, p->warmup = LONG);
    /* while clients open: there is no run and no report; one that is still connecting is left */
    RUN(3, 0, l->opens = open_and_raise);
    RUN(3, 0, l->opens = open_and_raise, l->after = 500);
    held_clock_free(held);
    golden_done("run_signal_test");
    return test_done("run_signal_test");
}
