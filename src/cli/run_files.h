/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files that a run leaves: --report-file and --raw-log, and what it serves meanwhile:
 * --metrics-listen.  Collects what they say about the run beside its figures (options, environment,
 * how it ended) and decides when they are touched: names are checked before anything else, files
 * are made when the test has accepted its options.
 */
#ifndef SB_CLI_RUN_FILES_H
#define SB_CLI_RUN_FILES_H

#include "cli/app.h"
#include "cli/facts.h"
#include "engine/run.h"
#include "report/http.h"
#include "report/raw_log.h"
#include "report/report.h"
#include "stats/marks.h"

struct run_files {
    struct app *app;
    struct report_files *report; /* NULL: none asked for */
    const char *raw_path;        /* "": none asked for */
    struct raw_log *raw;
    struct http *http;   /* NULL: not asked for */
    struct marks *marks; /* borrowed; set before run_files_open */
    struct report_info info;
    struct report_option *option;
    struct report_label *label;
    char **argument;
    struct facts environment;
};

/* Rows of the group LOG. */
void run_files_options(struct opts *o);

/* Reads the options; touches nothing but the port of --metrics-listen, which is ours then.  -1: one
 * sentence. */
int run_files_init(struct run_files *f, struct app *a, struct err *e);

/* Makes the files.  The two functions are those of struct report_info; arg is theirs. */
int run_files_open(struct run_files *f, void *arg, void (*header)(void *arg, struct str *out),
                   void (*text)(void *arg, const struct snapshot *s, struct str *out),
                   struct err *e);

/* Is there a file that holds the whole record of the surroundings (info.record)? */
bool run_files_want_record(const struct run_files *f);

void run_files_snapshot(struct run_files *f, const struct snapshot *s);

/* How the run ended: `rc` and *e as the engine left them.  Returns rc, or -1 with *e when the run
 * was good but a file is not. */
int run_files_close(struct run_files *f, const struct run_result *res, int rc, struct err *e);

/* Not while clients may still run. */
void run_files_free(struct run_files *f);

#endif
