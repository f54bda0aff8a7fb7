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
#ifndef SB_TELEMETRY_PROC_H
#define SB_TELEMETRY_PROC_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
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

/*
 * /proc/PID/io: bytes that went to or came from the storage layer; children waited for are
 * included.
 */
int proc_io_read(int root_fd, pid_t pid, uint64_t *read_bytes, uint64_t *write_bytes);

/*
 * The first three numbers of statm or schedstat: of the process, or of one thread (tid; schedstat
 * of a process is its main thread's).
 */
enum { STATM_SIZE, STATM_RESIDENT, STATM_SHARED }; /* pages; of the resident: files and shared */
enum { SCHEDSTAT_RUN_NS, SCHEDSTAT_WAIT_NS, SCHEDSTAT_RUNS }; /* waited: for a CPU */

int proc_row_read(int root_fd, pid_t pid, pid_t tid, const char *file, uint64_t value[3]);

/* The arguments, joined by blanks; "" of a thread of the kernel. */
int proc_command_read(int root_fd, pid_t pid, struct str *out);

bool pid_is_one_of(pid_t pid, const pid_t *pids, size_t n);

/* A growable list of process or thread ids; the caller frees ids. */
struct pid_list {
    pid_t *ids;
    size_t n;
};

void pid_list_add(struct pid_list *list, pid_t id);
void pid_list_sort(struct pid_list *list); /* ascending, each once */
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

/* --- reading a file -------------------------------------------------------------------------- */

/*
 * Reads the small text files of /proc and extracts numbers from them.  Every path is relative to a
 * directory descriptor, so that a captured tree can stand in for /proc.  Every failure is an errno
 * value, and callers distinguish three: the process is gone (ENOENT, ESRCH), this user may not read
 * it (EACCES, EPERM), or the text is not what the kernel documents (EBADMSG).  No state; any thread
 * may call.
 */

/*
 * Reads root_fd/path, a file of one line, up to cap - 1 bytes, and appends a NUL.  Returns 0, or an
 * errno value (EBADMSG if the file is empty).  Text that does not fit is dropped; *len is the
 * length in buf.
 */
int proc_read(int root_fd, const char *path, char *buf, size_t cap, size_t *len);

/*
 * The same without a limit; *b is emptied first and keeps its memory.  An empty file is no error.
 */
int proc_read_all(int root_fd, const char *path, struct str *b);

/*
 * Passes each line, without its newline, to fn until fn returns false or the file ends.  A last
 * line without a newline is dropped: the kernel always writes one, so the line is incomplete.
 * Returns 0 or an errno value.
 */
int proc_each_line(int root_fd, const char *path, bool (*fn)(char *line, void *arg), void *arg);

/* Lines "name: value" and "name value", in any order; the first number is the value. */
struct proc_key {
    const char *name;
    uint64_t *value;
};

/* 0 when all n keys were there; else EBADMSG.  Bit i of *seen, which may be NULL: key i was. */
int proc_keys(int root_fd, const char *path, const struct proc_key *key, size_t n, unsigned *seen);

/* A file of one number; of one line, without what ends it.  False: it cannot be read. */
bool proc_file_number(int root_fd, const char *path, uint64_t *v);
bool proc_word(int root_fd, const char *path, char *buf, size_t size);
/* Of a file of /proc/pressure: for how many microseconds some task has waited. */
bool proc_pressure(int root_fd, const char *path, uint64_t *us);
/* A setting of the kernel, a file with an absolute path. */
long proc_setting(const char *path, long otherwise);

/* NULL with errno. */
DIR *proc_open_dir(int root_fd, const char *path);

/*
 * Reads the decimal number at *p after blanks and moves *p past it.  A negative number reads as 0
 * (a few columns that we skip are signed).  False: no digit, or more than 64 bits.
 */
bool proc_number(const char **p, uint64_t *value);

/* As proc_number, and more text must follow: a number that ends with the text may have been cut. */
bool proc_whole_number(const char **p, uint64_t *value);

/* True for the errno values that mean "this process no longer exists". */
bool proc_is_gone(int errnum);

/* --- /proc/stat ------------------------------------------------------------------------------ */

/*
 * The figures of /proc/stat for the whole machine: CPU time by state, the number of CPUs, and the
 * counters that vmstat(8) shows.  A reading is plain data, cumulative since boot.  No state; any
 * thread may call.
 */

/* CPU time of all CPUs, in clock ticks (100 per second); guest time is part of user and nice. */
enum { CPU_COLUMNS = 8 };
union proc_cpu_ticks {
    struct {
        uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
    };
    uint64_t column[CPU_COLUMNS];
};

struct proc_host {
    union proc_cpu_ticks cpu;
    int online_cpus; /* the cpuN lines: what 100 % of the system is */
    uint64_t interrupts;
    uint64_t switches; /* context switches of the machine */
    uint64_t forks;
    uint64_t boot_s;           /* seconds since the epoch at boot */
    uint64_t running, blocked; /* threads, now */
};

/* -1: stat cannot be read, or lacks a line (the sentence says which). */
int proc_host_read(int root_fd, struct proc_host *out, struct err *e);

/* The sum of all columns: the total time of the CPUs. */
uint64_t proc_cpu_total(const union proc_cpu_ticks *cpu);

/* --- descendants ----------------------------------------------------------------------------- */

/*
 * Finds the descendants of a process.  The kernel lists the children of each thread
 * (task/TID/children).  If it was built without these files, the parents in every process's stat
 * serve, at a higher cost.  One thread at a time per object.
 */

/* {0} is empty; proc_tree_free releases it. */
struct proc_tree {
    struct pid_list found;  /* the answer: parents before their children, the root not among them */
    bool no_children_files; /* found out once */
    struct pid_list tids, all;
    struct str scratch;
};

/*
 * Up to this many processes the whole tree is searched, beyond it only the children of the root.  A
 * postmaster with thousands of backends has no long-lived grandchildren, and the child times of the
 * backends include what those used.
 */
enum { PROC_TREE_DEEP = 64 };

/* Fills t->found.  0 or an errno value. */
int proc_tree_find(struct proc_tree *t, int root_fd, pid_t root);

/* Appends these processes and, with `tree`, their descendants, ascending, each once. */
void proc_tree_list(struct proc_tree *t, const pid_t *pids, size_t n, bool tree,
                    struct pid_list *out);
void proc_tree_free(struct proc_tree *t);

#endif
