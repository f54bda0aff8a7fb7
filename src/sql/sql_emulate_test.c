/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where placeholders are and where they are not, under the rules of each dialect, and that
 * expansion puts the parameters in order and leaves every other byte alone.
 */
#include "sql/sql_emulate.h"

#include <stdlib.h>

#include "base/test.h"

#define MYSQL_LEX     (SQL_LEX_MYSQL | SQL_LEX_BACKSLASH)
#define PGSQL_OLD_LEX (SQL_LEX_PGSQL | SQL_LEX_BACKSLASH)

/* Every placeholder becomes <n>, numbered from 1 in order. */
static const struct {
    const char *text;
    unsigned lex;
    const char *want;
} cases[] = {
    {"", MYSQL_LEX, ""},
    {"SELECT 1", MYSQL_LEX, "SELECT 1"},
    {"?", MYSQL_LEX, "<1>"},
    {"SELECT c FROM t WHERE id=?", MYSQL_LEX, "SELECT c FROM t WHERE id=<1>"},
    {"VALUES (?, ?, ?,?,?,?,?,?,?)", MYSQL_LEX, "VALUES (<1>, <2>, <3>,<4>,<5>,<6>,<7>,<8>,<9>)"},
    {"SELECT '?', ?", MYSQL_LEX, "SELECT '?', <1>"},
    {"SELECT 'it''s ?', ?", MYSQL_LEX, "SELECT 'it''s ?', <1>"},
    {"SELECT 'it\\'s ?', ?", MYSQL_LEX, "SELECT 'it\\'s ?', <1>"},
    {"SELECT 'a\\', ?", SQL_LEX_MYSQL, "SELECT 'a\\', <1>"}, /* NO_BACKSLASH_ESCAPES */
    {"SELECT 'a\\', ?", 0, "SELECT 'a\\', <1>"},
    {"SELECT \"?\", ?", MYSQL_LEX, "SELECT \"?\", <1>"},
    {"SELECT `what?`, ?", MYSQL_LEX, "SELECT `what?`, <1>"},
    {"SELECT `a\\`, ?", MYSQL_LEX, "SELECT `a\\`, <1>"},
    {"SELECT ? -- why?\n, ?", MYSQL_LEX, "SELECT <1> -- why?\n, <2>"},
    {"SELECT 5--?", MYSQL_LEX, "SELECT 5--<1>"},
    {"SELECT 5--?", 0, "SELECT 5--?"},
    {"SELECT ? # why?\n, ?", MYSQL_LEX, "SELECT <1> # why?\n, <2>"},
    {"SELECT ? # ?", 0, "SELECT <1> # <2>"}, /* an operator elsewhere */
    {"SELECT /* ? */ ?", MYSQL_LEX, "SELECT /* ? */ <1>"},
    {"SELECT /*+ HINT(?) */ ?", MYSQL_LEX, "SELECT /*+ HINT(?) */ <1>"},
    {"SELECT /*!50000 ?, */ ?", MYSQL_LEX, "SELECT /*!50000 <1>, */ <2>"},
    {"SELECT /*M! ?, */ ?", MYSQL_LEX, "SELECT /*M! <1>, */ <2>"},
    {"SELECT /*! ? */ ?", 0, "SELECT /*! ? */ <1>"},
    {"SELECT /* never closed ?", MYSQL_LEX, "SELECT /* never closed ?"},
    {"SELECT 'never closed ?", MYSQL_LEX, "SELECT 'never closed ?"},
    {"SELECT 'ends in \\", MYSQL_LEX, "SELECT 'ends in \\"},
    {"SELECT ?/?*?-?", MYSQL_LEX, "SELECT <1>/<2>*<3>-<4>"},
    {"SELECT ? --", MYSQL_LEX, "SELECT <1> --"},
    {"SELECT /*/ ? */ ?", MYSQL_LEX, "SELECT /*/ ? */ <1>"},
    {"SELECT /* /* ? */ ?", MYSQL_LEX, "SELECT /* /* ? */ <1>"},
    {"SELECT '?', \"?\", ?", SQL_LEX_PGSQL, "SELECT '?', \"?\", <1>"},
    {"SELECT 'a\\', ?", SQL_LEX_PGSQL, "SELECT 'a\\', <1>"},
    {"SELECT 'a\\', ?'", PGSQL_OLD_LEX, "SELECT 'a\\', ?'"}, /* standard_conforming_strings=off */
    {"SELECT E'it\\'s ?', ?", SQL_LEX_PGSQL, "SELECT E'it\\'s ?', <1>"},
    {"E'it\\'s ?', ?", SQL_LEX_PGSQL, "E'it\\'s ?', <1>"},
    {"'a\\', ?", SQL_LEX_PGSQL, "'a\\', <1>"},
    {"SELECT e'\\\\', ?", SQL_LEX_PGSQL, "SELECT e'\\\\', <1>"},
    {"SELECT namE'\\', ?", SQL_LEX_PGSQL, "SELECT namE'\\', <1>"}, /* no E of its own */
    {"SELECT \"a\\\", ?", SQL_LEX_PGSQL, "SELECT \"a\\\", <1>"},
    {"SELECT \"a\\\", ?", PGSQL_OLD_LEX, "SELECT \"a\\\", <1>"},
    {"SELECT $$ ? ' $$, ?", SQL_LEX_PGSQL, "SELECT $$ ? ' $$, <1>"},
    {"DO $f1$ $$ ? $$ $f2$ ? $f1$ ?", SQL_LEX_PGSQL, "DO $f1$ $$ ? $$ $f2$ ? $f1$ <1>"},
    {"SELECT $1, ?, a$b$, ?", SQL_LEX_PGSQL, "SELECT $1, <1>, a$b$, <2>"},
    {"SELECT $", SQL_LEX_PGSQL, "SELECT $"},
    {"SELECT ?, $tag", SQL_LEX_PGSQL, "SELECT <1>, $tag"},
    {"SELECT $$ never closed ?$", SQL_LEX_PGSQL, "SELECT $$ never closed ?$"},
    {"SELECT $$ ? $$, ?", MYSQL_LEX, "SELECT $$ <1> $$, <2>"},
    {"SELECT /* a /* ? */ ? */ ?", SQL_LEX_PGSQL, "SELECT /* a /* ? */ ? */ <1>"},
    {"SELECT 5--?\n, ?", SQL_LEX_PGSQL, "SELECT 5--?\n, <1>"},
    {"SELECT `?`, a #- ?", SQL_LEX_PGSQL, "SELECT `<1>`, a #- <2>"},
};

static void angle(void *arg, struct str *out, const char *bytes, size_t n)
{
    (void)arg;
    str_printf(out, "<%.*s>", (int)n, bytes);
}

static void test_cases(void)
{
    static char names[16][4];
    static unsigned long lens[16];
    sql_bind params[16];
    struct str out = STR_INIT;

    for (int i = 0; i < 16; i++) {
        lens[i] = (unsigned long)snprintf(names[i], sizeof names[i], "%d", i + 1);
        params[i] = (sql_bind){.type = SQL_TYPE_CHAR,
                               .buffer = names[i],
                               .data_len = &lens[i],
                               .max_len = sizeof names[i]};
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sql_template t;
        sql_template_init(&t, cases[i].text, strlen(cases[i].text), cases[i].lex);
        sql_template_expand(&t, params, angle, NULL, &out);
        CHECK_STR(str_cstr(&out), cases[i].want);
        CHECK_INT(out.len, strlen(cases[i].want));
        sql_template_fini(&t);
    }
    str_free(&out);
}

/* Expanding again reads the parameters anew and starts from the text, not from the last result. */
static void test_again(void)
{
    struct sql_template t;
    struct str out = STR_INIT;
    int64_t a = 1;
    double b = 0.5;
    sql_bind params[] = {{.type = SQL_TYPE_INT, .buffer = &a},
                         {.type = SQL_TYPE_DOUBLE, .buffer = &b}};

    sql_template_init(&t, "f(?,?)", 6, MYSQL_LEX);
    CHECK_INT(t.nplaceholders, 2);
    sql_template_expand(&t, params, angle, NULL, &out);
    CHECK_STR(str_cstr(&out), "f(1,0.5)");
    a = -20;
    b = 3;
    sql_template_expand(&t, params, angle, NULL, &out);
    CHECK_STR(str_cstr(&out), "f(-20,3)");
    sql_template_fini(&t);
    str_free(&out);
}

/* A minus before a negative number would begin a comment. */
static void test_minus(void)
{
    struct sql_template t;
    struct str out = STR_INIT;
    int64_t a = -1, b = 2;
    sql_bind params[] = {{.type = SQL_TYPE_INT, .buffer = &a},
                         {.type = SQL_TYPE_INT, .buffer = &a},
                         {.type = SQL_TYPE_INT, .buffer = &b}};

    sql_template_init(&t, "5-?+?-?", 7, SQL_LEX_PGSQL);
    sql_template_expand(&t, params, angle, NULL, &out);
    CHECK_STR(str_cstr(&out), "5- -1+-1-2");
    CHECK_INT(out.len, 10);
    sql_template_fini(&t);
    sql_template_init(&t, "-?", 2, SQL_LEX_PGSQL);
    sql_template_expand(&t, params, angle, NULL, &out);
    CHECK_STR(str_cstr(&out), "- -1");
    sql_template_fini(&t);
    str_free(&out);
}

/* PostgreSQL's own spelling of placeholders. */
static void test_number(void)
{
    struct sql_template t;
    struct str out = STR_INIT;

    sql_template_init(&t, "f(?,'?',?)", 10, SQL_LEX_PGSQL);
    for (int i = 0; i < 2; i++) {
        sql_template_number(&t, &out);
        CHECK_STR(str_cstr(&out), "f($1,'?',$2)");
        CHECK_INT(out.len, 12);
    }
    sql_template_fini(&t);
    sql_template_init(&t, "SELECT 1", 8, SQL_LEX_PGSQL);
    sql_template_number(&t, &out);
    CHECK_STR(str_cstr(&out), "SELECT 1");
    sql_template_fini(&t);
    str_free(&out);
}

/* The list of placeholders grows as needed; text with NUL bytes is copied whole. */
static void test_many(void)
{
    enum { N = 1000 };
    struct sql_template t;
    struct str out = STR_INIT, text = STR_INIT;
    int64_t v = 7;
    sql_bind *params = calloc(N, sizeof *params);

    for (int i = 0; i < N; i++) {
        str_add(&text, "\0?", 2);
        params[i] = (sql_bind){.type = SQL_TYPE_INT, .buffer = &v};
    }
    sql_template_init(&t, text.s, text.len, MYSQL_LEX);
    CHECK_INT(t.nplaceholders, N);
    sql_template_expand(&t, params, angle, NULL, &out);
    CHECK_INT(out.len, 2 * N);
    CHECK(out.s[0] == '\0' && out.s[1] == '7' && out.s[2 * N - 1] == '7');
    sql_template_fini(&t);
    str_free(&out);
    str_free(&text);
    free(params);
}

TEST_MAIN(sql_emulate_test)
{
    test_cases();
    test_again();
    test_minus();
    test_number();
    test_many();
    return test_done("sql_emulate");
}
