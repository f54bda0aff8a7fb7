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
#include "telemetry/member.h"

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

/* A process, read as the server of a benchmark is (telemetry/member.h). */
struct ps_row {
    struct member member;
    uid_t uid;
    struct str command; /* arguments joined by blanks, "[name]" without any */
    struct cpu_split split;
    mono_ns at;
    bool twice;     /* it was there at the reading before the last one, and: */
    dur_ns wall_ns; /* between the two */
    int64_t user_ns, sys_ns;
};

/* The chosen processes at the last two readings.  A process is the same one when pid and start time
 * are the same; each is read with a time stamp of its own, so its share of the interval is exact
 * however long the walk over all of them takes. */
struct ps_watch {
    const struct ps_args *args;
    struct reader reader;
    struct ps_row **row; /* present at the last reading, by pid */
    size_t n;
    struct pid_list pids;
};

/* -1: proc_root cannot be read.  *a must outlive it. */
int ps_watch_open(struct ps_watch *w, const char *proc_root, const struct ps_args *a,
                  struct err *e);
void ps_watch_close(struct ps_watch *w);

/* Reads everything once.  -1: the list of processes cannot be read. */
int ps_watch_read(struct ps_watch *w, struct err *e);

/* A line: shares are per cent of the whole system of `ncpu` CPUs. */
void ps_row_print(struct str *out, const struct ps_row *r, int ncpu);
#define PS_HEADER "UID          PID   %USR   %SYS COMMAND\n"

/* Answers requests from stdin on stdout (telemetry/stream.h) until stdin ends.  The exit status. */
int ps_serve(void);

#endif
