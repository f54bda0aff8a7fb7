/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lost connections, without a server: how long the floor waits between attempts, when it gives up,
 * what it reports to the host and the user.
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/test.h"
#include "base/test_capture.h"
#include "sql/test_driver.h"

#define N(a) (sizeof(a) / sizeof *(a))

static const struct test_answer lost_query = {TEST_QUERY, SQL_LOST, .errnum = 2013,
                                              .state = "HY000", .msg = "Lost connection"};

/* --- back-off --- */

static bool is_jittered(dur_ns pause, dur_ns whole)
{
    if (pause >= whole / 2 && pause <= whole)
        return true;
    printf("pause of %lld ns, not %lld to %lld\n", (long long)pause, (long long)whole / 2,
           (long long)whole);
    return false;
}

/* 1 ms, 2 ms, ... 512 ms, then a second each time; whatever the reason was. */
static void test_backoff(void)
{
    static const enum sql_outcome why[] = {SQL_FATAL, SQL_IGNORABLE, SQL_BUSY};
    enum { REFUSED = 15 };
    sql_connection *c;
    dur_ns whole = NS_PER_MS, sum = 0;
    mono_ns before;

    test_begin();
    c = test_connect();
    before = test_world.now;
    test_answers(&lost_query, 1);
    for (int i = 0; i < REFUSED; i++)
        ANSWERS({TEST_CONNECT, why[i % 3], .errnum = 2003, .msg = "refused", .takes = NS_PER_MS});
    test_query(c, "SELECT 1");
    CHECK_INT(test_world.npauses, REFUSED);
    for (int i = 0; i < REFUSED; i++) {
        CHECK(is_jittered(test_world.pauses[i], whole));
        sum += test_world.pauses[i];
        whole = whole * 2 < NS_PER_SEC ? whole * 2 : NS_PER_SEC;
    }
    CHECK_INT(test_world.now - before, sum + REFUSED * NS_PER_MS);
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    CHECK_INT(c->sql_errno, 2013); /* of the loss, not of the attempts */
    CHECK_COUNT(CNT_RECONNECT, 1);
    CHECK_COUNT(CNT_ERROR, 0);
    CHECK_INT(test_world.nconnecting, 1 + REFUSED + 1);
    CHECK_INT(test_world.nended, 1 + REFUSED + 1);
    CHECK_INT(test_world.nconnected, 2);
    CHECK_INT(test_world.nreconnected, 1);
    CHECK_INT(test_world.took, 0); /* the attempt that succeeded */
    CHECK_INT(test_world.away, test_world.now - before);
    CHECK(test_end(c));
}

/* The time of the attempt is apart from that of the failed ones before; an attempt by the script,
 * or the first connection, is none of them. */
static void test_times(void)
{
    sql_connection *c;

    test_begin();
    ANSWERS({TEST_CONNECT, SQL_DONE, .takes = 9 * NS_PER_MS});
    c = test_connect();
    CHECK_INT(sql_reconnect(c), 0);
    CHECK_INT(test_world.nreconnected, 0);
    test_answers(&lost_query, 1);
    ANSWERS({TEST_CONNECT, SQL_FATAL, .msg = "refused", .takes = 3 * NS_PER_MS},
            {TEST_CONNECT, SQL_DONE, .takes = 2 * NS_PER_MS});
    test_query(c, "SELECT 1");
    CHECK_INT(test_world.nreconnected, 1);
    CHECK_INT(test_world.took, 2 * NS_PER_MS);
    CHECK_INT(test_world.away, 5 * NS_PER_MS + test_world.pauses[0]);
    CHECK(test_end(c));
}

/* Two clients do not retry in step. */
static void test_jitter(void)
{
    dur_ns first[2][8];

    for (int i = 0; i < 2; i++) {
        sql_connection *c;
        test_begin();
        test_world.now += i; /* seeds the jitter */
        c = test_connect();
        test_answers(&lost_query, 1);
        for (int k = 0; k < 8; k++)
            ANSWERS({TEST_CONNECT, SQL_FATAL, .msg = "refused"});
        test_query(c, "SELECT 1");
        memcpy(first[i], test_world.pauses, sizeof first[i]);
        CHECK(test_end(c));
    }
    CHECK(memcmp(first[0], first[1], sizeof first[0]) != 0);
}

/* A server that accepts connections only to drop them is not hammered: a new connection alone does
 * not end the back-off, a statement that succeeds on it does. */
static void test_backoff_survives(void)
{
    sql_connection *c;

    test_begin();
    c = test_connect();
    for (int i = 0; i < 4; i++) {
        test_answers(&lost_query, 1);
        test_query(c, "SELECT 1");
        CHECK_STR(test_calls(), i == 0 ? "query SELECT 1; disconnect; reconnect"
                                       : "query SELECT 1; disconnect; pause; reconnect");
    }
    CHECK_INT(test_world.npauses, 3);
    for (unsigned i = 0; i < 3; i++)
        CHECK(is_jittered(test_world.pauses[i], NS_PER_MS << i));
    test_query(c, "SELECT 1");
    test_answers(&lost_query, 1);
    test_calls();
    test_query(c, "SELECT 1");
    CHECK_STR(test_calls(), "query SELECT 1; disconnect; reconnect");
    CHECK_INT(test_world.npauses, 3);
    CHECK(test_end(c));
}

/* --- where it ends --- */

static void test_run_ends(void)
{
    sql_connection *c;
    struct err e = {0};

    test_begin();
    c = test_connect();
    test_world.run_ends = test_world.now + 10 * NS_PER_MS;
    test_answers(&lost_query, 1);
    ANSWERS({TEST_CONNECT, SQL_FATAL, .errnum = 2003, .msg = "refused", .always = true});
    CHECK_INT(sql_check_recovered(&e), 0);
    test_query(c, "SELECT 1");
    CHECK_INT(test_world.now, test_world.run_ends);
    CHECK_INT(c->error, DB_ERROR_IGNORABLE); /* reported once for all clients */
    CHECK_COUNT(CNT_ERROR, 1);
    CHECK_COUNT(CNT_RECONNECT, 0);
    CHECK_INT(((struct sql_conn *)c)->state, SQL_STATE_LOST);
    CHECK_INT(sql_check_recovered(&e), -1);
    CHECK_STR(e.msg,
              "1 connection was lost and not restored when the run ended: error 2003: refused");

    test_calls();
    CHECK(test_query(c, "SELECT 2") == NULL); /* the run is over: not even an attempt */
    CHECK_STR(test_calls(), "");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_COUNT(CNT_ERROR, 2);
    CHECK(!sql_more_results(c));
    c->error = DB_ERROR_NONE;
    CHECK(sql_next_result(c) == NULL);
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_COUNT(CNT_ERROR, 3);
    sql_rollback(c); /* nothing to roll back */
    CHECK_STR(test_calls(), "");
    CHECK(test_end(c));
}

/* The next use of a lost connection reconnects it, while the run lasts. */
static void test_comes_back(void)
{
    sql_connection *c;

    test_begin();
    c = test_connect();
    test_world.run_ends = test_world.now;
    test_answers(&lost_query, 1);
    test_query(c, "SELECT 1");
    CHECK_STR(test_calls(), "query SELECT 1; disconnect");
    test_world.run_ends += NS_PER_SEC;
    test_query(c, "SELECT 2");
    CHECK_STR(test_calls(), "reconnect; query SELECT 2");
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK_COUNT(CNT_RECONNECT, 1);
    CHECK(test_end(c));
}

static void test_two_given_up(void)
{
    sql_connection *a, *b;
    struct err e = {0};

    test_begin();
    a = test_connect();
    b = test_connect();
    test_world.run_ends = test_world.now + 2 * NS_PER_MS;
    for (int i = 0; i < 2; i++)
        ANSWERS({TEST_QUERY, SQL_LOST, .state = "57P01", .msg = "shut down"});
    ANSWERS({TEST_CONNECT, SQL_FATAL, .msg = "refused", .always = true});
    test_query(a, "SELECT 1");
    test_world.run_ends = test_world.now + 2 * NS_PER_MS;
    test_query(b, "SELECT 1");
    CHECK_INT(sql_check_recovered(&e), -1);
    CHECK_STR(e.msg, "2 connections were lost and not restored when the run ended: refused");
    sql_connection_free(b);
    CHECK(test_end(a));
}

/* Lost when the run is over: nothing was tried, and nothing failed. */
static void test_lost_too_late(void)
{
    sql_connection *a, *b;
    struct err e = {0};

    test_begin();
    a = test_connect();
    b = test_connect();
    test_world.run_ends = test_world.now;
    for (int i = 0; i < 2; i++)
        ANSWERS({TEST_QUERY, SQL_LOST, .errnum = 2013, .msg = i ? "second" : "first"});
    test_query(a, "SELECT 1");
    test_query(b, "SELECT 1");
    CHECK_COUNT(CNT_ERROR, 2);
    capture();
    CHECK_INT(sql_check_recovered(&e), 0);
    CHECK_STR(captured(), "WARNING: 2 connections were lost as the run ended, too late to be "
                          "restored: error 2013: first\n");
    sql_connection_free(b);
    CHECK(test_end(a));
}

/* The attempt was under way when the run ended: that it did not succeed says nothing. */
static void test_cut_off(void)
{
    sql_connection *c;
    struct err e = {0};

    test_begin();
    c = test_connect();
    test_world.run_ends = test_world.now + NS_PER_MS;
    test_answers(&lost_query, 1);
    ANSWERS({TEST_CONNECT, SQL_FATAL, .msg = "cut off", .takes = 2 * NS_PER_MS});
    test_query(c, "SELECT 1");
    capture();
    CHECK_INT(sql_check_recovered(&e), 0);
    CHECK(strstr(captured(), "WARNING: 1 connection was lost") != NULL);
    CHECK(test_end(c));
}

/* A connection that belongs to no client does not fail the run. */
static void test_auxiliary(void)
{
    sql_connection *c;
    struct err e = {0};

    test_begin();
    c = test_connect();
    test_world.host.auxiliary = true;
    test_world.run_ends = test_world.now;
    test_answers(&lost_query, 1);
    test_query(c, "SELECT 1");
    CHECK_INT(sql_check_recovered(&e), 0);
    ANSWERS({TEST_CONNECT, SQL_FATAL, .errnum = 1045, .msg = "denied"});
    test_query(c, "SELECT 1");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    test_world.run_ends += NS_PER_SEC;
    test_query(c, "SELECT 1"); /* takes the answer, then comes back */
    ANSWERS({TEST_QUERY, SQL_FATAL, .errnum = 1146, .msg = "No such table"});
    test_query(c, "SELECT 1");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK(test_end(c));
}

/* --- connecting --- */

/* A connect waits for a full listen queue, but not for ever. */
static void test_busy(void)
{
    sql_connection *c;
    mono_ns before;

    test_begin();
    for (int i = 0; i < 3; i++)
        ANSWERS({TEST_CONNECT, SQL_BUSY, .errnum = 2002, .msg = "(11)"});
    c = sql_connect(sql_driver_get(NULL), &test_world.host);
    CHECK(c != NULL);
    CHECK_STR(test_calls(), "connect; pause; connect; pause; connect; pause; connect");
    for (unsigned i = 0; i < 3; i++)
        CHECK(is_jittered(test_world.pauses[i], NS_PER_MS << i));
    CHECK(test_end(c));

    test_begin();
    before = test_world.now;
    ANSWERS({TEST_CONNECT, SQL_BUSY, .errnum = 2002, .msg = "(11)", .always = true});
    CHECK(sql_connect(sql_driver_get(NULL), &test_world.host) == NULL);
    CHECK(test_world.now - before >= 30 * NS_PER_SEC);
    CHECK(test_world.now - before <= 31 * NS_PER_SEC);
    CHECK_INT(test_world.nconnecting, test_world.npauses + 1);
    CHECK(test_end(NULL));

    test_begin();
    test_world.run_ends = test_world.now + 5 * NS_PER_SEC;
    ANSWERS({TEST_CONNECT, SQL_BUSY, .errnum = 2002, .msg = "(11)", .always = true});
    CHECK(sql_connect(sql_driver_get(NULL), &test_world.host) == NULL);
    CHECK_INT(test_world.now, test_world.run_ends);
    CHECK(test_end(NULL));
}

static void test_refused(void)
{
    static const enum sql_outcome all[] = {SQL_FATAL, SQL_IGNORABLE};

    for (size_t i = 0; i < N(all); i++) { /* the first connect is tried once, listed or not */
        test_begin();
        ANSWERS({TEST_CONNECT, all[i], .errnum = 1045, .state = "28000", .msg = "Access denied"});
        CHECK(sql_connect(sql_driver_get(NULL), &test_world.host) == NULL);
        CHECK_STR(test_calls(), "connect; explain");
        CHECK_INT(test_world.nended, 1);
        CHECK_INT(test_world.ended_fd, -1);
        CHECK_INT(test_world.nconnected, 0);
        CHECK(test_end(NULL));
    }
    test_begin();
    test_world.may_connect = false; /* the run has ended meanwhile */
    CHECK(sql_connect(sql_driver_get(NULL), &test_world.host) == NULL);
    CHECK_STR(test_calls(), "explain");
    CHECK_INT(test_world.nended, 0);
    CHECK(test_end(NULL));
}

static void test_host_is_told(void)
{
    sql_connection *c;

    test_begin();
    c = test_connect();
    CHECK_INT(test_world.nconnecting, 1);
    CHECK_INT(test_world.nended, 1);
    CHECK_INT(test_world.nconnected, 1);
    CHECK_INT(test_world.ended_fd, 11);
    CHECK_INT(test_world.connected_fd, 11);
    CHECK_INT(sql_reconnect(c), 0);
    CHECK_INT(test_world.connected_fd, 12);
    CHECK(sql_connection_owner(c) == &test_world);
    CHECK(test_end(c));
}

/* A host without functions: the floor sleeps by itself, on the real clock. */
static void test_bare_host(void)
{
    struct sql_host bare = {.counters = &test_world.counters};
    mono_ns before = clock_mono();
    sql_connection *c;

    test_begin();
    c = sql_connect(sql_driver_get(NULL), &bare);
    test_answers(&lost_query, 1);
    ANSWERS({TEST_CONNECT, SQL_FATAL, .msg = "refused"});
    test_calls();
    test_query(c, "SELECT 1");
    CHECK_STR(test_calls(), "query SELECT 1; disconnect; reconnect; reconnect");
    CHECK(clock_mono() - before >= NS_PER_MS / 2);
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    CHECK(test_end(c));
}

/* con:reconnect(): what the first attempt came to decides whether there are more. */
static void test_reconnect(void)
{
    static const struct {
        enum sql_outcome first;
        int rc;
        const char *calls;
        unsigned nreconnects;
    } t[] = {
        {SQL_DONE, 0, "disconnect; reconnect", 1},
        {SQL_IGNORABLE, 0, "disconnect; reconnect; reconnect", 1},
        {SQL_BUSY, 0, "disconnect; reconnect; pause; reconnect", 1},
        {SQL_FATAL, -1, "disconnect; reconnect; explain", 0},
    };

    for (size_t i = 0; i < N(t); i++) {
        sql_connection *c;
        test_begin();
        c = test_connect();
        ANSWERS({TEST_QUERY, SQL_FATAL, .errnum = 1064, .msg = "syntax"}); /* an old error */
        test_query(c, "X");
        test_calls();
        ANSWERS({TEST_CONNECT, t[i].first, .errnum = 2003, .state = "HY000", .msg = "refused"});
        CHECK_INT(sql_reconnect(c), t[i].rc);
        CHECK_STR(test_calls(), t[i].calls);
        CHECK_COUNT(CNT_RECONNECT, t[i].nreconnects);
        CHECK_INT(c->error, t[i].rc ? DB_ERROR_FATAL : DB_ERROR_NONE);
        CHECK_INT(c->sql_errno, t[i].rc ? 2003 : 0);
        CHECK(test_end(c));
    }
}

/* What a FATAL line has said stays true: only the script goes on.  At the end of a run nothing is
 * said. */
static void test_given_up(void)
{
    sql_connection *c;

    test_begin();
    c = test_connect();
    ANSWERS({TEST_CONNECT, SQL_FATAL, .errnum = 2003, .state = "HY000", .msg = "refused"});
    CHECK_INT(sql_reconnect(c), -1);
    test_calls();
    CHECK(test_query(c, "SELECT 1") == NULL);
    CHECK_STR(test_calls(), "");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_INT(c->sql_errno, 2003);
    CHECK_INT(sql_reconnect(c), 0);
    test_calls();
    test_query(c, "SELECT 1");
    CHECK_STR(test_calls(), "query SELECT 1");
    test_world.now = test_world.run_ends;
    ANSWERS({TEST_CONNECT, SQL_FATAL, .errnum = 2003, .state = "HY000", .msg = "refused"});
    CHECK_INT(sql_reconnect(c), -1);
    CHECK_STR(test_calls(), "disconnect; reconnect");
    CHECK(test_end(c));
}

/* Losses and attempts are logged at verbosity 5, and nothing below 4. */
static void test_messages(void)
{
    sql_connection *c;

    test_begin();
    c = test_connect();
    capture();
    test_answers(&lost_query, 1);
    test_query(c, "SELECT 1");
    ANSWERS({TEST_QUERY, SQL_IGNORABLE, .errnum = 1213, .msg = "Deadlock"});
    test_query(c, "SELECT 1");
    CHECK_STR(captured(), "");
    log_set_verbosity(LOG_DEBUG);
    capture();
    test_answers(&lost_query, 1);
    ANSWERS({TEST_CONNECT, SQL_FATAL, .errnum = 2003, .msg = "refused"});
    test_query(c, "SELECT 1");
    ANSWERS({TEST_QUERY, SQL_IGNORABLE, .errnum = 1213, .msg = "Deadlock"});
    test_query(c, "SELECT 1");
    CHECK_STR(captured(), "connection lost: error 2013: Lost connection\n"
                          "DEBUG: Reconnecting\n"
                          "DEBUG: Reconnect failed: error 2003: refused\n"
                          "DEBUG: Reconnected\n"
                          "DEBUG: Ignoring error 1213 Deadlock, \n");
    log_set_verbosity(LOG_NOTICE);
    CHECK(test_end(c));
}

TEST_MAIN(sql_reconnect_test)
{
    test_backoff();
    test_times();
    test_jitter();
    test_backoff_survives();
    test_run_ends();
    test_comes_back();
    test_two_given_up();
    test_lost_too_late();
    test_cut_off();
    test_auxiliary();
    test_busy();
    test_refused();
    test_host_is_told();
    test_bare_host();
    test_reconnect();
    test_given_up();
    test_messages();
    return test_done("sql_reconnect");
}
