/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See codec.h.
 */
#include "cluster/codec.h"

#include <endian.h>
#include <limits.h>
#include <string.h>

#include "base/mem.h"

/* --- to bytes --- */

void put_u64(struct str *p, uint64_t v)
{
    str_leb128(p, v);
}

void put_i64(struct str *p, int64_t v)
{
    str_zigzag(p, v);
}

void put_double(struct str *p, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    bits = htole64(bits);
    str_add(p, (const char *)&bits, sizeof bits);
}

void put_bool(struct str *p, bool v)
{
    put_i64(p, v);
}

void put_bytes(struct str *p, const void *bytes, size_t n)
{
    put_u64(p, n);
    str_add(p, bytes, n);
}

void put_str(struct str *p, const char *text)
{
    put_bytes(p, text ? text : "", text ? strlen(text) : 0);
}

void put_record(struct str *p, const struct record *r, const void *v)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct record_field *f = &r->field[i];
        for (size_t k = 0; k < record_count(f); k++) {
            const void *at = record_at(f, v, k);
            switch (f->type) {
            case RECORD_BOOL: put_bool(p, *(const bool *)at); break;
            case RECORD_INT: put_i64(p, *(const int *)at); break;
            case RECORD_UNSIGNED: put_u64(p, *(const unsigned *)at); break;
            case RECORD_I64: put_i64(p, *(const int64_t *)at); break;
            case RECORD_U64: put_u64(p, *(const uint64_t *)at); break;
            case RECORD_DOUBLE: put_double(p, *(const double *)at); break;
            case RECORD_TEXT: put_str(p, at); break;
            case RECORD_STRING: break;
            case RECORD_INSIDE: put_record(p, f->of, at); break;
            }
        }
    }
}

/* --- and back --- */

struct get get_of(const void *bytes, size_t n)
{
    return (struct get){.p = bytes, .end = (const unsigned char *)bytes + n};
}

static uint64_t decode_fail(struct get *g)
{
    g->bad = true;
    g->p = g->end;
    return 0;
}

uint64_t get_u64(struct get *g)
{
    uint64_t v = 0;

    for (int shift = 0; g->p < g->end; shift += 7) {
        uint64_t byte = *g->p++;

        if (shift == 63 && byte > 1)
            return decode_fail(g);
        v |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
    return decode_fail(g);
}

int64_t get_i64(struct get *g)
{
    uint64_t v = get_u64(g);

    return (int64_t)((v >> 1) ^ (v & 1 ? UINT64_MAX : 0));
}

double get_double(struct get *g)
{
    uint64_t bits;
    double v;

    if (g->end - g->p < 8)
        return (double)decode_fail(g);
    memcpy(&bits, g->p, sizeof bits);
    g->p += sizeof bits;
    bits = le64toh(bits);
    memcpy(&v, &bits, sizeof v);
    return v;
}

bool get_bool(struct get *g)
{
    return get_range(g, 0, 1) == 1;
}

int64_t get_range(struct get *g, int64_t min, int64_t max)
{
    int64_t v = get_i64(g);

    if (v < min || v > max) {
        decode_fail(g);
        return min;
    }
    return v;
}

const void *get_bytes(struct get *g, size_t *n)
{
    uint64_t length = get_u64(g);

    *n = length <= (size_t)(g->end - g->p) ? (size_t)length : (size_t)decode_fail(g);
    if (g->bad)
        return NULL;
    const unsigned char *p = g->p;
    g->p += *n;
    return p;
}

/* The bytes of a text; NULL and bad when a NUL is among them. */
static const char *text(struct get *g, size_t *n)
{
    const char *p = get_bytes(g, n);

    if (p && memchr(p, 0, *n)) {
        decode_fail(g);
        p = NULL;
    }
    if (!p)
        *n = 0;
    return p;
}

void get_str(struct get *g, char *out, size_t size)
{
    size_t n;
    const char *p = text(g, &n);

    if (n >= size) {
        decode_fail(g);
        n = 0;
    }
    if (n)
        memcpy(out, p, n);
    out[n] = '\0';
}

char *get_strdup(struct get *g)
{
    size_t n;
    const char *p = text(g, &n);

    return mem_strndup(p ? p : "", n);
}

void get_record(struct get *g, const struct record *r, void *v)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct record_field *f = &r->field[i];
        for (size_t k = 0; k < record_count(f); k++) {
            void *at = record_at(f, v, k);
            uint64_t n;
            switch (f->type) {
            case RECORD_BOOL: *(bool *)at = get_bool(g); break;
            case RECORD_INT:
                n = (uint64_t)get_i64(g);
                *(int *)at = (int)n == (int64_t)n ? (int)n : (int)decode_fail(g);
                break;
            case RECORD_UNSIGNED:
                n = get_u64(g);
                *(unsigned *)at = n <= UINT_MAX ? (unsigned)n : (unsigned)decode_fail(g);
                break;
            case RECORD_I64: *(int64_t *)at = get_i64(g); break;
            case RECORD_U64: *(uint64_t *)at = get_u64(g); break;
            case RECORD_DOUBLE: *(double *)at = get_double(g); break;
            case RECORD_TEXT: get_str(g, at, f->size); break;
            case RECORD_STRING: break;
            case RECORD_INSIDE: get_record(g, f->of, at); break;
            }
        }
    }
}

bool get_end(const struct get *g)
{
    return !g->bad && g->p == g->end;
}

/* --- frames --- */

static void put32(unsigned char *at, uint32_t v)
{
    v = htole32(v);
    memcpy(at, &v, sizeof v);
}

static uint32_t get32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

struct frame *frame_new(unsigned type, const void *payload, size_t n)
{
    struct frame *f = mem_alloc(sizeof *f + FRAME_HEAD + n + FRAME_TAG);

    f->type = type;
    f->size = FRAME_HEAD + n;
    put32(f->bytes, (uint32_t)n);
    put32(f->bytes + 4, type);
    if (n)
        memcpy(f->bytes + FRAME_HEAD, payload, n);
    return f;
}

/* Of the next frame, little endian. */
static uint64_t tag_of(struct frame_seal *s, const unsigned char head[FRAME_HEAD],
                       const void *payload, size_t n)
{
    struct str p = STR_INIT;

    put_u64(&p, s->frames++);
    put_bytes(&p, head, FRAME_HEAD);
    put_bytes(&p, payload, n);
    uint64_t tag = htole64(siphash(s->key, p.s, p.len));
    str_free(&p);
    return tag;
}

void frame_close(struct frame *f, struct frame_seal *s)
{
    size_t n = f->size - FRAME_HEAD;

    if (!s->on)
        return;
    put32(f->bytes + 4, f->type | ~(uint32_t)n << 8);
    uint64_t tag = tag_of(s, f->bytes, f->bytes + FRAME_HEAD, n);
    memcpy(f->bytes + f->size, &tag, FRAME_TAG);
    f->tag = FRAME_TAG;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t whole(const struct frame_in *f)
{
    return f->length + (f->seal.on ? FRAME_TAG : 0);
}

/* Memory for a payload grows with the bytes that came, not with those that were announced. */
int frame_take(struct frame_in *f, const unsigned char **p, size_t *n)
{
    size_t k;

    if (f->have < FRAME_HEAD) {
        k = least(FRAME_HEAD - f->have, *n);
        memcpy(f->head + f->have, *p, k);
        *p += k;
        *n -= k;
        f->have += k;
        if (f->have < FRAME_HEAD)
            return 0;
        f->length = get32(f->head);
        f->type = get32(f->head + 4);
        if (f->seal.on)
            f->type = f->type >> 8 == (~(uint32_t)f->length & 0xffffff) ? f->type & 0xff : 0;
        str_reset(&f->payload);
    }
    if (f->length > f->max || f->type == 0 || f->type > FRAME_TYPE_MAX)
        return -1;
    k = least(whole(f) - f->payload.len, *n);
    if (k)
        str_add(&f->payload, (const char *)*p, k);
    *p += k;
    *n -= k;
    if (f->payload.len < whole(f))
        return 0;
    f->have = 0;
    if (!f->seal.on)
        return 1;
    uint64_t tag = tag_of(&f->seal, f->head, f->payload.s, f->length);
    bool same = memcmp(f->payload.s + f->length, &tag, FRAME_TAG) == 0;
    f->payload.len = f->length;
    f->payload.s[f->length] = '\0';
    return same ? 1 : -1;
}

size_t frame_missing(const struct frame_in *f)
{
    return f->have < FRAME_HEAD ? FRAME_HEAD - f->have : whole(f) - f->payload.len;
}

void frame_in_fini(struct frame_in *f)
{
    str_free(&f->payload);
}
