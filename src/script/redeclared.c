/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See api.h.  Both texts are split at the semicolons outside of braces.  Declarations are
 * compared in one form: single blanks between words, each enum value explicit.
 */
#include "script/api.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Length of a comment that begins here, 0: none does. */
static size_t comment_length(const char *s)
{
    const char *end;

    if (strncmp(s, "//", 2) == 0)
        return strcspn(s, "\n");
    if (strncmp(s, "/*", 2) != 0)
        return 0;
    end = strstr(s + 2, "*/");
    return end ? (size_t)(end - s) + 2 : strlen(s);
}

/* Up to and with the next semicolon outside of braces, or the end. */
static size_t declaration_length(const char *s)
{
    int depth = 0;

    for (size_t i = 0; s[i]; i++) {
        size_t comment = comment_length(s + i);
        if (comment) {
            i += comment - 1;
            continue;
        }
        depth += (s[i] == '{') - (s[i] == '}');
        if (s[i] == ';' && depth == 0)
            return i + 1;
    }
    return strlen(s);
}

/* The form in which two declarations are compared; false: it is not of the kind that can
 * be alike. */
static bool normal_form(struct str *out, const char *s, size_t len)
{
    static const char plain[] = "typedef struct{", list[] = "typedef enum{";
    struct str squeezed = STR_INIT;
    const char *text, *end, *at;
    bool gap = false, is;

    /* without comments, a blank only where it parts two words */
    for (size_t i = 0; i < len; i++) {
        size_t comment = comment_length(s + i);
        if (comment || isspace((unsigned char)s[i])) {
            gap = true;
            i += comment ? comment - 1 : 0;
            continue;
        }
        if (gap && squeezed.len && is_word(s[i]) && is_word(squeezed.s[squeezed.len - 1]))
            str_adds(&squeezed, " ");
        str_add(&squeezed, s + i, 1);
        gap = false;
    }
    text = str_cstr(&squeezed);
    end = strrchr(text, '}');
    is = strncmp(text, plain, sizeof plain - 1) == 0;
    if (is)
        str_adds(out, text);
    if (strncmp(text, list, sizeof list - 1) == 0 && end) {
        is = true;
        at = text + sizeof list - 1;
        for (long value = 0; is && at < end; value++) { /* "A,B=3,C," becomes "A=0,B=3,C=4," */
            size_t name = strcspn(at, ",=}");
            char *after = (char *)(uintptr_t)(at + name);
            if (at[name] == '=')
                value = strtol(at + name + 1, &after, 0);
            is = *after == ',' || *after == '}'; /* else a value is no number */
            str_add(out, at, name);
            str_printf(out, "=%ld,", value);
            at = after + 1;
        }
        str_adds(out, end);
    }
    str_free(&squeezed);
    return is;
}

static bool has(const char *text, const char *form)
{
    struct str mine = STR_INIT;
    bool found = false;

    for (size_t len; *text && !found; text += len) {
        len = declaration_length(text);
        str_reset(&mine);
        found = normal_form(&mine, text, len) && strcmp(str_cstr(&mine), form) == 0;
    }
    str_free(&mine);
    return found;
}

char *redeclared_remove(const char *text, const char *const *ours, size_t n)
{
    struct str form = STR_INIT;
    char *out = NULL;
    bool is;

    for (size_t at = 0, len; text[at]; at += len) {
        len = declaration_length(text + at);
        str_reset(&form);
        is = normal_form(&form, text + at, len);
        for (size_t i = 0; is && i < n; i++) {
            if (!has(ours[i], str_cstr(&form)))
                continue;
            out = out ? out : mem_strdup(text);
            for (char *c = out + at; c < out + at + len; c++)
                *c = *c == '\n' ? '\n' : ' ';
            break;
        }
    }
    str_free(&form);
    return out;
}
