/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Values of options as tables: what each type reads, what it refuses and in which words.
 */
#include "opt/opt_test.h"

#include "base/test_golden.h"

/* As scripts get it. */
static double number_of(const struct opts *o, const char *name)
{
    struct opt_view v;

    return opts_view(o, name, &v) ? v.number : NAN;
}

/* Every type against min, max, huge, negative, text: the values, or the complaint. */
static void value(const char *arg)
{
    struct opts *o = fresh();
    struct err e = {0};
    char name[32];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
    CHECK_INT(opts_set_arg(o, arg, &e), 0);
    if (opts_finish(o, false, &e) || opts_check(o, &e))
        golden_line("%s: %s", arg, e.msg);
    else
        golden_line("%s: %lld %.12g %.12g", arg, (long long)opt_int(o, name), opt_double(o, name),
                    number_of(o, name));
    opts_free(o);
}

static void values(void)
{
    golden_each(
        "--threads=16|--threads=-5|--threads=2147483647|--threads=|--threads=2147483648|"
        "--threads=99999999999999999999|--threads=1.5|--threads=10K|--threads=abc|--crypt=on|"
        "--crypt=0|--crypt=disabled|--crypt=Required|--crypt=VERIFY_CA|--crypt=verify-c|"
        "--crypt=|--big=10|--big=10k|--big=10KB|--big=2MiB|--big=1G|--big=1T|--big=5X|--big=-1|"
        "--big=K|--big=9999999T|--ratio=2.5|--ratio=1e1|--ratio=0x2|--ratio=10K|--ratio=nan|"
        "--ratio=1e999|--ratio=11|--ratio=-0.1|--ratio=|--ratio|--shape=|--files=|--files|"
        "--items=|--name|--count=10k|--count=10K|--count=1M|--count=2G|--count=1.5k|"
        "--count=0.5M|--count=|--count=3G|--count=-3000000000|--count=1.0005k|--count=1m|"
        "--count=2g|--count=10kb|--count=k|--count=1..5k|--count=-1k|--rate=2.5k|--rate=1e3|"
        "--rate=0x10|--rate=2G|--rate=10T|--places=7|--places=7,x|--places=0,1|--places=x,1|"
        "--pace=1e-3|--pace=50-20|--pace=5:1s|--pace=5/s|--parts=sync,direct|"
        "--parts=sync,dircet,x|--parts=x|--late=x|--open=4711|--shape=odd|--shape=eve|"
        "--flag-opt|--flag_opt=on|--flag-opt=true|--flag_opt=1|--flag-opt=off|--flag-opt=0|"
        "--flag-opt=false|--flag-opt=yes|--flag-opt=|--flag-opt=ON",
        value);
}

static void lists_and_texts(void)
{
    struct opts *o = fresh();
    struct err e = {0};
    size_t n;
    char **v;

    v = opt_list(o, "items", &n);
    CHECK_INT(n, 2);
    CHECK_STR(v[1], "b");
    opts_set_arg(o, "--items=x, y ,, z,\t", &e);
    v = opt_list(o, "items", &n);
    CHECK_INT(n, 3);
    CHECK_STR(v[2], "z");
    opts_set_arg(o, "--items=", &e);
    opt_list(o, "items", &n);
    CHECK_INT(n, 0);
    CHECK_STR(opt_str(o, "name"), "");
    opts_set_arg(o, "--name=a=b", &e);
    CHECK_STR(opt_str(o, "name"), "a=b");
    opts_set_arg(o, "--name=first", &e);
    opts_set_arg(o, "--name=last", &e);
    CHECK_STR(opt_str(o, "name"), "last");
    opts_set_arg(o, "--name", &e);
    CHECK_STR(opt_str(o, "name"), "");
    CHECK(opt_given(o, "name"));
    CHECK(!opt_given(o, "threads"));
    opts_free(o);
}

/* Given again: the last one wins, unless it adds. */
static void given_again(void)
{
    static const struct {
        const char *arg[3], *want;
    } t[] = {
        {{"--items=x", "--items=y", NULL}, NULL},
        {{"--files=x", NULL, NULL}, "x"},
        {{"--files=x", "--files=y,z", "--files=w"}, "x,y,z,w"},
        {{"--files=x", "--files=", "--files=w"}, "w"},
        {{"--files=", "--files=w", "--files"}, ""},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = fresh();
        struct err e = {0};
        for (size_t k = 0; k < 3 && t[i].arg[k]; k++)
            CHECK_INT(opts_set_arg(o, t[i].arg[k], &e), 0);
        CHECK_STR(opt_str(o, "items"), t[i].want ? "a,b" : "y");
        CHECK_STR(opt_str(o, "files"), t[i].want ? t[i].want : "");
        opts_free(o);
    }
}

/* Options that stock does not have, by flag or by group: has the user given one besides
 * `except`? */
static void own_options(void)
{
    static const struct opt_row rate[] = {
        {.name = "tx-rate", .type = OPT_DOUBLE, .def = "0", .help = "a rate"},
        {.name = "tx-spin", .type = OPT_DOUBLE, .def = "0", .help = "a spin"},
    };
    static const struct {
        const char *arg[2];
        bool any, other;
    } t[] = {
        {{"--threads=2", "--big=1"}, false, false},
        {{"--tx-rate=5", "--threads=2"}, true, false},
        {{"--tx_rate=5", "--tx_spin=0"}, true, true},
        {{"--ours=0", "--name=x"}, true, true},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = fresh();
        struct err e = {0};
        opts_add(o, OPT_GROUP_RATE, rate, 2);
        CHECK(!opts_own_given(o, "none"));
        for (size_t k = 0; k < 2; k++)
            CHECK_INT(opts_set_arg(o, t[i].arg[k], &e), 0);
        CHECK_INT(opts_own_given(o, "none"), t[i].any);
        CHECK_INT(opts_own_given(o, "tx-rate"), t[i].other);
        CHECK(!opts_own_given(o, "tx-spin ours  tx-rate"));
        CHECK_INT(opts_own_given(o, "tx-rat tx-rates tx"), t[i].any);
        opts_free(o);
    }
}

/* A text is an element of the list as it is, commas and all. */
static void given_texts(void)
{
    struct opts *o = fresh();
    struct err e = {0};
    size_t n;
    char **list = opt_list(o, "texts", &n);

    CHECK_INT(n, 0);
    CHECK_INT(opts_set_arg(o, "--texts=a,b", &e), 0);
    CHECK_INT(opts_set_arg(o, "--texts=c = 'd'", &e), 0);
    list = opt_list(o, "texts", &n);
    CHECK_INT(n, 2);
    CHECK_STR(n == 2 ? list[0] : "", "a,b");
    CHECK_STR(n == 2 ? list[1] : "", "c = 'd'");
    CHECK_STR(opt_str(o, "texts"), "a,b\nc = 'd'");
    CHECK_INT(opts_set_arg(o, "--texts=", &e), 0);
    CHECK_INT(opts_set_arg(o, "--texts=e", &e), 0);
    list = opt_list(o, "texts", &n);
    CHECK_INT(n, 1);
    CHECK_STR(n == 1 ? list[0] : "", "e");
    opts_free(o);
}

TEST_MAIN(opt_test)
{
    values();
    lists_and_texts();
    given_again();
    own_options();
    given_texts();
    golden_done("opt_test");
    return test_done("opt_test");
}
