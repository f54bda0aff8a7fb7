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

/* --- schedules and their ends --- */

static void even_rate(void)
{
    struct load l = fresh();
    struct plan p = base_plan(4, 1000);

    l.service = 500 * US;
    CHECK_INT(run(&l, &p), 0);
    check_rate(1000, 1000, 0, 0);
    CHECK_INT(l.snapshots, 11);
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC);
    for (int i = 0; i < 4; i++)
        CHECK_INT(l.ran[i], 250);
    CHECK_INT(res.final.rate.lag.max, 0);
    CHECK_INT(res.final.rate.total_late, 0);
    check_ns(res.final.rate.response.max, 500 * US);
    check_ns(res.final.rate.service.p50, 500 * US);
    CHECK(res.sustained);
    CHECK_STR(res.why, "");
}

static void low_rate_lasts(void)
{
    struct load l = fresh();
    struct plan p = base_plan(8, 2.5);

    CHECK_INT(run(&l, &p), 0); /* planned at 0, 0.4, 0.8 s */
    check_rate(3, 3, 0, 0);
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC);
    CHECK(res.sustained);
}

/* N events take N/R; without a rate, as long as they need. */
static void events_limit(void)
{
    struct load l = fresh();
    struct plan p = base_plan(3, 200);

    p.max_events = 50;
    p.time_limit = 0;
    CHECK_INT(run(&l, &p), 0);
    check_rate(50, 50, 0, 0);
    CHECK_INT(res.final.elapsed_ns, 250 * MS);
    l = fresh();
    l.service = MS;
    p.rate = 0;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(res.final.events, 50);
    CHECK_INT(res.final.elapsed_ns, 17 * MS);
}

/* Independent of the number of clients that try for one more. */
static void clients_are_told_one_end(void)
{
    struct load l = fresh();
    struct plan p = base_plan(32, 10); /* the last of the 32 would get 3.4 s */

    p.max_events = 3;
    p.time_limit = 0;
    CHECK_INT(run(&l, &p), 0);
    check_rate(3, 3, 0, 0);
    CHECK_INT(res.final.elapsed_ns, 300 * MS);
}

/* --tx-spin: the last part of a pause is waited out, and no start is late or early. */
static void spinning(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 1000);

    p.spin = 50 * US;
    p.time_limit = NS_PER_SEC / 10;
    CHECK_INT(run(&l, &p), 0);
    check_rate(100, 100, 0, 0);
    CHECK_INT(res.final.rate.lag.max, 0);
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC / 10);
}

/* The client spins for a pause of less than 10 us. */
static void short_pauses(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 200000);

    p.time_limit = 10 * MS;
    CHECK_INT(run(&l, &p), 0);
    check_rate(2000, 2000, 0, 0);
    CHECK_INT(res.final.rate.lag.max, 0);
}

/* --- the verdict --- */

/* All 60 are done, but at 50 a second where the target was 300. */
static void overtaken_by_the_schedule(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 300);

    l.service = 20 * MS;
    p.max_events = 60;
    p.time_limit = 0;
    CHECK_INT(run(&l, &p), 0);
    check_rate(60, 60, 0, 0);
    CHECK_INT(res.final.elapsed_ns, 1200 * MS);
    CHECK(!res.sustained);
    CHECK_STR(res.why,
              "one client does 50/s at most at 20.0 ms a transaction; 6 are needed for 300/s");
}

/* What begins in time may end after the schedule; but with a service time of a third of the run it
 * is not known whether the rate would hold. */
static void slow_but_in_time(void)
{
    struct load l = fresh();
    struct plan p = base_plan(40, 50);

    l.service = 300 * MS;
    CHECK_INT(run(&l, &p), 0);
    check_rate(50, 50, 0, 0);
    CHECK(res.unknown && !res.sustained);
    CHECK_INT(res.final.elapsed_ns, 1280 * MS);
}

/* A server that does 50 a second gets 100, from clients enough to send them all: every start is
 * in time. */
static void piled_up(void)
{
    struct load l = fresh();
    struct plan p = base_plan(64, 100);

    l.service = 20 * MS;
    l.serial = true;
    l.reads = 1;
    CHECK_INT(run(&l, &p), 0);
    check_rate(100, 100, 0, 0);
    CHECK_INT(res.final.rate.lag.max, 0);
    CHECK_INT(res.final.elapsed_ns, 2 * NS_PER_SEC);
    CHECK(!res.sustained);
    CHECK(strstr(res.why, "transactions waited for each other in the server"));
}

/* --rate ends with its last event: the verdict knows when the schedule did, too. */
static void judged_at_stock_rate(int clients, dur_ns service, bool sustained, const char *why)
{
    struct load l = fresh();
    struct plan p = base_plan(clients, 1000);

    p.stock_rate = true;
    p.arrival = ARRIVAL_POISSON;
    p.max_events = 150;
    p.time_limit = 0;
    p.tolerance_pct = 20;
    l.service = service;
    CHECK_INT(run(&l, &p), 0);
    check_rate(150, 150, 0, 0);
    CHECK_INT(res.sustained, sustained);
    CHECK_STR(res.why, why);
}

/* With both limits, --rate lasts until the time is over if that comes first: the limit of events is
 * a default in 0.5. */
static void stock_rate_with_both_limits(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 20);

    p.stock_rate = true;
    p.arrival = ARRIVAL_POISSON;
    p.max_events = 10000;
    CHECK_INT(run(&l, &p), 0);
    CHECK(res.final.rate.total_offered > 5 && res.final.rate.total_offered < 50);
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC);
}

/* A loop that ends none of its transactions: they are neither done nor under way. */
static void withdrawn(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 200);

    l.cancel_all = true;
    CHECK_INT(run(&l, &p), 0);
    check_rate(200, 0, 0, 200);
    CHECK_INT(res.final.rate.withdrawn, 200);
    CHECK_INT(res.final.rate.waiting, 0);
    CHECK_INT(res.final.rate.in_flight, 0);
    CHECK_INT(res.final.rate.response.n, 0);
    CHECK_INT(res.final.rate.response.p99, -1);
    CHECK(!res.sustained);
    CHECK_STR(res.why, "the script withdrew 200 of 200 transactions; check its event loop");
}

/* Stock's figure includes the events that a script adds; our counts do not. */
static void counted_by_the_script(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 200);

    l.counts = true;
    CHECK_INT(run(&l, &p), 0);
    check_rate(200, 200, 0, 0);
    CHECK_INT(res.final.events, 400);
}

static void stop_the_world(struct load *l, const struct snapshot *s)
{
    if (s->elapsed_ns == 500 * MS)
        held_clock_stall(held, 120 * MS);
    (void)l;
}

/* The process is stopped for 120 ms: the starts of that time are late, and their clients were
 * idle. */
static void stopped_for_a_while(void)
{
    struct load l = fresh();
    struct plan p = base_plan(4, 100);

    l.watched = stop_the_world;
    CHECK_INT(run(&l, &p), 0);
    check_rate(100, 100, 0, 0);
    /* planned at 510 to 610 ms, began at 620 */
    CHECK_INT(res.final.rate.total_late, 11);
    check_ns(res.final.rate.lag.max, 110 * MS);
    CHECK(res.sustained);
    CHECK_STR(
        res.why,
        "after a backlog of up to 12 transactions between second 0.5 and 0.6; p95 includes it: the "
        "load generator woke up late, by up to 110.000 ms (4 of 11 late starts had an idle "
        "client); give it more CPU time");
    CHECK_INT(l.snapshots, 11);
}

/* --- overload --- */

/* One client of 20 ms service at 200/s: number n is planned 5 n ms after the start and begins
 * 20 n ms after it. */
static void overload_queue(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 200);

    l.service = 20 * MS;
    CHECK_INT(run(&l, &p), 0);
    check_rate(200, 50, 0, 150);
    CHECK_INT(res.final.rate.waiting, 150);
    CHECK_INT(res.final.rate.total_late, 49);
    check_ns(res.final.rate.lag.max, 49 * 15 * MS);
    check_ns(res.final.rate.response.max, 49 * 15 * MS + 20 * MS);
    check_ns(res.final.rate.service.max, 20 * MS);
    CHECK(!res.sustained);
    CHECK_STR(res.why,
              "one client does 50/s at most at 20.0 ms a transaction; 4 are needed for 200/s");
}

/* The same, of which 5 overdue ones are kept. */
static void overload_drop(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 200);

    l.service = 20 * MS;
    p.overload = OVERLOAD_DROP;
    p.burst = 5;
    CHECK_INT(run(&l, &p), 0);
    check_rate(200, 50, 145, 5);
    check_ns(res.final.rate.lag.max, 20 * MS);
    CHECK(!res.sustained);
}

/* Starts older than 12 ms are dropped. */
static void dropped_for_its_age(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 200);

    l.service = 20 * MS;
    p.overload = OVERLOAD_DROP;
    p.max_lag = 12 * MS;
    CHECK_INT(run(&l, &p), 0);
    check_rate(200, 50, 148, 2);
    check_ns(res.final.rate.lag.max, 10 * MS);
}

/* The backlog is checked every 10 ms.  After 110 ms the oldest start is that of 6 ms, 104 ms old;
 * the transaction under way ends after 120 ms. */
static void overload_abort(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 1000);

    l.service = 20 * MS;
    p.overload = OVERLOAD_ABORT;
    p.max_lag = 100 * MS;
    p.time_limit = 60 * NS_PER_SEC;
    CHECK_INT(run(&l, &p), -1);
    CHECK(res.measured);
    CHECK(strstr(e.msg, "more transactions were overdue") != NULL);
    CHECK_INT(res.final.elapsed_ns, 120 * MS);
    check_rate(111, 6, 0, 105);
}

/* No client takes the next start, since the server has stopped answering: the backlog still ends
 * the run, after the grace period. */
static void overload_abort_unasked(void)
{
    struct load l = fresh(); /* its client ends before this returns */
    struct plan *p = mem_alloc(sizeof *p);

    *p = base_plan(1, 1000);
    l.stall = true;
    p->overload = OVERLOAD_ABORT;
    p->burst = 50;
    p->time_limit = 60 * NS_PER_SEC;
    CHECK_INT(run(&l, p), -1);
    CHECK(res.clients_left && !res.forced && res.overloaded);
    CHECK(strstr(e.msg, "more transactions were overdue") != NULL);
    /* number 51 is one too many; found 60 ms after the start, and 2 s later the grace period
     * ends */
    CHECK_INT(res.final.elapsed_ns, 2060 * MS);
    CHECK_INT(res.final.rate.in_flight, 1);
    check_rate(61, 0, 0, 61);
    CHECK_INT(res.final.rate.oldest_ns, 2060 * MS);
    atomic_store(&l.release, 1);
    busy(NS_PER_SEC);
}

/* An old generation's rate: one client of 20 ms service at 200/s falls behind, but its latencies
 * begin when it begins, and have all digits. */
static void old_rate(void)
{
    struct plan p = base_plan(1, 200);
    struct load l = fresh();

    p.generation = generation_facts(GENERATION_0_4_TX);
    p.old_rate = p.fine_percentiles = true;
    l.service = 20 * MS;
    run(&l, &p);
    CHECK_NEAR(res.final.latency_min_ms, 20, 0);
    CHECK_NEAR(res.final.latency_max_ms, 20, 0);
    CHECK_NEAR(res.final.latency_pct_ms[0], 20, 0.02);
    CHECK(res.final.rate.response.max > 40 * MS);
}

TEST_MAIN(run_test)
{
    test_leaves_memory = true; /* runs abandon clients */
    log_set_verbosity(-1);
    held = held_clock_new();
    even_rate();
    low_rate_lasts();
    events_limit();
    clients_are_told_one_end();
    spinning();
    short_pauses();
    overtaken_by_the_schedule();
    slow_but_in_time();
    piled_up();
    withdrawn();
    judged_at_stock_rate(64, 0, true, "");
    judged_at_stock_rate(
        1, 4 * MS, false,
        "one client does 250/s at most at 4.0 ms a transaction; 4 are needed for 1,000/s");
    stock_rate_with_both_limits();
    counted_by_the_script();
    stopped_for_a_while();
    overload_queue();
    overload_drop();
    dropped_for_its_age();
    overload_abort();
    overload_abort_unasked();
    old_rate();
    held_clock_free(held);
    return test_done("run_test");
}
