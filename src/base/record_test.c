/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A record of every type: merged by each rule, as text and back.
 */
#include "base/record.h"

#include <limits.h>

#include "base/test.h"

struct thing {
    unsigned have;
    bool flag;
    int errors;
    int64_t first, last;
    uint64_t bytes[3];
    double load;
    char name[8];
    const char *why;
};

static const struct record_field fields[] = {
    {RECORD_AT(struct thing, have), .name = "have"},
    {RECORD_AT(struct thing, flag), .name = "flag"},
    {RECORD_AT(struct thing, errors), .name = "errors", .merge = RECORD_SUM},
    {RECORD_AT(struct thing, first), .name = "first", .merge = RECORD_LEAST},
    {RECORD_AT(struct thing, last), .name = "last", .merge = RECORD_MOST},
    {RECORD_AT(struct thing, bytes), .name = "bytes", .merge = RECORD_SUM},
    {RECORD_AT(struct thing, load), .name = "load", .merge = RECORD_SUM},
    {RECORD_AT(struct thing, name), .name = "name", .merge = RECORD_KEEP},
    {RECORD_AT(struct thing, why), .name = "why", .merge = RECORD_KEEP},
};
static const struct record record = RECORD("thing", fields);

static const struct record_field *row(const char *name)
{
    size_t i = 0;

    while (strcmp(fields[i].name, name) != 0)
        i++;
    return &fields[i];
}

static void types(void)
{
    struct thing t = {.errors = -3};

    CHECK_INT(row("flag")->type, RECORD_BOOL);
    CHECK_INT(row("name")->type, RECORD_TEXT);
    CHECK_INT(row("why")->type, RECORD_STRING);
    CHECK_INT(record_count(row("bytes")), 3);
    CHECK_INT(record_count(row("name")), 1);
    CHECK(record_at(row("bytes"), &t, 2) == &t.bytes[2]);
}

static void merge(void)
{
    struct thing a = {.have = 1, .errors = 1, .first = -1, .last = 7, .bytes = {1, 2, 3}};
    struct thing b = {.have = 2,
                      .flag = true,
                      .errors = 2,
                      .first = 5,
                      .last = 6,
                      .bytes = {10, 20, 30},
                      .load = 1.5,
                      .name = "b",
                      .why = "so"};
    struct thing c = {.errors = 4, .first = -1, .last = 9, .name = "c"};
    struct thing copy = {0};

    record_merge(&record, &a, &b);
    record_merge(&record, &a, &c);
    CHECK_INT(a.have, 1);
    CHECK(!a.flag);
    CHECK_INT(a.errors, 7);
    CHECK_INT(a.first, 5);
    CHECK_INT(a.last, 9);
    CHECK(a.bytes[0] == 11 && a.bytes[1] == 22 && a.bytes[2] == 33);
    CHECK(a.load == 1.5);
    CHECK_STR(a.name, "b");
    CHECK_STR(a.why, "so");
    b.first = 3;
    record_merge(&record, &a, &b);
    CHECK_INT(a.first, 3);
    record_copy(&record, &copy, &a);
    CHECK_STR(copy.name, "b");
    CHECK_INT(copy.bytes[2], a.bytes[2]);
}

/* A record within another one is merged by its own rules, and is not in a text. */
static void inside(void)
{
    struct pair {
        uint64_t before;
        struct thing thing;
    } a = {1, {.errors = 1, .name = "a"}}, b = {2, {.errors = 2, .load = 0.5}};
    static const struct record_field pair_fields[] = {
        {RECORD_AT(struct pair, before), .name = "before", .merge = RECORD_MOST},
        {RECORD_OF(struct pair, thing, &record), .name = "thing"},
        {RECORD_AT(struct pair, thing.errors)}, /* without a name */
    };
    static const struct record pair = RECORD("pair", pair_fields);
    struct str out = STR_INIT;

    record_merge(&pair, &a, &b);
    CHECK(a.before == 2 && a.thing.errors == 3 && a.thing.load == 0.5);
    CHECK_STR(a.thing.name, "a");
    record_write(&pair, &out, &a);
    CHECK_STR(str_cstr(&out), " before=2");
    str_reset(&out);
    str_adds(&out, "before=7 thing=5");
    record_parse(&pair, &a, str_cstr(&out));
    CHECK(a.before == 7 && a.thing.errors == 3);
    str_free(&out);
}

static void text(void)
{
    struct thing a = {.have = 3,
                      .flag = true,
                      .errors = INT_MIN,
                      .first = -1,
                      .last = INT64_C(1) << 61,
                      .bytes = {UINT64_MAX, 0, 1},
                      .load = 0.1,
                      .name = "x y"};
    struct thing b = {.name = "own"};
    struct str s = STR_INIT;

    record_write(&record, &s, &a);
    CHECK_STR(str_cstr(&s), " have=3 flag=1 errors=-2147483648 first=-1 last=2305843009213693952"
                            " bytes=18446744073709551615,0,1 load=0.10000000000000001");
    record_parse(&record, &b, str_cstr(&s));
    CHECK_STR(b.name, "own");
    memcpy(b.name, a.name, sizeof b.name);
    CHECK(b.have == a.have && b.flag && b.errors == a.errors && b.first == a.first);
    CHECK(b.last == a.last && memcmp(b.bytes, a.bytes, sizeof a.bytes) == 0 && b.load == a.load);
    /* what another side may send */
    record_parse(&record, &b,
                 "errors=99999999999 first=9223372036854775807 last=-9223372036854775808 have=-1 "
                 "more=1 name=x flag bytes=5 =7");
    CHECK_INT(b.errors, INT_MAX);
    CHECK_INT(b.first, (INT64_C(1) << 62) - 1);
    CHECK_INT(b.last, -((INT64_C(1) << 62) - 1));
    CHECK_INT(b.have, 0);
    CHECK(b.bytes[0] == 5 && b.bytes[2] == 1);
    CHECK_STR(b.name, "x y");
    str_free(&s);
}

TEST_MAIN(record_test)
{
    types();
    merge();
    inside();
    text();
    return test_done("record");
}
