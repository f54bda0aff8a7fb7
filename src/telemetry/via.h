/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The server's host is another one: `pstime --stream` runs there through a command of the user's
 * (ssh dbhost, docker exec db, ...), is asked at each tick and answers in the lines of stream.h. No
 * port, no daemon; it ends with its stdin.
 *
 *     DOWN --start--> HELLO --hello--> EVENTS --ok--> IDLE --open--> OPENING --server--> UP
 *      ^                                                                                 |
 *      '------------- the stream ended; said once, started again every 5 s --------------'
 *
 * Readings keep the clock of that host, so intervals are exact; its offset from ours is estimated
 * from the quickest question and answer, for people.  The reporting side calls, one thread at a
 * time.
 */
#ifndef SB_TELEMETRY_VIA_H
#define SB_TELEMETRY_VIA_H

#include <stddef.h>

#include "base/err.h"
#include "telemetry/environment.h"
#include "telemetry/perf_names.h"
#include "telemetry/stream.h"

struct via; /* opaque */

/*
 * Starts the command and waits up to `limit` for its first words, and with `events` (a list, NULL:
 * none) until the names were looked up there.  -1 with ERR_USAGE: a name is unknown; *out is then
 * NULL. A command that does not work is no failure here: its readings are n/a.
 */
int via_open(struct via **out, const char *command, const char *events, dur_ns limit,
             struct err *e);
void via_close(struct via *v); /* NULL is allowed */

/*
 * Names the server's processes (stream.h) and waits up to `limit`.  0; -1 with the reason, and
 * later readings try again.
 */
int via_target(struct via *v, const char *targets, dur_ns limit, struct err *e);

/* One reading; *out.sample.have is 0 with a reason when there is none.  Waits half a second at
 * most. */
void via_read(struct via *v, struct stream_reading *out);

/* What the last via_read gave. */
const struct stream_reading *via_last(const struct via *v);

/* Adds that host's record, its keys as in environment.h but "server.host.*" for "host.*"; a reason
 * when it cannot be had. */
void via_environment(struct via *v, struct environment *e);

/* "mariadbd (pid 12) on dbhost, clock +1.204 ms (+- 0.311)"; what is known now, valid until the
 * next via_read. */
const char *via_describe(const struct via *v);

int via_cpus(const struct via *v); /* of that host; 0: not known yet */
const char *via_governor(const struct via *v);
const struct perf_spec *via_events(const struct via *v, size_t *n);
const char *via_how(const struct via *v); /* as perf_count_how */

#endif
