/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --db-ps-mode=prepare=lazy, without a server: when a statement is prepared, what its failure
 * becomes, and what a reconnect, a server that cannot prepare, and a statement that is never
 * executed lead to.  "prepare again" is how the driver is asked by an execution, the first one
 * included.
 */
#include "base/test.h"
#include "base/test_capture.h"
#include "sql/test_driver.h"

static int64_t seven = 7;
static const sql_bind number = {.type = SQL_TYPE_INT, .buffer = &seven};

static sql_connection *lazy_session(bool dry)
{
    test_begin();
    test_world.options.ps_lazy = true;
    test_world.dry = dry;
    sql_teardown();
    CHECK_INT(sql_setup(&test_world.options, &(struct err){0}), 0);
    return test_connect();
}

static void test_first_execution(void)
{
    sql_connection *c = lazy_session(false);
    sql_statement *s = test_prepare(c, "S ?");

    CHECK_INT(sql_bind_param(s, &number, 1), 0);
    CHECK_STR(test_calls(), "");
    sql_execute(s);
    CHECK_STR(test_calls(), "prepare again S ?; bind S ?; execute S ?");
    sql_execute(s);
    CHECK_STR(test_calls(), "execute S ?");
    CHECK_COUNT(CNT_OTHER, 2); /* a prepare counts no more than an eager one */
    CHECK_INT(sql_close(s), 0);
    CHECK_STR(test_calls(), "close S ?");
    sql_statement_free(s);
    CHECK(test_end(c));
}

static void test_never_executed(void)
{
    sql_connection *c = lazy_session(false);
    sql_statement *s = test_prepare(c, "S");

    CHECK_INT(sql_close(s), 0);
    capture();
    CHECK(sql_execute(s) == NULL);
    CHECK_STR(captured(), "ALERT: attempt to use an already closed statement\n");
    sql_statement_free(s);
    CHECK_STR(test_calls(), "");
    CHECK(test_end(c));
}

/* Placeholders are counted here: a wrong number is noticed where it is with eager. */
static void test_wrong_count(void)
{
    sql_connection *c = lazy_session(false);
    sql_statement *s = test_prepare(c, "S ?, '?'");

    capture();
    CHECK_INT(sql_bind_param(s, (sql_bind[]){number, number}, 2), 1);
    CHECK_STR(captured(), "ALERT: wrong count\n");
    capture();
    CHECK(sql_execute(s) == NULL);
    CHECK_STR(captured(), "ALERT: wrong number of parameters in prepared statement\n");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    sql_statement_free(s);
    CHECK(test_end(c));
}

/* A prepare that fails is an execution that fails: with number, state and class, and counted. */
static void test_prepare_fails(void)
{
    static const struct {
        enum sql_outcome outcome;
        const char *calls;
        sql_error_t error;
        enum counter counter;
    } t[] = {
        {SQL_FATAL, "prepare again S", DB_ERROR_FATAL, CNT_ERROR},
        {SQL_IGNORABLE, "prepare again S", DB_ERROR_IGNORABLE, CNT_ERROR},
        {SQL_LOST, "prepare again S; disconnect; reconnect", DB_ERROR_IGNORABLE, CNT_RECONNECT},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        sql_connection *c = lazy_session(false);
        sql_statement *s = test_prepare(c, "S");
        ANSWERS({TEST_PREPARE, t[i].outcome, .errnum = 1146, .state = "42S02", .msg = "no table"});
        CHECK(sql_execute(s) == NULL);
        CHECK_STR(test_calls(), t[i].calls);
        CHECK_INT(c->error, t[i].error);
        CHECK_INT(c->sql_errno, 1146);
        CHECK_COUNT(t[i].counter, 1);
        CHECK_INT(test_world.nerrors, 1);
        sql_execute(s); /* the next execution prepares it */
        CHECK_STR(test_calls(), "prepare again S; execute S");
        CHECK_INT(c->error, DB_ERROR_NONE);
        sql_statement_free(s);
        CHECK(test_end(c));
    }
}

/* A server that cannot prepare it, or accepts no more statements: the text is sent. */
static void test_emulated(void)
{
    sql_connection *c = lazy_session(false);
    sql_statement *s = test_prepare(c, "F(?)");

    ANSWERS({TEST_PREPARE, .emulate = true, .always = true});
    CHECK_INT(sql_bind_param(s, &number, 1), 0);
    sql_execute(s);
    sql_execute(s);
    CHECK_STR(test_calls(), "prepare again F(?); query F(7); query F(7)");
    sql_statement_free(s);
    CHECK(test_end(c));
}

/* What was not executed on the old connection is not prepared on the new one either. */
static void test_reconnect(void)
{
    sql_connection *c = lazy_session(false);
    sql_statement *used = test_prepare(c, "U ?"), *spare = test_prepare(c, "V");

    CHECK_INT(sql_bind_param(used, &number, 1), 0);
    sql_execute(used);
    CHECK_INT(sql_reconnect(c), 0);
    test_calls();
    sql_execute(used);
    CHECK_STR(test_calls(), "prepare again U ?; bind U ?; execute U ?");
    sql_statement_free(spare);
    sql_statement_free(used);
    CHECK_STR(test_calls(), "close U ?");
    CHECK(test_end(c));
}

/* A dry run has no server to spare. */
static void test_dry(void)
{
    sql_connection *c = lazy_session(true);
    sql_statement *s = test_prepare(c, "S ?");

    CHECK_INT(sql_bind_param(s, &number, 1), 0);
    sql_execute(s);
    CHECK_STR(test_calls(), "prepare S ?; bind S ?; execute S ?");
    sql_statement_free(s);
    CHECK(test_end(c));
}

TEST_MAIN(sql_lazy_test)
{
    test_first_execution();
    test_never_executed();
    test_wrong_count();
    test_prepare_fails();
    test_emulated();
    test_reconnect();
    test_dry();
    return test_done("sql_lazy");
}
