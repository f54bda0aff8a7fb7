/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_digest.h.  Tokens are appended one by one.  A list is shortened as soon as one more
 * literal, or one more row, follows a comma.
 */
#include "sql/sql_digest.h"

#include <string.h>
#include <strings.h>

#include "sql/sql_scan.h"

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

/* Appends ")" and drops the row that it ends if the row before it looks the same. */
static void append_closing(struct digest *d)
{
    static const char *const row[] = {"(...)", "(?)"};
    struct str *s = d->out;

    d->blank = false;
    append(d, ")", 1);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        size_t first = s->len - strlen(row[i]), n;
        if (!ends_with(s, s->len, row[i]))
            continue;
        n = before_comma(s, first);
        if (n < first && ends_with(s, n, row[i]))
            cut_digest(s, n);
    }
}

/* Is a sign here part of the number that follows? */
static bool sign_begins_number(const struct digest *d)
{
    const struct str *s = d->out;

    return s->len == 0 || strchr("(,=<>+-*/%", s->s[s->len - 1]) != NULL;
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

/* NULL and DEFAULT count as literals in a list. */
static bool is_value(const struct digest *d, const char *word, size_t n)
{
    const struct str *s = d->out;
    bool member = s->len && (s->s[s->len - 1] == '(' || s->s[s->len - 1] == ',');

    return member && ((n == 4 && strncasecmp(word, "NULL", 4) == 0) ||
                      (n == 7 && strncasecmp(word, "DEFAULT", 7) == 0));
}

/* Words are copied; the letter of E'...', N'...', X'...' belongs to the string. */
static size_t word(struct digest *d, const struct sql_scan *sc, size_t i)
{
    size_t end = i;

    while (end < sc->len && sql_name_char(sc->s[end]))
        end++;
    if (is_value(d, sc->s + i, end - i))
        append_literal(d);
    else if (!(end == i + 1 && end < sc->len && sc->s[end] == '\'' && strchr("eEnNxXbB", sc->s[i])))
        append(d, sc->s + i, end - i);
    return end;
}

static size_t piece(struct digest *d, const struct sql_scan *sc, size_t i)
{
    char ch = sc->s[i];
    size_t end = i;

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
               sign_begins_number(d)) {
        append_literal(d);
        return skip_number(sc, i + 1);
    } else if (sql_name_start(ch)) {
        return word(d, sc, i);
    } else if (ch == ')') {
        append_closing(d);
    } else {
        if (ch == ',')
            d->blank = false;
        append(d, &ch, 1);
        d->blank = ch == ',';
    }
    return i + 1;
}

/* A text that was cut off within a row has the kind of the rows before it. */
static void drop_half_row(struct str *s)
{
    size_t n = s->len;

    while (n > 0 && s->s[n - 1] != ')')
        n--;
    if (n > 0 && s->s[n] == ',')
        cut_digest(s, n);
}

void sql_digest(struct str *out, const char *text, size_t len, unsigned lex)
{
    struct sql_scan sc = {
        .s = text, .len = len < SQL_DIGEST_MAX ? len : SQL_DIGEST_MAX, .lex = lex};
    struct digest d = {.out = out};

    str_reset(out);
    for (size_t i = 0; i < sc.len;)
        i = piece(&d, &sc, i);
    if (sc.len < len)
        drop_half_row(out);
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
