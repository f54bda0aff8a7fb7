/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the descendants of a process.  The kernel lists the children of each thread
 * (task/TID/children).  If it was built without these files, the parents in every process's stat
 * serve, at a higher cost.  One thread at a time per object.
 */
#ifndef SB_TELEMETRY_PROC_TREE_H
#define SB_TELEMETRY_PROC_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/str.h"
#include "telemetry/proc_pid.h"

/* {0} is empty; proc_tree_free releases it. */
struct proc_tree {
    struct pid_list found;  /* the answer: parents before their children, the root not among them */
    bool no_children_files; /* found out once */
    struct pid_list tids, all;
    pid_t *parent; /* beside `all` */
    size_t parent_cap;
    struct str scratch;
};

/*
 * Up to this many processes the whole tree is searched, beyond it only the children of the root.  A
 * postmaster with thousands of backends has no long-lived grandchildren, and the child times of the
 * backends include what those used.
 */
enum { PROC_TREE_DEEP = 64 };

/* Fills t->found.  0 or an errno value. */
int proc_tree_find(struct proc_tree *t, int root_fd, pid_t root);
void proc_tree_free(struct proc_tree *t);

#endif
