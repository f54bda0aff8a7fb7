/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See load_rows.h.
 */
#include "sql/load_rows.h"

#include <string.h>

void load_rows_init(struct load_rows *l, const struct dist_params *dist, uint64_t table_size)
{
    l->dist = dist;
    l->last = table_size;
    rng_skip_init(&l->texts, LOAD_GROUP * LOAD_GROUPS);
}

/* Leaves out c and pad of a row; its k. */
static uint64_t draw_k(const struct load_rows *l, struct rng *r)
{
    rng_skip(&l->texts, r);
    return dist_default(l->dist, r, 1, l->last);
}

void load_rows_skip(const struct load_rows *l, struct rng *r, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        draw_k(l, r);
}

void load_maker_init(struct load_maker *m, const struct load_rows *l, const struct rng *r)
{
    m->l = l;
    m->rng = *r;
    m->at = LOAD_LANES;
}

static void make_more(struct load_maker *m)
{
    struct rng begin[LOAD_LANES];

    for (unsigned i = 0; i < LOAD_LANES; i++) {
        begin[i] = m->rng;
        m->k[i] = draw_k(m->l, &m->rng);
    }
    load_digits(begin, m->digits);
    m->at = 0;
}

static char *number(uint64_t v, char *out)
{
    char text[20], *p = text + sizeof text;

    do {
        *--p = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    memcpy(out, p, (size_t)(text + sizeof text - p));
    return out + (text + sizeof text - p);
}

#define WORD(text, out) ((char *)memcpy(out, text, sizeof(text) - 1) + sizeof(text) - 1)

/* Without the '-' behind the last group. */
static char *groups(const char *digits, unsigned n, char *out)
{
    memcpy(out, digits, n * (LOAD_GROUP + 1) - 1);
    return out + n * (LOAD_GROUP + 1) - 1;
}

static char *tabs(uint64_t id, uint64_t k, const char *c, const char *pad, char *p)
{
    p = WORD("\t", number(id, p));
    p = WORD("\t", number(k, p));
    p = WORD("\t", groups(c, LOAD_C_GROUPS, p));
    return WORD("\n", groups(pad, LOAD_PAD_GROUPS, p));
}

static char *values(uint64_t id, uint64_t k, const char *c, const char *pad, char *p)
{
    p = WORD(", ", number(id, WORD("(", p)));
    p = WORD(", '", number(k, p));
    p = WORD("', '", groups(c, LOAD_C_GROUPS, p));
    return WORD("')", groups(pad, LOAD_PAD_GROUPS, p));
}

size_t load_row(struct load_maker *m, uint64_t id, enum load_form form, char *out)
{
    const char *c, *pad;
    uint64_t k;

    if (m->at == LOAD_LANES)
        make_more(m);
    k = m->k[m->at];
    c = m->digits[m->at++];
    pad = c + (size_t)LOAD_C_GROUPS * (LOAD_GROUP + 1);
    return (size_t)((form == LOAD_TABS ? tabs : values)(id, k, c, pad, out) - out);
}
