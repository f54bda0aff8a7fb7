/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which system calls the server makes: how often each, how long they take and how many fail.
 *
 * Two BPF programs (syscalls_bpf.h) count in the kernel, by the number of the call: one where a
 * call begins, one where it ends.  They test the current process, as those of perf_filter.h do, so
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
#include <sys/types.h>

#include "telemetry/syscalls_figures.h"

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
