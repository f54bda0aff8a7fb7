/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Doubling growth; a text that does not fit at first is formatted again, so nothing is ever cut.
 */
#include "base/str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void str_room(struct str *b, size_t more)
{
    size_t need = b->len + more + 1;

    if (need <= b->cap)
        return;
    while (b->cap < need)
        b->cap = b->cap ? b->cap * 2 : 256;
    b->s = mem_grow(b->s, b->cap, 1);
}

void str_add(struct str *b, const char *text, size_t n)
{
    str_room(b, n);
    memcpy(b->s + b->len, text, n);
    b->len += n;
    b->s[b->len] = '\0';
}

void str_adds(struct str *b, const char *text)
{
    str_add(b, text, strlen(text));
}

void str_vprintf(struct str *b, const char *fmt, va_list ap)
{
    va_list again;

    str_room(b, 128); /* enough for most; the second pass knows the length */
    va_copy(again, ap);
    int n = vsnprintf(b->s + b->len, b->cap - b->len, fmt, ap);
    if (n >= 0 && (size_t)n >= b->cap - b->len) {
        str_room(b, (size_t)n);
        n = vsnprintf(b->s + b->len, b->cap - b->len, fmt, again);
    }
    va_end(again);
    b->len += n > 0 ? (size_t)n : 0;
}

void str_printf(struct str *b, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    str_vprintf(b, fmt, ap);
    va_end(ap);
}

void str_leb128(struct str *b, uint64_t v)
{
    char bytes[10];
    size_t n = 0;

    for (; v > 0x7f; v >>= 7)
        bytes[n++] = (char)((v & 0x7f) | 0x80);
    bytes[n++] = (char)v;
    str_add(b, bytes, n);
}

void str_zigzag(struct str *b, int64_t v)
{
    str_leb128(b, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

void str_reset(struct str *b)
{
    b->len = 0;
    if (b->s)
        b->s[0] = '\0';
}

void str_free(struct str *b)
{
    free(b->s);
    *b = (struct str)STR_INIT;
}

const char *str_cstr(const struct str *b)
{
    return b->s ? b->s : "";
}

size_t str_utf8(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned char low = 0x80, high = 0xbf;

    if (p[0] < 0x80)
        return 1;
    size_t n = p[0] >= 0xc2 && p[0] <= 0xdf   ? 2
               : p[0] >= 0xe0 && p[0] <= 0xef ? 3
               : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                              : 0;
    if (n == 0)
        return 0;
    if (p[0] == 0xe0)
        low = 0xa0;
    else if (p[0] == 0xed)
        high = 0x9f;
    else if (p[0] == 0xf0)
        low = 0x90;
    else if (p[0] == 0xf4)
        high = 0x8f;
    for (size_t i = 1; i < n; i++) {
        if (p[i] < low || p[i] > high) /* the closing NUL too */
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return n;
}

/* The code point of the character at `text` if a terminal could obey it or hide behind it, -1 if it
 * is harmless; its length is in *len. */
static long obeyed(const char *text, size_t n, size_t *len)
{
    const unsigned char *p = (const unsigned char *)text;
    char ahead[5] = "";
    long code = *p;

    memcpy(ahead, text, n < 4 ? n : 4);
    *len = str_utf8(ahead);
    if (*len == 2)
        code = (p[0] & 0x1fl) << 6 | (p[1] & 0x3fl);
    else if (*len == 3)
        code = (p[0] & 0xfl) << 12 | (p[1] & 0x3fl) << 6 | (p[2] & 0x3fl);
    else if (*len == 4)
        code = LONG_MAX; /* none of them */
    *len += *len == 0;
    return code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
                   code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
                   (code >= 0x2066 && code <= 0x2069)
               ? code
               : -1;
}

void str_printable(char *text, size_t n, char with)
{
    for (size_t i = 0, len; i < n; i += len)
        if (obeyed(text + i, n - i, &len) >= 0)
            memset(text + i, with, len);
}

void str_visible(struct str *b, const char *text, size_t n)
{
    for (size_t i = 0, len; i < n; i += len) {
        long code = obeyed(text + i, n - i, &len);
        if (code < 0 || code == '\n' || code == '\t')
            str_add(b, text + i, len);
        else
            str_printf(b, code < 256 ? "\\x%02lx" : "\\u%04lx", code);
    }
}
