/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The life of one run: start the clients, wait until all are ready, draw the start line (t0), warm
 * up, measure, drain, report, end.  Owns every thread it starts.  What happens with the figures is
 * the observer's business; what a transaction is, the workload's.
 *
 * Threads: run_execute() is called on the main thread and returns when all is over.  The observer's
 * functions are called on the main thread, `interval` and `checkpoint` on the ticker's thread;
 * never two at once.
 */
#ifndef SB_ENGINE_RUN_H
#define SB_ENGINE_RUN_H

#include "base/err.h"
#include "base/rng.h"
#include "engine/plan.h"
#include "report/raw_log.h"
#include "report/snapshot.h"
#include "stats/kinds.h"
#include "stats/marks.h"
#include "telemetry/server.h"
#include "workload/workload.h"

struct run_observer {
    void *arg;
    struct raw_log *raw_log;   /* every transaction goes there; NULL: nowhere */
    struct kinds *kinds;       /* statements by kind are timed into it; NULL: they are not */
    const struct marks *marks; /* of the timeline, for reports and phases; NULL: none */
    struct probe
        *probe; /* read with the processes; NULL: none.  Its owner attaches it in ready() */
    /* All clients are ready, the clock has not started: the moment to find the server.  Returns the
     * processes to read on every tick (NULL: none); the run does not own it. */
    struct server *(*ready)(void *arg);
    void (*started)(void *arg);             /* the clock is about to run */
    void (*begin)(void *arg, mono_ns from); /* measuring begins at `from`, which may be to come;
                                               NULL allowed */
    void (*curtain)(void *arg);      /* all loops have ended, connections are up; NULL allowed */
    void (*warming_up)(void *arg);   /* 1.1's line, when there is a warm-up */
    void *(*ticker_open)(void *arg); /* on the ticker's thread, before its first tick */
    void (*report)(void *arg, void *ticker,
                   const struct snapshot *s); /* interval, checkpoint; final: ticker NULL */
    void (*ticker_close)(void *arg, void *ticker);
};

struct run_result {
    struct snapshot
        final;       /* constant figures; pointers (histograms, phases) are not valid any more */
    bool began;      /* the start line was drawn */
    bool measured;   /* there is something to report: it did not fail before a transaction ended, or
                        in the warm-up */
    int signal;      /* the run was ended by this signal, 0 if not */
    bool forced;     /* forced shutdown fired */
    bool overloaded; /* --tx-overload=abort: the backlog ended it */
    bool clients_left; /* some clients are still blocked in a call: do not free, just exit */
    bool sustained;    /* with a rate */
    bool
        accounts_balance; /* offered = done + failed + dropped + unfinished, from separate counts */
    char why[200];        /* reason when not sustained, or hint at what limited the rate; "" */
};

/*
 * -1 with *e filled when the run could not start or failed; *res is filled as far as it got, and
 * the final report has been given to the observer whenever anything was measured.
 */
int run_execute(const struct plan *plan, struct workload *w, struct rng_seeder *seeder,
                const struct run_observer *obs, struct run_result *res, struct err *e);

#endif
