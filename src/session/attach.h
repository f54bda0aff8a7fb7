/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The server of a run: the options of the group SERVER that say where it is and what is read of it
 * (those of the profile are run_profile.h's), the probe for all that is read besides its processes
 * (telemetry/probe.h), and the processes themselves: named by --server=PID, found from the clients'
 * connections (--server=auto), or on another host (--server-via).
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
#include "telemetry/discover.h"
#include "telemetry/probe.h"
#include "telemetry/remote.h"
#include "telemetry/server.h"

/* Strings still belong to the option table. */
struct server_options {
    const char *server;  /* --server: "auto", "off" or process ids; "": not given */
    const char *watched; /* --server=host: one of several; "": not given */
    const char *remote;  /* --server-via: a command; "": the server is on this host */
    const char *events;  /* --server-events; NULL: none are counted */
    bool system;         /* --events-of=system: of all CPUs, not of the server's threads */
    /* --server-syscalls: "off", how many are listed, or "on" and "" for the usual number */
    const char *syscalls;
    const char *settle;    /* --settle: "off", "" or "on", or a time */
    bool status;           /* --server-status, or a query for it */
    const char *variables; /* "NAME,..." that it has besides; NULL: none */
    const char *waits;     /* --server-waits: "auto", "on" or "off" */
    char **query;          /* --server-query */
    size_t queries;
    bool host;        /* --host-stats */
    bool environment; /* --report-environment: the record is printed */
};

void server_options_declare(struct opts *o);
void server_options_read(struct server_options *s, const struct opts *o);

/* *out is NULL when there is nothing to read; `status` and `remote` (NULL: none) are borrowed;
 * `keep` is how many descriptors the clients will open.  -1: an option's value is wrong, one
 * sentence. */
int run_probe_new(struct probe **out, const struct server_options *o,
                  const struct status_source *status, struct remote *remote, size_t keep,
                  struct err *e);

/* The names of --server-events alone.  -1: one of them is unknown. */
int run_probe_check_events(const struct server_options *o, struct err *e);

/* *out is NULL without the option.  -1: an event of --server-events is unknown there. */
int run_remote_open(struct remote **out, const struct server_options *o, struct err *e);

/*
 * Call it when all connections are up.  `server` is the value of --server, used when `d` is NULL.
 * A failure is logged in one line, and the figures are n/a until it works.
 */
void run_remote_target(struct remote *v, const char *server, struct discover *d);

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
    bool has_before;                          /* attach_read_before() */
    double before_pct;
};

/* The value of --server in effect: options that need the server, and a rate that --tx-rate gave or
 * --tx-find looks for (`tx_rate`), make it "auto".  `needed`: an observer needs it. */
const char *attach_option(const struct server_options *o, bool needed, bool tx_rate);

/*
 * Opens the processes that were named before the run: threads that the server starts for the
 * clients then inherit counters, which is cheaper than a counter of their own (perf.h).
 * `keep`: descriptors that the run will still open.  `probe` and `remote` as above.  -1: a process
 * cannot be read, one sentence.
 */
int attach_open(struct attach *a, const struct opts *o, struct probe *probe, struct remote *remote,
                size_t keep, struct err *e);

/* Call it when all connections are up.  Returns the server, NULL when there is none; if it cannot
 * be found, the reason is logged and kept in a->why, and the run continues without it. */
struct server *attach_find(struct attach *a, bool uses_sql);

/* Call it when the server is found and no client has begun: waits 0.2 s, or until a signal, and
 * keeps what the server used of one CPU meanwhile, in %, unless it could not be read. */
void attach_read_before(struct attach *a);

void attach_close(struct attach *a);

#endif
