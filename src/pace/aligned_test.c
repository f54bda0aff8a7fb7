/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The clients' own schedules: the start times that were measured with the patch of 2009, and the
 * counts that the accounts of a run are made of.
 */
#include "pace/ticket.h"

#include "base/test.h"

#define MS NS_PER_MS

/* 4 clients at 20/s: P = 200 ms; a window of 1 ns moves nothing. */
static struct ticket_spec four(void)
{
    return (struct ticket_spec){.arrivals = {ARRIVAL_ALIGNED, 20, 1, 4, 9, NULL},
                                .horizon = ARRIVALS_FAR,
                                .one_more = true};
}

static dur_ns take(struct tickets *a, int client)
{
    struct ticket t;

    return tickets_take(a, client, 0, &t) == TICKET_OK ? t.planned : -1;
}

/* The table of the measurement, with jitter 1 us: thread 0 begins at 0 400 600 800 ms, thread 1 at
 * 50 400 600, thread 3 at 150 400 600. */
static void measured_starts(void)
{
    static const dur_ns want[4][4] = {
        {0, 400, 600, 800}, {50, 400, 600, 800}, {100, 400, 600, 800}, {150, 400, 600, 800}};
    struct ticket_spec spec = four();
    struct tickets *a;

    spec.arrivals.jitter = NS_PER_US;
    a = tickets_new(&spec);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++)
            CHECK_NEAR(take(a, i), want[i][j] * MS, j ? NS_PER_US / 2 : 0);
    tickets_free(a);
}

/* By default the window is a tenth of P: within 10 ms of the same instants, and not all on them. */
static void default_jitter(void)
{
    struct ticket_spec spec = four();
    struct tickets *a;
    int bad = 0, moved = 0;

    spec.arrivals.jitter = 0;
    a = tickets_new(&spec);
    for (int j = 0; j < 500; j++) {
        dur_ns base = j ? (j + 1) * 200 * MS : 50 * MS, at = take(a, 1);
        bad += at < base - 10 * MS || at >= base + 10 * MS || (j == 0 && at != base);
        moved += at < base - 5 * MS || at > base + 5 * MS;
    }
    CHECK_INT(bad, 0);
    CHECK_NEAR(moved, 250, 45);
    tickets_free(a);
}

/* A client that takes none leaves its starts to nobody: the others keep their pace, and its own are
 * due and not taken. */
static void own_backlog(void)
{
    struct ticket_spec spec = four();
    struct tickets *a = tickets_new(&spec);

    for (int j = 0; j < 10; j++)
        for (int i = 1; i < 4; i++)
            take(a, i);
    CHECK_INT(take(a, 3), 2200 * MS);
    CHECK_INT(tickets_next_planned(a), 0);
    CHECK_INT(tickets_offered(a, 2000 * MS), 40); /* 0 .. 150, then 400, 600, ... 2000 */
    CHECK_INT(take(a, 0), 0);
    CHECK_INT(take(a, 0), 400 * MS);
    CHECK_INT(tickets_next_planned(a), 600 * MS);
    CHECK_INT(tickets_issued(a), 33);
    tickets_free(a);
}

/* Of the starts at and after the horizon only the extra ones count, and only from their instants
 * on. */
static void beyond_the_horizon(void)
{
    struct ticket_spec spec = four();
    struct tickets *a;
    struct ticket extra;

    spec.horizon = 500 * MS;
    a = tickets_new(&spec);
    CHECK_INT(tickets_offered(a, 499 * MS), 8);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            take(a, i);
    CHECK_INT(tickets_next_planned(a), MONO_NEVER);
    CHECK_INT(tickets_offered(a, 10000 * MS), 8);
    CHECK_INT(tickets_take(a, 2, 0, &extra), TICKET_OK);
    CHECK_INT(extra.planned, 600 * MS);
    CHECK_INT(tickets_offered(a, 599 * MS), 8);
    CHECK_INT(tickets_offered(a, 600 * MS), 9);
    CHECK_INT(tickets_issued(a), 9);
    tickets_close(a, 599 * MS);
    CHECK(!tickets_give_back(a, 2, &extra));
    CHECK_INT(tickets_offered(a, 600 * MS), 8);
    CHECK_INT(tickets_issued(a), 8);
    tickets_free(a);
    spec.one_more = false;
    a = tickets_new(&spec);
    CHECK_INT(take(a, 0), 0);
    CHECK_INT(take(a, 0), 400 * MS);
    CHECK_INT(take(a, 0), -1);
    CHECK_INT(tickets_issued(a), 2);
    tickets_free(a);
}

/* --events is a limit of all clients: who asks first gets the starts. */
static void limited(void)
{
    struct ticket_spec spec = four();
    struct tickets *a;
    struct ticket t;

    spec.max_tickets = 6;
    a = tickets_new(&spec);
    for (int j = 0; j < 5; j++)
        CHECK(take(a, 1) >= 0);
    CHECK_INT(take(a, 0), 0);
    CHECK(tickets_take(a, 2, 0, &t) == TICKET_OVER);
    CHECK_INT(t.base, 400 * MS); /* arrival 6 of the list */
    CHECK_INT(tickets_issued(a), 6);
    CHECK_INT(tickets_next_planned(a), MONO_NEVER);
    CHECK_INT(tickets_offered(a, 100 * MS), 3);
    CHECK_INT(tickets_offered(a, 400 * MS), 6);
    tickets_free(a);
}

/* Behind the interface of all shapes; a run that is closed offers no later start. */
static void as_tickets(void)
{
    struct ticket_spec spec = {
        .arrivals = {ARRIVAL_ALIGNED, 20, 1, 4, 9, NULL}, .horizon = 500 * MS, .one_more = true};
    struct tickets *t = tickets_new(&spec);
    struct ticket k, late;

    CHECK_INT(tickets_take(t, 3, 0, &k), TICKET_OK);
    CHECK_INT(k.planned, 150 * MS);
    CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OK);
    CHECK_INT(k.planned, 0);
    CHECK_INT(tickets_next_planned(t), 50 * MS);
    CHECK_INT(tickets_shed(t, 10000 * MS), TICKET_OK);
    CHECK_INT(tickets_dropped(t), 0);
    CHECK_INT(tickets_take(t, 0, 0, &late), TICKET_OK);
    CHECK_INT(late.planned, 400 * MS);
    CHECK_INT(tickets_issued(t), 3);
    tickets_close(t, 300 * MS);
    CHECK(tickets_give_back(t, 0, &k));
    CHECK(!tickets_give_back(t, 0, &late));
    CHECK_INT(tickets_issued(t), 2);
    CHECK_INT(tickets_take(t, 3, 0, &k), TICKET_OVER);
    CHECK_INT(tickets_issued(t), 2);
    CHECK_INT(tickets_offered(t, 10000 * MS), 4);
    tickets_free(t);
}

TEST_MAIN(aligned_test)
{
    measured_starts();
    default_jitter();
    own_backlog();
    beyond_the_horizon();
    limited();
    as_tickets();
    return test_done("aligned_test");
}
