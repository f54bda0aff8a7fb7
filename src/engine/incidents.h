/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What happened to the machine or the server while a run was measured, and explains its figures: a
 * server that was restarted, a wall clock that was set, a machine that was suspended, a program
 * that was stopped, CPUs that came or went.  They are noticed when the processes are read, by
 * comparing clocks and counts with those of the reading before; nothing is watched in between.
 * Private to src/engine; one thread at a time.
 */
#ifndef SB_ENGINE_INCIDENTS_H
#define SB_ENGINE_INCIDENTS_H

#include "report/snapshot.h"
#include "telemetry/host.h"

/* The state of the machine at a reading. */
struct machine_state {
    mono_ns at;
    dur_ns wall_ahead;         /* of the wall clock before the monotonic one */
    dur_ns suspended;          /* since the system was started */
    int cpus;                  /* online */
    struct proc_cpu_ticks cpu; /* all 0: unknown */
};

struct incidents {
    bool any;
    struct machine_state last;
    unsigned found; /* as in the last sample of the server */
    struct snapshot_incident v[SNAPSHOT_MAX_INCIDENTS];
    size_t n;
    size_t told; /* those of earlier reports */
};

void machine_read(struct machine_state *m, mono_ns now);

/* Compares with the previous reading; the first one only takes note.  `server` is NULL without a
 * server. */
void incidents_look(struct incidents *i, const struct machine_state *now,
                    const struct sample *server);

/* In the order of time: those of several load hosts come in that of their reports. */
void incidents_sort(struct incidents *i);

/* The reporting thread got the CPU this long after the instant for which it slept. */
void incidents_late(struct incidents *i, mono_ns now, dur_ns late);

#endif
