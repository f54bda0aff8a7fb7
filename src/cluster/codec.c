/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See codec.h.
 */
#include "cluster/codec.h"

#include <string.h>

#include "base/mem.h"

/* --- to bytes --- */

void put_u64(struct put *p, uint64_t v)
{
    char b[10];
    size_t n = 0;

    do {
        b[n++] = (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
        v >>= 7;
    } while (v);
    str_add(&p->s, b, n);
}

void put_i64(struct put *p, int64_t v)
{
    put_u64(p, ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0));
}

void put_double(struct put *p, double v)
{
    uint64_t bits;
    char b[8];

    memcpy(&bits, &v, sizeof bits);
    for (int i = 0; i < 8; i++)
        b[i] = (char)(bits >> (8 * i));
    str_add(&p->s, b, sizeof b);
}

void put_bool(struct put *p, bool v)
{
    put_i64(p, v);
}

void put_bytes(struct put *p, const void *bytes, size_t n)
{
    put_u64(p, n);
    str_add(&p->s, bytes, n);
}

void put_str(struct put *p, const char *text)
{
    put_bytes(p, text ? text : "", text ? strlen(text) : 0);
}

void put_free(struct put *p)
{
    str_free(&p->s);
}

/* --- and back --- */

struct get get_of(const void *bytes, size_t n)
{
    return (struct get){.p = bytes, .end = (const unsigned char *)bytes + n};
}

static size_t left(const struct get *g)
{
    return (size_t)(g->end - g->p);
}

static uint64_t spoil(struct get *g)
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
            return spoil(g);
        v |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
    return spoil(g);
}

int64_t get_i64(struct get *g)
{
    uint64_t v = get_u64(g);

    return (int64_t)((v >> 1) ^ (v & 1 ? UINT64_MAX : 0));
}

double get_double(struct get *g)
{
    uint64_t bits = 0;
    double v;

    if (left(g) < 8)
        return (double)spoil(g);
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)*g->p++ << (8 * i);
    memcpy(&v, &bits, sizeof v);
    return v;
}

bool get_bool(struct get *g)
{
    return get_range(g, 0, 1) == 1;
}

size_t get_count(struct get *g, size_t least)
{
    uint64_t n = get_u64(g);

    return n <= left(g) / (least ? least : 1) ? (size_t)n : (size_t)spoil(g);
}

int64_t get_range(struct get *g, int64_t min, int64_t max)
{
    int64_t v = get_i64(g);

    if (v < min || v > max) {
        spoil(g);
        return min;
    }
    return v;
}

const void *get_bytes(struct get *g, size_t *n)
{
    const unsigned char *p;

    *n = get_count(g, 1);
    if (g->bad)
        return NULL;
    p = g->p;
    g->p += *n;
    return p;
}

/* The bytes of a text; NULL and bad when a NUL is among them. */
static const char *text(struct get *g, size_t *n)
{
    const char *p = get_bytes(g, n);

    if (p && memchr(p, 0, *n)) {
        spoil(g);
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
        spoil(g);
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

bool get_end(const struct get *g)
{
    return !g->bad && g->p == g->end;
}
