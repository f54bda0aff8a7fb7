/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See siphash.h.
 */
#include "base/siphash.h"

#include <endian.h>
#include <string.h>

static uint64_t rotated(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

static void mix(uint64_t v[4], int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotated(v[1], 13) ^ v[0];
        v[3] = rotated(v[3], 16) ^ v[2];
        v[0] = rotated(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotated(v[1], 17) ^ v[2];
        v[3] = rotated(v[3], 21) ^ v[0];
        v[2] = rotated(v[2], 32);
    }
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, 2);
    v[0] ^= word;
}

/* Of n bytes, at most 8. */
static uint64_t word_of(const unsigned char *p, size_t n)
{
    uint64_t w = 0;

    memcpy(&w, p, n);
    return le64toh(w);
}

uint64_t siphash(const unsigned char key[SIPHASH_KEY], const void *text, size_t n)
{
    const uint64_t k0 = word_of(key, 8), k1 = word_of(key + 8, 8);
    uint64_t v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
                     k1 ^ 0x7465646279746573};
    const unsigned char *p = text;
    size_t left = n;

    for (; left >= 8; left -= 8, p += 8)
        absorb(v, word_of(p, 8));
    absorb(v, word_of(p, left) | (uint64_t)n << 56);
    v[2] ^= 0xff;
    mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
