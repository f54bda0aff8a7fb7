/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The two programs of syscalls.h.  Private to src/telemetry
 *
 *     sys_enter   if the process is ours: slot[CPU, number].began++, begun[thread] = now, number
 *     sys_exit    if the process is ours and the thread has begun one: slot[CPU, number] gets its
 *                 time, and an error if the result is one
 *
 * A slot is written on its own CPU only, and the kernel keeps a program from being interrupted by
 * another one there; a thread has at most one call that it has not ended.
 */
#ifndef SB_TELEMETRY_SYSCALLS_BPF_H
#define SB_TELEMETRY_SYSCALLS_BPF_H

#include <stddef.h>
#include <sys/types.h>

enum { SYSCALLS_BPF_MAX_PIDS = 16 };

/* Which processes, and the maps (descriptors). */
struct syscalls_bpf {
    const pid_t *pids;
    size_t npids;
    int pid_map; /* hash by process id, in place of pids; -1: none */
    int slots;   /* array of struct syscall_count: SYSCALLS_NUMBERS for each CPU */
    int begun;   /* hash by thread: two 64-bit numbers */
};

/* Descriptors; -1 with errno. */
int syscalls_bpf_enter(const struct syscalls_bpf *m);
int syscalls_bpf_exit(const struct syscalls_bpf *m);

#endif
