/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of options: those that a workload declares later, unknown and misspelt ones, those in
 * files, and the help that lists them.
 */
#include "opt/opt_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/test_golden.h"

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

/* What is refused in any case, with suggestions for an unknown name. */
static void refused(const char *arg)
{
    struct opts *o = fresh();
    struct err e = {0};

    CHECK_INT(opts_set_arg(o, arg, &e), 0);
    CHECK_INT(opts_finish(o, false, &e), -1);
    golden_line("%s", e.msg);
    opts_free(o);
}

/* Not even a script that accepts every option gets these. */
static void odd(const char *arg)
{
    struct opts *o = fresh();
    struct err e = {0};

    CHECK_INT(opts_set_arg(o, arg, &e), 0);
    CHECK_INT(opts_finish(o, true, &e), -1);
    golden_line("%s", e.msg);
    opts_free(o);
}

/* The explanation that a reader which checks the choices itself appends to its complaint. */
static void explained(const char *arg)
{
    struct opts *o = fresh();
    struct err e = {.msg = "no"};
    char name[32];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
    CHECK_INT(opts_set_arg(o, arg, &e), 0);
    CHECK_INT(opt_explain(o, name, &e), -1);
    CHECK_INT(opt_is_choice(o, name), strstr(e.msg, "(allowed") == NULL);
    golden_line("%s %s", arg, e.msg);
    opts_free(o);
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
    golden(&s, "help");
    str_free(&s);
    opts_free(o);
}

TEST_MAIN(opt_names_test)
{
    late_rows();
    changed_rows();
    golden_each("--|--=5|--flag-opt=yes", odd);
    golden_each("--thread=4|--thraeds|--Flag_Opt|--no-flag-opt|--no-name|--hiden=1|--ra=1",
                refused);
    golden_each("--late=disabel|--late=|--late=auto|--open=x|--open=atuo|--open=auto|--name=x",
                explained);
    config_file();
    help();
    golden_done("opt_names_test");
    return test_done("opt_names_test");
}
