/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --server-profile as an observer of a run: its options, when the profile (profile/profile.h)
 * begins and ends, its files, and its record for reports.
 */
#ifndef SB_SESSION_RUN_PROFILE_H
#define SB_SESSION_RUN_PROFILE_H

#include <stdbool.h>

#include "base/err.h"
#include "opt/opt.h"
#include "profile/profile.h"
#include "report/out.h"
#include "report/run_info.h"
#include "session/attach.h"
#include "engine/observer.h"
#include "engine/plan.h"

struct run_profile {
    const struct attach *attach; /* borrowed: the server; set before the run */
    struct profile *profile;     /* NULL: not requested */
    struct profile_config config;
    char *prefix, *test; /* of the files' names; the test's name without its path */
    dur_ns warmup;
    bool waits;                          /* for begin(): the warm-up may end early */
    char server[200];                    /* the processes that are watched */
    char why[768];                       /* why none is; "" */
    const struct profile_result *result; /* NULL: not ended yet */
    struct report_profile record;        /* what reports show; figures when it has ended */
    bool lost;                           /* a file could not be written */
};

/* Rows of the group SERVER. */
void run_profile_options(struct opts *o);

bool run_profile_wanted(const struct opts *o);

/* Opens the kernel's events; touches no file.  `test` NULL: standard input; `is_script`: not a
 * built-in test.  -1: one sentence. */
int run_profile_init(struct run_profile *r, const struct opts *o,
                     const struct server_options *where, const struct plan *p, const char *test,
                     bool is_script, struct err *e);
/* The paths of its files; -1: another output has one of them.  outs NULL: can they be written? */
int run_profile_claim(const struct run_profile *r, struct outs *outs, struct err *e);
void run_profile_free(struct run_profile *r);

extern const struct observer_ops run_profile_observer; /* self: struct run_profile */

#endif
