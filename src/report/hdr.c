/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See hdr.h.
 */
#include "report/hdr.h"

#include <string.h>

#define COOKIE            0x1c849313u
#define COMPRESSED_COOKIE 0x1c849314u
#define STORED_MAX        65535 /* of one block, RFC 1951 3.2.4 */

static void byte(struct str *out, unsigned v)
{
    char c = (char)v;

    str_add(out, &c, 1);
}

/* Big-endian, n bytes. */
static void number(struct str *out, uint64_t v, int n)
{
    while (n-- > 0)
        byte(out, (unsigned)(v >> (8 * n)) & 0xff);
}

/* Seven bits a byte, lowest first; the ninth byte holds eight. */
static void leb128(struct str *out, uint64_t v)
{
    for (int i = 0; i < 8; i++) {
        if (v < 0x80) {
            byte(out, (unsigned)v);
            return;
        }
        byte(out, (unsigned)(v & 0x7f) | 0x80);
        v >>= 7;
    }
    byte(out, (unsigned)v);
}

static void zigzag(struct str *out, int64_t v)
{
    leb128(out, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

static void counts(struct str *out, const struct hist_counts *h)
{
    size_t used = h->size;
    int64_t empty = 0;

    while (used > 0 && h->count[used - 1] == 0)
        used--;
    for (size_t i = 0; i < used; i++) {
        if (h->count[i] == 0) {
            empty++;
            continue;
        }
        if (empty)
            zigzag(out, -empty);
        empty = 0;
        zigzag(out, (int64_t)h->count[i]);
    }
}

static void encode(struct str *out, const struct hist_counts *h)
{
    static const double ratio = 1.0;
    struct str payload = STR_INIT;
    uint64_t bits;

    counts(&payload, h);
    memcpy(&bits, &ratio, sizeof bits);
    number(out, COOKIE, 4);
    number(out, payload.len, 4);
    number(out, 0, 4);
    number(out, 3, 4);
    number(out, 1, 8);
    number(out, (uint64_t)HIST_MAX_NS, 8);
    number(out, bits, 8);
    if (payload.len)
        str_add(out, payload.s, payload.len);
    str_free(&payload);
}

static uint32_t adler32(const struct str *s)
{
    uint32_t a = 1, b = 0;

    for (size_t i = 0; i < s->len; i++) {
        a = (a + (unsigned char)s->s[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void stored(struct str *out, const struct str *data)
{
    size_t at = 0;

    byte(out, 0x78);
    byte(out, 0x01);
    do {
        size_t n = data->len - at < STORED_MAX ? data->len - at : STORED_MAX;
        byte(out, at + n == data->len);
        byte(out, n & 0xff);
        byte(out, (unsigned)(n >> 8));
        byte(out, ~n & 0xff);
        byte(out, (unsigned)(~n >> 8) & 0xff);
        str_add(out, data->s + at, n);
        at += n;
    } while (at < data->len);
    number(out, adler32(data), 4);
}

static void base64(struct str *out, const struct str *data)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < data->len; i += 3) {
        size_t n = data->len - i < 3 ? data->len - i : 3;
        uint32_t v = 0;
        char four[4] = {'=', '=', '=', '='};
        for (size_t k = 0; k < 3; k++)
            v = v << 8 | (k < n ? (unsigned char)data->s[i + k] : 0);
        for (size_t k = 0; k <= n; k++)
            four[k] = digit[v >> (18 - 6 * k) & 63];
        str_add(out, four, 4);
    }
}

void hdr_compressed(struct str *out, const struct hist_counts *h)
{
    struct str plain = STR_INIT, zlib = STR_INIT, whole = STR_INIT;

    encode(&plain, h);
    stored(&zlib, &plain);
    number(&whole, COMPRESSED_COOKIE, 4);
    number(&whole, zlib.len, 4);
    str_add(&whole, zlib.s, zlib.len);
    base64(out, &whole);
    str_free(&plain);
    str_free(&zlib);
    str_free(&whole);
}
