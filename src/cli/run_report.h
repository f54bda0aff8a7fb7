/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The run's observer: prints the header, the server that was found, each snapshot as text or through the
 * script's hooks, and the last lines.  Lives between the engine, which knows no output
 * format, and the report floor, which knows no stream.
 */
#ifndef SB_CLI_RUN_REPORT_H
#define SB_CLI_RUN_REPORT_H

#include "cli/app.h"
#include "engine/run.h"
#include "telemetry/discover.h"

struct run_report {
    struct app *app;
    struct workload *workload;
    struct discover *discover; /* NULL: nothing is to be discovered */
    struct server *server;
    struct run_observer observer;
    const struct run_result *result;
};

/* Prepares telemetry and the observer.  -1: --server cannot be read, or names no process. */
int run_report_init(struct run_report *r, struct app *a, struct workload *w, const struct run_result *result,
                    struct err *e);
void run_report_fini(struct run_report *r);

/* "Running the test with following options:" and what follows, up to the workload's own lines. */
void run_report_header(const struct plan *p);

#endif
