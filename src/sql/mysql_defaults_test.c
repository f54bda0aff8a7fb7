/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What settings of MySQL's option files become, and which of them give way to the command line.
 * (How the files are found and read: mysql_files_test.c.)
 */
#include "sql/mysql_defaults.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test.h"
#include "sql/sql_options.h"

static char path[] = "/tmp/sb-defaults-XXXXXX";

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");

    CHECK(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
}

/* The options after a file with that text; `arg`: NULL or one argument of the command line. */
static struct opts *apply(const char *text, const char *arg, struct err *e)
{
    struct opts *o = opts_new();

    write_file(text);
    sql_options_declare(o);
    CHECK_INT(opt_set(o, "defaults-file", path, e), 0);
    if (arg)
        CHECK_INT(opts_set_arg(o, arg, e), 0);
    CHECK_INT(mysql_defaults_apply(o, e), *e->msg ? -1 : 0);
    return o;
}

static void check_option(const char *text, const char *arg, const char *option, const char *value)
{
    struct err e = {0};
    struct opts *o = apply(text, arg, &e);

    CHECK_STR(e.msg, "");
    CHECK_STR(opt_str(o, option), value);
    opts_free(o);
}

static void test_names(void)
{
    check_option("[client]\nhost=db1\n", NULL, "mysql-host", "db1");
    check_option("[client]\nport=3307\n", NULL, "mysql-port", "3307");
    check_option("[client]\nuser=me\n", NULL, "mysql-user", "me");
    check_option("[client]\npassword=sesame\n", NULL, "mysql-password", "sesame");
    check_option("[client]\nloose-password=sesame\n", NULL, "mysql-password", "sesame");
    check_option("[sysbench]\nmysql-db=x\n", NULL, "mysql-db", "x");
    check_option("[client]\nssl\n", NULL, "mysql-ssl", "required");
    check_option("[client]\nssl=0\n", NULL, "mysql-ssl", "disabled");
    check_option("[client]\nskip-ssl\n", NULL, "mysql-ssl", "disabled");
    check_option("[client]\nssl-verify-server-cert=YES\n", NULL, "mysql-ssl", "verify-identity");
    check_option("[client]\nssl-mode=VERIFY_CA\n", NULL, "mysql-ssl", "VERIFY_CA");
    check_option("[client]\ncompress\n", NULL, "mysql-compression", "on");
    check_option("[client]\nbatch\nno-such-option=1\n", NULL, "mysql-user", "sbtest");
    check_option("[client]\nuser=a\n[sysbench]\nuser=b\n", NULL, "mysql-user", "b");
}

static void test_command_line_first(void)
{
    check_option("[client]\nuser=a\n", "--mysql-user=mine", "mysql-user", "mine");
    check_option("[client]\npassword=a\n", "--mysql-password=", "mysql-password", "");
    check_option("[client]\nssl\n", "--mysql-ssl=off", "mysql-ssl", "off");
}

/* A socket is of the local host. */
static void test_socket(void)
{
    check_option("[client]\nsocket=/s\n", NULL, "mysql-socket", "/s");
    check_option("[client]\nsocket=/s\n", "--mysql-host=localhost", "mysql-socket", "/s");
    check_option("[client]\nsocket=/s\n", "--mysql-host=db1", "mysql-socket", "");
    check_option("[client]\nsocket=/s\nhost=db1\n", NULL, "mysql-socket", "");
    check_option("[client]\nhost=db1\n", "--mysql-socket=/mine", "mysql-socket", "/mine");
}

static void check_bad(const char *text, const char *why)
{
    struct err e = {0};
    struct opts *o = apply(text, NULL, &e);
    char *want = mem_printf("%s%s", path, why);

    CHECK_STR(e.msg, want);
    opts_free(o);
    free(want);
}

static void test_bad(void)
{
    check_bad("[client]\npassword\n", ":2: 'password' needs a value");
    check_bad("[client]\n\nssl=maybe\n", ":3: 'ssl' is on or off, not 'maybe'");
    check_bad("[sysbench]\nthreads=4\n", ":2: 'threads' is not a connection option "
                                         "(put other options into a --config-file)");
    check_option("[sysbench]\nloose-threads=4\n", NULL, "mysql-user", "sbtest");
}

static void check_combination(const char *const *arg, const char *message)
{
    struct opts *o = opts_new();
    struct err e = {0};

    sql_options_declare(o);
    for (; *arg; arg++)
        CHECK_INT(opts_set_arg(o, *arg, &e), 0);
    CHECK_INT(mysql_defaults_apply(o, &e), *message ? -1 : 0);
    CHECK_STR(e.msg, message);
    opts_free(o);
}

#define COMBINATION(message, ...)                                                                  \
    check_combination((const char *const[]){__VA_ARGS__, NULL}, message)

static void test_combinations(void)
{
    COMBINATION("", NULL); /* no file is read */
    COMBINATION("--defaults-file and --defaults-extra-file cannot be combined", "--defaults-file=a",
                "--defaults-extra-file=b");
    COMBINATION("--defaults-file and --mysql-read-defaults cannot be combined", "--defaults-file=a",
                "--mysql-read-defaults");
    COMBINATION("--defaults-group-suffix needs --defaults-file, --defaults-extra-file or "
                "--mysql-read-defaults",
                "--defaults-group-suffix=x");
}

TEST_MAIN(mysql_defaults_test)
{
    int fd = mkstemp(path);

    CHECK(fd >= 0);
    close(fd);
    test_names();
    test_command_line_first();
    test_socket();
    test_bad();
    test_combinations();
    unlink(path);
    return test_done("mysql_defaults_test");
}
