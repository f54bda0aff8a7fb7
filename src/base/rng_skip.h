/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Skips a fixed number of draws of a stream at the cost of a few: 165 of them in 15 ns.  The state
 * of the generator after n draws is a linear function of the state before, bit by bit (only shifts,
 * rotations and xor), so a table of what each group of four bits leads to, joined by xor, replaces
 * the draws.  So a thread can begin in the middle of a table with the rows that one thread alone
 * would have made there (sql/load_rows.h).  Constant after rng_skip_init(): any thread may use it.
 */
#ifndef SB_BASE_RNG_SKIP_H
#define SB_BASE_RNG_SKIP_H

#include "base/rng.h"

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
