/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of --report-statements, without a server: under which name, class and duration each
 * driver call is recorded.  The clock is the test's, so durations are exact.
 */
#include <stdlib.h>

#include "base/test.h"
#include "sql/test_driver.h"

#define N(a) (sizeof(a) / sizeof *(a))

static struct stmt_stats *stmt_stats;

static const char *const letters[] = {"a", "b", "c"};

static sql_connection *begin(bool ps_server)
{
    sql_connection *c = test_session(ps_server);

    sql_hang_up(c); /* and once more, measured */
    stmt_stats = stmt_stats_new(1);
    test_world.host.stmt_stats = stmt_stats_shard(stmt_stats, 0);
    CHECK_INT(sql_reconnect(c), 0);
    test_calls();
    return c;
}

struct want {
    enum stmt_class class;
    const char *name, *text;
    bool named;
    uint64_t count, errors, rows;
    int64_t sum_ns;
};

static void check_kind(const struct stmt_figures *f, const struct want *w)
{
    CHECK_INT(f->class, w->class);
    if (w->name)
        CHECK_STR(f->name, w->name);
    if (w->text)
        CHECK_STR(f->text, w->text);
    CHECK_INT(f->named, w->named);
    CHECK_INT(f->count, w->count);
    CHECK_INT(f->errors, w->errors);
    CHECK_INT(f->rows, w->rows);
    CHECK_INT(f->sum_ns, w->sum_ns);
}

/* Exactly these stmt_stats, in this order. */
static void check_kinds(const struct want *want, size_t n)
{
    static struct stmt_figures got[STMT_KINDS_MAX];
    size_t have = stmt_stats_figures(stmt_stats, got);

    CHECK_INT(have, n);
    for (size_t i = 0; i < n && i < have; i++) {
        int before = test_failures;
        check_kind(&got[i], &want[i]);
        if (test_failures > before)
            printf("in kind %zu: %s\n", i, got[i].name ? got[i].name : "(fixed)");
    }
}

#define WANT(...) check_kinds((struct want[]){__VA_ARGS__}, N(((struct want[]){__VA_ARGS__})))

static void end(sql_connection *c)
{
    CHECK(test_end(c));
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
    WANT({STMT_CLASS_QUERY, "SELECT ?", "SELECT ?", .count = 2, .rows = 5, .sum_ns = 1030},
         {STMT_CLASS_TRANSACTION, "BEGIN", "BEGIN", .count = 1, .sum_ns = 5},
         {STMT_CLASS_QUERY, "UPDATE t SET a=?", "UPDATE t SET a=?", .count = 2, .errors = 1,
          .rows = 4, .sum_ns = 770},
         {STMT_CLASS_TRANSACTION, "ROLLBACK", "ROLLBACK", .count = 3, .errors = 1, .sum_ns = 12},
         {STMT_CLASS_CONNECT, .count = 1});
    end(c);
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
        if (ps)
            WANT({STMT_CLASS_PREPARED, "SELECT 1 + ?", "SELECT 1 + ?", .count = 3, .errors = 1,
                  .rows = 1, .sum_ns = 18},
                 {STMT_CLASS_CONNECT, .count = 3, .errors = 1, .sum_ns = 3},
                 {STMT_CLASS_PREPARE, .count = 2, .sum_ns = 150});
        else
            WANT({STMT_CLASS_PREPARED, "SELECT 1 + ?", "SELECT 1 + ?", .count = 3, .errors = 1,
                  .rows = 1, .sum_ns = 18},
                 {STMT_CLASS_CONNECT, .count = 3, .errors = 1, .sum_ns = 3});
        sql_statement_free(s);
        end(c);
    }
}

/* Names that a script sets and removes. */
static void test_names(void)
{
    sql_connection *c = begin(true);
    sql_statement *s = test_prepare(c, "SELECT ?"), *commit = test_prepare(c, "COMMIT");

    sql_name_queries(c, "lookup", 6);
    test_query(c, "SELECT 1 FROM a");
    test_query(c, "SELECT 1 FROM b");
    sql_name_queries(c, "", 0);
    test_query(c, "SELECT 1 FROM b");
    sql_name_statement(commit, "end of it", 9);
    sql_execute(commit);
    sql_name_statement(commit, "", 0);
    sql_execute(commit);
    WANT({STMT_CLASS_QUERY, "lookup", "SELECT 1 FROM a", true, .count = 2},
         {STMT_CLASS_QUERY, "SELECT ? FROM b", NULL, .count = 1},
         {STMT_CLASS_TRANSACTION, "end of it", "COMMIT", true, .count = 1},
         {STMT_CLASS_TRANSACTION, "COMMIT", "COMMIT", .count = 1}, {STMT_CLASS_CONNECT, .count = 1},
         {STMT_CLASS_PREPARE, .count = 2});
    sql_statement_free(s);
    sql_statement_free(commit);
    end(c);
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
    CHECK_STR(test_calls(), "prepare COMMIT; query BEGIN; rollback; execute COMMIT");
    WANT({STMT_CLASS_CONNECT, .count = 1}); /* made before */
    sql_statement_free(s);
    end(c);
}

TEST_MAIN(sql_stats_test)
{
    test_texts();
    test_statements();
    test_names();
    test_unmeasured();
    return test_done("sql_stats");
}
