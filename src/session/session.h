/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Everything that surrounds one run: the server and its telemetry, marks and timed commands, the
 * record of the environment, and the observers that show and store the figures.  Lives between the
 * engine, which knows no output format, and the report floor, which knows no stream.
 *
 * The session is the first observer of the run: it completes a snapshot (marks, state of the
 * commands, why there is no server) before the others get it.
 *
 * The creator of a session fills its parts and adds the observers (cli/run_session.c).
 */
#ifndef SB_SESSION_SESSION_H
#define SB_SESSION_SESSION_H

#include "session/actions.h"
#include "session/marking.h"
#include "session/server_status.h"
#include "engine/run.h"
#include "session/attach.h"
#include "session/run_record.h"

struct session {
    const struct run_result *result; /* borrowed, as the engine fills it */
    struct run_record record; /* the facts in files besides figures; commands are kept current */
    struct attach attach;
    struct remote *remote;        /* NULL: the server is on this host */
    struct probe *probe;          /* NULL: nothing is read beside the server's processes */
    struct server_status *status; /* NULL: not requested */
    /* names of the database hosts, if there are several; their number; borrowed */
    const char *const *host_name;
    size_t hosts;
    struct marking *marking;
    const char *mark_on;            /* --mark-on; "": marks come from scripts only */
    struct actions *actions;        /* NULL: none */
    const char *driver;             /* of the script's database; NULL: a built-in test */
    struct environment environment; /* this host's part is filled before the run, or empty */
    bool record_environment;        /* the whole record is requested */
    bool has_rate;
    struct run_observer run; /* for run_execute: its list of observers begins with this session */
};

extern const struct observer_ops session_observer; /* self: struct session */

/* Call it when the test's options are valid: starts marks and commands, opens the observers. */
int session_open(struct session *s, struct err *e);

/* How a run ended that has not failed; has_rate is the caller's. */
struct report_end session_end(const struct run_result *r);

/* The run is over, with `rc` and *e.  -1 with *e when the run failed, or when an observer's output
 * is incomplete. */
int session_close(struct session *s, int rc, struct err *e);

/* Frees the parts; the code that added observers owns them. */
void session_free(struct session *s);

#endif
