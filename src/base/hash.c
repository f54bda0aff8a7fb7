/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See hash.h.
 */
#include "base/hash.h"

#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* --- CRC-32 ---
 *
 * table[0][b] is the remainder of byte b; table[k][b] that of b followed by k zero bytes.  The
 * remainder of eight bytes is the sum (exclusive or) of eight of these, and each of them can be
 * looked up without waiting for another. */

void crc32_setup(struct crc32 *c)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t r = b;
        for (int bit = 0; bit < 8; bit++)
            r = (r >> 1) ^ (r & 1 ? UINT32_C(0xEDB88320) : 0);
        c->table[0][b] = r;
    }
    for (int k = 1; k < 8; k++)
        for (int b = 0; b < 256; b++)
            c->table[k][b] = (c->table[k - 1][b] >> 8) ^ c->table[0][c->table[k - 1][b] & 0xff];
}

uint32_t crc32_of(const struct crc32 *c, const void *data, size_t len)
{
    const unsigned char *p = data;
    uint32_t r = UINT32_MAX;

    for (; len >= 8; p += 8, len -= 8) {
        uint32_t low = r ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                            (uint32_t)p[3] << 24);
        r = c->table[7][low & 0xff] ^ c->table[6][low >> 8 & 0xff] ^ c->table[5][low >> 16 & 0xff] ^
            c->table[4][low >> 24] ^ c->table[3][p[4]] ^ c->table[2][p[5]] ^ c->table[1][p[6]] ^
            c->table[0][p[7]];
    }
    for (; len > 0; p++, len--)
        r = (r >> 8) ^ c->table[0][(r ^ *p) & 0xff];
    return ~r;
}

/* --- SipHash --- */

static uint64_t rotated64(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

static void sip_mix(uint64_t v[4], int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotated64(v[1], 13) ^ v[0];
        v[3] = rotated64(v[3], 16) ^ v[2];
        v[0] = rotated64(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotated64(v[1], 17) ^ v[2];
        v[3] = rotated64(v[3], 21) ^ v[0];
        v[2] = rotated64(v[2], 32);
    }
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_mix(v, 2);
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
    sip_mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* --- SHA-256 and HMAC ---
 *
 * The text and its padding become one buffer of whole blocks; each block is mixed into the eight
 * words of the state. */

#define BLOCK 64

static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated32(uint32_t x, int n)
{
    return (x >> n) | (x << (32 - n));
}

void sha256(const void *text, size_t n, unsigned char out[SHA256_SIZE])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t size = (n + 1 + 8 + BLOCK - 1) / BLOCK * BLOCK;
    unsigned char *padded = mem_alloc(size);

    if (n)
        memcpy(padded, text, n);
    padded[n] = 0x80;
    for (int i = 0; i < 8; i++)
        padded[size - 1 - (size_t)i] = (unsigned char)((uint64_t)n * 8 >> (8 * i));
    for (size_t at = 0; at < size; at += BLOCK) {
        const unsigned char *block = padded + at;
        uint32_t w[64], s[8];
        for (int i = 0; i < 16; i++)
            w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
        for (int i = 16; i < 64; i++) {
            uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + (rotated32(a, 7) ^ rotated32(a, 18) ^ (a >> 3)) + w[i - 7] +
                   (rotated32(b, 17) ^ rotated32(b, 19) ^ (b >> 10));
        }
        memcpy(s, state, sizeof s);
        for (int i = 0; i < 64; i++) {
            uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
            uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
            uint32_t t = s[7] + (rotated32(s[4], 6) ^ rotated32(s[4], 11) ^ rotated32(s[4], 25)) +
                         choice + round_constant[i] + w[i];
            memmove(s + 1, s, 7 * sizeof *s);
            s[4] += t;
            s[0] = t + (rotated32(s[1], 2) ^ rotated32(s[1], 13) ^ rotated32(s[1], 22)) + majority;
        }
        for (int i = 0; i < 8; i++)
            state[i] += s[i];
    }
    free(padded);
    for (int i = 0; i < SHA256_SIZE; i++)
        out[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

/* The hash of the key, each byte changed by `pad`, and the text. */
static void keyed(const unsigned char key[BLOCK], unsigned char pad, const void *text, size_t n,
                  unsigned char out[SHA256_SIZE])
{
    unsigned char *all = mem_alloc(BLOCK + n);

    for (int i = 0; i < BLOCK; i++)
        all[i] = key[i] ^ pad;
    if (n)
        memcpy(all + BLOCK, text, n);
    sha256(all, BLOCK + n, out);
    free(all);
}

void hmac_sha256(const char *key, const void *text, size_t n, unsigned char out[SHA256_SIZE])
{
    unsigned char block[BLOCK] = {0}, inner[SHA256_SIZE];

    if (strlen(key) > BLOCK)
        sha256(key, strlen(key), block);
    else
        memcpy(block, key, strlen(key));
    keyed(block, 0x36, text, n, inner);
    keyed(block, 0x5c, inner, sizeof inner, out);
}

bool sha256_same(const unsigned char a[SHA256_SIZE], const unsigned char b[SHA256_SIZE])
{
    unsigned different = 0;

    for (int i = 0; i < SHA256_SIZE; i++)
        different |= (unsigned)(a[i] ^ b[i]);
    return different == 0;
}
