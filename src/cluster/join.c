/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See join.h.
 */
#include "cluster/join.h"

#include "cluster/meet.h"
#include "cluster/meet_mpi.h"

static int join_tcp(struct cluster **out, const struct cluster_spec *s, struct err *e)
{
    const struct meet_terms terms = {.rank = s->rank,
                                     .size = s->size,
                                     .secret = s->secret,
                                     .timeout = s->timeout,
                                     .silence = s->silence};
    const char *host = s->host;
    int listener;

    if (s->rank)
        return meet_join(&host, 1, s->port, &terms, out, e);
    listener = meet_listen(s->port, NULL, e);
    return listener < 0 ? err_add(e, "--cluster=%s:%s", s->host, s->port)
                        : meet_lead(listener, &terms, out, e);
}

int cluster_join(struct cluster **out, const struct cluster_spec *s, struct err *e)
{
    *out = NULL;
    if (s->way == CLUSTER_OFF)
        return 0;
    return s->way == CLUSTER_MPI ? meet_mpi(out, s, e) : join_tcp(out, s, e);
}
