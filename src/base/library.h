/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Libraries of rare features.  Linked, they would cost every start of the program their relocations
 * and those of what they need in turn; so they are loaded when the feature is asked for.  What this
 * program was built with is decided by configure all the same.
 *
 *     #define PFM(X) X(pfm_initialize) X(pfm_get_os_event_encoding)
 *     static struct { PFM(LIBRARY_POINTER) } pfm;
 *     if (library_load("libpfm.so.4", "--server-events needs", PFM(LIBRARY_NAME), &pfm, e)) ...
 *     pfm.pfm_initialize();
 */
#ifndef SB_BASE_LIBRARY_H
#define SB_BASE_LIBRARY_H

#include "base/err.h"

#define LIBRARY_POINTER(function) __typeof__(function) *function;
#define LIBRARY_NAME(function)    #function "\0"

/* Fills the struct of pointers; does nothing when it was filled before.  -1: "`needs` libx.so.1:
 * cannot open ...".  Not for two threads at once. */
int library_load(const char *file, const char *needs, const char *names, void *pointers,
                 struct err *e);

#endif
