/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where strings, quoted names and comments end in a text of SQL: what everything that looks into
 * statements (placeholders in sql_emulate.c, kinds in sql_digest.c) has to step over.  What differs
 * between dialects is a handful of lexical rules given as flags.  Pure; texts may contain NUL
 * bytes.
 */
#ifndef SB_SQL_SQL_SCAN_H
#define SB_SQL_SQL_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum {
    /* \ escapes the next character in '...' and "..." */
    SQL_LEX_BACKSLASH = 1 << 0,
    /* MySQL's ways: `names`, # comments, "--" only before a blank, code inside a comment that
       begins with ! */
    SQL_LEX_MYSQL = 1 << 1,
    /* PostgreSQL's ways: E'...' with escapes, $tag$ quotes, comments inside comments, no escapes in
       "names" */
    SQL_LEX_PGSQL = 1 << 2
};

struct sql_scan {
    const char *s;
    size_t len;
    unsigned lex; /* SQL_LEX_* */
};

enum sql_piece { SQL_PIECE_NONE, SQL_PIECE_STRING, SQL_PIECE_NAME, SQL_PIECE_COMMENT };

/* What begins at i (< len); *end: the first offset behind it, left alone when nothing does.  A
 * doubled quote needs no care: it reads as two pieces that touch. */
enum sql_piece sql_scan_piece(const struct sql_scan *sc, size_t i, size_t *end);

bool sql_name_start(char ch);
bool sql_name_char(char ch);

#endif
