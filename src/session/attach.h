/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the server's processes and opens their telemetry: named by --server=PID, found from the
 * clients' connections (--server=auto), or on another host (--server-via).
 *
 * A server that is restarted in the run is found again by the clients' new connections.  So is one
 * that was named, if the clients' connections led to it.
 */
#ifndef SB_SESSION_ATTACH_H
#define SB_SESSION_ATTACH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "opt/opt.h"
#include "session/server_options.h"
#include "telemetry/discover.h"
#include "telemetry/probe.h"
#include "telemetry/server.h"
#include "telemetry/remote.h"

#define ATTACH_MAX_PIDS 64

struct attach {
    const char *option;        /* "auto", "off" or process ids */
    struct probe *probe;       /* borrowed; NULL: nothing is read beside the processes */
    struct remote *remote;     /* borrowed; NULL: the server is on this host */
    struct discover *discover; /* of the clients' connections; NULL: they are of no interest */
    bool named;                /* by process ids on this host */
    struct server *server;     /* NULL: none (yet) */
    /* processes were found again, by the thread that reads them; NULL: nobody is told */
    void (*on_change)(void *arg, const pid_t *pids, size_t n);
    void *arg;
    /* its processes on this host; from the run's beginning on, of the thread that reads them */
    pid_t pids[ATTACH_MAX_PIDS];
    size_t npids;
    char why[sizeof(((struct err *)0)->msg)]; /* why it was not found; "" */
};

/* The value of --server in effect: options that need the server, and a rate that --tx-rate gave or
 * --tx-find looks for (`tx_rate`), make it "auto".  `needed`: an observer needs it. */
const char *attach_option(const struct server_options *o, bool needed, bool tx_rate);

/*
 * Opens the processes that were named before the run: threads that the server starts for the
 * clients then inherit counters, which is cheaper than a counter of their own (perf_count.h).
 * `keep`: descriptors that the run will still open.  `probe` and `remote` as above.  -1: a process
 * cannot be read, one sentence.
 */
int attach_open(struct attach *a, const struct opts *o, struct probe *probe, struct remote *remote,
                size_t keep, struct err *e);

/* Call it when all connections are up.  Returns the server, NULL when there is none; if it cannot
 * be found, the reason is logged and kept in a->why, and the run continues without it. */
struct server *attach_find(struct attach *a, bool uses_sql);

void attach_close(struct attach *a);

#endif
