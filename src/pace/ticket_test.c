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
 * arrivals move by all of it; mirrored at both ends, and each where its jitter says. */
static void in_order(void)
{
    const dur_ns end = 20000; /* 2,000 gaps */

    for (dur_ns jitter = 1; jitter <= 40; jitter++) {
        struct ticket_spec s = even(1e8);
        struct tickets *t;
        struct ticket k;
        dur_ns last = 0;
        int backwards = 0, elsewhere = 0;

        s.arrivals.seed = (uint64_t)jitter;
        s.arrivals.jitter = jitter;
        s.max_tickets = 2000;
        t = tickets_new(&s);
        while (tickets_take(t, 0, 0, &k) == TICKET_OK) {
            dur_ns at = k.base + arrivals_jitter(&s.arrivals, k.k);
            elsewhere += k.planned != (at < 0 ? -at : at >= end ? 2 * (end - 1) - at : at);
            backwards += k.planned < last;
            last = k.planned;
        }
        CHECK_INT(backwards, 0);
        CHECK_INT(elsewhere, 0);
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

/* Counts that are walked, asked for earlier instants: those of the ends of stages that are over. */
static void offered_before(void)
{
    struct rates_play play = {1, 1};
    struct err e = {0};
    struct rates *rates = rates_parse("100:1s,200:1s,300:1s", &play, &e);
    struct ticket_spec s = even(100);

    s.arrivals.rates = rates;
    s.arrivals.jitter = 1; /* moves nothing */
    s.horizon = 3 * NS_PER_SEC;
    struct tickets *t = tickets_new(&s);
    CHECK_INT(tickets_offered(t, 500 * NS_PER_MS), 51);
    CHECK_INT(tickets_offered(t, 400 * NS_PER_MS), 51);
    CHECK_INT(tickets_offered(t, NS_PER_SEC), 101);
    CHECK_INT(tickets_offered(t, NS_PER_SEC - 1), 100);
    CHECK_INT(tickets_offered(t, 2500 * NS_PER_MS), 451);
    CHECK_INT(tickets_offered(t, 500 * NS_PER_MS), 100);
    CHECK_INT(tickets_offered(t, 1500 * NS_PER_MS), 300);
    CHECK_INT(tickets_offered(t, 2 * NS_PER_SEC - 1), 300);
    CHECK_INT(tickets_offered(t, 2 * NS_PER_SEC), 451);
    CHECK_INT(tickets_offered(t, 4 * NS_PER_SEC), 600);
    CHECK_INT(tickets_offered(t, 0), 100);
    tickets_free(t);
    rates_free(rates);
}

/* What the last of a number of tickets ends. */
static void end_with_last(void)
{
    struct ticket_spec s = even(100);
    struct ticket k;

    s.max_tickets = 2;
    for (int i = 0; i < 2; i++) {
        s.ends_with_last = i;
        struct tickets *t = tickets_new(&s);
        CHECK(!tickets_end_with_last(t));
        tickets_take(t, 0, 0, &k);
        CHECK(!tickets_end_with_last(t));
        tickets_take(t, 0, 0, &k);
        CHECK_INT(tickets_end_with_last(t), i);
        tickets_free(t);
    }
    s.max_tickets = 0;
    struct tickets *t = tickets_new(&s);
    tickets_take(t, 0, 0, &k);
    CHECK(!tickets_end_with_last(t));
    tickets_free(t);
    s.ends_with_last = false;
    s.arrivals.shape = ARRIVAL_ALIGNED;
    t = tickets_new(&s);
    CHECK(tickets_end_with_last(t));
    tickets_free(t);
    tickets_free(NULL);
}

/* --- changes of the rate --- */

static void set_rate(struct tickets *t, dur_ns at, double rate)
{
    tickets_hold(t);
    tickets_set_rate(t, at, rate);
}

/* Two changes at the start line, the second a ns after the first; in each of the three ways that
 * tickets are taken. */
static void changed_at_once(dur_ns jitter, uint64_t limit)
{
    struct ticket_spec s = even(100);
    struct ticket k;

    s.changes = true;
    s.arrivals.jitter = jitter;
    s.max_tickets = limit;
    struct tickets *t = tickets_new(&s);
    CHECK(!tickets_rate_changed(t));
    CHECK_NEAR(tickets_rate_at(t, 0), 100, 0);
    CHECK(tickets_pos(t, NS_PER_SEC) == 100 * RATE_ONE);
    CHECK(tickets_pos(t, 0) == 0 && tickets_pos(t, -NS_PER_SEC) == 0);
    set_rate(t, -5, 50);
    CHECK(tickets_rate_changed(t));
    set_rate(t, -1, 25);
    CHECK_NEAR(tickets_rate_at(t, 0), 50, 0);
    CHECK_NEAR(tickets_rate_at(t, 1), 25, 0);
    CHECK(tickets_pos(t, 0) == 0);
    CHECK(tickets_pos(t, 1) == 100000000);
    CHECK(tickets_pos(t, NS_PER_SEC) == 100000000 + (rate_pos)50000000 * (NS_PER_SEC - 1));
    CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OK);
    CHECK_INT(k.planned, 0);
    CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OK);
    CHECK_INT(k.planned, 40 * NS_PER_MS - 1);
    CHECK_INT(tickets_next_planned(t), limit ? MONO_NEVER : 80 * NS_PER_MS - 1);
    CHECK_INT(tickets_offered(t, 80 * NS_PER_MS - 2), 2);
    CHECK_INT(tickets_offered(t, 80 * NS_PER_MS - 1), limit ? 2 : 3);
    if (limit) {
        CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OVER);
        CHECK_INT(k.base, 80 * NS_PER_MS - 1);
    }
    tickets_free(t);
}

/* A higher rate, and one that was there before; where it was and what is offered. */
static void changed_and_back(void)
{
    struct ticket_spec s = even(100);
    struct ticket k;

    s.changes = true;
    s.horizon = 3 * NS_PER_SEC;
    struct tickets *t = tickets_new(&s);
    set_rate(t, NS_PER_SEC, 1000);
    set_rate(t, 2 * NS_PER_SEC, 100);
    CHECK_NEAR(tickets_rate_at(t, NS_PER_SEC - 1), 100, 0);
    CHECK_NEAR(tickets_rate_at(t, NS_PER_SEC), 1000, 0);
    CHECK_NEAR(tickets_rate_at(t, 2 * NS_PER_SEC), 100, 0);
    CHECK(tickets_pos(t, NS_PER_SEC) == 100 * RATE_ONE);
    CHECK(tickets_pos(t, 1500 * NS_PER_MS) == 600 * RATE_ONE);
    CHECK(tickets_pos(t, 2500 * NS_PER_MS) == 1150 * RATE_ONE);
    CHECK_INT(tickets_offered(t, NS_PER_SEC - 1), 100);
    CHECK_INT(tickets_offered(t, NS_PER_SEC), 101);
    CHECK_INT(tickets_offered(t, 2 * NS_PER_SEC - 1), 1100);
    CHECK_INT(tickets_offered(t, 2 * NS_PER_SEC), 1101);
    CHECK_INT(tickets_offered(t, MONO_NEVER), 1200);
    for (int i = 0; i < 1200; i++) {
        dur_ns at = i < 100 ? i * 10 : i < 1100 ? 1000 + i - 100 : 2000 + (i - 1100) * 10;
        CHECK_INT(tickets_next_planned(t), at * NS_PER_MS);
        CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OK);
        CHECK_INT(k.planned, at * NS_PER_MS);
    }
    CHECK_INT(tickets_next_planned(t), MONO_NEVER);
    CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OVER);
    CHECK_INT(k.base, 3 * NS_PER_SEC);
    CHECK_INT(tickets_issued(t), 1200);
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
    offered_before();
    end_with_last();
    for (int i = 0; i < 4; i++)
        changed_at_once(i & 1, i & 2);
    changed_and_back();
    return test_done("ticket_test");
}
