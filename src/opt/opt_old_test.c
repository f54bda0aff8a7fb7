/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rules of 0.4 and 0.5 for values, options with a new name, and dashes that were typeset.
 */
#include "opt/opt.h"

#include <stdio.h>

#include "base/test_capture.h"
#include "base/test_golden.h"

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

static const struct opt_rules *rules;

static void value(const char *arg)
{
    char name[32];
    struct opts *o;
    struct err e = {0};

    snprintf(name, sizeof name, "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
    const char *warning = said(&o, rules, arg);
    golden_line("%s %.*s", arg, (int)strcspn(warning, "\n"), warning);
    if (opts_check(o, &e))
        golden_line("  %s", e.msg);
    else
        golden_line("  %lld %.12g", (long long)opt_int(o, name), opt_double(o, name));
    opts_free(o);
}

static void values(void)
{
    rules = &m1;
    golden_each(
        "--debug|--debug=on|--debug=off|--debug=|--debug=0|--debug=no|--debug=yes|--debug=ON|"
        "--debug=1|--ssl=required|--ssl=disabled|--ours=true|--rate=|--max-time=60s",
        value);
    rules = &l0;
    golden_each("--max-time=60|--max-time=60s|--max-time=-5x|--max-time=|--events=1M|--events=10x|"
                "--events=1.5|--rate=15x|--rate=2.5|--rate=-2.5%|--max-time=0.0s|--max-time=soon|"
                "--max-time=0.5|--events=0.5|--events=0x10|--rate=0.0.5",
                value);
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
static void todays_name(const char *arg)
{
    struct opts *o;
    struct err e = {0};

    said(&o, NULL, arg);
    opts_add(o, OPT_GROUP_TEST, of_script, sizeof of_script / sizeof *of_script);
    CHECK_INT(opts_finish(o, false, &e), -1);
    golden_line("%s", e.msg);
    opts_free(o);
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
    static const char *const t[] = {"--tx-find=p99<20ms,cpu<80%,step=2.5,steps=9",
                                    "--tx_find=step=3,",
                                    "--tx-find-step=4",
                                    "--tx-find=p99<20ms,steps",
                                    "--tx-find=xstep=3",
                                    "--tx-rate=@a*b.csv*2.5,speed=60",
                                    "--tx-rate=@a*2b.csv",
                                    "--tx-rate=500*2",
                                    "--server-events=system:cycles,x:y",
                                    "--server-events=x,system:y",
                                    "--prepare-method=load,resume",
                                    "--prepare-method=resume",
                                    "--prepare-method=resumed"};
    struct str help = STR_INIT;
    struct err e = {0};
    struct opts *o;

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        o = opts_new();
        opts_add(o, OPT_GROUP_GENERAL, parts, sizeof parts / sizeof *parts);
        CHECK_INT(opts_set_arg(o, t[i], &e), 0);
        golden_line("%s", t[i]);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            if (opt_given(o, parts[k].name))
                golden_line("  %s: %s", parts[k].name, opt_str(o, parts[k].name));
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

static void dashes(const char *arg)
{
    golden_line("%s: %s%zu", arg, opt_is_typeset(arg) ? "typeset, " : "", opt_dashes(arg));
}

TEST_MAIN(opt_old_test)
{
    values();
    unknown();
    golden_each("--oltp-table-size=5|--oltp_table_size=5|--oltp-tables-count=5|--oltp-num-tables=5|"
                "--oltp-test-mode=x",
                todays_name);
    renamed();
    both();
    listed();
    taken_over();
    left_to_the_script();
    taken_by_the_script();
    parts_of_values();
    golden_each(EN "debug|" EM "debug|" EN EN "debug|-" EN "debug|" EN "-debug|" EM EN
                   "-debug=1|--debug|-h|run|" EN "|" EN "5|run" EN "debug|--debug=" EN
                   "||\xe2\x88\x92"
                   "debug|\xe2\x80\x90\xe2\x80\x91"
                   "debug",
                dashes);
    CHECK(!opt_is_typeset("\xe2\x80") && opt_dashes("\xe2\x80") == 0);
    golden_done("opt_old_test");
    return test_done("opt_old_test");
}
