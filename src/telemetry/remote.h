/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads a server on another host.  A command of the user (ssh dbhost, docker exec db, ...) runs
 * `pstime --stream` there, which gets a request at each tick and answers in the lines of stream.h.
 * It needs no port and no daemon, and ends with its stdin.
 *
 *     DOWN --start--> HELLO --hello--> EVENTS --ok--> IDLE --open--> OPENING --server--> UP
 *      ^                                                                                 |
 *      '------------- the stream ended; said once, started again every 5 s --------------'
 *
 * Readings keep that host's timestamps, so intervals are exact.  The offset between the two clocks
 * is shown for information only; it is estimated from the fastest request and answer.  The
 * reporting side calls, one thread at a time.
 */
#ifndef SB_TELEMETRY_REMOTE_H
#define SB_TELEMETRY_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "telemetry/environment.h"
#include "telemetry/perf.h"
#include "telemetry/stream.h"

struct remote; /* opaque */

/* What else is read there. */
struct remote_wants {
    const char *events; /* borrowed; NULL: none */
    bool system;        /* they are counted on all its CPUs, not of the server's threads */
    bool syscalls;
    /* true: the run is to end, and only remote_read waits; NULL: never */
    bool (*cancelled)(void);
};

/*
 * Starts the command and waits up to `limit` for its first line and, if there is a list of events,
 * until the other host has looked up their names.  -1 with ERR_USAGE: a name is unknown; *out is
 * then NULL.  A command that does not work is not an error: its readings are n/a.  After a second
 * a line on stderr says what is waited for.
 */
int remote_open(struct remote **out, const char *command, const struct remote_wants *wants,
                dur_ns limit, struct err *e);
void remote_close(struct remote *v); /* NULL is allowed */

/*
 * Names the server's processes (stream.h) and waits up to `limit`.  0; -1 with the reason, and
 * later readings try again.
 */
int remote_target(struct remote *v, const char *targets, dur_ns limit, struct err *e);

/* One reading, valid until the next; its sample.have is 0 with a reason when there is none.  Waits
 * half a second at most, also when the run is to end: the final reading is one. */
const struct stream_reading *remote_read(struct remote *v);

/* Adds that host's record, its keys as in environment.h but "server.host.*" for "host.*"; a reason
 * when it is unavailable. */
void remote_environment(struct remote *v, struct environment *e);

/* "mariadbd (pid 12) on dbhost, clock +1.204 ms (+- 0.311)"; the current state, valid until the
 * next remote_read. */
const char *remote_describe(const struct remote *v);

/* What that host has told so far. */
struct remote_told {
    int cpus; /* 0: not known yet */
    char governor[32];
    struct perf_spec event[PERF_MAX_EVENTS];
    size_t events;
    char how[200 + PERF_MAX_EVENTS * (PERF_NAME_MAX + 2)]; /* as perf_count_how */
    struct stream_reading last;                            /* by remote_read */
};

const struct remote_told *remote_told(const struct remote *v);
const char *remote_syscalls_why(const struct remote *v); /* as syscalls_why */

#endif
