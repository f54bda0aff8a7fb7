/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: declarations that a script repeats.  ffi.cdef() accepts a function or an
 * opaque type any number of times, but refuses a second enum with the same names, and makes of a
 * second struct another type, which our functions do not accept.  So a declaration that equals ours
 * is removed from the script's text: a
 *
 *     typedef struct { ... } name;        typedef enum { ... } name;
 *
 * without a tag that means the same as ours of that name, whatever its blanks, comments and
 * explicit enum values.  Everything else is left to FFI.
 */
#ifndef SB_SCRIPT_REDECLARED_H
#define SB_SCRIPT_REDECLARED_H

#include <stddef.h>

/* The script's text without those that `ours` has, lines kept; to be freed.  NULL: it has none. */
char *redeclared_remove(const char *text, const char *const *ours, size_t n);

#endif
