/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A server's status counters (SHOW GLOBAL STATUS, pg_stat_database) as plain data.  This folder
 * cannot query a server; session/server_status.h provides the source.  Pure arithmetic; any thread
 * may call.
 */
#ifndef SB_TELEMETRY_STATUS_H
#define SB_TELEMETRY_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

#define STATUS_MAX 24

struct status_name {
    const char *name;
    bool gauge; /* a level, not a count */
};

struct status_reading {
    mono_ns at;     /* middle of question and answer */
    dur_ns cost_ns; /* between them */
    uint32_t have;  /* bit i: name i was answered */
    double v[STATUS_MAX];
    char why[160]; /* when nothing was: the reason */
};

struct status_source {
    void *arg;
    const struct status_name *name; /* n of them, constant */
    size_t n;
    /* Queries the server, and waits a limited time for the answer. */
    void (*read)(void *arg, struct status_reading *out);
};

struct status_delta {
    dur_ns wall_ns;
    uint32_t have;
    double v[STATUS_MAX]; /* growth in the interval; a gauge's value at its end */
    char why[160];
};

/* A counter that decreased (FLUSH STATUS, a restart) is absent. */
void status_diff(const struct status_name *name, size_t n, const struct status_reading *before,
                 const struct status_reading *after, struct status_delta *out);

#endif
