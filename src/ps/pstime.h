/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pstime: accurate CPU use of processes over an interval, after the Solaris tool of that name.  See
 * docs/pstime.1.  pstime.c reads the command line and the processes, serve.c answers sysbench
 * --server-via, main.c is the loop.  One thread at a time.
 */
#ifndef SB_PS_PSTIME_H
#define SB_PS_PSTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "telemetry/proc.h"

struct ps_args {
    dur_ns interval;
    uint64_t count; /* 0: until stopped */
    bool counted;   /* by -c */
    bool stream;    /* the rest has no meaning */
    /* the processes to show; without both, all but the threads of the kernel */
    struct pid_list pids;
    char **name; /* the kernel's name of a process or the last part of its program's path */
    size_t names;
};

/*
 * 0; 1: --help or --version was printed and there is nothing to do; -1: a sentence.  ps_args_free
 * in every case.  proc_root: "/proc" outside tests.
 */
int ps_args_read(struct ps_args *a, int argc, char **argv, const char *proc_root, struct err *e);
void ps_args_free(struct ps_args *a);

/* The chosen processes at the last two readings.  A process is the same one when pid and start time
 * are the same; each is read with a time stamp of its own, so its share of the interval is exact
 * however long the walk over all of them takes. */
struct ps_watch; /* opaque */

struct ps_row {
    pid_t pid;
    uid_t uid;
    const char
        *command;   /* arguments joined by blanks, "[name]" without any; until the next reading */
    dur_ns wall_ns; /* between its two readings */
    int64_t user_ns, sys_ns;
};

/* -1: proc_root cannot be read.  *a must outlive it. */
int ps_watch_open(struct ps_watch **out, const char *proc_root, const struct ps_args *a,
                  struct err *e);
void ps_watch_close(struct ps_watch *w); /* NULL is allowed */

/* Reads everything once.  -1: the list of processes cannot be read. */
int ps_watch_read(struct ps_watch *w, struct err *e);

size_t ps_watch_present(const struct ps_watch *w); /* at the last reading */

/* The i-th of those present at the last reading, by pid; false: it was not there before that. */
bool ps_watch_row(const struct ps_watch *w, size_t i, struct ps_row *row);

/* True when this process was there at the last reading. */
bool ps_watch_has(const struct ps_watch *w, pid_t pid);

/* A line: shares are per cent of the whole system of `ncpu` CPUs. */
void ps_row_print(struct str *out, const struct ps_row *r, int ncpu);
#define PS_HEADER "UID          PID   %USR   %SYS COMMAND\n"

/* Answers requests from stdin on stdout (telemetry/stream.h) until stdin ends.  The exit status. */
int ps_serve(void);

#endif
