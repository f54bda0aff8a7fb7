/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is hidden of a command line, and that the copy still has it.
 */
#include "cli/secrets.h"

#include "base/mem.h"
#include "base/test.h"

#include <stdlib.h>

static void test_hide(void)
{
    static const struct {
        const char *typed, *shown;
    } t[] = {
        {"sysbench", "sysbench"},
        {"--mysql-password=sesame", "--mysql-password=***"},
        {"--mysql_password=sesame", "--mysql_password=***"},
        {"--pgsql-password=x", "--pgsql-password=*"},
        {"--pgsql-password=", "--pgsql-password="},
        {"--mysql-password", "--mysql-password"},
        {"--mysql-password-file=sesame", "--mysql-password-file=sesame"},
        {"--mysql-passwords=sesame", "--mysql-passwords=sesame"},
        {"-mysql-password=sesame", "-mysql-password=sesame"},
        {"--mysql-db=password=sesame", "--mysql-db=password=sesame"},
        {"--pgsql-db=sbtest", "--pgsql-db=sbtest"},
        {"--pgsql-db=dbname=a password=sesame", "--pgsql-db=dbname=a password=***"},
        {"--pgsql-db=password='se \\' same' user=b", "--pgsql-db=password=*** user=b"},
        {"--pgsql-db=password='never closed", "--pgsql-db=password=***"},
        {"--pgsql-db=password=a\\ b user=c", "--pgsql-db=password=*** user=c"},
        {"--pgsql-db=password = sesame sslpassword=other",
         "--pgsql-db=password = *** sslpassword=***"},
        {"--pgsql-db=password= user=x", "--pgsql-db=password= ***"},
        {"--pgsql-db=passwords x", "--pgsql-db=passwords x"},
        {"--pgsql_db=postgresql://u:sesame@h/d", "--pgsql_db=postgresql://u:***@h/d"},
        {"--pgsql-db=postgresql://u@h:1/d", "--pgsql-db=postgresql://u@h:1/d"},
        {"--pgsql-db=postgresql://h:5432/d?user=a@b", "--pgsql-db=postgresql://h:5432/d?user=a@b"},
        {"--pgsql-db=postgresql://h/d?password=sesame&a=b",
         "--pgsql-db=postgresql://h/d?password=***&a=b"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *argv[] = {mem_strdup(t[i].typed), NULL};
        size_t len = strlen(argv[0]);
        char **copy = secrets_hide(1, argv);
        CHECK_STR(argv[0], t[i].shown);
        CHECK_STR(copy[0], t[i].typed);
        CHECK(copy[1] == NULL);
        for (size_t k = strlen(argv[0]); k < len; k++)
            CHECK_INT(argv[0][k], 0); /* nothing is left behind the end */
        secrets_free(copy);
        free(argv[0]);
    }
}

static void test_shown(void)
{
    static const struct {
        const char *option, *value, *shown;
    } t[] = {
        {"mysql-password", "sesame", "***"},
        {"mysql-password", "x", "***"},
        {"mysql-password", "", ""},
        {"my_own_Password", "sesame", "***"},
        {"mysql-password-file", "/etc/secret", "/etc/secret"},
        {"pgsql-db", "dbname=a password=sesame", "dbname=a password=***"},
        {"mysql-db", "sbtest", "sbtest"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *shown = secrets_shown(t[i].option, t[i].value);
        CHECK_STR(shown, t[i].shown);
        free(shown);
    }
}

int main(void)
{
    test_shown();
    test_hide();
    return test_done("secrets");
}
