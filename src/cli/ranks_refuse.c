/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How ranks end that do not agree, and under MPI also those that do not even come so far.
 *
 * mpirun shows on one terminal what all ranks write.  A command line that is refused is refused by
 * all of them, so only the leader says it.  And a rank that just ended would leave the others
 * waiting for it until --cluster=timeout.  So a rank whose command line was refused meets the
 * others all the same: a member to tell the leader why, and to hear that the leader says it; the
 * leader after it has said its own, to tell the members.  A member says it itself only when the
 * leader did not come, or has no answer.
 *
 * With --cluster=HOST:PORT each rank has a terminal of its own, and says what it refuses there.
 */
#include "cli/ranks.h"

#include <string.h>

#include "base/log.h"
#include "cluster/cluster.h"

/* The arguments were read up to the one that was refused. */
static void read_rest(const struct app *a)
{
    struct err ignored = {0};

    for (int i = 1; i < a->argc; i++)
        if (strncmp(a->args[i], "--cluster", strlen("--cluster")) == 0)
            opts_set_arg(a->opts, a->args[i], &ignored);
}

/* The first message stays the one that matters, whatever happens here. */
static void meet_refused(struct app *a, bool leads)
{
    struct err ignored = {0};
    struct cluster_spec spec;
    struct cluster *c = NULL;

    if (!a->refused || a->plan.cluster)
        return;
    read_rest(a);
    cluster_options_guess(&spec, a->opts);
    if (spec.way != CLUSTER_MPI || leads != (spec.rank == 0))
        return;
    a->cluster = spec;
    if (!leads)
        log_as_member(ranks_cli_name(a, a->cluster.rank));
    cluster_join(&c, &a->cluster, &ignored);
    if (c)
        ranks_take_rank(a, c);
}

void ranks_refer(struct app *a, struct err *e)
{
    struct err answer = {0};

    if (e->kind == ERR_NONE)
        return;
    meet_refused(a, false);
    if (!a->plan.cluster || a->agreed || !ranks_is_member(a) || a->cluster.way != CLUSTER_MPI)
        return;
    ranks_tell_refused(a, e);
    if (ranks_await_agreed(a, &answer) && answer.kind == ERR_REPORTED)
        e->kind = ERR_REPORTED;
}

void ranks_leave(struct app *a, const struct err *e)
{
    if (e->kind != ERR_NONE)
        meet_refused(a, true);
    if (a->plan.cluster && !a->agreed)
        ranks_tell_refused(a, e);
    cluster_leave(a->plan.cluster);
    a->plan.cluster = NULL;
}
