/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Results, without a server: rows one by one and into bound buffers, several results of one
 * statement, results that nobody reads.
 */
#include "base/mem.h"
#include "sql/test_story.h"

/* --- rows --- */

/* The rest of them, as text. */
static void show_rows(sql_result *r)
{
    for (sql_row *row; (row = sql_fetch_row(r));) {
        for (uint32_t i = 0; i < r->nfields; i++)
            str_printf(&story, "[%.*s]", row->values[i].ptr ? (int)row->values[i].len : 4,
                       row->values[i].ptr ? row->values[i].ptr : "NULL");
        str_adds(&story, "\n");
    }
}

static void test_rows(void)
{
    sql_connection *c = test_session(true);
    sql_result *r;

    ANSWERS({TEST_QUERY, ROWS}, {TEST_QUERY, .values = letters, .nfields = 2});
    r = test_query(c, "SELECT");
    CHECK(r && r->nfields == 2 && r->nrows == 2 && r->counter == CNT_READ && !r->statement);
    CHECK(sql_result_connection(r) == c);
    show_rows(r);
    CHECK_INT(sql_free_results(r), 0);
    tell(c);
    capture();
    CHECK_INT(sql_free_results(r), 1);
    CHECK_INT(sql_free_results(NULL), 1);
    CHECK(sql_fetch_row(r) == NULL);
    CHECK(sql_fetch_row(NULL) == NULL);
    r = ask(c, "SELECT");
    CHECK(sql_fetch_row(r) == NULL);
    say_captured();
    scene(c, "rows"); /* frees the open result */
}

/* The columns of a prepared statement's rows also go where the script has bound them. */
static void test_bound_results(void)
{
    static const char *const numbers[] = {"-7", "2.5", "text", "8", NULL, "x"};
    static const struct test_answer rows = {TEST_EXECUTE, .values = numbers, .nfields = 3,
                                            .nrows = 2};
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

    CHECK_INT(sql_bind_result(s, b, 3), 0);
    sql_bind_param(s, &one, 1);
    ANSWERS(rows, rows, rows);
    sql_result *r = sql_execute(s);
    CHECK(r && r->statement == s);
    while (sql_fetch_row(r))
        str_printf(&story, "%d, %g, null %d, %lu bytes, %.4s\n", (int)i, d, null, len, bytes);

    capture();
    CHECK_INT(sql_bind_result(s, b, 1), 0); /* rows have three columns */
    i = 0;
    CHECK(sql_fetch_row(sql_execute(s)) != NULL);
    CHECK_INT(i, 0);
    CHECK_INT(sql_bind_result(s, NULL, 1), 1);
    CHECK_INT(sql_bind_result(s, &none, 1), 1);
    CHECK_INT(sql_bind_result(s, NULL, 0), 0); /* nowhere from now on */
    CHECK(sql_fetch_row(sql_execute(s)) != NULL);
    sql_close(s);
    CHECK_INT(sql_bind_result(s, b, 3), 1);
    CHECK_INT(sql_bind_result(NULL, b, 3), 1);
    say_captured();
    sql_statement_free(s);
    scene(c, "bound results");
}

/* --- several results --- */

static void test_more_results(void)
{
    sql_connection *c = test_session(true);

    ANSWERS({TEST_QUERY, ROWS, .more = true}, {TEST_NEXT, .affected = 3, .more = true},
            {TEST_NEXT, ROWS});
    CHECK(ask(c, "THREE") != NULL);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(sql_more_results(c), i < 2);
        if (i == 2)
            c->error = DB_ERROR_FATAL; /* of whatever happened before */
        CHECK_INT(sql_next_result(c) != NULL, i == 1);
        tell(c);
    }
    scene(c, "more results");
}

/* Results that nobody has asked for are read and dropped, uncounted, before the next statement. */
static void test_drain(void)
{
    static const struct test_answer second[] = {
        {TEST_NEXT, ROWS},
        {TEST_NEXT, .affected = 1},
        {TEST_NEXT, SQL_IGNORABLE, .msg = "m"},
        {TEST_NEXT, SQL_FATAL, .msg = "m"},
        {TEST_NEXT, SQL_LOST, .msg = "m"},
    };

    for (size_t i = 0; i < COUNT(second); i++) {
        sql_connection *c = test_session(true);
        ANSWERS({TEST_QUERY, ROWS, .more = true}, second[i]);
        ask(c, "A");
        CHECK(ask(c, "B") == NULL);
        scene(c, "results that nobody reads: %zu", i);
    }
}

/* Closing the statement whose results are pending reads them first, which may fail; one that is
 * freed without that goes with the next statement, and no other does.  A result does not name a
 * statement that is gone. */
static void test_close_pending(void)
{
    static const struct {
        bool pending, closes;
        enum sql_outcome next;
    } t[] = {{false, false, SQL_DONE},
             {true, true, SQL_DONE},
             {true, true, SQL_FATAL},
             {true, false, SQL_DONE}};

    for (size_t i = 0; i < COUNT(t); i++) {
        sql_connection *c = test_session(true);
        sql_statement *s = test_prepare(c, "CALL p"), *other = test_prepare(c, "S");
        ANSWERS({TEST_EXECUTE, ROWS, .more = t[i].pending});
        if (t[i].pending)
            ANSWERS({TEST_NEXT, t[i].next, .msg = "m"});
        sql_result *r = execute(s);
        CHECK(r->statement == s);
        if (t[i].closes)
            CHECK_INT(sql_close(s), t[i].next == SQL_DONE ? 0 : -1);
        sql_statement_free(s);
        tell(c);
        execute(other);
        CHECK(r->statement == other && !sql_more_results(c));
        sql_statement_free(other);
        CHECK(r->statement == NULL);
        scene(c, "a statement that is closed: %zu", i);
    }
}

TEST_MAIN(sql_result_test)
{
    test_rows();
    test_bound_results();
    test_more_results();
    test_drain();
    test_close_pending();
    golden_done("sql_result_test");
    return test_done("sql_result");
}
