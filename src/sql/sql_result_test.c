/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Results, without a server: rows one by one and into bound buffers, several results of one
 * statement, results that nobody reads.
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/test.h"
#include "base/test_capture.h"
#include "sql/test_driver.h"

#define N(a) (sizeof(a) / sizeof *(a))

static const char *const letters[] = {"a", NULL, "", "d"};

/* Two rows of two columns. */
#define ROWS .values = letters, .nfields = 2, .nrows = 2

/* --- rows --- */

static void test_rows(void)
{
    sql_connection *c = test_session(true);
    sql_result *r;
    sql_row *row;

    ANSWERS({TEST_QUERY, ROWS});
    r = test_query(c, "SELECT");
    CHECK(r && r->nfields == 2 && r->nrows == 2 && r->counter == CNT_READ && !r->statement);
    CHECK(sql_result_connection(r) == c);
    row = sql_fetch_row(r);
    CHECK(row->values[0].len == 1 && row->values[0].ptr[0] == 'a' && !row->values[1].ptr);
    row = sql_fetch_row(r);
    CHECK(row->values[0].len == 0 && row->values[0].ptr && row->values[1].ptr[0] == 'd');
    CHECK(sql_fetch_row(r) == NULL);
    CHECK_INT(sql_free_results(r), 0);
    CHECK_STR(test_calls(), "query SELECT; fetch; fetch; fetch; free");
    capture();
    CHECK_INT(sql_free_results(r), 1);
    CHECK_INT(sql_free_results(NULL), 1);
    CHECK(sql_fetch_row(r) == NULL);
    CHECK(sql_fetch_row(NULL) == NULL);
    ANSWERS({TEST_QUERY, .values = letters, .nfields = 2});
    r = test_query(c, "SELECT");
    CHECK(sql_fetch_row(r) == NULL);
    CHECK_STR(captured(), "ALERT: attempt to free an invalid result set\n"
                          "(last message repeated 1 times)\n"
                          "ALERT: attempt to fetch row from an invalid result set\n"
                          "(last message repeated 1 times)\n"
                          "ALERT: attempt to fetch row from an empty result set\n");
    CHECK_STR(test_calls(), "query SELECT");
    CHECK(test_end(c)); /* frees the open result */
}

/* The columns of a prepared statement's rows also go where the script has bound them. */
static void test_bound_results(void)
{
    static const char *const numbers[] = {"-7", "2.5", "text", "8", NULL, "x"};
    sql_connection *c = test_session(true);
    sql_statement *s = test_prepare(c, "SELECT ?");
    int64_t i = 0;
    double d = 0;
    char bytes[4] = "", null = 9;
    unsigned long len = 0;
    sql_bind b[] = {
        {.type = SQL_TYPE_INT, .buffer = &i},
        {.type = SQL_TYPE_DOUBLE, .buffer = &d, .is_null = &null},
        {.type = SQL_TYPE_CHAR, .buffer = bytes, .max_len = sizeof bytes, .data_len = &len}};
    sql_bind none = {.type = SQL_TYPE_NONE, .buffer = &i},
             one = {.type = SQL_TYPE_INT, .buffer = &i};
    sql_result *r;

    CHECK_INT(sql_bind_result(s, b, 3), 0);
    sql_bind_param(s, &one, 1);
    ANSWERS({TEST_EXECUTE, .values = numbers, .nfields = 3, .nrows = 2});
    r = sql_execute(s);
    CHECK(r && r->statement == s);
    CHECK(sql_fetch_row(r) != NULL);
    CHECK(i == -7 && d == 2.5 && null == 0 && len == 4 && memcmp(bytes, "text", 4) == 0);
    CHECK(sql_fetch_row(r) != NULL);
    CHECK(i == 8 && d == 2.5 && null == 1 && len == 1 && memcmp(bytes, "xext", 4) == 0);

    capture();
    CHECK_INT(sql_bind_result(s, b, 1), 0); /* rows have three columns */
    ANSWERS({TEST_EXECUTE, .values = numbers, .nfields = 3, .nrows = 1});
    i = 0;
    CHECK(sql_fetch_row(sql_execute(s)) != NULL);
    CHECK_INT(i, 0);
    CHECK_INT(sql_bind_result(s, NULL, 1), 1);
    CHECK_INT(sql_bind_result(s, &none, 1), 1);
    CHECK_INT(sql_bind_result(s, NULL, 0), 0); /* nowhere from now on */
    ANSWERS({TEST_EXECUTE, .values = numbers, .nfields = 3, .nrows = 1});
    CHECK(sql_fetch_row(sql_execute(s)) != NULL);
    sql_close(s);
    CHECK_INT(sql_bind_result(s, b, 3), 1);
    CHECK_INT(sql_bind_result(NULL, b, 3), 1);
    CHECK_STR(captured(),
              "ALERT: 1 result buffers are bound to a statement whose rows have 3 columns\n"
              "ALERT: no result buffers to bind\n"
              "ALERT: Unsupported type of result buffer 1: 0\n"
              "ALERT: attempt to bind results to a closed statement\n");
    sql_statement_free(s);
    CHECK(test_end(c));
}

/* --- several results --- */

static void test_more_results(void)
{
    sql_connection *c = test_session(true);
    sql_result *r;

    ANSWERS({TEST_QUERY, ROWS, .more = true}, {TEST_NEXT, .affected = 3, .more = true},
            {TEST_NEXT, ROWS});
    CHECK(test_query(c, "THREE") != NULL);
    CHECK(sql_more_results(c));
    CHECK(sql_next_result(c) == NULL);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK(sql_more_results(c));
    r = sql_next_result(c);
    CHECK(r && r->nrows == 2);
    CHECK(!sql_more_results(c));
    c->error = DB_ERROR_FATAL; /* of whatever happened before */
    CHECK(sql_next_result(c) == NULL);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK_STR(test_calls(), "query THREE; free; next; next");
    CHECK_COUNT(CNT_READ, 2);
    CHECK_COUNT(CNT_WRITE, 1);
    CHECK(test_end(c));
}

/* Results that nobody has asked for are read and dropped, uncounted, before the next statement. */
static void test_drain(void)
{
    static const struct {
        struct test_answer second;
        const char *calls;
        bool goes_on;
        sql_error_t error; /* of the call that met it */
        unsigned nerrors, nreconnects;
    } t[] = {
        {{TEST_NEXT, ROWS}, "free; next; free; query B", true, DB_ERROR_NONE, 0, 0},
        {{TEST_NEXT, .affected = 1}, "free; next; query B", true, DB_ERROR_NONE, 0, 0},
        {{TEST_NEXT, SQL_IGNORABLE, .msg = "m"}, "free; next", false, DB_ERROR_IGNORABLE, 1, 0},
        {{TEST_NEXT, SQL_FATAL, .msg = "m"}, "free; next", false, DB_ERROR_FATAL, 1, 0},
        {{TEST_NEXT, SQL_LOST, .msg = "m"},
         "free; next; disconnect; reconnect",
         false,
         DB_ERROR_IGNORABLE,
         0,
         1},
    };

    for (size_t i = 0; i < N(t); i++) {
        sql_connection *c = test_session(true);
        ANSWERS({TEST_QUERY, ROWS, .more = true});
        test_answers(&t[i].second, 1);
        test_query(c, "A");
        test_calls();
        CHECK(test_query(c, "B") == NULL);
        CHECK_STR(test_calls(), t[i].calls);
        CHECK_INT(c->error, t[i].error);
        CHECK_COUNT(CNT_READ, 1);
        CHECK_COUNT(CNT_OTHER, t[i].goes_on);
        CHECK_COUNT(CNT_WRITE, 0);
        CHECK_COUNT(CNT_ERROR, t[i].nerrors);
        CHECK_COUNT(CNT_RECONNECT, t[i].nreconnects);
        CHECK(test_end(c));
    }
}

/* Closing the statement whose results are pending reads them first. */
static void test_close_pending(void)
{
    sql_connection *c = test_session(true);
    sql_statement *s = test_prepare(c, "CALL p");

    ANSWERS({TEST_EXECUTE, ROWS, .more = true}, {TEST_NEXT, .affected = 0});
    sql_execute(s);
    CHECK_INT(sql_close(s), 0);
    CHECK_STR(test_calls(), "prepare CALL p; execute CALL p; free; next; close CALL p");
    CHECK(!sql_more_results(c));
    sql_statement_free(s);
    CHECK(test_end(c));
}

/* A result does not name a statement that is gone. */
static void test_freed_statement(void)
{
    sql_connection *c = test_session(true);
    sql_statement *s = test_prepare(c, "S");
    sql_result *r;

    ANSWERS({TEST_EXECUTE, ROWS});
    r = sql_execute(s);
    CHECK(r->statement == s);
    sql_statement_free(s);
    CHECK(r->statement == NULL);
    CHECK(test_end(c));
}

TEST_MAIN(sql_result_test)
{
    test_rows();
    test_bound_results();
    test_more_results();
    test_drain();
    test_close_pending();
    test_freed_statement();
    return test_done("sql_result");
}
