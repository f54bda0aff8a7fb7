/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/telemetry: counters of one process, alone or with all its descendants, as one sum
 * that never decreases.
 *
 * proc_tree.h lists the descendants and member.h reads each.  The figures of ended children come
 * from their parents' child times, which the kernel updates when a parent waits (exact, in 10 ms
 * steps); if a parent does not wait, from the last readings.  Why nothing is counted twice or lost:
 *
 * A child's CPU time is either its own (it can be read) or, from the moment it has been waited
 * for, part of its parent's child times; the sum over the tree of own + child times is the same
 * before and after.  Reading takes a while, though: a child that ends after the list was made is
 * missing from both, so the reading is repeated when a listed child could not be read or the root's
 * child times moved, and parents are read before children, so that an unlucky last attempt is too
 * small, never too large.  The sum then stays as it is until the kernel's value has caught up.
 *
 * One thread at a time.
 */
#ifndef SB_TELEMETRY_PROC_SUM_H
#define SB_TELEMETRY_PROC_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "telemetry/cpu_split.h"
#include "telemetry/member.h"
#include "telemetry/proc_tree.h"

struct proc_sum {
    struct member root;
    bool tree, alive;
    struct member **child; /* ascending pid */
    size_t n, cap;
    unsigned stamp; /* number of the present reading */
    struct proc_tree find;
    struct counts base;  /* child_* of the first reading: what had ended before */
    struct counts ended; /* last readings of children that have ended since */
    bool any_ended;
    struct cpu_split split; /* CPU time of the total */
    struct counts total;    /* the result; includes what ended children used */
    int processes;          /* alive at the last reading */
};

/* 0 or an errno value (ESRCH: no such process).  proc_sum_fini releases in both cases. */
int proc_sum_init(struct proc_sum *w, struct reader *r, pid_t pid, bool tree);
void proc_sum_fini(struct proc_sum *w);

/*
 * Reads w->total.  When the process has ended or was replaced, w->alive becomes false, the reader's
 * reason reports it and w->total keeps its last values.
 */
void proc_sum_read(struct proc_sum *w, struct reader *r);

#endif
