/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How long a client pauses after errors that repeat.
 */
#include "engine/error_backoff.h"

#include "base/test.h"

#define LONGEST NS_PER_SEC

static void check_pause(dur_ns pause, dur_ns whole)
{
    CHECK(pause >= whole / 2 && pause <= whole);
}

/* 0, 0, 1 ms, 2 ms, ... 512 ms, then the longest. */
static void grows(void)
{
    struct error_backoff b;
    dur_ns whole = NS_PER_MS, least = LONGEST, most = 0;

    error_backoff_init(&b, 1, 0);
    CHECK_INT(error_backoff_statement(&b, 7, LONGEST), 0);
    CHECK_INT(error_backoff_statement(&b, 7, LONGEST), 0);
    for (int i = 0; i < 100; i++) {
        dur_ns pause = error_backoff_statement(&b, 7, LONGEST);
        check_pause(pause, whole);
        least = whole == LONGEST && pause < least ? pause : least;
        most = pause > most ? pause : most;
        whole = whole * 2 < LONGEST ? whole * 2 : LONGEST;
    }
    CHECK_INT(whole, LONGEST);
    CHECK(least < LONGEST * 6 / 10 && most > LONGEST * 9 / 10);
}

/* A success between two errors, whatever it was, begins anew. */
static void forgives(void)
{
    struct error_backoff b;

    error_backoff_init(&b, 1, 0);
    for (int i = 0; i < 5; i++)
        error_backoff_statement(&b, 7, LONGEST);
    CHECK_INT(error_backoff_statement(&b, 8, LONGEST), 0);
    CHECK_INT(error_backoff_statement(&b, 8, LONGEST), 0);
    check_pause(error_backoff_statement(&b, 8, LONGEST), NS_PER_MS);
    for (uint64_t i = 9; i < 100; i++)
        CHECK_INT(error_backoff_statement(&b, i, LONGEST), 0);
}

/* The same error is counted as that of a statement and of its event, and pauses once. */
static void once(void)
{
    struct error_backoff b;

    error_backoff_init(&b, 1, 0);
    for (int i = 0; i < 20; i++) {
        dur_ns statement = error_backoff_statement(&b, 7, LONGEST);
        dur_ns event = error_backoff_event(&b, 7, LONGEST);
        CHECK(statement == 0 || event == 0);
        CHECK_INT(statement > 0, i >= 2);
    }
    /* deadlocks: rows were changed between them, but the event was never done */
    error_backoff_init(&b, 1, 0);
    for (uint64_t i = 0; i < 20; i++) {
        CHECK_INT(error_backoff_statement(&b, i, LONGEST), 0);
        CHECK_INT(error_backoff_event(&b, 7, LONGEST) > 0, i >= 2);
    }
}

static void limits(void)
{
    struct error_backoff b;

    error_backoff_init(&b, 1, 0);
    for (int i = 0; i < 100; i++)
        CHECK_INT(error_backoff_statement(&b, 7, 0), 0);
    error_backoff_init(&b, 1, 0);
    for (int i = 0; i < 100; i++)
        CHECK(error_backoff_statement(&b, 7, 3 * NS_PER_MS) <= 3 * NS_PER_MS);
    check_pause(error_backoff_statement(&b, 7, 3 * NS_PER_MS), 3 * NS_PER_MS);
    check_pause(error_backoff_statement(&b, 7, 3600 * NS_PER_SEC), 3600 * NS_PER_SEC);
}

/* Two clients that failed together do not come back together. */
static void apart(void)
{
    struct error_backoff a, b;
    int same = 0;

    error_backoff_init(&a, 1, 0);
    error_backoff_init(&b, 1, 1);
    for (int i = 0; i < 12; i++) {
        dur_ns x = error_backoff_statement(&a, 7, LONGEST),
               y = error_backoff_statement(&b, 7, LONGEST);
        same += i >= 2 && x == y;
    }
    CHECK_INT(same, 0);
}

TEST_MAIN(error_backoff_test)
{
    grows();
    forgives();
    once();
    limits();
    apart();
    return test_done("error_backoff");
}
