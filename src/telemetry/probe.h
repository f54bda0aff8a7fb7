/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Everything that is read at each tick besides the processes: events of the server (perf.h),
 * its system calls (syscalls.h), figures of the machine (host.h) and the server's status counters
 * (status.h).  A probe is created
 * from the options before the run and attached to the server's processes once they are known.  It
 * is read together with them and its readings are subtracted like theirs, so every figure of a
 * report covers the same interval.
 *
 * Only the reporting side calls, one thread at a time; never a client.
 */
#ifndef SB_TELEMETRY_PROBE_H
#define SB_TELEMETRY_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "telemetry/host.h"
#include "telemetry/perf.h"
#include "telemetry/sample.h"
#include "telemetry/status.h"
#include "telemetry/syscalls.h"

struct probe; /* opaque */

struct probe_config {
    struct perf_spec event[PERF_MAX_EVENTS];
    size_t events;      /* 0: no counters of this host */
    bool remote_events; /* counters of the remote host */
    bool system;        /* the counters are those of all CPUs, not of the server's threads */
    size_t keep;        /* descriptors that clients will open: these are not for such counters */
    size_t syscalls;    /* so many of them are listed; 0: they are not counted */
    bool host;
    const struct status_source *status; /* borrowed; NULL: not requested */
    /* borrowed; counters and columns are those of the remote host; NULL: of this one */
    struct remote *remote;
};

struct probe_reading {
    struct perf_reading perf;
    struct host_reading host;
    struct status_reading status;
    struct syscalls_reading syscalls;
};

/* Pointers live as long as the probe. */
struct probe_delta {
    /* counters */
    size_t events;
    const struct perf_spec *event;
    unsigned derived;      /* PERF_IPC ...: which are requested */
    bool system;           /* of all CPUs, not of the server's threads */
    const char *how;       /* "by thread, 12 threads ..."; "" when nothing is counted */
    dur_ns events_cost_ns; /* of the later reading */
    struct perf_delta perf;

    bool has_syscalls;
    struct syscalls_delta syscalls;

    bool has_host;
    struct host_delta host;
    const char *governor; /* of the CPUs' frequency, or "n/a" */

    size_t statuses;  /* counters; 0: not requested */
    bool has_waits;   /* status.waits is requested, with counters or without */
    bool quiet_waits; /* only by default, and no sample has known anything so far */
    const struct status_name *status_name;
    struct status_delta status;
    struct status_statements statements; /* of the run, a phase, a stage */
};

struct probe *probe_new(const struct probe_config *config);
void probe_free(struct probe *p); /* NULL is allowed */

/* Attaches the probe to the server's processes, see perf.h.  Not called if the server was
 * not found; called again when it was restarted. */
void probe_attach(struct probe *p, const struct perf_whom *whom);

/* NULL: not requested, or p is */
const struct status_source *probe_status(const struct probe *p);

/* The counters (NULL: none are open); why system calls are not counted, NULL: they are. */
const struct perf_count *probe_counters(const struct probe *p);
const char *probe_syscalls_why(const struct probe *p);

/* `server` is a reading of the processes made just before; NULL without a server. */
void probe_read(struct probe *p, const struct sample *server, struct probe_reading *out);
/* Has the server's statements listed; a struct probe, NULL: nothing. */
void probe_list(void *probe);
/* The server's status alone. */
void probe_read_status(const struct probe *p, struct status_reading *out);

/*
 * `server` is the difference of the two readings of the server's processes, NULL without a server.
 * If its figures are missing because the processes were replaced, an unchanged counter does not
 * mean 0.
 */
void probe_diff(const struct probe *p, const struct probe_reading *before,
                const struct probe_reading *after, const struct sample_delta *server,
                struct probe_delta *out);

#endif
