/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The messages of a program without a library when a feature of the library is requested, and none
 * otherwise.  (tests/t/built_without.t runs a program that has none of them.)
 */
#include "session/built.h"

#include "base/test.h"
#include "sql/sql.h"
#include "sql/sql_options.h"
#include "workload/fileio.h"

#define BUILT "which this program was built without: install"
#define AGAIN "(Debian's name) and build it again"
#define HTTP  "--metrics-listen needs libmicrohttpd, " BUILT " libmicrohttpd-dev " AGAIN
#define PROFILE                                                                                    \
    "--server-profile needs elfutils, " BUILT " libdw-dev and libelf-dev "                         \
    "(Debian's names) and build it again"
#define PGSQL "--db-driver=pgsql needs libpq, " BUILT " libpq-dev " AGAIN

static const struct built all = {true, true, true, true, true, true};
static const struct built nothing;

struct request {
    const char *arg[3];
    bool is_script, run;
    const char *message; /* of the program that has nothing; NULL: none */
};

static const struct request table[] = {
    {{NULL}, true, true, NULL},
    {{"--metrics-listen=9100"}, true, true, HTTP},
    {{"--metrics-listen=9100"}, false, true, HTTP},
    {{"--metrics-listen=9100"}, true, false, NULL}, /* prepare serves nothing */
    {{"--db-driver=pgsql"}, true, true, PGSQL},
    {{"--db-driver=pgsql"}, true, false, PGSQL},
    {{"--db-driver=pgsql"}, false, true, NULL}, /* cpu needs no driver */
    {{"--db-driver=mysql"},
     true,
     true,
     "--db-driver=mysql needs libmariadb, " BUILT " libmariadb-dev " AGAIN},
    {{"--db-driver=nosuch"}, true, true, NULL}, /* no program has that one */
    {{"--db-driver=drizzle"},
     true,
     true,
     "--db-driver=mysql needs libmariadb, " BUILT " libmariadb-dev " AGAIN},
    {{"--db-driver=pgsql", "--mysql-host=db1"}, true, true, PGSQL},
    {{"--server-events=cycles:u,context-switches"}, true, true, NULL},
    {{"--server-events=skl::UOPS_RETIRED:ALL", "--server-via=ssh db1"}, true, true, NULL},
    {{"--server-profile=cpu"}, true, true, PROFILE},
    {{"--server-profile=off"}, true, true, NULL},
    {{"--server-profile=cpu"}, true, false, NULL}, /* prepare has no profile */
};

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

static struct opts *declared(const struct request *a)
{
    struct opts *o = table_of_options();
    struct err e = {0};

    opts_set_default(o, "db-driver", ""); /* no default, as in a program without drivers */
    for (size_t i = 0; i < 3 && a->arg[i]; i++)
        CHECK(opts_set_arg(o, a->arg[i], &e) == 0);
    return o;
}

static int check(const struct built *b, const struct opts *o, bool is_script, bool run,
                 struct err *e)
{
    struct server_options server;

    server_options_read(&server, o);
    return built_check(b, o, &server, is_script, run, e);
}

static void test_check(void)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct request *a = &table[i];
        struct opts *o = declared(a);
        struct err e = {0};

        CHECK_INT(check(&all, o, a->is_script, a->run, &e), 0);
        CHECK_INT(check(&nothing, o, a->is_script, a->run, &e), a->message ? -1 : 0);
        CHECK_STR(e.msg, a->message ? a->message : "");
        opts_free(o);
    }
}

/* Drivers of 0.4 and 0.5, in each program. */
static void test_gone(void)
{
    static const struct request oracle = {{"--db-driver=oracle"}, true, true, NULL};
    struct opts *o = declared(&oracle);
    struct err e = {0};

    CHECK_INT(check(&all, o, true, true, &e), -1);
    CHECK_STR(e.msg, "--db-driver=oracle is not supported any more: there are drivers for MySQL "
                     "and PostgreSQL (mysql, pgsql)");
    CHECK_INT(check(&all, o, false, true, &e), 0); /* cpu needs none */
    opts_free(o);
}

/* Options of a missing driver, without --db-driver. */
static void test_mysql_options(void)
{
    static const struct request a = {{"--mysql-port=3307"}, true, true, NULL};
    static const struct request both = {
        {"--mysql-port=3307", "--db-driver=pgsql"}, true, true, NULL};
    struct built pgsql_only = all;
    struct opts *o = declared(&a);
    struct err e = {0};

    pgsql_only.mysql = false;
    CHECK_INT(check(&pgsql_only, o, true, true, &e), -1);
    CHECK_STR(e.msg, "--mysql-port needs libmariadb, " BUILT " libmariadb-dev " AGAIN);
    CHECK_INT(check(&pgsql_only, o, false, true, NULL), 0);
    opts_free(o);
    o = declared(&both);
    CHECK_INT(check(&pgsql_only, o, true, true, NULL), 0);
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
    CHECK_STR(e.msg, "--file-io-mode=async needs libaio, " BUILT " libaio-dev " AGAIN);
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
    test_check();
    test_gone();
    test_mysql_options();
    test_fileio();
    return test_done("built_test");
}
