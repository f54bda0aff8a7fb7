/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * table[0][b] is the remainder of byte b; table[k][b] that of b followed by k zero bytes.  The
 * remainder of eight bytes is the sum (exclusive or) of eight of these, and each of them can be
 * looked up without waiting for another.
 */
#include "base/crc32.h"

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

static uint32_t eight_bytes(const struct crc32 *c, uint32_t r, const unsigned char *p)
{
    uint32_t low =
        r ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);

    return c->table[7][low & 0xff] ^ c->table[6][low >> 8 & 0xff] ^ c->table[5][low >> 16 & 0xff] ^
           c->table[4][low >> 24] ^ c->table[3][p[4]] ^ c->table[2][p[5]] ^ c->table[1][p[6]] ^
           c->table[0][p[7]];
}

uint32_t crc32_of(const struct crc32 *c, const void *data, size_t len)
{
    const unsigned char *p = data;
    uint32_t r = UINT32_MAX;

    for (; len >= 8; p += 8, len -= 8)
        r = eight_bytes(c, r, p);
    for (; len > 0; p++, len--)
        r = (r >> 8) ^ c->table[0][(r ^ *p) & 0xff];
    return ~r;
}
