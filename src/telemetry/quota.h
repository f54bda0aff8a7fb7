/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How long a CPU quota stopped a process: the counters of the control group that has the quota.
 * That is often not the process's own group but one above it: a container's, or a slice's.  No
 * state; any thread may call.
 */
#ifndef SB_TELEMETRY_QUOTA_H
#define SB_TELEMETRY_QUOTA_H

#include <stdint.h>
#include <sys/types.h>

struct quota {
    int64_t throttled_ns; /* CPUs that are stopped at once add up */
    uint64_t periods;     /* in which the quota was used up */
};

/* Reads the counters of the nearest group with a quota, from that of `pid` upwards.  proc_root is
 * "/proc" outside tests.  Returns NULL, or why there are none: a constant. */
const char *quota_read(const char *proc_root, pid_t pid, struct quota *q);

#endif
