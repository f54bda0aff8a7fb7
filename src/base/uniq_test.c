/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Unique numbers: stock's sequence (printed by sysbench 1.0.20), the definition, which permutes all
 * numbers twice, recomputed step by step across the end of the 32-bit index, and no repeats between
 * threads.
 */
#include "base/uniq.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/test.h"

static void test_stock_sequence(void)
{
    static const uint32_t want[] = {2672933100, 2916245674, 2834291422, 4086920756, 1846093984,
                                    2595986641, 312879206,  2476484175, 1279055302, 1297962468,
                                    331906944,  1133231035, 1204258518, 3829536751, 3482196317,
                                    3212208899, 3400313836, 593594895,  2335575941, 3237786426,
                                    3908515941, 1630133703, 2273817107, 222213550};
    struct rng_seeder s;
    struct rng main_stream;
    struct uniq u;

    rng_seeder_init(&s, 1);
    rng_seed(&main_stream, &s); /* the main thread's four values come first */
    uniq_seed(&u, &s);
    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        CHECK_INT(uniq_next(&u), want[k]);
}

static uint32_t perm(uint64_t x)
{
    const uint64_t p = 4294967291u;

    if (x >= p)
        return (uint32_t)x;
    return (uint32_t)(x <= p / 2 ? x * x % p : p - x * x % p);
}

static void test_definition(void)
{
    static const uint32_t seeds[] = {0,          1,          2,          2147483645,
                                     2147483646, 4294967290, 4294967291, 4294967295};
    int bad = 0;

    for (size_t n = 0; n < 64; n++) {
        uint32_t i = seeds[n / 8], j = seeds[n % 8];
        uint32_t s = perm((uint32_t)(perm(i) + 0x682f0161u)),
                 o = perm((uint32_t)(perm(j) + 0x46790905u));
        struct uniq u;
        uniq_init(&u, i, j);
        atomic_fetch_sub(&u.index, n % 2 ? 500 : 0); /* it walks over the wrap-around */
        for (uint32_t k = n % 2 ? -500u : 0, end = k + 1000; k != end; k++)
            bad += uniq_next(&u) != perm((uint32_t)(perm((uint32_t)(s + k)) + o) ^ 0x5bf03635u);
    }
    CHECK_INT(bad, 0);
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

enum { THREADS = 4, PER_THREAD = 50000 };

struct taker {
    struct uniq *u;
    uint32_t *out;
};

static void *take_many(void *arg)
{
    struct taker *t = arg;

    for (int i = 0; i < PER_THREAD; i++)
        t->out[i] = uniq_next(t->u);
    return NULL;
}

/* Together the threads got exactly the first elements, each once. */
static void test_threads(void)
{
    enum { N = THREADS * PER_THREAD };
    uint32_t *got = mem_array(N, sizeof *got), *want = mem_array(N, sizeof *want);
    struct taker takers[THREADS];
    pthread_t threads[THREADS];
    struct uniq u;

    uniq_init(&u, 7, 8);
    for (int i = 0; i < N; i++)
        want[i] = uniq_next(&u);
    uniq_init(&u, 7, 8);
    for (int i = 0; i < THREADS; i++) {
        takers[i] = (struct taker){&u, got + (size_t)i * PER_THREAD};
        CHECK_INT(pthread_create(&threads[i], NULL, take_many, &takers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    qsort(got, N, sizeof *got, compare_u32);
    qsort(want, N, sizeof *want, compare_u32);
    CHECK(memcmp(got, want, N * sizeof *got) == 0);
    free(got);
    free(want);
}

/* What 0.4 sent for a table of 1000 rows, one less; then each of n numbers once. */
static void test_steps(void)
{
    enum { N = 10007 };
    static const unsigned want[] = {647, 294, 941};
    char seen[N] = {0};
    struct uniq u;
    int twice = 0;

    uniq_init(&u, 7, 8);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK_INT(uniq_step(&u, 1000), want[i]);
    for (int i = 0; i < N; i++)
        twice += seen[uniq_step(&u, N)]++;
    CHECK_INT(twice, 0);
    CHECK_INT(uniq_step(&u, 1), 0);
    uniq_init(&u, 7, 8);
    CHECK(uniq_step(&u, UINT64_C(1) << 62) == 2147483647);
}

/* Ranks take turns in one sequence: element k of it belongs to rank k mod 3. */
static void test_ranks(void)
{
    enum { RANKS = 3 };
    struct uniq whole, part[RANKS];
    int bad = 0;

    uniq_init(&whole, 7, 8);
    for (uint32_t r = 0; r < RANKS; r++) {
        uniq_init(&part[r], 7, 8);
        uniq_divide(&part[r], r, RANKS);
    }
    for (int k = 0; k < 1000; k++) {
        bad += uniq_next(&part[k % RANKS]) != uniq_next(&whole);
        bad += uniq_step(&part[k % RANKS], 10007) != uniq_step(&whole, 10007);
    }
    CHECK_INT(bad, 0);
}

TEST_MAIN(uniq_test)
{
    test_stock_sequence();
    test_definition();
    test_threads();
    test_steps();
    test_ranks();
    return test_done("uniq_test");
}
