/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Option files as tables: what a text says, setting by setting, and which texts are refused.
 */
#include "sql/mysql_files.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/test.h"

static char folder[] = "/tmp/sb-files-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
    chmod(path, 0600);
}

/* "name=value|flag|..." of what a file says; [sysbench]'s begin with '!'. */
static int read_text(const char *text, const char *suffix, struct str *out, struct err *e)
{
    char path[128];
    struct mysql_files ask = {.only = path, .suffix = suffix};
    struct mysql_settings all;
    int rc;

    write_file("my.cnf", text);
    snprintf(path, sizeof path, "%s/my.cnf", folder);
    rc = mysql_files_read(&ask, &all, e);
    for (size_t i = 0; i < all.n; i++) {
        const struct mysql_setting *s = &all.list[i];
        str_printf(out, "%s%s%s%s%s", i > 0 ? "|" : "", s->ours ? "!" : "", s->name,
                   s->value ? "=" : "", s->value ? s->value : "");
    }
    mysql_settings_free(&all);
    return rc;
}

static void test_texts(void)
{
    static const struct {
        const char *text, *suffix, *want;
    } t[] = {
        {"", NULL, ""},
        {"\n\n# c\n; c\n", NULL, ""},
        {"[client]\nhost=a", NULL, "host=a"},
        {"  [ client ] \n  host \t=  a b  \n", NULL, "host=a b"},
        {"[client]\nskip_ssl\nssl_ca=x_y\n", NULL, "skip-ssl|ssl-ca=x_y"},
        {"[client]\nuser=\n", NULL, "user="},
        {"[client]\na=1\n[mysqld]\nb=2\n = no sense\n[sysbench]\nc=3\n[client]\na=4\n", NULL,
         "a=1|!c=3|a=4"},
        {"[client-server]\na=1\n[client-mariadb]\nb=2\n[clients]\nc=3\n[mysql]\nd=4\n", NULL,
         "a=1|b=2"},
        {"[client]\na=1\n[client_x]\na=2\n[sysbench_x]\na=3\n[client_xx]\na=4\n", "_x",
         "a=1|a=2|!a=3"},
        {"[client_x]\na=2\n", "", ""},
        {"[client]\np=a#b\nq='a#b' # c\nr=\"#\"\ns=a\\#b\n", NULL, "p=a|q=a#b|r=#|s=a\\#b"},
        {"[client]\np='a'\nq=\"a'b\"\nr='a\ns=a'\nt='\nu=''\n", NULL, "p=a|q=a'b|r='a|s=a'|t='|u="},
        {"[client]\np=a\\tb\\n\\s\\\\\\\"\\'\\q\\\n", NULL, "p=a\tb\n \\\"'\\q\\"},
        {"[client]\na=b=c\n", NULL, "a=b=c"},
        {"[client]\r\na=1\r\nb\r\n", NULL, "a=1|b"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct str got = STR_INIT;
        struct err e = {0};
        CHECK_INT(read_text(t[i].text, t[i].suffix, &got, &e), 0);
        CHECK_STR(str_cstr(&got), t[i].want);
        str_free(&got);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *text, *want;
    } t[] = {
        {"host=a\n", "/my.cnf:1: an option before the first [group]: host=a"},
        {"[client\n", "/my.cnf:1: a group without its ']': [client"},
        {"[client]\n\n = 5\n", "/my.cnf:3: there is no name before: ="},
        {"!include\n", "/my.cnf:1: neither !include FILE nor !includedir FOLDER: !include"},
        {"!includes x\n", "/my.cnf:1: neither !include FILE nor !includedir FOLDER: !includes x"},
        {"!include /nowhere/x\n",
         "/my.cnf:1: cannot read the option file '/nowhere/x': No such file or directory"},
        {"!includedir /nowhere\n",
         "/my.cnf:1: cannot read the folder '/nowhere': No such file or directory"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct str got = STR_INIT;
        struct err e = {0};
        CHECK_INT(read_text(t[i].text, NULL, &got, &e), -1);
        CHECK_STR(e.msg + (strncmp(e.msg, folder, strlen(folder)) == 0 ? strlen(folder) : 0),
                  t[i].want);
        str_free(&got);
    }
}

/* The home folder's file comes last, the extra one before it; missing standard files are none. */
static void test_order(void)
{
    char extra[128];
    struct mysql_files ask = {.standard = true, .extra = extra};
    struct mysql_settings all;
    struct err e = {0};
    size_t n;

    setenv("HOME", folder, 1);
    write_file(".my.cnf", "[client]\nzz=home\n");
    write_file("extra.cnf", "[client]\nzz=extra\n");
    snprintf(extra, sizeof extra, "%s/extra.cnf", folder);
    CHECK_INT(mysql_files_read(&ask, &all, &e), 0);
    n = all.n;
    CHECK(n >= 2 && strcmp(all.list[n - 2].value, "extra") == 0);
    CHECK(n >= 2 && strcmp(all.list[n - 1].value, "home") == 0);
    mysql_settings_free(&all);
    chmod(extra, 0602);
    CHECK_INT(mysql_files_read(&ask, &all, &e), -1);
    CHECK(strstr(e.msg, "is world-writable") != NULL);
    mysql_settings_free(&all);
}

static void clean_up(void)
{
    static const char *const names[] = {"my.cnf", ".my.cnf", "extra.cnf"};
    char path[128];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

TEST_MAIN(mysql_files_test)
{
    CHECK(mkdtemp(folder) != NULL);
    test_texts();
    test_refused();
    test_order();
    clean_up();
    return test_done("mysql_files");
}
