/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A record of every type: merged by each rule, as text and back.
 */
#include "base/record.h"

#include <limits.h>

#include "base/test_golden.h"

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

static struct str out;

/* What it has; its texts, too. */
static void show(const struct thing *t, const char *title)
{
    record_write(&record, &out, t);
    golden(&out, "%s: %s, %s", title, t->name, t->why ? t->why : "-");
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

    show(&a, "a");
    show(&b, "b");
    record_merge(&record, &a, &b);
    show(&a, "a, merged with b");
    show(&c, "c");
    record_merge(&record, &a, &c);
    show(&a, "a, merged with c");
    b.first = 3;
    record_merge(&record, &a, &b);
    show(&a, "a, merged with a b that began earlier");
    record_copy(&record, &copy, &a);
    show(&copy, "a copy");
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

    record_merge(&pair, &a, &b);
    CHECK(a.before == 2 && a.thing.errors == 3 && a.thing.load == 0.5);
    CHECK_STR(a.thing.name, "a");
    record_write(&pair, &out, &a);
    CHECK_STR(str_cstr(&out), " before=2");
    str_reset(&out);
    str_adds(&out, "before=7 thing=5");
    record_parse(&pair, &a, str_cstr(&out));
    CHECK(a.before == 7 && a.thing.errors == 3);
    str_reset(&out);
}

static void text(void)
{
    const struct thing a = {.have = 3,
                            .flag = true,
                            .errors = INT_MIN,
                            .first = -1,
                            .last = INT64_C(1) << 61,
                            .bytes = {UINT64_MAX, 0, 1},
                            .load = 0.1,
                            .name = "x y"};
    struct thing b = {.name = "own"};
    struct str s = STR_INIT;

    show(&a, "as text");
    record_write(&record, &s, &a);
    record_parse(&record, &b, str_cstr(&s));
    show(&b, "and back");
    CHECK(memcmp(b.bytes, a.bytes, sizeof a.bytes) == 0 && b.load == a.load);
    /* what another side may send */
    record_parse(&record, &b,
                 "errors=99999999999 first=9223372036854775807 last=-9223372036854775808 have=-1 "
                 "more=1 name=x flag bytes=5 =7");
    show(&b, "by another side");
    str_free(&s);
}

TEST_MAIN(record_test)
{
    merge();
    inside();
    text();
    str_free(&out);
    golden_done("record");
    return test_done("record");
}
