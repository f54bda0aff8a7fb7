/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the control group of a process, and tells whether it contains only the server.  Supports
 * version 2 of the hierarchy, and the version 1 hierarchy of one controller.  No state; any thread
 * may call.
 */
#ifndef SB_TELEMETRY_CGROUP_H
#define SB_TELEMETRY_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CGROUP_PATH_MAX 512

/*
 * Opens the directory of the group that `pid` is in, in the hierarchy of `controller`
 * ("perf_event", "cpu"), and writes its path within the hierarchy.  proc_root is "/proc" outside
 * tests.  Returns a descriptor that the caller closes; -1: no such hierarchy is mounted here, or
 * the process has ended.  *v2: the hierarchy is version 2.
 */
int cgroup_open(const char *proc_root, pid_t pid, const char *controller,
                char path[CGROUP_PATH_MAX], bool *v2);

/* True when all processes of the group and its subgroups are among the n (ascending).  False for an
 * empty group. */
bool cgroup_holds_only(int group_fd, const pid_t *pids, size_t n);

/* --- the CPU quota --------------------------------------------------------------------------- */

/*
 * How long a CPU quota stopped a process: the counters of the control group that has the quota.
 * That is often not the process's own group but one above it: a container's, or a slice's.  No
 * state; any thread may call.
 */

struct quota {
    int64_t throttled_ns; /* CPUs that are stopped at once add up */
    uint64_t periods;     /* in which the quota was used up */
    double cpus;          /* that it is worth */
};

/* Those of one group (cgroup_open); false: it has none. */
bool quota_counts(int group_fd, bool v2, struct quota *q);

/* Reads the counters of the nearest group with a quota, from that of `pid` upwards.  proc_root is
 * "/proc" outside tests.  Returns NULL, or why there are none: a constant. */
const char *quota_read(const char *proc_root, pid_t pid, struct quota *q);

#endif
