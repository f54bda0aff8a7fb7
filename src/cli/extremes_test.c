/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every numeric option with every value that is none, or too large, too small or empty: it is
 * refused with one sentence that names the option and the value, or taken for a finite number
 * within the row's range.  Of values that some options accept, the table says which options.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/test.h"
#include "cli/registry.h"
#include "engine/plan.h"
#include "opt/generation.h"
#include "report/report_options.h"

static struct opts *all(void)
{
    struct opts *o = opts_new();

    options_declare(o);
    for (size_t i = 0; registry_builtin_at(i); i++)
        builtin_options(registry_builtin_at(i), o);
    return o;
}

/* 0 and the option as it was read, or -1 and the sentence. */
static int judge(const char *arg, const char *name, struct opt_view *v, struct err *e)
{
    struct opts *o = all();
    struct plan plan;
    struct dist_params dist;
    int rc;

    *e = (struct err){0};
    rc = opts_set_arg(o, arg, e) || opts_finish(o, false, e) || generation_check(o, e) ||
                 opts_check(o, e) || plan_from_options(&plan, o, e) ||
                 random_options_read(&dist, o, e)
             ? -1
             : 0;
    for (size_t i = 0; opts_at(o, i, v) && strcmp(v->name, name) != 0; i++)
        ;
    *v = (struct opt_view){.type = v->type, .number = v->number, .given = v->given};
    opts_free(o);
    return rc;
}

static bool is_in(const char *const *list, const char *name)
{
    while (*list && strcmp(*list, name) != 0)
        list++;
    return *list;
}

/* The complaint about an option of 0.4 names the option that it has become. */
static bool names_option(const char *msg, const struct opt_view *v)
{
    return strstr(msg, v->name) || strstr(msg, v->title) ||
           (strcmp(v->name, "intermediate_result_timer") == 0 && strstr(msg, "report"));
}

/* A rate of stages is named by its faulty stage. */
static bool names_value(const char *msg, const struct opt_view *v, const char *value)
{
    return strstr(msg, value) || (strcmp(v->name, "tx_rate") == 0 && strstr(msg, "stage 1, "));
}

/* Is refused: the sentence names both. */
static void check_refused(const struct opt_view *v, const char *value)
{
    char *arg = mem_printf("--%s=%s", v->shown, value);
    struct opt_view read;
    struct err e;

    TEST_REPORT(judge(arg, v->name, &read, &e) == -1, "%s is accepted", arg);
    TEST_REPORT(names_option(e.msg, v) && names_value(e.msg, v, value), "%s: \"%s\"", arg, e.msg);
    free(arg);
}

/* Is refused as above, or is a number. */
static void check_number(const struct opt_view *v, const char *value)
{
    char *arg = mem_printf("--%s=%s", v->shown, value);
    struct opt_view read;
    struct err e;

    if (judge(arg, v->name, &read, &e))
        TEST_REPORT(names_option(e.msg, v), "%s: \"%s\"", arg, e.msg);
    else
        TEST_REPORT(isfinite(read.number), "%s is %g", arg, read.number);
    free(arg);
}

/* Stock takes -1 for "none" or never asks; the options of the built-in tests are refused later, by
 * the test. */
static void check_negative(const struct opt_view *v)
{
    static const char *const accepting[] = {"events",
                                            "time",
                                            "max_requests",
                                            "max_time",
                                            "num_threads",
                                            "batch_delay",
                                            "seed_rng",
                                            "verbosity",
                                            "rand_seed",
                                            "myisam_max_rows",
                                            "attachsql_port",
                                            "drizzle_max_rows",
                                            NULL};
    char *arg = mem_printf("--%s=-1", v->shown);
    struct opt_view read;
    struct err e;
    bool accepted = judge(arg, v->name, &read, &e) == 0;

    if (v->group != OPT_GROUP_TEST)
        TEST_REPORT(accepted == is_in(accepting, v->name), "%s is %s: %s", arg,
                    accepted ? "accepted" : "refused", e.msg);
    free(arg);
}

/* The last of two values counts, as everywhere on the command line. */
static void check_twice(const struct opt_view *v)
{
    char *first = mem_printf("--%s=x", v->shown), *second = mem_printf("--%s=%s", v->shown, v->def);
    struct opts *o = all();
    struct err e = {0};

    CHECK_INT(opts_set_arg(o, first, &e), 0);
    CHECK_INT(opts_set_arg(o, second, &e), 0);
    TEST_REPORT(opts_finish(o, false, &e) == 0 && opts_check(o, &e) == 0, "%s %s: %s", first,
                second, e.msg);
    opts_free(o);
    free(first);
    free(second);
}

static bool is_number(const struct opt_view *v)
{
    return v->type == OPT_INT || v->type == OPT_SIZE || v->type == OPT_DOUBLE;
}

static void check_option(const struct opt_view *v)
{
    static const char *const never[] = {"nan", "-nan", "inf", "-inf", "1e309", "x",
                                        "1x",  "0x",   "--",  "1,2",  "1e",    "."};
    static const char *const some[] = {"-1",
                                       "18446744073709551616",
                                       "9223372036854775808",
                                       "-9223372036854775809",
                                       "2147483648",
                                       "1e30",
                                       "-0.5",
                                       "1e-320",
                                       "",
                                       "0",
                                       " 1",
                                       "99999999999999999999999999999999999999999999999999"};

    /* a size that cannot be read is 0 where its reader refuses 0 */
    for (size_t i = 0; !(v->flags & OPT_LENIENT) && i < sizeof never / sizeof *never; i++)
        if (!opt_beyond_number(v->flags, never[i]))
            check_refused(v, never[i]);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        check_number(v, some[i]);
    check_negative(v);
    if (v->def && *v->def)
        check_twice(v);
}

TEST_MAIN(extremes_test)
{
    struct opts *o = all();
    struct opt_view v;
    size_t n = 0;

    for (size_t i = 0; opts_at(o, i, &v); i++)
        if (is_number(&v)) {
            check_option(&v);
            n++;
        }
    CHECK(n > 40);
    opts_free(o);
    return test_done("extremes_test");
}
