/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lost connections, without a server: how long the floor waits between attempts, when it gives up,
 * what it reports to the host and the user.
 */
#include "sql/test_story.h"

static const struct test_answer lost_query = {TEST_QUERY, SQL_LOST, .errnum = 2013,
                                              .state = "HY000", .msg = "Lost connection"};

static const struct test_answer refused = {TEST_CONNECT, SQL_FATAL, .errnum = 2003,
                                           .state = "HY000", .msg = "refused"};

static sql_connection *begin(void)
{
    test_begin();
    return test_connect();
}

/* A statement that finds the connection lost. */
static void lose(sql_connection *c)
{
    test_answers(&lost_query, 1);
    ask(c, "SELECT 1");
}

/* --- back-off --- */

/* The pauses from `first` on, of which each is between a half and all of its time: 1 ms, 2 ms, ...
 * 512 ms, then a second each time. */
static void check_pauses(unsigned first, unsigned n)
{
    dur_ns whole = NS_PER_MS;

    CHECK_INT(test_world.npauses, first + n);
    for (unsigned i = first; i < first + n; i++) {
        dur_ns pause = test_world.pauses[i];
        TEST_REPORT(pause >= whole / 2 && pause <= whole, "pause of %lld ns, not %lld to %lld",
                    (long long)pause, (long long)whole / 2, (long long)whole);
        whole = whole * 2 < NS_PER_SEC ? whole * 2 : NS_PER_SEC;
    }
}

/* Whatever the reason was. */
static void test_backoff(void)
{
    static const enum sql_outcome why[] = {SQL_FATAL, SQL_IGNORABLE, SQL_BUSY};
    enum { REFUSED = 15 };
    sql_connection *c = begin();
    dur_ns sum = 0;
    mono_ns before = test_world.now;

    for (int i = 0; i < REFUSED; i++)
        ANSWERS({TEST_CONNECT, why[i % 3], .errnum = 2003, .msg = "refused", .takes = NS_PER_MS});
    lose(c);
    check_pauses(0, REFUSED);
    for (int i = 0; i < REFUSED; i++)
        sum += test_world.pauses[i];
    CHECK_INT(test_world.now - before, sum + REFUSED * NS_PER_MS);
    CHECK_INT(test_world.away, test_world.now - before);
    scene(c, "attempts that are refused");
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
    tell(c);
    ANSWERS({TEST_CONNECT, SQL_FATAL, .msg = "refused", .takes = 3 * NS_PER_MS},
            {TEST_CONNECT, SQL_DONE, .takes = 2 * NS_PER_MS});
    lose(c);
    CHECK_INT(test_world.away, 5 * NS_PER_MS + test_world.pauses[0]);
    scene(c, "times of attempts");
}

/* Two clients do not retry in step. */
static void test_jitter(void)
{
    dur_ns first[2][8];

    for (int i = 0; i < 2; i++) {
        test_begin();
        test_world.now += i; /* seeds the jitter */
        sql_connection *c = test_connect();
        for (int k = 0; k < 8; k++)
            test_answers(&refused, 1);
        lose(c);
        memcpy(first[i], test_world.pauses, sizeof first[i]);
        scene(c, "jitter");
    }
    CHECK(memcmp(first[0], first[1], sizeof first[0]) != 0);
}

/* A server that accepts connections only to drop them is not hammered: a new connection alone does
 * not end the back-off, a statement that succeeds on it does. */
static void test_backoff_survives(void)
{
    sql_connection *c = begin();

    for (int i = 0; i < 4; i++)
        lose(c);
    check_pauses(0, 3);
    ask(c, "SELECT 1");
    lose(c);
    CHECK_INT(test_world.npauses, 3);
    scene(c, "connections that are dropped at once");
}

/* --reconnect-rate: one attempt in each 0.1 s. */
static void test_rate(void)
{
    test_begin();
    test_world.options.reconnect_rate = 10;
    test_set_up();
    sql_connection *c = test_connect();
    mono_ns before = test_world.now;
    for (int i = 0; i < 40; i++) {
        test_answers(&lost_query, 1);
        test_query(c, "SELECT 1");
        test_query(c, "SELECT 1"); /* ends the back-off */
    }
    double took = dur_sec(test_world.now - before);
    TEST_REPORT(took > 3.7 && took < 4.1, "%f s for 40 attempts", took);
    CHECK(test_end(c));
}

/* --- where it ends --- */

/* Whether, and in which words, the run has failed. */
static void judge(void)
{
    struct err e = {0};

    capture();
    int rc = sql_check_recovered(&e);
    say(captured());
    if (rc)
        say(e.msg);
}

/* Reported once for all clients; when the run is over, there is not even an attempt. */
static void test_run_ends(void)
{
    sql_connection *c = begin();

    test_world.run_ends = test_world.now + 10 * NS_PER_MS;
    ANSWERS({TEST_CONNECT, SQL_FATAL, .errnum = 2003, .msg = "refused", .always = true});
    judge();
    test_answers(&lost_query, 1);
    test_query(c, "SELECT 1");
    CHECK_INT(test_world.now, test_world.run_ends);
    CHECK(strncmp(test_calls(), "query SELECT 1; disconnect; reconnect; pause; reconnect", 55) ==
          0);
    test_world.nended = test_world.nconnecting; /* their number is chance */
    heard.nended = heard.nconnecting = test_world.nconnecting;
    heard.nerrors = test_world.nerrors - 1;
    tell(c);
    CHECK_INT(((struct sql_conn *)c)->state, SQL_STATE_LOST);
    judge();
    ask(c, "SELECT 2");
    CHECK(!sql_more_results(c));
    CHECK(sql_next_result(c) == NULL);
    tell(c);
    sql_rollback(c); /* nothing to roll back */
    tell(NULL);
    scene(c, "the run ends meanwhile");
}

/* The next use of a lost connection reconnects it, while the run lasts. */
static void test_comes_back(void)
{
    sql_connection *c = begin();

    test_world.run_ends = test_world.now;
    lose(c);
    test_world.run_ends += NS_PER_SEC;
    ask(c, "SELECT 2");
    scene(c, "the next use");
}

static void test_two_given_up(void)
{
    sql_connection *c[2] = {begin(), test_connect()};
    struct err e = {0};

    ANSWERS({TEST_CONNECT, SQL_FATAL, .msg = "refused", .always = true});
    for (int i = 0; i < 2; i++) {
        test_world.run_ends = test_world.now + 2 * NS_PER_MS;
        ANSWERS({TEST_QUERY, SQL_LOST, .state = "57P01", .msg = "shut down"});
        test_query(c[i], "SELECT 1");
    }
    CHECK_INT(sql_check_recovered(&e), -1);
    CHECK_STR(e.msg, "2 connections were lost and not restored when the run ended: refused");
    sql_connection_free(c[1]);
    CHECK(test_end(c[0]));
}

/* Lost when the run is over: nothing was tried, and nothing failed. */
static void test_lost_too_late(void)
{
    sql_connection *c[2] = {begin(), test_connect()};

    test_world.run_ends = test_world.now;
    for (int i = 0; i < 2; i++) {
        ANSWERS({TEST_QUERY, SQL_LOST, .errnum = 2013, .msg = i ? "second" : "first"});
        ask(c[i], "SELECT 1");
    }
    judge();
    sql_connection_free(c[1]);
    scene(c[0], "lost when the run is over");
}

/* The attempt was under way when the run ended: that it did not succeed says nothing. */
static void test_cut_off(void)
{
    sql_connection *c = begin();

    test_world.run_ends = test_world.now + NS_PER_MS;
    ANSWERS({TEST_CONNECT, SQL_FATAL, .msg = "cut off", .takes = 2 * NS_PER_MS});
    lose(c);
    judge();
    scene(c, "an attempt that is cut off");
}

/* A connection that belongs to no client does not fail the run. */
static void test_auxiliary(void)
{
    sql_connection *c = begin();

    test_world.host.auxiliary = true;
    test_world.run_ends = test_world.now;
    lose(c);
    judge();
    ANSWERS({TEST_CONNECT, SQL_FATAL, .errnum = 1045, .msg = "denied"});
    ask(c, "SELECT 1");
    test_world.run_ends += NS_PER_SEC;
    ask(c, "SELECT 1"); /* takes the answer, then comes back */
    ANSWERS({TEST_QUERY, SQL_FATAL, .errnum = 1146, .msg = "No such table"});
    ask(c, "SELECT 1");
    scene(c, "a connection of no client");
}

/* --- connecting --- */

static const struct test_answer queue_full = {TEST_CONNECT, SQL_BUSY, .errnum = 2002, .msg = "(11)",
                                              .always = true};

/* A connect waits for a full listen queue, but not for ever. */
static void test_busy(void)
{
    mono_ns before;

    test_begin();
    for (int i = 0; i < 3; i++)
        ANSWERS({TEST_CONNECT, SQL_BUSY, .errnum = 2002, .msg = "(11)"});
    sql_connection *c = sql_connect(sql_driver_get(NULL), &test_world.host);
    tell(c);
    check_pauses(0, 3);
    scene(c, "a full listen queue");

    for (int ends = 0; ends < 2; ends++) {
        test_begin();
        before = test_world.now;
        if (ends)
            test_world.run_ends = before + 5 * NS_PER_SEC;
        test_answers(&queue_full, 1);
        CHECK(sql_connect(sql_driver_get(NULL), &test_world.host) == NULL);
        CHECK(test_world.now - before >= (ends ? 5 : 30) * NS_PER_SEC);
        CHECK(test_world.now - before <= (ends ? 5 : 31) * NS_PER_SEC);
        CHECK(ends || test_world.nconnecting == test_world.npauses + 1);
        CHECK(test_end(NULL));
    }
}

/* The first connect is tried once, listed or not; and not at all if the run has ended meanwhile. */
static void test_refused(void)
{
    for (int i = 0; i < 3; i++) {
        test_begin();
        test_world.may_connect = i < 2;
        if (i < 2)
            ANSWERS({TEST_CONNECT, i ? SQL_IGNORABLE : SQL_FATAL, .errnum = 1045, .state = "28000",
                     .msg = "Access denied"});
        CHECK(sql_connect(sql_driver_get(NULL), &test_world.host) == NULL);
        tell(NULL);
        CHECK_INT(test_world.ended_fd, i < 2 ? -1 : 0);
        scene(NULL, "the first attempt is refused");
    }
}

static void test_host_is_told(void)
{
    sql_connection *c = begin();

    tell(c);
    CHECK_INT(test_world.ended_fd, 11);
    CHECK_INT(sql_reconnect(c), 0);
    tell(c);
    CHECK(sql_connection_owner(c) == &test_world);
    scene(c, "the host is told");
}

/* A host without functions: the floor sleeps by itself, on the real clock. */
static void test_bare_host(void)
{
    struct sql_host bare = {.counters = &test_world.counters};
    mono_ns before = clock_mono();
    sql_connection *c;

    test_begin();
    c = sql_connect(sql_driver_get(NULL), &bare);
    ANSWERS({TEST_CONNECT, SQL_FATAL, .msg = "refused"});
    test_calls();
    lose(c);
    CHECK(clock_mono() - before >= NS_PER_MS / 2);
    scene(c, "a host without functions");
}

/* con:reconnect(): what the first attempt came to decides whether there are more; an old error is
 * forgotten. */
static void test_reconnect(void)
{
    static const enum sql_outcome first[] = {SQL_DONE, SQL_IGNORABLE, SQL_BUSY, SQL_FATAL};

    for (int i = 0; i < 4; i++) {
        sql_connection *c = begin();
        ANSWERS({TEST_QUERY, SQL_FATAL, .errnum = 1064, .msg = "syntax"},
                {TEST_CONNECT, first[i], .errnum = 2003, .state = "HY000", .msg = "refused"});
        ask(c, "X");
        CHECK_INT(sql_reconnect(c), first[i] == SQL_FATAL ? -1 : 0);
        tell(c);
        scene(c, "reconnect: %d", first[i]);
    }
}

/* What a FATAL line has said stays true: only the script goes on.  At the end of a run nothing is
 * said. */
static void test_given_up(void)
{
    sql_connection *c = begin();

    test_answers(&refused, 1);
    CHECK_INT(sql_reconnect(c), -1);
    tell(c);
    ask(c, "SELECT 1");
    CHECK_INT(sql_reconnect(c), 0);
    ask(c, "SELECT 1");
    test_world.now = test_world.run_ends;
    test_answers(&refused, 1);
    CHECK_INT(sql_reconnect(c), -1);
    tell(c);
    scene(c, "given up");
}

/* Losses and attempts are logged at verbosity 5, and nothing below 4. */
static void test_messages(void)
{
    sql_connection *c = begin();

    for (int debug = 0; debug < 2; debug++) {
        log_set_verbosity(debug ? LOG_DEBUG : LOG_NOTICE);
        capture();
        test_answers(&lost_query, 1);
        test_answers(&refused, 1);
        test_query(c, "SELECT 1");
        ANSWERS({TEST_QUERY, SQL_IGNORABLE, .errnum = 1213, .msg = "Deadlock"});
        test_query(c, "SELECT 1");
        CHECK_STR(captured(), debug ? "connection lost: error 2013: Lost connection\n"
                                      "DEBUG: Reconnecting\n"
                                      "DEBUG: Reconnect failed: error 2003: refused\n"
                                      "DEBUG: Reconnected\n"
                                      "DEBUG: Ignoring error 1213 Deadlock, \n"
                                    : "");
    }
    log_set_verbosity(LOG_NOTICE);
    CHECK(test_end(c));
}

TEST_MAIN(sql_reconnect_test)
{
    test_backoff();
    test_times();
    test_jitter();
    test_backoff_survives();
    test_rate();
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
    golden_done("sql_reconnect_test");
    return test_done("sql_reconnect");
}
