/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The life of the drivers: look-up by name and its errors, when a library is opened, checked and
 * closed; and the advice on the first fatal failure of a run.
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/test.h"
#include "base/test_capture.h"
#include "sql/test_driver.h"

#define N(a) (sizeof(a) / sizeof *(a))

/* Set up again, with so many drivers and this --db-driver. */
static void set_up(size_t ndrivers, const char *name)
{
    struct err e = {0};

    test_begin();
    sql_teardown();
    test_world.ndrivers = ndrivers;
    test_world.options.driver = name;
    CHECK_INT(sql_setup(&test_world.options, &e), 0);
}

static void test_names(void)
{
    static const struct {
        size_t ndrivers;
        const char *option, *name; /* --db-driver, and what a script asks for */
        const char *found;         /* NULL: nothing, but a line: */
        const char *line;
    } t[] = {
        {1, "", NULL, "scripted", ""},
        {1, "", "", "scripted", ""},
        {1, NULL, "scripted", "scripted", ""},
        {2, "spare", NULL, "spare", ""},
        {2, "spare", "scripted", "scripted", ""},
        {2, "", "spare", "spare", ""},
        {0, "scripted", NULL, NULL, "FATAL: No DB drivers available\n"},
        {2, "", NULL, NULL,
         "FATAL: Multiple DB drivers are available. Use --db-driver=name to specify which one to "
         "use\n"},
        {2, NULL, "", NULL,
         "FATAL: Multiple DB drivers are available. Use --db-driver=name to specify which one to "
         "use\n"},
        {2, "scriptet", NULL, NULL,
         "FATAL: invalid database driver name: 'scriptet' (allowed: scripted, spare); did you mean "
         "scripted?\n"},
        {1, "oracle", NULL, NULL,
         "FATAL: invalid database driver name: 'oracle' (allowed: scripted)\n"},
        {1, "", "mariadb", NULL,
         "FATAL: invalid database driver name: 'mariadb' (allowed: scripted)\n"},
    };

    for (size_t i = 0; i < N(t); i++) {
        sql_driver *d;
        set_up(t[i].ndrivers, t[i].option);
        capture();
        d = sql_driver_get(t[i].name);
        CHECK_STR(captured(), t[i].line);
        CHECK_INT(d != NULL, t[i].found != NULL);
        CHECK_INT(sql_in_use(), t[i].found != NULL);
        CHECK_INT(test_world.opened, t[i].found != NULL);
        if (d)
            CHECK_STR(d->sname, t[i].found);
        CHECK(test_end(NULL));
        CHECK_INT(test_world.closed, test_world.opened);
        CHECK(!sql_in_use());
    }
}

/* Opened once, however often it is looked up; releasing does not close it. */
static void test_life(void)
{
    sql_driver *d, stranger = {.sname = "scripted"};

    set_up(2, "scripted");
    CHECK_INT(test_world.opened, 0);
    d = sql_driver_get(NULL);
    CHECK(sql_driver_get("scripted") == d);
    CHECK_INT(test_world.opened, 1);
    CHECK(sql_driver_get("spare") != d);
    CHECK_INT(test_world.opened, 2);
    CHECK_INT(sql_driver_release(d), 0);
    CHECK_INT(sql_driver_release(d), 0);
    CHECK(sql_driver_get("scripted") == d);
    CHECK_INT(test_world.opened, 2);
    capture();
    CHECK_INT(sql_driver_release(&stranger), 1);
    CHECK_INT(sql_driver_release(NULL), 1);
    CHECK(strncmp(captured(), "ALERT: attempt to release an invalid database driver\n", 53) == 0);
    sql_teardown();
    CHECK_INT(test_world.closed, 2);
    capture();
    CHECK_INT(sql_driver_release(d), 1); /* it is gone */
    CHECK_STR(captured(), "ALERT: attempt to release an invalid database driver\n");
}

static void test_list(void)
{
    set_up(2, "");
    CHECK_STR(sql_class_at(0)->names.lname, "scripted driver");
    CHECK_STR(sql_class_at(1)->names.sname, "spare");
    CHECK(sql_class_at(2) == NULL);
    CHECK_STR(sql_class_at(1)->library(), "libscripted 1.0");
    CHECK(test_end(NULL));
}

static void test_failures_to_open(void)
{
    struct err e = {0};

    test_begin();
    sql_teardown();
    test_world.bad_options = true;
    CHECK_INT(sql_setup(&test_world.options, &e), -1);
    CHECK_STR(e.msg, "bad options");
    CHECK_INT(e.kind, ERR_USAGE);
    set_up(1, "");
    test_world.cannot_open = true;
    CHECK(sql_driver_get(NULL) == NULL);
    CHECK(!sql_in_use());
    test_world.cannot_open = false; /* it may be tried again */
    CHECK(sql_driver_get(NULL) != NULL);
    CHECK(test_end(NULL));
}

/* --- libraries --- */

static const void *refused;
static unsigned nchecked;

static int check_library(const void *function, struct err *e)
{
    nchecked++;
    return function == refused ? err_set(e, ERR_FAILED, "a library that cannot be used") : 0;
}

static void test_libraries(void)
{
    struct err e = {0};

    for (int dry = 0; dry < 2; dry++) {
        test_begin();
        sql_teardown();
        test_world.ndrivers = 2;
        refused = sql_class_at(1)->entry;
        test_world.dry = dry;
        test_world.options.check_library = check_library;
        CHECK_INT(sql_setup(&test_world.options, &e), 0);
        nchecked = 0;
        CHECK(sql_driver_get("scripted") != NULL);
        CHECK(sql_driver_get("scripted") != NULL);
        CHECK_INT(nchecked, !dry); /* once, and a dry run calls no library */
        capture();
        CHECK_INT(sql_driver_get("spare") != NULL, dry);
        CHECK_STR(captured(), dry ? "" : "FATAL: a library that cannot be used\n");
        CHECK_INT(test_world.opened - test_world.closed, 1 + dry);
        CHECK(test_end(NULL));
        CHECK_INT(test_world.closed, test_world.opened);
    }
}

TEST_MAIN(sql_setup_test)
{
    test_names();
    test_life();
    test_list();
    test_failures_to_open();
    test_libraries();
    return test_done("sql_setup");
}
