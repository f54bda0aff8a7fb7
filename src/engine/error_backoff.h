/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A client whose errors repeat pauses before it goes on, so that a server that refuses everything
 * (read-only, out of disk) gets a few statements a second and not all that the client can send.
 *
 *     error, error      no pause: a deadlock or two cost nothing
 *     error             1 ms, then 2, 4, ... up to --trx-retries=backoff, each shortened by up to
 *                       half
 *     success           the next error begins anew
 *
 * Two streams of errors, because scripts have two ways to go on.  The default loop runs an event
 * again after its error: there, only an event that is done is a success, since on a read-only
 * server BEGIN and SELECT succeed between the errors.  A script that catches errors itself never
 * says how its event goes on: there, a statement that changed rows is a success, too.
 *
 * No clock and no sleep in here: the caller pauses.  Client's thread only.  Private to src/engine
 */
#ifndef SB_ENGINE_ERROR_BACKOFF_H
#define SB_ENGINE_ERROR_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/rng.h"

struct error_backoff_stream {
    unsigned errors;    /* without a success between them */
    uint64_t successes; /* at the last one */
};

struct error_backoff {
    struct rng rng;
    struct error_backoff_stream statement, event;
    bool paused; /* the error has had its pause */
};

void error_backoff_init(struct error_backoff *b, uint32_t seed, int client);

/* After a statement failed; `successes`: a number that a success changes.  The pause, at most
 * `longest`; 0: none. */
dur_ns error_backoff_statement(struct error_backoff *b, uint64_t successes, dur_ns longest);
/* Before the event that it belonged to goes on.  0 also if the error has had its pause. */
dur_ns error_backoff_event(struct error_backoff *b, uint64_t successes, dur_ns longest);

#endif
