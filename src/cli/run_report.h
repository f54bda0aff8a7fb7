/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The run's observer: prints the header, the server that was found, each snapshot as text or
 * through the script's hooks, and the last lines.  Lives between the engine, which knows no output
 * format, and the report floor, which knows no stream.
 */
#ifndef SB_CLI_RUN_REPORT_H
#define SB_CLI_RUN_REPORT_H

#include "cli/actions.h"
#include "cli/app.h"
#include "cli/marking.h"
#include "cli/run_files.h"
#include "cli/run_profile.h"
#include "engine/run.h"
#include "report/text_table.h"
#include "telemetry/discover.h"
#include "telemetry/environment.h"

#define RUN_REPORT_MAX_PIDS 64

struct run_report {
    struct app *app;
    struct workload *workload;
    struct discover *discover; /* NULL: nothing is to be discovered */
    struct server *server;
    struct probe *probe;
    struct via *via;                 /* NULL: the server is looked for on this host */
    struct server_status *status;    /* NULL: not asked for */
    pid_t pids[RUN_REPORT_MAX_PIDS]; /* the server's on this host: named, or found when all
                                        connections were up */
    size_t npids;
    struct environment environment; /* empty unless asked for; filled when all connections are up */
    struct run_observer observer;
    const struct run_result *result;
    struct kinds *kinds;      /* NULL: not asked for */
    struct text_table *table; /* of the intervals on standard output; NULL: they are lines */
    struct marking *marking;
    struct actions *actions; /* NULL: none */
    struct run_files files;
    struct run_profile profile;           /* of the server; not asked for: empty */
    struct report_profile profile_record; /* the same for the files */
    char server_why[sizeof(
        ((struct err *)0)->msg)]; /* why there is no server although it was asked for; "" */
};

/* Prepares telemetry, the observer and the result files (which are not touched yet).  -1: --server
 * cannot be read, or names no process, or a file cannot be. */
int run_report_init(struct run_report *r, struct app *a, struct workload *w,
                    const struct run_result *result, struct err *e);
void run_report_fini(struct run_report *r);

/* The test's options are good: makes the result files. */
int run_report_open(struct run_report *r, struct err *e);
/* The run is over: see run_files_close. */
int run_report_close(struct run_report *r, int rc, struct err *e);

/* "Running the test with following options:" and what follows, up to the workload's own lines. */
void run_report_header(const struct plan *p);

#endif
