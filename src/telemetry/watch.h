/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One process that was named, alone or with everything it has forked, as one sum that never falls.
 *
 * What flows through: proc_tree.h lists the descendants, member.h reads each, and the sum takes
 * what ended children used from the waited-for times of their parents (kernel's truth, in 10 ms
 * steps), or, where a parent does not wait, from the last readings.  The argument for "nothing
 * twice, nothing lost":
 *
 * A child's CPU time is either its own (it can be read) or, from the moment it has been waited
 * for, part of its parent's child times; the sum over the tree of own + child times is the same
 * before and after.  Reading takes a while, though: a child that ends after the list was made is
 * missing from both sides, so the reading is repeated when a listed child could not be read or the
 * root's child times moved, and parents are read before children, so that an unlucky last attempt
 * is too small, never too large.  The sum waits for the truth to catch up then.
 *
 * One thread at a time.
 */
#ifndef SB_TELEMETRY_WATCH_H
#define SB_TELEMETRY_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "telemetry/cpu_split.h"
#include "telemetry/member.h"
#include "telemetry/proc_tree.h"

struct watch {
    struct member root;
    bool tree, alive;
    struct member **child; /* ascending pid */
    size_t n, cap;
    unsigned stamp; /* number of the present reading */
    struct proc_tree find;
    struct counts base;  /* child_* of the first reading: what had ended before */
    struct counts ended; /* last readings of children that have ended since */
    bool any_ended;
    struct cpu_split split; /* the answer's CPU time */
    struct counts total;    /* the answer; what ended children used is in the plain figures */
    int processes;          /* alive at the last reading */
};

/* 0 or an errno value (ESRCH: no such process).  watch_fini releases in both cases. */
int watch_init(struct watch *w, struct reader *r, pid_t pid, bool tree);
void watch_fini(struct watch *w);

/*
 * Reads w->total.  When the process has ended or was replaced, w->alive becomes false, the reader's
 * reason says it and w->total keeps its last values.
 */
void watch_read(struct watch *w, struct reader *r);

#endif
