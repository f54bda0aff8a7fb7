/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every number that an option of a bundled script takes, at its extremes, for every script that has
 * the option; and that scripts of others are left alone.
 */
#include "script/host.h"

#include <math.h>

#include "script/script_test.h"

/* What one argument leads to: "" or the complaint. */
static void try(const char *test, const char *arg, char *message, size_t size)
{
    struct session s;

    begin(&s, NULL, test, "help", arg);
    snprintf(message, size, "%s", s.rc ? s.e.msg : "");
    end(&s);
}

static void check_value(const char *test, const struct opt_view *v, const char *value,
                        bool accepted)
{
    char *arg = mem_printf("--%s=%s", v->shown, value), message[sizeof((struct err *)0)->msg];

    try(test, arg, message, sizeof message);
    TEST_REPORT(!*message == accepted, "%s %s: \"%s\"", test, arg, message);
    if (!accepted)
        TEST_REPORT((strstr(message, v->shown) || strstr(message, v->name)) &&
                        strstr(message, value),
                    "%s %s: \"%s\"", test, arg, message);
    free(arg);
}

/* At least one of these makes sense only from 1 on. */
static bool needs_one(const char *name)
{
    return strcmp(name, "tables") == 0 || strcmp(name, "random_points") == 0 ||
           strcmp(name, "number_of_ranges") == 0;
}

static void check_option(const char *test, const struct opt_view *v)
{
    static const char *const never[] = {"-1",    "-0.5", "nan", "inf",
                                        "1e309", "x",    "1x",  "18446744073709551616"};

    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        check_value(test, v, never[i], false);
    check_value(test, v, "0", !needs_one(v->name));
    check_value(test, v, "1", true);
    check_value(test, v, "10k", true);
    check_value(test, v, v->def, true);
}

/* The numeric options that the script itself declares. */
static int check_script(const char *test)
{
    struct session s;
    struct opt_view v;
    int n = 0;

    begin(&s, NULL, test, "help", "");
    CHECK_STR(s.e.msg, "");
    for (size_t i = 0; s.rc == 0 && opts_at(s.env.opts, i, &v); i++) {
        if (v.group != OPT_GROUP_TEST || v.type != OPT_DOUBLE)
            continue;
        check_option(test, &v);
        n++;
    }
    end(&s);
    return n;
}

static void bundled_scripts(void)
{
    const struct bundled_script *b;

    for (size_t i = 0; (b = script_bundled_at(i)) != NULL; i++)
        CHECK_INT(check_script(b->name), strcmp(b->name, "bulk_insert") == 0            ? 0
                                         : strcmp(b->name, "select_random_points") == 0 ? 13
                                         : strcmp(b->name, "select_random_ranges") == 0 ? 14
                                                                                        : 12);
}

static void sentences(void)
{
    char message[sizeof((struct err *)0)->msg];

    try("oltp_read_only", "--tables=0", message, sizeof message);
    CHECK_STR(message, "Invalid value for --tables: 0 (allowed: 1 to 2147483647)");
    try("oltp_read_only", "--tables=", message, sizeof message);
    CHECK_STR(message, "Invalid value for --tables: '' (allowed: 1 to 2147483647)");
    try("oltp_read_only", "--table-size=-5", message, sizeof message);
    CHECK_STR(message, "Invalid value for --table_size: -5 (allowed: 0 to 99999999999999)");
}

static void scripts_of_others(void)
{
    struct session s;

    begin(&s, "sysbench.cmdline.options = {tables = {'x', 1}}\nfunction event() end\n", NULL, "run",
          "--tables=-1");
    CHECK_STR(s.e.msg, "");
    CHECK_INT(s.rc, 0);
    end(&s);
}

TEST_MAIN(bundled_limits_test)
{
    bundled_scripts();
    sentences();
    scripts_of_others();
    return test_done("bundled_limits_test");
}
