/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A C stack that is used up.  A script can nest calls of C functions without limit (string.gsub
 * with a function that calls string.gsub, callbacks of the ffi).  The fault at the guard below the
 * stack ends the process with a sentence instead of a bare SIGSEGV; nothing is rescued.  Every
 * other SIGSEGV keeps the system's action.
 */
#ifndef SB_BASE_OVERFLOW_H
#define SB_BASE_OVERFLOW_H

#include <stddef.h>

/* Below each stack.  Frames of C libraries have buffers of up to 8 KiB, which skip a single page.
 */
#define OVERFLOW_GUARD ((size_t)64 * 1024)

/* For the handler, in the first frame of a thread. */
struct overflow_stack {
    char bytes[32 * 1024];
};

/* The process's handler, and the main thread's stack. */
void overflow_install(void);

/* Around everything that the calling thread does. */
void overflow_begin(struct overflow_stack *s);
void overflow_end(void);

#endif
