/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the verdict is told of a span of the schedule, and what it says.  judge.c reads the figures;
 * causes.h and verdict.h compute.  Private to src/engine
 */
#ifndef SB_ENGINE_VERDICT_READINGS_H
#define SB_ENGINE_VERDICT_READINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "engine/backlog.h"
#include "report/find_record.h"
#include "telemetry/waits.h"

enum held { HELD_NO, HELD_YES, HELD_UNKNOWN /* the span was too short to tell */ };

/* A span of the schedule: a run, a stage, a step of a search.  Figures that are not known are NaN,
 * or -1. */
struct verdict_readings {
    int clients;
    int own;              /* of these, on this load host: those that `backlog` tells of */
    int workers;          /* that run them; 0: each has a thread */
    int cpus;             /* that the load generator may use */
    double target;        /* per second */
    bool no_rate;         /* that could be lowered: none was given, or it is searched for */
    double tolerance_pct; /* how much may be missing */
    dur_ns think;         /* mean pause of a client after a transaction */
    bool events;          /* the run ends with a number of transactions, not with a time */
    dur_ns scheduled;     /* how long the schedule lasted */
    dur_ns from, to;      /* the same in the time of the backlog */
    const struct backlog *backlog; /* NULL: there are no points */
    /* The figures of a part of this span, which is made a little longer if they were not read at
     * its ends; NULL: they were not read.  `of` is for its use. */
    void (*part)(const struct verdict_readings *all, dur_ns from, dur_ns to,
                 struct verdict_readings *part);
    const void *of;

    uint64_t offered, done, failed, withdrawn, dropped; /* dropped: or lost with a load host */
    uint64_t in_time;   /* of those done, by the end of the schedule */
    uint64_t open;      /* of the offered, neither ended nor dropped when the schedule was over */
    uint64_t waiting;   /* of these, not begun */
    bool uneven;        /* starts come at random, or at rates that change */
    int together;       /* starts planned at one instant: 1, or with aligned arrivals all clients */
    double rate_end;    /* per second, planned at the end of the schedule */
    double calm;        /* ns, the least mean service time of a part of it */
    double early;       /* ns, what one of the first took, begun while few others ran; NaN */
    double least;       /* ns, a tenth of all took less */
    double spread;      /* ns, their standard deviation, whatever the longest of them took */
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
    size_t peaks; /* of how many it is the largest */

    uint64_t errors; /* statements and connection attempts that failed */
    /* the most frequent, and the most frequent of those that no load brings about by itself */
    struct verdict_error {
        const char *class; /* NULL: there was none */
        char code[32];
        uint64_t count;
    } error, away_error;
    size_t outages; /* that ended by the end of the schedule, or lasted beyond it */
    dur_ns away;    /* time without a transaction done in them, sum */
    dur_ns retried; /* clients spent it in attempts that failed, and in pauses after them; sum */

    dur_ns throttled;     /* a CPU quota stopped the load generator */
    double quota;         /* of so many CPUs; 0: unknown, or there is none */
    dur_ns stopped;       /* it did not run: a signal, or the machine was suspended */
    double self_cpu_pct;  /* CPU of the load generator, % of one CPU; 0: unknown */
    dur_ns self_wait;     /* its threads were ready to run and had no CPU, sum; -1 */
    double self_wait_pct; /* the same in % of the time that this was read for; 0: unknown */
    double worker_pct; /* of their time, workers ran clients, or waited for a CPU to do so; NaN */
    bool no_sql;       /* transactions have no statements */
    double short_pct;  /* of the times between two ends, those of less than a third of the median */
    double
        script_pct; /* of their time in transactions, clients neither connected nor executed; NaN */
    double server_cpu_pct;     /* the same of the server */
    double server_cpus;        /* that it may use */
    uint64_t server_processes; /* 0: unknown */
    bool server_here;          /* on this machine, with so many CPUs: */
    int host_cpus;
    dur_ns server_wait;        /* where that is known, of its sessions' threads alone; -1 */
    double server_waited_pct;  /* of the time in which its threads could run */
    dur_ns lock_wait;          /* its sessions waited for locks, sum; -1 */
    bool lock_counted;         /* by InnoDB, not sampled */
    bool lock_rows;            /* of rows, most of it */
    dur_ns lock_behind;        /* of it, blocked by a session of others */
    unsigned lock_blockers;    /* so many of these, at least */
    bool lock_ours;            /* most of it is behind transactions of ours, */
    enum wait_class lock_root; /* which do this; see root in struct status_waits */
    const char *lock_who;      /* the last of them; "": there was none; NULL: not known, and */
    const char *lock_why;      /* why it is not; NULL: nobody asked */
    /* What its sessions did, as far as it is no chance, where it is known of most of the span; of
     * WAIT_OTHER only what sleeps. */
    /* The incident of the longest standstill in the span: what it says; NULL: there is none */
    const char *stall;
    dur_ns stall_from, stall_length; /* since measuring began */
    bool waits_known;
    dur_ns in_server; /* of all classes, sum, but for: */
    dur_ns ready;     /* threads of its sessions had no CPU; 0: not known */
    bool threads;     /* they are known: there is no pool */
    struct verdict_wait {
        dur_ns time;
        char name[WAIT_NAME_SIZE]; /* the first of the class */
        bool several;              /* other names have a tenth of its time, or more */
    } waited[WAIT_CLASSES];
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

/* How many threads run clients; on how many CPUs they can run at once. */
static inline int own_threads(const struct verdict_readings *r)
{
    return r->workers ? r->workers : r->clients;
}

static inline int own_width(const struct verdict_readings *r)
{
    return own_threads(r) < r->cpus ? own_threads(r) : r->cpus;
}

/* In an unloaded system nobody waits for a latch; but MariaDB's threads may sleep for other
 * reasons, too, where it has no name for what they wait for ("latch in Updating"). */
static inline double verdict_latches(const struct verdict_readings *r)
{
    const struct verdict_wait *w = &r->waited[WAIT_LATCH];

    return strncmp(w->name, "latch in ", 9) == 0 ? 0 : (double)w->time;
}

/* CPU of each side, % of the CPUs that it may use; NaN: unknown. */
static inline double verdict_self_pct(const struct verdict_readings *r)
{
    return r->self_cpu_pct / own_width(r);
}

static inline double verdict_server_pct(const struct verdict_readings *r)
{
    return r->server_cpu_pct / r->server_cpus;
}

#endif
