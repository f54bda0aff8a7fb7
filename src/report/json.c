/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See json.h.
 */
#include "report/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void escaped(struct str *out, unsigned char c)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *p = strchr(plain, c);

    if (p)
        str_printf(out, "\\%c", letter[p - plain]);
    else
        str_printf(out, "\\u%04x", c);
}

void json_string(struct str *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;

    if (!text) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "\"");
    while (*p) {
        size_t n = str_utf8((const char *)p);
        if (n == 0) {
            str_adds(out, "\\ufffd");
            n = 1;
        } else if (*p < 0x20 || *p == '"' || *p == '\\' || *p == 0x7f) {
            escaped(out, *p);
        } else {
            str_add(out, (const char *)p, n);
        }
        p += n;
    }
    str_adds(out, "\"");
}

void json_number(struct str *out, double v)
{
    char text[40];

    if (!isfinite(v)) {
        str_adds(out, "null");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    str_adds(out, text);
}

void json_name(struct str *out, bool *first, const char *name)
{
    if (!*first)
        str_adds(out, ",");
    *first = false;
    json_string(out, name);
    str_adds(out, ":");
}

void json_string_member(struct str *out, bool *first, const char *name, const char *value)
{
    json_name(out, first, name);
    json_string(out, value);
}

void json_number_member(struct str *out, bool *first, const char *name, double value)
{
    json_name(out, first, name);
    json_number(out, value);
}

void json_count_member(struct str *out, bool *first, const char *name, uint64_t value)
{
    json_name(out, first, name);
    str_printf(out, "%llu", (unsigned long long)value);
}
