/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See mask.h.  Text is masked in place, which never makes it longer.
 */
#include "opt/mask.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

#define LETTERS "_-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Masks text[0..len) and moves the rest of the text up to it: the length is a secret too. */
void mask_value(char *text, size_t len)
{
    size_t rest = strlen(text + len);
    size_t shown = len < strlen(SECRET_SHOWN) ? len : strlen(SECRET_SHOWN);

    memcpy(text, SECRET_SHOWN, shown);
    memmove(text + shown, text + len, rest);
    memset(text + shown + rest, '\0', len - shown);
}

static bool is_libpq(const char *text, const char *scheme_end)
{
    static const char *const names[] = {"postgres", "postgresql"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if ((size_t)(scheme_end - text) >= n && strncmp(scheme_end - n, names[i], n) == 0)
            return true;
    }
    return false;
}

/* The '@' behind user and password of a URI for libpq; NULL: there is none.  The last one counts:
 * people forget to encode '@' and '/' in a password, and '?' need not be. */
static char *libpq_user_end(char *user)
{
    size_t n = strcspn(user, "@/ \t\n\"");
    size_t from = user[n] == '@' ? n : 0;

    for (n = from + strcspn(user + from, "? \t\n\""); n > from; n--)
        if (user[n - 1] == '@')
            break;
    n = n > from ? n - 1 : n;
    return user[n] == '@' ? user + n : NULL;
}

/* "postgresql://user:password@host" */
static void mask_in_uri(char *text)
{
    char *uri = text;

    while ((uri = strstr(uri, "://")) != NULL) {
        bool libpq = is_libpq(text, uri);
        char *user = uri + 3, *end = libpq ? libpq_user_end(user) : strpbrk(user, "@/? \t\n");
        char *colon = end && *end == '@' ? memchr(user, ':', (size_t)(end - user)) : NULL;
        if (colon)
            mask_value(colon + 1, (size_t)(end - colon - 1));
        uri = user;
    }
}

/* True when the key that ends at `end` belongs to a URI ("?user=a&sslpassword=b"). */
static bool in_uri(const char *text, const char *end)
{
    while (end > text && (isalnum((unsigned char)end[-1]) || strchr("_-", end[-1])))
        end--;
    return end > text && strchr("?&", end[-1]);
}

/* The length of a value, to its closing quote, to a blank, or in a URI to the next key. */
static size_t value_length(const char *v, bool uri)
{
    char quote = *v == '\'' || *v == '"' ? *v : '\0';
    size_t n = quote != '\0';

    for (; v[n] && (quote ? v[n] != quote : !strchr(uri ? "& \t\n" : " \t\n", v[n])); n++)
        n += v[n] == '\\' && v[n + 1];
    return n + (quote && v[n]);
}

/* A sentence goes on behind an unquoted value: with the quote that closes around it, and with one
 * of its own marks.  The length without those. */
static size_t without_marks(const char *v, size_t n)
{
    if (*v == '\'' || *v == '"')
        return n;
    if (n > 1 && strchr(":;,?.)", v[n - 1]))
        n--;
    if (n > 1 && strchr("'\"", v[n - 1]))
        n--;
    return n;
}

/* Where the first word that announces a password ends; 0: there is none.  In a sentence it may be
 * misspelt or short: that is what the sentence is about. */
static size_t word_end(const char *text, bool sentence)
{
    static const char *const words[] = {"password", "mysql_pwd", "pas",    "pwd",  "sword",
                                        "psw",      "pw",        "secret", "token"};
    const char *first = NULL;
    size_t n = 0;

    for (size_t i = 0; i < (sentence ? sizeof words / sizeof *words : 2); i++) {
        const char *p = strcasestr(text, words[i]);
        if (!p || (first && p >= first))
            continue;
        first = p;
        n = (size_t)(p - text) + strlen(words[i]);
        n += i < 2 ? 0 : strspn(text + n, LETTERS);
    }
    return n;
}

/* "key='a value' password = secret", "mysql --password=secret", "?password=secret&key=value" */
static void mask_all(char *text, bool sentence)
{
    mask_in_uri(text);
    for (char *p = text; word_end(p, sentence) > 0;) {
        size_t n;
        bool uri;
        p += word_end(p, sentence);
        uri = in_uri(text, p);
        p += strspn(p, " \t");
        if (*p != '=')
            continue;
        p++;
        p += strspn(p, " \t");
        n = value_length(p, uri);
        mask_value(p, sentence ? without_marks(p, n) : n);
    }
}

/* "invalid option: --mysql-pa55word=x; did you mean --mysql-password?": then it is one. */
static void mask_suggested(char *text)
{
    char *meant = strstr(text, "; did you mean --"), *value = strchr(text, '=');

    if (strncmp(text, "invalid option: --", 18) == 0 && meant && value && value + 1 < meant &&
        word_end(meant, false) && !strstr(value, SECRET_SHOWN))
        mask_value(value + 1, (size_t)(meant - value - 1));
}

void mask_in_text(char *text)
{
    mask_all(text, false);
}

const char *mask_find_in_uri(const char *uri, size_t *len)
{
    const char *scheme = uri ? strstr(uri, "://") : NULL, *user = scheme ? scheme + 3 : NULL;
    const char *at = user ? libpq_user_end((char *)(uintptr_t)user) : NULL;
    const char *colon = at ? memchr(user, ':', (size_t)(at - user)) : NULL;

    *len = colon ? (size_t)(at - colon - 1) : 0;
    return *len ? colon + 1 : NULL;
}

/* True for the password, and for a part of the URI that begins within it: libpq cuts the URI at the
 * first '/' or '@', also if they are the password's. */
static bool is_of_password(const char *quoted, size_t n, const char *word, size_t len)
{
    bool cut = memchr(word, '/', len) || memchr(word, '@', len);

    if (n == len && strncmp(quoted, word, n) == 0)
        return true;
    for (size_t i = 0; cut && n && i < len; i++)
        if (strncmp(quoted, word + i, n) == 0)
            return true;
    return false;
}

void mask_complaint(char *text, const char *word, size_t len)
{
    for (char *p = text; word && (p = strchr(p, '"')) != NULL;) {
        size_t n = strcspn(++p, "\"");
        if (p[n] && is_of_password(p, n, word, len))
            mask_value(p, n);
    }
    mask_in_text(text);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

bool secret_by_name(const char *option)
{
    return word_end(option, false) > 0 && !ends_with(option, "file");
}

char *secret_shown_text(const char *text)
{
    char *copy = mem_strdup(text);

    mask_in_text(copy);
    return copy;
}

char *secret_shown_message(const char *msg)
{
    char *copy = mem_strdup(msg);

    mask_all(copy, true);
    mask_suggested(copy);
    return copy;
}
