/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Deferred calls from the C side: the order in which recorded calls are made, and what becomes of
 * those on a connection that another client is using or has left.
 */
#include "base/test_capture.h"
#include "script/script_test.h"

#include "script/shared/deferred.h"
#include "script/vm.h"

/* A client of a shared state, without a Lua state. */
struct one {
    struct vm vm;
    struct deferred_stack deferred;
    struct counters *counters;
    struct rng rng;
};

static void open_client(struct one *c)
{
    memset(c, 0, sizeof *c);
    c->counters = mem_array_aligned(1, sizeof *c->counters);
    context_init(&c->vm.cx, 0, &c->rng, c->counters);
    c->vm.cx.deferred = &c->deferred;
}

static void close_client(struct one *c)
{
    context_fini(&c->vm.cx);
    free(c->counters);
}

/* The last one recorded is made first; nothing is made twice. */
static void test_order(void)
{
    struct timespec none = {0, 0}, bad = {0, -1};
    struct one a;

    open_client(&a);
    context_set(&a.vm.cx);
    CHECK(deferred_make(&a.deferred) == 0);
    sb_defer_nanosleep(&none, NULL);
    sb_defer_nanosleep(&bad, NULL);
    CHECK_INT(a.deferred.depth, 2);
    CHECK(deferred_make(&a.deferred) == -1);
    CHECK(deferred_make(&a.deferred) == 0);
    CHECK_INT(a.deferred.depth, 0);
    CHECK(deferred_make(&a.deferred) == 0);
    /* errors have left calls behind: the newest ones are still made */
    for (int i = 0; i < 10; i++)
        sb_defer_nanosleep(&none, NULL);
    sb_defer_nanosleep(&bad, NULL);
    CHECK(deferred_make(&a.deferred) == -1);
    CHECK(deferred_make(&a.deferred) == 0);
    context_set(NULL);
    close_client(&a);
}

/* Outside a shared state a call is not recorded. */
static void test_not_shared(void)
{
    struct one a;

    sb_defer_usleep(1);
    open_client(&a);
    a.vm.cx.deferred = NULL;
    context_set(&a.vm.cx);
    sb_defer_usleep(1);
    CHECK_INT(a.deferred.depth, 0);
    context_set(NULL);
    close_client(&a);
}

/* Makes the call, which must print the alert and answer `want`. */
static void expect_refused(struct one *by, double want)
{
    double answer;

    capture();
    answer = deferred_make(&by->deferred);
    CHECK_STR(captured(), "ALERT: attempt to use a connection that is waiting for an answer\n");
    CHECK(answer == want);
}

static void refuse_all(struct one *by, sql_connection *con, sql_statement *stmt)
{
    const sql_bind bind = {0};

    sb_defer_db_connection_close(con);
    expect_refused(by, -1);
    sb_defer_db_connection_reconnect(con);
    expect_refused(by, -1);
    sb_defer_db_undo(con);
    expect_refused(by, 0);
    sb_defer_db_query(con, "x", 1);
    expect_refused(by, 0);
    sb_defer_db_more_results(con);
    expect_refused(by, 0);
    sb_defer_db_next_result(con);
    expect_refused(by, 0);
    sb_defer_db_prepare(con, "x", 1);
    expect_refused(by, 0);
    sb_defer_db_bind_param(stmt, &bind, 1);
    expect_refused(by, 1);
    sb_defer_db_execute(stmt);
    expect_refused(by, 0);
    sb_defer_db_close(stmt);
    expect_refused(by, 0);
    sb_defer_db_bulk_insert_init(con, "x", 1);
    expect_refused(by, 1);
    sb_defer_db_bulk_insert_next(con, "x", 1);
    expect_refused(by, 1);
    sb_defer_db_bulk_insert_done(con);
    expect_refused(by, 1);
}

/* Client b uses a connection of client a: while a waits for an answer on it, after that, and when a
 * has left. */
static void test_connection_of_another(void)
{
    sql_connection *con;
    sql_statement *stmt;
    struct one a, b;

    open_client(&a);
    open_client(&b);
    con = sql_connect(sql_driver_get("mysql"), &a.vm.cx.host);
    stmt = sql_prepare(con, "SELECT ?", 8);
    CHECK(con && stmt);
    context_adopt(&a.vm.cx, con);
    context_set(&b.vm.cx);
    a.deferred.in_use = con;
    refuse_all(&b, con, stmt);
    a.deferred.in_use = NULL;
    sb_defer_db_execute(stmt);
    CHECK(deferred_make(&b.deferred) == 0);
    CHECK_INT(counters_get(a.counters, CNT_OTHER), 1);
    CHECK(!a.deferred.in_use && !b.deferred.in_use);
    a.vm.cx.closing = true;
    sb_defer_db_execute(stmt);
    CHECK(deferred_make(&b.deferred) == 0);
    CHECK_INT(counters_get(a.counters, CNT_OTHER), 1);
    sql_statement_free(stmt);
    context_set(NULL);
    close_client(&a);
    close_client(&b);
}

TEST_MAIN(deferred_test)
{
    test_order();
    test_not_shared();
    if (test_dry_run()) {
        test_connection_of_another();
        sql_teardown();
    }
    return test_done("deferred_test");
}
