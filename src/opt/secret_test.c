/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is masked in argv, in values, in arguments and in other texts, and that the copy of argv
 * keeps the passwords.
 */
#include "opt/secret.h"

#include "base/mem.h"
#include "base/test.h"

#include <stdlib.h>

static const struct opt_row rows[] = {
    {.name = "mysql-password", .type = OPT_STRING},
    {.name = "pgsql-password", .type = OPT_STRING},
    {.name = "pgsql-db", .type = OPT_STRING, .flags = OPT_SECRET_WITHIN},
    {.name = "mysql-password-file", .type = OPT_STRING},
    {.name = "mysql-db", .type = OPT_STRING},
    {.name = "mysql-url", .type = OPT_STRING, .flags = OPT_SECRET_WITHIN},
    {.name = "do", .type = OPT_STRING, .flags = OPT_COMMAND},
};
static const struct opt_row of_script[] = {
    {.name = "vault_password", .type = OPT_STRING},
    {.name = "password_file", .type = OPT_STRING},
};

static struct opts *table(void)
{
    struct opts *o = opts_new();

    opts_add(o, OPT_GROUP_DB, rows, sizeof rows / sizeof *rows);
    opts_add(o, OPT_GROUP_TEST, of_script, 2);
    return o;
}

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
        {"\xe2\x80\x93mysql-password=sesame", "\xe2\x80\x93mysql-password=***"}, /* taken as -- */
        {"\xe2\x80\x94mysql-password=sesame", "\xe2\x80\x94mysql-password=***"},
        {"--later-password=sesame", "--later-password=sesame"}, /* not declared yet */
        {"--vault-password=sesame", "--vault-password=***"},
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
        {"--pgsql-db=postgresql://u:ses@a/me@h:1/d", "--pgsql-db=postgresql://u:***@h:1/d"},
        {"--pgsql-db=postgres://u:ses/ame@h/d?a=b", "--pgsql-db=postgres://u:***@h/d?a=b"},
        {"--pgsql-db=postgresql://u:ses?ame@h/d?a=b@c", "--pgsql-db=postgresql://u:***@h/d?a=b@c"},
        {"--mysql-url=mysql://u:ses@a/me@h:1/d", "--mysql-url=mysql://u:***@h:1/d"},
        {"--mysql-url=mariadb://u:s/e@h/d?a=b@c", "--mysql-url=mariadb://u:***@h/d?a=b@c"},
        {"--pgsql-db=postgresql://u@h:1/d", "--pgsql-db=postgresql://u@h:1/d"},
        {"--pgsql-db=postgresql://h:5432/d?user=a@b", "--pgsql-db=postgresql://h:5432/d?user=a@b"},
        {"--pgsql-db=postgresql://h/d?password=sesame&a=b",
         "--pgsql-db=postgresql://h/d?password=***&a=b"},
    };

    struct opts *o = table();

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *argv[] = {mem_strdup(t[i].typed), NULL};
        size_t len = strlen(argv[0]);
        char **copy = secret_hide(o, 1, argv);
        CHECK_STR(argv[0], t[i].shown);
        CHECK_STR(copy[0], t[i].typed);
        CHECK(copy[1] == NULL);
        for (size_t k = strlen(argv[0]); k < len; k++)
            CHECK_INT(argv[0][k], 0); /* nothing is left after the end */
        secret_forget(o, copy);
        CHECK_STR(copy[0], t[i].shown);
        secret_free(copy);
        free(argv[0]);
    }
    opts_free(o);
}

/* argv shows nothing of a command, the copy all but passwords. */
static void test_commands(void)
{
    char *argv[] = {mem_strdup("--do=redis-cli -a sesame; curl -u u:sesame h"), NULL};
    struct opts *o = table();
    char **copy = secret_hide(o, 1, argv);

    CHECK_STR(argv[0], "--do=***");
    CHECK_STR(copy[0], "--do=redis-cli -a sesame; curl -u u:sesame h");
    secret_forget(o, copy);
    CHECK_STR(copy[0], "--do=redis-cli -a sesame; curl -u u:*** h");
    secret_free(copy);
    free(argv[0]);
    opts_free(o);
}

/* libpq's complaints about connection strings that it cannot parse. */
static void test_complaints(void)
{
    static const struct {
        const char *uri, *text, *shown;
    } t[] = {
        {"postgresql://me:ses%zzame@h/db", "invalid percent-encoded token: \"ses%zzame\"",
         "invalid percent-encoded token: \"***\""},
        {"postgresql://me:sesame@[::1/db",
         "matching \"]\" in URI: \"postgresql://me:sesame@[::1/db\"",
         "matching \"]\" in URI: \"postgresql://me:***@[::1/db\""},
        {"postgresql://me:a@h/db", "role \"ab\" a \"a\" \"a", "role \"ab\" a \"*\" \"a"},
        {"postgresql://me@h:1/db", "invalid: \"1/db\"", "invalid: \"1/db\""},
        {"dbname=a:b@c", "database \"b\"", "database \"b\""},
        /* libpq cuts at the password's own '/' and '@' */
        {"postgresql://me:ses/ame@h:1/db", "value \"ses\" for connection option \"port\"",
         "value \"***\" for connection option \"port\""},
        {"postgresql://me:ses@ame@h/db", "host name \"ame@h\" to", "host name \"***\" to"},
        {NULL, "database \"b\"", "database \"b\""},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *text = mem_strdup(t[i].text);
        size_t len;
        const char *word = mask_find_in_uri(t[i].uri, &len);
        mask_complaint(text, word, len);
        CHECK_STR(text, t[i].shown);
        free(text);
    }
}

static void test_shown(void)
{
    static const struct {
        const char *option, *value, *shown;
    } t[] = {
        {"mysql-password", "sesame", "***"},
        {"mysql_password", "x", "***"},
        {"mysql-password", "", ""},
        {"my_own_Password", "sesame", "***"}, /* of a script */
        {"vault_password", "sesame", "***"},
        {"password_file", "/etc/secret", "/etc/secret"},
        {"mysql-password-file", "/etc/secret", "/etc/secret"},
        {"pgsql-db", "dbname=a password=sesame", "dbname=a password=***"},
        {"mysql-db", "sbtest", "sbtest"},
        {"do", "mysql --password=sesame -e 'FLUSH LOGS'", "mysql --password=*** -e 'FLUSH LOGS'"},
        {"do", "mysql -uroot -psesame -e 'x; y' -Bpsesame db",
         "mysql -uroot -p*** -e 'x; y' -Bp*** db"},
        {"do", "/bin/mariadb-admin -p'se same'\"s'e\"\\;x flush", "/bin/mariadb-admin -p*** flush"},
        {"do", "sh -c \"mariadb -ps'e s'\"; mariadb -p'", "sh -c \"mariadb -p***\"; mariadb -p*"},
        {"do", "it's mariadb -p'sesame'", "it's mariadb -p***"},
        {"do", "mysql -p db; mkdir -pdir | mysql", "mysql -p db; mkdir -pdir | mysql"},
        {"do", "$(mysql -u -pa) --mysql-x -pb", "$(mysql -u -p*) --mysql-x -pb"},
        {"do", "sshpass -p sesame ssh -p 22 h mysql -psesame; sshpass -vpsesame ssh -p 22 h",
         "sshpass -p *** ssh -p 22 h mysql -p***; sshpass -vp*** ssh -p 22 h"},
        {"do", "sshpass -P -p -p 'se same' ssh -p 22; sshpass -e ssh -p 22; sshpass -f p ssh -p 22",
         "sshpass -P -p -p *** ssh -p 22; sshpass -e ssh -p 22; sshpass -f p ssh -p 22"},
        {"do", "curl -u u:sesame http://h:1/ -sSUv:sesame --user w:se:same --proxy-user=x:sesame",
         "curl -u u:*** http://h:1/ -sSUv:*** --user w:*** --proxy-user=x:***"},
        {"do", "curl -u 'u:se same' -u \"u:se\"same -u \"u\":'p q' -u u; curlx -u a:b",
         "curl -u 'u:***' -u \"u:***\" -u \"u\":*** -u u; curlx -u a:b"},
        {"do", "sh -c \"curl -u u:sesame\"; mysql -e x curl --user u:sesame",
         "sh -c \"curl -u u:***\"; mysql -e x curl --user u:***"},
        {"do", "sh -c \"MYSQL_PWD=sesame\" 'password=x' y",
         "sh -c \"MYSQL_PWD=***\" 'password=*' y"},
    };
    struct opts *o = table();

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *shown = secret_shown(o, t[i].option, t[i].value);
        CHECK_STR(shown, t[i].shown);
        free(shown);
    }
    opts_free(o);
}

static void test_shown_arg(void)
{
    static const struct {
        const char *arg, *shown;
    } t[] = {
        {"--mysql-password=sesame", "--mysql-password=***"},
        {"--mysql-password=***", "--mysql-password=***"}, /* hidden before */
        {"--pgsql-password=*", "--pgsql-password=***"},
        {"--later_password=sesame", "--later_password=***"},
        {"-mysql-password=sesame", "-mysql-password=***"},
        {"password=sesame", "password=***"},
        {"--mysql-password", "--mysql-password"},
        {"--pgsql-db=postgresql://u:sesame@h/d", "--pgsql-db=postgresql://u:***@h/d"},
        {"--do=PGPASSWORD=sesame psql -c x", "--do=PGPASSWORD=*** psql -c x"},
        {"--do=MYSQL_PWD=sesame mariadb --password=x", "--do=MYSQL_PWD=*** mariadb --password=*"},
        {"--threads=4", "--threads=4"},
        {"run", "run"},
        {"", ""},
    };
    struct opts *o = table();

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *shown = secret_shown_arg(o, t[i].arg);
        CHECK_STR(shown, t[i].shown);
        free(shown);
    }
    opts_free(o);
}

static void test_shown_text(void)
{
    static const struct {
        const char *text, *shown;
    } t[] = {
        {"", ""},
        {"echo passwords are here", "echo passwords are here"},
        {"mysql --password=\"se same\" db", "mysql --password=*** db"},
        {"psql postgresql://u:sesame@h/d && psql postgresql://u:other@h/d",
         "psql postgresql://u:***@h/d && psql postgresql://u:***@h/d"},
        {"curl 'http://h/x?password=sesame&y=1' -o z", "curl 'http://h/x?password=***&y=1' -o z"},
        {"curl http://h/x?password=sesame -o z", "curl http://h/x?password=*** -o z"},
        {"a password=x and password=y", "a password=* and password=*"},
        {"password=", "password="},
        {"x --password=sesame\ny postgresql://h\nz", "x --password=***\ny postgresql://h\nz"},
        {"--password='a b' postgresql://h", "--password=*** postgresql://h"},
        {"--password=se&same postgresql://h", "--password=*** postgresql://h"},
        {"http://h?sslpassword=sesame&user=a", "http://h?sslpassword=***&user=a"},
        {"http://u:sesame", "http://u:sesame"}, /* no user: a host and a port */
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *shown = secret_shown_text(t[i].text);
        CHECK_STR(shown, t[i].shown);
        free(shown);
    }
}

/* What the message itself says behind a password that was typed is still there. */
static void test_shown_message(void)
{
    static const struct {
        const char *msg, *shown;
    } t[] = {
        {"no such file", "no such file"},
        {"using password: YES", "using password: YES"},
        {"no 'x password=sesame': no such test", "no 'x password=***': no such test"},
        {"invalid option: --password=sesame; see 'help'",
         "invalid option: --password=***; see 'help'"},
        {"did you mean --mysql-password=sesame?", "did you mean --mysql-password=***?"},
        {"(after 'password=sesame') and", "(after 'password=***') and"},
        {"'http://h/?password=sesame&a=b': no such test",
         "'http://h/?password=***&a=b': no such test"},
        {"password='se same': no", "password=***: no"},
        {"password=sesame", "password=***"},
        {"password=s?s;same\"x no", "password=*** no"},
        {"password=; no", "password=* no"},
        {"password=' no", "password=***"},
        {"invalid option: --mysql-pasword=sesame; did you mean --mysql-password?",
         "invalid option: --mysql-pasword=***; did you mean --mysql-password?"},
        {"'my-passwrd=sesame': no such test; pwd=x", "'my-passwrd=***': no such test; pwd=*"},
        {"--pgsql-pssword=sesame", "--pgsql-pssword=***"},
        {"invalid option: --mysql-pa55word=a b=c; did you mean --mysql-password?",
         "invalid option: --mysql-pa55word=***; did you mean --mysql-password?"},
        {"invalid option: --thread=2; did you mean --threads?",
         "invalid option: --thread=2; did you mean --threads?"},
        {"--mysql-pw=sesame --cluster-secret=sesame", "--mysql-pw=*** --cluster-secret=***"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *shown = secret_shown_message(t[i].msg);
        CHECK_STR(shown, t[i].shown);
        free(shown);
    }
}

TEST_MAIN(secret_test)
{
    test_hide();
    test_commands();
    test_complaints();
    test_shown();
    test_shown_arg();
    test_shown_text();
    test_shown_message();
    return test_done("secret_test");
}
