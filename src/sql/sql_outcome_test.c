/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What each outcome of a statement does to its connection, its transaction and the counters, and
 * how prepared statements survive a reconnect.  Without a server.
 */
#include "base/mem.h"
#include "fiber/sched.h"
#include "sql/sql_conn.h"
#include "sql/test_story.h"

/* --- outcomes --- */

/* Each is run three times: as a plain text, as a prepared statement and as an emulated one. */
static const struct {
    const char *what;
    bool in_transaction;
    struct test_answer answer; /* to the statement */
} outcomes[] = {
    {"success", false, {.outcome = SQL_DONE}},
    {"success inside", true, {.outcome = SQL_DONE}},
    {"ignored outside of a transaction", false, {FAILS(SQL_IGNORABLE, 1062, "23000", "Duplicate")}},
    {"ignored inside: rolled back",
     true,
     {FAILS(SQL_IGNORABLE, 1205, "HY000", "Lock wait timeout")}},
    {"a deadlock, which has rolled back already",
     true,
     {FAILS(SQL_IGNORABLE, 1213, "40001", "Deadlock"), .rolled_back = true}},
    {"without a number", true, {FAILS(SQL_IGNORABLE, 0, "40001", "could not serialize access")}},
    {"fatal: the transaction is left to the script",
     true,
     {FAILS(SQL_FATAL, 1146, "42S02", "No such table")}},
    {"lost: replaced at once, and the event may be restarted",
     true,
     {FAILS(SQL_LOST, 2006, "HY000", "gone away")}},
};

enum way { PLAIN, PREPARED, EMULATED, WAYS };

static void test_outcomes(void)
{
    static const char *const ways[] = {"plain", "prepared", "emulated"};

    for (size_t i = 0; i < COUNT(outcomes) * WAYS; i++) {
        enum way way = i % WAYS;
        struct test_answer a = outcomes[i / WAYS].answer;
        sql_connection *c = test_session(way != EMULATED);
        sql_statement *s = way == PLAIN ? NULL : test_prepare(c, "UPDATE t");
        if (outcomes[i / WAYS].in_transaction)
            ask(c, "BEGIN");
        a.call = way == PREPARED ? TEST_EXECUTE : TEST_QUERY;
        test_answers(&a, 1);
        CHECK((s ? execute(s) : ask(c, "UPDATE t")) == NULL);
        if (a.outcome == SQL_DONE)
            CHECK(!c->sql_state && !c->sql_errmsg);
        CHECK_INT(test_world.npauses, 0);
        if (s)
            sql_statement_free(s);
        scene(c, "%s, %s", outcomes[i / WAYS].what, ways[way]);
    }
}

/* --- statements over a reconnect --- */

static int64_t one = 1;
static const sql_bind bind_one = {.type = SQL_TYPE_INT, .buffer = &one};

/* The next execute prepares a statement again and binds its parameters. */
static void test_statements_return(void)
{
    sql_connection *c = test_session(true);
    sql_statement *a = test_prepare(c, "A ?"), *b = test_prepare(c, "B");

    CHECK_INT(sql_bind_param(a, &bind_one, 1), 0);
    execute(a);
    ANSWERS({TEST_EXECUTE, SQL_LOST, .errnum = 2013, .msg = "Lost"});
    execute(a);
    CHECK_INT(test_world.statements, 0);
    execute(a);
    execute(a);
    sql_statement_free(b); /* was never used again: nothing to close */
    tell(c);
    sql_statement_free(a);
    tell(c);
    scene(c, "statements after a loss");
}

/* Preparing again can fail as an execute can. */
static void test_return_fails(void)
{
    static const struct test_answer t[] = {
        {TEST_PREPARE, SQL_IGNORABLE, .errnum = 1205, .msg = "m"},
        {TEST_PREPARE, SQL_FATAL, .errnum = 1146, .msg = "m"},
        {TEST_PREPARE, SQL_LOST, .errnum = 2013, .msg = "m"},
        {TEST_BIND, SQL_FATAL, .errnum = 2031, .msg = "m"},
        {TEST_PREPARE, .emulate = true},
    };

    for (size_t i = 0; i < COUNT(t); i++) {
        sql_connection *c = test_session(true);
        sql_statement *s = test_prepare(c, "A ?");
        sql_bind_param(s, &bind_one, 1);
        sql_reconnect(c);
        ((struct sql_conn *)c)->loss.backoff = NS_PER_MS; /* as after a loss */
        test_answers(&t[i], 1);
        tell(c);
        CHECK(execute(s) == NULL);
        sql_statement_free(s);
        scene(c, "prepared again: %d", t[i].errnum);
    }
}

/* sql_rollback: sent by a script, only if a transaction is open, uncounted. */
static void test_undo(void)
{
    sql_connection *c = test_session(true);

    for (int i = 0; i < 3; i++) {
        sql_rollback(c);
        tell(c);
        if (i == 0)
            ask(c, "BEGIN");
    }
    CHECK_INT(sql_disconnect(c), 0);
    test_world.transaction = true;
    sql_rollback(c);
    tell(c);
    scene(c, "rollback");
}

/* A query on the side: counted nowhere, told to nobody, and what it opened is closed.  Only a wait
 * that was given up leaves a text; one for the answer costs the connection, which the next
 * statement replaces. */
static void test_peek(void)
{
    static const char *const row[] = {"1"};
    static const char *const texts[] = {"SELECT 1", "SELECT 2", "SHOW 3", "SELECT 4"};
    sql_connection *c = test_session(true);

    test_world.transaction = true; /* autocommit is off */
    ANSWERS({TEST_QUERY, .values = row, .nfields = 1, .nrows = 1},
            {TEST_QUERY, SQL_FATAL, .errnum = 1146, .state = "42S02", .msg = "No such table"},
            {TEST_QUERY, SQL_LOST, .errnum = 2013},
            {TEST_QUERY, SQL_FATAL, .errnum = 1205, .state = "HY000", .msg = "Lock wait timeout"});
    for (size_t i = 0; i < COUNT(texts); i++) {
        sql_result *r = sql_peek(c, texts[i], strlen(texts[i]));
        CHECK_INT(r && sql_fetch_row(r), i == 0);
        CHECK_INT(c->error, DB_ERROR_NONE);
        tell(c);
        say(c->sql_errmsg ? c->sql_errmsg : "");
    }
    ((struct sql_conn *)c)->limits->statement = 1;
    ANSWERS({TEST_QUERY, SQL_FATAL, .errnum = 2013});
    CHECK(sql_peek(c, "SELECT 4", 8) == NULL);
    say(c->sql_errmsg);
    CHECK(!sched_waits_over());
    ask(c, "SELECT 5");
    sql_disconnect(c);
    CHECK(sql_peek(c, "SELECT 6", 8) == NULL);
    scene(c, "a query on the side");
}

/* What a script takes over: the ROLLBACK after an ignored error; statements that are emulated
 * although the server could prepare them. */
static void test_modes(void)
{
    static const sql_transaction_mode modes[] = {DB_KEEP_TRANSACTION, 0, DB_NO_PREPARE};
    sql_connection *c = test_session(true);

    ask(c, "BEGIN");
    for (size_t i = 0; i < COUNT(modes); i++) {
        sql_set_transaction_mode(c, modes[i]);
        ANSWERS({TEST_QUERY, FAILS(SQL_IGNORABLE, 1205, "HY000", "Lock wait timeout")});
        ask(c, "UPDATE t");
    }
    sql_statement *s = test_prepare(c, "A ?");
    CHECK_INT(sql_bind_param(s, &bind_one, 1), 0);
    execute(s);
    sql_statement_free(s);
    scene(c, "modes");
}

/* A statement counts as its owner says, if it succeeds. */
static void test_count_as(void)
{
    static const char *const row[] = {"1"};
    sql_connection *c = test_session(true);
    sql_statement *s = test_prepare(c, "CALL p()");

    sql_count_as(s, CNT_WRITE);
    ANSWERS({TEST_EXECUTE, .values = row, .nfields = 1, .nrows = 1},
            {TEST_EXECUTE, FAILS(SQL_FATAL, 1146, "42S02", "No such table")});
    CHECK(execute(s) != NULL);
    CHECK(execute(s) == NULL);
    sql_statement_free(s);
    scene(c, "counted as its owner says");
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
    } t[] = {
        {WAIT_STATEMENT, 0, NS_PER_SEC / 2, true, 2013, "HY000"},
        {WAIT_STATEMENT, 0, NS_PER_SEC, true, 0, "08006"},
        {WAIT_CONNECT, 2 * NS_PER_SEC, 0, true, 2003, "HY000"},
        {WAIT_RECONNECT, 0, 0, true, 2003, NULL},
        {WAIT_STATEMENT, 0, NS_PER_SEC * 3600, false, 2013, "HY000"},
        {WAIT_NONE, 0, 0, true, 1213, "40001"},
    };
    static const struct sql_host none;

    for (size_t i = 0; i < COUNT(t); i++) {
        struct sql_limits l = {.connect = t[i].connect, .statement = t[i].statement, .hosts = 1};
        struct sql_conn c = {.limits = &l, .host = &none};
        c.fail.by_policy = c.fail.lost = true;
        if (t[i].what != WAIT_NONE)
            sql_wait_begin(&c, t[i].what);
        if (t[i].over)
            sched_limit_waits(1);
        sql_fail(&c, t[i].errnum, t[i].state, "Lost");
        str_printf(&story, "%d %s %s%s: %s\n", c.fail.errnum, c.fail.state,
                   error_class_name(c.fail.class), c.fail.given_up ? ", given up" : "", c.fail.msg);
        CHECK_INT(c.fail.action, ACTION_FATAL);
        CHECK(!c.fail.by_policy && !c.fail.lost);
        sql_wait_end(&c);
        CHECK(c.waiting == WAIT_NONE && !sched_waits_over());
    }
    golden(&story, "limits");
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
    test_modes();
    test_count_as();
    test_outcomes();
    test_statements_return();
    test_return_fails();
    test_undo();
    test_peek();
    golden_done("sql_outcome_test");
    return test_done("sql_outcome");
}
