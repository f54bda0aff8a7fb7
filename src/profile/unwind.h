/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/profile: unwinds a sample into frames (tree.h).  The kernel has already followed
 * frame pointers.  If the sample has registers and a copy of the stack, call frame information
 * (.eh_frame, read by libdwfl) is used as well, which also works for functions without frame
 * pointers.  If the copy is too short, the kernel's chain continues from the last frame that both
 * have in common.
 *
 * One thread at a time.
 */
#ifndef SB_PROFILE_UNWIND_H
#define SB_PROFILE_UNWIND_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/record.h"

struct objects; /* profile/code.h, which needs libdw's header; this one does not */
struct space;

enum { UNWIND_MAX = 384 };

struct unwind_counts {
    uint64_t pointers; /* stacks that frame pointers alone gave */
    uint64_t cfi;      /* that call frame information gave, or helped to */
    /* of both: that do not reach the start of the thread, as far as is known */
    uint64_t cut;
};

struct unwound {
    uint64_t frame[UNWIND_MAX]; /* innermost first, the kernel's before the user's */
    size_t n;
};

/* Which registers of the user a sample has to hold, as attr.sample_regs_user; 0: frame pointers
 * only. */
uint64_t unwind_registers(void);

struct unwinder; /* opaque: the files, and what was learned of their code */

struct unwinder *unwinder_new(struct objects *objects); /* borrowed */
void unwinder_free(struct unwinder *u);                 /* NULL is allowed */

/* `s` is the address space of process `pid`. */
void unwind(struct unwinder *u, struct unwound *out, const struct record *r, const struct space *s,
            pid_t pid, struct unwind_counts *counts);

#endif
