/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Statement parameters: maps the thirteen type names to integer, double or bytes, writes a
 * parameter's value as SQL text (for emulated statements) and stores a result's text in a buffer.
 * Buffers belong to the script and are read during the call.  No state; any thread.
 *
 * Templates are for statements that the server cannot or should not prepare.  The text is parsed
 * once for its placeholders (`?`); each execute copies text and parameter values into one plain
 * query.  As on a server, a `?` inside a string, a quoted name or a comment is not a placeholder.
 * The same for all drivers; flags select the lexical rules of a dialect.
 */
#ifndef SB_SQL_SQL_BIND_H
#define SB_SQL_SQL_BIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "sql/sql_text.h"
#include "sql/sql_types.h"

enum sql_bind_kind {
    SQL_BIND_NULL,   /* NONE: always NULL */
    SQL_BIND_INT,    /* buffer holds an int64_t */
    SQL_BIND_DOUBLE, /* buffer holds a double */
    SQL_BIND_BYTES   /* buffer holds data_len bytes; dates and times are text too */
};

enum sql_bind_kind sql_bind_kind(sql_bind_type_t type);

/* NULL by type, by flag or because there is no buffer. */
bool sql_bind_is_null(const sql_bind *b);

/* Length of a BYTES parameter: *data_len, at most max_len; without data_len up to the first NUL. */
size_t sql_bind_length(const sql_bind *b);

/* Appends a string as a literal of the server's dialect, quotes included. */
typedef void (*sql_quote_fn)(void *arg, struct str *out, const char *bytes, size_t n);

/* Appends the value: decimal integer, double with 17 significant digits (which reads back as the
 * same double; NULL if not finite, because SQL has no literal for that), quoted string, or NULL. */
void sql_bind_literal(const sql_bind *b, sql_quote_fn quote, void *arg, struct str *out);

/* The reverse: stores a value that the server sent as text (NULL: SQL NULL) in the buffer of a
 * result; see sql_bind_result() in sql.h. */
void sql_bind_store(const sql_bind *b, const char *text, size_t len);

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
