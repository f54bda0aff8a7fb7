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
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "report/find_record.h"
#include "report/snapshot.h"

enum held { HELD_NO, HELD_YES, HELD_UNKNOWN /* the span was too short to tell */ };

/* A span of the schedule: a run, a stage, a step of a search.  Figures that are not known are NaN,
 * or -1. */
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
    dur_ns peak_away;            /* of `away`, what lies in the time of that backlog */
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

/* *missing: how many were not delivered in the span; they make up the difference between what was
 * offered and what was achieved.  See sustained_note. */
enum held held_of(const struct verdict_readings *r, double *missing);

void verdict_of(const struct verdict_readings *r, struct verdict *v);

/* The cause alone, of a span of which `held` and `missing` are known: sets `why` and `side`.  Where
 * nothing was missing or late, it is what made transactions slow.  False: none is known. */
bool verdict_cause(const struct verdict_readings *r, struct verdict *v);

/* The load generator used up its CPUs: says so. */
bool verdict_own_cpu(const struct verdict_readings *r, struct verdict *v);

/* CPU of each side, % of the CPUs that it may use; NaN: unknown. */
double verdict_self_pct(const struct verdict_readings *r);
double verdict_server_pct(const struct verdict_readings *r);

/* --- the rules of --tx-find (find_search.c) ---
 *
 * The rules of --tx-find, without a clock, a server or a thread: its objective, whether a rate
 * holds, and which rate to try next.
 */

/*
 * Reads the objective: bounds that all have to hold, joined by commas or `and`.
 *
 *     p99<20ms    lag<1ms    service p99.9<=5ms    avg<2ms    errors<0.1%    cpu<80%
 *
 * The words are those of the laboratory's measure.objective (sysbench_lab/plan/objective.py).
 * A time is that of the response, from the planned start on; `lag` alone is its p99.  -1: one
 * sentence about the first bound that is not one.
 */
int find_objective_parse(struct find_objective *o, const char *text, struct err *e);

struct find_reading {
    const struct find_objective *objective;
    struct verdict_readings v;                 /* of the step */
    uint64_t queued_before;                    /* waiting when the step began */
    const char *no_server_cpu, *no_client_cpu; /* why there is none; NULL: there is */
    bool cut;                                  /* ended early, since the backlog only grew */
};

/*
 * Does a rate hold?  It does when it was sustained in the step and every bound of the objective is
 * kept; otherwise the sentence names the first that was not, and `limit` the side that was at its
 * limit.  Where all that is left to say is that a CPU could not be read, nothing is known of the
 * rate, and no side was the limit.  The figures are in *s already; sets holds, unmeasured, why,
 * limit.
 */
void find_judge(const struct find_reading *r, struct find_step *s);

/*
 * Which rate to try next.
 *
 *     while (search_next(s, &ask))                 ask.rate, for a brief or a whole step
 *         search_tell(s, &ask, did it hold?);
 *     search_answer(s, &answer)                    at any time
 *
 * bracket_note: brief steps double the rate (or halve it) until one holds and the next does not.
 * They are hints only.  Whole steps then halve the bracket, by the geometric mean, until its ends
 * are `precision` apart; now both ends are looked at again, and the answer is there when the lower
 * one has held `confirm` times and the upper one failed twice.  An end that a second look turns
 * round moves the bracket, and the search goes on.
 *
 * vote_note: one failure may be a neighbour's hiccup, so a rate counts as failed only when it
 * failed twice.  Meanwhile the search goes on below it, because the second look is worth more when
 * it comes later: a hiccup that lasts for two steps in a row would decide both.  Where two steps
 * disagree, a third one decides.
 *
 * It ends: an upper end that failed twice only ever moves down, a bracket of given ends can be
 * halved a few times, and a rate is asked at most confirm + 2 times.  `max_steps` bounds all of it.
 */
struct search_rate {
    double rate;
    unsigned held, failed; /* whole steps */
};

struct search {
    double precision; /* ratio of the ends, less 1: 0.05 */
    unsigned confirm;
    size_t max_steps;
    double least, most; /* rates */

    struct search_rate seen[FIND_MAX_STEPS]; /* ascending */
    size_t n, steps; /* one more without a word: the step said nothing of the rate, asked again */
    double hint;     /* the next brief step; 0: they are over */
    double hint_low, hint_high;
    enum find_end end;
};

struct search_ask {
    double rate;
    bool brief;
};

void search_begin(struct search *s, double start, double precision, unsigned confirm,
                  size_t max_steps);
bool search_next(struct search *s, struct search_ask *ask);
void search_tell(struct search *s, const struct search_ask *ask, bool holds);
/* Sets end, held, confirmed, not_held. */
void search_answer(const struct search *s, struct find_record *a);

/* Four digits, so that a rate that comes up again is the same rate. */
double search_rounded(double rate);

#endif
