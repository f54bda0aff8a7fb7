/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Was the rate held, and if not, or not quite, what was the limit?  A pure function of figures
 * that a run has left (judge.c reads them), so that each sentence can be tested without a run.
 */
#ifndef SB_ENGINE_VERDICT_H
#define SB_ENGINE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct verdict_readings {
    int clients;
    int workers;          /* that carry them; 0: each has a thread */
    int cpus;             /* that the load generator may use */
    double target;        /* per second */
    double tolerance_pct; /* how much may be missing */
    dur_ns think;         /* mean pause of a client after a transaction */
    bool clients_left;    /* some are still in a transaction: nothing is known of them */

    uint64_t offered, done, failed, withdrawn, unfinished;
    uint64_t late;      /* of those done, begun late */
    uint64_t late_idle; /* of these, with a client that was idle in time */
    dur_ns lag_max;     /* of those done */
    dur_ns worst_wake;  /* the longest lag of a start that had an idle client, done or not */
    uint64_t service_n;
    double service_mean; /* ns; NaN without one */
    dur_ns longest;      /* that a transaction took, or has taken until now */

    dur_ns scheduled;    /* from the beginning of measuring to the end of the schedule */
    dur_ns begun;        /* to the last start, if that was later */
    uint64_t trailing;   /* transactions that ended more than a mean service time after that */
    double self_cpu_pct; /* CPU of the load generator, % of one CPU; 0: unknown */
};

struct verdict {
    bool sustained;
    char why[200]; /* one sentence, and what to do about it; "" when all is well */
};

void verdict_of(const struct verdict_readings *r, struct verdict *v);

#endif
