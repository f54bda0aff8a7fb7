/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * CPU time by state of some of the machine's CPUs, from the lines of single CPUs in /proc/stat: a
 * process that may use two CPUs of 64 has nothing of the other 62.  No state; any thread may call.
 */
#ifndef SB_TELEMETRY_PROC_CPUS_H
#define SB_TELEMETRY_PROC_CPUS_H

#include <sched.h>

#include "telemetry/proc_host.h"

/* The sum over the CPUs of the set that are online.  -1: stat cannot be read, or none of them is.
 */
int proc_cpus_read(int root_fd, const cpu_set_t *set, struct proc_cpu_ticks *out, struct err *e);

#endif
