/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/profile: stacks by regular expression (POSIX extended): frames from the outermost
 * to the innermost, joined by ';'.
 */
#ifndef SB_PROFILE_MATCH_H
#define SB_PROFILE_MATCH_H

#include <regex.h>
#include <stdbool.h>

#include "base/err.h"
#include "profile/folded.h"

/* -1: one sentence that quotes it.  regfree() releases. */
int match_compile(regex_t *out, const char *regex, struct err *e);

bool match_stack(const regex_t *r, const char *stack);

/* Keeps the rows that match (`keep`), or those that do not.  -1: it is no regular expression. */
int match_filter(struct folded *f, const char *regex, bool keep, struct err *e);

#endif
