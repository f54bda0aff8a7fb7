/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Folded stacks: one line for each distinct stack, its frames from the outermost to the innermost
 * joined by ';', a blank, and its weight (samples, or microseconds).  The format is everybody's: other
 * tools read these files and theirs can be read here.
 *
 * Two lists can be laid over each other (folded_join): then each row has a weight of before, too.  One
 * thread at a time per list; {0} is an empty one.
 */
#ifndef SB_PROFILE_FOLDED_H
#define SB_PROFILE_FOLDED_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct folded_row {
    char *stack;
    uint64_t weight, before;
};

struct folded {
    struct folded_row *row;
    size_t n, cap;
};

/* Copies the stack.  The same stack may come several times until folded_finish. */
void folded_add(struct folded *f, const char *stack, size_t len, uint64_t weight);

/* Sorts, frame by frame, and makes one row of rows with the same stack. */
void folded_finish(struct folded *f);

/* Sum of the weights (of `before`, of *before when that is not NULL). */
uint64_t folded_total(const struct folded *f, uint64_t *before);

/* Reads a file ("-": standard input) and finishes it.  -1: one sentence naming file and line. */
int folded_read(struct folded *f, const char *path, struct err *e);

/* The text of such a file; rows of weight 0 are left out. */
void folded_write(const struct folded *f, struct str *out);

/* Both finished; *out has the weights of `after`, and of `before` beside them, unscaled. */
void folded_join(struct folded *out, const struct folded *before, const struct folded *after);

void folded_free(struct folded *f);

#endif
