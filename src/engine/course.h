/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The course of a run from the start line to its end, as the main thread sees it: its states, the
 * transitions between them, and when the main thread must look again.  Pure functions; run.c looks,
 * and performs the actions of a state.  Private to src/engine
 *
 *     WARMING -> MEASURING -> DRAINING -> CLOSING -> OVER
 *        |                       ^  |        |
 *        +-- ended in warm-up ---+  +--------+------> ABANDONED
 */
#ifndef SB_ENGINE_COURSE_H
#define SB_ENGINE_COURSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "engine/plan.h"

static inline mono_ns sooner(mono_ns a, mono_ns b)
{
    return a < b ? a : b;
}

enum stop_reason {
    STOP_NONE = 0,
    STOP_TIME, /* the time limit: nothing new begins */
    STOP_SIGNAL,
    STOP_ERROR,    /* a client failed */
    STOP_OVERLOAD, /* --rate's full queue, --tx-overload=abort */
    STOP_FOUND,    /* --tx-find has its answer */
    STOP_FORCED    /* forced shutdown: clients that are still busy are abandoned */
};

enum course_state {
    /* Transactions run and are not measured.  Lasts until the end of the warm-up, or until it is
     * clear that the run does not get there. */
    COURSE_WARMING,
    /* Transactions are measured.  Entered where the warm-up ends: the ticker's origin. */
    COURSE_MEASURING,
    /* The run was stopped (time limit, signal, error, overload), or no client goes on: no
     * transaction begins, those in flight end. */
    COURSE_DRAINING,
    /* All loops have ended: the processes are read for the last time, then clients close. */
    COURSE_CLOSING,
    /* All clients have ended. */
    COURSE_OVER,
    /* The grace period ended first: clients that are still busy are abandoned. */
    COURSE_ABANDONED
};

/* After a signal, an overload or a fatal error, transactions in flight get this long before the
 * report is printed without them. */
#define COURSE_GRACE (2 * NS_PER_SEC)

struct course {
    enum course_state state;
    mono_ns measure_from, deadline;
    mono_ns forced;     /* forced shutdown: when the grace period ends; MONO_NEVER: never */
    mono_ns signalled;  /* when the signal was noticed, 0: none was */
    mono_ns overloaded; /* the same of --tx-overload=abort */
    mono_ns failed;     /* the same of an error that ends the run */
    mono_ns close_by;   /* clients that were kept open for other ranks may close until then */
};

/* The observations of the main thread. */
struct course_view {
    mono_ns now;
    enum stop_reason stopped;
    bool ended_warming; /* stopped, or all loops ended, before measure_from */
    uint32_t looping;   /* clients whose loop has not ended */
    uint32_t alive;     /* clients that have not ended */
};

/* At the start line. */
void course_begin(struct course *c, const struct plan *p, mono_ns measure_from, mono_ns deadline);

/* The warm-up ends earlier than thought. */
void course_move(struct course *c, mono_ns measure_from, mono_ns deadline);

/* Moves one step to the next state; false: stays in the present one. */
bool course_step(struct course *c, const struct course_view *v);

/* When clients that are still busy will be abandoned; MONO_NEVER: not yet known. */
mono_ns course_abandon_at(const struct course *c);

/* When to look again unless something changes earlier. */
mono_ns course_wake(const struct course *c, const struct course_view *v);

static inline bool course_has_ended(const struct course *c)
{
    return c->state == COURSE_OVER || c->state == COURSE_ABANDONED;
}

#endif
