/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Why a rate was not held: the table of causes.  A row is a resource with a bound on the rate, or a
 * part of what is missing or late, or both; its words and its remedy.  verdict.c fills the account
 * and chooses among the rows; docs/verdict.md has examples.  Private to src/engine
 */
#ifndef SB_ENGINE_CAUSES_H
#define SB_ENGINE_CAUSES_H

#include "engine/verdict_readings.h"

#define HALF      0.5
#define BY_CHANCE 3.0  /* standard deviations */
#define APART     1.5  /* two services, or two bounds, are different */
#define USED_UP   90.0 /* per cent of the CPUs that a process may use */

/* What the rows are computed from: the readings of a span, and how its clients spent their time. */
struct account {
    const struct verdict_readings *r;
    const struct verdict_readings *all; /* of the whole span, of which `r` may be a part */
    dur_ns from, to;                    /* the part, whose figures may be of a little more */
    struct verdict *v;
    bool missed;
    double missing; /* of what was offered */
    double ended;   /* per second */
    double each;    /* ns, a transaction in an unloaded system; NaN: not known */
    double off;     /* ns, one may take longer by chance */
    bool crowded;   /* transactions are slow because others of this run are under way */
    double excess;  /* ns that transactions took beyond that, sum */
    struct backlog_loss loss;
    /* Of what is missing or late, 0 to 1: because a client that should have begun did not run,
     * because transactions took longer, and because starts came faster than clients can do */
    double late, slow, burst;
    struct backlog_silence silence;
};

struct row {
    const char *name; /* of what is at its limit, or was ruled out */
    enum find_limit side;
    bool missing;                             /* it is what is missing: no bound explains it */
    double (*bound)(const struct account *a); /* transactions per second; NaN: not known */
    double (*part)(const struct account *a);  /* of what is missing or late, 0 to 1 */
    void (*say)(const struct account *a);
};

/* A row, whose words are those of say_ID(): CAUSE(locks, "locks", LATENCY, .part = locks); */
#define CAUSE(id, words, at, ...)                                                                  \
    const struct row cause_##id = {                                                                \
        .name = words, .side = FIND_LIMIT_##at, .say = say_##id, __VA_ARGS__}

/* causes_errors.c, causes_load.c, causes_server.c, causes_waits.c */
extern const struct row cause_failures, cause_errors, cause_endless, cause_outages, cause_clients,
    cause_script, cause_own_cpu, cause_server_cpu, cause_machine, cause_bursts, cause_stopped,
    cause_throttled, cause_own_wait, cause_woken_late, cause_locks, cause_server_wait,
    cause_silence, cause_inside, cause_log, cause_io, cause_latch, cause_client, cause_sleep,
    cause_cpu, cause_grown;
#define CAUSES 25
extern const struct row *const causes[CAUSES];

/* Of the rows with a bound, the one whose bound is the smallest above `least`; NULL: there is none.
 */
const struct row *causes_smallest(const struct account *a, double least, double *bound);

/* A share, 0 to 1; 0: one of them is not known, or 0. */
double part_of(double part, double all);
/* All time that clients spent in transactions that are done, ns. */
double service_sum(const struct verdict_readings *r);
/* A part of the span so long is nearly all of it. */
bool is_most(const struct verdict_readings *r, dur_ns t);

/* Of what is missing or late: transactions took longer in the server, or on the network, for none
 * of the reasons that are known without samples of its sessions (causes_server.c). */
double cause_unexplained(const struct account *a);
/* What of it samples explain (causes_waits.c). */
double cause_waits(const struct account *a);
/* Of the time in transactions, how long the server was not at work on them, as far as that is
 * known, ns: a client that waits for a CPU has its answer already. */
double outside_server(const struct account *a);
/* All time that clients spent in transactions, in those that did not end, too, ns. */
double busy_sum(const struct account *a);
/* Transactions waited for a CPU of the server, ns; -1.  A thread of theirs also waits for one after
 * its answer, and while it seems to wait for what it has got by then: of more than the time that
 * there is, as in the time of a transaction (report/budget.h). */
double cpu_waits(const struct verdict_readings *r);
/* How many; of what is under way at an end, half of each. */
double count_sum(const struct verdict_readings *r);
/* All time of transactions that are done, unless more than that was waited. */
double spent_sum(const struct account *a, dur_ns waited);

/* --- words (causes_words.c, causes_waits.c) --- */

/* Of `spent`, what sessions did in the server most of the time, and a remedy; or how to find out.
 * `r`: of that time. */
void say_find_out(const struct account *a, const struct verdict_readings *r, double spent);
/* " (61% of it waiting for the log: WALSync)" of transactions, if it is more than half; or "". */
void say_waiting(const struct account *a);

/* What transactions of ours waited for that others of ours waited behind, or that the script kept
 * them, and a remedy; or false. */
bool say_root(const struct account *a);

/* Appends to the sentence. */
__attribute__((format(printf, 2, 3))) void say(struct verdict *v, const char *fmt, ...);
/* "1,768", "0.62": a rate as people write it; "0.013", "18.1", "3000": ns as ms. */
const char *say_rate(char buf[32], double v);
const char *say_ms(char buf[32], double ns);
/* "", "s" */
const char *say_s(int n);
#define MOST_FREQUENT 120
/* "read-only server: 1290 (HY000) 1,860 times" */
const char *say_error(char buf[MOST_FREQUENT], const struct verdict_error *e);
/* The remedy that always helps. */
const char *say_or_lower(const struct verdict_readings *r);
/* A limit lies between what was achieved and what was asked for, however it was estimated. */
const char *say_limit(char buf[32], const struct account *a, double bound);
/* " from second 3.0 on", " between second 1.0 and 2.5", or "" of nearly all of the span. */
const char *say_when(char buf[64], const struct verdict_readings *r, dur_ns from, dur_ns to);
/* Who had the CPUs of this machine, if it was there, and what to do about it.  `cpus`: that the
 * process may use; `waited`: of the time that it could run, per cent. */
void say_machine_time(const struct verdict_readings *r, bool here, double cpus, double waited,
                      struct verdict *v);

/* What is known of the error that ended a run: nothing of one that a load brings about by itself.
 */
void say_fatal(const struct verdict_readings *r, struct verdict *v);

#endif
