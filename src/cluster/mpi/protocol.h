/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What sysbench and its sysbench-mpi program, which includes nothing else of ours, agree on; the
 * lines are described in main.c.
 */
#ifndef SB_CLUSTER_MPI_PROTOCOL_H
#define SB_CLUSTER_MPI_PROTOCOL_H

#define MPI_NOTE_MAX 4000 /* bytes of a line */

#endif
