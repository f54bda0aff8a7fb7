/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See mask.h.  Text is masked in place, which never makes it longer.
 */
#include "opt/mask.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

/* Masks text[0..len) and moves the rest of the text up to it: the length is a secret too. */
void mask_value(char *text, size_t len)
{
    size_t rest = strlen(text + len);
    size_t shown = len < strlen(SECRET_SHOWN) ? len : strlen(SECRET_SHOWN);

    memcpy(text, SECRET_SHOWN, shown);
    memmove(text + shown, text + len, rest);
    memset(text + shown + rest, '\0', len - shown);
}

/* "postgresql://user:password@host" */
static void mask_in_uri(char *text)
{
    char *uri = text;

    while ((uri = strstr(uri, "://")) != NULL) {
        char *end = strpbrk(uri += 3, "@/? \t\n"), *colon;
        if (end && *end == '@' && (colon = memchr(uri, ':', (size_t)(end - uri))) != NULL)
            mask_value(colon + 1, (size_t)(end - colon - 1));
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

/* "key='a value' password = secret", "mysql --password=secret", "?password=secret&key=value" */
static void mask_all(char *text, bool sentence)
{
    mask_in_uri(text);
    for (char *p = text; (p = strcasestr(p, "password")) != NULL;) {
        size_t n;
        bool uri;
        p += strlen("password");
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

void mask_in_text(char *text)
{
    mask_all(text, false);
}

const char *mask_find_in_uri(const char *uri, size_t *len)
{
    const char *user = uri ? strstr(uri, "://") : NULL,
               *colon = user ? strchr(user + 3, ':') : NULL;
    const char *at = colon ? strchr(colon, '@') : NULL;

    *len = at ? (size_t)(at - colon - 1) : 0;
    return *len ? colon + 1 : NULL;
}

void mask_complaint(char *text, const char *word, size_t len)
{
    for (char *p = text; word && (p = strchr(p, '"')) != NULL;) {
        p++;
        if (strncmp(p, word, len) == 0 && p[len] == '"')
            mask_value(p, len);
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
    return strcasestr(option, "password") && !ends_with(option, "file");
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
    return copy;
}
