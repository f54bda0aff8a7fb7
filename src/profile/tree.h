/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/profile: the stacks of a profile during sampling: a prefix tree of frames with a
 * weight at the node where a stack ends.  Frames are numbers; each is symbolized once, at the end.
 * One thread at a time.
 */
#ifndef SB_PROFILE_TREE_H
#define SB_PROFILE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/folded.h"

/*
 * Encoding of a frame.  The kernel's addresses are themselves (their high bits are all set);
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

/* Frames that represent something other than code, FRAME_MAKE(FRAME_NOTE, n).  For each class of a
 * duration, 0 to 63, there is one of a stack's waits, which has no name, and two of all waits of a
 * name of threads. */
enum { NOTE_PREEMPTED, NOTE_SEEN = 64, NOTE_ALL = 128, NOTE_ALL_PREEMPTED = 192 };

/*
 * A table from numbers (process and thread ids, addresses) to pointers.  {0} is empty; the caller
 * owns the objects that they point to.  One thread at a time.
 */

struct map64_slot {
    uint64_t key;
    void *value; /* NULL: empty */
};

struct map64 {
    struct map64_slot *slot;
    size_t n, cap;
};

void *map64_get(const struct map64 *m, uint64_t key);       /* NULL: not there */
void map64_set(struct map64 *m, uint64_t key, void *value); /* value is not NULL */
void *map64_take(struct map64 *m, uint64_t key); /* removes; what it was, NULL: not there */
void map64_free(struct map64 *m);

struct tree_node {
    uint64_t frame;
    uint32_t parent;
    uint32_t times; /* that something was added */
    double weight;
};

struct tree {
    struct tree_node *node; /* [0] is the root */
    size_t n;
    struct map64 frame;    /* a frame's number, from 1 */
    struct map64 children; /* (parent, number of the frame) -> number of the node */
    uint64_t full;         /* frames dropped because the tree is full */
};

void tree_init(struct tree *t);
void tree_free(struct tree *t);

/* The node below `parent` (0: the root) for a frame, made if it is new. */
uint32_t tree_child(struct tree *t, uint32_t parent, uint64_t frame);

/* Creating a node may move the others: change weights only through this function. */
void tree_add(struct tree *t, uint32_t node, double weight);

/* All that has a weight, as folded stacks.  `name` appends a frame's name, "" is none. */
void tree_fold(const struct tree *t, struct folded *out,
               void (*name)(void *arg, uint64_t frame, struct str *s), void *arg);

#endif
