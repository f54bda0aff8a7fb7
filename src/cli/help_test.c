/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sysbench --help with other drivers than the real ones: a block of options for each driver that
 * has some, and none for a driver without.
 */
#include <string.h>

#include "base/test.h"
#include "base/test_capture.h"
#include "cli/app.h"
#include "cli/registry.h"
#include "sql/sql_options.h"
#include "sql/test_driver.h"

static const char *help_with(size_t ndrivers)
{
    struct err e = {0};
    struct opts *o;

    test_world.ndrivers = ndrivers;
    o = opts_new();
    options_declare(o);
    capture();
    CHECK_INT(help_general(o, "all", &e), 0);
    opts_free(o);
    return captured();
}

static void driver_options(void)
{
    const char *text = help_with(2), *block = strstr(text, "spare options:\n");

    CHECK(strstr(text, "  scripted - scripted driver\n  spare - spare driver\n") != NULL);
    CHECK(!strstr(text, "scripted options:"));
    CHECK(block && strncmp(strchr(block, '\n'), "\n  --pgsql-", 11) == 0);
    CHECK(!strstr(text, "--mysql-"));
    CHECK_INT(sql_class_at(0)->options, OPT_GROUP_NONE);
    CHECK_INT(sql_class_at(1)->options, OPT_GROUP_PGSQL);
    CHECK(sql_class_at(2) == NULL);
}

static void no_driver(void)
{
    const char *text = help_with(0);

    CHECK(strstr(text, "Compiled-in database drivers:\n\n") != NULL);
    CHECK(!strstr(text, "--pgsql-"));
}

TEST_MAIN(help_test)
{
    driver_options();
    no_driver();
    return test_done("help_test");
}
