/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See uniq.h for the definition.  The position is the only thing that changes, so one atomic
 * addition is all that threads share; the arithmetic wraps at 2^32 by itself.
 */
#include "base/uniq.h"

#define PRIME UINT32_C(4294967291)
#define STEP  UINT64_C(2147483647)

static uint32_t permute(uint32_t x)
{
    if (x >= PRIME)
        return x; /* the five numbers that have no residue stay where they are */
    uint32_t r = (uint32_t)((uint64_t)x * x % PRIME);
    return x <= PRIME / 2 ? r : PRIME - r;
}

void uniq_init(struct uniq *u, uint32_t i, uint32_t j)
{
    atomic_init(&u->index, permute(permute(i) + 0x682f0161));
    u->offset = permute(permute(j) + 0x46790905);
    atomic_init(&u->steps, 1);
    u->ranks = 1;
}

void uniq_divide(struct uniq *u, uint32_t rank, uint32_t ranks)
{
    atomic_fetch_add(&u->index, rank);
    atomic_fetch_add(&u->steps, rank);
    u->ranks = ranks;
}

void uniq_seed(struct uniq *u, struct rng_seeder *s)
{
    uint32_t j = rng_seeder_draw(s);
    uint32_t i = rng_seeder_draw(s);

    uniq_init(u, i, j);
}

uint32_t uniq_next(struct uniq *u)
{
    uint32_t x = atomic_fetch_add_explicit(&u->index, u->ranks, memory_order_relaxed);

    return permute((permute(x) + u->offset) ^ 0x5bf03635);
}

uint64_t uniq_step(struct uniq *u, uint64_t n)
{
    uint64_t k = atomic_fetch_add_explicit(&u->steps, u->ranks, memory_order_relaxed);

    return (uint64_t)((unsigned __int128)(k % n) * (STEP % n) % n);
}
