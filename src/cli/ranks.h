/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One command on several load hosts: meeting the other ranks, agreeing with them on what will be
 * done, and ending together.
 *
 *     the options are valid     ranks_join      all ranks are connected; this one knows its share
 *     so are the test's         ranks_agree     all do the same, with the same seed
 *     the command               run_execute() with plan->cluster, or ranks_call_script()
 *     its end                   ranks_refer, the message, ranks_leave
 *
 * Only the leader reports.  A member writes nothing to stdout, and its warnings and errors begin
 * with "rank 2 (load2): ".  Alone, all of this does nothing.  Main thread.  Private to src/cli
 */
#ifndef SB_CLI_RANKS_H
#define SB_CLI_RANKS_H

#include "cli/app_state.h"

/* Reads --cluster and those beside it; a member says nothing on stdout from now on. */
int ranks_read(struct app *a, struct err *e);

/* Whether this will be a member, as far as it is known before the ranks have met. */
bool ranks_follows(const struct app *a);

/* Waits for the other ranks and divides the plan.  -1: they did not come, or the command cannot be
 * divided. */
int ranks_join(struct app *a, struct err *e);

/* The last step before anything is touched. */
int ranks_agree(struct app *a, struct err *e);

/* A command of a script other than `run`, by all ranks: it is done when all have done their part.
 */
int ranks_call_script(struct app *a, struct err *e);

/* Under MPI all ranks write to one terminal, so what they refuse is said once, by the leader.  A
 * member tells it why it ended before all agreed; when the leader has answered, *e becomes
 * ERR_REPORTED.  Before the message. */
void ranks_refer(struct app *a, struct err *e);

/* The others learn of a failure that came before they could agree, also of one that came before
 * they met if MPI is their way.  After the message, so a leader says it without waiting. */
void ranks_leave(struct app *a, const struct err *e);

static inline bool ranks_is_member(const struct app *a)
{
    return a->plan.rank > 0;
}

/* This process has a rank of the cluster, and no share yet. */
void ranks_take_rank(struct app *a, struct cluster *c);

#endif
