/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_scan.h.  skip_* return the first offset after the token that begins at i.
 */
#include "sql/sql_scan.h"

#include <string.h>

static bool looking_at(const struct sql_scan *sc, size_t i, const char *what)
{
    size_t n = strlen(what);

    return sc->len - i >= n && memcmp(sc->s + i, what, n) == 0;
}

bool sql_name_start(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' || (ch & 0x80);
}

bool sql_name_char(char ch)
{
    return sql_name_start(ch) || (ch >= '0' && ch <= '9') || ch == '$';
}

/* Is the quote at i part of E'...'? */
static bool escape_string_at(const struct sql_scan *sc, size_t i)
{
    return i > 0 && (sc->s[i - 1] == 'E' || sc->s[i - 1] == 'e') &&
           !(i > 1 && sql_name_char(sc->s[i - 2]));
}

static bool escapes_in(const struct sql_scan *sc, size_t i)
{
    bool always = sc->lex & SQL_LEX_BACKSLASH;

    if (sc->lex & SQL_LEX_PGSQL)
        return sc->s[i] == '\'' && (always || escape_string_at(sc, i));
    return always && sc->s[i] != '`';
}

static size_t skip_quoted(const struct sql_scan *sc, size_t i)
{
    bool escapes = escapes_in(sc, i);
    char quote = sc->s[i++];

    while (i < sc->len && sc->s[i] != quote)
        i += (escapes && sc->s[i] == '\\') ? 2 : 1;
    return i < sc->len ? i + 1 : sc->len;
}

static size_t skip_line(const struct sql_scan *sc, size_t i)
{
    while (i < sc->len && sc->s[i] != '\n')
        i++;
    return i;
}

static size_t skip_block(const struct sql_scan *sc, size_t i)
{
    unsigned depth = 0;

    while (i < sc->len) {
        if (looking_at(sc, i, "*/") && depth > 0) {
            i += 2;
            if (--depth == 0)
                return i;
        } else if (looking_at(sc, i, "/*") && (depth == 0 || (sc->lex & SQL_LEX_PGSQL))) {
            depth++;
            i += 2;
        } else {
            i++;
        }
    }
    return sc->len;
}

/* Length of the $tag$ at i, 0 if there is none ($1 and a$b are not tags). */
static size_t dollar_tag(const struct sql_scan *sc, size_t i)
{
    size_t end = i + 1;

    if (!(sc->lex & SQL_LEX_PGSQL) || sc->s[i] != '$' || (i > 0 && sql_name_char(sc->s[i - 1])))
        return 0;
    if (end < sc->len && sql_name_start(sc->s[end]))
        while (end < sc->len && sc->s[end] != '$' && sql_name_char(sc->s[end]))
            end++;
    return end < sc->len && sc->s[end] == '$' ? end + 1 - i : 0;
}

static size_t skip_dollar_quoted(const struct sql_scan *sc, size_t i, size_t tag)
{
    const char *open = sc->s + i;

    for (i += tag; i + tag <= sc->len; i++)
        if (memcmp(sc->s + i, open, tag) == 0)
            return i + tag;
    return sc->len;
}

static bool line_comment_at(const struct sql_scan *sc, size_t i)
{
    if ((sc->lex & SQL_LEX_MYSQL) && sc->s[i] == '#')
        return true;
    if (!looking_at(sc, i, "--"))
        return false;
    /* MySQL reads 5--3 as arithmetic: a comment needs a blank, a control character or the end */
    return !(sc->lex & SQL_LEX_MYSQL) || i + 2 >= sc->len || (unsigned char)sc->s[i + 2] <= ' ';
}

static bool block_comment_at(const struct sql_scan *sc, size_t i)
{
    if (!looking_at(sc, i, "/*"))
        return false;
    return !(sc->lex & SQL_LEX_MYSQL) || !(looking_at(sc, i, "/*!") || looking_at(sc, i, "/*M!"));
}

static bool quote_at(const struct sql_scan *sc, size_t i)
{
    char ch = sc->s[i];

    return ch == '\'' || ch == '"' || (ch == '`' && (sc->lex & SQL_LEX_MYSQL));
}

/* In PostgreSQL "..." is a name, in MySQL a string (unless sql_mode has ANSI_QUOTES). */
static enum sql_token quoted_kind(const struct sql_scan *sc, size_t i)
{
    bool name = sc->s[i] == '`' || (sc->s[i] == '"' && (sc->lex & SQL_LEX_PGSQL));

    return name ? SQL_TOKEN_NAME : SQL_TOKEN_STRING;
}

enum sql_token sql_scan_token(const struct sql_scan *sc, size_t i, size_t *end)
{
    size_t tag;

    if (quote_at(sc, i)) {
        *end = skip_quoted(sc, i);
        return quoted_kind(sc, i);
    }
    if ((tag = dollar_tag(sc, i)) > 0) {
        *end = skip_dollar_quoted(sc, i, tag);
        return SQL_TOKEN_STRING;
    }
    if (line_comment_at(sc, i)) {
        *end = skip_line(sc, i);
        return SQL_TOKEN_COMMENT;
    }
    if (block_comment_at(sc, i)) {
        *end = skip_block(sc, i);
        return SQL_TOKEN_COMMENT;
    }
    return SQL_TOKEN_NONE;
}
