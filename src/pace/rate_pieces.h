/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a struct rates is made of.  Private to src/pace: rate_read.c puts it together,
 * rate_query.c answers questions.
 *
 * A stage is what the user wrote and sees in reports; a piece is what has one formula.  A ramp is a
 * stage of one piece; a trace is a stage of as many pieces as its file has rows.
 */
#ifndef SB_PACE_RATE_PIECES_H
#define SB_PACE_RATE_PIECES_H

#include "pace/rates.h"

enum piece_kind {
    PIECE_LINE,   /* from a to b; a constant when they are equal */
    PIECE_SQUARE, /* a for `low` ns, then b for the rest of each period */
    PIECE_SINE,   /* a + b*sin(2*pi*t/period), b <= a */
    PIECE_STARTS  /* a list */
};

struct piece {
    enum piece_kind kind;
    dur_ns from, len; /* len MONO_NEVER: open */
    uint64_t a, b;    /* millionths of starts per second; PIECE_STARTS: b millionths of a start
                         for each in the list */
    dur_ns period, low;
    rate_pos base; /* the integral before it */
};

struct rates {
    struct piece *piece;
    size_t n;
    struct rate_stage *stage;
    size_t nstages;
    dur_ns end;     /* of the last piece; MONO_NEVER */
    rate_pos total; /* the integral there */
    dur_ns *starts; /* of PIECE_STARTS, in order */
    size_t nstarts;
};

/* `from` and `base` are filled here. */
void rates_add_piece(struct rates *r, struct piece p);
/* A stage over the pieces that were added since the last one; `text` is cut to its room. */
void rates_add_stage(struct rates *r, dur_ns from, double first, double last, const char *text,
                     size_t len);

#endif
