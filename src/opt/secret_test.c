/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is masked in argv, in values, in arguments and in other texts, and that the copy of argv
 * keeps the passwords.
 */
#include "opt/secret.h"

#include "base/mem.h"
#include "base/test_golden.h"

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

static struct opts *o;

static void test_hide(void)
{
    static const char *const typed[] = {"sysbench",
                                        "--mysql-password=sesame",
                                        "--mysql_password=sesame",
                                        "--pgsql-password=x",
                                        "--pgsql-password=",
                                        "--mysql-password",
                                        "--mysql-password-file=sesame",
                                        "--mysql-passwords=sesame",
                                        "-mysql-password=sesame",
                                        "\xe2\x80\x93mysql-password=sesame",
                                        "\xe2\x80\x94mysql-password=sesame",
                                        "--later-password=sesame",
                                        "--vault-password=sesame",
                                        "--mysql-db=password=sesame",
                                        "--pgsql-db=sbtest",
                                        "--pgsql-db=dbname=a password=sesame",
                                        "--pgsql-db=password='se \\' same' user=b",
                                        "--pgsql-db=password='never closed",
                                        "--pgsql-db=password=a\\ b user=c",
                                        "--pgsql-db=password = sesame sslpassword=other",
                                        "--pgsql-db=password= user=x",
                                        "--pgsql-db=passwords x",
                                        "--pgsql_db=postgresql://u:sesame@h/d",
                                        "--pgsql-db=postgresql://u:ses@a/me@h:1/d",
                                        "--pgsql-db=postgres://u:ses/ame@h/d?a=b",
                                        "--pgsql-db=postgresql://u:ses?ame@h/d?a=b@c",
                                        "--mysql-url=mysql://u:ses@a/me@h:1/d",
                                        "--mysql-url=mariadb://u:s/e@h/d?a=b@c",
                                        "--pgsql-db=postgresql://u@h:1/d",
                                        "--pgsql-db=postgresql://h:5432/d?user=a@b",
                                        "--pgsql-db=postgresql://h/d?password=sesame&a=b"};

    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        char *argv[] = {mem_strdup(typed[i]), NULL};
        char **copy = secret_hide(o, 1, argv);
        golden_line("%s: %s", typed[i], argv[0]);
        CHECK_STR(copy[0], typed[i]);
        CHECK(copy[1] == NULL);
        for (size_t k = strlen(argv[0]); k < strlen(typed[i]); k++)
            CHECK_INT(argv[0][k], 0); /* nothing is left after the end */
        secret_forget(o, copy);
        CHECK_STR(copy[0], argv[0]);
        secret_free(copy);
        free(argv[0]);
    }
}

/* argv shows nothing of a command, the copy all but passwords. */
static void test_commands(void)
{
    char *argv[] = {mem_strdup("--do=redis-cli -a sesame; curl -u u:sesame h"), NULL};
    char **copy = secret_hide(o, 1, argv);

    CHECK_STR(argv[0], "--do=***");
    CHECK_STR(copy[0], "--do=redis-cli -a sesame; curl -u u:sesame h");
    secret_forget(o, copy);
    CHECK_STR(copy[0], "--do=redis-cli -a sesame; curl -u u:*** h");
    secret_free(copy);
    free(argv[0]);
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

static void shown(const char *what, char *(*f)(const char *), const char *const *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *text = f(t[i]);
        golden_line("%s %s: %s", what, t[i], text);
        free(text);
    }
}
#define SHOWN(what, f, ...)                                                                        \
    shown(what, f, (const char *const[]){__VA_ARGS__},                                             \
          sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *))

static char *of_option(const char *text)
{
    char *name = mem_strndup(text, strcspn(text, "="));
    char *shown = secret_shown(o, name, text + strlen(name) + 1);

    free(name);
    return shown;
}

static char *of_arg(const char *text)
{
    return secret_shown_arg(o, text);
}

static void test_shown(void)
{
    SHOWN("option", of_option, "mysql-password=sesame", "mysql_password=x",
          "mysql-password=", "my_own_Password=sesame", "vault_password=sesame",
          "password_file=/etc/secret", "mysql-password-file=/etc/secret",
          "pgsql-db=dbname=a password=sesame", "mysql-db=sbtest",
          "do=mysql --password=sesame -e 'FLUSH LOGS'",
          "do=mysql -uroot -psesame -e 'x; y' -Bpsesame db",
          "do=/bin/mariadb-admin -p'se same'\"s'e\"\\;x flush",
          "do=sh -c \"mariadb -ps'e s'\"; mariadb -p'", "do=it's mariadb -p'sesame'",
          "do=mysql -p db; mkdir -pdir | mysql", "do=$(mysql -u -pa) --mysql-x -pb",
          "do=sshpass -p sesame ssh -p 22 h mysql -psesame; sshpass -vpsesame ssh -p 22 h",
          "do=sshpass -P -p -p 'se same' ssh -p 22; sshpass -e ssh -p 22; sshpass -f p ssh -p 22",
          "do=curl -u u:sesame http://h:1/ -sSUv:sesame --user w:se:same --proxy-user=x:sesame",
          "do=curl -u 'u:se same' -u \"u:se\"same -u \"u\":'p q' -u u; curlx -u a:b",
          "do=sh -c \"curl -u u:sesame\"; mysql -e x curl --user u:sesame",
          "do=sh -c \"MYSQL_PWD=sesame\" 'password=x' y");
    SHOWN("argument", of_arg, "--mysql-password=sesame", "--mysql-password=***",
          "--pgsql-password=*", "--later_password=sesame", "-mysql-password=sesame",
          "password=sesame", "--mysql-password", "--pgsql-db=postgresql://u:sesame@h/d",
          "--do=PGPASSWORD=sesame psql -c x", "--do=MYSQL_PWD=sesame mariadb --password=x",
          "--threads=4", "run", "");
    SHOWN("text", secret_shown_text, "", "echo passwords are here",
          "mysql --password=\"se same\" db",
          "psql postgresql://u:sesame@h/d && psql postgresql://u:other@h/d",
          "curl 'http://h/x?password=sesame&y=1' -o z", "curl http://h/x?password=sesame -o z",
          "a password=x and password=y", "password=", "x --password=sesame\ny postgresql://h\nz",
          "--password='a b' postgresql://h", "--password=se&same postgresql://h",
          "http://h?sslpassword=sesame&user=a", "http://u:sesame");
    /* what the message itself says behind a password that was typed is still there */
    SHOWN("message", secret_shown_message, "no such file", "using password: YES",
          "no 'x password=sesame': no such test", "invalid option: --password=sesame; see 'help'",
          "did you mean --mysql-password=sesame?", "(after 'password=sesame') and",
          "'http://h/?password=sesame&a=b': no such test", "password='se same': no",
          "password=sesame", "password=s?s;same\"x no", "password=; no", "password=' no",
          "invalid option: --mysql-pasword=sesame; did you mean --mysql-password?",
          "'my-passwrd=sesame': no such test; pwd=x", "--pgsql-pssword=sesame",
          "invalid option: --mysql-pa55word=a b=c; did you mean --mysql-password?",
          "invalid option: --thread=2; did you mean --threads?",
          "--mysql-pw=sesame --cluster-secret=sesame");
}

TEST_MAIN(secret_test)
{
    o = table();
    test_hide();
    test_commands();
    test_complaints();
    test_shown();
    opts_free(o);
    golden_done("secret_test");
    return test_done("secret_test");
}
