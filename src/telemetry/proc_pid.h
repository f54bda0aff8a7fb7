/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files of /proc/PID about one process, each as a plain struct (the columns are those of
 * proc(5)).  The directory descriptor is /proc, or a captured tree.  Every reader returns 0 or an
 * errno value, after which *out is undefined.  proc_is_gone() is true for a process that has ended;
 * EACCES or EPERM: this user may not read it; EBADMSG: the text was truncated or is not what
 * proc(5) describes.
 *
 * A process may have any name, even ") R 1 (x"; parsing continues after the last parenthesis.  No
 * state, nothing is kept open; any thread may call.
 */
#ifndef SB_TELEMETRY_PROC_PID_H
#define SB_TELEMETRY_PROC_PID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

#define PROC_COMM_MAX 64

/*
 * /proc/PID/stat: the whole process, ended threads included; times in clock ticks (100 per second).
 */
struct proc_stat {
    char comm[PROC_COMM_MAX]; /* control characters replaced by '?': it will be shown on a terminal
                               */
    char state;
    pid_t ppid;
    uint64_t flags; /* the kernel's PF_* of this thread */
    uint64_t minor_faults,
        child_minor_faults; /* child_*: of children that ended and were waited for */
    uint64_t major_faults, child_major_faults;
    uint64_t utime, stime, child_utime, child_stime;
    uint64_t threads;
    uint64_t start_ticks; /* since boot; with the pid it identifies a process */
    uint64_t rss_pages;   /* an estimate on kernels from 6.2 on; statm is exact */
};

int proc_stat_read(int root_fd, pid_t pid, struct proc_stat *out);

/* The same of one thread: /proc/PID/task/TID/stat. */
int proc_task_stat_read(int root_fd, pid_t pid, pid_t tid, struct proc_stat *out);

/* True for a zombie whose last thread has ended: nothing of the process runs any more. */
bool proc_stat_ended(const struct proc_stat *st);

/* True for a thread of the kernel, which has a number as a process has. */
bool proc_stat_is_kernel(const struct proc_stat *st);

/*
 * /proc/PID/task/TID/status (tid 0: /proc/PID/status): the switches are those of one thread only.
 */
struct proc_status {
    pid_t tgid; /* differs from pid when pid is really a thread's id */
    uint64_t threads;
    uint64_t vol_switches, invol_switches;
};

int proc_status_read(int root_fd, pid_t pid, pid_t tid, struct proc_status *out);

/* /proc/PID/statm, in pages. */
struct proc_statm {
    uint64_t resident;
    uint64_t shared; /* part of resident that is files or shared memory */
};

int proc_statm_read(int root_fd, pid_t pid, struct proc_statm *out);

/*
 * /proc/PID/io: bytes that went to or came from the storage layer; children waited for are
 * included.
 */
struct proc_io {
    uint64_t read_bytes, write_bytes;
};

int proc_io_read(int root_fd, pid_t pid, struct proc_io *out);

/* /proc/PID/task/TID/schedstat (tid 0: the main thread's): one thread. */
struct proc_schedstat {
    uint64_t run_ns;
    uint64_t wait_ns; /* ready to run but waiting for a CPU */
    uint64_t runs;    /* times it was given a CPU */
};

int proc_schedstat_read(int root_fd, pid_t pid, pid_t tid, struct proc_schedstat *out);

/* A growable list of process or thread ids; the caller frees ids. */
struct pid_list {
    pid_t *ids;
    size_t n, cap;
};

void pid_list_add(struct pid_list *list, pid_t id);
bool pid_list_has(const struct pid_list *list, pid_t id);
void pid_list_sort(struct pid_list *list);
void pid_list_free(struct pid_list *list);

/*
 * Replaces the list by the thread ids of the process, or (pid 0) all process ids, in ascending
 * order.
 */
int proc_list_tasks(int root_fd, pid_t pid, struct pid_list *list);

/*
 * Appends the children that one thread (tid 0: the main one) has forked, zombies included.
 * `scratch` is the caller's buffer, reused from call to call.  ENOENT: the kernel keeps no such
 * list (CONFIG_PROC_CHILDREN) or the thread is gone.
 */
int proc_list_children(int root_fd, pid_t pid, pid_t tid, struct str *scratch,
                       struct pid_list *list);

#endif
