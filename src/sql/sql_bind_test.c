/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Parameter values as SQL text: every type, the three forms of NULL, lengths, doubles that must
 * read back as the same double.
 */
#include "sql/sql_bind.h"

#include <stdlib.h>

#include "base/test.h"

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
    char bytes[6] = "######", is_null = 7;
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

    sql_bind_store(&b, "abcdef", 6); /* its whole length, what fits of it */
    CHECK(len == 6 && is_null == 0 && memcmp(bytes, "abcd##", 6) == 0);
    sql_bind_store(&b, "x", 1);
    CHECK(len == 1 && memcmp(bytes, "xbcd##", 6) == 0);
    sql_bind_store(&b, NULL, 0);
    CHECK(len == 0 && is_null == 1 && memcmp(bytes, "xbcd##", 6) == 0);
    sql_bind_store(&(sql_bind){.type = SQL_TYPE_CHAR}, "x", 1); /* nowhere to put it */
}

TEST_MAIN(sql_bind_test)
{
    test_kinds();
    test_integers();
    test_doubles();
    test_strings();
    test_null();
    test_store();
    return test_done("sql_bind");
}
