/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Values of options as tables: what each type reads, what it refuses and in which words.
 */
#include "opt/opt_test.h"

#include "base/test.h"

/* As scripts get it. */
static double number_of(const struct opts *o, const char *name)
{
    struct opt_view v;

    for (size_t i = 0; opts_at(o, i, &v); i++)
        if (strcmp(v.shown, name) == 0)
            return v.number;
    return NAN;
}

#define BAD(name, value) "Invalid value for the '" name "' option: '" value "'"
#define WHOLE            " (a whole number without a unit is needed)"
#define SIZE             " (a size, such as 4096, 16K or 2G, is needed)"
#define NUMBER           " (a number without a unit is needed)"
#define COUNTED          " (a whole number, such as 500, 10k or 1M, is needed)"
#define RATE             " (a number, such as 0.5, 10k or 1M, is needed)"

/* Every number type against min, max, huge, negative, text: the value, or the complaint. */
static void numbers(void)
{
    static const struct {
        const char *arg;
        int64_t ival;
        double dval;
        const char *complaint;
    } t[] = {
        {"--threads=16", 16, 16, NULL},
        {"--threads=-5", -5, -5, NULL},
        {"--threads=2147483647", 2147483647, 2147483647, NULL},
        {"--threads=", 0, 0, NULL},
        {"--threads=2147483648", 0, 0,
         "Invalid value for the 'threads' option: '2147483648' (at most 2147483647)"},
        {"--threads=99999999999999999999", 0, 0,
         "Invalid value for the 'threads' option: '99999999999999999999' (at most 2147483647)"},
        {"--threads=1.5", 0, 0, BAD("threads", "1.5") WHOLE},
        {"--threads=10K", 0, 0, BAD("threads", "10K") WHOLE},
        {"--threads=abc", 0, 0, BAD("threads", "abc") WHOLE},
        {"--crypt=on", 1, 0, NULL},
        {"--crypt=0", 0, 0, NULL},
        {"--crypt=disabled", 0, 0, NULL},
        {"--crypt=Required", 1, 0, NULL},
        {"--crypt=VERIFY_CA", 1, 0, NULL},
        {"--crypt=verify-c", 0, 0,
         "Invalid value for --crypt: 'verify-c' (allowed: on, off, disabled, "
         "required, verify-ca); did you mean verify-ca?"},
        {"--crypt=", 0, 0,
         "Invalid value for --crypt: '' (allowed: on, off, disabled, required, verify-ca)"},
        {"--big=10", 10, 10, NULL},
        {"--big=10k", 10240, 10240, NULL},
        {"--big=10KB", 10240, 10240, NULL},
        {"--big=2MiB", 2 << 20, 2 << 20, NULL},
        {"--big=1G", 1 << 30, 1 << 30, NULL},
        {"--big=1T", INT64_C(1) << 40, 1099511627776.0, NULL},
        {"--big=5X", 0, 0, BAD("big", "5X") SIZE},
        {"--big=-1", 0, 0, BAD("big", "-1") SIZE},
        {"--big=K", 0, 0, BAD("big", "K") SIZE},
        {"--big=9999999T", 0, 0, BAD("big", "9999999T") SIZE},
        {"--ratio=2.5", 0, 2.5, NULL},
        {"--ratio=1e1", 0, 10, NULL},
        {"--ratio=0x2", 0, 0, BAD("ratio", "0x2") NUMBER},
        {"--ratio=10K", 0, 0, BAD("ratio", "10K") NUMBER},
        {"--ratio=nan", 0, 0, BAD("ratio", "nan") NUMBER},
        {"--ratio=1e999", 0, 0, BAD("ratio", "1e999") NUMBER},
        {"--ratio=11", 0, 0, "Invalid value for --ratio: 11 (allowed: 0 to 10)"},
        {"--ratio=-0.1", 0, 0, "Invalid value for --ratio: -0.1 (allowed: 0 to 10)"},
        {"--ratio=", 0, 0, "--ratio needs a value"},
        {"--ratio", 0, 0, "--ratio needs a value"},
        {"--shape=", 0, 0, "--shape needs a value"},
        {"--files=", 0, 0, "--files needs a value"},
        {"--files", 0, 0, "--files needs a value"},
        {"--items=", 0, 0, NULL},
        {"--name", 0, 0, NULL},
        {"--count=10k", 10000, 10000, NULL},
        {"--count=10K", 10000, 10000, NULL},
        {"--count=1M", 1000000, 1000000, NULL},
        {"--count=2G", 2000000000, 2e9, NULL},
        {"--count=1.5k", 1500, 1500, NULL},
        {"--count=0.5M", 500000, 500000, NULL},
        {"--count=", 0, 0, NULL},
        {"--count=3G", 0, 0, "Invalid value for the 'count' option: '3G' (at most 2147483647)"},
        {"--count=-3000000000", 0, 0,
         "Invalid value for the 'count' option: '-3000000000' (at least -2147483648)"},
        {"--count=1.0005k", 0, 0, BAD("count", "1.0005k") COUNTED},
        {"--count=1m", 0, 0, "Invalid value for the 'count' option: '1m'; did you mean 1M?"},
        {"--count=2g", 0, 0, "Invalid value for the 'count' option: '2g'; did you mean 2G?"},
        {"--count=10kb", 0, 0, BAD("count", "10kb") COUNTED},
        {"--count=k", 0, 0, BAD("count", "k") COUNTED},
        {"--count=1..5k", 0, 0, BAD("count", "1..5k") COUNTED},
        {"--count=-1k", 0, 0, BAD("count", "-1k") COUNTED},
        {"--rate=2.5k", 0, 2500, NULL},
        {"--rate=1e3", 0, 1000, NULL},
        {"--rate=0x10", 0, 0, BAD("rate", "0x10") RATE},
        {"--rate=2G", 0, 0, "Invalid value for --rate: 2G (allowed: 0 to 1000000000)"},
        {"--rate=10T", 0, 0, BAD("rate", "10T") RATE},
        {"--places=7", 7, 7, NULL},
        {"--places=7,x", 7, 7, NULL}, /* its reader takes the text */
        {"--places=0,1", 0, 0, "Invalid value for --places: 0,1 (allowed: 1 to 9)"},
        {"--places=x,1", 0, 0, BAD("places", "x,1") WHOLE},
        {"--pace=1e-3", 0, 0.001, NULL},
        {"--pace=50-20", 0, 0, NULL},
        {"--pace=5:1s", 0, 0, NULL},
        {"--pace=5/s", 0, 0,
         "Invalid value for the 'pace' option: '5/s' (a number, such as 0.5, "
         "10k or 1M, stages, such as 500:60s,900:60s, or a trace, such as "
         "@noon.csv, is needed)"},
        {"--parts=sync,direct", 0, 0, NULL},
        {"--parts=sync,dircet,x", 0, 0,
         "Invalid value for --parts: 'sync,dircet,x' (allowed: sync, dsync, "
         "direct); did you mean direct?"},
        {"--parts=x", 0, 0, "Invalid value for --parts: 'x' (allowed: sync, dsync, direct)"},
        {"--late=x", 0, 0, NULL},
        {"--open=4711", 0, 0, NULL},
        {"--shape=odd", 0, 0, "Invalid value for --shape: 'odd' (allowed: even, poisson)"},
        {"--shape=eve", 0, 0,
         "Invalid value for --shape: 'eve' (allowed: even, poisson); did you mean even?"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = fresh();
        struct err e = {0};
        char name[32];
        int rc;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(t[i].arg + 2, "="), t[i].arg + 2);
        CHECK_INT(opts_set_arg(o, t[i].arg, &e), 0);
        rc = opts_check(o, &e);
        if (t[i].complaint) {
            CHECK_INT(rc, -1);
            CHECK_STR(e.msg, t[i].complaint);
        } else {
            CHECK_INT(rc, 0);
            CHECK_INT(opt_int(o, name), t[i].ival);
            CHECK_NEAR(opt_double(o, name), t[i].dval, 0);
            CHECK_NEAR(number_of(o, name), t[i].dval, 0);
        }
        opts_free(o);
    }
}

static void flags(void)
{
    static const struct {
        const char *arg;
        int on; /* -1: refused */
    } t[] = {{"--flag-opt", 1},       {"--flag_opt=on", 1},   {"--flag-opt=true", 1},
             {"--flag_opt=1", 1},     {"--flag-opt=off", 0},  {"--flag-opt=0", 0},
             {"--flag-opt=false", 0}, {"--flag-opt=yes", -1}, {"--flag-opt=", -1},
             {"--flag-opt=ON", -1}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = fresh();
        struct err e = {0};
        char want[64];
        CHECK_INT(opts_set_arg(o, t[i].arg, &e), 0);
        if (t[i].on >= 0) {
            CHECK_INT(opts_finish(o, false, &e), 0);
            CHECK_INT(opt_bool(o, "flag-opt"), t[i].on);
        } else {
            snprintf(want, sizeof want, "invalid option: %s (allowed: on, off)", t[i].arg);
            CHECK_INT(opts_finish(o, false, &e), -1);
            CHECK_STR(e.msg, want);
        }
        opts_free(o);
    }
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
    numbers();
    flags();
    lists_and_texts();
    given_again();
    own_options();
    given_texts();
    return test_done("opt_test");
}
