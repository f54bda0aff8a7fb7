/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The messages of a program without a library when a feature of the library is requested, and none
 * otherwise.  (tests/t/built_without.t runs a program that has none of them.)
 */
#include "session/built.h"

#include "base/test_golden.h"
#include "sql/sql.h"
#include "sql/sql_options.h"
#include "workload/fileio.h"

static const struct built all = {true, true, true, true, true, true};
static const struct built nothing;

/* The options that built.c reads. */
static struct opts *table_of_options(void)
{
    static const struct opt_row rows[] = {
        {.name = "metrics-listen", .type = OPT_STRING},
        {.name = "server-profile", .type = OPT_STRING, .def = "off"}};
    struct opts *o = opts_new();

    opts_add(o, OPT_GROUP_LOG, rows, 2);
    server_options_declare(o);
    sql_options_declare(o);
    return o;
}

static struct opts *declared(const char *line)
{
    struct opts *o = table_of_options();
    char copy[200];

    snprintf(copy, sizeof copy, "%s", line);
    opts_set_default(o, "db-driver", ""); /* no default, as in a program without drivers */
    for (char *rest = copy, *arg; (arg = strtok_r(rest, " ", &rest)) != NULL;)
        CHECK_INT(opts_set_arg(o, arg, NULL), 0);
    return o;
}

static int check(const struct built *b, const struct opts *o, bool is_script, bool run,
                 struct err *e)
{
    struct server_options server;

    server_options_read(&server, o);
    return built_check(b, o, &server, is_script, run, e);
}

/* What programs say that have all, nothing, and all but MySQL: of a script's run and prepare, and
 * of a built-in test.  Drivers of 0.4 and 0.5 are said to be gone in each. */
static void test_check(const char *line)
{
    static const struct {
        const char *of;
        bool script, run;
    } t[] = {{"run", true, true}, {"prepare", true, false}, {"cpu", false, true}};
    struct built no_mysql = all;
    const struct built *const program[] = {&all, &nothing, &no_mysql};
    struct opts *o = declared(line);

    no_mysql.mysql = false;
    for (size_t i = 0; i < 9; i++) {
        struct err e = {0};
        int rc = check(program[i / 3], o, t[i % 3].script, t[i % 3].run, &e);
        CHECK_INT(rc, *e.msg ? -1 : 0);
        if (rc)
            golden_line("%s, %s %s: %s", (const char *[]){"all", "nothing", "no MySQL"}[i / 3],
                        line, t[i % 3].of, e.msg);
    }
    opts_free(o);
}

static void test_fileio(void)
{
    struct opts *o = table_of_options();
    struct err e = {0};

    CHECK_INT(built_check_fileio(&nothing, o, &e), 0); /* another test */
    builtin_options(&builtin_fileio, o);
    CHECK_INT(built_check_fileio(&nothing, o, &e), 0);
    CHECK_INT(opt_set(o, "file-io-mode", "async", &e), 0);
    CHECK_INT(built_check_fileio(&all, o, &e), 0);
    CHECK_INT(built_check_fileio(&nothing, o, &e), -1);
    golden_line("%s", e.msg);
    opts_free(o);
}

/* This program has the drivers of the drivers' table. */
static void test_here(void)
{
    struct built b = built_here();
    bool mysql = false, pgsql = false;

    for (size_t i = 0; sql_class_at(i); i++) {
        mysql = mysql || strcmp(sql_class_at(i)->names.sname, "mysql") == 0;
        pgsql = pgsql || strcmp(sql_class_at(i)->names.sname, "pgsql") == 0;
    }
    CHECK_INT(b.mysql, mysql);
    CHECK_INT(b.pgsql, pgsql);
    CHECK_INT(b.libaio, fileio_has_async());
}

TEST_MAIN(built_test)
{
    test_here();
    golden_each("|--metrics-listen=9100|--db-driver=pgsql|--db-driver=mysql|--db-driver=nosuch|"
                "--db-driver=drizzle|--db-driver=oracle|--db-driver=pgsql --mysql-host=db1|"
                "--mysql-port=3307|--mysql-port=3307 --db-driver=pgsql|"
                "--server-events=cycles:u,context-switches|"
                "--server-events=skl::UOPS_RETIRED:ALL --server-via=db1|"
                "--server-profile=cpu|--server-profile=off",
                test_check);
    test_fileio();
    golden_done("built_test");
    return test_done("built_test");
}
