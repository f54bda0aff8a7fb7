/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A flame graph as SVG: frames as boxes, callers below callees, as wide as their share of the
 * weight.  The picture is complete without scripts (each box has its name and figures as a
 * tooltip); where a browser runs its script, a click zooms and a search highlights.  The same
 * stacks give the same bytes: colours come from names, not from a random source.
 */
#ifndef SB_PROFILE_FLAME_H
#define SB_PROFILE_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "profile/folded.h"

struct flame_style {
    const char *title;    /* NULL: "Flame graph", or "Difference of two flame graphs" */
    const char *subtitle; /* NULL: none */
    const char *unit;     /* of the weights: "samples", "us" */
    int width;            /* pixels; 0: 1200 */
    double min_width;     /* boxes narrower than this many pixels are left out; 0: 0.1 */
    bool cold;            /* the colours of waiting */
    bool diff;            /* colours by the difference to `before` (folded_join) instead */
    bool absolute;        /* with diff: of the weights; else of shares of the whole */
    double scale;         /* with absolute: what `before` is multiplied with; 0: 1 */
    const char *note;     /* shown below the title with the sums; NULL: none */
};

/*
 * Appends the picture.  `f` is finished.  With diff, widths are those of `weight`.  Idle rows
 * (idle_mark) are drawn without a colour, and are in no difference: not in those of the boxes below
 * them, and not in the whole that shares are of.
 */
void flame_svg(struct str *out, const struct folded *f, const struct flame_style *style);

/* Appends bytes of any kind as XML text. */
void flame_escape(struct str *out, const char *text, size_t n);

/* --- boxes ----------------------------------------------------------------------------------- */

/*
 * Folded stacks as boxes: each frame with its place, width and depth, in
 * units of weight.  Names point into the rows, which must live as long.
 */

struct flame_box {
    const char *name; /* not ended by NUL */
    size_t len;
    int depth; /* 0: the box of everything, which has no name */
    uint64_t at, weight, before;
    uint64_t idle, idle_before; /* parts of the two */
};

struct flame_tree {
    struct flame_box *box; /* callers before callees; [0] is everything */
    size_t n;
};

void flame_tree_build(struct flame_tree *t, const struct folded *f);
void flame_tree_free(struct flame_tree *t);

/* --- the script ------------------------------------------------------------------------------ */

/* The script of a flame graph: zoom and search in a browser. */

/* The text of profile/flame.js, which must not contain "]]>". */
extern const char flame_js[];

#endif
