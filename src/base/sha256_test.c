/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The examples of FIPS 180-4 and RFC 4231, and texts around the size of a block.
 */
#include "base/hash.h"

#include <stdlib.h>

#include "base/mem.h"
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

TEST_MAIN(sha256_test)
{
    check_hash();
    check_mac();
    check_same();
    return test_done("sha256_test");
}
