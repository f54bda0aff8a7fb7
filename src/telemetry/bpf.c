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

static int bpf_call(int cmd, union bpf_attr *a)
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

int bpf_attach_raw(const char *tracepoint, int program)
{
    union bpf_attr a;

    memset(&a, 0, sizeof a);
    a.raw_tracepoint.name = (uintptr_t)tracepoint;
    a.raw_tracepoint.prog_fd = (uint32_t)program;
    return bpf_call(BPF_RAW_TRACEPOINT_OPEN, &a);
}

int bpf_element(int cmd, int map, const void *key, const void *value)
{
    union bpf_attr a;

    memset(&a, 0, sizeof a);
    a.map_fd = (uint32_t)map;
    a.key = (uintptr_t)key;
    a.value = (uintptr_t)value;
    return bpf_call(cmd, &a);
}

/* --- a program as it grows -------------------------------------------------------------------- */

void bpf_put(struct bpf_code *c, int op, int to, int from, int offset, int constant)
{
    struct bpf_insn *i = &c->p[c->n++];

    i->code = (uint8_t)op;
    i->dst_reg = to & 15;
    i->src_reg = from & 15;
    i->off = (int16_t)offset;
    i->imm = constant;
}

void bpf_put_key(struct bpf_code *c, int map, int at)
{
    bpf_put(c, BPF_LD | BPF_DW | BPF_IMM, R1, BPF_PSEUDO_MAP_FD, 0, map);
    bpf_put(c, 0, 0, 0, 0, 0);
    BPF_COPY(c, R2, STACK);
    bpf_put(c, BPF_ALU64 | BPF_ADD | BPF_K, R2, 0, 0, at);
}

void bpf_look_up(struct bpf_code *c, int map, int at)
{
    bpf_put_key(c, map, at);
    BPF_CALL_TO(c, map_lookup_elem);
}

void bpf_add(struct bpf_code *c, int at, int reg)
{
    BPF_LOAD(c, R1, R0, at);
    bpf_put(c, BPF_ALU64 | BPF_ADD | (reg ? BPF_X : BPF_K), R1, reg, 0, reg ? 0 : 1);
    BPF_STORE(c, R0, at, R1);
}

void bpf_end_if(struct bpf_code *c, int op, int reg, int constant)
{
    c->to_end[c->jumps++] = c->n;
    bpf_put(c, BPF_JMP | op | BPF_K, reg, 0, 0, constant);
}

void bpf_only_of(struct bpf_code *c, const pid_t *pids, size_t npids)
{
    BPF_CALL_TO(c, get_current_pid_tgid);
    bpf_put(c, BPF_ALU64 | BPF_RSH | BPF_K, R0, 0, 0, 32);
    for (size_t i = 0; i < npids; i++) /* a match jumps over the rest and the end */
        bpf_put(c, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, (int)(npids - i), pids[i]);
    bpf_end_if(c, BPF_JA, 0, 0);
}

int bpf_load(struct bpf_code *c, enum bpf_prog_type type, int verdict)
{
    static const char license[] = "GPL";
    union bpf_attr a;

    for (size_t i = 0; i < c->jumps; i++)
        c->p[c->to_end[i]].off = (int16_t)(c->n - c->to_end[i] - 1);
    bpf_put(c, BPF_ALU64 | BPF_MOV | BPF_K, R0, 0, 0, verdict);
    bpf_put(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
    memset(&a, 0, sizeof a);
    a.prog_type = type;
    a.insns = (uintptr_t)c->p;
    a.insn_cnt = (uint32_t)c->n;
    a.license = (uintptr_t)license;
    return make(BPF_PROG_LOAD, &a);
}
