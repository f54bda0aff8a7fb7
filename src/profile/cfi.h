/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Unwinding from a function to its caller without a frame pointer, by the call frame information
 * that compilers emit for C++ exceptions (.eh_frame), read with elfutils' libdw.  Only this file
 * uses the library; in a build without it, no object has such information.
 *
 * The rule of each address is cached (a profile has some thousands), so that meeting it again costs
 * a few nanoseconds.  One thread at a time per object.
 */
#ifndef SB_PROFILE_CFI_H
#define SB_PROFILE_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CFI_REGS = 33 };

#if defined(__x86_64__)
enum { CFI_FP = 6, CFI_SP = 7, CFI_PC = 16, CFI_USED = 17 };
#elif defined(__aarch64__)
enum { CFI_FP = 29, CFI_SP = 31, CFI_PC = 32, CFI_USED = 33 };
#else
enum { CFI_FP = 0, CFI_SP = 1, CFI_PC = 2, CFI_USED = 3 };
#endif

/* A thread where it was caught, or one of its callers, in DWARF's numbering of registers. */
struct cfi_frame {
    uint64_t reg[CFI_REGS];
    uint64_t known;       /* a bit for each register */
    bool exact;           /* reg[CFI_PC] is where it was interrupted, not where a call returns to */
    const uint8_t *stack; /* copy of its memory ... */
    size_t stack_bytes;
    uint64_t stack_at; /* ... from this address on */
};

/* A word of the copied stack; false: not in it. */
bool cfi_read(const struct cfi_frame *f, uint64_t addr, uint64_t *out);

enum cfi_step {
    CFI_CALLER,  /* *f is the caller's now */
    CFI_OUTMOST, /* this function has no caller */
    CFI_CUT,     /* the copied stack ends before */
    CFI_NONE,    /* there is no information about this address */
};

struct cfi;

/* A file's call frame information; `data` must live as long.  NULL: it has none. */
struct cfi *cfi_new(const uint8_t *data, size_t bytes);
void cfi_free(struct cfi *c); /* NULL is allowed */

/* `addr` is the file's own address of f's instruction (of the call, for a caller). */
enum cfi_step cfi_step(struct cfi *c, uint64_t addr, struct cfi_frame *f);

/* True when the function at that address has no caller (a thread's start). */
bool cfi_is_outmost(struct cfi *c, uint64_t addr);

/* True when the library is built in and supports this CPU. */
bool cfi_available(void);
const char *cfi_library(void); /* "0.188", "no" */

#endif
