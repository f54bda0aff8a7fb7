/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/profile: folded stacks as boxes: each frame with its place, width and depth, in
 * units of weight.  Names point into the rows, which must live as long.
 */
#ifndef SB_PROFILE_FLAME_TREE_H
#define SB_PROFILE_FLAME_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/folded.h"

struct flame_box {
    const char *name; /* not ended by NUL */
    size_t len;
    int depth; /* 0: the box of everything, which has no name */
    uint64_t at, weight, before;
    uint64_t idle, idle_before; /* parts of the two */
};

struct flame_tree {
    struct flame_box *box; /* callers before callees; [0] is everything */
    size_t n, cap;
};

void flame_tree_build(struct flame_tree *t, const struct folded *f);
void flame_tree_free(struct flame_tree *t);

#endif
