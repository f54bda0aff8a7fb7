/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See load_digits.h.  The digits of a lane gather in one word, the oldest in its lowest byte: eight
 * of them are stored at once, then three and the '-'.
 */
#include "sql/load_digits.h"

#include <string.h>

#define LANE(type) __attribute__((vector_size(LOAD_LANES * sizeof(type)))) type
#define INLINE     static inline __attribute__((always_inline))

typedef LANE(uint64_t) words;
typedef LANE(double) doubles;
typedef LANE(int32_t) ints;

struct lanes {
    words s0, s1, text;
};

#define ROTL(x, k) (((x) << (k)) | ((x) >> (64 - (k))))

/* rng_next(), then rng_double() * 10 without its fraction: 52 bits behind a 1 are the double 1.x,
 * exactly. */
INLINE void draw(struct lanes *l)
{
    words x = l->s0 + l->s1, t = l->s1 ^ l->s0;
    doubles u = (doubles)((x >> 12) | UINT64_C(0x3ff0000000000000)) - 1.0;

    l->s0 = ROTL(l->s0, 55) ^ t ^ (t << 14);
    l->s1 = ROTL(t, 36);
    t = __builtin_convertvector(__builtin_convertvector(u * 10, ints), words);
    l->text = l->text >> 8 | (t + '0') << 56;
}

INLINE void store(const words *text, unsigned at, size_t n, char out[LOAD_LANES][LOAD_DIGITS_BYTES])
{
    for (int i = 0; i < LOAD_LANES; i++) {
        uint64_t w = (*text)[i];
        memcpy(out[i] + at, &w, n);
    }
}

INLINE void group(struct lanes *l, unsigned at, char out[LOAD_LANES][LOAD_DIGITS_BYTES])
{
    for (int i = 0; i < 8; i++)
        draw(l);
    store(&l->text, at, 8, out);
    for (int i = 8; i < LOAD_GROUP; i++)
        draw(l);
    l->text = l->text >> 40 | (uint64_t)'-' << 24;
    store(&l->text, at + 8, 4, out);
}

INLINE void all_groups(const struct rng stream[LOAD_LANES], char out[LOAD_LANES][LOAD_DIGITS_BYTES])
{
    struct lanes l = {.text = {0}};

    for (int i = 0; i < LOAD_LANES; i++) {
        l.s0[i] = stream[i].s[0];
        l.s1[i] = stream[i].s[1];
    }
    for (unsigned g = 0; g < LOAD_GROUPS; g++)
        group(&l, g * (LOAD_GROUP + 1), out);
}

#if defined __x86_64__
__attribute__((target("avx2"))) static void with_avx2(const struct rng stream[LOAD_LANES],
                                                      char out[LOAD_LANES][LOAD_DIGITS_BYTES])
{
    all_groups(stream, out);
}
#endif

void load_digits(const struct rng stream[LOAD_LANES], char out[LOAD_LANES][LOAD_DIGITS_BYTES])
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        with_avx2(stream, out);
        return;
    }
#endif
    all_groups(stream, out);
}
