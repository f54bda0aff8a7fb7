/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the options to a cluster whose ranks are all connected.
 *
 * A rank that joined has a connection, knows that the other side knows the secret, and has compared
 * the clocks.  MPI (meet_mpi.h) only tells the ranks who they are and where the leader listens;
 * then they meet over TCP as with --cluster=HOST:PORT (meet.h).
 */
#ifndef SB_CLUSTER_JOIN_H
#define SB_CLUSTER_JOIN_H

#include "cluster/cluster.h"
#include "cluster/options.h"

/* *out is NULL when the program is alone (CLUSTER_OFF, or one rank).  Waits for all ranks, at most
 * --cluster-timeout seconds. */
int cluster_join(struct cluster **out, const struct cluster_spec *s, struct err *e);

#endif
