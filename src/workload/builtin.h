/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A test that is part of the program, as the command line sees it: its name, its options and its
 * commands.  The list of all of them is in cli/registry.c; each is one workload (workload.h) made
 * from the option table.
 *
 * All functions are called on the main thread, after the options were read (opts_check).  Failures:
 * *e with ERR_USAGE for an invalid value, ERR_REPORTED when a message of more than one line has
 * been printed.
 */
#ifndef SB_WORKLOAD_BUILTIN_H
#define SB_WORKLOAD_BUILTIN_H

#include "opt/generation.h"
#include "opt/opt.h"
#include "engine/workload.h"
#include "pace/share.h"

/* What a test gets of the command line beside its own options: general options that others have
 * read. */
struct builtin_env {
    const struct opts *opts;                   /* borrowed; for the test's own options */
    const struct generation_facts *generation; /* --compat */
    int clients;                               /* --threads, or the rank's share of them */
    int clients_all;                           /* --threads, of all ranks */
    struct share share;                        /* which of the ranks this is */
    uint64_t max_events;                       /* --events; 0 = no limit */
    bool validate, debug;
};

struct builtin {
    const char *name;                /* on the command line: "cpu" */
    const char *title;               /* in --help: "CPU performance test" */
    void (*options)(struct opts *o); /* declares its rows in OPT_GROUP_TEST */
    /* The workload of a run, made from validated options (borrowed, they must outlive it); NULL and
     * *e when they cannot be.  The caller closes it. */
    struct workload *(*open)(const struct builtin_env *env, struct err *e);
    void (*close)(struct workload *w);
    int (*prepare)(const struct builtin_env *env, struct err *e); /* NULL: no such command */
    int (*cleanup)(const struct builtin_env *env, struct err *e); /* likewise */
};

/* Only prepare and cleanup may be NULL, even for a test without options or without state. */
extern const struct builtin builtin_cpu, builtin_memory, builtin_threads, builtin_mutex,
    builtin_fileio;

#endif
