/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Seeding.  The sequence of seeds is an additive generator (x^31 + x^3 + 1) that a minimal standard
 * one fills (16807, modulo 2^31 - 1), the first 310 numbers of which are not used.
 */
#include "base/rng.h"

enum { LONG = 31, SHORT = 3, UNUSED = 310 };

void rng_seeder_init(struct rng_seeder *s, uint32_t seed)
{
    int64_t word = (int32_t)(seed ? seed : 1);

    for (s->at = 0; s->at < LONG; s->at++) {
        s->state[s->at] = (uint32_t)word;
        word = 16807 * word % INT32_MAX;
        word += word < 0 ? INT32_MAX : 0;
    }
    s->at = SHORT;
    for (int i = 0; i < UNUSED; i++)
        rng_seeder_draw(s);
}

uint32_t rng_seeder_draw(struct rng_seeder *s)
{
    uint32_t *oldest = &s->state[s->at];

    *oldest += s->state[(s->at + LONG - SHORT) % LONG];
    s->at = (s->at + 1) % LONG;
    return *oldest >> 1;
}

void rng_seed(struct rng *r, struct rng_seeder *s)
{
    for (int i = 0; i < 2; i++) {
        uint64_t hi = rng_seeder_draw(s);
        uint64_t lo = rng_seeder_draw(s);
        r->s[i] = (hi << 32) | lo;
    }
}

static uint64_t splitmix64(uint64_t *x)
{
    uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void rng_seed_pair(struct rng *r, uint64_t seed, uint64_t purpose)
{
    uint64_t x = seed ^ (purpose * UINT64_C(0xd1342543de82ef95));
    r->s[0] = splitmix64(&x);
    r->s[1] = splitmix64(&x) | 1; /* all zero is the one state the generator cannot leave */
}

/* --- many draws at once --- */

void rng_skip_init(struct rng_skip *s, unsigned draws)
{
    for (unsigned g = 0; g < RNG_SKIP_GROUPS; g++) {
        s->after[g][0] = (struct rng){{0, 0}};
        for (unsigned v = 1; v < 16; v++) {
            unsigned low = v & -v, bit = 4 * g + (unsigned)__builtin_ctz(low);
            struct rng r = {{0, 0}}; /* what a state with this one bit becomes */
            const struct rng *rest = &s->after[g][v ^ low];
            r.s[bit / 64] = UINT64_C(1) << (bit % 64);
            for (unsigned i = 0; i < draws; i++)
                rng_next(&r);
            s->after[g][v] = (struct rng){{r.s[0] ^ rest->s[0], r.s[1] ^ rest->s[1]}};
        }
    }
}
