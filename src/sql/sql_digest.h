/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: the kind of a statement, derived from its text, much like a server's
 * statement digest: literals become ?, lists of literals ..., several rows one row; comments and
 * extra blanks are dropped.
 *
 *     SELECT c FROM t WHERE id IN (1, 2, 3)   ->  SELECT c FROM t WHERE id IN (...)
 *     INSERT INTO t VALUES (1,'a'),(2,'b')    ->  INSERT INTO t VALUES (...)
 *
 * Letters keep their case, and names keep their digits.  Pure, one pass.
 */
#ifndef SB_SQL_SQL_DIGEST_H
#define SB_SQL_SQL_DIGEST_H

#include <stdbool.h>

#include "base/str.h"

/* Only this many bytes of a statement are used: an INSERT of half a megabyte has the kind of its
 * first rows. */
#define SQL_DIGEST_MAX 2048

/* Replaces out's content with the digest.  lex: SQL_LEX_* of sql_scan.h. */
void sql_digest(struct str *out, const char *text, size_t len, unsigned lex);

/* Does the digest (or a plain text) begin or end a transaction? */
bool sql_digest_is_transaction(const char *text, size_t len);

#endif
