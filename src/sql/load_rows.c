/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See load_rows.h.
 */
#include "sql/load_rows.h"

#include <string.h>

/* The templates of oltp_common.lua: groups of eleven digits, joined by '-'. */
#define GROUP      11
#define C_GROUPS   10
#define PAD_GROUPS 5

void load_rows_init(struct load_rows *l, const struct dist_params *dist, uint64_t table_size)
{
    l->dist = dist;
    l->last = table_size;
    rng_skip_init(&l->texts, GROUP * (C_GROUPS + PAD_GROUPS));
}

/* The digits of dist_string(). */
static char *digits(struct rng *r, int groups, char *out)
{
    for (int g = 0; g < groups; g++) {
        if (g > 0)
            *out++ = '-';
        for (int i = 0; i < GROUP; i++)
            *out++ = (char)('0' + (int)(rng_double(r) * 10));
    }
    return out;
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

static char *word(const char *text, char *out)
{
    size_t n = strlen(text);

    memcpy(out, text, n);
    return out + n;
}

size_t load_row(const struct load_rows *l, struct rng *r, uint64_t id, enum load_form form,
                char *out)
{
    static const char *const mark[][5] = {[LOAD_TABS] = {"", "\t", "\t", "\t", "\n"},
                                          [LOAD_VALUES] = {"(", ", ", ", '", "', '", "')"}};
    const char *const *m = mark[form];
    char c[GROUP * C_GROUPS + C_GROUPS], pad[GROUP * PAD_GROUPS + PAD_GROUPS], *p = out;
    size_t nc = (size_t)(digits(r, C_GROUPS, c) - c);
    size_t npad = (size_t)(digits(r, PAD_GROUPS, pad) - pad);

    p = word(m[1], number(id, word(m[0], p)));
    p = word(m[2], number(dist_default(l->dist, r, 1, l->last), p));
    memcpy(p, c, nc);
    p = word(m[3], p + nc);
    memcpy(p, pad, npad);
    p = word(m[4], p + npad);
    return (size_t)(p - out);
}

void load_rows_skip(const struct load_rows *l, struct rng *r, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        rng_skip(&l->texts, r);
        dist_default(l->dist, r, 1, l->last);
    }
}
