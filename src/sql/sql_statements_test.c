/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What scripts call, without a server: which driver calls a query, a prepared statement, an
 * emulated one and a bulk insert make and in which order, what is counted, which results are read
 * and dropped, what misuse leads to.
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/test.h"
#include "base/test_capture.h"
#include "base/prefetch.h"
#include "sql/test_driver.h"

#define N(a) (sizeof(a) / sizeof *(a))

static const char *const letters[] = {"a", NULL, "", "d"};

/* Two rows of two columns. */
#define ROWS .values = letters, .nfields = 2, .nrows = 2

/* --- counting --- */

static void test_counters(void)
{
    static const struct {
        struct test_answer answer;
        enum counter counter;
    } t[] = {
        {{.affected = 0}, CNT_OTHER},
        {{.affected = 1}, CNT_WRITE},
        {{.affected = 1000000}, CNT_WRITE},
        {{ROWS}, CNT_READ},
        {{.values = letters, .nfields = 1}, CNT_READ}, /* no rows */
        {{.outcome = SQL_IGNORABLE, .msg = "m"}, CNT_ERROR},
        {{.outcome = SQL_FATAL, .msg = "m"}, CNT_ERROR},
        {{.outcome = SQL_LOST, .msg = "m"}, CNT_RECONNECT},
    };

    for (size_t i = 0; i < 2 * N(t); i++) {
        struct test_answer a = t[i / 2].answer;
        bool prepared = i % 2;
        sql_connection *c = test_session(true);
        sql_statement *s = prepared ? test_prepare(c, "X") : NULL;
        a.call = prepared ? TEST_EXECUTE : TEST_QUERY;
        test_answers(&a, 1);
        CHECK((prepared ? sql_execute(s) : test_query(c, "X")) == NULL || a.nfields > 0);
        for (int k = 0; k < CNT_MAX; k++)
            CHECK_COUNT((enum counter)k, k == (int)t[i / 2].counter);
        if (prepared)
            sql_statement_free(s);
        CHECK(test_end(c));
    }
}

/* Old generations go by the first word, whatever the statement did, and count ends of
 * transactions. */
static void test_counts_by_word(void)
{
    static const struct {
        const char *text;
        enum counter counter;
        unsigned commits;
    } t[] = {
        {"UPDATE t SET k=1", CNT_WRITE, 0}, {"COMMIT", CNT_OTHER, 1}, {"SELECT 1", CNT_READ, 0}};

    for (size_t i = 0; i < 2 * N(t); i++) {
        bool prepared = i % 2;
        sql_connection *c = test_session(true);
        sql_statement *s = prepared ? test_prepare(c, t[i / 2].text) : NULL;
        test_world.host.by_word = true;
        prepared ? sql_execute(s) : test_query(c, t[i / 2].text);
        for (int k = 0; k < CNT_COMMIT; k++)
            CHECK_COUNT((enum counter)k, k == (int)t[i / 2].counter);
        CHECK_COUNT(CNT_COMMIT, t[i / 2].commits);
        ANSWERS({prepared ? TEST_EXECUTE : TEST_QUERY, SQL_IGNORABLE, .msg = "m"});
        prepared ? sql_execute(s) : test_query(c, t[i / 2].text);
        CHECK_COUNT(CNT_COMMIT, t[i / 2].commits); /* what failed is not counted */
        if (prepared)
            sql_statement_free(s);
        CHECK(test_end(c));
    }
}

/* --- prepare, bind, execute --- */

static int64_t seven = 7;
static const sql_bind number = {.type = SQL_TYPE_INT, .buffer = &seven};

static void test_prepared(void)
{
    sql_connection *c = test_session(true);
    sql_statement *s = test_prepare(c, "S ?");

    CHECK_STR(test_calls(), "prepare S ?");
    CHECK(s->connection == c);
    capture();
    CHECK(sql_execute(s) == NULL); /* nothing bound yet */
    CHECK_STR(captured(), "ALERT: wrong number of parameters in prepared statement\n");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK(!c->sql_state && c->sql_errno == 0);
    CHECK_COUNT(CNT_ERROR, 0);
    capture();
    CHECK_INT(sql_bind_param(s, (sql_bind[]){number, number}, 2), 1);
    CHECK_INT(sql_bind_param(s, NULL, 0), 1);
    CHECK_STR(captured(), "ALERT: wrong count\n"); /* a message like the last one is counted */
    CHECK_STR(test_calls(), "");
    CHECK_INT(sql_bind_param(s, &number, 1), 0);
    ANSWERS({TEST_BIND, SQL_FATAL, .errnum = 2036, .state = "HY000", .msg = "unsupported"});
    CHECK_INT(sql_bind_param(s, &number, 1), 1);
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_INT(c->sql_errno, 2036);
    sql_execute(s);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK_STR(test_calls(), "bind S ?; bind S ?; execute S ?");
    CHECK_INT(sql_close(s), 0);
    capture();
    CHECK(sql_execute(s) == NULL);
    CHECK_STR(captured(), "ALERT: attempt to use an already closed statement\n");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_STR(test_calls(), "close S ?");
    sql_statement_free(s);
    CHECK_STR(test_calls(), "");
    CHECK(test_end(c));
}

/* A prepare that fails is misuse (an error without a number), unless the connection was lost. */
static void test_prepare_fails(void)
{
    static const struct {
        enum sql_outcome outcome;
        const char *calls;
        sql_error_t error;
        int errnum;
        unsigned nreconnects;
    } t[] = {
        {SQL_FATAL, "prepare S", DB_ERROR_FATAL, 0, 0},
        {SQL_IGNORABLE, "prepare S", DB_ERROR_FATAL, 0, 0},
        {SQL_LOST, "prepare S; disconnect; reconnect", DB_ERROR_IGNORABLE, 1146, 1},
    };

    for (size_t i = 0; i < N(t); i++) {
        sql_connection *c = test_session(true);
        ANSWERS({TEST_PREPARE, t[i].outcome, .errnum = 1146, .state = "42S02", .msg = "no table"});
        CHECK(test_prepare(c, "S") == NULL);
        CHECK_STR(test_calls(), t[i].calls);
        CHECK_INT(c->error, t[i].error);
        CHECK_INT(c->sql_errno, t[i].errnum);
        CHECK_COUNT(CNT_ERROR, 0);
        CHECK_COUNT(CNT_RECONNECT, t[i].nreconnects);
        CHECK(test_end(c));
    }
}

/* With --db-ps-mode=disable, or where the server cannot prepare: parameters go into the text. */
static void test_emulated(void)
{
    for (int by_server = 0; by_server < 2; by_server++) {
        sql_connection *c = test_session(by_server);
        sql_statement *s;
        char text[8] = "it";
        unsigned long len = 2;
        sql_bind b[] = {number,
                        {.type = SQL_TYPE_CHAR, .buffer = text, .data_len = &len, .max_len = 8}};
        ANSWERS({TEST_PREPARE, .emulate = true, .always = true});
        s = test_prepare(c, "F(?, '?', ?)");
        CHECK_STR(test_calls(), by_server ? "prepare F(?, '?', ?)" : "");
        capture();
        CHECK(sql_execute(s) == NULL);
        CHECK_STR(captured(), "ALERT: wrong number of parameters in prepared statement\n");
        capture();
        CHECK_INT(sql_bind_param(s, b, 1), 1);
        CHECK_STR(captured(), "ALERT: wrong count\n");
        CHECK_INT(sql_bind_param(s, b, 2), 0);
        sql_execute(s);
        seven = -8;
        snprintf(text, sizeof text, "is");
        sql_execute(s);
        seven = 7;
        CHECK_STR(test_calls(), "query F(7, '?', 'it'); query F(-8, '?', 'is')");
        CHECK_COUNT(CNT_OTHER, 2);
        sql_reconnect(c);
        test_calls();
        sql_execute(s); /* nothing on the server was lost */
        CHECK_STR(test_calls(), "query F(7, '?', 'is')");
        CHECK_INT(sql_close(s), 1);
        sql_statement_free(s);
        CHECK_STR(test_calls(), "");
        CHECK(test_end(c));
    }
}

/* A dry run checks nothing and emulates nothing. */
static void test_dry(void)
{
    sql_connection *c;
    sql_statement *s;

    test_begin();
    test_world.dry = true;
    test_world.options.ps_server = false;
    sql_teardown();
    CHECK_INT(sql_setup(&test_world.options, &(struct err){0}), 0);
    c = test_connect();
    s = test_prepare(c, "S ?");
    CHECK_INT(sql_bind_param(s, (sql_bind[]){number, number}, 2), 0);
    sql_execute(s);
    CHECK_STR(test_calls(), "prepare S ?; bind S ?; execute S ?");
    CHECK_COUNT(CNT_OTHER, 1);
    sql_statement_free(s);
    CHECK(test_end(c));
}

/* --- prefetching --- */

static size_t noted(const struct prefetch *w, unsigned part, const void *of)
{
    return w->part[part].of == of ? w->part[part].n : 0;
}

/* Notes the memory of the connection and of the last statement, but of nothing that is closed. */
static void test_prefetch(void)
{
    struct prefetch mine = {0};
    sql_connection *c = test_session(true);
    sql_statement *a = test_prepare(c, "A"), *b = test_prepare(c, "B");

    sql_execute(a); /* this thread does not prefetch yet */
    prefetch_here = &mine;
    CHECK_INT(noted(&mine, PREFETCH_OF_CONNECTION, c), 0);
    test_query(c, "X");
    CHECK_INT(noted(&mine, PREFETCH_OF_CONNECTION, c), 1);
    CHECK_INT(mine.part[PREFETCH_OF_STATEMENT].n, 0);
    sql_execute(a);
    CHECK_INT(noted(&mine, PREFETCH_OF_STATEMENT, a), 2); /* its own record and the driver's */
    sql_execute(b);
    CHECK_INT(noted(&mine, PREFETCH_OF_STATEMENT, a), 0);
    CHECK_INT(noted(&mine, PREFETCH_OF_STATEMENT, b), 2);
    sql_close(b);
    CHECK_INT(noted(&mine, PREFETCH_OF_STATEMENT, b), 0);
    CHECK_INT(noted(&mine, PREFETCH_OF_CONNECTION, c), 1);
    sql_execute(a);
    CHECK_INT(sql_reconnect(c), 0);
    CHECK_INT(noted(&mine, PREFETCH_OF_CONNECTION, c), 0);
    CHECK_INT(noted(&mine, PREFETCH_OF_STATEMENT, a), 0);
    sql_execute(a);
    CHECK_INT(noted(&mine, PREFETCH_OF_CONNECTION, c), 1);
    CHECK_INT(noted(&mine, PREFETCH_OF_STATEMENT, a), 2);
    sql_statement_free(a);
    CHECK_INT(noted(&mine, PREFETCH_OF_STATEMENT, a), 0);
    sql_statement_free(b);
    CHECK(test_end(c));

    mine = (struct prefetch){0};
    c = test_session(false);
    a = test_prepare(c, "A");
    sql_execute(a);
    CHECK_INT(noted(&mine, PREFETCH_OF_STATEMENT, a), 1); /* emulated: the driver has none */
    sql_statement_free(a);
    CHECK(test_end(c));
    prefetch_here = NULL;
}

/* --- bulk insert --- */

static void test_bulk(void)
{
    sql_connection *c = test_session(true);
    static char row[200000];

    memset(row, 'x', sizeof row);
    capture();
    CHECK_INT(sql_bulk_next(c, "(1)", 3), -1);
    CHECK_STR(captured(), "ALERT: attempt to call bulk_insert_next() before bulk_insert_init()\n");
    CHECK_INT(sql_bulk_init(c, "INSERT ", 7), 0);
    CHECK_INT(sql_bulk_next(c, "(1)", 3), 0);
    CHECK_INT(sql_bulk_next(c, "(2)", 3), 0);
    CHECK_STR(test_calls(), "");
    CHECK_INT(sql_bulk_done(c), 0);
    CHECK_STR(test_calls(), "query INSERT (1),(2)");
    CHECK_INT(sql_bulk_init(c, "P", 1), 0); /* no rows: nothing is sent */
    CHECK_INT(sql_bulk_done(c), 0);
    CHECK_STR(test_calls(), "");

    CHECK_INT(sql_bulk_init(c, "I", 1), 0); /* two rows fit into a packet */
    for (int i = 0; i < 2; i++)
        CHECK_INT(sql_bulk_next(c, row, sizeof row), 0);
    ANSWERS({TEST_QUERY, SQL_IGNORABLE, .errnum = 1062, .msg = "Duplicate entry"});
    CHECK_INT(sql_bulk_next(c, row, sizeof row), -1); /* ignored, but a bulk insert fails */
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    CHECK_COUNT(CNT_ERROR, 1);
    test_calls();
    CHECK_INT(sql_bulk_next(c, "(3)", 3), 0);
    CHECK_INT(sql_bulk_init(c, "J", 1), 0); /* sends what is left */
    CHECK_STR(test_calls(), "query I(3)");
    sql_bulk_next(c, "(4)", 3);
    CHECK(test_end(c)); /* drops it */
    CHECK_STR(test_calls(), "");
}

/* --- handles --- */

static void test_misuse(void)
{
    sql_connection *c = test_session(true);
    sql_statement *s = test_prepare(c, "S");

    CHECK_INT(sql_disconnect(c), 0);
    CHECK_STR(test_calls(), "prepare S; close S; disconnect");
    capture();
    CHECK_INT(sql_disconnect(c), 0);
    CHECK(test_query(c, "X") == NULL);
    CHECK(sql_execute(s) == NULL);
    CHECK(test_prepare(c, "X") == NULL);
    CHECK(sql_next_result(c) == NULL);
    CHECK_STR(captured(), "ALERT: attempt to close an already closed connection\n"
                          "ALERT: attempt to use an already closed connection\n");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK(!c->sql_state && !c->sql_errmsg && c->sql_errno == 0);
    CHECK(!sql_more_results(c));
    CHECK_COUNT(CNT_ERROR, 0);
    capture();
    sql_hang_up(c); /* silent */
    CHECK_STR(captured(), "");
    CHECK_INT(sql_reconnect(c), 0);
    CHECK_STR(test_calls(), "reconnect");
    sql_hang_up(c);
    CHECK_STR(test_calls(), "disconnect");
    CHECK_INT(sql_close(s), 0);
    sql_statement_free(s);
    CHECK(test_end(c));
}

/* Handles may be freed in any order: a connection's memory lasts as long as its statements. */
static void test_handles(void)
{
    sql_connection *c = test_session(true);
    sql_statement *s[3];

    for (int i = 0; i < 3; i++)
        s[i] = test_prepare(c, i == 0 ? "A" : i == 1 ? "B" : "C");
    ANSWERS({TEST_EXECUTE, ROWS});
    sql_execute(s[2]);
    sql_statement_free(s[1]); /* from the middle of the list */
    test_calls();
    sql_connection_free(c);
    CHECK_STR(test_calls(), "free; close C; close A; disconnect");
    sql_statement_free(s[2]);
    capture();
    CHECK(sql_execute(s[0]) == NULL);
    CHECK_STR(captured(), "ALERT: attempt to use an already closed connection\n");
    sql_statement_free(s[0]);
    CHECK(test_end(NULL));
}

TEST_MAIN(sql_statements_test)
{
    test_counters();
    test_counts_by_word();
    test_prepared();
    test_prepare_fails();
    test_emulated();
    test_dry();
    test_prefetch();
    test_bulk();
    test_misuse();
    test_handles();
    return test_done("sql_statements");
}
