/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Does a rate hold?  A pure function of what was measured in a step of the search, so that each
 * sentence can be tested without a run.  A rate holds when it was sustained in the step and every
 * bound of the objective is kept; otherwise the sentence names the first that was not, and `limit`
 * the side that was at its limit.  Where all that is left to say is that a CPU could not be read,
 * nothing is known of the rate, and no side was the limit.  Private to src/engine
 */
#ifndef SB_ENGINE_FIND_JUDGE_H
#define SB_ENGINE_FIND_JUDGE_H

#include "engine/verdict.h"

struct find_reading {
    const struct find_objective *objective;
    struct verdict_readings v;                 /* of the step */
    uint64_t queued_before;                    /* waiting when the step began */
    const char *no_server_cpu, *no_client_cpu; /* why there is none; NULL: there is */
    bool cut;                                  /* ended early, since the backlog only grew */
};

/* The figures are in *s already; sets what the judgement is: holds, unmeasured, why, limit. */
void find_judge(const struct find_reading *r, struct find_step *s);

#endif
