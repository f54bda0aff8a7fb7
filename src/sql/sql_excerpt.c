/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_excerpt.h.
 */
#include "sql/sql_excerpt.h"

#include <stdio.h>

/* "524,288" */
static void add_count(struct str *out, size_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%zu", n);

    for (int i = 0; i < len; i++) {
        str_add(out, &digits[i], 1);
        if (i + 1 < len && (len - i) % 3 == 1)
            str_adds(out, ",");
    }
}

void sql_excerpt(struct str *out, const char *text, size_t len, bool whole)
{
    size_t n = SQL_EXCERPT_MAX;

    if (whole || len <= SQL_EXCERPT_MAX) {
        str_add(out, text, len);
        return;
    }
    while (n > SQL_EXCERPT_MAX - 4 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    str_add(out, text, n);
    str_adds(out, "... (");
    add_count(out, len);
    str_adds(out, " bytes)");
}
