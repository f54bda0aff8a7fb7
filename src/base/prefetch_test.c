/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Noted ranges are prefetched in whole lines; a list is filled once for an object and again for
 * another.
 */
#include "base/prefetch.h"

#include "base/test.h"

#define LINE ((uintptr_t)CACHE_LINE)

/* As the floors above number them. */
enum { PREFETCH_OF_CLIENT, PREFETCH_OF_CONNECTION, PREFETCH_OF_STATEMENT };

static uintptr_t first_of(const struct prefetch_list *l, size_t i)
{
    return l->range[i] & ~(LINE - 1);
}

static size_t lines_of(const struct prefetch_list *l, size_t i)
{
    return (l->range[i] & (LINE - 1)) + 1;
}

static void test_ranges(void)
{
    static CACHE_ALIGNED char memory[2 * 4096];
    struct prefetch_list l = {0};

    prefetch_add(&l, memory, 1);
    prefetch_add(&l, memory, CACHE_LINE);
    prefetch_add(&l, memory, CACHE_LINE + 1);
    prefetch_add(&l, memory + CACHE_LINE - 1, 2); /* two bytes, two lines */
    prefetch_add(&l, memory + 3, 2 * CACHE_LINE);
    prefetch_add(&l, memory, sizeof memory); /* more than a range can be */
    prefetch_add(&l, NULL, 100);
    prefetch_add(&l, memory, 0);
    CHECK_INT(l.n, 6);
    for (size_t i = 0; i < l.n; i++)
        CHECK(first_of(&l, i) == (uintptr_t)memory);
    CHECK_INT(lines_of(&l, 0), 1);
    CHECK_INT(lines_of(&l, 1), 1);
    CHECK_INT(lines_of(&l, 2), 2);
    CHECK_INT(lines_of(&l, 3), 2);
    CHECK_INT(lines_of(&l, 4), 3);
    CHECK_INT(lines_of(&l, 5), CACHE_LINE);
}

static void test_full(void)
{
    static char memory[PREFETCH_RANGES + 5][256];
    struct prefetch_list l = {0};

    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        prefetch_add(&l, memory[i], 1);
    CHECK_INT(l.n, PREFETCH_RANGES);
    CHECK(first_of(&l, PREFETCH_RANGES - 1) ==
          ((uintptr_t)memory[PREFETCH_RANGES - 1] & ~(LINE - 1)));
}

static void test_parts(void)
{
    struct prefetch mine = {0};
    struct prefetch_list *l;
    static int a, b, s;

    CHECK(!prefetch_for(PREFETCH_OF_CONNECTION, &a)); /* nothing is to be noted */
    CHECK(!prefetch_more(PREFETCH_OF_CLIENT));
    prefetch_forget(&a);

    prefetch_here = &mine;
    l = prefetch_for(PREFETCH_OF_CONNECTION, &a);
    CHECK(l && l->n == 0 && l->of == &a);
    prefetch_add(l, &a, sizeof a);
    CHECK(!prefetch_for(PREFETCH_OF_CONNECTION, &a)); /* unchanged */
    CHECK_INT(l->n, 1);
    CHECK(prefetch_for(PREFETCH_OF_STATEMENT, &s) == &mine.part[PREFETCH_OF_STATEMENT]);
    prefetch_add(prefetch_more(PREFETCH_OF_STATEMENT), &s, sizeof s);

    CHECK(prefetch_for(PREFETCH_OF_CONNECTION, &b) == l); /* now another object's: emptied */
    CHECK_INT(l->n, 0);
    prefetch_add(l, &b, sizeof b);
    prefetch_forget(&a);
    CHECK_INT(l->n, 1);
    prefetch_forget(&b);
    CHECK_INT(l->n, 0);
    CHECK_INT(mine.part[PREFETCH_OF_STATEMENT].n, 1);
    CHECK(prefetch_for(PREFETCH_OF_CONNECTION, &b) == l);
    prefetch_here = NULL;
}

/* Memory that is freed, or never was, may be prefetched. */
static void test_anywhere(void)
{
    struct prefetch w = {0};

    for (int i = 0; i < PREFETCH_PARTS; i++) {
        prefetch_add(&w.part[i], (void *)(uintptr_t)64, 4096);
        prefetch_add(&w.part[i], (void *)(UINTPTR_MAX / 2), 4096);
    }
    prefetch_start(&w);
    CHECK_INT(w.part[0].n, 2);
}

TEST_MAIN(prefetch_test)
{
    test_ranges();
    test_full();
    test_parts();
    test_anywhere();
    return test_done("prefetch_test");
}
