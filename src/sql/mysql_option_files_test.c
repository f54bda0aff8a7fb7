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

/* Of one or more settings in [client], what an option comes to; `arg` of the command line. */
static void test_settings(void)
{
    static const struct {
        const char *text, *option, *value, *arg;
    } t[] = {
        {"host=db1\n", "mysql-host", "db1", NULL},
        {"port=3307\n", "mysql-port", "3307", NULL},
        {"loose-password=sesame\n", "mysql-password", "sesame", NULL},
        {"[sysbench]\nmysql-db=x\n", "mysql-db", "x", NULL},
        {"[sysbench]\nloose-threads=4\n", "mysql-user", "sbtest", NULL},
        {"user=a\n[sysbench]\nuser=b\n", "mysql-user", "b", NULL},
        {"batch\nno-such-option=1\n", "mysql-user", "sbtest", NULL},
        {"compress\n", "mysql-compression", "on", NULL},
        {"ssl_ca=x_y\n", "mysql-ssl-ca", "x_y", NULL},
        /* flags */
        {"ssl = 1\n", "mysql-ssl", "required", NULL},
        {"ssl = 0\n", "mysql-ssl", "disabled", NULL},
        {"ssl = on\n", "mysql-ssl", "required", NULL},
        {"ssl = off\n", "mysql-ssl", "disabled", NULL},
        {"ssl = true\n", "mysql-ssl", "required", NULL},
        {"ssl = FALSE\n", "mysql-ssl", "disabled", NULL},
        {"ssl = Yes\n", "mysql-ssl", "required", NULL},
        {"ssl = no\n", "mysql-ssl", "disabled", NULL},
        {"skip_ssl\n", "mysql-ssl", "disabled", NULL},
        {"skip-ssl=0\n", "mysql-ssl", "preferred", NULL},
        {"skip-ssl=0\nssl-ca=x\nssl-key=y\n", "mysql-ssl", "verify-ca", NULL},
        {"loose-tls-fp=x\n", "mysql-ssl", "off", NULL},
        {"ssl-verify-server-cert=YES\n", "mysql-ssl", "verify-identity", NULL},
        /* no verification: before and behind what needs TLS the last one counts */
        {"ssl-verify-server-cert=0\n", "mysql-ssl", "preferred", NULL},
        {"ssl-ca=x\nssl-verify-server-cert=0\n", "mysql-ssl", "required", NULL},
        {"ssl-verify-server-cert=0\nssl-ca=x\n", "mysql-ssl", "required", NULL},
        {"ssl-cert=x\nssl-verify-server-cert=0\n", "mysql-ssl", "required", NULL},
        {"ssl-verify-server-cert=0\nssl-cert=x\n", "mysql-ssl", "required", NULL},
        {"ssl\nssl-verify-server-cert=0\n", "mysql-ssl", "required", NULL},
        {"ssl-verify-server-cert=0\nssl\n", "mysql-ssl", "required", NULL},
        {"ssl=0\nssl-verify-server-cert=0\n", "mysql-ssl", "disabled", NULL},
        {"ssl-verify-server-cert=0\nssl=0\n", "mysql-ssl", "disabled", NULL},
        {"ssl-verify-server-cert\nssl-verify-server-cert=0\n", "mysql-ssl", "required", NULL},
        {"ssl-mode=VERIFY_CA\nssl-verify-server-cert=0\n", "mysql-ssl", "required", NULL},
        {"ssl-verify-server-cert=0\nssl-mode=VERIFY_CA\n", "mysql-ssl", "VERIFY_CA", NULL},
        /* As in MariaDB's clients: what needs TLS switches it on again, ssl=0 behind it off; a
         * certificate that is to be verified is.  A mode's name is MySQL's, and is the user's
         * word. */
        {"ssl=0\nssl-ca=x\n", "mysql-ssl", "verify-ca", NULL},
        {"ssl=1\nskip-ssl\nssl-capath=x\n", "mysql-ssl", "verify-ca", NULL},
        {"ssl-ca=x\nssl=0\n", "mysql-ssl", "disabled", NULL},
        {"ssl=0\nssl-cipher=x\n", "mysql-ssl", "required", NULL},
        {"ssl=0\ntls-version=x\n", "mysql-ssl", "disabled", NULL},
        {"ssl=0\nskip-ssl=0\n", "mysql-ssl", "preferred", NULL},
        {"ssl\nssl-ca=x\n", "mysql-ssl", "verify-ca", NULL},
        {"ssl-verify-server-cert\nssl=0\n", "mysql-ssl", "verify-identity", NULL},
        {"ssl-mode=DISABLED\nssl-ca=x\n", "mysql-ssl", "DISABLED", NULL},
        {"ssl-mode=DISABLED\nssl\n", "mysql-ssl", "required", NULL},
        {"ssl-mode=VERIFY_CA\nssl\n", "mysql-ssl", "VERIFY_CA", NULL},
        {"ssl-mode=VERIFY_CA\nssl=0\n", "mysql-ssl", "disabled", NULL},
        /* the command line comes first; of --mysql-ssl also what another option implies */
        {"user=a\n", "mysql-user", "mine", "--mysql-user=mine"},
        {"password=a\n", "mysql-password", "", "--mysql-password="},
        {"ssl\n", "mysql-ssl", "off", "--mysql-ssl=off"},
        {"skip-ssl\n", "mysql-ssl", "off", "--mysql-ssl-ca=x"},
        {"ssl\n", "mysql-ssl", "off", "--mysql-ssl-ca=x"},
        {"ssl-verify-server-cert=0\n", "mysql-ssl", "off", "--mysql-ssl-ca=x"},
        /* a socket is of the local host */
        {"socket=/s\nhost=LOCALHOST,localhost\n", "mysql-socket", "/s", NULL},
        {"socket=/s\nhost=db1,localhost\n", "mysql-socket", "", NULL},
        {"socket=/s\nhost=localhost,db1\n", "mysql-socket", "", NULL},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *text = mem_printf("%s%s", *t[i].text == '[' ? "" : "[client]\n", t[i].text);
        struct err e = {0};
        struct opts *o = apply(text, t[i].arg, &e);
        CHECK_STR(e.msg, "");
        CHECK_STR(opt_str(o, t[i].option), t[i].value);
        opts_free(o);
        free(text);
    }
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
        {"[sysbench_x]\nthreads=1\n[client]\n\n = 5\n", ":5: there is no name before: ="},
        {"!include\n", ":1: neither !include FILE nor !includedir DIRECTORY: !include"},
        {"!includes x\n", ":1: neither !include FILE nor !includedir DIRECTORY: !includes x"},
        {"!include /nowhere/x\n",
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

TEST_MAIN(mysql_option_files_test)
{
    int fd = mkstemp(path);

    CHECK(fd >= 0);
    close(fd);
    test_texts();
    test_settings();
    test_refused();
    test_url();
    test_order();
    test_included();
    unlink(path);
    return test_done("mysql_option_files");
}
