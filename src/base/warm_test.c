/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is noted is what is asked for: stretches in whole lines, one list for each part, filled once
 * for the same thing and anew when it has changed.
 */
#include "base/warm.h"

#include "base/test.h"

#define LINE ((uintptr_t)CACHE_LINE)

static uintptr_t first_of(const struct warm_list *l, size_t i)
{
    return l->stretch[i] & ~(LINE - 1);
}

static size_t lines_of(const struct warm_list *l, size_t i)
{
    return (l->stretch[i] & (LINE - 1)) + 1;
}

static void test_stretches(void)
{
    static CACHE_ALIGNED char room[2 * 4096];
    struct warm_list l = {0};

    warm_add(&l, room, 1);
    warm_add(&l, room, CACHE_LINE);
    warm_add(&l, room, CACHE_LINE + 1);
    warm_add(&l, room + CACHE_LINE - 1, 2); /* two bytes, two lines */
    warm_add(&l, room + 3, 2 * CACHE_LINE);
    warm_add(&l, room, sizeof room); /* more than a stretch can be */
    warm_add(&l, NULL, 100);
    warm_add(&l, room, 0);
    CHECK_INT(l.n, 6);
    for (size_t i = 0; i < l.n; i++)
        CHECK(first_of(&l, i) == (uintptr_t)room);
    CHECK_INT(lines_of(&l, 0), 1);
    CHECK_INT(lines_of(&l, 1), 1);
    CHECK_INT(lines_of(&l, 2), 2);
    CHECK_INT(lines_of(&l, 3), 2);
    CHECK_INT(lines_of(&l, 4), 3);
    CHECK_INT(lines_of(&l, 5), CACHE_LINE);
}

static void test_full(void)
{
    static char room[WARM_STRETCHES + 5][256];
    struct warm_list l = {0};

    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        warm_add(&l, room[i], 1);
    CHECK_INT(l.n, WARM_STRETCHES);
    CHECK(first_of(&l, WARM_STRETCHES - 1) == ((uintptr_t)room[WARM_STRETCHES - 1] & ~(LINE - 1)));
}

static void test_parts(void)
{
    struct warm mine = {0};
    struct warm_list *l;
    static int a, b, s;

    CHECK(!warm_for(WARM_CONNECTION, &a)); /* nobody wants to know */
    CHECK(!warm_more(WARM_CLIENT));
    warm_forget(&a);

    warm_here = &mine;
    l = warm_for(WARM_CONNECTION, &a);
    CHECK(l && l->n == 0 && l->of == &a);
    warm_add(l, &a, sizeof a);
    CHECK(!warm_for(WARM_CONNECTION, &a)); /* as it was */
    CHECK_INT(l->n, 1);
    CHECK(warm_for(WARM_STATEMENT, &s) == &mine.part[WARM_STATEMENT]);
    warm_add(warm_more(WARM_STATEMENT), &s, sizeof s);

    CHECK(warm_for(WARM_CONNECTION, &b) == l); /* another one's: emptied */
    CHECK_INT(l->n, 0);
    warm_add(l, &b, sizeof b);
    warm_forget(&a);
    CHECK_INT(l->n, 1);
    warm_forget(&b);
    CHECK_INT(l->n, 0);
    CHECK_INT(mine.part[WARM_STATEMENT].n, 1);
    CHECK(warm_for(WARM_CONNECTION, &b) == l);
    warm_here = NULL;
}

/* Addresses of what is gone, or never was, are asked for like others. */
static void test_anywhere(void)
{
    struct warm w = {0};

    for (int i = 0; i < WARM_PARTS; i++) {
        warm_add(&w.part[i], (void *)(uintptr_t)64, 4096);
        warm_add(&w.part[i], (void *)(UINTPTR_MAX / 2), 4096);
    }
    warm_fetch(&w);
    CHECK_INT(w.part[0].n, 2);
}

int main(void)
{
    test_stretches();
    test_full();
    test_parts();
    test_anywhere();
    return test_done("warm_test");
}
