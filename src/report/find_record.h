/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A search for the highest rate (--tx-find) as plain data: what was asked, each step, and what is
 * known of the answer so far.  The engine fills it, a step at a time; a step does not change once
 * it is counted in `nsteps`, so that observers may read it while the search goes on.
 */
#ifndef SB_REPORT_FIND_RECORD_H
#define SB_REPORT_FIND_RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

#define FIND_MAX_BOUNDS 8
#define FIND_MAX_STEPS  200
#define VERDICT_WHY     400 /* the sentence of a verdict */

enum find_what { FIND_TIME, FIND_ERRORS_PCT, FIND_ERRORS_RATE, FIND_SERVER_CPU, FIND_CLIENT_CPU };
enum find_series { FIND_RESPONSE, FIND_SERVICE, FIND_LAG };
#define FIND_MEAN 0.0
#define FIND_MAX  101.0 /* beside percentiles, which are at most 100 */

/* How many transactions a percentile needs: with fewer it is their maximum. */
static inline uint64_t find_needs(double point)
{
    return point > FIND_MEAN && point < 100 ? (uint64_t)(100 / (100 - point) + 0.999) : 1;
}

/* One bound of the objective: "p99<20ms". */
struct find_bound {
    enum find_what what;
    enum find_series series; /* of a time */
    double point;            /* of a time: a percentile, FIND_MEAN or FIND_MAX */
    bool strict;             /* <, not <= */
    double limit;            /* ns, per cent, or per second */
};

struct find_objective {
    struct find_bound bound[FIND_MAX_BOUNDS];
    size_t n;
    char text[200]; /* as it was given */
};

/* What kept a rate from holding. */
enum find_limit {
    FIND_LIMIT_NONE,
    FIND_LIMIT_LATENCY, /* nothing else was at its limit */
    FIND_LIMIT_SERVER_CPU,
    FIND_LIMIT_CLIENT_CPU,
    FIND_LIMIT_CLIENTS, /* none was idle when the next start was due */
    FIND_LIMIT_ERRORS,
    FIND_LIMIT_CPU_WAIT /* server or load generator waited for one that others used */
};

struct find_step {
    double rate;         /* offered transactions per second */
    bool brief;          /* short, and only a hint where to look */
    dur_ns from, length; /* what was judged, since measuring began */
    uint64_t offered, done, failed, dropped, errors;
    uint64_t waiting;                        /* for an idle client, at the end */
    double value[FIND_MAX_BOUNDS];           /* of each bound, in its unit; NaN: n/a */
    double lag_p99;                          /* ns; NaN: nothing was done */
    double server_busy_pct, client_busy_pct; /* of the CPUs that each may use; NaN: n/a */
    bool holds;
    bool unmeasured; /* a figure of the objective is missing: nothing is known of the rate */
    size_t unkept; /* the bound of the objective that was not kept, from 1 on; 0: another reason */
    char why[256]; /* it does not hold, or is not known to; "" */
    enum find_limit limit;
    char cause[VERDICT_WHY]; /* one sentence about it; "" */
};

enum find_end {
    FIND_GOES_ON,
    FIND_FOUND,   /* both ends are confirmed */
    FIND_NONE,    /* no rate holds */
    FIND_STEPS,   /* --tx-find=steps */
    FIND_STOPPED, /* the time limit, a signal or an error */
    FIND_STUCK,   /* the backlog of a step did not end */
    /* a CPU of the objective could not be read, or a percentile had too few transactions, twice;
     * the last step says why */
    FIND_UNMEASURED,
    /* three failing rates, each half of the one before, changed nothing: `unjudged` says what did
     */
    FIND_UNJUDGED
};

struct find_record {
    struct find_objective objective;
    struct find_step step[FIND_MAX_STEPS];
    _Atomic size_t nsteps;

    /* the answer, as far as it is known; complete when the search has ended */
    enum find_end end;
    const char *stopped;            /* of FIND_STOPPED: "by the time limit"; NULL: not known */
    double held;                    /* the highest rate that held; 0: none did */
    unsigned confirmed;             /* how often it did */
    unsigned confirm;               /* how often it should */
    double not_held;                /* the lowest rate above it that did not; 0: none was tried */
    const struct find_step *failed; /* the latest step of that rate that did not hold */
    char unjudged[200];
};

#endif
