/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where results go besides standard output: result files (--report-file), the raw log (--raw-log),
 * the metrics endpoint (--metrics-listen) and the script's report hooks, as observers.  Names are
 * checked before anything else; files are created when the test has accepted its options.
 */
#ifndef SB_SESSION_RESULT_FILES_H
#define SB_SESSION_RESULT_FILES_H

#include <stdbool.h>

#include "base/rng.h"
#include "engine/run.h"
#include "opt/opt.h"
#include "report/http.h"
#include "report/live.h"
#include "report/raw_log.h"
#include "report/report.h"
#include "script/script.h"
#include "engine/observer.h"

/* Rows of the group LOG. */
void result_options(struct opts *o);

struct result_files {
    struct report_files *files;     /* NULL: none requested */
    const struct report_info *info; /* borrowed; set before they are opened */
};

/* Reads --report-file; touches nothing.  `intervals`, `checkpoints`, `steps`: the run reports
 * these. */
int result_files_init(struct result_files *f, const struct opts *o, bool intervals,
                      bool checkpoints, bool steps, struct err *e);

struct metrics_endpoint {
    struct http *http; /* NULL: not requested */
    struct report_files *writer;
    struct live *live; /* of the page */
    /* borrowed; set before metrics_endpoint_init() */
    const struct report_info *info;
    struct marks *marks;
};

/* The value of --metrics-listen, borrowed from *o; "": none. */
const char *metrics_endpoint_address(const struct opts *o);

/* Reads --metrics-listen; takes the port, which nobody is served at yet.  `reports`: the run has
 * reports beside the final one. */
int metrics_endpoint_init(struct metrics_endpoint *m, const struct opts *o, bool reports,
                          struct err *e);
void metrics_endpoint_free(struct metrics_endpoint *m); /* not while clients may still run */

struct raw_file {
    struct raw_log_spec spec; /* spec.path "": not requested; the rest set before it is opened */
    char *own_path;           /* of one of several ranks; NULL: spec.path as it was given */
    const struct run_result *result; /* borrowed: whose final snapshot is the end of the log */
    struct raw_log *log;             /* NULL: not open */
};

/* Reads --raw-log; touches nothing.  A rank but the first writes FILE.rankN. */
int raw_file_init(struct raw_file *f, const struct opts *o, int rank, struct err *e);
void raw_file_free(struct raw_file *f); /* not while clients may still run */

extern const struct observer_ops result_files_observer;     /* self: struct result_files */
extern const struct observer_ops metrics_endpoint_observer; /* self: struct metrics_endpoint */
extern const struct observer_ops raw_file_observer;         /* self: struct raw_file */

/* The script's report hooks.  Stock keeps a Lua state for intermediate reports and one for
 * checkpoints, and the script's top level runs in each, with or without hooks: some scripts rely on
 * it. */
struct hooks {
    struct script *script;       /* NULL: a built-in test, which has none */
    struct rng_seeder *seeder;   /* of the Lua states' random numbers */
    bool intervals, checkpoints; /* the run reports these: a Lua state for each */
    struct script_reporter *interval, *checkpoint;
};

extern const struct observer_ops hooks_observer; /* self: struct hooks */

bool hooks_has(const struct hooks *h, enum script_hook hook);

#endif
