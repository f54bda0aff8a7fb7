/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of --report-statements, without a server: under which name, class and duration each
 * driver call is recorded.  The clock is the test's, so durations are exact.
 */
#include "sql/sql_text.h"
#include "sql/test_story.h"

static struct stmt_stats *stmt_stats;

static sql_connection *begin(bool ps_server)
{
    sql_connection *c = test_session(ps_server);

    sql_hang_up(c); /* and once more, measured */
    stmt_stats = stmt_stats_new(1);
    test_world.host.stmt_stats = stmt_stats_shard(stmt_stats, 0);
    CHECK_INT(sql_reconnect(c), 0);
    tell(c);
    return c;
}

/* With all kinds of statements, in their order. */
static void end(sql_connection *c, const char *title)
{
    static const char *const classes[] = {[STMT_CLASS_QUERY] = "query",
                                          [STMT_CLASS_PREPARED] = "prepared",
                                          [STMT_CLASS_TRANSACTION] = "transaction",
                                          [STMT_CLASS_CONNECT] = "connect",
                                          [STMT_CLASS_PREPARE] = "prepare"};
    static struct stmt_figures f[STMT_KINDS_MAX];
    size_t n = stmt_stats_figures(stmt_stats, f);

    for (size_t i = 0; i < n; i++)
        str_printf(&story, "%s%s: %s, text %.60s (%zu bytes): %d, %d errors, %d rows, %d ns\n",
                   classes[f[i].class], f[i].named ? ", named" : "", f[i].name ? f[i].name : "-",
                   f[i].text ? f[i].text : "-", f[i].text ? strlen(f[i].text) : 0, (int)f[i].count,
                   (int)f[i].errors, (int)f[i].rows, (int)f[i].sum_ns);
    scene(c, "%s", title);
    stmt_stats_free(stmt_stats);
}

/* Plain texts that differ in literals are one kind; those that end transactions have their own
 * class. */
static void test_texts(void)
{
    sql_connection *c = begin(true);

    ANSWERS({TEST_QUERY, .values = letters, .nfields = 1, .nrows = 3, .takes = 1000},
            {TEST_QUERY, .values = letters, .nfields = 1, .nrows = 2, .takes = 30},
            {TEST_QUERY, .takes = 5}, {TEST_QUERY, .affected = 4, .takes = 70},
            {TEST_QUERY, SQL_IGNORABLE, .msg = "m", .takes = 700}, {TEST_ROLLBACK, .takes = 9},
            {TEST_ROLLBACK, SQL_FATAL, .takes = 2}, {TEST_ROLLBACK, .takes = 1});
    test_query(c, "SELECT 1");
    test_query(c, "SELECT 25");
    test_query(c, "BEGIN");
    test_query(c, "UPDATE t SET a='x'");
    test_query(c, "UPDATE t SET a='y'");
    for (int i = 0; i < 2; i++) { /* the server rejects the first of these */
        test_world.transaction = true;
        sql_rollback(c);
    }
    test_query(c, "ROLLBACK");
    end(c, "texts");
}

/* A prepared statement is recorded by its text, whether the server prepares it or not; preparing
 * and connecting have lines of their own. */
static void test_statements(void)
{
    for (int ps = 0; ps < 2; ps++) {
        sql_connection *c = begin(ps);
        sql_statement *s;
        int64_t seven = 7;
        sql_bind b = {.type = SQL_TYPE_INT, .buffer = &seven};
        enum test_call run = ps ? TEST_EXECUTE : TEST_QUERY;
        if (ps)
            ANSWERS({TEST_PREPARE, .takes = 100}, {TEST_PREPARE, .takes = 50});
        s = test_prepare(c, "SELECT 1 + ?");
        sql_bind_param(s, &b, 1);
        ANSWERS({run, .values = letters, .nfields = 1, .nrows = 1, .takes = 4},
                {run, SQL_LOST, .msg = "m", .takes = 6}, {run, .takes = 8},
                {TEST_CONNECT, SQL_FATAL, .msg = "m", .takes = 1}, {TEST_CONNECT, .takes = 2});
        for (int i = 0; i < 3; i++)
            sql_execute(s);
        sql_statement_free(s);
        end(c, ps ? "prepared" : "emulated");
    }
}

/* Names that a script sets and removes. */
static void test_names(void)
{
    char text[2 * SQL_DIGEST_MAX] = "";
    sql_connection *c = begin(true);
    sql_statement *s = test_prepare(c, "SELECT ?"), *commit = test_prepare(c, "COMMIT");

    sql_name_queries(c, "lookup", 6);
    test_query(c, "SELECT 1 FROM a");
    test_query(c, "SELECT 1 FROM b");
    sql_name_queries(c, "long", 4);
    memset(text, 'x', sizeof text - 1);
    test_query(c, text);
    sql_name_queries(c, "", 0);
    test_query(c, "SELECT 1 FROM b");
    sql_name_statement(commit, "end of it", 9);
    sql_execute(commit);
    sql_name_statement(commit, "", 0);
    sql_execute(commit);
    sql_statement_free(s);
    sql_statement_free(commit);
    end(c, "names");
}

/* If statements are not timed, names have no effect and the clock is not read. */
static mono_ns no_clock(void *arg)
{
    (void)arg;
    CHECK(!"the clock was read");
    return 1;
}

static void test_unmeasured(void)
{
    sql_connection *c = begin(true);
    sql_statement *s;

    test_world.host.stmt_stats = NULL;
    test_world.host.now = no_clock;
    s = test_prepare(c, "COMMIT");
    sql_name_queries(c, "a", 1);
    sql_name_statement(s, "b", 1);
    test_query(c, "BEGIN");
    sql_rollback(c);
    sql_execute(s);
    tell(c);
    sql_statement_free(s);
    end(c, "unmeasured");
}

TEST_MAIN(sql_stats_test)
{
    test_texts();
    test_statements();
    test_names();
    test_unmeasured();
    golden_done("sql_stats_test");
    return test_done("sql_stats");
}
