/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of options: those that a workload declares later, unknown and misspelt ones, those in
 * files, and the help that lists them.
 */
#include "opt/opt_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/test.h"

/* Options that a workload declares later, and unknown ones. */
static void late_rows(void)
{
    static const struct opt_row own[] = {
        {.name = "table_size", .type = OPT_INT, .def = "10000", .help = "rows"},
        {.name = "threads",
         .type = OPT_STRING,
         .def = "7",
         .help = "a script's default for a general option"},
    };
    struct opts *o = fresh();
    struct opt_view v;
    struct err e = {0};

    CHECK_INT(opts_set_arg(o, "--table-size=5", &e), 0);
    CHECK_INT(opts_set_arg(o, "--nosuch=1", &e), 0);
    opts_add(o, OPT_GROUP_TEST, own, 2);
    CHECK_INT(opts_finish(o, false, &e), -1);
    CHECK_STR(e.msg,
              "invalid option: --nosuch=1; see 'sysbench --help' and 'sysbench TEST --help'");
    CHECK_INT(opt_int(o, "table-size"), 5);
    CHECK_INT(opts_finish(o, true, &e), 0);
    CHECK_STR(opt_str(o, "nosuch"), "1");
    CHECK_INT(opts_set_arg(o, "--bare-one", &e), 0);
    CHECK_INT(opts_finish(o, true, &e), 0);
    CHECK_STR(opt_str(o, "bare_one"), "");
    CHECK_INT(opt_int(o, "threads"), 1); /* the engine's */
    CHECK(opts_at(o, 0, &v));
    CHECK_STR(v.value, "7"); /* the script's */
    CHECK_INT(v.type, OPT_STRING);
    opts_set_arg(o, "--threads=3", &e);
    opts_at(o, 0, &v);
    CHECK_STR(v.value, "3");
    opts_free(o);
}

/* A changed default counts until the user gives a value; an unlisted option is accepted as
 * before. */
static void changed_rows(void)
{
    struct opts *o = fresh();
    struct str help = STR_INIT;
    struct err e = {0};

    opts_set_default(o, "shape", "poisson");
    CHECK_STR(opt_str(o, "shape"), "poisson");
    CHECK(!opt_given(o, "shape"));
    opts_set_arg(o, "--shape=even", &e);
    opts_set_default(o, "shape", "nonsense");
    CHECK_STR(opt_str(o, "shape"), "even");
    CHECK_INT(opts_check(o, &e), 0);
    opts_unlist(o, "flag_opt");
    opts_set_arg(o, "--flag-opt", &e);
    CHECK(opt_bool(o, "flag-opt"));
    opts_help(o, OPT_GROUP_GENERAL, false, NULL, &help);
    CHECK(strstr(str_cstr(&help), "--flag-opt") == NULL);
    CHECK(strstr(str_cstr(&help), "a choice {even, poisson} [nonsense]\n") != NULL);
    str_free(&help);
    opts_free(o);
}

/* Not even a script that accepts every option gets these. */
static void odd_arguments(void)
{
    static const struct {
        const char *arg, *hint;
    } odd[] = {{"--", "; see 'sysbench --help' and 'sysbench TEST --help'"},
               {"--=5", "; see 'sysbench --help' and 'sysbench TEST --help'"},
               {"--flag-opt=yes", " (allowed: on, off)"}};

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct opts *o = fresh();
        struct err e = {0};
        char want[96];
        CHECK_INT(opts_set_arg(o, odd[i].arg, &e), 0);
        snprintf(want, sizeof want, "invalid option: %s%s", odd[i].arg, odd[i].hint);
        CHECK_INT(opts_finish(o, true, &e), -1);
        CHECK_STR(e.msg, want);
        opts_free(o);
    }
}

/* Suggestions for an unknown name. */
static void near_names(void)
{
    static const struct {
        const char *arg, *want;
    } t[] = {
        {"--thread=4", "invalid option: --thread=4; did you mean --threads?"},
        {"--thraeds", "invalid option: --thraeds; did you mean --threads?"},
        {"--Flag_Opt", "invalid option: --Flag_Opt; did you mean --flag-opt?"},
        {"--no-flag-opt", "invalid option: --no-flag-opt; did you mean --flag-opt=off?"},
        {"--no-name", "invalid option: --no-name; did you mean --name?"},
        {"--hiden=1",
         "invalid option: --hiden=1; see 'sysbench --help' and 'sysbench TEST --help'"},
        {"--ra=1", "invalid option: --ra=1; did you mean --ratio or --rate?"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = fresh();
        struct err e = {0};
        CHECK_INT(opts_set_arg(o, t[i].arg, &e), 0);
        CHECK_INT(opts_finish(o, false, &e), -1);
        CHECK_STR(e.msg, t[i].want);
        opts_free(o);
    }
}

/* The explanation that a reader which checks the choices itself appends to its complaint. */
static void explained(void)
{
    static const struct {
        const char *arg, *name, *want;
    } t[] = {
        {"--late=disabel", "late", "no (allowed: auto, disable); did you mean disable?"},
        {"--late=", "late", "no (allowed: auto, disable)"},
        {"--late=auto", "late", "no"},
        {"--open=x", "open", "no"},
        {"--open=atuo", "open", "no; did you mean auto?"},
        {"--open=auto", "open", "no"},
        {"--name=x", "name", "no"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = fresh();
        struct err e = {.msg = "no"};
        CHECK_INT(opts_set_arg(o, t[i].arg, &e), 0);
        CHECK_INT(opt_is_choice(o, t[i].name), strstr(t[i].want, "(allowed") == NULL);
        CHECK_INT(opt_explain(o, t[i].name, &e), -1);
        CHECK_STR(e.msg, t[i].want);
        opts_free(o);
    }
}

static void config_file(void)
{
    static const char text[] =
        "# comment\n[section]\nnoise\nthreads = 12\n  ratio=2 # why\nflag-opt = off\n"
        "name='a b\\\n\\\\\n # c'\nitems=x , y,\"z w\"\ntable_size=3\n";
    char path[] = "/tmp/opt_testXXXXXX", arg[64];
    int fd = mkstemp(path);
    struct opts *o = fresh();
    struct err e = {0};
    size_t n;
    char **v;

    CHECK(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    close(fd);
    snprintf(arg, sizeof arg, "--config-file=%s", path);
    opts_set_arg(o, "--threads=1", &e);
    CHECK_INT(opts_set_arg(o, arg, &e), 0);
    CHECK_INT(opt_int(o, "threads"), 12);
    CHECK_NEAR(opt_double(o, "ratio"), 2, 0);
    CHECK(!opt_bool(o, "flag-opt"));
    CHECK_STR(opt_str(o, "name"), "a b\n\\\n # c");
    v = opt_list(o, "items", &n);
    CHECK_INT(n, 3);
    CHECK_STR(n == 3 ? v[2] : "", "z w");
    CHECK_INT(opts_finish(o, false, &e), -1);
    CHECK(strstr(e.msg, "invalid option: --table_size=3 (/tmp/opt_test") != NULL);
    CHECK(strstr(e.msg, ":11); see ") != NULL);
    CHECK_INT(opts_set_arg(o, "--config-file=/nonexistent/x", &e), -1);
    CHECK_STR(e.msg, "/nonexistent/x: No such file or directory");
    unlink(path);
    opts_free(o);
}

static void help(void)
{
    struct opts *o = fresh();
    struct str s = STR_INIT;

    opts_help(o, OPT_GROUP_GENERAL, false, NULL, &s);
    CHECK(strstr(str_cstr(&s), "  --threads=N            number of threads [1]\n") != NULL);
    CHECK(strstr(str_cstr(&s), "  --flag-opt[=on|off]    a flag [off]\n") != NULL);
    CHECK(strstr(str_cstr(&s), "  --name=STRING          a text\n") != NULL);
    CHECK(strstr(str_cstr(&s), "  --shape=STRING         a choice {even, poisson} [even]\n") !=
          NULL);
    CHECK(
        strstr(str_cstr(&s),
               "  --parts=[LIST,...]     a list of {sync, dsync, direct} and no others [sync]\n") !=
        NULL);
    CHECK(strstr(str_cstr(&s), "  --open=STRING          a choice among others [off]\n") != NULL);
    CHECK(strstr(str_cstr(&s), "hidden") == NULL);
    CHECK(strstr(str_cstr(&s), "  --config-file=FILENAME a file\n") != NULL);
    str_free(&s);
    opts_free(o);
}

TEST_MAIN(opt_names_test)
{
    late_rows();
    changed_rows();
    odd_arguments();
    near_names();
    explained();
    config_file();
    help();
    return test_done("opt_names_test");
}
