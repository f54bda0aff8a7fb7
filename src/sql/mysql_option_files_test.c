/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * MySQL's option files: what a text says, which texts are refused, what settings become, and which
 * of them give way to the command line.
 */
#include "sql/sql_options.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test.h"
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
    CHECK_INT(mysql_option_files(o, e), *e->msg ? -1 : 0);
    return o;
}

/* Of the texts' syntax: the user, whose name may be any text. */
static void test_texts(void)
{
    static const struct {
        const char *text, *suffix, *user;
    } t[] = {
        {"", NULL, "sbtest"},
        {"\n\n# user=c\n; user=c\n", NULL, "sbtest"},
        {"[client]\nuser=a", NULL, "a"},
        {"  [ client ] \n  user \t=  a b  \n", NULL, "a b"},
        {"[client]\nmysql_user=x_y\n", NULL, "x_y"},
        {"[client]\nuser=\n", NULL, ""},
        {"[client]\nuser=1\n[mysqld]\nuser=2\n = no sense\n", NULL, "1"},
        {"[sysbench]\nuser=3\n[client]\nuser=4\n", NULL, "4"},
        {"[client-server]\nuser=1\n[clients]\nuser=3\n[mysql]\nuser=4\n", NULL, "1"},
        {"[client-mariadb]\nuser=2\n[client_x]\nuser=3\n", NULL, "2"},
        {"[client]\nuser=1\n[client_x]\nuser=2\n[client_xx]\nuser=4\n", "_x", "2"},
        {"[sysbench_x]\nuser=3\n", "_x", "3"},
        {"[client_x]\nuser=2\n", "", "sbtest"},
        {"[client]\nuser=a#b\n", NULL, "a"},
        {"[client]\nuser='a#b' # c\n", NULL, "a#b"},
        {"[client]\nuser=\"#\"\n", NULL, "#"},
        {"[client]\nuser=a\\#b\n", NULL, "a\\#b"},
        {"[client]\nuser='a'\n", NULL, "a"},
        {"[client]\nuser=\"a'b\"\n", NULL, "a'b"},
        {"[client]\nuser='a\n", NULL, "'a"},
        {"[client]\nuser=a'\n", NULL, "a'"},
        {"[client]\nuser='\n", NULL, "'"},
        {"[client]\nuser=''\n", NULL, ""},
        {"[client]\nuser=a\\tb\\n\\s\\\\\\\"\\'\\q\\\n", NULL, "a\tb\n \\\"'\\q\\"},
        {"[client]\nuser=b=c\n", NULL, "b=c"},
        {"[client]\r\nuser=1\r\nbatch\r\n", NULL, "1"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = opts_new();
        struct err e = {0};
        write_file(t[i].text);
        sql_options_declare(o);
        opt_set(o, "defaults-file", path, NULL);
        if (t[i].suffix)
            opt_set(o, "defaults-group-suffix", t[i].suffix, NULL);
        CHECK_INT(mysql_option_files(o, &e), 0);
        CHECK_STR(e.msg, "");
        CHECK_STR(opt_str(o, "mysql-user"), t[i].user);
        opts_free(o);
    }
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
    check_option("[client]\nskip_ssl\n", NULL, "mysql-ssl", "disabled");
    check_option("[client]\nssl_ca=x_y\n", NULL, "mysql-ssl-ca", "x_y");
    static const char *const flags[][2] = {
        {"1", "required"},    {"0", "disabled"},     {"on", "required"},  {"off", "disabled"},
        {"true", "required"}, {"FALSE", "disabled"}, {"Yes", "required"}, {"no", "disabled"}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        char text[40];
        snprintf(text, sizeof text, "[client]\nssl = %s\n", flags[i][0]);
        check_option(text, NULL, "mysql-ssl", flags[i][1]);
    }
    check_option("[client]\nssl-verify-server-cert=YES\n", NULL, "mysql-ssl", "verify-identity");
    static const char *const off[][2] = {{"", "preferred"},
                                         {"ssl-ca=x\n", "required"},
                                         {"ssl-cert=x\n", "required"},
                                         {"ssl\n", "required"},
                                         {"ssl-verify-server-cert\n", "required"},
                                         {"ssl-mode=VERIFY_CA\n", "required"},
                                         {"ssl=0\n", "disabled"}};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        char text[100];
        snprintf(text, sizeof text, "[client]\n%sssl-verify-server-cert=0\n", off[i][0]);
        check_option(text, NULL, "mysql-ssl", off[i][1]);
        bool again = strstr(off[i][0], "erify") || strstr(off[i][0], "VERIFY");
        snprintf(text, sizeof text, "[client]\nssl-verify-server-cert=0\n%s", off[i][0]);
        if (!again) /* the last one counts */
            check_option(text, NULL, "mysql-ssl", off[i][1]);
    }
    /* As in MariaDB's clients: what needs TLS switches it on again, ssl=0 behind it off; a
     * certificate that is to be verified is.  A mode's name is MySQL's, and is the user's word. */
    static const char *const order[][2] = {{"ssl=0\nssl-ca=x\n", "verify-ca"},
                                           {"ssl=1\nskip-ssl\nssl-capath=x\n", "verify-ca"},
                                           {"ssl-ca=x\nssl=0\n", "disabled"},
                                           {"ssl=0\nssl-cipher=x\n", "required"},
                                           {"ssl=0\ntls-version=x\n", "disabled"},
                                           {"ssl=0\nskip-ssl=0\n", "preferred"},
                                           {"ssl\nssl-ca=x\n", "verify-ca"},
                                           {"ssl-verify-server-cert\nssl=0\n", "verify-identity"},
                                           {"ssl-mode=DISABLED\nssl-ca=x\n", "DISABLED"},
                                           {"ssl-mode=DISABLED\nssl\n", "required"},
                                           {"ssl-mode=VERIFY_CA\nssl\n", "VERIFY_CA"},
                                           {"ssl-mode=VERIFY_CA\nssl=0\n", "disabled"}};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        char text[100];
        snprintf(text, sizeof text, "[client]\n%s", order[i][0]);
        check_option(text, NULL, "mysql-ssl", order[i][1]);
    }
    check_option("[client]\nssl-verify-server-cert=0\nssl-mode=VERIFY_CA\n", NULL, "mysql-ssl",
                 "VERIFY_CA");
    check_option("[client]\nskip-ssl=0\n", NULL, "mysql-ssl", "preferred");
    check_option("[client]\nskip-ssl=0\nssl-ca=x\nssl-key=y\n", NULL, "mysql-ssl", "verify-ca");
    check_option("[client]\nssl-verify-server-cert=0\n", "--mysql-ssl-ca=x", "mysql-ssl", "off");
    check_option("[client]\nssl-mode=VERIFY_CA\n", NULL, "mysql-ssl", "VERIFY_CA");
    check_option("[client]\nloose-tls-fp=x\n", NULL, "mysql-ssl", "off");
    check_option("[client]\ncompress\n", NULL, "mysql-compression", "on");
    check_option("[client]\nbatch\nno-such-option=1\n", NULL, "mysql-user", "sbtest");
    check_option("[client]\nuser=a\n[sysbench]\nuser=b\n", NULL, "mysql-user", "b");
}

static void test_command_line_first(void)
{
    check_option("[client]\nuser=a\n", "--mysql-user=mine", "mysql-user", "mine");
    check_option("[client]\npassword=a\n", "--mysql-password=", "mysql-password", "");
    check_option("[client]\nssl\n", "--mysql-ssl=off", "mysql-ssl", "off");
    check_option("[client]\nskip-ssl\n", "--mysql-ssl-ca=x", "mysql-ssl", "off"); /* not given */
    check_option("[client]\nssl\n", "--mysql-ssl-ca=x", "mysql-ssl", "off");      /* implied */
}

/* A socket is of the local host. */
static void test_socket(void)
{
    check_option("[client]\nsocket=/s\n", NULL, "mysql-socket", "/s");
    check_option("[client]\nsocket=/s\n", "--mysql-host=localhost", "mysql-socket", "/s");
    check_option("[client]\nsocket=/s\n", "--mysql-host=db1", "mysql-socket", "");
    check_option("[client]\nsocket=/s\nhost=db1\n", NULL, "mysql-socket", "");
    check_option("[client]\nhost=db1\n", "--mysql-socket=/mine", "mysql-socket", "/mine");
    check_option("[client]\nsocket=/s\nhost=LOCALHOST,localhost\n", NULL, "mysql-socket", "/s");
    check_option("[client]\nsocket=/s\nhost=db1,localhost\n", NULL, "mysql-socket", "");
    check_option("[client]\nsocket=/s\nhost=localhost,db1\n", NULL, "mysql-socket", "");
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

/* A URI: below the command line, above the files. */
static void test_url(void)
{
    static const struct {
        const char *url, *wanted; /* user|password|host|port|database|TLS */
    } t[] = {
        {"mysql://me:s@db1:3307/shop", "me|s|db1|3307|shop|off"},
        {"mariadb://db1", "file||db1|9|sbtest|off"},
        {"mysql://me:@db1/", "me||db1|9|sbtest|off"},
        {"mysql://m%65:a%40b%2F@[::1]:1/x%20y", "me|a@b/|::1|1|x y|off"},
        {"mysql://me:p/s@x@db1?ssl_mode=Required", "me|p/s@x|db1|9|sbtest|Required"},
        {"mysql://fe80::1/d?ssl&ssl-ca=ca.pem&&", "file||fe80::1|9|d|verify-ca"},
        {"mysql://?user=u&host=a&mysql-db=x%26y&", "u||a|9|x&y|off"},
    };
    static const struct {
        const char *url, *why;
    } bad[] = {
        {"me:sesame@db1", "it begins neither with mysql:// nor with mariadb://"},
        {"mysqlx://db1", "it begins neither with mysql:// nor with mariadb://"},
        {"mysql://u:1%0@h", "a % is no encoded byte; write it as %25"},
        {"mysql://u:a b@h", "blanks and quotes are written as %20 and %22"},
        {"mysql://[::1]3306/d", "a port after ] begins with a colon"},
        {"mysql://u%00@h", "a % is no encoded byte; write it as %25"},
        {"mysql://h?user", "'user' needs a value"},
        {"mysql://h?threads=4",
         "'threads' is not a connection option (put other options into a --config-file)"},
        {"mysql://h?ssl-mode=no", "Invalid value for --mysql-ssl: 'no' (allowed: on, off, "
                                  "disabled, preferred, required, verify-ca, verify-identity)"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *arg = mem_printf("--mysql-url=%s", t[i].url);
        struct err e = {0};
        struct opts *o = apply("[client]\nuser=file\nport=9\nsocket=/s\n", arg, &e);
        char *got =
            mem_printf("%s|%s|%s|%s|%s|%s", opt_str(o, "mysql-user"), opt_str(o, "mysql-password"),
                       opt_str(o, "mysql-host"), opt_str(o, "mysql-port"), opt_str(o, "mysql-db"),
                       opt_str(o, "mysql-ssl"));
        CHECK_STR(e.msg, "");
        CHECK_STR(got, t[i].wanted);
        CHECK_STR(opt_str(o, "mysql-socket"), ""); /* of the local host */
        free(got);
        free(arg);
        opts_free(o);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *arg = mem_printf("--mysql-url=%s", bad[i].url);
        char *want = mem_printf("--mysql-url: %s", bad[i].why);
        struct err e = {0};
        struct opts *o = opts_new();
        sql_options_declare(o);
        opts_set_arg(o, arg, NULL);
        CHECK_INT(mysql_option_files(o, &e), -1);
        CHECK_STR(e.msg, want);
        free(want);
        free(arg);
        opts_free(o);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *text, *want;
    } t[] = {
        {"user=a\n", ":1: an option before the first [group]: user=a"},
        {"[client\n", ":1: a group without its ']': [client"},
        {"[sysbench_x]\nthreads=1\n[client]\n\n = 5\n", ":5: there is no name before: ="},
        {"!include\n", ":1: neither !include FILE nor !includedir DIRECTORY: !include"},
        {"!includes x\n", ":1: neither !include FILE nor !includedir DIRECTORY: !includes x"},
        {"!include /nowhere/x\n",
         ":1: cannot read the option file '/nowhere/x': No such file or directory"},
        {"!include\t /nowhere/x \n",
         ":1: cannot read the option file '/nowhere/x': No such file or directory"},
        {"!includedirs /nowhere\n",
         ":1: neither !include FILE nor !includedir DIRECTORY: !includedirs /nowhere"},
        {"!included /nowhere\n",
         ":1: neither !include FILE nor !includedir DIRECTORY: !included /nowhere"},
        {"!includedi /nowhere\n",
         ":1: neither !include FILE nor !includedir DIRECTORY: !includedi /nowhere"},
        {"[client]\nssl_crl=x\n",
         ":2: 'ssl-crl' is not supported, and a connection without it may be less safe than you "
         "want (loose-ssl-crl skips it)"},
        {"[client]\nssl-mode=never\n",
         ":2: Invalid value for --mysql-ssl: 'never' (allowed: on, off, disabled, preferred, "
         "required, verify-ca, verify-identity)"},
        {"!includedir /nowhere\n",
         ":1: cannot read the directory '/nowhere': No such file or directory"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        check_bad(t[i].text, t[i].want);
}

/* The home directory's file comes last, the extra one before it; an included file leaves the group
 * as it was; missing standard files are none. */
static void test_order(void)
{
    char home[] = "/tmp/sb-home-XXXXXX", *mine, *text;
    char *refused = mem_printf("option file '%s' is world-writable and was not read", path);
    struct err e = {0};
    struct opts *o;

    CHECK(mkdtemp(home) != NULL);
    setenv("HOME", home, 1);
    mine = mem_printf("%s/.my.cnf", home);
    for (int i = 0; i < 3; i++) { /* both; the extra one alone; an extra one anybody may write to */
        FILE *f = i == 0 ? fopen(mine, "w") : NULL;
        if (f) {
            fputs("[client]\nuser=home\n", f);
            fclose(f);
        } else {
            unlink(mine);
        }
        write_file("[client]\nuser=extra\npassword=x\n");
        chmod(path, i == 2 ? 0602 : 0600);
        o = opts_new();
        sql_options_declare(o);
        opt_set(o, "mysql-read-defaults", "on", NULL);
        opt_set(o, "defaults-extra-file", path, NULL);
        CHECK_INT(mysql_option_files(o, &e), i == 2 ? -1 : 0);
        CHECK_STR(opt_str(o, "mysql-password"), i == 2 ? "" : "x");
        if (i < 2)
            CHECK_STR(opt_str(o, "mysql-user"), i == 0 ? "home" : "extra");
        else
            CHECK_STR(e.msg, refused);
        opts_free(o);
    }
    chmod(path, 0600);
    CHECK_INT(rename(path, mine), 0); /* the included one */
    text = mem_printf("[sysbench]\n!include %s\nhost=after\n", mine);
    o = apply(text, NULL, &(struct err){0});
    CHECK_STR(opt_str(o, "mysql-user"), "extra");
    CHECK_STR(opt_str(o, "mysql-host"), "after");
    opts_free(o);
    free(text);
    unlink(mine);
    unlink(path);
    free(mine);
    free(refused);
    /* a file that is there and cannot be read is no missing one; without HOME there is none */
    mine = mem_printf("%s/.my.cnf", home);
    CHECK_INT(mkdir(mine, 0700), 0);
    for (int i = 0; i < 3; i++) {
        o = opts_new();
        sql_options_declare(o);
        opt_set(o, "mysql-read-defaults", "on", NULL);
        if (i > 0)
            setenv("HOME", "", 1);
        if (i > 1)
            unsetenv("HOME");
        e = (struct err){0};
        CHECK_INT(mysql_option_files(o, &e), i == 0 ? -1 : 0);
        text = mem_printf("cannot read the option file '%s': Is a directory", mine);
        CHECK_STR(e.msg, i == 0 ? text : "");
        free(text);
        opts_free(o);
    }
    rmdir(mine);
    free(mine);
    rmdir(home);
}

/* Of a directory the files that end in .cnf, by name; an error names all files that led to it. */
static void test_included(void)
{
    static const char *const names[][2] = {{"b.cnf", "[client]\nuser=b\nhost=b\n"},
                                           {"a.cnf", "[client]\nuser=a\npassword=a\n"},
                                           {"c.txt", "no group\n"},
                                           {".cnf", "no group\n"},
                                           {"c", "no group\n"}};
    char directory[] = "/tmp/sb-included-XXXXXX", *text, *file[5];
    struct err e = {0};

    CHECK(mkdtemp(directory) != NULL);
    text = mem_printf("[client]\n!includedir \t%s \nport=7\n", directory);
    for (int i = 0; i < 5; i++) {
        file[i] = mem_printf("%s/%s", directory, names[i][0]);
        FILE *f = fopen(file[i], "w");
        CHECK(f && fputs(names[i][1], f) >= 0 && fclose(f) == 0);
    }
    struct opts *o = apply(text, NULL, &e);
    CHECK_STR(e.msg, "");
    CHECK_STR(opt_str(o, "mysql-user"), "b");
    CHECK_STR(opt_str(o, "mysql-host"), "b");
    CHECK_STR(opt_str(o, "mysql-password"), "a");
    CHECK_STR(opt_str(o, "mysql-port"), "7");
    opts_free(o);
    FILE *f = fopen(file[1], "w"); /* the file before the good one */
    CHECK(f && fputs("[client]\n\nport\n", f) >= 0 && fclose(f) == 0);
    o = apply(text, NULL, &e);
    free(text);
    text = mem_printf("%s:2: %s:3: 'port' needs a value", path, file[1]);
    CHECK_STR(e.msg, text);
    CHECK_STR(opt_str(o, "mysql-host"), "localhost");
    opts_free(o);
    free(text);
    for (int i = 0; i < 5; i++) {
        unlink(file[i]);
        free(file[i]);
    }
    rmdir(directory);

    text = mem_printf("[client]\nuser=a\n!include %s\n", path); /* itself */
    o = apply(text, NULL, &e);
    free(text);
    text = mem_printf("%s:3: ", path);
    size_t n = strlen(text);
    for (int i = 0; i < 10; i++)
        CHECK(strncmp(e.msg + (size_t)i * n, text, n) == 0);
    free(text);
    text = mem_printf("'%s': more than 10 nested option files", path);
    CHECK_STR(e.msg + 10 * n, text);
    opts_free(o);
    free(text);
}

static void check_combination(const char *const *arg, const char *message)
{
    struct opts *o = opts_new();
    struct err e = {0};

    sql_options_declare(o);
    for (; *arg; arg++)
        CHECK_INT(opts_set_arg(o, *arg, &e), 0);
    CHECK_INT(mysql_option_files(o, &e), *message ? -1 : 0);
    CHECK_STR(e.msg, message);
    opts_free(o);
}

#define COMBINATION(message, ...)                                                                  \
    check_combination((const char *const[]){__VA_ARGS__, NULL}, message)

static void test_combinations(void)
{
    COMBINATION("", NULL); /* no file is read */
    COMBINATION("--defaults-file and --defaults-file=extra cannot be combined", "--defaults-file=a",
                "--defaults-file=extra=b");
    COMBINATION("--defaults-file and --defaults-file=standard cannot be combined",
                "--defaults-file=a", "--defaults-file=standard");
    COMBINATION("--defaults-file=suffix needs --defaults-file, --defaults-file=extra or "
                "--defaults-file=standard",
                "--defaults-file=suffix=x");
}

TEST_MAIN(mysql_option_files_test)
{
    int fd = mkstemp(path);

    CHECK(fd >= 0);
    close(fd);
    test_texts();
    test_names();
    test_command_line_first();
    test_socket();
    test_bad();
    test_refused();
    test_url();
    test_order();
    test_included();
    test_combinations();
    unlink(path);
    return test_done("mysql_option_files");
}
