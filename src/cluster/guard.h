/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: a process between the launcher of MPI and a rank, so that a rank that is
 * killed does not end the others.
 *
 * A launcher watches the processes that it has started.  When one of them is killed, or fails, it
 * ends all others: Open MPI's mpirun with SIGTERM, MPICH's mpiexec at once with SIGKILL and without
 * a report.  But a benchmark goes on without the share of the rank that was lost, and rank 0
 * reports it.  So the process that the launcher knows does nothing but wait, and what it has
 * started goes on as sysbench:
 *
 *     mpirun -- sysbench (guard) -- sysbench (the rank)
 *
 * Signals are passed on.  The rank ends when its guard is killed.  Once the ranks have met, the
 * guard of a member ends with status 0 whatever became of the rank, so the launcher's exit status
 * is that of rank 0, who knows of all failures.
 */
#ifndef SB_CLUSTER_GUARD_H
#define SB_CLUSTER_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"

struct guard {
    int rank;
    bool linger;      /* the launcher kills all ranks as soon as one has gone */
    _Atomic int *met; /* shared by both processes; NULL: there is no guard */
};

/* Returns in the process that goes on; while the program has one thread.  With more there is no
 * guard. */
int guard_start(struct guard *g, struct err *e);

/* The ranks have met. */
void guard_met(struct guard *g);

#endif
