/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See bpf.h.
 */
#include "telemetry/bpf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "telemetry/proc.h"

#define FIRST_PID_NAMESPACE 0xEFFFFFFCu /* its inode, the kernel's linux/proc_ns.h */

int bpf_call(int cmd, union bpf_attr *a)
{
    return (int)syscall(SYS_bpf, cmd, a, sizeof *a);
}

/* Before Linux 5.11, maps and programs count as locked memory, of which a process may have 64 KiB
 * or 8 MiB by default; the kernel says EPERM.  Without the privilege to raise the limit the second
 * attempt fails like the first. */
static int make(int cmd, union bpf_attr *a)
{
    static const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    int fd = bpf_call(cmd, a);

    if (fd >= 0 || errno != EPERM)
        return fd;
    if (setrlimit(RLIMIT_MEMLOCK, &all) == 0)
        fd = bpf_call(cmd, a);
    else
        errno = EPERM;
    return fd;
}

bool bpf_sees_our_pids(void)
{
    struct stat st;

    return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == FIRST_PID_NAMESPACE;
}

size_t bpf_cpus(void)
{
    char text[256], *at; /* the last number in "0-63" or "0,2-5" */

    if (!proc_word(-1, "/sys/devices/system/cpu/possible", text, sizeof text))
        return 0;
    for (at = text + strlen(text); at > text && at[-1] >= '0' && at[-1] <= '9'; at--)
        ;
    return strtoul(at, NULL, 10) + 1;
}

int bpf_map(uint32_t type, uint32_t key_size, uint32_t value_size, size_t entries, uint32_t flags)
{
    union bpf_attr a;

    memset(&a, 0, sizeof a);
    a.map_type = type;
    a.key_size = key_size;
    a.value_size = value_size;
    a.max_entries = (uint32_t)entries;
    a.map_flags = flags;
    return make(BPF_MAP_CREATE, &a);
}

int bpf_program(enum bpf_prog_type type, const struct bpf_insn *p, size_t n)
{
    static const char license[] = "GPL";
    union bpf_attr a;

    memset(&a, 0, sizeof a);
    a.prog_type = type;
    a.insns = (uintptr_t)p;
    a.insn_cnt = (uint32_t)n;
    a.license = (uintptr_t)license;
    return make(BPF_PROG_LOAD, &a);
}

int bpf_attach_raw(const char *tracepoint, int program)
{
    union bpf_attr a;

    memset(&a, 0, sizeof a);
    a.raw_tracepoint.name = (uintptr_t)tracepoint;
    a.raw_tracepoint.prog_fd = (uint32_t)program;
    return bpf_call(BPF_RAW_TRACEPOINT_OPEN, &a);
}

size_t bpf_only_of(struct bpf_insn *p, const pid_t *pids, size_t npids, int verdict)
{
    enum { R0 };
    size_t n = 0;

    p[n++] = BPF_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_pid_tgid);
    p[n++] = BPF_INSN(BPF_ALU64 | BPF_RSH | BPF_K, R0, 0, 0, 32);
    for (size_t i = 0; i < npids;
         i++) /* a match jumps over the remaining comparisons and the exit */
        p[n++] = BPF_INSN(BPF_JMP | BPF_JEQ | BPF_K, R0, 0, npids - 1 - i + 2, pids[i]);
    p[n++] = BPF_INSN(BPF_ALU64 | BPF_MOV | BPF_K, R0, 0, 0, verdict);
    p[n++] = BPF_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
    return n;
}
