/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options --cluster*: how the ranks of a benchmark find each other.  Read once, before anything
 * is opened; join.h acts on the result.
 */
#ifndef SB_CLUSTER_OPTIONS_H
#define SB_CLUSTER_OPTIONS_H

#include "base/clock.h"
#include "base/err.h"
#include "opt/opt.h"

#define CLUSTER_SECRET_VARIABLE "SYSBENCH_CLUSTER_SECRET"

enum cluster_way {
    CLUSTER_OFF, /* alone */
    CLUSTER_TCP, /* --cluster=HOST:PORT */
    CLUSTER_MPI,
};

struct cluster_spec {
    enum cluster_way way;
    char host[256], port[8]; /* CLUSTER_TCP: of the leader */
    int rank, size;          /* CLUSTER_TCP; MPI tells them otherwise */
    dur_ns timeout, silence;
    const char *address; /* --cluster-address, the option table's; "": none */
    const char *secret;  /* the environment's; NULL: none */
    bool asked;          /* --cluster=mpi was given; false: the environment is one of MPI */
};

void cluster_options(struct opts *o);
int cluster_options_read(struct cluster_spec *s, const struct opts *o, struct err *e);

/* The libraries that --cluster=mpi was built for, as "Open MPI 4.1.4, MPICH 4.0.2", or "no". */
const char *cluster_mpi_libraries(void);

#endif
