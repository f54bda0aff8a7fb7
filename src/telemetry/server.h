/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The server's processes, read as a whole.  Opened once with the pids that discover.h found or the
 * user named; read at the reporter's ticks, never by a client.  With `tree`, a pid stands for
 * itself and all its descendants (PostgreSQL: the postmaster and its backends); the figures of
 * ended children stay in the sum.
 *
 * A process is identified by its pid and start time.  When it has ended or was replaced, the
 * reading's `processes` and `reason` say so, and its counters keep their last values.  With
 * server_follow, its successor is searched for at each reading and joins the sum: after a restart,
 * readings hold both lives (sample.h).  One thread at a time.
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
 * `proc_root` is "/proc" outside tests.  A pid that is named twice, or with `tree` descends from
 * another one, counts once.  -1: a pid does not exist or is the id of a thread (the sentence names
 * it); *out is then NULL.
 */
int server_open(struct server **out, const char *proc_root, const pid_t *pids, size_t n, bool tree,
                struct err *e);
void server_close(struct server *s); /* NULL is allowed */

/*
 * Processes of another host, read through `remote` (remote.h), which is borrowed and already knows
 * its targets.  Never fails.
 */
struct server *server_of_remote(struct remote *remote);

/* Who knows which processes are the server now. */
struct server_finder {
    void *arg;
    /* Fills up to max pids; 0: none can be found (yet). */
    size_t (*find)(void *arg, pid_t *pids, size_t max, bool *tree);
    /* These took the place of ended ones; the reading that noticed is about to return. */
    void (*found)(void *arg, const pid_t *pids, size_t n, bool tree);
};

/* From now on a reading that misses a process asks *finder, which is copied.  Not for a remote
 * server: there, pstime does this. */
void server_follow(struct server *s, const struct server_finder *finder);

/* The number of CPUs of the server's host, which are 100 % of the system.  0: the same as this
 * host's. */
int server_cpus(const struct server *s);

/* The CPUs that its first process may use: those that it may run on (taskset), or what a quota of
 * its control group is worth, if that is less; 0: not known. */
double server_usable_cpus(const struct server *s);

/*
 * Takes one reading: 0.2 ms (with warm caches) to 1.2 ms for 2,000 threads if taskstats is
 * permitted (CAP_NET_ADMIN).  Otherwise the context switches and run-queue wait of a process with
 * several threads are lower bounds, cost 5 us per thread, and are absent beyond 768 threads.
 */
void server_read(struct server *s, struct sample *out);

/*
 * SAMPLE_SWITCHES if, as far as is known beforehand, every reading of these processes includes all
 * context switches, those of ended threads too; otherwise 0.
 */
unsigned server_exact(const struct server *s);

/* "mariadbd (pid 4711)", "postgres (pid 12 and its children)"; valid until the next
 * reading. */
const char *server_describe(const struct server *s);

#endif
