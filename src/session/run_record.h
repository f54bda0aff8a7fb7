/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a run was made with: the facts in result files besides its figures (report/run_info.h), from
 * the command line, the options and the load generator's host, and the record of the environment
 * (telemetry/environment.h), which has the server's host, process and variables as well.
 */
#ifndef SB_SESSION_RUN_RECORD_H
#define SB_SESSION_RUN_RECORD_H

#include <stdbool.h>
#include <sys/types.h>

#include "engine/plan.h"
#include "opt/opt.h"
#include "report/run_info.h"
#include "telemetry/environment.h"
#include "telemetry/remote.h"

#define FACTS_MAX     16
#define FACTS_DRIVERS 4

struct facts {
    struct report_fact fact[FACTS_MAX];
    size_t n;
    char library[FACTS_DRIVERS][32]; /* "mysql_library": the name of a driver's fact */
};

/* `host` is the record of this host (environment_host), which is borrowed.  `v` stays where it is:
 * it points to its own names. */
void facts_read(struct facts *v, const struct environment *host);

/* The command line, passwords hidden. */
struct command_line {
    int argc;
    char *const *argv;
    const char *test, *command; /* NULL: none was given */
    const struct opts *opts;
    bool shared_lua_states; /* the effect of --workers=lua-state */
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

/* Before the run: this program, its command line, this host. */
void run_environment_begin(struct environment *e, const struct command_line *a);

/*
 * When all connections are up.  `pids` are the server's processes on this host (n may be 0),
 * `remote` is not NULL when it is on another one.  `driver`: the server's variables are queried
 * over a connection of its own; NULL: no database is in use.
 */
void run_environment_add_server(struct environment *e, const pid_t *pids, size_t n,
                                struct remote *remote, const char *driver);

#endif
