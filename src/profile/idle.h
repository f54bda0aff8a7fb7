/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which waits are idle: a thread that waits for something to do, not for something that it needs to
 * go on with what it does.  Off the CPU that is nearly all of the time, and its growth or decline
 * says only how long the run was, so a difference of two profiles leaves it uncoloured.
 *
 * A rule is a POSIX extended regular expression for the whole stack.  Those that speak of work in
 * hand come first and win; a stack that no rule knows is not idle.
 */
#ifndef SB_PROFILE_IDLE_H
#define SB_PROFILE_IDLE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "profile/folded.h"

/* Sets row.idle by the built-in rules, or with `regex` by that alone ("": none is idle).  -1: it is
 * no regular expression. */
int idle_mark(struct folded *f, const char *regex, struct err *e);

/* The built-in rules, one a line: "idle" or "work", what it is, the expression. */
void idle_list(struct str *out);

#endif
