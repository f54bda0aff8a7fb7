/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A statement in a message: its first 256 bytes, because a bulk insert has half a megabyte and
 * every client prints its own.  Private to src/sql
 */
#ifndef SB_SQL_SQL_EXCERPT_H
#define SB_SQL_SQL_EXCERPT_H

#include <stdbool.h>

#include "base/str.h"

#define SQL_EXCERPT_MAX 256

/* Appends the text, or its beginning and "... (524,288 bytes)"; with `whole` always the text.  No
 * character is cut in the middle. */
void sql_excerpt(struct str *out, const char *text, size_t len, bool whole);

#endif
