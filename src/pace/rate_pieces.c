/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See rate_pieces.h: puts a struct rates together, piece by piece.
 */
#include "pace/rate_pieces.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

struct rates *rates_new(void)
{
    return mem_alloc(sizeof(struct rates));
}

void rates_free(struct rates *r)
{
    if (!r)
        return;
    free(r->piece);
    free(r->stage);
    free(r->starts);
    free(r);
}

void rates_add_piece(struct rates *r, struct piece p)
{
    assert(r->end != MONO_NEVER && p.len > 0);
    if (r->n == r->room)
        r->piece = mem_grow(r->piece, r->room = r->room ? 2 * r->room : 4, sizeof *r->piece);
    p.from = r->end;
    p.base = r->total;
    r->piece[r->n++] = p;
    r->end = MONO_NEVER;
    if (p.len == MONO_NEVER)
        return;
    r->total = rates_pos(r, p.from + p.len);
    r->end = p.from + p.len;
}

void rates_add_stage(struct rates *r, dur_ns from, double first, double last, const char *text,
                     size_t len)
{
    struct rate_stage *s;

    if (r->nstages == r->stage_room)
        r->stage = mem_grow(r->stage, r->stage_room = r->stage_room ? 2 * r->stage_room : 4,
                            sizeof *r->stage);
    s = &r->stage[r->nstages++];
    *s = (struct rate_stage){.from = from, .until = r->end, .first = first, .last = last};
    snprintf(s->text, sizeof s->text, "%.*s", (int)len, text);
}

static struct rates *one_line(double from, double to, dur_ns length)
{
    struct rates *r = rates_new();
    char text[64];
    int n = from == to ? snprintf(text, sizeof text, "%.12g", from)
                       : snprintf(text, sizeof text, "%.12g-%.12g", from, to);

    rates_add_piece(
        r, (struct piece){
               .kind = PIECE_LINE, .a = rates_micro(from), .b = rates_micro(to), .len = length});
    rates_add_stage(r, 0, from, to, text, (size_t)n);
    return r;
}

struct rates *rates_constant(double rate)
{
    return one_line(rate, rate, MONO_NEVER);
}

struct rates *rates_ramp(double from, double to, dur_ns length)
{
    return one_line(from, to, length);
}
