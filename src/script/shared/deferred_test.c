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

static void defer(int function, const void *a, const void *b)
{
    sb_defer((uintptr_t)a, (uintptr_t)b, 1, function);
}

/* The last one recorded is made first; nothing is made twice. */
static void test_order(void)
{
    struct timespec none = {0, 0}, bad = {0, -1};
    struct one a;

    open_client(&a);
    context_set(&a.vm.cx);
    CHECK(deferred_make(&a.deferred) == 0);
    defer(NANOSLEEP, &none, NULL);
    defer(NANOSLEEP, &bad, NULL);
    CHECK_INT(a.deferred.depth, 2);
    CHECK(deferred_make(&a.deferred) == -1);
    CHECK(deferred_make(&a.deferred) == 0);
    CHECK_INT(a.deferred.depth, 0);
    CHECK(deferred_make(&a.deferred) == 0);
    /* errors have left calls behind: the newest ones are still made */
    for (int i = 0; i < 10; i++)
        defer(NANOSLEEP, &none, NULL);
    defer(NANOSLEEP, &bad, NULL);
    CHECK(deferred_make(&a.deferred) == -1);
    CHECK(deferred_make(&a.deferred) == 0);
    context_set(NULL);
    close_client(&a);
}

/* Outside a shared state a call is not recorded. */
static void test_not_shared(void)
{
    struct one a;

    defer(USLEEP, NULL, NULL);
    open_client(&a);
    a.vm.cx.deferred = NULL;
    context_set(&a.vm.cx);
    defer(USLEEP, NULL, NULL);
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

/* Each call that uses a connection. */
static void refuse_all(struct one *by, sql_connection *con, sql_statement *stmt)
{
    static const double answer[] = {
        [DB_CONNECTION_CLOSE] = -1, [DB_CONNECTION_RECONNECT] = -1, [DB_DISCARD_RESULTS] = 1,
        [DB_BIND_PARAM] = 1,        [DB_BULK_INSERT_INIT] = 1,      [DB_BULK_INSERT_NEXT] = 1,
        [DB_BULK_INSERT_DONE] = 1};

    for (int f = DB_CONNECTION_CLOSE; f <= DB_BULK_INSERT_DONE; f++) {
        if (f == DB_FETCH_ROW || f == DB_FREE_RESULTS)
            continue; /* of a result, which there is none */
        defer(f, f >= DB_BIND_PARAM && f <= DB_CLOSE ? (void *)stmt : con, "x");
        expect_refused(by, answer[f]);
    }
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
    defer(DB_EXECUTE, stmt, NULL);
    CHECK(deferred_make(&b.deferred) == 0);
    CHECK_INT(counters_get(a.counters, CNT_OTHER), 1);
    CHECK(!a.deferred.in_use && !b.deferred.in_use);
    a.vm.cx.closing = true;
    defer(DB_EXECUTE, stmt, NULL);
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
