/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What each outcome of a statement does to its connection, its transaction and the counters, and
 * how prepared statements survive a reconnect.  Without a server.
 */
#include <stdlib.h>

#include "base/test.h"
#include "fiber/sched.h"
#include "sql/sql_conn.h"
#include "sql/test_driver.h"

#define N(a) (sizeof(a) / sizeof *(a))

/* --- outcomes --- */

/* Each is run three times: as a plain text, as a prepared statement and as an emulated one. */
static const struct {
    const char *what;
    bool in_transaction;
    struct test_answer answer; /* to the statement */
    const char *after;         /* the calls that follow it */
    sql_error_t error;
    unsigned nerrors, nreconnects, nothers;
} outcomes[] = {
    {"success", false, {.outcome = SQL_DONE}, "", DB_ERROR_NONE, 0, 0, 1},
    {"success inside", true, {.outcome = SQL_DONE}, "", DB_ERROR_NONE, 0, 0, 1},
    {"ignored outside of a transaction",
     false,
     {.outcome = SQL_IGNORABLE, .errnum = 1062, .state = "23000", .msg = "Duplicate entry"},
     "",
     DB_ERROR_IGNORABLE,
     1,
     0,
     0},
    {"ignored inside: rolled back",
     true,
     {.outcome = SQL_IGNORABLE, .errnum = 1205, .state = "HY000", .msg = "Lock wait timeout"},
     "; rollback",
     DB_ERROR_IGNORABLE,
     1,
     0,
     0},
    {"a deadlock, which has rolled back already",
     true,
     {.outcome = SQL_IGNORABLE,
      .errnum = 1213,
      .state = "40001",
      .msg = "Deadlock",
      .rolled_back = true},
     "",
     DB_ERROR_IGNORABLE,
     1,
     0,
     0},
    {"without a number",
     true,
     {.outcome = SQL_IGNORABLE, .state = "40001", .msg = "could not serialize access"},
     "; rollback",
     DB_ERROR_IGNORABLE,
     1,
     0,
     0},
    {"fatal: the transaction is left to the script",
     true,
     {.outcome = SQL_FATAL, .errnum = 1146, .state = "42S02", .msg = "No such table"},
     "",
     DB_ERROR_FATAL,
     1,
     0,
     0},
    {"lost: replaced at once, and the event may be restarted",
     true,
     {.outcome = SQL_LOST, .errnum = 2006, .state = "HY000", .msg = "gone away"},
     "; CLOSE disconnect; reconnect",
     DB_ERROR_IGNORABLE,
     0,
     1,
     0},
};

enum way { PLAIN, PREPARED, EMULATED, WAYS };

/* "; CLOSE disconnect": with the end of the statement's server side where there is one. */
static void expected_calls(char *out, size_t size, enum way way, const char *after)
{
    const char *close = strstr(after, "CLOSE ");
    int n = (int)(close ? close - after : (long)strlen(after));

    snprintf(out, size, "%s%.*s%s%s", way == PREPARED ? "execute UPDATE t" : "query UPDATE t", n,
             after, close && way == PREPARED ? "close UPDATE t; " : "",
             close ? close + strlen("CLOSE ") : "");
}

static void run_outcome(size_t i, enum way way)
{
    struct test_answer a = outcomes[i].answer;
    sql_connection *c;
    sql_statement *s;
    char want[128];

    c = test_session(way != EMULATED);
    s = way == PLAIN ? NULL : test_prepare(c, "UPDATE t");
    if (outcomes[i].in_transaction)
        test_query(c, "BEGIN");
    memset(&test_world.counters, 0, sizeof test_world.counters);
    test_calls();
    a.call = way == PREPARED ? TEST_EXECUTE : TEST_QUERY;
    test_answers(&a, 1);
    CHECK((s ? sql_execute(s) : test_query(c, "UPDATE t")) == NULL);
    expected_calls(want, sizeof want, way, outcomes[i].after);
    CHECK_STR(test_calls(), want);
    CHECK_INT(c->error, outcomes[i].error);
    CHECK_INT(c->sql_errno, a.errnum);
    if (a.outcome == SQL_DONE) {
        CHECK(!c->sql_state && !c->sql_errmsg);
    } else {
        CHECK_STR(c->sql_state, a.state);
        CHECK_STR(c->sql_errmsg, a.msg);
        CHECK_INT(test_world.error.errnum, a.errnum);
        CHECK_INT(test_world.error.lost, a.outcome == SQL_LOST);
        CHECK_INT(test_world.error.class, error_class_of(a.errnum, a.state, a.msg));
    }
    CHECK_INT(test_world.nerrors, a.outcome != SQL_DONE);
    CHECK_COUNT(CNT_ERROR, outcomes[i].nerrors);
    CHECK_COUNT(CNT_RECONNECT, outcomes[i].nreconnects);
    CHECK_COUNT(CNT_OTHER, outcomes[i].nothers);
    CHECK_INT(test_world.npauses, 0);
    if (s)
        sql_statement_free(s);
    CHECK(test_end(c));
}

static void test_outcomes(void)
{
    for (size_t i = 0; i < N(outcomes); i++) {
        for (int way = 0; way < WAYS; way++) {
            int before = test_failures;
            run_outcome(i, (enum way)way);
            if (test_failures > before)
                printf("in: %s, %d\n", outcomes[i].what, way);
        }
    }
}

/* --- statements over a reconnect --- */

static int64_t one = 1;
static const sql_bind bind_one = {.type = SQL_TYPE_INT, .buffer = &one};

/* The next execute prepares a statement again and binds its parameters. */
static void test_statements_return(void)
{
    sql_connection *c;
    sql_statement *a, *b;

    test_begin();
    c = test_connect();
    a = test_prepare(c, "A ?");
    b = test_prepare(c, "B");
    CHECK_INT(sql_bind_param(a, &bind_one, 1), 0);
    sql_execute(a);
    CHECK_STR(test_calls(), "prepare A ?; prepare B; bind A ?; execute A ?");
    ANSWERS({TEST_EXECUTE, SQL_LOST, .errnum = 2013, .msg = "Lost"});
    sql_execute(a);
    CHECK_STR(test_calls(), "execute A ?; close B; close A ?; disconnect; reconnect");
    CHECK_INT(test_world.statements, 0);
    sql_execute(a);
    CHECK_STR(test_calls(), "prepare again A ?; bind A ?; execute A ?");
    sql_execute(a);
    CHECK_STR(test_calls(), "execute A ?");
    sql_statement_free(b); /* was never used again: nothing to close */
    CHECK_STR(test_calls(), "");
    sql_statement_free(a);
    CHECK_STR(test_calls(), "close A ?");
    CHECK(test_end(c));
}

/* Preparing again can fail as an execute can. */
static void test_return_fails(void)
{
    static const struct {
        struct test_answer answer;
        const char *calls;
        sql_error_t error;
        unsigned nerrors, nreconnects;
    } t[] = {
        {{TEST_PREPARE, SQL_IGNORABLE, .errnum = 1205, .msg = "m"},
         "prepare again A ?",
         DB_ERROR_IGNORABLE,
         1,
         1},
        {{TEST_PREPARE, SQL_FATAL, .errnum = 1146, .msg = "m"},
         "prepare again A ?",
         DB_ERROR_FATAL,
         1,
         1},
        {{TEST_PREPARE, SQL_LOST, .errnum = 2013, .msg = "m"},
         "prepare again A ?; disconnect; pause; reconnect",
         DB_ERROR_IGNORABLE,
         0,
         2},
        {{TEST_BIND, SQL_FATAL, .errnum = 2031, .msg = "m"},
         "prepare again A ?; bind A ?",
         DB_ERROR_FATAL,
         1,
         1},
        {{TEST_PREPARE, .emulate = true}, "prepare again A ?; query A 1", DB_ERROR_NONE, 0, 1},
    };

    for (size_t i = 0; i < N(t); i++) {
        sql_connection *c;
        sql_statement *s;
        test_begin();
        c = test_connect();
        s = test_prepare(c, "A ?");
        sql_bind_param(s, &bind_one, 1);
        sql_reconnect(c);
        ((struct sql_conn *)c)->loss.backoff = NS_PER_MS; /* as after a loss */
        test_answers(&t[i].answer, 1);
        test_calls();
        CHECK(sql_execute(s) == NULL);
        CHECK_STR(test_calls(), t[i].calls);
        CHECK_INT(c->error, t[i].error);
        CHECK_INT(c->sql_errno, t[i].answer.errnum);
        CHECK_COUNT(CNT_ERROR, t[i].nerrors);
        CHECK_COUNT(CNT_RECONNECT, t[i].nreconnects);
        sql_statement_free(s);
        CHECK(test_end(c));
    }
}

/* sql_rollback: sent by a script, only if a transaction is open, uncounted. */
static void test_undo(void)
{
    sql_connection *c;

    test_begin();
    c = test_connect();
    sql_rollback(c);
    CHECK_STR(test_calls(), "");
    test_query(c, "BEGIN");
    sql_rollback(c);
    CHECK_STR(test_calls(), "query BEGIN; rollback");
    sql_rollback(c);
    CHECK_STR(test_calls(), "");
    CHECK_COUNT(CNT_OTHER, 1);
    CHECK_INT(sql_disconnect(c), 0);
    test_world.transaction = true;
    sql_rollback(c);
    CHECK_STR(test_calls(), "disconnect");
    CHECK(test_end(c));
}

/* A query on the side: counted nowhere, told to nobody, and what it opened is closed.  Only a wait
 * that was given up leaves a text; one for the answer costs the connection, which the next
 * statement replaces. */
static void test_peek(void)
{
    static const char *const row[] = {"1"};
    sql_connection *c;

    test_begin();
    c = test_connect();
    test_world.transaction = true; /* autocommit is off */
    ANSWERS({TEST_QUERY, .values = row, .nfields = 1, .nrows = 1},
            {TEST_QUERY, SQL_FATAL, .errnum = 1146, .state = "42S02", .msg = "No such table"},
            {TEST_QUERY, SQL_LOST, .errnum = 2013},
            {TEST_QUERY, SQL_FATAL, .errnum = 1205, .state = "HY000", .msg = "Lock wait timeout"});
    CHECK(sql_fetch_row(sql_peek(c, "SELECT 1", 8)) != NULL);
    CHECK_STR(test_calls(), "query SELECT hastily 1; rollback; fetch");
    CHECK(sql_peek(c, "SELECT 2", 8) == NULL);
    CHECK(sql_peek(c, "SHOW 3", 6) == NULL);
    CHECK_STR(test_calls(), "free; query SELECT hastily 2; query SHOW 3");
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK(c->sql_errmsg == NULL);
    CHECK(sql_peek(c, "SELECT 4", 8) == NULL);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK_STR(c->sql_errmsg, "Lock wait timeout");
    CHECK_STR(test_calls(), "query SELECT hastily 4");
    CHECK_INT(test_world.nerrors, 0);
    for (int i = 0; i < CNT_MAX; i++)
        CHECK_COUNT((enum counter)i, 0);
    ((struct sql_conn *)c)->limits->statement = 1;
    ANSWERS({TEST_QUERY, SQL_FATAL, .errnum = 2013});
    CHECK(sql_peek(c, "SELECT 4", 8) == NULL);
    CHECK_STR(c->sql_errmsg, "no answer within 1e-09 s, the connection was closed");
    CHECK(!sched_waits_over());
    test_query(c, "SELECT 5");
    CHECK_STR(test_calls(), "query SELECT hastily 4; disconnect; reconnect; query SELECT 5");
    CHECK_INT(c->error, DB_ERROR_NONE);
    sql_disconnect(c);
    CHECK(sql_peek(c, "SELECT 6", 8) == NULL);
    CHECK(test_end(c));
}

/* What a script takes over: the ROLLBACK after an ignored error. */
static void test_keep_transaction(void)
{
    struct test_answer refused = {TEST_QUERY, SQL_IGNORABLE, .errnum = 1205, .state = "HY000",
                                  .msg = "Lock wait timeout"};
    sql_connection *c;

    test_begin();
    c = test_connect();
    test_query(c, "BEGIN");
    sql_set_transaction_mode(c, DB_KEEP_TRANSACTION);
    test_answers(&refused, 1);
    test_query(c, "UPDATE t");
    CHECK_STR(test_calls(), "query BEGIN; query UPDATE t");
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    sql_set_transaction_mode(c, 0);
    test_answers(&refused, 1);
    test_query(c, "UPDATE t");
    CHECK_STR(test_calls(), "query UPDATE t; rollback");
    CHECK(test_end(c));
}

/* Statements that are emulated although the server could prepare them. */
static void test_no_prepare(void)
{
    sql_connection *c = test_session(true);
    sql_statement *s;

    sql_set_transaction_mode(c, DB_NO_PREPARE);
    s = test_prepare(c, "A ?");
    CHECK_INT(sql_bind_param(s, &bind_one, 1), 0);
    sql_execute(s);
    CHECK_STR(test_calls(), "query A 1");
    sql_statement_free(s);
    CHECK(test_end(c));
}

/* A statement counts as its owner says, if it succeeds. */
static void test_count_as(void)
{
    static const char *const row[] = {"1"};
    sql_connection *c = test_session(true);
    sql_statement *s = test_prepare(c, "CALL p()");

    sql_count_as(s, CNT_WRITE);
    ANSWERS({TEST_EXECUTE, .values = row, .nfields = 1, .nrows = 1},
            {TEST_EXECUTE, SQL_FATAL, .errnum = 1146, .state = "42S02", .msg = "No such table"});
    CHECK(sql_execute(s) != NULL);
    CHECK(sql_execute(s) == NULL);
    CHECK_COUNT(CNT_WRITE, 1);
    CHECK_COUNT(CNT_READ, 0);
    sql_statement_free(s);
    CHECK(test_end(c));
}

/* The end of a wait that an option limits: which option, and of a statement its own error where the
 * server has numbers. */
static void test_limits(void)
{
    static const struct {
        enum sql_waiting what;
        dur_ns connect, statement;
        bool over;
        int errnum;
        const char *state;
        struct sql_failure want;
    } t[] = {
        {WAIT_STATEMENT,
         0,
         NS_PER_SEC / 2,
         true,
         2013,
         "HY000",
         {.errnum = 3024,
          .state = "HY000",
          .class = ERROR_CANCELLED,
          .msg = "no answer within --query-timeout=0.5 s, the connection was closed"}},
        {WAIT_STATEMENT,
         0,
         NS_PER_SEC,
         true,
         0,
         "08006",
         {.state = "57014",
          .class = ERROR_CANCELLED,
          .msg = "no answer within --query-timeout=1 s, the connection was closed"}},
        {WAIT_CONNECT,
         2 * NS_PER_SEC,
         0,
         true,
         2003,
         "HY000",
         {.errnum = 2003,
          .state = "HY000",
          .class = ERROR_CONNECTION,
          .msg = "the server did not answer within --connect-timeout=2 s"}},
        {WAIT_RECONNECT,
         0,
         0,
         true,
         2003,
         NULL,
         {.errnum = 2003,
          .class = ERROR_CONNECTION,
          .msg = "the server did not answer an attempt to reconnect within 10 s"}},
        {WAIT_STATEMENT,
         0,
         NS_PER_SEC * 3600,
         false,
         2013,
         "HY000",
         {.errnum = 2013, .state = "HY000", .class = ERROR_CONNECTION, .msg = "Lost"}},
        {WAIT_NONE,
         0,
         0,
         true,
         1213,
         "40001",
         {.errnum = 1213, .state = "40001", .class = ERROR_DEADLOCK, .msg = "Lost"}},
    };
    static const struct sql_host none;

    for (size_t i = 0; i < N(t); i++) {
        struct sql_limits limits = {
            .connect = t[i].connect, .statement = t[i].statement, .hosts = 1};
        struct sql_conn c = {.limits = &limits, .host = &none};
        c.fail.by_policy = c.fail.lost = true;
        if (t[i].what != WAIT_NONE)
            sql_wait_begin(&c, t[i].what);
        if (t[i].over)
            sched_limit_waits(1);
        sql_fail(&c, t[i].errnum, t[i].state, "Lost");
        CHECK_INT(c.fail.given_up, t[i].over && t[i].what != WAIT_NONE);
        CHECK_INT(c.fail.errnum, t[i].want.errnum);
        CHECK_STR(c.fail.state, t[i].want.state);
        CHECK_STR(c.fail.msg, t[i].want.msg);
        CHECK_STR(error_class_name(c.fail.class), error_class_name(t[i].want.class));
        CHECK_INT(c.fail.action, ACTION_FATAL);
        CHECK(!c.fail.by_policy && !c.fail.lost);
        sql_wait_end(&c);
        CHECK(c.waiting == WAIT_NONE && !sched_waits_over());
    }
    /* without a limit there is none, nor for a connection of our own */
    struct sql_limits limits = {.connect = 5, .hosts = 1};
    const struct sql_host own = {.auxiliary = true};
    struct sql_conn c = {.limits = &limits, .host = &none};
    sql_wait_begin(&c, WAIT_STATEMENT);
    CHECK_INT(c.waiting, WAIT_NONE);
    c.host = &own;
    sql_wait_begin(&c, WAIT_CONNECT);
    CHECK_INT(c.waiting, WAIT_NONE);
}

TEST_MAIN(sql_outcome_test)
{
    test_limits();
    test_keep_transaction();
    test_no_prepare();
    test_count_as();
    test_outcomes();
    test_statements_return();
    test_return_fails();
    test_undo();
    test_peek();
    return test_done("sql_outcome");
}
