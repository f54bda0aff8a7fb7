/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Published vectors: FIPS 180-4 and RFC 4231 for SHA-256 and its HMAC, with texts around the size
 * of a block; those of SipHash's authors (the key 00 01 ... 0f, texts 00 01 02 ...).  CRC-32
 * against its definition bit by bit, for every length and alignment.
 */
#include "base/hash.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/test.h"

static const char *hex(const unsigned char h[SHA256_SIZE])
{
    static char text[2 * SHA256_SIZE + 1];

    for (int i = 0; i < SHA256_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", h[i]);
    return text;
}

static const char *hash(const char *text, size_t n)
{
    unsigned char h[SHA256_SIZE];

    sha256(text, n, h);
    return hex(h);
}

static const char *mac(const char *key, const char *text)
{
    unsigned char h[SHA256_SIZE];

    hmac_sha256(key, text, strlen(text), h);
    return hex(h);
}

static void check_hash(void)
{
    char *many = mem_alloc(1000001);

    CHECK_STR(hash("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK_STR(hash("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK_STR(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(many, 'a', 1000000);
    CHECK_STR(hash(many, 1000000),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    CHECK_STR(hash(many, 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    CHECK_STR(hash(many, 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    free(many);
}

static void check_mac(void)
{
    char key[132];

    CHECK_STR(mac("Jefe", "what do ya want for nothing?"),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, 131);
    key[131] = '\0';
    CHECK_STR(mac(key, "Test Using Larger Than Block-Size Key - Hash Key First"),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void check_same(void)
{
    unsigned char a[SHA256_SIZE] = {1, 2, 3}, b[SHA256_SIZE] = {1, 2, 3};

    CHECK(sha256_same(a, b));
    b[SHA256_SIZE - 1] = 1;
    CHECK(!sha256_same(a, b));
}

static void check_siphash(void)
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
}

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

static void check_crc32(void)
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
}

TEST_MAIN(hash_test)
{
    check_hash();
    check_mac();
    check_same();
    check_siphash();
    check_crc32();
    return test_done("hash_test");
}
