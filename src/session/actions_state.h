/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The internals of the timed actions, for actions*.c only.  The thread owns an action; `r`, which
 * reports copy, changes under the lock.  Texts that `r` points to do not change once its state says
 * that they exist, so copies may keep the pointers.  Private to src/session
 */
#ifndef SB_SESSION_ACTIONS_STATE_H
#define SB_SESSION_ACTIONS_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/str.h"
#include "report/action.h"
#include "session/child.h"
#include "stats/marks.h"

struct action {
    struct report_action r;
    const char *command; /* as given */
    char *shown;         /* the same with passwords masked, as in r */
    const char *text;    /* its --at as given */
    dur_ns at;
    mono_ns begun;
    struct child child;
    struct str output;
    size_t printed; /* kept or not */
    bool reaped;
    char why[80]; /* r.why: strerror()'s text ends with the thread */
};

struct actions {
    struct action *action;
    struct report_action *record;
    size_t n;
    dur_ns time, interval; /* of the plan; 0: none */
    struct marks *marks;
    char *servers;
    int wake, timer; /* eventfd, timerfd */
    bool running;
    pthread_t thread;
    pthread_mutex_t lock; /* action[].r, servers */
    _Atomic int64_t from; /* 0: measuring has not begun */
    _Atomic int64_t read_at;
    _Atomic bool final_reading, no_grace;
    _Atomic int64_t over; /* end of the run; 0: not yet */
    mono_ns sent;         /* thread: the signal that ends what still runs; 0: not yet */
};

/* actions_run.c, on the thread: one command. */
void action_start(struct actions *a, struct action *v);
/* Reads what it has printed. */
void action_read_output(struct action *v);
/* True when it has ended; records its outcome and logs a failure. */
void action_check(struct actions *a, struct action *v);
/* Ends the command, because the run is over. */
void action_finish(struct actions *a, struct action *v);

#endif
