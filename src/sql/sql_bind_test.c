/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Parameters as values, as SQL text and out of a result; templates with their placeholders filled
 * in.
 */
#include "sql/sql_bind.h"

#include <malloc.h>
#include <stdlib.h>

#include "base/test.h"

/* --- parameters --- */

/* Doubles quotes, so that a test sees what was quoted. */
static void quote(void *arg, struct str *out, const char *bytes, size_t n)
{
    (void)arg;
    str_adds(out, "'");
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\'')
            str_adds(out, "'");
        str_add(out, bytes + i, 1);
    }
    str_adds(out, "'");
}

static const char *literal(const sql_bind *b)
{
    static struct str out;

    str_reset(&out);
    sql_bind_literal(b, quote, NULL, &out);
    return str_cstr(&out);
}

static void test_kinds(void)
{
    static const struct {
        sql_bind_type_t type;
        enum sql_bind_kind kind;
    } t[] = {
        {SQL_TYPE_NONE, SQL_BIND_NULL},       {SQL_TYPE_TINYINT, SQL_BIND_INT},
        {SQL_TYPE_SMALLINT, SQL_BIND_INT},    {SQL_TYPE_INT, SQL_BIND_INT},
        {SQL_TYPE_BIGINT, SQL_BIND_INT},      {SQL_TYPE_FLOAT, SQL_BIND_DOUBLE},
        {SQL_TYPE_DOUBLE, SQL_BIND_DOUBLE},   {SQL_TYPE_TIME, SQL_BIND_BYTES},
        {SQL_TYPE_DATE, SQL_BIND_BYTES},      {SQL_TYPE_DATETIME, SQL_BIND_BYTES},
        {SQL_TYPE_TIMESTAMP, SQL_BIND_BYTES}, {SQL_TYPE_CHAR, SQL_BIND_BYTES},
        {SQL_TYPE_VARCHAR, SQL_BIND_BYTES},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        CHECK_INT(sql_bind_kind(t[i].type), t[i].kind);
}

static void test_integers(void)
{
    static const struct {
        int64_t value;
        const char *text;
    } t[] = {
        {0, "0"},
        {-1, "-1"},
        {INT64_C(4294967296), "4294967296"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        int64_t v = t[i].value;
        sql_bind b = {.type = SQL_TYPE_BIGINT, .buffer = &v};
        CHECK_STR(literal(&b), t[i].text);
        b.type = SQL_TYPE_TINYINT; /* all integers carry 64 bits */
        CHECK_STR(literal(&b), t[i].text);
    }
}

static void test_doubles(void)
{
    static const double values[] = {0.1, 1.0 / 3, 1e300, -5e-324, 123456789.123456789, 2.5, 0};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double d = values[i];
        sql_bind b = {.type = SQL_TYPE_DOUBLE, .buffer = &d};
        const char *text = literal(&b);
        CHECK(strtod(text, NULL) == values[i]);
    }
    double d = 0.1;
    sql_bind b = {.type = SQL_TYPE_FLOAT, .buffer = &d};
    CHECK_STR(literal(&b), "0.10000000000000001");
    d = NAN;
    CHECK_STR(literal(&b), "NULL");
    d = -INFINITY;
    CHECK_STR(literal(&b), "NULL");
}

static void test_strings(void)
{
    char buf[] = "it's\0long";
    unsigned long len = 4;
    sql_bind b = {.type = SQL_TYPE_VARCHAR, .buffer = buf, .data_len = &len, .max_len = sizeof buf};

    CHECK_STR(literal(&b), "'it''s'");
    len = 0;
    CHECK_STR(literal(&b), "''");
    len = 2; /* shorter than before: nothing of the old tail */
    CHECK_STR(literal(&b), "'it'");
    len = 1000000; /* never beyond the buffer */
    CHECK_INT(sql_bind_length(&b), sizeof buf);
    len = 9; /* a NUL byte is data */
    CHECK_INT(sql_bind_length(&b), 9);
    b.data_len = NULL;
    CHECK_STR(literal(&b), "'it''s'");
    b.max_len = 2;
    CHECK_STR(literal(&b), "'it'");
}

static void test_null(void)
{
    int64_t v = 7;
    char is_null = 1;
    sql_bind b = {.type = SQL_TYPE_INT, .buffer = &v, .is_null = &is_null};

    CHECK_STR(literal(&b), "NULL");
    is_null = 0; /* read anew each time */
    CHECK_STR(literal(&b), "7");
    b.buffer = NULL;
    CHECK_STR(literal(&b), "NULL");
    CHECK_INT(sql_bind_length(&b), 0);
    b = (sql_bind){.type = SQL_TYPE_NONE, .buffer = &v};
    CHECK_STR(literal(&b), "NULL");
}

/* Stores the text of a column in a bound buffer. */
static void test_store(void)
{
    static const struct {
        const char *text;
        int64_t i;
        double d;
    } numbers[] = {
        {"0", 0, 0},
        {"-42", -42, -42},
        {"2.5", 2, 2.5},
        {"-2.9", -2, -2.9},
        {"1e3", 1000, 1000},
        {"9223372036854775807", INT64_MAX, 9223372036854775807.0},
        {"9007199254740993", 9007199254740993, 9007199254740992.0},
        {"", 0, 0},
        {"text", 0, 0},
    };
    int64_t i;
    double d;
    char bytes[] = "######", is_null = 7;
    unsigned long len = 0;
    sql_bind b = {.type = SQL_TYPE_CHAR,
                  .buffer = bytes,
                  .data_len = &len,
                  .max_len = 4,
                  .is_null = &is_null};

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        sql_bind_store(&(sql_bind){.type = SQL_TYPE_INT, .buffer = &i}, numbers[k].text,
                       strlen(numbers[k].text));
        sql_bind_store(&(sql_bind){.type = SQL_TYPE_FLOAT, .buffer = &d}, numbers[k].text,
                       strlen(numbers[k].text));
        CHECK_INT(i, numbers[k].i);
        CHECK_NEAR(d, numbers[k].d, 0);
    }
    i = 77;
    sql_bind_store(&(sql_bind){.type = SQL_TYPE_BIGINT, .buffer = &i}, "12345",
                   2); /* no NUL behind it */
    CHECK_INT(i, 12);

    char many[600]; /* digits, more than a number ever has: those that fit count */
    memset(many, '1', sizeof many);
    memcpy(many, "0.", 2);
    sql_bind_store(&(sql_bind){.type = SQL_TYPE_DOUBLE, .buffer = &d}, many, sizeof many);
    CHECK_NEAR(d, 1.0 / 9, 1e-15);

    sql_bind_store(&b, "abcdef", 6); /* its whole length, what fits of it */
    CHECK(len == 6 && is_null == 0 && memcmp(bytes, "abcd##", 6) == 0);
    sql_bind_store(&b, "x", 1);
    CHECK(len == 1 && memcmp(bytes, "xbcd##", 6) == 0);
    sql_bind_store(&b, NULL, 0);
    CHECK(len == 0 && is_null == 1 && memcmp(bytes, "xbcd##", 6) == 0);
    sql_bind_store(&(sql_bind){.type = SQL_TYPE_CHAR}, "x", 1); /* nowhere to put it */
}

/* --- templates --- */

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

/* With these parameters; valid until the next call. */
static const char *expanded(const char *text, size_t len, unsigned lex, const sql_bind *params)
{
    static struct str out;
    struct sql_template t;

    sql_template_init(&t, text, len, lex);
    sql_template_expand(&t, params, angle, NULL, &out);
    sql_template_fini(&t);
    return str_cstr(&out);
}

static void test_cases(void)
{
    static char names[16][4];
    static unsigned long lens[16];
    sql_bind params[16];

    for (int i = 0; i < 16; i++) {
        lens[i] = (unsigned long)snprintf(names[i], sizeof names[i], "%d", i + 1);
        params[i] = (sql_bind){.type = SQL_TYPE_CHAR,
                               .buffer = names[i],
                               .data_len = &lens[i],
                               .max_len = sizeof names[i]};
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = expanded(cases[i].text, strlen(cases[i].text), cases[i].lex, params);
        CHECK_STR(got, cases[i].want);
    }
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
    static char far[1 << 20];
    int64_t a = -1, b = 2;
    sql_bind params[] = {{.type = SQL_TYPE_INT, .buffer = &a},
                         {.type = SQL_TYPE_INT, .buffer = &a},
                         {.type = SQL_TYPE_INT, .buffer = &b}};

    CHECK_STR(expanded("5-?+?-?", 7, SQL_LEX_PGSQL, params), "5- -1+-1-2");
    CHECK_STR(expanded("-?", 2, SQL_LEX_PGSQL, params), "- -1");
    /* behind a long text nothing but the number moves */
    memset(far, '5', sizeof far);
    memcpy(far + sizeof far - 2, "-?", 2);
    CHECK_STR(expanded(far, sizeof far, SQL_LEX_PGSQL, params) + sizeof far - 2, "- -1");
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
    for (size_t n = 1; n < 64; n++) { /* never too short */
        sql_template_init(&t, text.s, 2 * n, MYSQL_LEX);
        CHECK(malloc_usable_size(t.placeholders) >= n * sizeof *t.placeholders);
        sql_template_fini(&t);
    }
    str_free(&out);
    str_free(&text);
    free(params);
}

TEST_MAIN(sql_bind_test)
{
    test_kinds();
    test_integers();
    test_doubles();
    test_strings();
    test_null();
    test_store();

    test_cases();
    test_again();
    test_minus();
    test_number();
    test_many();
    return test_done("sql_bind");
}
