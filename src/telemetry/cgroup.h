/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the control group of a process, and tells whether it contains only the server.  Supports
 * version 2 of the hierarchy, and the version 1 hierarchy of one controller.  No state; any thread
 * may call.  Private to src/telemetry
 */
#ifndef SB_TELEMETRY_CGROUP_H
#define SB_TELEMETRY_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CGROUP_PATH_MAX 512

/*
 * Opens the folder of the group that `pid` is in, in the hierarchy of `controller` ("perf_event",
 * "cpu"), and writes its path within the hierarchy.  proc_root is "/proc" outside tests.  Returns a
 * descriptor that the caller closes; -1: no such hierarchy is mounted here, or the process has
 * ended.  *v2: the hierarchy is version 2.
 */
int cgroup_open(const char *proc_root, pid_t pid, const char *controller,
                char path[CGROUP_PATH_MAX], bool *v2);

/* True when all processes of the group and its subgroups are among the n (ascending).  False for an
 * empty group. */
bool cgroup_holds_only(int group_fd, const pid_t *pids, size_t n);

#endif
