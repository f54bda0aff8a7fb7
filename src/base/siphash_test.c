/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The test vectors that the authors published: the key 00 01 ... 0f, and the texts of 0, 1, ...
 * bytes 00 01 02 ...
 */
#include "base/hash.h"

#include "base/test.h"

TEST_MAIN(siphash_test)
{
    static const struct {
        size_t n;
        uint64_t hash;
    } t[] = {{0, 0x726fdb47dd0e0e31},  {1, 0x74f839c593dc67fd},  {2, 0x0d6c8009d9a94f5a},
             {3, 0x85676696d7fb7e2d},  {7, 0xab0200f58b01d137},  {8, 0x93f5f5799a932462},
             {15, 0xa129ca6149be45e5}, {16, 0x3f2acc7f57c29bdb}, {63, 0x958a324ceb064572}};
    unsigned char key[SIPHASH_KEY], text[64];

    for (unsigned char i = 0; i < sizeof text; i++) {
        text[i] = i;
        if (i < sizeof key)
            key[i] = i;
    }
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        TEST_REPORT(siphash(key, text, t[i].n) == t[i].hash, "%zu bytes: %llx", t[i].n,
                    (unsigned long long)siphash(key, text, t[i].n));
    key[0] ^= 1;
    CHECK(siphash(key, text, 8) != t[5].hash);
    return test_done("siphash_test");
}
