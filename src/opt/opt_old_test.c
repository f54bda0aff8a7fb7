/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rules of 0.4 and 0.5 for values, options with a new name, and dashes that were typeset.
 */
#include "opt/opt.h"

#include "base/test.h"
#include "base/test_capture.h"

static const struct opt_row rows[] = {
    {.name = "debug", .type = OPT_BOOL, .def = "off"},
    {.name = "ssl", .type = OPT_BOOL, .def = "off", .choices = "disabled|required"},
    {.name = "rate", .type = OPT_DOUBLE, .def = "0", .min = -100, .max = 100},
    {.name = "ours", .type = OPT_BOOL, .def = "off", .flags = OPT_OWN},
    {.name = "max-time", .type = OPT_INT, .def = "0"},
    {.name = "events", .type = OPT_INT, .def = "0", .flags = OPT_COUNT},
    {.name = "rand-seed", .type = OPT_INT, .def = "0"},
    {.name = "seed-rng", .type = OPT_INT, .def = "0", .flags = OPT_OLD, .now = "rand-seed"},
    {.name = "engine", .type = OPT_STRING, .def = "innodb", .flags = OPT_OLD, .now = "storage"},
    {.name = "servers", .type = OPT_STRING, .def = "none", .flags = OPT_OWN},
};
static const struct opt_row of_script[] = {
    {.name = "storage", .type = OPT_STRING, .def = "none"},
    {.name = "table_size", .type = OPT_INT, .def = "100"},
    {.name = "tables", .type = OPT_INT, .def = "1"},
};

static const struct opt_rules l0 = {
    .only_on = true, .leading_digits = true, .unknown = OPT_UNKNOWN_OLD};
static const struct opt_rules m1 = {.only_on = true, .unknown = OPT_UNKNOWN_TAKEN};

static struct opts *table(const struct opt_rules *rules)
{
    struct opts *o = opts_new();

    opts_add(o, OPT_GROUP_GENERAL, rows, sizeof rows / sizeof *rows);
    if (rules)
        opts_set_rules(o, rules, "sysbench 0.4.12");
    return o;
}

/* What stderr says about one argument; the table is *out. */
static const char *said(struct opts **out, const struct opt_rules *rules, const char *arg)
{
    struct err e = {0};

    *out = table(rules);
    capture_errors();
    CHECK_INT(opts_set_arg(*out, arg, &e), 0);
    return captured();
}

static void flags(void)
{
    static const struct {
        const char *arg, *name;
        bool on;
        const char *warning;
    } t[] = {
        {"--debug", "debug", true, ""},
        {"--debug=on", "debug", true, ""},
        {"--debug=off", "debug", false, ""},
        {"--debug=", "debug", false, ""},
        {"--debug=0", "debug", false, ""},
        {"--debug=no", "debug", false, ""},
        {"--debug=yes", "debug", false,
         "WARNING: --debug=yes means off, as in sysbench 0.4.12; to switch it on, write "
         "--debug=on\n"},
        {"--debug=ON", "debug", false,
         "WARNING: --debug=ON means off, as in sysbench 0.4.12; to switch it on, write "
         "--debug=on\n"},
        {"--debug=1", "debug", false,
         "WARNING: --debug=1 means off, as in sysbench 0.4.12; to switch it on, "
         "write --debug=on\n"},
        {"--ssl=required", "ssl", true, ""},
        {"--ssl=disabled", "ssl", false, ""},
        {"--ours=true", "ours", true, ""}, /* was not there yet */
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o;
        CHECK_STR(said(&o, &m1, t[i].arg), t[i].warning);
        CHECK_INT(opt_bool(o, t[i].name), t[i].on);
        opts_free(o);
    }
}

static void numbers(void)
{
    static const struct {
        const char *arg, *name;
        int64_t value;
        bool warned;
    } t[] = {
        {"--max-time=60", "max-time", 60, false},  {"--max-time=60s", "max-time", 60, true},
        {"--max-time=-5x", "max-time", -5, true},  {"--max-time=", "max-time", 0, false},
        {"--events=1M", "events", 1000000, false}, {"--events=10x", "events", 10, true},
        {"--events=1.5", "events", 1, true},       {"--rate=15x", "rate", 15, true},
        {"--rate=2.5", "rate", 2, false},          {"--rate=-2.5%", "rate", -2, true},
    };
    struct opts *o;
    struct err e = {0};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        CHECK_INT(*said(&o, &l0, t[i].arg) != '\0', t[i].warned);
        if (strcmp(t[i].name, "rate") == 0)
            CHECK_INT(opt_double(o, t[i].name), t[i].value);
        else
            CHECK_INT(opt_int(o, t[i].name), t[i].value);
        CHECK_INT(opts_check(o, &e), 0);
        opts_free(o);
    }
    CHECK_STR(said(&o, &l0, "--max-time=60s"), "WARNING: --max-time=60s means 60, as in sysbench "
                                               "0.4.12: a number ends where its digits end\n");
    opts_free(o);
    CHECK_STR(said(&o, &m1, "--rate="), "");
    CHECK_INT(opts_check(o, &e), 0);
    opts_free(o);
    CHECK_STR(said(&o, &l0, "--max-time=0.0s"), "WARNING: --max-time=0.0s means 0, as in sysbench "
                                                "0.4.12: a number ends where its digits end\n");
    opts_free(o);
    static const char *const not_0[] = {"--max-time=soon", "--max-time=0.5", "--events=0.5",
                                        "--events=0x10", "--rate=0.0.5"}; /* were 0 then */
    for (size_t i = 0; i < sizeof not_0 / sizeof *not_0; i++) {
        CHECK_STR(said(&o, &l0, not_0[i]), "");
        CHECK_INT(opts_check(o, &e), -1);
        opts_free(o);
    }
    CHECK_STR(said(&o, &m1, "--max-time=60s"), ""); /* strict, as today */
    CHECK_INT(opts_check(o, &e), -1);
    opts_free(o);
}

static void unknown(void)
{
    struct opts *o;
    struct opt_view v;
    struct err e = {0};

    said(&o, &l0, "--debog=1");
    CHECK_INT(opts_finish(o, false, &e), -1);
    CHECK_STR(e.msg, "Unknown option: --debog; did you mean --debug?");
    opts_free(o);
    said(&o, &m1, "--oltp-foo=bar");
    CHECK_INT(opts_finish(o, false, &e), 0);
    CHECK_STR(opt_str(o, "oltp_foo"), "bar");
    CHECK(opts_at(o, sizeof rows / sizeof *rows, &v));
    CHECK_STR(v.name, "oltp_foo");
    CHECK(v.flags & OPT_TAKEN);
    opts_free(o);
}

/* An option of the old oltp test, given to a script of today. */
static void todays_names(void)
{
    static const struct {
        const char *arg, *msg;
    } t[] = {
        {"--oltp-table-size=5", "invalid option: --oltp-table-size=5; today it is --table-size"},
        {"--oltp_table_size=5", "invalid option: --oltp_table_size=5; today it is --table-size"},
        {"--oltp-tables-count=5", "invalid option: --oltp-tables-count=5; today it is --tables"},
        {"--oltp-num-tables=5", "invalid option: --oltp-num-tables=5; today it is --tables"},
        {"--oltp-test-mode=x",
         "invalid option: --oltp-test-mode=x; see 'sysbench --help' and 'sysbench TEST --help'"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o;
        struct err e = {0};
        said(&o, NULL, t[i].arg);
        opts_add(o, OPT_GROUP_TEST, of_script, sizeof of_script / sizeof *of_script);
        CHECK_INT(opts_finish(o, false, &e), -1);
        CHECK_STR(e.msg, t[i].msg);
        opts_free(o);
    }
}

static void renamed(void)
{
    struct opts *o;
    struct err e = {0};

    said(&o, NULL, "--seed-rng=7");
    CHECK_INT(opt_int(o, "rand-seed"), 0);
    capture_errors();
    opts_apply_old(o);
    opts_apply_old(o); /* once */
    CHECK_STR(captured(), "WARNING: --seed-rng is deprecated, use --rand-seed instead\n");
    CHECK_INT(opt_int(o, "rand-seed"), 7);
    CHECK(opt_given(o, "rand-seed"));
    opts_free(o);

    said(&o, &m1, "--seed-rng=7"); /* not deprecated yet */
    capture_errors();
    opts_apply_old(o);
    CHECK_STR(captured(), "");
    CHECK_INT(opt_int(o, "rand-seed"), 7);
    opts_free(o);

    said(&o, NULL, "--engine=aria"); /* the new name is an option of the script */
    capture_errors();
    opts_apply_old(o);
    CHECK_STR(captured(), "");
    opts_add(o, OPT_GROUP_TEST, of_script, sizeof of_script / sizeof *of_script);
    capture_errors();
    CHECK_INT(opts_finish(o, false, &e), 0);
    CHECK_STR(captured(), "WARNING: --engine is deprecated, use --storage instead\n");
    CHECK_STR(opt_str(o, "storage"), "aria");
    opts_free(o);
}

/* The new name wins. */
static void both(void)
{
    struct opts *o;

    said(&o, &m1, "--seed-rng=7");
    opts_set_arg(o, "--rand-seed=8", NULL);
    opts_apply_old(o);
    CHECK_INT(opt_int(o, "rand-seed"), 8);
    opts_free(o);
}

static bool lists(const struct opts *o, const char *name)
{
    struct str help = STR_INIT;
    bool is;

    opts_help(o, OPT_GROUP_GENERAL, false, NULL, &help);
    is = strstr(str_cstr(&help), name) != NULL;
    str_free(&help);
    return is;
}

static void listed(void)
{
    struct opts *o = table(NULL);

    CHECK(!lists(o, "--seed-rng"));
    opts_list_old(o);
    CHECK(lists(o, "--seed-rng"));
    opts_free(o);
}

/* What the script sees. */
static struct opt_view script_option(const struct opts *o, const char *name)
{
    struct opt_view v = {0};

    CHECK(opts_view(o, name, &v));
    return v;
}

static const struct opt_row own[] = {
    {.name = "engine", .type = OPT_BOOL, .def = "off"},
    {.name = "seed_rng", .type = OPT_STRING, .def = "abc"},
    {.name = "servers", .type = OPT_SIZE, .def = "3"},
};

/* 1.0 has none of the old names, so a script may use them for options of other types. */
static void taken_over(void)
{
    struct opts *o = table(NULL);
    struct err e = {0};

    CHECK_INT(opts_set_arg(o, "--engine", &e) || opts_set_arg(o, "--seed-rng=5", &e), 0);
    opts_add(o, OPT_GROUP_TEST, own, 3);
    capture_errors();
    CHECK_INT(opts_finish(o, false, &e), 0);
    CHECK_STR(captured(), "");
    CHECK(script_option(o, "engine").type == OPT_BOOL && script_option(o, "engine").whole);
    CHECK_STR(script_option(o, "seed-rng").value, "5");
    CHECK_INT(opt_int(o, "rand-seed"), 0);
    CHECK(!opt_given(o, "seed-rng") && !opt_given(o, "engine")); /* the program's */
    opts_free(o);

    o = table(NULL);
    opts_add(o, OPT_GROUP_TEST, own, 3);
    CHECK(!script_option(o, "engine").whole && !script_option(o, "engine").given);
    CHECK_STR(script_option(o, "seed-rng").value, "abc");
    opts_free(o);

    o = table(NULL);
    CHECK_INT(opts_set_arg(o, "--engine=maybe", &e), 0);
    opts_add(o, OPT_GROUP_TEST, own, 3);
    CHECK_INT(opts_finish(o, false, &e), -1);
    CHECK_STR(e.msg, "invalid option: --engine=maybe (allowed: on, off)");
    opts_free(o);
}

/* Nor has it the names of ours.  A value that cannot be read waits for the script ... */
static void left_to_the_script(void)
{
    struct opts *o = table(NULL);
    struct err e = {0};

    CHECK(!opts_wait_for_script(o));
    CHECK_INT(opts_set_arg(o, "--servers=2K", &e) || opts_set_arg(o, "--seed-rng=no", &e), 0);
    CHECK_INT(opts_check(o, &e), -1);
    CHECK(opts_wait_for_script(o));
    CHECK_INT(opts_check(o, &e), 0);
    CHECK_STR(opt_str(o, "servers"), "none");
    CHECK(!opt_given(o, "servers") && !opts_own_given(o, ""));
    opts_add(o, OPT_GROUP_TEST, own, 3);
    CHECK_INT(opts_finish(o, false, &e), 0);
    CHECK_INT(opts_check(o, &e), 0);
    CHECK_INT(script_option(o, "servers").whole, 2048);
    CHECK_STR(script_option(o, "seed-rng").value, "no");
    CHECK_STR(opt_str(o, "servers"), "none");
    CHECK_INT(opt_int(o, "rand-seed"), 0);
    CHECK(opts_taken(o));
    opts_free(o);

    o = table(NULL); /* ... but the script has none: it is ours again, and as bad as it was */
    CHECK_INT(opts_set_arg(o, "--servers=b", &e) || opts_set_arg(o, "--seed-rng=no", &e), 0);
    CHECK(opts_wait_for_script(o));
    CHECK_STR(opt_str(o, "servers"), "none");
    CHECK_INT(opts_finish(o, true, &e), 0);
    CHECK_STR(opt_str(o, "servers"), "b");
    CHECK_INT(opts_check(o, &e), -1);
    CHECK_STR(e.msg,
              "Invalid value for the 'rand_seed' option: 'no' (a whole number without a unit "
              "is needed)");
    opts_free(o);
}

/* One that was read goes to the script when it declares the name; without a value, each has its
 * own. */
static void taken_by_the_script(void)
{
    struct opts *o = table(NULL);
    struct err e = {0};

    CHECK_INT(opts_set_arg(o, "--servers=b", &e) || opts_set_arg(o, "--seed-rng=7", &e), 0);
    opts_apply_old(o);
    CHECK_INT(opt_int(o, "rand-seed"), 7);
    CHECK(!opts_taken(o));
    opts_add(o, OPT_GROUP_TEST, own, 3);
    CHECK_INT(opts_finish(o, false, &e), 0);
    CHECK(opts_taken(o));
    CHECK_STR(opt_str(o, "servers"), "none");
    CHECK_STR(script_option(o, "servers").value, "b");
    CHECK_STR(script_option(o, "seed-rng").value, "7");
    CHECK(opt_int(o, "rand-seed") == 0 && !opt_given(o, "rand-seed"));
    opts_free(o);

    o = table(NULL);
    opts_add(o, OPT_GROUP_TEST, own, 3);
    CHECK_STR(opt_str(o, "servers"), "none");
    CHECK_INT(script_option(o, "servers").whole, 3);
    CHECK(opt_int(o, "rand-seed") == 0 && script_option(o, "servers").group == OPT_GROUP_TEST);
    CHECK(!opts_taken(o));
    opts_free(o);
}

/* What was an option is part of another one's value now; its old name is accepted. */
static void parts_of_values(void)
{
#define PART_OF(option, begins) .of = (option), .mark = (begins)
    static const struct opt_row parts[] = {
        {OPT_ROW("tx-rate", DOUBLE, NULL, OPT_COUNT | OPT_OR_TEXT, "")},
        {OPT_ROW("tx-scale", DOUBLE, "1", 0, ""), .max = 1e6, PART_OF("tx-rate", "*")},
        {OPT_ROW("tx-speed", DOUBLE, "1", 0, ""), .max = 1e6, PART_OF("tx-rate", "speed=")},
        {OPT_ROW("tx-find", STRING, NULL, 0, "")},
        {OPT_ROW("tx-find-step", DOUBLE, NULL, 0, "long"), .min = 0.5, .max = 10,
         PART_OF("tx-find", "step=")},
        {OPT_ROW("tx-find-steps", INT, "40", 0, ""), .max = 200, PART_OF("tx-find", "steps=")},
        {OPT_ROW("server-events", STRING, "off", 0, "")},
        {OPT_ROW("events-of", STRING, "server", 0, ""), PART_OF("server-events", "system:")},
        {OPT_ROW("prepare-method", STRING, "auto", 0, ""), .choices = "auto|load"},
        {OPT_ROW("prepare-resume", BOOL, "off", 0, ""), PART_OF("prepare-method", "resume")},
    };
    static const struct {
        const char *arg, *option, *value, *part, *want;
    } t[] = {
        {"--tx-find=p99<20ms,cpu<80%,step=2.5,steps=9", "tx-find", "p99<20ms,cpu<80%",
         "tx-find-step", "2.5"},
        {"--tx-find=p99<20ms,cpu<80%,step=2.5,steps=9", "tx-find", "p99<20ms,cpu<80%",
         "tx-find-steps", "9"},
        {"--tx_find=step=3,", "tx-find", "", "tx-find-step", "3"},
        {"--tx-find-step=4", "tx-find", "", "tx-find-step", "4"},
        {"--tx-find=p99<20ms,steps", "tx-find", "p99<20ms,steps", "tx-find-steps", "40"},
        {"--tx-find=xstep=3", "tx-find", "xstep=3", "tx-find-step", ""},
        {"--tx-rate=@a*b.csv*2.5,speed=60", "tx-rate", "@a*b.csv", "tx-scale", "2.5"},
        {"--tx-rate=@a*b.csv*2.5,speed=60", "tx-rate", "@a*b.csv", "tx-speed", "60"},
        {"--tx-rate=@a*2b.csv", "tx-rate", "@a*2b.csv", "tx-scale", "1"},
        {"--tx-rate=500*2", "tx-rate", "500*2", "tx-scale", "1"},
        {"--server-events=system:cycles,x:y", "server-events", "cycles,x:y", "events-of", "system"},
        {"--server-events=x,system:y", "server-events", "x,system:y", "events-of", "server"},
        {"--prepare-method=load,resume", "prepare-method", "load", "prepare-resume", "on"},
        {"--prepare-method=resume", "prepare-method", "auto", "prepare-resume", "on"},
        {"--prepare-method=resumed", "prepare-method", "resumed", "prepare-resume", "off"},
    };
    struct str help = STR_INIT;
    struct err e = {0};
    struct opts *o;

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        o = opts_new();
        opts_add(o, OPT_GROUP_GENERAL, parts, sizeof parts / sizeof *parts);
        CHECK_INT(opts_set_arg(o, t[i].arg, &e), 0);
        CHECK_STR(opt_str(o, t[i].option), t[i].value);
        CHECK_STR(opt_str(o, t[i].part), t[i].want);
        opts_free(o);
    }
    o = opts_new(); /* given apart, the last one wins; bounds are those of the row */
    opts_add(o, OPT_GROUP_GENERAL, parts, sizeof parts / sizeof *parts);
    CHECK_INT(opts_set_arg(o, "--tx-find=step=1", &e), 0);
    CHECK_INT(opts_set_arg(o, "--tx-find=p99<20ms,step=11", &e), 0);
    CHECK_INT(opts_set_arg(o, "--tx-find=steps=10", &e), 0);
    CHECK_STR(opt_str(o, "tx-find"), "p99<20ms");
    CHECK_INT(opt_int(o, "tx-find-steps"), 10);
    CHECK_INT(opts_check(o, &e), -1);
    CHECK_STR(e.msg, "Invalid value for --tx-find=step: 11 (allowed: 0.5 to 10)");
    opts_help(o, OPT_GROUP_GENERAL, false, " tx-find ", &help);
    CHECK_STR(str_cstr(&help), "  --tx-find=STRING \n");
    str_reset(&help);
    opts_help(o, OPT_GROUP_GENERAL, false, NULL, &help);
    CHECK(strstr(str_cstr(&help), "\n    ,step=N               long\n") != NULL);
    CHECK(strstr(str_cstr(&help), "\n    system: ") != NULL);
    CHECK(strstr(str_cstr(&help), "\n    *N ") != NULL);
    CHECK(strstr(str_cstr(&help), "tx-scale") == NULL);
    str_free(&help);
    opts_free(o);
}

#define EN "\xe2\x80\x93"
#define EM "\xe2\x80\x94"

static void dashes(void)
{
    static const struct {
        const char *arg;
        bool typeset;
        size_t n;
    } t[] = {
        {EN "debug", true, 3},
        {EM "debug", true, 3},
        {EN EN "debug", true, 6},
        {"-" EN "debug", true, 4},
        {EN "-debug", true, 4},
        {EM EN "-debug=1", true, 7},
        {"--debug", false, 2},
        {"-h", false, 1},
        {"run", false, 0},
        {EN, false, 3},
        {EN "5", false, 3},
        {"run" EN "debug", false, 0},
        {"--debug=" EN, false, 2},
        {"", false, 0},
        {"\xe2\x80", false, 0},
        {"\xe2\x88\x92"
         "debug",
         true, 3},
        {"\xe2\x80\x90\xe2\x80\x91"
         "debug",
         true, 6},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        CHECK_INT(opt_is_typeset(t[i].arg), t[i].typeset);
        CHECK_INT(opt_dashes(t[i].arg), t[i].n);
    }
}

TEST_MAIN(opt_old_test)
{
    flags();
    numbers();
    unknown();
    todays_names();
    renamed();
    both();
    listed();
    taken_over();
    left_to_the_script();
    taken_by_the_script();
    parts_of_values();
    dashes();
    return test_done("opt_old_test");
}
