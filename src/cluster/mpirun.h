/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: how ranks that mpirun or srun started find each other.  MPI tells each
 * rank who it is, and carries one note from rank 0 to the others:
 *
 *     PORT SECRET ADDRESS ADDRESS...
 *
 * Then MPI is over, and the ranks meet over TCP as with --cluster=HOST:PORT.
 */
#ifndef SB_CLUSTER_MPIRUN_H
#define SB_CLUSTER_MPIRUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/err.h"
#include "cluster/cluster.h"
#include "cluster/mpi/protocol.h"

/* As cluster_join, for CLUSTER_MPI. */
int mpirun_join(struct cluster **out, const struct cluster_spec *s, struct err *e);

/* Which program has started this one as one rank of several.  Launchers say so in the environment
 * of each rank.  They differ in the names they use, and in which MPI library can talk to them. */
#define MPI_LIBRARIES 2
struct mpi_launcher {
    const char *name; /* for messages: "Open MPI's mpirun" */
    int rank, size;   /* size 0: it does not say */
    /* the libraries that can talk to it, the likelier one first; NULL: there is no second */
    const char *libraries[MPI_LIBRARIES];
};

/* False: no launcher has started this program. */
bool mpi_launcher_find(struct mpi_launcher *out);

/* Runs a program sysbench-mpi-LIBRARY (mpi/main.c), which calls MPI for us: gives it rank 0's note,
 * a line, or "" on the other ranks, and reads all that it says until it ends.  It ends with this
 * process, and when the time is over, so a rank that never comes costs a message and not a hang. */
#define MPI_SAID_MAX (2 * MPI_NOTE_MAX)
int mpi_program_run(const char *path, const char *note, char said[MPI_SAID_MAX], dur_ns timeout,
                    struct err *e);
/* Where the program for a library is installed: beside this one (in a build folder), in
 * ../libexec/sysbench from there (an installation that was moved), or in $(libexecdir)/sysbench.
 * False: nowhere. */
bool mpi_program_find(const char *library, char *path, size_t room);

/*
 * A guard: a process between the launcher and a rank, so that a rank that is killed does not end
 * the others.
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
