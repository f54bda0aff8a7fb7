/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kind of a statement out of its text, much as a server's statement digest has it: literals are
 * ?, lists of them
 * ..., rows of lists one row, comments and superfluous blanks are gone.
 *
 *     SELECT c FROM t WHERE id IN (1, 2, 3)   ->  SELECT c FROM t WHERE id IN (...)
 *     INSERT INTO t VALUES (1,'a'),(2,'b')    ->  INSERT INTO t VALUES (...)
 *
 * Letters keep their case, names their digits.  Pure, one pass.
 */
#ifndef SB_SQL_SQL_DIGEST_H
#define SB_SQL_SQL_DIGEST_H

#include <stdbool.h>

#include "base/str.h"

/* What lies behind this many bytes of a statement does not count: an INSERT of half a megabyte has
 * the kind of its first rows. */
#define SQL_DIGEST_MOST 2048

/* Replaces out's content.  lex: SQL_LEX_* of sql_scan.h. */
void sql_digest(struct str *out, const char *text, size_t len, unsigned lex);

/* Does the digest (or a plain text) begin or end a transaction? */
bool sql_digest_is_transaction(const char *text, size_t len);

#endif
