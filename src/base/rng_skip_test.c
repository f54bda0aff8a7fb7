/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A skip is as many draws as it says, for every bit of a state.
 */
#include "base/rng.h"

#include "base/test.h"

static void check_skip(const struct rng_skip *s, struct rng r, unsigned draws)
{
    struct rng walked = r;

    for (unsigned i = 0; i < draws; i++)
        rng_next(&walked);
    rng_skip(s, &r);
    CHECK(r.s[0] == walked.s[0] && r.s[1] == walked.s[1]);
}

TEST_MAIN(rng_skip_test)
{
    static const unsigned draws[] = {0, 1, 2, 55, 165, 1000};
    static struct rng_skip s;
    struct rng r;

    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        rng_skip_init(&s, draws[i]);
        check_skip(&s, (struct rng){{0, 0}}, draws[i]);
        check_skip(&s, (struct rng){{UINT64_MAX, UINT64_MAX}}, draws[i]);
        for (unsigned bit = 0; bit < 128; bit++)
            check_skip(&s,
                       (struct rng){{bit < 64 ? UINT64_C(1) << bit : 0,
                                     bit < 64 ? 0 : UINT64_C(1) << (bit - 64)}},
                       draws[i]);
        rng_seed_pair(&r, 42, draws[i]);
        for (int n = 0; n < 100; n++) {
            check_skip(&s, r, draws[i]);
            rng_next(&r);
        }
    }
    return test_done("rng_skip_test");
}
