/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "Did you mean ...?": of the names that exist, those nearest to one that does not.
 *
 *     struct near n;
 *     near_begin(&n, "oltp_readonly");
 *     near_offer(&n, "oltp_read_only");   ... every name there is, in the order of their listing
 *     near_offer(&n, "oltp_read_write");
 *     near_suggest(&n, &err);             -> "...; did you mean oltp_read_only?"
 *
 * A letter that is missing, superfluous, replaced or swapped with its neighbour counts one; case,
 * and '-' for '_', count nothing.  A third of the letters may differ.  Where no name is that near,
 * those that begin with the word count.  All names that are equally near are suggested, up to
 * NEAR_MOST; when there are more, the word is too vague and nothing is suggested.
 *
 * Nothing here allocates; any thread may call.
 */
#ifndef SB_BASE_NEAR_H
#define SB_BASE_NEAR_H

#include <stddef.h>

#include "base/err.h"

#define NEAR_MOST   3  /* names in a suggestion */
#define NEAR_LENGTH 80 /* longer words are not compared, longer names not suggested */

struct near {
    const char *word;
    /* of the names below; SIZE_MAX: none yet, or they merely begin with the word */
    size_t distance;
    size_t names; /* how many are that near; more than NEAR_MOST: too many */
    char name[NEAR_MOST][NEAR_LENGTH];
};

/* `word` must outlive `n`. */
void near_begin(struct near *n, const char *word);
void near_offer(struct near *n, const char *name);
/* The same with another text for the suggestion: "tpcc", "tests/tpcc.lua". */
void near_offer_as(struct near *n, const char *name, const char *shown);
/* Each of "a|b|c". */
void near_offer_choices(struct near *n, const char *choices);

/* "a", "a or b", "a, b or c"; "" when there is nothing to suggest. */
#define NEAR_TEXT (NEAR_MOST * (NEAR_LENGTH + 4))
const char *near_text(const struct near *n, char buf[NEAR_TEXT]);

/* Appends "; did you mean ...?" to the message, if there is anything to suggest.  Always -1. */
int near_suggest(const struct near *n, struct err *e);

/* How many letters differ, as above; SIZE_MAX when one of the words is too long. */
size_t near_distance(const char *a, const char *b);

#endif
