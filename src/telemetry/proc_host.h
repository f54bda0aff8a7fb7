/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of /proc/stat for the whole machine: CPU time by state, the number of CPUs, and the
 * counters that vmstat(8) shows.  A reading is plain data, cumulative since boot.  No state; any
 * thread may call.
 */
#ifndef SB_TELEMETRY_PROC_HOST_H
#define SB_TELEMETRY_PROC_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* CPU time of all CPUs, in clock ticks (100 per second); guest time is part of user and nice. */
struct proc_cpu_ticks {
    uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
};

struct proc_host {
    struct proc_cpu_ticks cpu;
    int online_cpus; /* the cpuN lines: what 100 % of the system is */
    uint64_t interrupts;
    uint64_t switches; /* context switches of the machine */
    uint64_t forks;
    uint64_t boot_s;           /* seconds since the epoch at boot */
    uint64_t running, blocked; /* threads, now */
};

/* -1: stat cannot be read or lacks a line (the sentence says which). */
int proc_host_read(int root_fd, struct proc_host *out, struct err *e);

/* The columns of a line of CPUs, after its name; false: it has too few. */
bool proc_cpu_columns(const char *p, struct proc_cpu_ticks *cpu);

/* The sum of all columns: the total time of the CPUs. */
uint64_t proc_cpu_total(const struct proc_cpu_ticks *cpu);

#endif
