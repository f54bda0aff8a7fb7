/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which system calls the server makes: how often each, how long they take and how many fail.
 *
 * Two BPF programs count in the kernel, by the number of the call: one where a
 * call begins, one where it ends.  They test the current process, as those of perf_open.h do, so
 * nothing is attached to the server's threads.  The counts lie in memory that is shared with the
 * kernel: a reading adds them up without a system call.
 *
 * Needs root, or CAP_BPF and CAP_PERFMON, in the host's pid namespace, and Linux 5.5.  One thread
 * at a time; the difference of two readings is pure arithmetic.
 */
#ifndef SB_TELEMETRY_SYSCALLS_H
#define SB_TELEMETRY_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* --- names ----------------------------------------------------------------------------------- */

/*
 * The names of the system calls of this machine, made from the kernel's headers when the program is
 * built (src/Makefile.am).
 */

struct syscall_name {
    const char *name;
    long number;
};

extern const struct syscall_name syscall_names[];
extern const size_t syscall_names_count;

/* --- figures --------------------------------------------------------------------------------- */

/*
 * Arithmetic on readings of system calls (syscalls.h): the difference of two readings, the most
 * frequent calls first, and their names, which are those of the kernel's headers that the program
 * was built with.  Pure; any thread may call.
 */

enum {
    SYSCALLS_NUMBERS = 512, /* more than any kernel has; those beyond are not counted */
    SYSCALLS_LISTED = 100   /* at most */
};

struct syscall_count {
    uint64_t began, ended;
    uint64_t ns; /* in those that ended, waiting included */
    uint64_t errors;
};

/* Adds it; `sign` -1: takes it away. */
static inline void syscall_count_add(struct syscall_count *to, struct syscall_count c, int sign)
{
    to->began += (uint64_t)sign * c.began;
    to->ended += (uint64_t)sign * c.ended;
    to->ns += (uint64_t)sign * c.ns;
    to->errors += (uint64_t)sign * c.errors;
}

/* Cumulative. */
struct syscalls_reading {
    bool have;
    unsigned generation; /* counts of another generation began anew: no difference */
    struct syscall_count v[SYSCALLS_NUMBERS];
};

struct syscall_figure {
    unsigned number;
    struct syscall_count c;
};

/* The most frequent ones first. */
struct syscalls_delta {
    const char *why; /* NULL, or why there are no figures */
    size_t n;
    struct syscall_figure f[SYSCALLS_LISTED];
    struct syscall_count all; /* those that are not listed, too */
    size_t kinds;             /* numbers that occurred */
};

/* The `most` most frequent calls between two readings. */
void syscalls_diff(const struct syscalls_reading *before, const struct syscalls_reading *after,
                   size_t most, struct syscalls_delta *out);

/* "futex"; "syscall_467" for one that this program's kernel headers do not have. */
const char *syscall_name(unsigned number, char buf[24]);

/* The reverse; a name that is not known has the last number. */
unsigned syscall_number(const char *name);

/* ---------------------------------------------------------------------------------------------- */

struct syscalls; /* opaque */

/*
 * Counts from now on.  `tree`: the pids stand for all their descendants too; those that begin later
 * count from the next reading on.  Never fails: syscalls_why says why nothing is counted.
 */
struct syscalls *syscalls_open(const pid_t *pids, size_t n, bool tree);
void syscalls_close(struct syscalls *s); /* NULL is allowed */

/* Counts other processes from now on, those of a restarted server.  Counts so far stay in the sum.
 * What the processes did before this call is missing. */
void syscalls_again(struct syscalls **s, const pid_t *pids, size_t n, bool tree);

const char *syscalls_why(const struct syscalls *s); /* NULL: it counts */

void syscalls_read(struct syscalls *s, struct syscalls_reading *out);

#endif
