/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Statements that the server cannot or should not prepare.  The text is parsed once for its
 * placeholders (`?`); each execute copies text and parameter values into one plain query.  As on a
 * server, a `?` inside a string, a quoted name or a comment is not a placeholder.  The same for all
 * drivers; flags select the lexical rules of a dialect.  No locks, no globals.
 */
#ifndef SB_SQL_SQL_EMULATE_H
#define SB_SQL_SQL_EMULATE_H

#include <stddef.h>

#include "sql/sql_bind.h"
#include "sql/sql_scan.h"

struct sql_template {
    const char *text; /* borrowed */
    size_t len;
    size_t *placeholders; /* offsets of the placeholders, ascending */
    size_t nplaceholders;
};

/* Finds the placeholders of a text, which must outlive the template; it may contain NUL bytes. */
void sql_template_init(struct sql_template *t, const char *text, size_t len, unsigned lex);
void sql_template_fini(struct sql_template *t);

/* Replaces out's content with the text, params[0..nplaceholders-1] filled in. */
void sql_template_expand(const struct sql_template *t, const sql_bind *params, sql_quote_fn quote,
                         void *arg, struct str *out);

/* Replaces out's content with the text, $1, $2, ... in place of the placeholders, for servers that
 * number them. */
void sql_template_number(const struct sql_template *t, struct str *out);

#endif
