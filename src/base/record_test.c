/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A record of every type: merged by each rule, subtracted, as text and back.
 */
#include "base/record.h"

#include <limits.h>

#include "base/test.h"

enum { IO = 1, QUEUE = 2 };

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
    {RECORD_AT(struct thing, flag), .name = "flag", .merge = RECORD_LAST},
    {RECORD_AT(struct thing, errors), .name = "errors", .merge = RECORD_SUM},
    {RECORD_AT(struct thing, first), .name = "first", .merge = RECORD_LEAST},
    {RECORD_AT(struct thing, last), .name = "last", .merge = RECORD_MOST},
    {RECORD_AT(struct thing, bytes), .name = "bytes", .merge = RECORD_SUM, .have = IO},
    {RECORD_AT(struct thing, load), .name = "load", .merge = RECORD_SUM, .have = QUEUE},
    {RECORD_AT(struct thing, name), .name = "name", .merge = RECORD_KEEP},
    {RECORD_AT(struct thing, why), .name = "why", .merge = RECORD_KEEP},
};
static const struct record record = RECORD_HAVE("thing", fields, struct thing);

static const struct record_field *row(const char *name)
{
    size_t i = 0;

    while (strcmp(fields[i].name, name) != 0)
        i++;
    return &fields[i];
}

static void types(void)
{
    struct thing t = {.have = IO, .errors = -3, .bytes = {UINT64_MAX, 2, 3}, .load = 0.5};

    CHECK_INT(row("flag")->type, RECORD_BOOL);
    CHECK_INT(row("name")->type, RECORD_TEXT);
    CHECK_INT(row("why")->type, RECORD_STRING);
    CHECK_INT(record_count(row("bytes")), 3);
    CHECK_INT(record_count(row("name")), 1);
    CHECK(record_at(row("bytes"), &t, 2) == &t.bytes[2]);
    CHECK(record_number(&record, row("errors"), &t) == -3);
    CHECK(record_number(&record, row("bytes"), &t) == 18446744073709551616.0);
    CHECK(isnan(record_number(&record, row("load"), &t))); /* not in `have` */
    CHECK(isnan(record_number(&record, row("name"), &t)));
}

static void merge(void)
{
    struct thing a = {.have = IO, .errors = 1, .first = -1, .last = 7, .bytes = {1, 2, 3}};
    struct thing b = {.have = IO | QUEUE,
                      .flag = true,
                      .errors = 2,
                      .first = 5,
                      .last = 6,
                      .bytes = {10, 20, 30},
                      .load = 1.5,
                      .name = "b",
                      .why = "so"};
    struct thing c = {.errors = 4, .first = -1, .last = 9, .bytes = {9, 9, 9}, .name = "c"};
    struct thing copy = {0};

    record_merge(&record, &a, &b);
    record_merge(&record, &a, &c);
    CHECK_INT(a.have, IO | QUEUE);
    CHECK(!a.flag);
    CHECK_INT(a.errors, 7);
    CHECK_INT(a.first, 5);
    CHECK_INT(a.last, 9);
    CHECK(a.bytes[0] == 11 && a.bytes[1] == 22 && a.bytes[2] == 33); /* c has none */
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

static void difference(void)
{
    struct thing a = {.have = IO | QUEUE, .errors = 5, .last = 1, .bytes = {1, 2, 3}, .load = 1};
    struct thing b = {.have = IO | QUEUE, .errors = 7, .last = 2, .bytes = {4, 4, 4}, .load = 3};
    struct thing d = {0};

    CHECK(record_diff(&record, &a, &b, &d));
    CHECK_INT(d.have, IO | QUEUE);
    CHECK_INT(d.errors, 2);
    CHECK_INT(d.last, 2);
    CHECK(d.bytes[0] == 3 && d.bytes[1] == 2 && d.bytes[2] == 1);
    CHECK(d.load == 2);
    b.bytes[1] = 1;
    CHECK(!record_diff(&record, &a, &b, &d));
    CHECK_INT(d.have, QUEUE);
    CHECK_INT(d.bytes[1], 0);
    a.have = 0;
    CHECK(record_diff(&record, &a, &b, &d));
    CHECK_INT(d.have, 0);
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
    difference();
    text();
    return test_done("record");
}
