/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Decides whether the rate was held, and if not, or not quite, what the limit was.  A pure function
 * of a run's figures (judge.c reads them), so that each sentence can be tested without a run.
 * Private to src/engine
 */
#ifndef SB_ENGINE_VERDICT_H
#define SB_ENGINE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct verdict_readings {
    int clients;
    int workers;          /* that run them; 0: each has a thread */
    int cpus;             /* that the load generator may use */
    double target;        /* per second */
    double tolerance_pct; /* how much may be missing */
    dur_ns think;         /* mean pause of a client after a transaction */
    bool clients_left;    /* some are still in a transaction: their state is unknown */

    uint64_t offered, done, failed, withdrawn, unfinished;
    uint64_t late;      /* of those done, begun late */
    uint64_t late_idle; /* of these, with a client that was idle in time */
    dur_ns lag_max;     /* of those done */
    dur_ns worst_wake;  /* the longest lag of a start that had an idle client, done or not; 0 or
                           less: unknown, or there was none */
    uint64_t service_n;
    double service_mean; /* ns; NaN without one */
    dur_ns longest;      /* that a transaction took, or has taken until now */

    uint64_t errors;   /* statements and connection attempts that failed */
    const char *error; /* the most frequent: its class; NULL: there was none */
    char error_code[32];
    uint64_t error_count;
    dur_ns throttled;       /* a CPU quota stopped the load generator */
    const char *away_error; /* the same of those that no load brings about by itself */
    char away_code[32];
    uint64_t away_count;
    dur_ns away; /* outages: time without a transaction done, sum */

    dur_ns scheduled;    /* from the beginning of measuring to the end of the schedule */
    dur_ns begun;        /* to the last start, if that was later */
    uint64_t trailing;   /* transactions that ended more than a mean service time after that */
    double self_cpu_pct; /* CPU of the load generator, % of one CPU; 0: unknown */
};

struct verdict {
    bool sustained;
    char why[200]; /* one sentence with advice; "" when all is well */
};

void verdict_of(const struct verdict_readings *r, struct verdict *v);

#endif
