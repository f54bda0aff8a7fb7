/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See frame.h.  Memory for a payload grows with the bytes that came, not with those that were
 * announced.
 */
#include "cluster/frame.h"

#include <string.h>

#include "base/mem.h"
#include "cluster/cluster.h"
#include "cluster/codec.h"

static void put32(unsigned char *at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(v >> (8 * i));
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

/* Of the next frame. */
static void tag_of(struct frame_seal *s, const unsigned char head[FRAME_HEAD], const void *payload,
                   size_t n, unsigned char out[FRAME_TAG])
{
    struct put p = {0};
    uint64_t tag;

    put_u64(&p, s->frames++);
    put_bytes(&p, head, FRAME_HEAD);
    put_bytes(&p, payload, n);
    tag = siphash(s->key, p.s.s, p.s.len);
    put32(out, (uint32_t)tag);
    put32(out + 4, (uint32_t)(tag >> 32));
    put_free(&p);
}

void frame_close(struct frame *f, struct frame_seal *s)
{
    size_t n = f->size - FRAME_HEAD;

    if (!s->on)
        return;
    put32(f->bytes + 4, f->type | ~(uint32_t)n << 8);
    tag_of(s, f->bytes, f->bytes + FRAME_HEAD, n, f->bytes + f->size);
    f->tag = FRAME_TAG;
}

static bool is_intact(struct frame_in *f)
{
    unsigned char tag[FRAME_TAG];
    bool same;

    tag_of(&f->seal, f->head, f->payload.s, f->length, tag);
    same = memcmp(f->payload.s + f->length, tag, FRAME_TAG) == 0;
    f->payload.len = f->length;
    f->payload.s[f->length] = '\0';
    return same;
}

static size_t whole(const struct frame_in *f)
{
    return f->length + (f->seal.on ? FRAME_TAG : 0);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* True when the head is whole. */
static bool take_head(struct frame_in *f, const unsigned char **p, size_t *n)
{
    size_t k = least(FRAME_HEAD - f->have, *n);

    if (f->have == FRAME_HEAD)
        return true;
    memcpy(f->head + f->have, *p, k);
    *p += k;
    *n -= k;
    f->have += k;
    if (f->have < FRAME_HEAD)
        return false;
    f->length = get32(f->head);
    f->type = get32(f->head + 4);
    if (f->seal.on)
        f->type = f->type >> 8 == (~(uint32_t)f->length & 0xffffff) ? f->type & 0xff : 0;
    str_reset(&f->payload);
    return true;
}

int frame_take(struct frame_in *f, const unsigned char **p, size_t *n)
{
    size_t k;

    if (!take_head(f, p, n))
        return 0;
    if (f->length > f->max || f->type == 0 || f->type > CLUSTER_TYPE_LAST)
        return -1;
    k = least(whole(f) - f->payload.len, *n);
    if (k)
        str_add(&f->payload, (const char *)*p, k);
    *p += k;
    *n -= k;
    if (f->payload.len < whole(f))
        return 0;
    f->have = 0;
    return !f->seal.on || is_intact(f) ? 1 : -1;
}

size_t frame_missing(const struct frame_in *f)
{
    return f->have < FRAME_HEAD ? FRAME_HEAD - f->have : whole(f) - f->payload.len;
}

void frame_in_fini(struct frame_in *f)
{
    str_free(&f->payload);
}
