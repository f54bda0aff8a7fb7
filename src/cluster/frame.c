/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See frame.h.  Memory for a payload grows with the bytes that came, not with those that were
 * announced.
 */
#include "cluster/frame.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "cluster/cluster.h"

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
    struct frame *f = mem_alloc(sizeof *f + FRAME_HEAD + n);

    f->type = type;
    f->size = FRAME_HEAD + n;
    put32(f->bytes, (uint32_t)n);
    put32(f->bytes + 4, type);
    if (n)
        memcpy(f->bytes + FRAME_HEAD, payload, n);
    return f;
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
    k = least(f->length - f->payload.len, *n);
    if (k)
        str_add(&f->payload, (const char *)*p, k);
    *p += k;
    *n -= k;
    if (f->payload.len < f->length)
        return 0;
    f->have = 0;
    return 1;
}

size_t frame_missing(const struct frame_in *f)
{
    return f->have < FRAME_HEAD ? FRAME_HEAD - f->have : f->length - f->payload.len;
}

void frame_in_fini(struct frame_in *f)
{
    str_free(&f->payload);
}
