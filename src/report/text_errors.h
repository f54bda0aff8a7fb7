/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The errors of a run by code, and its outages, as blocks of the final report.  Both are absent if
 * there was none.  Pure rendering.
 */
#ifndef SB_REPORT_TEXT_ERRORS_H
#define SB_REPORT_TEXT_ERRORS_H

#include "base/str.h"
#include "report/snapshot.h"
#include "report/text_lines.h"

/* With stock's options alone, errors that belong to a load (deadlocks, duplicate keys and the like)
 * do not show: output is stock's then. */
void text_errors(struct str *out, const struct snapshot *s, enum text_detail detail);

void text_outages(struct str *out, const struct snapshot *s);

/* "1290 (HY000)", "40001", "no code": how a code is written. */
#define TEXT_ERROR_CODE_SIZE 32
const char *text_error_code(char buf[TEXT_ERROR_CODE_SIZE], const struct error_row *r);

/* An error of a class, as people say it: "no connection", "errors". */
const char *text_error_words(const char *class);

/* An error that belongs to a load. */
bool text_error_is_usual(const struct error_row *r);

#endif
