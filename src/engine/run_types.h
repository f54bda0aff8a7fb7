/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Who watches a run, and how it ended: what run_execute() (run.h) is given and fills, known to all
 * parts of the engine.
 */
#ifndef SB_ENGINE_RUN_TYPES_H
#define SB_ENGINE_RUN_TYPES_H

#include <stdbool.h>

#include "base/clock.h"
#include "engine/observer.h"
#include "report/raw_log.h"
#include "report/snapshot.h"
#include "stats/marks.h"
#include "stats/stmt_stats.h"
#include "telemetry/probe.h"

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
    bool began;        /* the start line was drawn */
    bool measured;     /* there is something to report: it did not end in the warm-up */
    int signal;        /* the run was ended by this signal, 0 if not */
    bool forced;       /* forced shutdown fired */
    bool overloaded;   /* --tx-overload=abort: the backlog ended it */
    bool clients_left; /* some clients are still blocked in a call: do not free, just exit */
    bool sustained;    /* with a rate */
    bool unknown;      /* whether it was: the run was too short to tell; `sustained` is false */
    /* offered = done + failed + dropped + unfinished, from separate counts */
    bool accounts_balance;
    char why[VERDICT_WHY]; /* reason when not sustained, or hint at what limited the rate; "" */
    char interrupted[64];  /* "SIGINT after 2.9 s of 600 s"; "" */
    int since_stage; /* with a rate that changes: the first stage that was not sustained; 0: none */
    char since[STAGE_TEXT_SIZE]; /* what the stage was; "" */
};

#endif
