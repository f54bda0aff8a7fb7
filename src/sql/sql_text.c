/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_text.h.
 */
#include "sql/sql_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- tokens: skip_* return the first offset after the token that begins at i --- */

static bool looking_at(const struct sql_scan *sc, size_t i, const char *what)
{
    size_t n = strlen(what);

    return sc->len - i >= n && memcmp(sc->s + i, what, n) == 0;
}

static bool name_start(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' || (ch & 0x80);
}

bool sql_name_char(char ch)
{
    return name_start(ch) || (ch >= '0' && ch <= '9') || ch == '$';
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
    if (end < sc->len && name_start(sc->s[end]))
        while (end < sc->len && sc->s[end] != '$' && sql_name_char(sc->s[end]))
            end++;
    return end < sc->len && sc->s[end] == '$' ? end + 1 - i : 0;
}

enum sql_token sql_scan_token(const struct sql_scan *sc, size_t i, size_t *end)
{
    bool mysql = sc->lex & SQL_LEX_MYSQL, pgsql = sc->lex & SQL_LEX_PGSQL;
    char ch = sc->s[i];
    size_t tag;

    if (ch == '\'' || ch == '"' || (ch == '`' && mysql)) {
        /* E'...' of PostgreSQL, and everywhere but in names */
        bool e = i > 0 && (sc->s[i - 1] == 'E' || sc->s[i - 1] == 'e') &&
                 !(i > 1 && sql_name_char(sc->s[i - 2]));
        bool always = sc->lex & SQL_LEX_BACKSLASH;
        bool escapes =
            sc->lex & SQL_LEX_PGSQL ? sc->s[i] == '\'' && (always || e) : always && sc->s[i] != '`';
        char quote = sc->s[i++];
        while (i < sc->len && sc->s[i] != quote)
            i += (escapes && sc->s[i] == '\\') ? 2 : 1;
        *end = i < sc->len ? i + 1 : sc->len;
        /* in PostgreSQL "..." is a name, in MySQL a string (unless sql_mode has ANSI_QUOTES) */
        return ch == '`' || (ch == '"' && pgsql) ? SQL_TOKEN_NAME : SQL_TOKEN_STRING;
    }
    if ((tag = dollar_tag(sc, i)) > 0) {
        const char *open = sc->s + i;
        for (i += tag; i + tag <= sc->len && memcmp(sc->s + i, open, tag) != 0;)
            i++;
        *end = i + tag <= sc->len ? i + tag : sc->len;
        return SQL_TOKEN_STRING;
    }
    /* MySQL reads 5--3 as arithmetic: a comment needs a blank, a control character or the end */
    if ((ch == '#' && mysql) || (looking_at(sc, i, "--") && (!mysql || i + 2 >= sc->len ||
                                                             (unsigned char)sc->s[i + 2] <= ' '))) {
        while (i < sc->len && sc->s[i] != '\n')
            i++;
        *end = i;
        return SQL_TOKEN_COMMENT;
    }
    if (looking_at(sc, i, "/*") &&
        !(mysql && (looking_at(sc, i, "/*!") || looking_at(sc, i, "/*M!")))) {
        *end = skip_block(sc, i);
        return SQL_TOKEN_COMMENT;
    }
    return SQL_TOKEN_NONE;
}

/* --- kinds: tokens are appended one by one, and a list is shortened as soon as one more literal,
 * or one more row, follows a comma --- */

struct digest {
    struct str *out;
    bool blank;   /* append a blank before the next token */
    bool literal; /* the last token was a literal, and nothing has followed it */
};

static bool digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

static bool ends_with(const struct str *s, size_t len, const char *end)
{
    size_t n = strlen(end);

    return len >= n && memcmp(s->s + len - n, end, n) == 0;
}

/* Length without the blanks, comma and blanks at the end; `len` if there is no comma. */
static size_t before_comma(const struct str *s, size_t len)
{
    size_t n = len;

    while (n > 0 && s->s[n - 1] == ' ')
        n--;
    if (n == 0 || s->s[n - 1] != ',')
        return len;
    n--;
    while (n > 0 && s->s[n - 1] == ' ')
        n--;
    return n;
}

static void cut_digest(struct str *s, size_t len)
{
    s->len = len;
    s->s[len] = '\0';
}

static void append(struct digest *d, const char *text, size_t n)
{
    if (d->blank && d->out->len && !ends_with(d->out, d->out->len, "("))
        str_add(d->out, " ", 1);
    d->blank = false;
    str_add(d->out, text, n);
    d->literal = false;
}

/* Appends "?", or turns the literal or list before a comma into "...". */
static void append_literal(struct digest *d)
{
    struct str *s = d->out;
    size_t n = s->len ? before_comma(s, s->len) : 0;

    if (d->literal && !d->blank) /* '' inside a string, or strings side by side */
        return;
    if (s->len && n < s->len && ends_with(s, n, "...")) {
        cut_digest(s, n);
        d->blank = false;
    } else if (s->len && n < s->len && ends_with(s, n, "?")) {
        cut_digest(s, n - 1);
        str_adds(s, "...");
        d->blank = false;
    } else {
        append(d, "?", 1);
    }
    d->literal = true;
}

static size_t skip_number(const struct sql_scan *sc, size_t i)
{
    for (; i < sc->len; i++) {
        char ch = sc->s[i], last = i ? sc->s[i - 1] : 0;
        bool exponent = (ch == '+' || ch == '-') && (last == 'e' || last == 'E') &&
                        i + 1 < sc->len && digit(sc->s[i + 1]);
        if (!sql_name_char(ch) && ch != '.' && !exponent)
            break;
    }
    return i;
}

static bool number_at(const struct sql_scan *sc, size_t i)
{
    if (sc->s[i] == '.')
        return i + 1 < sc->len && digit(sc->s[i + 1]) && (i == 0 || !sql_name_char(sc->s[i - 1]));
    return digit(sc->s[i]);
}

static size_t piece(struct digest *d, const struct sql_scan *sc, size_t i)
{
    static const char *const row[] = {"(...)", "(?)"};
    struct str *s = d->out;
    char ch = sc->s[i], last;
    size_t end = i, n;

    switch (sql_scan_token(sc, i, &end)) {
    case SQL_TOKEN_STRING: append_literal(d); return end;
    case SQL_TOKEN_NAME: append(d, sc->s + i, end - i); return end;
    case SQL_TOKEN_COMMENT: d->blank = true; return end;
    default: break;
    }
    if ((unsigned char)ch <= ' ') {
        d->blank = true;
    } else if (ch == '?') {
        append_literal(d);
    } else if (number_at(sc, i) || (ch == '$' && i + 1 < sc->len && digit(sc->s[i + 1]))) {
        append_literal(d);
        return skip_number(sc, i);
    } else if ((ch == '-' || ch == '+') && i + 1 < sc->len && number_at(sc, i + 1) &&
               (s->len == 0 || strchr("(,=<>+-*/%", s->s[s->len - 1]))) { /* a sign of it */
        append_literal(d);
        return skip_number(sc, i + 1);
    } else if (name_start(ch)) {
        while (end < sc->len && sql_name_char(sc->s[end]))
            end++;
        n = end - i;
        last = s->len ? s->s[s->len - 1] : '\0';
        /* in a list NULL and DEFAULT are literals; the letter of E'...', N'...', X'...' is the
         * string's */
        if ((last == '(' || last == ',') && ((n == 4 && strncasecmp(sc->s + i, "NULL", 4) == 0) ||
                                             (n == 7 && strncasecmp(sc->s + i, "DEFAULT", 7) == 0)))
            append_literal(d);
        else if (!(n == 1 && end < sc->len && sc->s[end] == '\'' && strchr("eEnNxXbB", ch)))
            append(d, sc->s + i, n);
        return end;
    } else if (ch == ')') {
        d->blank = false;
        append(d, ")", 1);
        for (size_t k = 0; k < 2; k++) { /* a row that looks like the one before it is dropped */
            size_t first = s->len - strlen(row[k]);
            if (!ends_with(s, s->len, row[k]))
                continue;
            n = before_comma(s, first);
            if (n < first && ends_with(s, n, row[k]))
                cut_digest(s, n);
        }
    } else {
        if (ch == ',')
            d->blank = false;
        append(d, &ch, 1);
        d->blank = ch == ',';
    }
    return i + 1;
}

void sql_digest(struct str *out, const char *text, size_t len, unsigned lex)
{
    struct sql_scan sc = {
        .s = text, .len = len < SQL_DIGEST_MAX ? len : SQL_DIGEST_MAX, .lex = lex};
    struct digest d = {.out = out};

    str_reset(out);
    for (size_t i = 0; i < sc.len;)
        i = piece(&d, &sc, i);
    if (sc.len < len) { /* cut off within a row, it has the kind of the rows before it */
        size_t n = out->len;
        while (n > 0 && out->s[n - 1] != ')')
            n--;
        if (n > 0 && out->s[n] == ',')
            cut_digest(out, n);
    }
    while (out->len && (out->s[out->len - 1] == ';' || out->s[out->len - 1] == ' '))
        cut_digest(out, out->len - 1);
}

bool sql_digest_is_transaction(const char *text, size_t len)
{
    static const char *const words[] = {
        "BEGIN", "COMMIT", "ROLLBACK", "START TRANSACTION",  "SAVEPOINT", "RELEASE",
        "END",   "ABORT",  "XA",       "PREPARE TRANSACTION"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (len >= n && strncasecmp(text, words[i], n) == 0 &&
            (len == n || !sql_name_char(text[n])))
            return true;
    }
    return false;
}

/* --- the first word --- */

struct word {
    const char *text;
    size_t len;
};

/* The first word of a text; empty if it does not begin with a letter. */
static struct word next_word(const char *text, const char *end)
{
    const char *at;

    while (text < end && isspace((unsigned char)*text))
        text++;
    for (at = text; at < end && isalpha((unsigned char)*at);)
        at++;
    return (struct word){text, (size_t)(at - text)};
}

static bool is(struct word w, const char *word)
{
    return w.len == strlen(word) && strncasecmp(w.text, word, w.len) == 0;
}

struct sql_keywords sql_keywords(const char *text, size_t len)
{
    static const struct {
        const char *word;
        enum counter counter;
    } known[] = {
        {"select", CNT_READ}, {"update", CNT_WRITE}, {"insert", CNT_WRITE}, {"delete", CNT_WRITE}};
    const char *end = text + len;
    struct word first = next_word(text, end);

    for (size_t i = 0; first.len == strlen("select") && i < sizeof known / sizeof *known; i++)
        if (is(first, known[i].word))
            return (struct sql_keywords){known[i].counter, false};
    if (is(first, "unlock"))
        return (struct sql_keywords){CNT_OTHER,
                                     is(next_word(first.text + first.len, end), "tables")};
    return (struct sql_keywords){CNT_OTHER, is(first, "commit")};
}

/* --- messages --- */

void sql_excerpt(struct str *out, const char *text, size_t len, bool whole)
{
    size_t n = SQL_EXCERPT_MAX;
    char digits[24];

    if (whole || len <= SQL_EXCERPT_MAX) {
        str_add(out, text, len);
        return;
    }
    while (n > SQL_EXCERPT_MAX - 4 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    str_add(out, text, n);
    str_adds(out, "... (");
    n = (size_t)snprintf(digits, sizeof digits, "%zu", len);
    for (size_t i = 0; i < n; i++) /* "524,288" */
        str_printf(out, "%c%s", digits[i], i + 1 < n && (n - i) % 3 == 1 ? "," : "");
    str_adds(out, " bytes)");
}
