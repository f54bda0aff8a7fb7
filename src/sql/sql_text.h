/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The texts of statements: their tokens, their kind, their first word, and how messages quote them.
 * Pure; texts may contain NUL bytes.
 */
#ifndef SB_SQL_SQL_TEXT_H
#define SB_SQL_SQL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "stats/counters.h"

/* --- tokens: the end of strings, quoted names and comments --- */

enum {
    /* \ escapes the next character in '...' and "..." */
    SQL_LEX_BACKSLASH = 1 << 0,
    /* MySQL: `names`, # comments, "--" only before a blank, code in comments that begin with ! */
    SQL_LEX_MYSQL = 1 << 1,
    /* PostgreSQL: E'...' with escapes, $tag$ quotes, nested comments, no escapes in "names" */
    SQL_LEX_PGSQL = 1 << 2
};

struct sql_scan {
    const char *s;
    size_t len;
    unsigned lex; /* SQL_LEX_* */
};

enum sql_token { SQL_TOKEN_NONE, SQL_TOKEN_STRING, SQL_TOKEN_NAME, SQL_TOKEN_COMMENT };

/* The token that begins at i (< len).  *end: the first offset after it; unchanged if it is NONE.  A
 * doubled quote needs no special rule: it reads as two adjacent tokens. */
enum sql_token sql_scan_token(const struct sql_scan *sc, size_t i, size_t *end);

bool sql_name_char(char ch);

/* --- kinds --- */

/*
 * The kind of a statement, derived from its text, much like a server's
 * statement digest: literals become ?, lists of literals ..., several rows one row; comments and
 * extra blanks are dropped.
 *
 *     SELECT c FROM t WHERE id IN (1, 2, 3)   ->  SELECT c FROM t WHERE id IN (...)
 *     INSERT INTO t VALUES (1,'a'),(2,'b')    ->  INSERT INTO t VALUES (...)
 *
 * Letters keep their case, and names keep their digits.  One pass.
 */

/* Only this many bytes of a statement are used: an INSERT of half a megabyte has the kind of its
 * first rows. */
#define SQL_DIGEST_MAX 2048

/* Replaces out's content with the digest.  lex: SQL_LEX_*. */
void sql_digest(struct str *out, const char *text, size_t len, unsigned lex);

/* Does the digest (or a plain text) begin or end a transaction? */
bool sql_digest_is_transaction(const char *text, size_t len);

/* --- the first word --- */

/*
 * How sysbench 0.4 and 0.5 counted a statement.  They looked at its first word:
 * SELECT is a read, INSERT, UPDATE and DELETE are writes, everything else is `other`; COMMIT and
 * UNLOCK TABLES also end a transaction.  Today's count goes by what a statement did, so an UPDATE
 * that changed no row is a write there and `other` here.
 */
struct sql_keywords {
    enum counter counter;
    bool commit; /* it ends a transaction */
};

/* In any case, after any blanks. */
struct sql_keywords sql_keywords(const char *text, size_t len);

/* --- messages --- */

/* A statement in a message: its first 256 bytes, because a bulk insert has half a megabyte and
 * every client prints its own. */
#define SQL_EXCERPT_MAX 256

/* Appends the text, or its beginning and "... (524,288 bytes)"; with `whole` always the text.  No
 * character is cut in the middle. */
void sql_excerpt(struct str *out, const char *text, size_t len, bool whole);

#endif
