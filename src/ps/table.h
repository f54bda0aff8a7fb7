/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Samples all processes, or chosen ones, or their threads, repeatedly: those present at two
 * consecutive samples, and their use in between.  Each is read with a time stamp of its own, so
 * percentages are exact however long the walk over all of them takes.  Private to src/ps
 *
 * A process is the same one when pid and start time are the same.  One thread at a time.
 */
#ifndef SB_PS_TABLE_H
#define SB_PS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"
#include "telemetry/proc_pid.h"

/* The processes to show; when it is empty, all but the threads of the kernel. */
struct ps_select {
    struct pid_list pids;
    char **name; /* the kernel's name of a process or the last part of its program's path */
    size_t names;
    bool threads; /* a row for each thread instead of each process */
};

struct ps_row {
    pid_t pid, tid; /* tid 0: the process as a whole */
    uid_t uid;
    char name[PROC_COMM_MAX];
    const char
        *command;   /* arguments joined by blanks, "[name]" without any; until the next sample */
    dur_ns wall_ns; /* between its two readings */
    int64_t user_ns, sys_ns;
    unsigned have, lower; /* SAMPLE_* of what follows */
    uint64_t vol_switches, invol_switches;
    int64_t runq_wait_ns;
    uint64_t threads, rss_bytes; /* at the second reading */
};

struct ps_table; /* opaque */

/* -1: proc_root cannot be read.  *select must outlive the table. */
int ps_table_open(struct ps_table **out, const char *proc_root, const struct ps_select *select,
                  struct err *e);
void ps_table_close(struct ps_table *t); /* NULL is allowed */

/* Reads everything once.  -1: the list of processes cannot be read. */
int ps_table_sample(struct ps_table *t, struct err *e);

/* Those present at the last two samples, ascending; the caller may sort them.  Valid until the next
 * sample. */
struct ps_row *ps_table_rows(struct ps_table *t, size_t *n);

/* The number present at the last sample. */
size_t ps_table_present(const struct ps_table *t);

/* The pids given by number that were missing at the last sample; returns how many, up to max. */
size_t ps_table_missing(const struct ps_table *t, pid_t *pids, size_t max);

#endif
