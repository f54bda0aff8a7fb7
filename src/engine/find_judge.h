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

#include "report/find_record.h"

struct find_reading {
    const struct find_objective *objective;
    double tolerance_pct;   /* how much may be missing in a sustained step */
    uint64_t late;          /* of those done, begun late */
    uint64_t late_idle;     /* of these, with a client that was idle in time */
    uint64_t queued_before; /* waiting when the step began */
    double service_mean;    /* ns; NaN: nothing was done */
    dur_ns cpu_wait; /* of server and load generator for a CPU, sum over threads; 0: unknown */
    const char *no_server_cpu, *no_client_cpu; /* why there is none; NULL: there is */
    bool cut;                                  /* ended early, since the backlog only grew */
};

/* The figures are in *s already; sets what the judgement is: holds, unmeasured, why, limit. */
void find_judge(const struct find_reading *r, struct find_step *s);

#endif
