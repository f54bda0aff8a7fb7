/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The set of watched processes behind server.h, for the files that read it.  Private to
 * src/telemetry
 *
 * server.c reads the processes and adds them up; it notices that one has ended, asks
 * for its successor and adds that to the set.  Processes that have ended stay in the set: their
 * last totals are part of the sum.
 */
#ifndef SB_TELEMETRY_SERVER_STATE_H
#define SB_TELEMETRY_SERVER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/str.h"
#include "telemetry/member.h"
#include "telemetry/proc.h"
#include "telemetry/sample.h"

/* --- one process, with or without its descendants -------------------------------------------- */

/*
 * The counters of one process, alone or with all its descendants, as one sum that never decreases.
 *
 * proc.h lists the descendants, and member.h reads each one.  The figures of ended children
 * come from their parents' child times, which the kernel updates when a parent waits (exactly, in
 * 10 ms steps), or from the last readings if a parent does not wait.  Nothing is counted twice or
 * lost:
 *
 * Until a child has been waited for, its CPU time is its own; from then on it is part of its
 * parent's child times.  So the wait does not change the sum of own and child times over the tree.
 * But a reading takes time, and a child that ends meanwhile may be missing from both.  Therefore
 * the reading is repeated if a listed child could not be read or the root's child times changed.
 * Parents are read before children, so that even a failed last attempt is too small, never too
 * large; the sum then keeps its value until the kernel's has caught up.
 *
 * One thread at a time.
 */

struct proc_sum {
    struct member root;
    bool tree, alive;
    bool replaced;         /* for the owner: it has ended, and another one is read in its place */
    struct member **child; /* ascending pid */
    size_t n, cap;
    unsigned stamp; /* number of the present reading */
    struct proc_tree find;
    struct counts base;  /* child_* of the first reading: what had ended before */
    struct counts ended; /* last readings of children that have ended since */
    bool any_ended;
    struct cpu_split split; /* CPU time of the total */
    struct counts total;    /* the result; includes what ended children used */
    int processes;          /* alive at the last reading */
};

/* 0 or an errno value (ESRCH: no such process).  proc_sum_fini releases in both cases. */
int proc_sum_init(struct proc_sum *w, struct reader *r, pid_t pid, bool tree);
void proc_sum_fini(struct proc_sum *w);

/*
 * Reads w->total.  If the process has ended or was replaced, w->alive becomes false, the reader's
 * reason says so, and w->total keeps its last values.
 */
void proc_sum_read(struct proc_sum *w, struct reader *r);

/* ---------------------------------------------------------------------------------------------- */

struct remote;
struct server_finder;

struct server {
    struct reader reader;
    struct proc_sum *sum;
    size_t n;
    struct str describe;
    struct remote *remote; /* NULL: processes of this host */

    /* of the owner; NULL: ended processes are not replaced */
    struct server_finder *finder;
    dur_ns read_boot; /* clock_boot() of the last reading that missed no process; 0: none yet */
    unsigned found, whole;        /* as in the sample */
    unsigned found_before, ended; /* of the last reading */
    mono_ns changed;              /* as in the sample, and: */
    int was, is;
    struct sample base; /* what successors had done before they were needed: not in the sum */
};

/* server.c */
void server_name(struct server *s); /* makes `describe` anew */
/* Adds the totals of one process. */
void server_add_total(struct sample *out, const struct proc_sum *w);

/* ended processes and their successors */
/* If a process has ended, looks for its successor, adds it and reads it. */
void server_find_successors(struct server *s);
bool server_misses(struct server *s); /* one has ended and has no successor */
/* Completes a sum of totals by what is known of lives, and takes s->base from it. */
void server_note_lives(struct server *s, struct sample *out);

#endif
