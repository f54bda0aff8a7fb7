/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A sample into a list of frames (tree.h).  The kernel has followed frame pointers; where the
 * sample holds registers and a piece of the stack, the same is done by call frame information,
 * which also gets through functions that keep no frame pointer.  When the piece ends too early, the
 * kernel's chain goes on from the last frame that both have in common.
 *
 * One thread at a time.
 */
#ifndef SB_PROFILE_UNWIND_H
#define SB_PROFILE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/object.h"
#include "profile/record.h"
#include "profile/space.h"

enum { UNWIND_MAX = 384 };

struct unwind_counts {
    uint64_t pointers; /* stacks that frame pointers alone gave */
    uint64_t cfi;      /* that call frame information gave, or helped to */
    uint64_t
        cut; /* of both: that do not reach the start of the thread, as far as that can be told */
};

struct unwound {
    uint64_t frame[UNWIND_MAX]; /* innermost first, the kernel's before the user's */
    size_t n;
};

/* Which registers of the user a sample has to hold, as attr.sample_regs_user; 0: frame pointers
 * only. */
uint64_t unwind_registers(void);

/* `s` is the address space of process `pid`. */
void unwind(struct unwound *out, const struct record *r, const struct space *s, pid_t pid,
            struct objects *objects, struct unwind_counts *counts);

#endif
