/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --compat: the facts of each name, and its effect on defaults and on --help.
 */
#include "opt/generation.h"

#include <stdlib.h>

#include "base/test.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

static const struct opt_row rows[] = {
    {.name = "rand-type", .type = OPT_STRING, .def = "nobody's", .help = "distribution"},
    {.name = "max-requests", .type = OPT_INT, .def = "0", .help = "old name"},
    {.name = "max-time", .type = OPT_INT, .def = "0", .help = "old name"},
    {.name = "num-threads", .type = OPT_INT, .def = "1", .help = "old name"},
    {.name = "events", .type = OPT_INT, .def = "0", .help = "limit"},
    {.name = "time", .type = OPT_INT, .def = "10", .help = "limit"},
    {.name = "verbosity", .type = OPT_INT, .def = "3", .help = "level"},
};

/* The table after a command line with these two arguments (NULL: none). */
static struct opts *after(const char *first, const char *second)
{
    struct opts *o = opts_new();
    struct err e = {0};

    generation_options(o);
    generation_environment(o);
    opts_add(o, OPT_GROUP_GENERAL, rows, sizeof rows / sizeof *rows);
    CHECK_INT(first ? opts_set_arg(o, first, &e) : 0, 0);
    CHECK_INT(second ? opts_set_arg(o, second, &e) : 0, 0);
    generation_apply(o);
    return o;
}

/* What each does beside that is asked in tests/t/legacy_generations_mysql.t. */
static void facts(void)
{
    static const struct {
        const char *arg;
        enum generation id;
        enum report_form form;
        const char *version, *rand_type, *init_failed;
        int verbosity;
        enum tx_rate_meaning tx_rate;
        bool aliases_listed;
    } t[] = {
#define OF_1_0 GENERATION_1_0, FORM_1_0, "1.0.20", "special", INIT, 3, TX_RATE_OURS, true
#define OF_0_4 FORM_0_4, "0.4.12", "special", INIT, 4, TX_RATE_ALIGNED, true
#define INIT   "Thread initialization failed!"
        {NULL, OF_1_0},
        {"--compat=1.0", OF_1_0},
        {"--compat=", OF_1_0},
        {"--compat=1.1", GENERATION_1_1, FORM_1_1, "1.1.0", "uniform",
         "Threads initialization failed!", 3, TX_RATE_OURS, false},
        {"--compat=0.4", GENERATION_0_4, OF_0_4},
        {"--compat=0.4-tx", GENERATION_0_4_TX, OF_0_4},
        {"--compat=0.4-Drizzle", GENERATION_0_4_DRIZZLE, OF_0_4},
        {"--compat=0.5", GENERATION_0_5, FORM_0_5, "0.5", "special", INIT, 3, TX_RATE_QUEUE, true},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = after(t[i].arg, NULL);
        const struct generation_facts *f = generation_of(o);
        struct str help = STR_INIT;
        CHECK_INT(f->id, t[i].id);
        CHECK(f == generation_facts(t[i].id));
        CHECK_INT(f->form, t[i].form);
        CHECK_STR(f->version, t[i].version);
        CHECK_STR(f->init_failed, t[i].init_failed);
        CHECK_INT(f->tx_rate, t[i].tx_rate);
        CHECK_STR(opt_str(o, "rand-type"), t[i].rand_type);
        CHECK(!opt_given(o, "rand-type"));
        CHECK_INT(opt_int(o, "verbosity"), t[i].verbosity);
        opts_help(o, OPT_GROUP_GENERAL, false, NULL, &help);
        CHECK_INT(strstr(str_cstr(&help), "--max-requests") != NULL, t[i].aliases_listed);
        CHECK_INT(strstr(str_cstr(&help), "--num-threads") != NULL, t[i].aliases_listed);
        str_free(&help);
        opts_free(o);
    }
}

/* SYSBENCH_COMPAT is the default of --compat: the command line wins, and a wrong name counts only
 * when it is used. */
static void environment(void)
{
    static const struct {
        const char *env, *arg;
        enum generation id;
        const char *complaint;
    } t[] = {
        {"", NULL, GENERATION_1_0, ""},
        {"0.5", NULL, GENERATION_0_5, ""},
        {"0.4-TX", NULL, GENERATION_0_4_TX, ""},
        {"0.5", "--compat=1.1", GENERATION_1_1, ""},
        {"0.6", "--compat=0.4", GENERATION_0_4, ""},
        {"L0", "--compat=0.4", GENERATION_0_4, ""},
        {"l0+tc", NULL, GENERATION_1_0,
         "Invalid value for SYSBENCH_COMPAT: 'l0+tc' (it is 0.4-tx now)"},
        {"0.5", "--compat=M0", GENERATION_1_0,
         "Invalid value for --compat: 'M0' (its reports are gone, those of 0.5 are nearest)"},
        {"0.6", NULL, GENERATION_1_0, "Invalid value for SYSBENCH_COMPAT: '0.6' (allowed: 1.0, "},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o;
        struct err e = {0};
        setenv("SYSBENCH_COMPAT", t[i].env, 1);
        o = after(t[i].arg, NULL);
        CHECK_INT(generation_of(o)->id, t[i].id);
        CHECK_INT(generation_check(o, &e), *t[i].complaint ? -1 : 0);
        CHECK(strncmp(e.msg, t[i].complaint, strlen(t[i].complaint)) == 0);
        opts_free(o);
    }
    unsetenv("SYSBENCH_COMPAT");
}

/* What the user gave stays in every generation; aliases are accepted though --help does not list
 * them. */
static void given(void)
{
    struct opts *o = after("--rand-type=pareto", "--compat=1.1");

    CHECK_STR(opt_str(o, "rand-type"), "pareto");
    CHECK_INT(opts_set_arg(o, "--max-requests=7", NULL), 0);
    CHECK_INT(opt_int(o, "max-requests"), 7);
    opts_free(o);
}

static void refused(void)
{
    static const char *const bad[] = {"--compat=1.2", "--compat=1", "--compat=1.0 ", "--compat=on",
                                      "--compat=1.1.0"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct opts *o = after(bad[i], NULL);
        struct err e = {0};
        CHECK_INT(opts_check(o, &e), -1);
        CHECK(strncmp(e.msg, "Invalid value for --compat: '", 29) == 0);
        CHECK(strstr(e.msg, "' (allowed: 1.0, 1.1, 0.5, 0.4, 0.4-tx, 0.4-drizzle)") != NULL);
        CHECK_INT(generation_of(o)->id, GENERATION_1_0); /* --help and --version still work */
        opts_free(o);
    }
}

/* Stock's, to the character. */
static void identity(void)
{
    struct str s = STR_INIT;

    CHECK_STR(generation_banner(generation_facts(GENERATION_1_0), "using x", &s),
              "sysbench 1.0.20 (using x)");
    str_reset(&s);
    CHECK_STR(generation_banner(generation_facts(GENERATION_1_1), NULL, &s), "sysbench 1.1.0");
    str_reset(&s);
    CHECK_STR(generation_banner(generation_facts(GENERATION_0_4_TX), "using x", &s),
              "sysbench 0.4.12:  multi-threaded system evaluation benchmark");
    str_reset(&s);
    CHECK_STR(generation_banner(generation_facts(GENERATION_0_5), NULL, &s), "sysbench 0.5");
    str_free(&s);
}

TEST_MAIN(generation_test)
{
    unsetenv("SYSBENCH_COMPAT");
    facts();
    environment();
    identity();
    given();
    refused();
    return test_done("generation_test");
}
