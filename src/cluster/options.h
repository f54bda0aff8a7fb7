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

#define CLUSTER_PORT 8

enum cluster_way {
    CLUSTER_OFF, /* alone */
    CLUSTER_TCP, /* --cluster=HOST:PORT */
    CLUSTER_MPI,
};

struct cluster_spec {
    enum cluster_way way;
    /* of the leader; CLUSTER_MPI: --cluster-address, either may be "" */
    char host[256], port[CLUSTER_PORT];
    int rank, size; /* CLUSTER_MPI: the size is 0, the rank what the launcher says */
    dur_ns timeout, silence;
    const char *secret; /* the environment's; NULL: none */
    bool asked;         /* --cluster=mpi was given; false: the environment is one of MPI */
};

void cluster_options(struct opts *o);
int cluster_options_read(struct cluster_spec *s, const struct opts *o, struct err *e);

/* Of a command line that was refused, with the defaults for what cannot be read: CLUSTER_MPI, if
 * MPI has started this program as one of several ranks, and CLUSTER_OFF for everything else. */
void cluster_options_guess(struct cluster_spec *s, const struct opts *o);

/* The ranks have met, so the secret is needed no more: takes it out of the environment, which
 * programs that are started later inherit.  While the program has one thread that looks there. */
void cluster_options_forget(struct cluster_spec *s);

/* The libraries that --cluster=mpi was built for, as "Open MPI 4.1.4, MPICH 4.0.2", or "no". */
const char *cluster_mpi_libraries(void);

#endif
