/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A growable text buffer for reports and SQL.  Not for sharing between threads.  Always
 * NUL-terminated once something was added (str_cstr handles the empty one).
 */
#ifndef SB_BASE_STR_H
#define SB_BASE_STR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long long ull; /* what %llu prints */

struct str {
    char *s;
    size_t len, cap;
};

/* clang-format off */
#define STR_INIT {NULL, 0, 0}
/* clang-format on */

/* Makes room for writing `more` bytes and a NUL directly at s[len]. */
void str_room(struct str *b, size_t more);
void str_add(struct str *b, const char *text, size_t n);
void str_adds(struct str *b, const char *text);
void str_printf(struct str *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_vprintf(struct str *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Numbers for programs: seven bits a byte, lowest first; signed ones as ZigZag. */
void str_leb128(struct str *b, uint64_t v);
void str_zigzag(struct str *b, int64_t v);
void str_reset(struct str *b); /* empties, keeps the memory */
void str_free(struct str *b);
const char *str_cstr(const struct str *b); /* "" when nothing was added */

/* Length of the UTF-8 sequence at `text`; 0: there is none.  Unicode 15, table 3-7: no
 * surrogates, nothing overlong. */
size_t str_utf8(const char *text);

/* What somebody else wrote must not steer a terminal: control characters, those of U+0080 to U+009F
 * in UTF-8 and as bytes of their own (ISO 8859, what is left of a cut letter), what turns the
 * direction of text, and the line ends of Unicode.  The first replaces their bytes by `with`; the
 * second adds the text with \x1b or \u202e for each, but newlines and tabs as they are. */
void str_printable(char *text, size_t n, char with);
void str_visible(struct str *b, const char *text, size_t n);

#endif
