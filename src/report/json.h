/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * JSON (RFC 8259) by appending: a value at a time, commas by the caller's `first` flag.  Any bytes
 * become a valid string; a finite double keeps all its digits, any other is null.  Pure.  Private
 * to src/report
 */
#ifndef SB_REPORT_JSON_H
#define SB_REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Quoted and escaped; bytes that are not UTF-8 become U+FFFD.  NULL: null. */
void json_string(struct str *out, const char *text);

/* The shortest text that reads back as the same double; "null" when it is not finite. */
void json_number(struct str *out, double v);

/* `"name":`, with a comma before it unless *first, which is then false. */
void json_name(struct str *out, bool *first, const char *name);

/* A member as a whole. */
void json_string_member(struct str *out, bool *first, const char *name, const char *value);
void json_number_member(struct str *out, bool *first, const char *name, double value);
void json_count_member(struct str *out, bool *first, const char *name, uint64_t value);

#endif
