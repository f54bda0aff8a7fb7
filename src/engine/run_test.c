/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole runs on a held clock that last as long as they were meant to: schedules, deadlines,
 * overload, the verdict; each to the nanosecond.  Warm-up, checkpoints and think time are in
 * run_parts_test.c, other ends of runs in run_end_test.c and run_signal_test.c; run_real_test.c has
 * runs in real time.
 */
#include "engine/run_test.h"

#include "base/log.h"
#include "base/mem.h"

static void schedules(void)
{
    RUN(4, 1000, l->service = 500 * US);
    RUN(8, 2.5, p->report_interval = 0); /* planned at 0, 0.4, 0.8 s; it lasts */
    /* N events take N/R; without a rate, as long as they need */
    RUN(3, 200, p->max_events = 50, p->time_limit = 0);
    RUN(3, 0, p->max_events = 50, p->time_limit = 0, l->service = MS);
    /* independent of the number of clients that try for one more: the last would get 3.4 s */
    RUN(32, 10, p->max_events = 3, p->time_limit = 0);
    /* the last part of a pause is waited out, and no start is late or early */
    RUN(2, 1000, p->spin = 50 * US, p->time_limit = NS_PER_SEC / 10);
    RUN(1, 200000, p->time_limit = 10 * MS); /* pauses of less than 10 us */
    /* a loop that ends none of its transactions: they are neither done nor under way */
    RUN(2, 200, l->cancel_all = true);
    /* stock's figure includes the events that a script adds; our counts do not */
    RUN(2, 200, l->counts = true);
    /* an old generation's rate falls behind, but its latencies begin when it begins */
    RUN(1, 200, p->generation = generation_facts(GENERATION_0_4_TX),
        p->old_rate = p->fine_percentiles = true, l->service = 20 * MS);
}

/* With both limits, --rate lasts until the time is over if that comes first: the limit of events is
 * a default in 0.5. */
static void stock_rate_with_both_limits(void)
{
    TRY(2, 20, 0, p->stock_rate = true, p->arrival = ARRIVAL_POISSON, p->max_events = 10000);
    CHECK(res.final.rate.total_offered > 5 && res.final.rate.total_offered < 50);
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC);
}

static void stop_the_world(struct load *l, const struct snapshot *s)
{
    if (s->elapsed_ns == 500 * MS)
        held_clock_stall(held, 120 * MS);
}

static void verdicts(void)
{
    /* all 60 are done, but at 50 a second where the target was 300 */
    RUN(1, 300, l->service = 20 * MS, p->max_events = 60, p->time_limit = 0);
    /* what begins in time may end after the schedule; with a service time of a third of the run it
     * is not known whether the rate would hold */
    RUN(40, 50, l->service = 300 * MS);
    /* a server that does 50 a second gets 100, from clients enough: every start is in time */
    RUN(64, 100, l->service = 20 * MS, l->serial = true, l->reads = 1);
    /* --rate ends with its last event: the verdict knows when the schedule did, too */
    RUN(64, 1000, p->stock_rate = true, p->arrival = ARRIVAL_POISSON, p->max_events = 150,
        p->time_limit = 0, p->tolerance_pct = 20);
    RUN(1, 1000, p->stock_rate = true, p->arrival = ARRIVAL_POISSON, p->max_events = 150,
        p->time_limit = 0, p->tolerance_pct = 20, l->service = 4 * MS);
    /* the process is stopped for 120 ms: the starts of that time are late, and their clients were
     * idle */
    RUN(4, 100, l->watched = stop_the_world);
}

/* --- overload --- */

/* One client of 20 ms service at 200/s: number n is planned 5 n ms after the start and begins
 * 20 n ms after it. */
static void overload(void)
{
    RUN(1, 200, l->service = 20 * MS);
    RUN(1, 200, l->service = 20 * MS, p->overload = OVERLOAD_DROP, p->burst = 5);
    RUN(1, 200, l->service = 20 * MS, p->overload = OVERLOAD_DROP, p->max_lag = 12 * MS);
    /* The backlog is checked every 10 ms.  After 110 ms the oldest start is that of 6 ms, 104 ms
     * old; the transaction under way ends after 120 ms. */
    RUN(1, 1000, l->service = 20 * MS, p->overload = OVERLOAD_ABORT, p->max_lag = 100 * MS,
        p->time_limit = 60 * NS_PER_SEC);
    CHECK(res.measured);
    /* No client takes the next start, since the server has stopped answering: the backlog still
     * ends the run, after the grace period.  Number 51 is one too many; found 60 ms after the
     * start, and 2 s later the grace period ends. */
    RUN(1, 1000, l->stall = true, p->overload = OVERLOAD_ABORT, p->burst = 50,
        p->time_limit = 60 * NS_PER_SEC);
}

TEST_MAIN(run_test)
{
    test_leaves_memory = true; /* runs abandon clients */
    log_set_verbosity(-1);
    held = held_clock_new();
    schedules();
    verdicts();
    overload();
    stock_rate_with_both_limits();
    held_clock_free(held);
    golden_done("run_test");
    return test_done("run_test");
}
