/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: how ranks that mpirun or srun started find each other.
 */
#ifndef SB_CLUSTER_MEET_MPI_H
#define SB_CLUSTER_MEET_MPI_H

#include "cluster/join.h"

/* True when the environment is that of a program that MPI started with more than one rank. */
bool meet_mpi_started(void);

/* As cluster_join, for CLUSTER_MPI. */
int meet_mpi(struct cluster **out, const struct cluster_spec *s, struct err *e);

#endif
