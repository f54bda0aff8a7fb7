/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * HdrHistogram's text of a histogram, taken apart again: base64, the zlib stream with its checksum,
 * the header, and each count.  The test has its own reader of all four, so that nothing is right
 * because it was written and read with the same mistake.
 */
#include "report/writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/test.h"

struct bytes {
    unsigned char *at, *end;
};

static unsigned six_bits(char c)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *p = strchr(digit, c);

    return c && p ? (unsigned)(p - digit) : 0;
}

/* The bytes of a text, into `room`. */
static struct bytes base64(const struct str *text, unsigned char *room)
{
    struct bytes b = {room, room};
    size_t pad = 0;

    CHECK_INT(text->len % 4, 0);
    for (size_t i = 0; i + 4 <= text->len; i += 4) {
        unsigned v = 0;
        for (size_t k = 0; k < 4; k++) {
            v = v << 6 | six_bits(text->s[i + k]);
            pad += text->s[i + k] == '=';
        }
        *b.end++ = (unsigned char)(v >> 16);
        *b.end++ = (unsigned char)(v >> 8);
        *b.end++ = (unsigned char)v;
    }
    CHECK(pad <= 2);
    b.end -= pad;
    return b;
}

static uint64_t big_endian(struct bytes *b, int n)
{
    uint64_t v = 0;

    while (n-- > 0 && b->at < b->end)
        v = v << 8 | *b->at++;
    return v;
}

/* Stored blocks of a zlib stream, into `room`. */
static struct bytes inflate(struct bytes *b, unsigned char *room)
{
    struct bytes out = {room, room};
    uint32_t low = 1, high = 0;
    bool last = false;

    CHECK_INT(big_endian(b, 2) % 31, 0); /* RFC 1950 */
    while (!last && b->at < b->end) {
        unsigned n, inverted;
        last = *b->at++;
        n = b->at[0] | (unsigned)b->at[1] << 8;
        inverted = b->at[2] | (unsigned)b->at[3] << 8;
        CHECK_INT(n ^ inverted, 0xffff);
        b->at += 4;
        CHECK(n <= b->end - b->at);
        for (unsigned i = 0; i < n; i++) {
            low = (low + *b->at) % 65521;
            high = (high + low) % 65521;
            *out.end++ = *b->at++;
        }
    }
    CHECK(last);
    CHECK_INT(big_endian(b, 4), high << 16 | low);
    return out;
}

static int64_t signed_number(struct bytes *b)
{
    uint64_t v = 0;

    for (int i = 0; i < 9 && b->at < b->end; i++) {
        unsigned char c = *b->at++;
        v |= (uint64_t)(i < 8 ? c & 0x7f : c) << (7 * i);
        if (i < 8 && c < 0x80)
            break;
    }
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* The counts of a payload, against those of the histogram; the last one is not 0. */
static void check_counts(struct bytes *b, const struct hist_counts *h)
{
    size_t i = 0;
    int64_t v = 1;
    int wrong = 0;

    while (b->at < b->end && i < h->size) {
        v = signed_number(b);
        if (v > 0) {
            wrong += h->count[i++] != (uint64_t)v;
            continue;
        }
        for (int64_t k = 0; k < -v && i < h->size; k++)
            wrong += h->count[i++] != 0;
    }
    CHECK(v > 0 && b->at == b->end);
    while (i < h->size)
        wrong += h->count[i++] != 0;
    CHECK_INT(wrong, 0);
}

static void check(const struct hist_counts *h)
{
    struct str text = STR_INIT;
    unsigned char *room, *inner;
    struct bytes b, plain;

    hdr_compressed(&text, h);
    room = mem_alloc(text.len);
    inner = mem_alloc(text.len);
    b = base64(&text, room);
    CHECK_INT(big_endian(&b, 4), 0x1c849314);
    CHECK_INT(big_endian(&b, 4), b.end - b.at);
    plain = inflate(&b, inner);
    CHECK(b.at == b.end);
    CHECK_INT(big_endian(&plain, 4), 0x1c849313);
    CHECK_INT(big_endian(&plain, 4), plain.end - plain.at - 32);
    CHECK_INT(big_endian(&plain, 4), 0);                                      /* offset */
    CHECK_INT(big_endian(&plain, 4), 3);                                      /* digits */
    CHECK_INT(big_endian(&plain, 8), 1);                                      /* lowest */
    CHECK_INT(big_endian(&plain, 8), INT64_C(3600000000000));                 /* highest: an hour */
    CHECK_INT(big_endian(&plain, 8), (long long)INT64_C(0x3ff0000000000000)); /* 1.0 */
    check_counts(&plain, h);
    free(room);
    free(inner);
    str_free(&text);
}

TEST_MAIN(hdr_test)
{
    static const int64_t ns[] = {0, 1, 2, 2047, 2048, 1000000, INT64_C(3600000000000)};
    static struct hist_counts h;

    hist_counts_init(&h, HIST_BUCKETS);
    check(&h); /* empty */
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) {
        hist_counts_put(&h, hist_index(ns[i]), (uint64_t)1 << (10 * i));
        check(&h);
    }
    hist_counts_put(&h, hist_index(5), UINT64_C(1) << 54); /* eight bytes, which is the most */
    check(&h);
    for (size_t i = 0; i < HIST_BUCKETS; i++) /* more than one block */
        hist_counts_put(&h, i, 1000000 + i);
    check(&h);
    hist_counts_fini(&h);
    return test_done("hdr");
}
