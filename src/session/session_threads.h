/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How long the server's threads that serve our sessions ran, and were ready but had no CPU: exact,
 * where samples of the server's list are estimates.  A thread that has got a statement but no CPU
 * has not begun it, and the list calls its session idle: on a busy machine most of the time that is
 * spent waiting for a CPU is missing there.
 *
 * Known where a session has a thread of its own that lives as long (not in a pool of threads), on
 * this machine.  Sessions that come in between make the time in between unknown; of those that end,
 * the last of it is missing.
 */
#ifndef SB_SESSION_SESSION_THREADS_H
#define SB_SESSION_SESSION_THREADS_H

#include "session/server_waits.h"
#include "sql/sql.h"
#include "sql/sql_sessions.h"
#include "telemetry/waits.h"

struct session_thread {
    int64_t id;      /* of the session */
    pid_t pid, tid;  /* 0: not known; tid 0: the process is the session's own */
    uint64_t ran[3]; /* as proc_row_read() has it */
    bool read;
    bool known; /* it was in the list before */
};

/* Initialise with {0}; of one connection. */
struct session_threads {
    struct session_thread *of; /* by id */
    size_t n;
    mono_ns at;  /* of the last reading; 0: there was none */
    dur_ns cost; /* then: CPU time */
};

/* Adds what was since the last reading to `ran`, `waited` and `ran_known` of the sum; asks the
 * server for its threads if there are new sessions.  root_fd: /proc; `process`: the server's, 0:
 * not known. Returns how many questions it asked.  The connection's thread. */
unsigned session_threads_read(struct session_threads *t, sql_connection *con, enum wait_dialect d,
                              const struct sql_ids *ids, int root_fd, pid_t process,
                              struct status_waits *sum);

void session_threads_free(struct session_threads *t);

#endif
