/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The two schedules of a run as a client meets them: tickets of its warm-up and of what is
 * measured, when measuring begins later or sooner, and while the rate changes.  `now` is an
 * argument.
 */
#include "pace/ticket.h"

#include <pthread.h>
#include <time.h>

#include "base/test.h"

static struct ticket_spec even(double rate)
{
    struct ticket_spec s = {
        .arrivals = {.shape = ARRIVAL_EVEN, .rate = rate, .clients = 1, .seed = 1},
        .overload = OVERLOAD_QUEUE,
        .horizon = MONO_NEVER};
    return s;
}

static void set_rate(struct tickets *t, dur_ns at, double rate)
{
    tickets_hold(t);
    tickets_set_rate(t, at, rate);
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
    set_rate(t, 20 * NS_PER_MS, 100);
    CHECK_INT(ticket_next(&l, 0, 21 * NS_PER_MS, &k), TICKET_OK);
    CHECK_INT(k.planned, 24 * NS_PER_MS); /* two fifths of a start lay between 5 and 8 ms */
    CHECK_INT(tickets_issued(t), 3);
    CHECK_INT(tickets_offered(t, 24 * NS_PER_MS), 3);
    tickets_free(t);
}

/* What waits while the rate changes, and has the new one. */
enum reader { PLAN_AGAIN, TAKE, NEXT_PLANNED, OFFERED, READERS };

struct waiter {
    struct tickets *t;
    enum reader reader;
    struct ticket k;
    _Atomic bool begun;
};

static void *wait_for_it(void *arg)
{
    struct waiter *w = arg;

    atomic_store(&w->begun, true);
    switch (w->reader) {
    case PLAN_AGAIN: CHECK_INT(tickets_plan_again(w->t, &w->k), TICKET_OK); break;
    case TAKE: CHECK_INT(tickets_take(w->t, 0, 0, &w->k), TICKET_OK); break;
    case NEXT_PLANNED: w->k.planned = tickets_next_planned(w->t); break;
    case OFFERED: w->k.planned = (dur_ns)tickets_offered(w->t, 25 * NS_PER_MS); break;
    default: break;
    }
    return NULL;
}

static void read_during_a_change(enum reader reader, dur_ns jitter)
{
    static const dur_ns want[] = {9 * NS_PER_MS, 19 * NS_PER_MS, 19 * NS_PER_MS, 3};
    struct ticket_spec s = even(200);
    struct timespec nap = {.tv_nsec = 20 * NS_PER_MS};
    struct waiter w = {.reader = reader};
    pthread_t thread;

    s.changes = true;
    s.arrivals.jitter = jitter; /* 1 moves nothing, and the starts are in a queue */
    w.t = tickets_new(&s);
    for (int i = 0; i < 2; i++)
        CHECK_INT(tickets_take(w.t, 0, 0, &w.k), TICKET_OK);
    CHECK_INT(w.k.planned, 5 * NS_PER_MS);
    tickets_hold(w.t);
    CHECK_INT(pthread_create(&thread, NULL, wait_for_it, &w), 0);
    while (!atomic_load(&w.begun) || nanosleep(&nap, NULL) != 0)
        ;
    tickets_set_rate(w.t, NS_PER_MS, 100);
    pthread_join(thread, NULL);
    CHECK_INT(w.k.planned, want[reader]);
    CHECK(!tickets_changed(w.t, &w.k) == (reader == PLAN_AGAIN || reader == TAKE));
    CHECK(w.k.owned && !w.k.beyond);
    CHECK_INT(tickets_issued(w.t), 2 + (reader == TAKE));
    tickets_free(w.t);
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
    set_rate(t, 8 * NS_PER_MS, rate);
    tickets_close(t, closed);
    CHECK_INT(ticket_return(&l, 0, &k), stays);
    CHECK_INT(tickets_issued(t), 2 + stays);
    CHECK_INT(tickets_offered(t, NS_PER_SEC) >= 3, stays);
    tickets_free(t);
}

/* --- the warm-up's tickets, and those after it --- */

static void warm_then_measured(void)
{
    const mono_ns start = 1000 * NS_PER_SEC;
    _Atomic int64_t from = start + 20 * NS_PER_MS;
    struct ticket_spec warm = even(100), measured = even(200);
    struct ticket k = {0};

    measured.horizon = NS_PER_SEC;
    measured.changes = true;
    struct ticket_line l = {tickets_new(&warm), tickets_new(&measured), &start, &from};
    for (int i = 0; i < 2; i++) {
        k.owned = false;
        CHECK_INT(ticket_next(&l, 0, start, &k), TICKET_OK);
        CHECK(k.warm);
        CHECK_INT(k.planned, i * 10 * NS_PER_MS);
        CHECK_INT(k.zero, start);
        CHECK_INT(k.until, from + NS_PER_SEC);
        CHECK(!ticket_is_stale(&l, &k));
        CHECK(!ticket_return(&l, 0, &k));
    }
    k.owned = false;
    /* the warm-up's next lies where measuring begins: the first one of that */
    CHECK_INT(ticket_next(&l, 0, start, &k), TICKET_OK);
    CHECK(!k.warm && k.owned);
    CHECK_INT(k.k, 0);
    CHECK_INT(k.planned, 0);
    CHECK_INT(k.zero, from);
    CHECK_INT(k.until, from + NS_PER_SEC);
    CHECK(!ticket_is_stale(&l, &k));
    CHECK_INT(tickets_issued(l.measured), 1);
    /* measuring begins later: the ticket moves with it, and is the same */
    atomic_store(&from, start + 50 * NS_PER_MS);
    CHECK(ticket_is_stale(&l, &k));
    CHECK_INT(ticket_next(&l, 0, start, &k), TICKET_OK);
    CHECK(!ticket_is_stale(&l, &k));
    CHECK(k.owned && !k.warm);
    CHECK_INT(k.zero, from);
    CHECK_INT(k.until, from + NS_PER_SEC);
    CHECK_INT(tickets_issued(l.measured), 1);
    CHECK(ticket_return(&l, 0, &k)); /* it stays offered */
    CHECK_INT(tickets_issued(l.measured), 1);
    /* once it is measured, the warm-up is over */
    k.owned = false;
    CHECK_INT(ticket_next(&l, 0, from, &k), TICKET_OK);
    CHECK(!k.warm);
    CHECK_INT(k.planned, 5 * NS_PER_MS);
    /* the rate changes, twice: the ticket that it holds moves */
    set_rate(l.measured, 2 * NS_PER_MS, 100);
    CHECK(ticket_is_stale(&l, &k));
    CHECK_INT(ticket_next(&l, 0, from, &k), TICKET_OK);
    CHECK_INT(k.planned, 8 * NS_PER_MS);
    CHECK_INT(k.zero, from);
    set_rate(l.measured, 3 * NS_PER_MS, 0);
    CHECK_INT(ticket_next(&l, 0, from, &k), TICKET_OVER);
    CHECK_INT(ticket_next(&l, 0, from, &k), TICKET_OVER); /* and stays its own */
    CHECK(k.owned && k.beyond);
    CHECK_INT(tickets_issued(l.measured), 1);
    tickets_free(l.warm);
    tickets_free(l.measured);
    /* a start of the warm-up that measuring overtakes is void */
    atomic_store(&from, start + 20 * NS_PER_MS);
    l = (struct ticket_line){tickets_new(&warm), tickets_new(&measured), &start, &from};
    for (int i = 0; i < 2; i++) {
        k.owned = false;
        CHECK_INT(ticket_next(&l, 0, start, &k), TICKET_OK);
    }
    atomic_store(&from, start + 10 * NS_PER_MS + 1);
    CHECK(!ticket_is_stale(&l, &k));
    atomic_store(&from, start + 10 * NS_PER_MS);
    CHECK(ticket_is_stale(&l, &k));
    CHECK(!k.owned);
    /* without any left it is over, and nobody owns what was not there */
    tickets_close(l.measured, -1);
    CHECK_INT(ticket_next(&l, 0, from, &k), TICKET_OVER);
    CHECK(!k.warm);
    CHECK_INT(k.zero, from);
    tickets_free(l.warm);
    tickets_free(l.measured);
}

/* A backlog that is too deep ends the warm-up's part as well; aligned clients have no last moment.
 */
static void warm_overload(void)
{
    const mono_ns start = 1000 * NS_PER_SEC;
    _Atomic int64_t from = start + NS_PER_SEC;
    struct ticket_spec warm = even(100), measured = even(100);
    struct ticket k = {0};

    warm.overload = OVERLOAD_ABORT;
    warm.max_lag = 10 * NS_PER_MS;
    measured.arrivals.shape = ARRIVAL_ALIGNED;
    struct ticket_line l = {tickets_new(&warm), tickets_new(&measured), &start, &from};
    CHECK_INT(ticket_next(&l, 0, start + 10 * NS_PER_MS, &k), TICKET_OK);
    CHECK_INT(k.until, MONO_NEVER);
    k.owned = false;
    CHECK_INT(ticket_next(&l, 0, start + 20 * NS_PER_MS + 1, &k), TICKET_OVERLOAD);
    CHECK_INT(ticket_next(&l, 0, from, &k), TICKET_OK);
    CHECK(!k.warm && k.owned);
    CHECK_INT(k.until, MONO_NEVER);
    tickets_free(l.warm);
    tickets_free(l.measured);
}

TEST_MAIN(ticket_line_test)
{
    taken_during_a_change();
    for (int reader = 0; reader < READERS; reader++)
        read_during_a_change((enum reader)reader, 1);
    read_during_a_change(PLAN_AGAIN, 0);
    read_during_a_change(OFFERED, 0);
    returned_after_a_change(0, 12 * NS_PER_MS, false);
    returned_after_a_change(100, 11 * NS_PER_MS, false);
    returned_after_a_change(100, 12 * NS_PER_MS, true);
    returned_after_a_change(1000, 9 * NS_PER_MS, true);
    warm_then_measured();
    warm_overload();
    return test_done("ticket_line_test");
}
