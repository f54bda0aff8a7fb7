/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_lines.h.
 */
#include "report/text_lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Columns of a text: bytes that begin a character. */
static size_t columns(const char *text, size_t n)
{
    size_t width = 0;

    for (size_t i = 0; i < n; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

void text_wrap(struct str *out, const char *text, size_t used, size_t indent, size_t width)
{
    size_t at = used;
    bool first = true;

    while (*(text += strspn(text, " "))) {
        size_t n = strcspn(text, " "), word = columns(text, n);
        if (!first && at + 1 + word > width) {
            str_printf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            str_adds(out, " ");
            at++;
        }
        for (size_t i = 0; i < n; i++)
            str_add(out, text[i] == TEXT_BOUND ? " " : text + i, 1);
        at += word;
        text += n;
        first = false;
    }
}

void text_item(struct str *out, const char *label, const char *fmt, ...)
{
    struct str text = STR_INIT;
    va_list ap, again;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n > 0) {
        str_room(&text, (size_t)n);
        vsnprintf(text.s, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    str_printf(out, TEXT_LABEL, label);
    text_wrap(out, n > 0 ? text.s : "", TEXT_INDENT, TEXT_INDENT, TEXT_WIDTH);
    str_adds(out, "\n");
    str_free(&text);
}

size_t text_lines_width(const struct text_lines *l)
{
    return l->detail == TEXT_FULL ? TEXT_UNBOUND : TEXT_WIDTH;
}

void text_missing(struct text_lines *l, const char *label, const char *reason)
{
    size_t i = 0;

    if (l->detail == TEXT_FULL) {
        str_printf(l->out, TEXT_LABEL "n/a (%s)\n", label, reason);
        return;
    }
    while (i < l->reasons && strcmp(l->missing[i].reason, reason) != 0)
        i++;
    if (i == TEXT_REASONS)
        i--;
    if (i == l->reasons)
        l->missing[l->reasons++].reason = reason;
    if (l->missing[i].labels.len)
        str_adds(&l->missing[i].labels, ", ");
    str_add(&l->missing[i].labels, label, strlen(label) - (label[strlen(label) - 1] == ':'));
}

void text_lines_end(struct text_lines *l)
{
    for (size_t i = 0; i < l->reasons; i++) {
        text_item(l->out, "n/a:", "%s (%s)", str_cstr(&l->missing[i].labels), l->missing[i].reason);
        str_free(&l->missing[i].labels);
    }
    l->reasons = 0;
    str_adds(l->out, "\n");
}
