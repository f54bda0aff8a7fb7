/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known checksums, and the eight-byte steps against the definition bit by bit for every length and
 * alignment.
 */
#include "base/hash.h"

#include "base/rng.h"
#include "base/test.h"

static uint32_t by_definition(const unsigned char *p, size_t len)
{
    uint32_t r = UINT32_MAX;

    for (size_t i = 0; i < len; i++) {
        r ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            r = (r >> 1) ^ (r & 1 ? UINT32_C(0xEDB88320) : 0);
    }
    return ~r;
}

TEST_MAIN(crc32_test)
{
    static const struct {
        const char *text;
        uint32_t crc;
    } known[] = {
        {"", 0},
        {"a", 0xE8B7BE43},
        {"123456789", 0xCBF43926},
        {"The quick brown fox jumps over the lazy dog", 0x414FA339},
    };
    static const unsigned char zeros[4096];
    unsigned char data[100];
    struct crc32 c;
    struct rng r;

    crc32_setup(&c);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        CHECK_INT(crc32_of(&c, known[i].text, strlen(known[i].text)), known[i].crc);
    CHECK_INT(crc32_of(&c, zeros, sizeof zeros), 0xC71C0011);
    rng_seed_pair(&r, 1, 2);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(rng_next(&r) >> 40);
    for (size_t from = 0; from < 9; from++)
        for (size_t len = 0; from + len <= sizeof data; len++)
            CHECK_INT(crc32_of(&c, data + from, len), by_definition(data + from, len));
    return test_done("crc32_test");
}
