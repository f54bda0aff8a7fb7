/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of marks, a line each, from whoever writes into the FIFO: it is shown in every report,
 * so it must be printable UTF-8 that does not end within a character.
 */
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "report/json.h"
#include "stats/marks.h"

static void check_text(const char *text)
{
    FUZZ_CHECK(*text && strlen(text) < MARK_TEXT);
    FUZZ_CHECK(*text != ' ' && text[strlen(text) - 1] != ' ');
    for (size_t n; *text; text += n) {
        n = str_utf8(text);
        FUZZ_CHECK(n > 0 && (unsigned char)*text >= 0x20 && *text != 0x7f);
    }
}

static void one(const uint8_t *data, size_t size)
{
    struct marks *m = marks_new();
    struct str out = STR_INIT;

    for (size_t at = 0, end; at <= size && marks_count(m) < 100; at = end + 1) {
        for (end = at; end < size && data[end] != '\n'; end++)
            ;
        marks_add(m, MARK_FIFO, 0, (const char *)data + at, end - at);
    }
    for (size_t i = 0; i < marks_count(m); i++) {
        check_text(marks_at(m, i)->text);
        json_string(&out, marks_at(m, i)->text);
    }
    str_free(&out);
    marks_free(m);
}

const struct fuzz_target fuzz_marks = {"marks", one};
