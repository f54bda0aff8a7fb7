/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One of several ranks (pace/share.h): the plan of the whole load becomes that of its share.  The
 * schedule, --events and the limits stay those of the whole; what divides them is in struct share.
 */
#include "engine/plan.h"

static int refuse(const struct plan *p, int ranks, struct err *e)
{
    if (plan_finds(p))
        return err_set(e, ERR_USAGE,
                       "--tx-find searches with one load host, and this run has %d (--cluster)",
                       ranks);
    if (p->clients < ranks)
        return err_set(e, ERR_USAGE,
                       "--threads=%d is too few for %d ranks: each needs at least one client",
                       p->clients, ranks);
    return 0;
}

int plan_divide(struct plan *p, const struct opts *o, int rank, int ranks, struct err *e)
{
    int may_be_absent = p->clients - p->min_clients;
    struct share share = {(uint64_t)rank, (uint64_t)ranks};

    if (refuse(p, ranks, e))
        return -1;
    p->rank = rank;
    p->ranks = ranks;
    p->clients_all = p->clients;
    p->clients = plan_share(p, rank);
    p->min_clients = p->clients - (int)share_of(share, (uint64_t)may_be_absent);
    plan_count_workers(p, o);
    return 0;
}
