/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Seedable random streams, one per purpose and client, so that the same seed gives the same
 * arrivals and the same keys whatever the scheduling.  The generator is xoroshiro128+ (Blackman and
 * Vigna 2016, public domain, constants 55 14 36); drop-in means bit-identical to the draws of stock
 * scripts.  A stream is not shared between threads.
 */
#ifndef SB_BASE_RNG_H
#define SB_BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t s[2];
};

static inline uint64_t rng_rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static inline uint64_t rng_next(struct rng *r)
{
    const uint64_t s0 = r->s[0];
    uint64_t s1 = r->s[1];
    const uint64_t result = s0 + s1;

    s1 ^= s0;
    r->s[0] = rng_rotl(s0, 55) ^ s1 ^ (s1 << 14);
    r->s[1] = rng_rotl(s1, 36);
    return result;
}

/* Uniform in [0,1): the upper 52 bits. */
static inline double rng_double(struct rng *r)
{
    return (double)(int64_t)(rng_next(r) >> 12) * 0x1.0p-52;
}

/*
 * The source of seeds: the sequence of glibc's random(3) by default, whatever the C library is, in
 * a state of our own, so that libraries which call random() cannot disturb it.  Only the main
 * thread draws from it.
 */
struct rng_seeder {
    uint32_t state[31];
    unsigned at;
};

void rng_seeder_init(struct rng_seeder *s, uint32_t seed); /* 1: as a process begins */
uint32_t rng_seeder_draw(struct rng_seeder *s);            /* one random() value, 31 bits */

/* Fills a stream from four draws: word = (r1 << 32) | r2, twice. */
void rng_seed(struct rng *r, struct rng_seeder *s);

/* A stream that depends on nothing but the two numbers (splitmix64), for our own purposes
 * (arrivals, jitter), which must not disturb the drop-in streams. */
void rng_seed_pair(struct rng *r, uint64_t seed, uint64_t purpose);

/* --- many draws at once ---
 *
 * Skips a fixed number of draws of a stream at the cost of a few: 165 of them in 15 ns.  The state
 * of the generator after n draws is a linear function of the state before, bit by bit (only shifts,
 * rotations and xor), so a table of what each group of four bits leads to, joined by xor, replaces
 * the draws.  So a thread can begin in the middle of a table with the rows that one thread alone
 * would have made there (sql/load.h).  Constant after rng_skip_init(): any thread may use it.
 */
#define RNG_SKIP_GROUPS 32 /* of four bits, in the 128 of a state */

struct rng_skip {
    struct rng after[RNG_SKIP_GROUPS][16];
};

/* For `draws` draws, each of which is one rng_next(). */
void rng_skip_init(struct rng_skip *s, unsigned draws);

static inline void rng_skip(const struct rng_skip *s, struct rng *r)
{
    uint64_t a = 0, b = 0;

    for (unsigned g = 0; g < RNG_SKIP_GROUPS; g++) {
        const struct rng *to = &s->after[g][r->s[g / 16] >> (g % 16 * 4) & 15];
        a ^= to->s[0];
        b ^= to->s[1];
    }
    r->s[0] = a;
    r->s[1] = b;
}

#endif
