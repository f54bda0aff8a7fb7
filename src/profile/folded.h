/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Folded stacks: one line for each distinct stack, its frames from the outermost to the innermost
 * joined by ';', a blank, and its weight (samples, or microseconds).  The format is common: other
 * tools read these files.  They begin with a comment that has the length of the window,
 * "# window_s=10.002500 unit=us", so that the times of two files can be compared; what follows on
 * that line is for people.  Where weights are estimates, each stack follows a comment
 * "# 3 samples:", with what its weight is estimated from.  One thread at a time per list; {0} is an
 * empty one.
 */
#ifndef SB_PROFILE_FOLDED_H
#define SB_PROFILE_FOLDED_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct folded_row {
    char *stack;
    uint64_t weight;
    uint64_t samples; /* that the weight is estimated from */
};

struct folded {
    struct folded_row *row;
    size_t n;
    double window_s;   /* length of the window; 0: not known */
    const char *unit;  /* of the weights, for the comment: "samples", "us"; NULL: not known */
    char estimate[72]; /* what the weights are estimated from, for the comment; "": exact */
};

/* Copies the stack.  The same stack may come several times until folded_finish. */
void folded_add(struct folded *f, const char *stack, size_t len, uint64_t weight, uint64_t samples);

/* Sorts, frame by frame, and merges rows with the same stack. */
void folded_finish(struct folded *f);

/* The text of such a file, with the comment when the window is known; rows of weight 0 are left
 * out. */
void folded_write(const struct folded *f, struct str *out);

void folded_free(struct folded *f);

#endif
