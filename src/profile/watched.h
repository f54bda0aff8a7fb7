/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/profile: the processes and threads that a profile covers, updated by the kernel's
 * records.  One thread at a time.
 */
#ifndef SB_PROFILE_WATCHED_H
#define SB_PROFILE_WATCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/code.h"
#include "profile/tree.h"
#include "profile/record.h"

struct watched_thread {
    pid_t pid, tid;
    uint64_t name; /* a frame (tree.h) */
    bool away;     /* left its CPU while watched */
    bool preempted, has_stack;
    mono_ns left_at;
    uint32_t node;       /* with has_stack: where it left */
    uint64_t stands_for; /* and how many switches it represents */
};

struct watched_process {
    pid_t pid;
    struct space space;
};

struct watched {
    struct map64 process; /* pid -> struct watched_process */
    struct map64 thread;  /* tid -> struct watched_thread */
    struct objects objects;
    char **name; /* of threads */
    size_t names;
    size_t threads; /* ever */
    bool tree;
    bool blind; /* what a process maps cannot be read */
};

void watched_free(struct watched *w);

/* These processes, and (tree) what they have forked. */
void watched_begin(struct watched *w, const pid_t *pids, size_t n, bool tree, mono_ns now);

struct watched_process *watched_process(const struct watched *w, pid_t pid); /* NULL: not ours */
struct watched_thread *watched_thread(struct watched *w, pid_t pid, pid_t tid);

/* A record of a mapping, a name, a start or an end. */
void watched_record(struct watched *w, const struct record *r);

/* Code at `addr` is in no mapping that is known: perhaps one was missed.  Reads them again, not
 * more than once a second. */
void watched_refresh(struct watched *w, struct watched_process *p, mono_ns now);

#endif
