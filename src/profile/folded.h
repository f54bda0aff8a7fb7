/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Folded stacks: one line for each distinct stack, its frames from the outermost to the innermost
 * joined by ';', a blank, and its weight (samples, or microseconds).  The format is common: other
 * tools read these files, and this program reads theirs.  Ours begin with a comment that has the
 * length of the window, "# window_s=10.002500 unit=us", so that the times of two files can be
 * compared; what follows on that line is for people.  Where weights are estimates, each stack
 * follows a comment "# 3 samples:", with what its weight is estimated from.
 *
 * folded_join combines two lists: then each row also has its weight in the earlier one.  One thread
 * at a time per list; {0} is an empty one.
 */
#ifndef SB_PROFILE_FOLDED_H
#define SB_PROFILE_FOLDED_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"

struct folded_row {
    char *stack;
    uint64_t weight, before;
    uint64_t samples; /* that the weight is estimated from; not read from files */
    bool idle;        /* waits for work (idle_mark) */
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

/* Reads a file ("-": standard input) and finishes it.  -1: one sentence naming file and line. */
int folded_read(struct folded *f, const char *path, struct err *e);

/* The text of such a file, with the comment when the window is known; rows of weight 0 are left
 * out. */
void folded_write(const struct folded *f, struct str *out);

/* Both are finished; *out has the window and the weights of `after`, and next to them the weights
 * of `before`, unscaled. */
void folded_join(struct folded *out, const struct folded *before, const struct folded *after);

/* Removes the rows that idle_mark() has marked. */
void folded_drop_idle(struct folded *f);

/* Removes the frames of the kernel from all stacks.  What was idle in part is not idle. */
void folded_drop_kernel(struct folded *f);

void folded_free(struct folded *f);

/* --- idle waits ------------------------------------------------------------------------------ */

/*
 * Which waits are idle: a thread that waits for work, not for something that its work needs.  Idle
 * waits are nearly all of the time off CPU and depend only on the length of the run, so a
 * difference of two profiles leaves them uncoloured. A rule is a POSIX extended regular expression
 * for the whole stack.  Rules for waits within work come first and win; a stack that matches no
 * rule is not idle.
 */

/* Sets row.idle by the built-in rules, or only by `regex` if given ("": none is idle).  -1: it is
 * no regular expression. */
int idle_mark(struct folded *f, const char *regex, struct err *e);

/* The built-in rules, one a line: "idle" or "work", what it is, the expression. */
void idle_list(FILE *out);

/* --- stacks by regular expression ------------------------------------------------------------ */

/*
 * Stacks by regular expression (POSIX extended): frames from the outermost
 * to the innermost, joined by ';'.
 */

/* Keeps the rows that match (`keep`), or those that do not.  -1: it is no regular expression. */
int match_filter(struct folded *f, const char *regex, bool keep, struct err *e);

#endif
