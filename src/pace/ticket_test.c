/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tickets without a clock: `now` is an argument, so overload, drops and counts are exact arithmetic
 * here; the lock-free path is checked under threads for tickets lost or given twice.
 */
#include "pace/ticket.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/test.h"

static struct ticket_spec even(double rate)
{
    struct ticket_spec s = {
        .arrivals = {.shape = ARRIVAL_EVEN, .rate = rate, .clients = 1, .seed = 1},
        .overload = OVERLOAD_QUEUE,
        .horizon = MONO_NEVER};
    return s;
}

static void even_schedule(void)
{
    struct ticket_spec s = even(1200);
    struct tickets *t;
    struct ticket k;

    s.horizon = 30 * NS_PER_SEC;
    t = tickets_new(&s);
    for (uint64_t i = 0; i < 36000; i++) {
        CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OK);
        CHECK_INT(k.k, i);
        CHECK_INT(k.planned, (int64_t)((i * 10000000 + 11) / 12)); /* never before k/R */
    }
    CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OVER);
    CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OVER);
    CHECK_INT(tickets_issued(t), 36000);
    CHECK_INT(tickets_offered(t, 100 * NS_PER_SEC), 36000);
    CHECK_INT(tickets_offered(t, s.horizon), 36000); /* the one planned at the end is not of it */
    CHECK_INT(tickets_offered(t, s.horizon - 1), 36000);
    CHECK_INT(tickets_offered(t, 0), 1);
    CHECK_INT(tickets_offered(t, -1), 0);
    CHECK_INT(tickets_offered(t, NS_PER_SEC - 1), 1200);
    CHECK_INT(tickets_offered(t, NS_PER_SEC), 1201);
    CHECK_INT(tickets_next_planned(t), MONO_NEVER);
    tickets_free(t);
}

static void limited_by_events(void)
{
    struct ticket_spec s = even(0.1);
    struct tickets *t;
    struct ticket k;

    s.max_tickets = 3;
    t = tickets_new(&s);
    for (int i = 0; i < 3; i++)
        CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OK);
    CHECK_INT(k.planned, 20 * NS_PER_SEC);
    CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OVER);
    CHECK_INT(k.base, 30 * NS_PER_SEC); /* where the fourth would have been, for every caller */
    CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OVER);
    CHECK_INT(k.base, 30 * NS_PER_SEC);
    CHECK_INT(tickets_offered(t, 1000 * NS_PER_SEC), 3);
    tickets_free(t);
}

/* A late client takes a ticket whose time has passed: nothing is lost without a limit. */
static void backlog_is_kept(void)
{
    struct ticket_spec s = even(1000);
    struct tickets *t = tickets_new(&s);
    struct ticket k;

    CHECK_INT(tickets_take(t, 0, 5 * NS_PER_SEC, &k), TICKET_OK);
    CHECK_INT(k.planned, 0);
    CHECK_INT(tickets_offered(t, 5 * NS_PER_SEC) - tickets_issued(t), 5000);
    CHECK_INT(tickets_dropped(t), 0);
    CHECK_INT(tickets_next_planned(t), NS_PER_MS);
    tickets_free(t);
}

static void burst_limits_backlog(void)
{
    struct ticket_spec s = even(1000);
    struct tickets *t;
    struct ticket k;

    s.overload = OVERLOAD_DROP;
    s.burst = 10;
    t = tickets_new(&s);
    /* at 5 s, 5001 arrivals are due; the last 10 may still be taken */
    CHECK_INT(tickets_take(t, 0, 5 * NS_PER_SEC, &k), TICKET_OK);
    CHECK_INT(k.k, 4991);
    CHECK_INT(tickets_dropped(t), 4991);
    CHECK_INT(tickets_issued(t), 4992);
    /* no client is idle: the reporter sheds */
    CHECK_INT(tickets_shed(t, 6 * NS_PER_SEC), TICKET_OK);
    CHECK_INT(tickets_dropped(t), 4991 + 999); /* 6001 due, 10 kept, one taken before */
    CHECK_INT(tickets_offered(t, 6 * NS_PER_SEC) - tickets_issued(t), 10);
    tickets_free(t);
}

static void age_limits_backlog(void)
{
    struct ticket_spec s = even(1000);
    struct tickets *t;
    struct ticket k;

    s.overload = OVERLOAD_DROP;
    s.max_lag = 20 * NS_PER_MS;
    t = tickets_new(&s);
    CHECK_INT(tickets_take(t, 0, NS_PER_SEC, &k), TICKET_OK);
    CHECK_INT(k.planned, 980 * NS_PER_MS);
    CHECK_INT(tickets_dropped(t), 980);
    tickets_free(t);
    s.overload = OVERLOAD_ABORT;
    t = tickets_new(&s);
    CHECK_INT(tickets_take(t, 0, 20 * NS_PER_MS, &k), TICKET_OK);
    CHECK_INT(tickets_take(t, 0, NS_PER_SEC, &k), TICKET_OVERLOAD);
    CHECK_INT(tickets_dropped(t), 0);
    tickets_free(t);
}

/* Closing cuts the schedule: tickets beyond the cut are no longer offered, those before it are. */
static void closed_early(void)
{
    static const enum arrival_shape shapes[] = {ARRIVAL_EVEN, ARRIVAL_POISSON};

    for (size_t i = 0; i < 2; i++) {
        struct ticket_spec s = even(1000);
        struct tickets *t;
        struct ticket first, last = {0};
        uint64_t offered;
        s.arrivals.shape = shapes[i];
        t = tickets_new(&s);
        tickets_take(t, 0, 0, &first);
        for (int k = 0; k < 2000; k++)
            tickets_take(t, 0, 0, &last);
        tickets_close(t, NS_PER_SEC);
        offered = tickets_offered(t, 10 * NS_PER_SEC);
        CHECK(offered > 900 && offered < 1100);
        CHECK(tickets_give_back(t, 0, &first));
        CHECK_INT(tickets_issued(t), 2001);
        CHECK(!tickets_give_back(t, 0, &last));
        CHECK_INT(tickets_issued(t), 2000); /* as if it had never been taken */
        CHECK_INT(tickets_take(t, 0, 0, &last), TICKET_OVER);
        tickets_close(t, 5 * NS_PER_SEC); /* a later close does not reopen */
        CHECK_INT(tickets_offered(t, 10 * NS_PER_SEC), offered);
        tickets_free(t);
    }
}

/* At a rate too high to walk the queue, dropped arrivals are skipped. */
static void drops_at_any_rate(void)
{
    struct ticket_spec s = even(1e9);
    struct tickets *t;
    struct ticket k;

    s.overload = OVERLOAD_DROP;
    s.burst = 10;
    t = tickets_new(&s);
    CHECK_INT(tickets_take(t, 0, 3600 * NS_PER_SEC, &k), TICKET_OK);
    CHECK_INT(k.planned, 3600 * NS_PER_SEC - 9);
    CHECK_INT(tickets_dropped(t), 3600 * NS_PER_SEC - 9);
    tickets_free(t);
    s.burst = 0;
    s.max_lag = NS_PER_MS;
    t = tickets_new(&s);
    CHECK_INT(tickets_take(t, 0, 3600 * NS_PER_SEC, &k), TICKET_OK);
    CHECK_INT(k.planned, 3600 * NS_PER_SEC - NS_PER_MS);
    /* after the end nothing grows older */
    tickets_close(t, 3600 * NS_PER_SEC);
    CHECK_INT(tickets_shed(t, 3700 * NS_PER_SEC), TICKET_OK);
    CHECK_INT(tickets_dropped(t), 3600 * NS_PER_SEC - NS_PER_MS);
    CHECK_INT(tickets_offered(t, 3700 * NS_PER_SEC) - tickets_issued(t), NS_PER_MS);
    tickets_free(t);
}

/* A jitter of many gaps: tickets come in the order of their planned starts, each once, and a
 * close cuts by what was planned, not by where the schedule had put it. */
static void wide_jitter(enum arrival_shape shape)
{
    struct ticket_spec s = even(1000);
    uint64_t at_close = 0, taken = 0;
    uint8_t *seen = mem_array(5000, 1);
    struct tickets *t, *u;
    struct ticket k;
    dur_ns last = 0;

    s.arrivals.shape = shape;
    s.arrivals.jitter = NS_PER_SEC;
    s.arrivals.clients = 7;
    s.max_tickets = 5000;
    t = tickets_new(&s);
    u = tickets_new(&s);
    while (tickets_take(t, 0, 0, &k) == TICKET_OK) {
        CHECK(k.planned >= last);
        CHECK(k.planned - k.base <= NS_PER_SEC / 2 && k.base - k.planned <= NS_PER_SEC / 2);
        CHECK(k.k < 5000 && !seen[k.k]++);
        last = k.planned;
        at_close += last <= 2 * NS_PER_SEC;
        taken++;
    }
    CHECK_INT(taken, 5000);
    CHECK_INT(tickets_offered(t, 60 * NS_PER_SEC), 5000);
    tickets_close(u, 2 * NS_PER_SEC);
    CHECK_INT(tickets_offered(u, 60 * NS_PER_SEC), at_close);
    for (taken = 0; tickets_take(u, 0, 60 * NS_PER_SEC, &k) == TICKET_OK; taken++)
        ;
    CHECK_INT(taken, at_close);
    CHECK_INT(tickets_next_planned(u), MONO_NEVER);
    tickets_free(t);
    tickets_free(u);
    free(seen);
}

/* A wide window neither begins nor ends a run with a burst: every tenth of it has its tenth of
 * the starts. */
static void edges_are_as_dense(void)
{
    struct ticket_spec s = even(10000);
    int tenth[10] = {0};
    struct tickets *t;
    struct ticket k;

    s.arrivals.jitter = 2 * NS_PER_SEC;
    s.horizon = 5 * NS_PER_SEC;
    t = tickets_new(&s);
    while (tickets_take(t, 0, 0, &k) == TICKET_OK) {
        CHECK(k.planned >= 0 && k.planned < s.horizon);
        tenth[k.planned / (s.horizon / 10)]++;
    }
    for (int i = 0; i < 10; i++)
        CHECK_NEAR(tenth[i], 5000, 350); /* 5 standard deviations */
    tickets_free(t);
    s.horizon = NS_PER_SEC / 10; /* shorter than the window */
    t = tickets_new(&s);
    for (int i = 0; i < 1000; i++) {
        CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OK);
        CHECK(k.planned >= 0 && k.planned < s.horizon);
    }
    CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OVER);
    CHECK_INT(tickets_offered(t, s.horizon), 1000);
    tickets_free(t);
}

/* A schedule that a number of events ends has an end as well: the last starts are mirrored
 * there, not moved behind it, and each start is still planned once. */
static void ends_with_its_events(enum arrival_shape shape, dur_ns jitter, dur_ns horizon)
{
    struct ticket_spec s = even(50);
    struct tickets *t;
    struct ticket k;
    dur_ns last = 0, half = jitter / 2 + 1;

    s.arrivals.shape = shape;
    s.arrivals.jitter = jitter;
    s.arrivals.clients = 4;
    s.max_tickets = 50;
    s.horizon = horizon;
    for (s.arrivals.seed = 1; s.arrivals.seed <= 200; s.arrivals.seed++) {
        int n = 0;
        t = tickets_new(&s);
        for (; tickets_take(t, 0, 0, &k) == TICKET_OK; n++) {
            last = k.planned;
            CHECK(k.planned >= 0 && k.planned - k.base <= half && k.base - k.planned <= half);
        }
        CHECK_INT(n, 50);
        CHECK(last < k.base); /* where the 51st would have been */
        CHECK_INT(tickets_offered(t, k.base), 50);
        tickets_free(t);
    }
}

/* For every shape and jitter: what is offered at t is exactly the tickets planned at or before
 * t. */
static void offered_is_planned(void)
{
    static const struct {
        enum arrival_shape shape;
        dur_ns jitter;
    } t[] = {{ARRIVAL_EVEN, 0},
             {ARRIVAL_EVEN, 500 * NS_PER_US},
             {ARRIVAL_EVEN, 50 * NS_PER_MS},
             {ARRIVAL_POISSON, 0},
             {ARRIVAL_POISSON, 3 * NS_PER_MS},
             {ARRIVAL_ALIGNED, 0},
             {ARRIVAL_ALIGNED, 2 * NS_PER_MS}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct ticket_spec s = even(997);
        struct tickets *a, *b;
        dur_ns planned[3000];
        s.arrivals.shape = t[i].shape;
        s.arrivals.jitter = t[i].jitter;
        s.arrivals.clients = 4;
        a = tickets_new(&s);
        b = tickets_new(&s);
        for (int k = 0; k < 3000; k++) {
            struct ticket x;
            tickets_take(a, k % 4, 0, &x); /* aligned: the clients in turn */
            planned[k] = x.planned;
        }
        for (dur_ns now = 0; now < 2 * NS_PER_SEC; now += 13 * NS_PER_MS) {
            uint64_t want = 0;
            for (int k = 0; k < 3000; k++)
                want += planned[k] <= now;
            CHECK_INT(tickets_offered(b, now), want);
        }
        tickets_free(a);
        tickets_free(b);
    }
}

/* In the order of their planned starts, also where the jitter is a few gaps of a few ns, so that
 * arrivals move by all of it. */
static void in_order(void)
{
    for (dur_ns jitter = 1; jitter <= 40; jitter++) {
        struct ticket_spec s = even(1e8);
        struct tickets *t;
        struct ticket k;
        dur_ns last = 0;
        int backwards = 0;

        s.arrivals.jitter = jitter;
        s.max_tickets = 2000;
        t = tickets_new(&s);
        while (tickets_take(t, 0, 0, &k) == TICKET_OK) {
            backwards += k.planned < last;
            last = k.planned;
        }
        CHECK_INT(backwards, 0);
        tickets_free(t);
    }
}

struct taker {
    pthread_t thread;
    struct tickets *t;
    uint8_t *seen;
    uint64_t taken;
};

static void *take_all(void *arg)
{
    struct taker *w = arg;
    struct ticket k;

    while (tickets_take(w->t, 0, 0, &k) == TICKET_OK) {
        __atomic_fetch_add(&w->seen[k.k], 1, __ATOMIC_RELAXED);
        w->taken++;
    }
    return NULL;
}

static void every_ticket_once(enum arrival_shape shape)
{
    struct ticket_spec s = even(100000);
    uint8_t *seen = mem_array(300000, 1);
    struct taker w[8];
    uint64_t taken = 0, twice = 0;
    struct tickets *t;

    s.arrivals.shape = shape;
    s.max_tickets = 200000;
    t = tickets_new(&s);
    for (int i = 0; i < 8; i++) {
        w[i] = (struct taker){.t = t, .seen = seen};
        pthread_create(&w[i].thread, NULL, take_all, &w[i]);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(w[i].thread, NULL);
        taken += w[i].taken;
    }
    for (int k = 0; k < 300000; k++)
        twice += seen[k] != (k < 200000);
    CHECK_INT(taken, 200000);
    CHECK_INT(twice, 0);
    CHECK_INT(tickets_issued(t), 200000);
    tickets_free(t);
    free(seen);
}

/* Whoever looks first, a client or the reporter, long after the backlog was too deep: the starts
 * since then are not walked, and nobody can take one. */
static void ends_when_full(bool reporter, bool jitter)
{
    struct ticket_spec s = even(2e9);
    struct ticket k;
    dur_ns last = 0;

    s.arrivals.shape = ARRIVAL_POISSON;
    s.arrivals.jitter = jitter ? 100 : 0;
    s.overload = OVERLOAD_ABORT;
    s.burst = 1000;
    s.ends_when_full = true;
    struct tickets *t = tickets_new(&s);
    CHECK_INT(tickets_take(t, 0, -1, &k), TICKET_OK); /* two clients are early */
    CHECK_INT(tickets_take(t, 0, -1, &k), TICKET_OK);
    if (reporter)
        CHECK(tickets_offered(t, 1000 * NS_PER_SEC) >= 1003);
    for (int i = 0; i < 3; i++)
        CHECK_INT(tickets_take(t, 0, 1000 * NS_PER_SEC, &k), TICKET_OVERLOAD);
    CHECK_INT(tickets_shed(t, 1000 * NS_PER_SEC), TICKET_OVERLOAD);
    CHECK_INT(tickets_issued(t), 2);
    uint64_t offered = tickets_offered(t, 1001 * NS_PER_SEC);
    CHECK(offered >= 1003 && offered < 1020); /* several share a ns */
    tickets_close(t, 1000 * NS_PER_SEC);
    CHECK_INT(tickets_offered(t, 1001 * NS_PER_SEC), offered);
    tickets_free(t);
    /* as many as the schedule has up to the one that was too many */
    s.overload = OVERLOAD_QUEUE;
    t = tickets_new(&s);
    for (uint64_t i = 0; i < offered; i++) {
        CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OK);
        last = k.planned;
    }
    CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OK);
    CHECK(k.planned > last);
    tickets_free(t);
}

/* --- changes of the rate, as a client meets them --- */

static const mono_ns start_line = 0;
static const _Atomic int64_t measured_from = 0;

/* A client is late and takes a start while the rate is changing, on a machine so busy that the
 * change has come into force before it is known: that start is no longer offered. */
static void taken_during_a_change(void)
{
    struct ticket_spec s = even(200);
    struct ticket k = {0};

    s.changes = true;
    struct tickets *t = tickets_new(&s);
    struct ticket_line l = {.measured = t, .start = &start_line, .from = &measured_from};
    for (int i = 0; i < 2; i++)
        CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OK); /* at 0 and 5 ms, both begun */
    tickets_hold(t);                                     /* at 6 ms, for 8 ms */
    k.owned = false;
    CHECK_INT(ticket_next(&l, 0, 12 * NS_PER_MS, &k), TICKET_OK);
    CHECK_INT(k.planned, 10 * NS_PER_MS);
    CHECK(ticket_is_stale(&l, &k));
    tickets_set_rate(t, 8 * NS_PER_MS, 0);
    CHECK(ticket_is_stale(&l, &k));
    CHECK_INT(ticket_next(&l, 0, 12 * NS_PER_MS, &k), TICKET_OVER);
    CHECK(!ticket_is_stale(&l, &k));
    CHECK_INT(tickets_issued(t), 2);
    CHECK_INT(tickets_offered(t, 12 * NS_PER_MS), 2);
    tickets_hold(t);
    tickets_set_rate(t, 20 * NS_PER_MS, 100);
    CHECK_INT(ticket_next(&l, 0, 21 * NS_PER_MS, &k), TICKET_OK);
    CHECK_INT(k.planned, 24 * NS_PER_MS); /* two fifths of a start lay between 5 and 8 ms */
    CHECK_INT(tickets_issued(t), 3);
    CHECK_INT(tickets_offered(t, 24 * NS_PER_MS), 3);
    tickets_free(t);
}

/* The rate changes while the run ends: what a client has in hand is offered or not by the rate that
 * is in force, not by that which it was planned by. */
static void returned_after_a_change(double rate, dur_ns closed, bool stays)
{
    struct ticket_spec s = even(200);
    struct ticket k = {0};

    s.changes = true;
    struct tickets *t = tickets_new(&s);
    struct ticket_line l = {.measured = t, .start = &start_line, .from = &measured_from};
    for (int i = 0; i < 3; i++) {
        k.owned = false;
        CHECK_INT(ticket_next(&l, 0, 0, &k), TICKET_OK);
    }
    CHECK_INT(k.planned, 10 * NS_PER_MS);
    tickets_hold(t);
    tickets_set_rate(t, 8 * NS_PER_MS, rate);
    tickets_close(t, closed);
    CHECK_INT(ticket_return(&l, 0, &k), stays);
    CHECK_INT(tickets_issued(t), 2 + stays);
    CHECK_INT(tickets_offered(t, NS_PER_SEC) >= 3, stays);
    tickets_free(t);
}

TEST_MAIN(ticket_test)
{
    even_schedule();
    limited_by_events();
    backlog_is_kept();
    burst_limits_backlog();
    age_limits_backlog();
    closed_early();
    drops_at_any_rate();
    edges_are_as_dense();
    ends_with_its_events(ARRIVAL_EVEN, NS_PER_SEC / 10, MONO_NEVER);
    ends_with_its_events(ARRIVAL_EVEN, NS_PER_MS, MONO_NEVER); /* no start overtakes another */
    ends_with_its_events(ARRIVAL_EVEN, NS_PER_SEC / 10, 60 * NS_PER_SEC);
    ends_with_its_events(ARRIVAL_POISSON, NS_PER_SEC / 10, MONO_NEVER);
    wide_jitter(ARRIVAL_EVEN);
    wide_jitter(ARRIVAL_POISSON);
    offered_is_planned();
    in_order();
    every_ticket_once(ARRIVAL_EVEN);
    every_ticket_once(ARRIVAL_POISSON);
    for (int i = 0; i < 4; i++)
        ends_when_full(i & 1, i & 2);
    taken_during_a_change();
    returned_after_a_change(0, 12 * NS_PER_MS, false);
    returned_after_a_change(100, 11 * NS_PER_MS, false);
    returned_after_a_change(100, 12 * NS_PER_MS, true);
    returned_after_a_change(1000, 9 * NS_PER_MS, true);
    return test_done("ticket_test");
}
