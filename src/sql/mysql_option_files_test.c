/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * MySQL's option files: what texts say and which are refused, what settings become, and which of
 * them give way to the command line: a golden file has the options that each text changes.
 */
#include "sql/sql_options.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test_golden.h"

static char path[] = "/tmp/sb-defaults-XXXXXX";

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");

    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static struct opts *declared(void)
{
    struct opts *o = opts_new();

    sql_options_declare(o);
    return o;
}

/* The options after a file with that text. */
static struct opts *apply(const char *text, struct err *e)
{
    struct opts *o = declared();

    write_file(path, text);
    CHECK_INT(opt_set(o, "defaults-file", path, e), 0);
    CHECK_INT(mysql_option_files(o, e), *e->msg ? -1 : 0);
    return o;
}

static struct str story;

/* Text by text: those of MySQL's options that it changes, or why it is refused.  A first line that
 * begins with "--" is of the command line. */
static void show(const char *title, const char *before, const char *const *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct opts *o = declared(), *plain = declared();
        const char *at = text[i], *msg;
        struct opt_view v;
        struct err e = {0};
        if (strncmp(at, "--", 2) == 0) {
            char *arg = mem_printf("%.*s", (int)strcspn(at, "\n"), at);
            CHECK_INT(opts_set_arg(o, arg, &e), 0);
            opts_set_arg(plain, arg, &e);
            free(arg);
            at += strcspn(at, "\n");
            at += *at == '\n';
        }
        char *all = mem_printf("%s%s", *at == '[' ? "" : before, at);
        write_file(path, all);
        free(all);
        opt_set(o, "defaults-file", path, NULL);
        CHECK_INT(mysql_option_files(o, &e), *e.msg ? -1 : 0);
        str_printf(&story, "--- %s%s", text[i], *at && at[strlen(at) - 1] == '\n' ? "" : "\n");
        for (msg = e.msg; strncmp(msg, path, strlen(path)) == 0; msg += strlen(path))
            str_adds(&story, "FILE");
        if (*e.msg)
            str_printf(&story, "%s\n", msg);
        for (size_t k = 0; !*e.msg && opts_at(o, k, &v); k++)
            if (strncmp(v.shown, "mysql-", 6) == 0 &&
                strcmp(opt_str(o, v.shown), opt_str(plain, v.shown)) != 0)
                str_printf(&story, "    %s = %s\n", v.shown, opt_str(o, v.shown));
        opts_free(plain);
        opts_free(o);
    }
    golden(&story, "%s", title);
}

/* Of the syntax: the user, whose name may be any text. */
static const char *const texts[] = {
    "",
    "\n\n# user=c\n; user=c\n",
    "[client]\nuser=a",
    "  [ client ] \n  user \t=  a b  \n",
    "[client]\nmysql_user=x_y\n",
    "[client]\nuser=\n",
    "[client]\nuser=1\n[mysqld]\nuser=2\n = no sense\n",
    "[sysbench]\nuser=3\n[client]\nuser=4\n",
    "[client-server]\nuser=1\n[clients]\nuser=3\n[mysql]\nuser=4\n",
    "[client-mariadb]\nuser=2\n[client_x]\nuser=3\n",
    "--defaults-group-suffix=_x\n[client]\nuser=1\n[client_x]\nuser=2\n[client_xx]\nuser=4\n",
    "--defaults-group-suffix=_x\n[sysbench_x]\nuser=3\n",
    "--defaults-group-suffix=\n[client_x]\nuser=2\n",
    "[client]\nuser=a#b\n",
    "[client]\nuser='a#b' # c\n",
    "[client]\nuser=\"#\"\n",
    "[client]\nuser=a\\#b\n",
    "[client]\nuser='a'\n",
    "[client]\nuser=\"a'b\"\n",
    "[client]\nuser='a\n",
    "[client]\nuser=a'\n",
    "[client]\nuser='\n",
    "[client]\nuser=''\n",
    "[client]\nuser=a\\tb\\n\\s\\\\\\\"\\'\\q\\\n",
    "[client]\nuser=b=c\n",
    "[client]\r\nuser=1\r\nbatch\r\n",
};

/* In [client]. */
static const char *const settings[] = {
    "host=db1\n",
    "port=3307\n",
    "loose-password=sesame\n",
    "[sysbench]\nmysql-db=x\n",
    "[sysbench]\nloose-threads=4\n",
    "user=a\n[sysbench]\nuser=b\n",
    "batch\nno-such-option=1\n",
    "compress\n",
    "ssl_ca=x_y\n",
    /* flags */
    "ssl = 1\n",
    "ssl = 0\n",
    "ssl = on\n",
    "ssl = off\n",
    "ssl = true\n",
    "ssl = FALSE\n",
    "ssl = Yes\n",
    "ssl = no\n",
    "skip_ssl\n",
    "skip-ssl=0\n",
    "skip-ssl=0\nssl-ca=x\nssl-key=y\n",
    "loose-tls-fp=x\n",
    "ssl-verify-server-cert=YES\n",
    /* no verification: before and behind what needs TLS the last one counts */
    "ssl-verify-server-cert=0\n",
    "ssl-ca=x\nssl-verify-server-cert=0\n",
    "ssl-verify-server-cert=0\nssl-ca=x\n",
    "ssl-cert=x\nssl-verify-server-cert=0\n",
    "ssl-verify-server-cert=0\nssl-cert=x\n",
    "ssl\nssl-verify-server-cert=0\n",
    "ssl-verify-server-cert=0\nssl\n",
    "ssl=0\nssl-verify-server-cert=0\n",
    "ssl-verify-server-cert=0\nssl=0\n",
    "ssl-verify-server-cert\nssl-verify-server-cert=0\n",
    "ssl-mode=VERIFY_CA\nssl-verify-server-cert=0\n",
    "ssl-verify-server-cert=0\nssl-mode=VERIFY_CA\n",
    /* As in MariaDB's clients: what needs TLS switches it on again, ssl=0 behind it off; a
     * certificate that is to be verified is.  A mode's name is MySQL's, and is the user's
     * word. */
    "ssl=0\nssl-ca=x\n",
    "ssl=1\nskip-ssl\nssl-capath=x\n",
    "ssl-ca=x\nssl=0\n",
    "ssl=0\nssl-cipher=x\n",
    "ssl=0\ntls-version=x\n",
    "ssl=0\nskip-ssl=0\n",
    "ssl\nssl-ca=x\n",
    "ssl-verify-server-cert\nssl=0\n",
    "ssl-mode=DISABLED\nssl-ca=x\n",
    "ssl-mode=DISABLED\nssl\n",
    "ssl-mode=VERIFY_CA\nssl\n",
    "ssl-mode=VERIFY_CA\nssl=0\n",
    /* the command line comes first; of --mysql-ssl also what another option implies */
    "--mysql-user=mine\nuser=a\n",
    "--mysql-password=\npassword=a\n",
    "--mysql-ssl=off\nssl\n",
    "--mysql-ssl-ca=x\nskip-ssl\n",
    "--mysql-ssl-ca=x\nssl\n",
    "--mysql-ssl-ca=x\nssl-verify-server-cert=0\n",
    /* a socket is of the local host */
    "socket=/s\nhost=LOCALHOST,localhost\n",
    "socket=/s\nhost=db1,localhost\n",
    "socket=/s\nhost=localhost,db1\n",
};

/* URIs: below the command line, above the file. */
static const char *const urls[] = {
    "--mysql-url=mysql://me:s@db1:3307/shop",
    "--mysql-url=mariadb://db1",
    "--mysql-url=mysql://me:@db1/",
    "--mysql-url=mysql://m%65:a%40b%2F@[::1]:1/x%20y",
    "--mysql-url=mysql://me:p/s@x@db1?ssl_mode=Required",
    "--mysql-url=mysql://fe80::1/d?ssl&ssl-ca=ca.pem&&",
    "--mysql-url=mysql://?user=u&host=a&mysql-db=x%26y&",
    "--mysql-url=me:sesame@db1",
    "--mysql-url=mysqlx://db1",
    "--mysql-url=mysql://u:1%0@h",
    "--mysql-url=mysql://u:a b@h",
    "--mysql-url=mysql://[::1]3306/d",
    "--mysql-url=mysql://u%00@h",
    "--mysql-url=mysql://h?user",
    "--mysql-url=mysql://h?threads=4",
    "--mysql-url=mysql://h?ssl-mode=no",
};

static const char *const refused[] = {
    "[sysbench_x]\nthreads=1\n[client]\n\n = 5\n",
    "!include\n",
    "!includes x\n",
    "!exclude x\n",
    "!include /nowhere/x\n",
    "!includedirs /nowhere\n",
    "!included /nowhere\n",
    "!includedi /nowhere\n",
    "[client]\nssl_crl=x\n",
};

/* The home directory's file comes last, the extra one before it; an included file leaves the group
 * as it was; missing standard files are none. */
static void test_order(void)
{
    char home[] = "/tmp/sb-home-XXXXXX", *mine, *text;
    char *writable = mem_printf("option file '%s' is world-writable and was not read", path);
    struct err e = {0};
    struct opts *o;

    CHECK(mkdtemp(home) != NULL);
    setenv("HOME", home, 1);
    mine = mem_printf("%s/.my.cnf", home);
    for (int i = 0; i < 3; i++) { /* both; the extra one alone; an extra one anybody may write to */
        if (i == 0)
            write_file(mine, "[client]\nuser=home\n");
        else
            unlink(mine);
        write_file(path, "[client]\nuser=extra\npassword=x\n");
        chmod(path, i == 2 ? 0602 : 0600);
        o = declared();
        opt_set(o, "mysql-read-defaults", "on", NULL);
        opt_set(o, "defaults-extra-file", path, NULL);
        CHECK_INT(mysql_option_files(o, &e), i == 2 ? -1 : 0);
        CHECK_STR(opt_str(o, "mysql-password"), i == 2 ? "" : "x");
        if (i < 2)
            CHECK_STR(opt_str(o, "mysql-user"), i == 0 ? "home" : "extra");
        else
            CHECK_STR(e.msg, writable);
        opts_free(o);
    }
    chmod(path, 0600);
    CHECK_INT(rename(path, mine), 0); /* the included one */
    text = mem_printf("[sysbench]\n!include %s\nhost=after\n", mine);
    o = apply(text, &(struct err){0});
    CHECK_STR(opt_str(o, "mysql-user"), "extra");
    CHECK_STR(opt_str(o, "mysql-host"), "after");
    opts_free(o);
    free(text);
    unlink(mine);
    unlink(path);
    free(mine);
    free(writable);
    /* a file that is there and cannot be read is no missing one; without HOME there is none */
    mine = mem_printf("%s/.my.cnf", home);
    CHECK_INT(mkdir(mine, 0700), 0);
    for (int i = 0; i < 3; i++) {
        o = declared();
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
        write_file(file[i], names[i][1]);
    }
    struct opts *o = apply(text, &e);
    CHECK_STR(e.msg, "");
    CHECK_STR(opt_str(o, "mysql-user"), "b");
    CHECK_STR(opt_str(o, "mysql-host"), "b");
    CHECK_STR(opt_str(o, "mysql-password"), "a");
    CHECK_STR(opt_str(o, "mysql-port"), "7");
    opts_free(o);
    write_file(file[1], "[client]\n\nport\n"); /* the file before the good one */
    o = apply(text, &e);
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
    o = apply(text, &e);
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
    show("texts", "", texts, COUNT(texts));
    show("settings", "[client]\n", settings, COUNT(settings));
    show("refused", "", refused, COUNT(refused));
    show("URIs", "[client]\nuser=file\nport=9\nsocket=/s\n", urls, COUNT(urls));
    test_order();
    test_included();
    unlink(path);
    golden_done("mysql_option_files_test");
    return test_done("mysql_option_files");
}
