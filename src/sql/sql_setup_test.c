/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The life of the drivers: look-up by name and its errors, when a library is opened, checked and
 * closed; and the advice on the first fatal failure of a run.
 */
#include "base/mem.h"
#include "sql/test_story.h"

/* Set up again, with so many drivers and this --db-driver. */
static void set_up(size_t ndrivers, const char *name)
{
    test_begin();
    test_world.ndrivers = ndrivers;
    test_world.options.driver = name;
    test_set_up();
}

/* --db-driver, and what a script asks for: what is found, or the line. */
static void test_names(void)
{
    static const struct {
        size_t ndrivers;
        const char *option, *name;
    } t[] = {
        {1, "", NULL},
        {1, "", ""},
        {1, NULL, "scripted"},
        {2, "spare", NULL},
        {2, "spare", "scripted"},
        {2, "", "spare"},
        {0, "scripted", NULL},
        {2, "", NULL},
        {2, NULL, ""},
        {2, "scriptet", NULL},
        {1, "oracle", NULL},
        {1, "", "mariadb"},
    };

    for (size_t i = 0; i < COUNT(t); i++) {
        set_up(t[i].ndrivers, t[i].option);
        capture();
        sql_driver *d = sql_driver_get(t[i].name);
        str_printf(&story, "%zu drivers, --db-driver=%s, %s: %s\n", t[i].ndrivers,
                   t[i].option ? t[i].option : "NULL", t[i].name ? t[i].name : "NULL",
                   d ? d->sname : "none");
        say_captured();
        CHECK_INT(sql_in_use(), d != NULL);
        CHECK_INT(test_world.opened, d != NULL);
        CHECK(test_end(NULL));
        CHECK_INT(test_world.closed, test_world.opened);
        CHECK(!sql_in_use());
    }
    golden(&story, "names of drivers");
}

/* Opened once, however often it is looked up; releasing does not close it. */
static void test_life(void)
{
    sql_driver *d, stranger = {.sname = "scripted"};

    set_up(2, "scripted");
    CHECK_STR(sql_class_at(0)->names.lname, "scripted driver");
    CHECK_STR(sql_class_at(1)->names.sname, "spare");
    CHECK(sql_class_at(2) == NULL);
    CHECK_STR(sql_class_at(1)->library(), "libscripted 1.0");
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
    for (int dry = 0; dry < 2; dry++) {
        test_begin();
        test_world.ndrivers = 2;
        refused = sql_class_at(1)->entry;
        test_world.dry = dry;
        test_world.options.check_library = check_library;
        test_set_up();
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
    test_failures_to_open();
    test_libraries();
    golden_done("sql_setup_test");
    return test_done("sql_setup");
}
