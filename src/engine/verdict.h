/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Decides whether the rate was held, and if not, or not quite, why.  Pure functions of a run's
 * figures (judge.c reads them), so that each sentence can be tested without a run.  docs/verdict.md
 * has the rules.  Private to src/engine
 *
 * sustained_note: a rate is held when what was offered until the end of the schedule was done by
 * then, but for what an unloaded system would have in flight: at r transactions per second that
 * take s seconds each, r * s of them (Little's law), and never more than there are clients.  s is
 * the least disturbed service time of the run, never the mean of a run that fell behind.  How many
 * happen to be in flight differs by chance, by a few times the square root of their mean number;
 * where that is more than the share that may be missing, a shortage within it proves nothing, and
 * the run was too short.
 *
 * cause_note: each resource has a capacity, a demand per transaction, and hence a bound on the
 * rate.  A bound below the rate is the cause, whoever else used the machine.  If the bounds allow
 * the rate, capacity was lost while starts waited (backlog.h): to clients that ran none although
 * one was due, to transactions that took longer than in an unloaded system, or to starts that came
 * faster than the clients can do.  These add up; the largest is the cause, divided further by the
 * figures of whoever could have held it up.
 */
#ifndef SB_ENGINE_VERDICT_H
#define SB_ENGINE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "engine/verdict_readings.h"
#include "report/find_record.h"
#include "report/snapshot.h"

/* *missing: how many were not delivered in the span.  See sustained_note. */
enum held held_of(const struct verdict_readings *r, double *missing);

void verdict_of(const struct verdict_readings *r, struct verdict *v);

/* The cause alone, of a span of which `held` and `missing` are known: sets `why` and `side`.  Where
 * nothing was missing or late, it is what made transactions slow.  False: none is known. */
bool verdict_cause(const struct verdict_readings *r, struct verdict *v);

/* The load generator used up its CPUs: says so. */
bool verdict_own_cpu(const struct verdict_readings *r, struct verdict *v);

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
