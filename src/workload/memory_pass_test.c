/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which words a pass writes.  (Reads leave no trace; they come from the same lines.)
 */
#include "workload/builtin.h"

#include <string.h>

#include "base/test.h"

enum { BLOCK = 1000 }; /* no multiple of 16 words, nor of one */

static unsigned char block[BLOCK + 16] __attribute__((aligned(64)));

/* How many of the block's ints are 0 after a pass; the bytes behind the block stay. */
static int zeros(enum memory_oper oper, bool random, bool ints, uint64_t seed)
{
    struct rng r;
    int n = 0;

    rng_seed_pair(&r, seed, 1);
    memset(block, 1, sizeof block);
    memory_pass_of(oper, random, ints)(block, BLOCK, &r);
    for (int i = 0; i < BLOCK; i += 4)
        n += memcmp(block + i, "\0\0\0\0", 4) == 0;
    for (size_t i = BLOCK; i < sizeof block; i++)
        CHECK_INT(block[i], 1);
    return n;
}

static void in_order(void)
{
    CHECK_INT(zeros(MEMORY_WRITE, false, false, 1), 250);
    CHECK_INT(zeros(MEMORY_WRITE, false, true, 1), 250);
    for (int ints = 0; ints < 2; ints++) {
        CHECK_INT(zeros(MEMORY_READ, false, ints, 1), 0);
        CHECK_INT(zeros(MEMORY_NONE, false, ints, 1), 0);
        CHECK_INT(zeros(MEMORY_READ, true, ints, 1), 0);
        CHECK_INT(zeros(MEMORY_NONE, true, ints, 1), 0);
    }
}

/* 1.0 draws for each word, 0.4 once for the whole block. */
static void at_random(void)
{
    int places[BLOCK / 4] = {0}, different = 0;

    CHECK(zeros(MEMORY_WRITE, true, false, 1) > 100);
    for (uint64_t seed = 0; seed < 100; seed++) {
        CHECK_INT(zeros(MEMORY_WRITE, true, true, seed), 1);
        for (int i = 0; i < BLOCK / 4; i++)
            places[i] += block[4 * i] == 0;
    }
    for (int i = 0; i < BLOCK / 4; i++)
        different += places[i] > 0;
    CHECK(different > 50);
}

TEST_MAIN(memory_pass_test)
{
    in_order();
    at_random();
    return test_done("memory_pass_test");
}
