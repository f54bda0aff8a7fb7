/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A stack that is used up.  A script can nest calls of C functions without limit (string.gsub with
 * a function that calls string.gsub, callbacks of the ffi), and the fault at the guard page below
 * the stack would end the process by SIGSEGV, without a word and with files half written.  A
 * handler on a stack of its own finds out that it was that, names the place, and hands it to the
 * run, which then ends with its report (engine/overflow.c).  The thread itself never goes on. Every
 * other SIGSEGV keeps the system's action.
 *
 * The upper floors say what is below a fiber's stack, where a script is, and who takes the report:
 * functions for a signal handler, any of them NULL.
 */
#ifndef SB_BASE_OVERFLOW_H
#define SB_BASE_OVERFLOW_H

#include <stdbool.h>
#include <stddef.h>

/* Below each stack.  Frames of C libraries have buffers of up to 8 KiB, which skip a single page.
 */
#define OVERFLOW_GUARD ((size_t)64 * 1024)

/* For the handler, in the first frame of a thread. */
struct overflow_stack {
    char bytes[64 * 1024];
};

/* The process's handler, and the main thread's stack. */
void overflow_install(void);

/* Around everything that the calling thread does. */
void overflow_begin(struct overflow_stack *s);
void overflow_end(void);

/* True when the address lies below the stack of the running fiber. */
void overflow_set_guarded(bool (*f)(const void *address));
/* Writes who runs here, and where: "client 3 at x.lua:12"; or nothing. */
void overflow_set_place(void (*f)(char *out, size_t size));
/* The report, for as long as a run can end by it.  Without one, or if the process still exists
 * OVERFLOW_WAIT seconds later (the thread may have held a lock), it ends with exit status 1. */
#define OVERFLOW_WAIT 15
void overflow_set_report(void (*f)(const char *who));

#endif
