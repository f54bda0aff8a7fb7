/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Values of the bundled scripts' options that can only be a mistake: no table at all, a negative
 * number of statements.  In stock they end in a Lua error, in SQL that the server refuses, or in a
 * run that does nothing.  What has a meaning there (--table-size=0: empty tables) stays allowed.
 * Scripts of others may use the same names for something else and are left alone.  Private to
 * src/script
 */
#ifndef SB_SCRIPT_BUNDLED_LIMITS_H
#define SB_SCRIPT_BUNDLED_LIMITS_H

#include "base/err.h"
#include "opt/opt.h"

/* -1: a value that the user gave is outside its limits; one sentence. */
int bundled_limits_check(const struct opts *o, const char *testname, struct err *e);

#endif
