/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by tests of other directories: real ranks on this host.  The test listens on a port of its
 * own, forks, and each process joins:
 *
 *     cluster_test_listen(&t);
 *     if (fork() == 0)
 *         c = cluster_test_join(&t, 1, 2);    the member
 *     c = cluster_test_join(&t, 0, 2);        the leader
 */
#ifndef SB_CLUSTER_CLUSTER_MEET_TEST_H
#define SB_CLUSTER_CLUSTER_MEET_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "cluster/clock.h"
#include "cluster/cluster_state.h"

struct cluster_test {
    int listener;
    char port[8];
    dur_ns silence;
    struct meet_trial trial; /* of the leader's clock; `from` 0: it is as it is */
};

static inline void cluster_test_fail(const struct err *why)
{
    fprintf(stderr, "the ranks do not meet: %s\n", why->msg);
    exit(2);
}

static inline void cluster_test_listen(struct cluster_test *t)
{
    unsigned port;
    struct err why = {0};

    *t = (struct cluster_test){.silence = 30 * NS_PER_SEC};
    t->listener = meet_listen("0", &port, &why);
    if (t->listener < 0)
        cluster_test_fail(&why);
    snprintf(t->port, sizeof t->port, "%u", port);
}

static inline struct cluster *cluster_test_join(struct cluster_test *t, int rank, int size)
{
    static const char *const here[] = {"127.0.0.1"};
    struct cluster_spec terms = {.rank = rank,
                                 .size = size,
                                 .secret = "secret",
                                 .timeout = 60 * NS_PER_SEC,
                                 .silence = t->silence,
                                 .trial = t->trial.from ? &t->trial : NULL};
    struct cluster *c = NULL;
    struct err why = {0};
    int rc;

    if (rank == 0) {
        rc = meet_lead(t->listener, &terms, &c, &why);
    } else {
        close(t->listener);
        rc = meet_join(here, 1, t->port, &terms, &c, &why);
    }
    if (rc)
        cluster_test_fail(&why);
    return c;
}

#endif
