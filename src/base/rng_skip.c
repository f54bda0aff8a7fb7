/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See rng_skip.h.
 */
#include "base/rng_skip.h"

/* What a state with this one bit becomes. */
static struct rng image(unsigned bit, unsigned draws)
{
    struct rng r = {{0, 0}};

    r.s[bit / 64] = UINT64_C(1) << (bit % 64);
    for (unsigned i = 0; i < draws; i++)
        rng_next(&r);
    return r;
}

void rng_skip_init(struct rng_skip *s, unsigned draws)
{
    for (unsigned g = 0; g < RNG_SKIP_GROUPS; g++) {
        s->after[g][0] = (struct rng){{0, 0}};
        for (unsigned v = 1; v < 16; v++) {
            unsigned low = v & -v, bit = 4 * g + (unsigned)__builtin_ctz(low);
            struct rng r = image(bit, draws);
            const struct rng *rest = &s->after[g][v ^ low];
            s->after[g][v] = (struct rng){{r.s[0] ^ rest->s[0], r.s[1] ^ rest->s[1]}};
        }
    }
}
