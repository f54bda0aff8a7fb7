/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --server-profile: the options, when the profile (profile/profile.h) begins and ends within a run,
 * its files and its block in the final report.
 */
#ifndef SB_CLI_RUN_PROFILE_H
#define SB_CLI_RUN_PROFILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"
#include "cli/app.h"
#include "profile/profile.h"
#include "report/report.h"

struct run_profile {
    const struct app *app;
    struct profile *profile; /* NULL: not asked for */
    struct profile_config config;
    char *prefix;                        /* of the files' names */
    dur_ns start, length;                /* the window; length 0: to the end */
    char server[200];                    /* who is watched */
    char why[768];                       /* why nobody is; "" */
    const struct profile_result *result; /* NULL: not ended yet */
    bool incomplete;                     /* a file could not be written */
    char *file[4];                       /* written whole */
    size_t files;
};

/* Rows of the group SERVER. */
void run_profile_options(struct opts *o);

bool run_profile_wanted(const struct opts *o);

/* Opens the kernel's events; touches no file.  -1: one sentence. */
int run_profile_init(struct run_profile *r, const struct app *a, struct err *e);
void run_profile_free(struct run_profile *r);

/* The clock is about to run.  n == 0: nobody is watched, because of `why`. */
void run_profile_start(struct run_profile *r, const pid_t *pids, size_t n, const char *server,
                       const char *why);

/* All clients have stopped. */
void run_profile_curtain(struct run_profile *r);

/* Ends it and writes the files; the first call counts. */
void run_profile_end(struct run_profile *r);

/* After run_profile_end: the same for result files.  *out borrows from *r; unchanged when it was
 * not asked for. */
void run_profile_record(const struct run_profile *r, struct report_profile *out);

/* Its block of the final report, after run_profile_end. */
void run_profile_text(const struct run_profile *r, struct str *out);

#endif
