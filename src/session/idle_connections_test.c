/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Idle connections to a server that takes all of them, closes some, or takes fewer.
 */
#include "session/idle_connections.h"

#include "base/test_capture.h"
#include "session/test_sql.h"
#include "sql/sql.h"

static struct idle_connections *open_three(void)
{
    struct idle_connections *i = NULL;
    struct err e = {0};

    CHECK_INT(idle_connections_open(&i, test_sql_driver(3), 3, &e), 0);
    CHECK_INT(test_sql.connections, 3);
    return i;
}

static void test_kept(void)
{
    struct idle_connections *i;

    capture();
    i = open_three();
    CHECK_STR(captured(), "Opening 3 idle connections...\n\n");
    capture();
    idle_connections_check(i);
    CHECK_STR(captured(), "");
    for (size_t k = 0; k < 3; k++)
        CHECK(test_sql.open[k]);
    idle_connections_close(i);
    test_sql_end();
}

static void test_closed_by_server(void)
{
    struct idle_connections *i;

    capture();
    i = open_three();
    shutdown(test_sql.server[0], SHUT_RDWR);
    CHECK_INT(write(test_sql.server[2], "bye", 3),
              3); /* a last message, as MySQL sends at a timeout */
    captured();
    capture();
    idle_connections_check(i);
    CHECK_STR(captured(),
              "WARNING: 2 of 3 idle connections were closed by the server during the run\n");
    idle_connections_close(i);
    test_sql_end();
}

static void test_too_many(void)
{
    struct idle_connections *i = NULL;
    struct err e = {0};

    capture();
    CHECK_INT(idle_connections_open(&i, test_sql_driver(2), 3, &e), -1);
    captured();
    CHECK_STR(e.msg, "only 2 of 3 idle connections could be opened");
    idle_connections_close(i); /* those that were */
    test_sql_end();
}

static void test_none(void)
{
    struct idle_connections *i = (struct idle_connections *)&test_sql;
    struct err e = {0};

    CHECK_INT(idle_connections_open(&i, NULL, 0, &e), 0); /* no driver is looked up */
    CHECK(i == NULL);
    idle_connections_check(i);
    idle_connections_close(i);
}

/* By --db-driver; a dry run needs no server, and its connections have no sockets. */
static void test_default_driver(void)
{
    struct sql_options o = {.driver = "mysql", .mysql.dry_run = true};
    struct idle_connections *i = NULL;
    struct err e = {0};

    CHECK_INT(sql_setup(&o, &e), 0);
    capture();
    if (idle_connections_open(&i, NULL, 2, &e)) { /* built without that driver */
        captured();
        CHECK_INT(e.kind, ERR_REPORTED);
    } else {
        idle_connections_check(i);
        CHECK_STR(captured(), "Opening 2 idle connections...\n\n");
    }
    idle_connections_close(i);
    sql_teardown();
}

static void test_unknown_driver(void)
{
    struct sql_options o = {.driver = "drizzle"};
    struct idle_connections *i = NULL;
    struct err e = {0};

    CHECK_INT(sql_setup(&o, &e), 0);
    capture();
    CHECK_INT(idle_connections_open(&i, NULL, 2, &e), -1);
    CHECK(strncmp(captured(), "FATAL: ", 7) == 0);
    CHECK_INT(e.kind, ERR_REPORTED); /* that line has reported it */
    CHECK(i == NULL);
    sql_teardown();
}

TEST_MAIN(idle_connections_test)
{
    test_default_driver();
    test_unknown_driver();
    test_kept();
    test_closed_by_server();
    test_too_many();
    test_none();
    return test_done("idle_connections_test");
}
