/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the command line knows about a test that is part of the program: its name, its options and
 * what it can do. The list of all of them is in cli/registry.c; each is one workload (workload.h)
 * made from the option table.
 *
 * All functions are called on the main thread, after the options were read (opts_check).  Failures:
 * *e with ERR_USAGE for a value that cannot be, ERR_REPORTED when more than one line was needed and
 * has been printed.
 */
#ifndef SB_WORKLOAD_BUILTIN_H
#define SB_WORKLOAD_BUILTIN_H

#include "opt/opt.h"
#include "workload/workload.h"

struct builtin {
    const char *name;                /* on the command line: "cpu" */
    const char *title;               /* in --help: "CPU performance test" */
    void (*options)(struct opts *o); /* declares its rows in OPT_GROUP_TEST */
    /* The workload of a run, made from validated options (borrowed, they must outlive it); NULL and
     * *e when they cannot be.  The caller closes it. */
    struct workload *(*open)(const struct opts *o, struct err *e);
    void (*close)(struct workload *w);
    int (*prepare)(const struct opts *o, struct err *e); /* NULL: no such command */
    int (*cleanup)(const struct opts *o, struct err *e); /* likewise */
};

/* For a test without options, or without state, nothing is NULL but prepare and cleanup. */
extern const struct builtin builtin_cpu, builtin_memory, builtin_threads, builtin_mutex,
    builtin_fileio;

#endif
