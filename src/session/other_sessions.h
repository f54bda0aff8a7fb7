/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --server-status: which sessions of the server are not this program's, and which of them worked.
 * The question asks the server's list of sessions for all but those that have the ids of our
 * connections; background threads, replication and the event scheduler are no sessions of a client.
 *
 * One counts as active if it executes something, or has since the last answer: what it did when it
 * logged in is left out, so one that only connects is never active.  MySQL tells whole seconds, so
 * one that works rarely may be missed there.
 */
#ifndef SB_SESSION_OTHER_SESSIONS_H
#define SB_SESSION_OTHER_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/str.h"
#include "sql/sql_sessions.h"
#include "sql/sql_types.h"
#include "telemetry/status.h"

union other_sessions_answer {
    struct {
        double own;     /* what the server calls the session that asks */
        double newest;  /* MySQL: the highest id */
        double may_see; /* not 0: all sessions */
        double seen;    /* MySQL: all of clients, ours too */
        double connected, active;
    };
    double v[6];
};

/* `ours` is not empty; since the last answer, which said `newest`, `since` has passed (0:
 * there was none). */
void other_sessions_question(struct str *out, bool mysql, const struct sql_ids *ours,
                             uint64_t newest, dur_ns since);

/* The row of the answer.  False: it is none. */
bool other_sessions_take(union other_sessions_answer *a, const sql_value *column, size_t columns);

extern const char other_sessions_proxied[]; /* a reason */

/* Why the answer does not tell, NULL: it does.  `own` is what the library calls the session that
 * asked, `all` how many sessions of clients the server counts (MySQL). */
const char *other_sessions_why(const union other_sessions_answer *a, bool mysql, uint64_t own,
                               double all);

#endif
