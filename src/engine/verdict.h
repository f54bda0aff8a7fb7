/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Decides whether the rate was held, and if not, or not quite, what the limit was.  Pure functions
 * of a run's figures (judge.c reads them), so that each sentence can be tested without a run.
 * docs/rate.md derives the rule and lists the causes.  Private to src/engine
 *
 * sustained_note: a rate is held when what was offered until the end of the schedule was done by
 * then, but for what an unloaded system would have in flight: at r transactions per second that
 * take s seconds each, r * s of them (Little's law).  s is the least disturbed service time of the
 * run (backlog_calm), never the mean of a run that fell behind.  How many happen to be in flight
 * differs by chance, by a few times the square root of their mean number; where that is more than
 * the share that may be missing, a shortage within it proves nothing, and the run was too short.
 */
#ifndef SB_ENGINE_VERDICT_H
#define SB_ENGINE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "report/find_record.h"
#include "report/snapshot.h"

enum held { HELD_NO, HELD_YES, HELD_UNKNOWN /* the span was too short to tell */ };

/* A span of the schedule: a run, a stage, a step of a search.  See sustained_note. */
struct held_readings {
    uint64_t offered;     /* planned starts */
    uint64_t lost;        /* of these, that never will be done: failed, withdrawn, dropped */
    uint64_t open;        /* and that had not ended when it was over */
    double usual;         /* so many are open in an unloaded system; NaN: unknown */
    int together;         /* starts that are planned at one instant, such as the very end */
    double in_flight;     /* on average, in this span: rate * mean service time; NaN: unknown */
    double tolerance_pct; /* of `offered`: how much may be missing */
};

/* *missing: how many were not delivered in the span; they make up the difference between what was
 * offered and what was achieved. */
enum held held_of(const struct held_readings *r, double *missing);

/* Figures that are not known are NaN, or -1. */
struct verdict_readings {
    int clients;
    int workers;          /* that run them; 0: each has a thread */
    int cpus;             /* that the load generator may use */
    double target;        /* per second */
    bool no_rate;         /* that could be lowered: none was given, or it is searched for */
    double tolerance_pct; /* how much may be missing */
    dur_ns think;         /* mean pause of a client after a transaction */
    bool clients_left;    /* some are still in a transaction: their state is unknown */
    dur_ns scheduled;     /* how long the schedule lasted */

    uint64_t offered, done, failed, withdrawn, dropped; /* dropped: or lost with a load host */
    uint64_t open;      /* of the offered, neither ended nor dropped when the schedule was over */
    uint64_t waiting;   /* of these, not begun */
    int together;       /* starts planned at one instant: 1, or with aligned arrivals all clients */
    double rate_end;    /* per second, planned at the end of the schedule */
    double calm, worst; /* ns, the least and the greatest mean service time of a part of it */
    uint64_t late;      /* of those done, begun late */
    uint64_t late_idle; /* of these, with a client that was idle in time */
    dur_ns lag_max;     /* of those done */
    dur_ns worst_wake;  /* the longest lag of a start that had an idle client, done or not; 0 or
                           less: unknown, or there was none */
    uint64_t service_n;
    double service_mean; /* ns; NaN without one */
    dur_ns longest;      /* that a transaction took, or has taken until now */
    uint64_t peak;       /* the largest backlog beyond what may be missing; 0: there was none */
    dur_ns peak_from, peak_to;
    dur_ns silence, silent_from; /* the longest time without an end, while some were being run */

    uint64_t errors;   /* statements and connection attempts that failed */
    const char *error; /* the most frequent: its class; NULL: there was none */
    char error_code[32];
    uint64_t error_count;
    const char *away_error; /* the same of those that no load brings about by itself */
    char away_code[32];
    uint64_t away_count;
    dur_ns away; /* outages: time without a transaction done, sum */

    dur_ns throttled;      /* a CPU quota stopped the load generator */
    dur_ns stopped;        /* it did not run: a signal, or the machine was suspended */
    double self_cpu_pct;   /* CPU of the load generator, % of one CPU; 0: unknown */
    dur_ns self_wait;      /* its threads were ready to run and had no CPU, sum; -1 */
    double self_wait_pct;  /* the same in % of the time that this was read for; 0: unknown */
    double server_cpu_pct; /* the same of the server */
    int server_cpus;       /* of its host */
    bool server_here;      /* that is this machine, with so many CPUs: */
    int host_cpus;
    dur_ns server_wait;       /* -1 */
    double server_waited_pct; /* of the time in which its threads could run */
    dur_ns lock_wait;         /* its sessions waited for row locks, sum; -1 */
    /* % of all CPUs of this machine; others: of all but the load generator and, if it is here, the
     * server */
    double idle_pct, others_pct, steal_pct;
};

struct verdict {
    enum held held;
    double missing; /* of what was offered, see held_of() */
    /* one sentence: why not, why it is not known, or what was just in time; "" when all is well */
    char why[VERDICT_WHY];
    enum find_limit side; /* that the sentence names */
};

void verdict_of(const struct verdict_readings *r, struct verdict *v);

/* The cause alone, of a span of which `held` and `missing` are known: sets `why` and `side`.  Where
 * nothing was missing or late, it is what made transactions slow.  False: none is known. */
bool verdict_cause(const struct verdict_readings *r, struct verdict *v);

/* The load generator used up its CPUs: says so. */
bool verdict_own_cpu(const struct verdict_readings *r, struct verdict *v);

/* CPU of each side, % of the CPUs that it may use; NaN: unknown. */
double verdict_self_pct(const struct verdict_readings *r);
double verdict_server_pct(const struct verdict_readings *r);

#endif
