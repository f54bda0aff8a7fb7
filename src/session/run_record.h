/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The facts about a run in result files besides its figures (report/run_info.h), collected from the
 * command line, the options and the record of the environment.
 */
#ifndef SB_SESSION_RUN_RECORD_H
#define SB_SESSION_RUN_RECORD_H

#include <stdbool.h>

#include "engine/plan.h"
#include "opt/opt.h"
#include "report/run_info.h"
#include "session/facts.h"

/* The command line, passwords hidden. */
struct command_line {
    int argc;
    char *const *argv;
    const char *test, *command; /* NULL: none was given */
    const struct opts *opts;
    bool shared_lua_states; /* the effect of --lua-state */
};

struct run_record {
    struct report_info info;
    struct report_option *option;
    struct report_label *label;
    char **argument;
    struct facts facts;
};

/* Reads --label.  -1: one sentence. */
int run_record_labels(struct run_record *r, const struct opts *o, struct err *e);

/* Fills `info`, except for facts that are only known later (see there).  Borrows from the
 * arguments. */
void run_record_fill(struct run_record *r, const struct command_line *a, const struct plan *p,
                     const struct environment *host);

void run_record_free(struct run_record *r);

#endif
