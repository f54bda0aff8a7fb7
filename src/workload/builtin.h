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

#include "base/log.h"
#include "base/rng.h"
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
    const char *name;           /* on the command line: "cpu" */
    const char *title;          /* in --help: "CPU performance test" */
    const char *example;        /* of its help, a line or more */
    const struct opt_row *rows; /* its options; ends with one without a name */
    /* The workload of a run, made from validated options (borrowed, they must outlive it); NULL and
     * *e when they cannot be.  The caller closes it. */
    struct workload *(*open)(const struct builtin_env *env, struct err *e);
    void (*close)(struct workload *w);
    int (*prepare)(const struct builtin_env *env, struct err *e); /* NULL: no such command */
    int (*cleanup)(const struct builtin_env *env, struct err *e); /* likewise */
};

/* Declares its options. */
static inline void builtin_options(const struct builtin *b, struct opts *o)
{
    for (const struct opt_row *r = b->rows; r->name; r++)
        opts_add(o, OPT_GROUP_TEST, r, 1);
}

/* Only prepare and cleanup may be NULL, even for a test without options or without state. */
extern const struct builtin builtin_cpu, builtin_memory, builtin_threads, builtin_mutex,
    builtin_fileio;

/* memory.c: one event, a pass over a block.  In ints as 0.4 and 0.5 did, else in words. */
enum memory_oper { MEMORY_READ, MEMORY_WRITE, MEMORY_NONE };

typedef void memory_pass(void *block, size_t bytes, struct rng *r);

memory_pass *memory_pass_of(enum memory_oper oper, bool random, bool ints);

/* With --compat=0.4, --max-requests=0 was no "unlimited" for cpu and threads: they did nothing.  It
 * was mended in May 2015, which is the last 0.5.  True when the test runs no event; a note says so.
 */
static inline bool old_no_events(const struct builtin_env *env)
{
    const struct generation_facts *g = env->generation;

    if (!g->no_limit_is_no_event || env->max_events)
        return false;
    log_stderr("NOTE: with --compat=%s this test runs no event when --max-requests is 0, as it did",
               g->name);
    return true;
}

#endif
