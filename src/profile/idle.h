/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which waits are idle: a thread that waits for work, not for something that its work needs.  Idle
 * waits are nearly all of the time off CPU and depend only on the length of the run, so a
 * difference of two profiles leaves them uncoloured.  Private to src/profile
 *
 * A rule is a POSIX extended regular expression for the whole stack.  Rules for waits within work
 * come first and win; a stack that matches no rule is not idle.
 */
#ifndef SB_PROFILE_IDLE_H
#define SB_PROFILE_IDLE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "profile/folded.h"

/* Sets row.idle by the built-in rules, or only by `regex` if given ("": none is idle).  -1: it is
 * no regular expression. */
int idle_mark(struct folded *f, const char *regex, struct err *e);

/* The built-in rules, one a line: "idle" or "work", what it is, the expression. */
void idle_list(struct str *out);

#endif
