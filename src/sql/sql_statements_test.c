/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What scripts call, without a server: which driver calls a query, a prepared statement, an
 * emulated one and a bulk insert make and in which order, what is counted, which results are read
 * and dropped, what misuse leads to.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/prefetch.h"
#include "sql/test_story.h"

/* --- counting --- */

static sql_result *either(sql_connection *c, sql_statement *s, const char *text)
{
    return s ? execute(s) : ask(c, text);
}

static void test_counters(void)
{
    static const struct test_answer t[] = {
        {.affected = 0},
        {.affected = 1},
        {.affected = 1000000},
        {ROWS},
        {.values = letters, .nfields = 1}, /* no rows */
        {.outcome = SQL_IGNORABLE, .msg = "m"},
        {.outcome = SQL_FATAL, .msg = "m"},
        {.outcome = SQL_LOST, .msg = "m"},
    };

    for (size_t i = 0; i < 2 * COUNT(t); i++) {
        struct test_answer a = t[i / 2];
        sql_connection *c = test_session(true);
        sql_statement *s = i % 2 ? test_prepare(c, "X") : NULL;
        a.call = s ? TEST_EXECUTE : TEST_QUERY;
        test_answers(&a, 1);
        CHECK_INT(either(c, s, "X") != NULL, a.nfields > 0);
        if (s)
            sql_statement_free(s);
        scene(c, "counters: %zu", i);
    }
}

/* Old generations go by the first word, whatever the statement did, and count ends of
 * transactions; what failed is not counted. */
static void test_counts_by_word(void)
{
    static const char *const texts[] = {"UPDATE t SET k=1", "COMMIT", "SELECT 1"};

    for (size_t i = 0; i < 2 * COUNT(texts); i++) {
        sql_connection *c = test_session(true);
        sql_statement *s = i % 2 ? test_prepare(c, texts[i / 2]) : NULL;
        test_world.host.by_word = true;
        either(c, s, texts[i / 2]);
        ANSWERS({s ? TEST_EXECUTE : TEST_QUERY, SQL_IGNORABLE, .msg = "m"});
        either(c, s, texts[i / 2]);
        if (s)
            sql_statement_free(s);
        scene(c, "counted by word");
    }
}

/* --- prepare, bind, execute --- */

static int64_t seven = 7;
static const sql_bind number = {.type = SQL_TYPE_INT, .buffer = &seven};
static const sql_bind two[] = {{.type = SQL_TYPE_INT, .buffer = &seven},
                               {.type = SQL_TYPE_INT, .buffer = &seven}};

/* With a wrong number of parameters, of which a message like the last one is counted; and with none
 * bound yet. */
static void misbind(sql_statement *s)
{
    capture();
    CHECK_INT(sql_bind_param(s, two, 2), 1);
    CHECK_INT(sql_bind_param(s, NULL, 0), 1);
    CHECK(sql_execute(s) == NULL);
    say_captured();
    tell(s->connection);
}

/* A statement that its script has closed. */
static void use_closed(sql_statement *s)
{
    capture();
    CHECK(execute(s) == NULL);
    say_captured();
    sql_statement_free(s);
    tell(NULL);
}

static void test_prepared(void)
{
    sql_connection *c = test_session(true);
    sql_statement *s = test_prepare(c, "S ?");

    CHECK(s->connection == c);
    misbind(s);
    CHECK_INT(sql_bind_param(s, &number, 1), 0);
    ANSWERS({TEST_BIND, FAILS(SQL_FATAL, 2036, "HY000", "unsupported")});
    CHECK_INT(sql_bind_param(s, &number, 1), 1);
    tell(c);
    execute(s);
    CHECK_INT(sql_close(s), 0);
    use_closed(s);
    scene(c, "a prepared statement");
}

/* A prepare that fails is misuse (an error without a number), unless the connection was lost. */
static void test_prepare_fails(void)
{
    static const enum sql_outcome outcomes[] = {SQL_FATAL, SQL_IGNORABLE, SQL_LOST};

    for (size_t i = 0; i < COUNT(outcomes); i++) {
        sql_connection *c = test_session(true);
        ANSWERS({TEST_PREPARE, FAILS(outcomes[i], 1146, "42S02", "no table")});
        CHECK(test_prepare(c, "S") == NULL);
        tell(c);
        scene(c, "a prepare fails: %d", outcomes[i]);
    }
}

/* With --db-ps-mode=disable, or where the server cannot prepare: parameters go into the text. */
static void test_emulated(void)
{
    for (int by_server = 0; by_server < 2; by_server++) {
        sql_connection *c = test_session(by_server);
        char text[8] = "it";
        unsigned long len = 2;
        sql_bind b[] = {number,
                        {.type = SQL_TYPE_CHAR, .buffer = text, .data_len = &len, .max_len = 8}};
        ANSWERS({TEST_PREPARE, .emulate = true, .always = true});
        sql_statement *s = test_prepare(c, "F(?, '?', ?)");
        capture();
        CHECK(sql_execute(s) == NULL);
        CHECK_INT(sql_bind_param(s, b, 1), 1);
        say_captured();
        CHECK_INT(sql_bind_param(s, b, 2), 0);
        execute(s);
        seven = -8;
        snprintf(text, sizeof text, "is");
        execute(s);
        seven = 7;
        sql_reconnect(c);
        execute(s); /* nothing on the server was lost */
        CHECK_INT(sql_close(s), 1);
        sql_statement_free(s);
        tell(NULL);
        scene(c, "emulated, %s", by_server ? "since the server cannot prepare" : "by option");
    }
}

/* A session with other options. */
static sql_connection *session_with(bool dry, bool lazy)
{
    test_begin();
    test_world.dry = dry;
    test_world.options.ps_server = test_world.options.ps_lazy = lazy;
    test_set_up();
    return test_connect();
}

/* A dry run checks nothing and emulates nothing, and has no server to spare. */
static void test_dry(void)
{
    for (int lazy = 0; lazy < 2; lazy++) {
        sql_connection *c = session_with(true, lazy);
        sql_statement *s = test_prepare(c, "S ?");
        CHECK_INT(sql_bind_param(s, two, 2), 0);
        execute(s);
        sql_statement_free(s);
        scene(c, "a dry run");
    }
}

/* --- --db-ps-mode=prepare=lazy: a prepare is the first execution's --- */

static void test_lazy(void)
{
    sql_connection *c = session_with(false, true);
    sql_statement *used = test_prepare(c, "U ?"), *spare = test_prepare(c, "V"),
                  *wrong = test_prepare(c, "S ?, '?'");

    misbind(wrong); /* noticed where it is with eager */
    CHECK_INT(sql_bind_param(used, &number, 1), 0);
    execute(used);
    execute(used);
    CHECK_INT(sql_reconnect(c), 0);
    tell(c);
    execute(used); /* what was not executed is not prepared on the new connection either */
    CHECK_INT(sql_close(spare), 0);
    use_closed(spare);
    sql_statement_free(wrong);
    CHECK_INT(sql_close(used), 0);
    use_closed(used);
    scene(c, "lazy");
}

/* A prepare that fails is an execution that fails: with number, state and class, and counted; the
 * next execution prepares the statement.  A server that cannot prepare it, or accepts no more
 * statements, gets the text. */
static void test_lazy_fails(void)
{
    static const struct test_answer t[] = {
        {TEST_PREPARE, FAILS(SQL_FATAL, 1146, "42S02", "no table")},
        {TEST_PREPARE, FAILS(SQL_IGNORABLE, 1146, "42S02", "no table")},
        {TEST_PREPARE, FAILS(SQL_LOST, 1146, "42S02", "no table")},
        {TEST_PREPARE, .emulate = true},
    };

    for (size_t i = 0; i < COUNT(t); i++) {
        sql_connection *c = session_with(false, true);
        sql_statement *s = test_prepare(c, "S(?)");
        CHECK_INT(sql_bind_param(s, &number, 1), 0);
        test_answers(&t[i], 1);
        CHECK(execute(s) == NULL);
        execute(s);
        sql_statement_free(s);
        scene(c, "a lazy prepare fails: %zu", i);
    }
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
    say_captured();
    CHECK_INT(sql_bulk_init(c, "INSERT ", 7), 0);
    CHECK_INT(sql_bulk_next(c, "(1)", 3), 0);
    CHECK_INT(sql_bulk_next(c, "(2)", 3), 0);
    tell(c);
    CHECK_INT(sql_bulk_done(c), 0);
    tell(c);
    CHECK_INT(sql_bulk_init(c, "P", 1), 0); /* no rows: nothing is sent */
    CHECK_INT(sql_bulk_done(c), 0);
    tell(c);

    CHECK_INT(sql_bulk_init(c, "I", 1), 0); /* two rows fit into a packet */
    for (int i = 0; i < 2; i++)
        CHECK_INT(sql_bulk_next(c, row, sizeof row), 0);
    ANSWERS({TEST_QUERY, FAILS(SQL_IGNORABLE, 1062, "23000", "Duplicate entry")});
    CHECK_INT(sql_bulk_next(c, row, sizeof row), -1); /* ignored, but a bulk insert fails */
    tell(c);
    CHECK_INT(sql_bulk_next(c, "(3)", 3), 0);
    CHECK_INT(sql_bulk_init(c, "J", 1), 0); /* sends what is left */
    tell(c);
    sql_bulk_next(c, "(4)", 3);
    sql_connection_free(c); /* drops it */
    tell(NULL);
    scene(NULL, "a bulk insert");
}

/* A statement and its NUL fit into a packet: "P", a row of 1000 bytes, "," and the second row; and
 * what never fits. */
static void test_bulk_limit(void)
{
    static const size_t second[] = {SQL_BULK_PACKET - 1003, SQL_BULK_PACKET - 1002};
    char *row = mem_array(SQL_BULK_PACKET + 1, 1);

    memset(row, 'x', SQL_BULK_PACKET + 1);
    for (size_t i = 0; i < COUNT(second); i++) {
        sql_connection *c = test_session(true);
        CHECK_INT(sql_bulk_init(c, "P", 1), 0);
        CHECK_INT(sql_bulk_next(c, row, 1000), 0);
        CHECK_INT(sql_bulk_next(c, row, second[i]), 0);
        CHECK_INT(sql_bulk_done(c), 0);
        tell(c);
        scene(c, "the packet of a bulk insert");
    }
    sql_connection *c = test_session(true);
    capture();
    CHECK_INT(sql_bulk_init(c, row, SQL_BULK_PACKET), -1);
    CHECK_INT(sql_bulk_init(c, "P", 1), 0);
    CHECK_INT(sql_bulk_next(c, row, SQL_BULK_PACKET + 1), -1);
    CHECK_INT(sql_bulk_next(c, row, SQL_BULK_PACKET - 1), -1); /* with the prefix and NUL: 1 over */
    CHECK_INT(sql_bulk_next(c, row, SQL_BULK_PACKET - 2), 0);
    CHECK_INT(sql_bulk_done(c), 0);
    say_captured();
    tell(c);
    scene(c, "too long for a bulk insert");
    free(row);
}

/* --- handles --- */

static void test_misuse(void)
{
    sql_connection *c = test_session(true);
    sql_statement *s = test_prepare(c, "S");

    CHECK_INT(sql_disconnect(c), 0);
    tell(c);
    capture();
    CHECK_INT(sql_disconnect(c), 0);
    CHECK(test_query(c, "X") == NULL);
    CHECK(sql_execute(s) == NULL);
    CHECK(test_prepare(c, "X") == NULL);
    CHECK(sql_next_result(c) == NULL);
    CHECK_INT(sql_load(c, "X", 1, NULL, NULL), -1);
    sql_hang_up(c); /* silent */
    say_captured();
    tell(c);
    CHECK(!sql_more_results(c));
    CHECK_INT(sql_reconnect(c), 0);
    sql_hang_up(c);
    tell(c);
    CHECK_INT(sql_close(s), 0);
    sql_statement_free(s);
    scene(c, "misuse");
}

/* Handles may be freed in any order: a connection's memory lasts as long as its statements. */
static void test_handles(void)
{
    static const char *const names[] = {"A", "B", "C"};
    sql_connection *c = test_session(true);
    sql_statement *s[3];

    for (int i = 0; i < 3; i++)
        s[i] = test_prepare(c, names[i]);
    ANSWERS({TEST_EXECUTE, ROWS});
    sql_execute(s[2]);
    sql_statement_free(s[1]); /* from the middle of the list */
    sql_connection_free(c);
    tell(NULL);
    sql_statement_free(s[2]);
    capture();
    CHECK(sql_execute(s[0]) == NULL);
    say_captured();
    sql_statement_free(s[0]);
    scene(NULL, "handles");
}

TEST_MAIN(sql_statements_test)
{
    test_counters();
    test_counts_by_word();
    test_prepared();
    test_prepare_fails();
    test_emulated();
    test_dry();
    test_lazy();
    test_lazy_fails();
    test_prefetch();
    test_bulk();
    test_bulk_limit();
    test_misuse();
    test_handles();
    golden_done("sql_statements_test");
    return test_done("sql_statements");
}
