/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Declarations that a script repeats.  ffi.cdef() takes a function or an opaque type as often as it
 * comes, but refuses a second enum with the same names and makes a second struct another type,
 * which our functions then do not take.  So what is alike is taken out of the script's text: a
 *
 *     typedef struct { ... } name;        typedef enum { ... } name;
 *
 * without a tag that says what ours of that name says, whatever its blanks, comments and
 * spelled-out values of the enum.  Anything else is left to FFI.
 */
#ifndef SB_SCRIPT_REDECLARED_H
#define SB_SCRIPT_REDECLARED_H

#include <stddef.h>

/* The script's text without those that `ours` has, lines kept; to be freed.  NULL: it has none. */
char *redeclared_remove(const char *text, const char *const *ours, size_t n);

#endif
