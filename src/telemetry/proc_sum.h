/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The counters of one process, alone or with all its descendants, as one sum that never decreases.
 * Private to src/telemetry
 *
 * proc_tree.h lists the descendants, and member.h reads each one.  The figures of ended children
 * come from their parents' child times, which the kernel updates when a parent waits (exactly, in
 * 10 ms steps), or from the last readings if a parent does not wait.  Nothing is counted twice or
 * lost:
 *
 * Until a child has been waited for, its CPU time is its own; from then on it is part of its
 * parent's child times.  So the wait does not change the sum of own and child times over the tree.
 * But a reading takes time, and a child that ends meanwhile may be missing from both.  Therefore
 * the reading is repeated if a listed child could not be read or the root's child times changed.
 * Parents are read before children, so that even a failed last attempt is too small, never too
 * large; the sum then keeps its value until the kernel's has caught up.
 *
 * One thread at a time.
 */
#ifndef SB_TELEMETRY_PROC_SUM_H
#define SB_TELEMETRY_PROC_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "telemetry/member.h"
#include "telemetry/proc_tree.h"

struct proc_sum {
    struct member root;
    bool tree, alive;
    bool replaced;         /* for the owner: it has ended, and another one is read in its place */
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
 * Reads w->total.  If the process has ended or was replaced, w->alive becomes false, the reader's
 * reason says so, and w->total keeps its last values.
 */
void proc_sum_read(struct proc_sum *w, struct reader *r);

#endif
