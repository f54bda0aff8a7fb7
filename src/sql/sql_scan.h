/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the end of strings, quoted names and comments in SQL text, for the code that parses
 * statements (placeholders in sql_emulate.c, kinds in sql_digest.c).  Flags select the lexical
 * rules of a dialect.  Pure; texts may contain NUL bytes.
 */
#ifndef SB_SQL_SQL_SCAN_H
#define SB_SQL_SQL_SCAN_H

#include <stdbool.h>
#include <stddef.h>

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

bool sql_name_start(char ch);
bool sql_name_char(char ch);

#endif
