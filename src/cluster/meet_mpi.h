/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: how ranks that mpirun or srun started find each other.
 */
#ifndef SB_CLUSTER_MEET_MPI_H
#define SB_CLUSTER_MEET_MPI_H

#include "cluster/cluster.h"
#include "cluster/options.h"

/* As cluster_join, for CLUSTER_MPI. */
int meet_mpi(struct cluster **out, const struct cluster_spec *s, struct err *e);

#endif
