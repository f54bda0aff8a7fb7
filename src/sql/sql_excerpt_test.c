/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Statements in messages: whole, cut, and cut before a character of several bytes.
 */
#include "sql/sql_excerpt.h"

#include <stdlib.h>
#include <string.h>

#include "base/test.h"

static void check(const char *text, size_t len, bool whole, const char *end, size_t want)
{
    struct str out = STR_INIT;

    sql_excerpt(&out, text, len, whole);
    CHECK_INT(out.len, want);
    CHECK_STR(str_cstr(&out) + out.len - strlen(end), end);
    CHECK_INT(strncmp(str_cstr(&out), text, want < 252 ? want : 252), 0);
    str_free(&out);
}

TEST_MAIN(sql_excerpt_test)
{
    size_t size = 524288;
    char *text = malloc(size);

    memset(text, 'x', size);
    check(text, 0, false, "", 0);
    check(text, 256, false, "x", 256);
    check(text, 257, false, "x... (257 bytes)", 256 + 15);
    check(text, 1000, false, "x... (1,000 bytes)", 256 + 17);
    check(text, size, false, "x... (524,288 bytes)", 256 + 19);
    check(text, size, true, "xx", size);
    memcpy(text + 254, "\xe2\x82\xac", 3);
    check(text, 300, false, "x... (300 bytes)", 254 + 15);
    memset(text, 0x78, 300);
    memcpy(text + 253, "\xe2\x82\xac", 3);
    check(text, 300, false, "\xe2\x82\xac... (300 bytes)", 256 + 15);
    memset(text, 0x80, size); /* no text at all */
    check(text, 300, false, "\x80... (300 bytes)", 252 + 15);
    free(text);
    return test_done("sql_excerpt");
}
