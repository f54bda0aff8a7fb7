/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines of our blocks in the final report: a label, and its text in column 42, wrapped so that the
 * report fits a terminal of 80 columns.  Words are never broken; a word that is longer than a line
 * gets a line of its own.
 *
 * A block comes in two lengths.  The short one has no line for a figure that does not exist:
 * text_lines_end() names all of them with their reasons instead.  The long one has every line. Pure
 * rendering; any thread may call.
 */
#ifndef SB_REPORT_TEXT_LINES_H
#define SB_REPORT_TEXT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum text_detail {
    TEXT_BRIEF, /* what fits a screen and a half: the default on standard output */
    TEXT_FULL   /* everything: --verbosity=4, and text files */
};

#define TEXT_WIDTH   80
#define TEXT_UNBOUND SIZE_MAX    /* for text_wrap: one line */
#define TEXT_LABEL   "    %-37s" /* of a line; its text follows */
#define TEXT_INDENT  41
#define TEXT_BOUND   '\037' /* in text_wrap: a blank at which no line ends */
#define TEXT_REASONS 8      /* different ones in a block; further ones show as the last */

struct text_lines {
    struct str *out;
    enum text_detail detail;
    struct {
        const char *reason;
        struct str labels;
    } missing[TEXT_REASONS];
    size_t reasons;
};

/* `text` in lines of up to `width` columns, of which the first already has `used` columns; further
 * lines are indented by `indent` columns.  Ends without a newline. */
void text_wrap(struct str *out, const char *text, size_t used, size_t indent, size_t width);

/* "    label:          text", wrapped.  The label has its colon. */
void text_item(struct str *out, const char *label, const char *fmt, ...) SB_PRINTF(3, 4);

/* For text_wrap: the width of a line that can be of any length, which is wrapped in brief only. */
size_t text_lines_width(const struct text_lines *l);

/* The figure of this label does not exist.  `reason` is borrowed until text_lines_end. */
void text_missing(struct text_lines *l, const char *label, const char *reason);

/* The last lines of a block: what was missing, and an empty line. */
void text_lines_end(struct text_lines *l);

#endif
