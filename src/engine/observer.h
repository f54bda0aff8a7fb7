/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The contract of everything that shows or stores a run's figures: standard output, the script's
 * report hooks, result files, the metrics endpoint, the profile; and, first in the list, the
 * session that surrounds the run and completes its snapshots.  Observers do not know each other.
 * The engine tells all of them the same events, in the order of the list.
 *
 *     open            main thread, options are valid: files are created.  -1 ends the run
 *     RUN_HEADER      main thread, before the workload's own header lines
 *     RUN_READY       main thread, all connections are up, the clock has not started: the moment to
 *                     find the server
 *     RUN_STARTED     main thread, the clock is about to run
 *     RUN_WARMING_UP  main thread, with a warm-up: 1.1's line
 *     RUN_BEGINS      main thread, measuring begins at `from`, which may be in the future; with
 *                     --warmup-until after snapshots of the warm-up
 *     RUN_TICKER_OPENS   ticker's thread, before its first snapshot
 *     RUN_SNAPSHOT    ticker's thread: interval, checkpoint; main thread: final
 *     RUN_TICKER_CLOSES  ticker's thread
 *     RUN_FOUND       a step of --tx-find has ended: any time, on a thread of its own
 *     RUN_FINAL_READING  any thread, all loops have ended and the connections are still up
 *     RUN_CLOSING     main thread, the run began and ends without a final snapshot
 *     close           main thread, always last, in reverse order; -1 when something is incomplete
 *
 * Two events are never told at once, except RUN_FOUND.  Any function may be NULL.
 */
#ifndef SB_ENGINE_OBSERVER_H
#define SB_ENGINE_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/err.h"
#include "report/raw_log.h"
#include "report/run_info.h"
#include "report/snapshot.h"
#include "stats/marks.h"
#include "stats/stmt_stats.h"
#include "telemetry/probe.h"
#include "telemetry/server.h"

enum run_event_kind {
    RUN_HEADER,
    RUN_READY,
    RUN_STARTED,
    RUN_WARMING_UP,
    RUN_BEGINS,
    RUN_TICKER_OPENS,
    RUN_SNAPSHOT,
    RUN_TICKER_CLOSES,
    RUN_FOUND,
    RUN_FINAL_READING,
    RUN_CLOSING
};

struct run_event {
    enum run_event_kind kind;
    mono_ns from;                   /* RUN_BEGINS */
    struct snapshot *s;             /* RUN_SNAPSHOT */
    const struct find_record *find; /* RUN_FOUND: the record, and which step of it */
    size_t step;
    /* RUN_READY, set by an observer: the processes to read on every tick, not the run's own (NULL:
     * none); and why there is none, a clause (NULL: no reason is known) */
    struct server *server;
    const char *no_server;
};

struct observer_ops {
    const char *name;
    int (*open)(void *self, struct err *e);
    void (*on)(void *self, struct run_event *event);
    int (*close)(void *self, const struct report_end *end, struct err *e);
};

#define OBSERVERS_MAX 16

struct observers {
    struct {
        const struct observer_ops *ops;
        void *self;
    } item[OBSERVERS_MAX];
    size_t n;
};

/* --- who watches a run, and how it ended ---
 *
 * Who watches a run, and how it ended: what run_execute() (run.h) is given and fills, known to all
 * parts of the engine.
 */

/* What watches a run, and what it writes to besides. */
struct run_observer {
    struct observers list;
    struct raw_log *raw_log;       /* every transaction goes there; NULL: nowhere */
    struct stmt_stats *stmt_stats; /* statements by kind are timed into it; NULL: they are not */
    struct marks *marks;           /* of the timeline, for reports and phases; NULL: none */
    /* read with the processes; NULL: none.  Its owner attaches it at RUN_READY */
    struct probe *probe;
};

struct run_result {
    /* constant figures; pointers (histograms, phases) are not valid any more */
    struct snapshot final;
    bool began;            /* the start line was drawn */
    bool measured;         /* there is something to report: it did not end in the warm-up */
    int signal;            /* the run was ended by this signal, 0 if not */
    bool forced;           /* forced shutdown fired */
    bool overloaded;       /* --tx-overload=abort: the backlog ended it */
    bool clients_left;     /* some clients are still blocked in a call: do not free, just exit */
    bool sustained;        /* with a rate */
    bool unknown;          /* whether it was: the run was too short to tell; `sustained` is false */
    bool accounts_balance; /* rate_balances(), and the counts behind it agree */
    char why[VERDICT_WHY]; /* reason when not sustained, or hint at what limited the rate; "" */
    char interrupted[64];  /* "SIGINT after 2.9 s of 600 s"; "" */
    int since_stage; /* with a rate that changes: the first stage that was not sustained; 0: none */
    char since[STAGE_TEXT_SIZE]; /* what the stage was; "" */
};

/* Adds an observer at the end of the list; `self` is borrowed. */
void observers_add(struct observers *o, const struct observer_ops *ops, void *self);

int observers_open(struct observers *o, struct err *e);
void observers_tell(const struct observers *o, struct run_event *event);
/* An event that has nothing but its kind. */
void observers_say(const struct observers *o, enum run_event_kind kind);
/* A copy of it, which the observers may complete. */
void observers_snapshot(const struct observers *o, const struct snapshot *s);

/* Closes all, even when one fails.  `rc` and *e are the run's: they stay when the run failed.  When
 * it did not, or only missed its rate, the first failure to close replaces them. */
int observers_close(struct observers *o, const struct report_end *end, int rc, struct err *e);

#endif
