/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Statement parameters: what the thirteen type names come down to (integer, double, bytes), a
 * parameter's value as SQL text for statements that are emulated, and the text of a result in a
 * buffer.  Buffers belong to the script and
 * are read at the moment of the call.  No state; any thread.
 */
#ifndef SB_SQL_SQL_BIND_H
#define SB_SQL_SQL_BIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "sql/sql_types.h"

enum sql_bind_kind {
    SQL_BIND_NULL,   /* NONE: always NULL */
    SQL_BIND_INT,    /* buffer holds an int64_t */
    SQL_BIND_DOUBLE, /* buffer holds a double */
    SQL_BIND_BYTES   /* buffer holds data_len bytes; dates and times are text too */
};

enum sql_bind_kind sql_bind_kind(sql_bind_type_t type);

/* NULL by type, by flag or for want of a buffer. */
bool sql_bind_is_null(const sql_bind *b);

/* Bytes of a BYTES parameter: *data_len, never beyond max_len; without data_len up to the first
 * NUL. */
size_t sql_bind_length(const sql_bind *b);

/* Appends a string as a literal of the server's dialect, quotes included. */
typedef void (*sql_quote_fn)(void *arg, struct str *out, const char *bytes, size_t n);

/* Appends the value: decimal integer, double with 17 significant digits (reads back as the same
 * double; NULL when it is not finite, no SQL has a literal for that), quoted string, or NULL. */
void sql_bind_literal(const sql_bind *b, sql_quote_fn quote, void *arg, struct str *out);

/* The way back: a value that the server sent as text (NULL: SQL NULL) into the buffer of a result,
 * as sql_bind_result() in sql.h says. */
void sql_bind_store(const sql_bind *b, const char *text, size_t len);

#endif
