/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Values to bytes and back, and bytes that are no values.
 */
#include "cluster/codec.h"

#include <limits.h>
#include <stdlib.h>

#include "base/test.h"

static const uint64_t numbers[] = {
    0, 1, 127, 128, 16383, 16384, UINT32_MAX, (uint64_t)1 << 62, INT64_MAX, UINT64_MAX};

static void check_numbers(void)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct str p = STR_INIT;
        struct get g;

        put_u64(&p, numbers[i]);
        put_i64(&p, (int64_t)numbers[i]);
        put_i64(&p, -(int64_t)(numbers[i] >> 1));
        g = get_of(p.s, p.len);
        CHECK(get_u64(&g) == numbers[i]);
        CHECK_INT(get_i64(&g), (int64_t)numbers[i]);
        CHECK_INT(get_i64(&g), -(int64_t)(numbers[i] >> 1));
        CHECK(get_end(&g));
        str_free(&p);
    }
}

static void check_bytes(void)
{
    struct str p = STR_INIT;

    put_u64(&p, 300);
    put_i64(&p, -1);
    put_double(&p, 1.0);
    put_bool(&p, true);
    put_str(&p, "ab");
    put_str(&p, NULL);
    CHECK_INT(p.len, 2 + 1 + 8 + 1 + 3 + 1);
    CHECK(memcmp(p.s, "\254\2\1\0\0\0\0\0\0\360\77\2\2ab\0", p.len) == 0);
    str_free(&p);
}

static void check_doubles(void)
{
    static const double values[] = {0, -0.0, 1.5, -1e300, INFINITY, 5e-324};
    struct str p = STR_INIT;
    struct get g;

    for (size_t i = 0; i < 6; i++)
        put_double(&p, values[i]);
    put_double(&p, NAN);
    g = get_of(p.s, p.len);
    for (size_t i = 0; i < 6; i++)
        CHECK(memcmp(&(double){get_double(&g)}, &values[i], sizeof *values) == 0);
    CHECK(isnan(get_double(&g)));
    CHECK(get_end(&g));
    str_free(&p);
}

static void check_texts(void)
{
    struct str p = STR_INIT;
    struct get g;
    char buf[4], *copy;
    size_t n;

    put_str(&p, "abc");
    put_str(&p, "");
    put_str(&p, "a longer one");
    put_bytes(&p, "\0\1", 2);
    g = get_of(p.s, p.len);
    get_str(&g, buf, sizeof buf);
    CHECK_STR(buf, "abc");
    get_str(&g, buf, sizeof buf);
    CHECK_STR(buf, "");
    copy = get_strdup(&g);
    CHECK_STR(copy, "a longer one");
    free(copy);
    CHECK(memcmp(get_bytes(&g, &n), "\0\1", 2) == 0);
    CHECK_INT(n, 2);
    CHECK(get_end(&g));
    g = get_of(p.s, p.len);
    get_str(&g, buf, 3); /* no room */
    CHECK_STR(buf, "");
    CHECK(g.bad);
    str_free(&p);
}

static bool bad_number(const char *bytes, size_t n)
{
    struct get g = get_of(bytes, n);
    uint64_t v = get_u64(&g);

    return g.bad && v == 0;
}

static void check_bad(void)
{
    struct get g;
    size_t n;

    CHECK(bad_number("\377\377\377\377\377\377\377\377\377\2", 10)); /* more than 64 bits */
    CHECK(bad_number("\200\200\200\200\200\200\200\200\200\200\1", 11));
    CHECK(!bad_number("\377\377\377\377\377\377\377\377\377\1", 10));
    CHECK(bad_number("", 0));
    g = get_of("\5abcd", 5);
    CHECK(get_bytes(&g, &n) == NULL && n == 0 && g.bad);
    g = get_of("\3a\0b", 4);
    char *text = get_strdup(&g);
    CHECK_STR(text, "");
    CHECK(g.bad); /* a NUL within */
    free(text);
    g = get_of("\1x", 2);
    CHECK_INT(get_u64(&g), 1);
    CHECK(!get_end(&g)); /* something is left */
}

static void check_limits(void)
{
    struct str p = STR_INIT;
    struct get g;

    put_i64(&p, 5);
    g = get_of(p.s, p.len);
    CHECK_INT(get_range(&g, 0, 5), 5);
    g = get_of(p.s, p.len);
    CHECK_INT(get_range(&g, 6, 9), 6);
    CHECK(g.bad);
    g = get_of(p.s, p.len);
    CHECK(!get_bool(&g) && g.bad);
    str_free(&p);
}

struct thing {
    bool flag;
    int small;
    unsigned count[2];
    int64_t when;
    uint64_t bytes;
    double pct;
    char name[6];
    const char *borrowed;
};

static const struct record_field thing_fields[] = {
    {RECORD_AT(struct thing, flag), .name = "flag"},
    {RECORD_AT(struct thing, small), .name = "small"},
    {RECORD_AT(struct thing, count), .name = "count"},
    {RECORD_AT(struct thing, when), .name = "when"},
    {RECORD_AT(struct thing, bytes), .name = "bytes"},
    {RECORD_AT(struct thing, pct), .name = "pct"},
    {RECORD_AT(struct thing, name), .name = "name"},
    {RECORD_AT(struct thing, borrowed), .name = "borrowed"},
};
static const struct record thing_record = RECORD("thing", thing_fields);

static void check_records(void)
{
    const struct thing full = {true,       INT_MIN, {UINT_MAX, 7}, INT64_MIN,
                               UINT64_MAX, 12.5,    "12345",       "not sent"};
    struct thing got = {.borrowed = "mine"};
    struct str p = STR_INIT;
    struct get g;
    /* a thing within a record */
    static const struct record_field outer_fields[] = {
        {.type = RECORD_INSIDE, .size = sizeof(struct thing), .of = &thing_record}};
    static const struct record outer = RECORD("outer", outer_fields);

    put_record(&p, &outer, &full);
    g = get_of(p.s, p.len);
    get_record(&g, &thing_record, &got);
    CHECK(get_end(&g));
    got = (struct thing){.borrowed = "mine"};
    g = get_of(p.s, p.len);
    get_record(&g, &outer, &got);
    CHECK(get_end(&g));
    CHECK(got.flag && got.small == INT_MIN && got.count[0] == UINT_MAX && got.count[1] == 7);
    CHECK(got.when == INT64_MIN && got.bytes == UINT64_MAX && got.pct == 12.5);
    CHECK_STR(got.name, "12345");
    CHECK_STR(got.borrowed, "mine");
    for (size_t n = 0; n < p.len; n++) {
        g = get_of(p.s, n);
        get_record(&g, &thing_record, &got);
        CHECK(g.bad && !get_end(&g));
        CHECK_INT(get_u64(&g), 0); /* it stays so */
    }
    str_free(&p);
}

/* Each member of the table alone, from bytes that it cannot hold. */
static void check_bad_records(void)
{
    static const struct {
        size_t field;
        const char *bytes;
        size_t n;
    } t[] = {
        {0, "\4", 1},                    /* 2 is no bool */
        {1, "\377\377\377\377\37", 5},   /* below INT_MIN */
        {1, "\200\200\200\200\20", 5},   /* above INT_MAX */
        {2, "\1\200\200\200\200\20", 6}, /* the second one is above UINT_MAX */
        {6, "\6abcdef", 7},              /* as long as its place */
        {6, "\3a\0b", 4},                /* a NUL within */
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const struct record one = {"one", &thing_fields[t[i].field], 1};
        struct get g = get_of(t[i].bytes, t[i].n);
        struct thing got;

        get_record(&g, &one, &got);
        CHECK(g.bad);
    }
}

TEST_MAIN(codec_test)
{
    check_records();
    check_bad_records();
    check_numbers();
    check_bytes();
    check_doubles();
    check_texts();
    check_bad();
    check_limits();
    return test_done("codec_test");
}
