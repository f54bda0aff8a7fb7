/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the options of random numbers to a distribution.
 */
#include "opt/generation.h"

#include "base/test.h"

static int read_one(const char *arg, struct dist_params *d, struct err *e)
{
    struct opts *o = opts_new();
    int rc;

    random_options_declare(o);
    if (arg)
        CHECK_INT(opts_set_arg(o, arg, e), 0);
    rc = random_options_read(d, o, e);
    opts_free(o);
    return rc;
}

/* The option table and dist.c have the same names. */
static void test_types(void)
{
    static const char *const type[] = {"uniform", "gaussian", "special", "pareto", "zipfian"};
    struct dist_params d;
    struct err e = {0};
    char arg[40];

    CHECK_INT(read_one(NULL, &d, &e), 0);
    for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
        snprintf(arg, sizeof arg, "--rand-type=%s", type[i]);
        CHECK_INT(read_one(arg, &d, &e), 0);
        CHECK_STR(e.msg, "");
    }
}

static void test_bad(void)
{
    struct dist_params d;
    struct err e = {0};

    CHECK_INT(read_one("--rand-type=unifrom", &d, &e), -1);
    CHECK(strstr(e.msg, "unifrom") && strstr(e.msg, "; did you mean uniform?"));
    e = (struct err){0};
    CHECK_INT(read_one("--rand-spec-pct=101", &d, &e), -1);
    CHECK(strstr(e.msg, "rand-spec-pct"));
}

TEST_MAIN(random_options_test)
{
    test_types();
    test_bad();
    return test_done("random_options_test");
}
