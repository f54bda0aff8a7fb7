/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: which program has started this one as one rank of several.  Launchers say
 * so in the environment of each rank.  They differ in the names they use, and in which MPI library
 * can talk to them.
 */
#ifndef SB_CLUSTER_MPI_LAUNCHER_H
#define SB_CLUSTER_MPI_LAUNCHER_H

#include <stdbool.h>

#define MPI_LIBRARIES 2

struct mpi_launcher {
    const char *name; /* for messages: "Open MPI's mpirun" */
    int rank, size;   /* size 0: it does not say */
    /* the libraries that can talk to it, the likelier one first; NULL: there is no second */
    const char *libraries[MPI_LIBRARIES];
};

/* False: no launcher has started this program. */
bool mpi_launcher_find(struct mpi_launcher *out);

/* One did, and as one of several ranks, as far as it says. */
bool mpi_launcher_started(void);

#endif
