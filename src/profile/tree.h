/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stacks of a profile while it is taken: a tree of frames, so that stacks share what they have
 * in common, with a weight at the node where a stack ends.  Frames are numbers; their names are
 * found at the end, once for each.  One thread at a time.
 */
#ifndef SB_PROFILE_TREE_H
#define SB_PROFILE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/folded.h"

/*
 * What a frame's number says.  The kernel's addresses are themselves (their high bits are all set);
 * the others have a kind in the upper 16 bits: below FRAME_FIRST it is the number of an object and
 * the rest an address of that file.
 */
#define FRAME_KIND(f)    ((f) >> 48)
#define FRAME_ADDRESS(f) ((f)&UINT64_C(0xffffffffffff))
#define FRAME_MAKE(k, a) ((uint64_t)(k) << 48 | FRAME_ADDRESS((uint64_t)(a)))
enum {
    FRAME_FIRST = 0xff00,
    FRAME_UNKNOWN = 0xfff0,
    FRAME_NOTE,
    FRAME_THREAD,
    FRAME_KERNEL = 0xffff
};

/* Frames that stand for something else than code, FRAME_MAKE(FRAME_NOTE, n). */
enum { NOTE_PREEMPTED, NOTE_UNSEEN };

struct tree_node {
    uint64_t frame;
    uint32_t parent;
    double weight;
};

struct tree {
    struct tree_node *node; /* [0] is the root */
    size_t n, cap;
    uint32_t *hash; /* numbers of nodes by (parent, frame); 0: empty */
    size_t hash_cap;
    uint64_t full; /* frames that were not taken up because there are too many already */
};

void tree_init(struct tree *t);
void tree_free(struct tree *t);

/* The node below `parent` (0: the root) for a frame, made if it is new. */
uint32_t tree_child(struct tree *t, uint32_t parent, uint64_t frame);

/* The nodes may move when one is made: weights go through here. */
void tree_add(struct tree *t, uint32_t node, double weight);

/* All that has a weight, as folded stacks.  `name` appends a frame's name, "" is none. */
void tree_fold(const struct tree *t, struct folded *out,
               void (*name)(void *arg, uint64_t frame, struct str *s), void *arg);

/* How many different stacks have a weight. */
size_t tree_stacks(const struct tree *t);

#endif
