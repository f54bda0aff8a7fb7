/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The processes under test, read as a whole.  Opened once with the pids that discover.h found (or
 * the user named), read on the reporter's tick, never on a client's path.  With `tree` set, a pid
 * stands for itself and all its descendants (PostgreSQL: the postmaster and its backends); the
 * figures of ended children stay in the sum.
 *
 * A watched pid is identified by (pid, start time): when it ends or is replaced, `processes` and
 * `reason` of the reading show it and its counters keep their last value.  One thread calls.
 */
#ifndef SB_TELEMETRY_SERVER_H
#define SB_TELEMETRY_SERVER_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "telemetry/sample.h"

struct server; /* opaque */
struct remote;

/*
 * `proc_root` is "/proc" outside tests.  A pid that is named twice, or (tree) that descends from
 * another one, counts once.  -1: no such process, or the id of a thread (names the pid).  *out is
 * then NULL.
 */
int server_open(struct server **out, const char *proc_root, const pid_t *pids, size_t n, bool tree,
                struct err *e);
void server_close(struct server *s); /* NULL is allowed */

/*
 * Processes of another host, read through `remote` (remote.h), which is borrowed and already has
 * its targets.  Never fails.
 */
struct server *server_of_remote(struct remote *remote);

/* CPUs of the server's host: what 100 % of the system is.  0: this host's. */
int server_cpus(const struct server *s);

/*
 * One reading; 0.2 ms (warm) to 1.2 ms for 2,000 threads where taskstats is permitted
 * (CAP_NET_ADMIN).  Without it the context switches and run-queue wait of a process with several
 * threads are lower bounds, at 5 us per thread, and absent beyond 768 threads.
 */
void server_read(struct server *s, struct sample *out);

/*
 * SAMPLE_SWITCHES when every reading of these processes holds them whole, threads that have ended
 * included, as far as can be said beforehand; or 0.
 */
unsigned server_exact(const struct server *s);

/* "mariadbd (pid 4711)", "postgres (pid 12 and its children)"; valid until server_close. */
const char *server_describe(const struct server *s);

/* Our own process: the load generator's share.  Keeps no state; any thread may call. */
void self_read(struct sample *out);

#endif
