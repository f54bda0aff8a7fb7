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
#include "telemetry/syscalls.h"

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

/* The last number in "0-63" or "0,2-5". */
static bool take_last_cpu(char *line, void *arg)
{
    size_t *cpus = arg;
    char *at = line + strcspn(line, "\n");

    while (at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    *cpus = strtoul(at, NULL, 10) + 1;
    return false;
}

size_t bpf_cpus(void)
{
    size_t cpus = 0;

    proc_each_line(-1, "/sys/devices/system/cpu/possible", take_last_cpu, &cpus);
    return cpus;
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

/* --- the programs that count system calls ---------------------------------------------------- */

/*
 * Registers r6 to r9 keep their values over calls of the kernel's functions,
 * which take r1 to r5 and return r0; r10 is the end of the stack.
 */

enum { R0, R1, R2, R3, R4, R6 = 6, R7, R8, R9, STACK };
enum { MOST = 128, SHIFT = 9 }; /* 1 << SHIFT numbers for each CPU */

_Static_assert(1 << SHIFT == SYSCALLS_NUMBERS, "slots are found by a shift");

/* A program as it grows; `to_end` are jumps whose target is known last. */
struct code {
    struct bpf_insn p[MOST];
    size_t n;
    size_t to_end[8], jumps;
};

static void put(struct code *c, struct bpf_insn i)
{
    c->p[c->n++] = i;
}

#define PUT(c, ...) put((c), BPF_INSN(__VA_ARGS__))
#define CALL(c, f)  PUT(c, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##f)
/* Members of a structure of 64-bit numbers, or of the stack. */
#define LOAD(c, to, from, at)  PUT(c, BPF_LDX | BPF_MEM | BPF_DW, to, from, at, 0)
#define STORE(c, to, at, from) PUT(c, BPF_STX | BPF_MEM | BPF_DW, to, from, at, 0)
#define COPY(c, to, from)      PUT(c, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define FIELD(member)          ((int)offsetof(struct syscall_count, member))

/* if (reg OP constant) return 0 */
static void end_if(struct code *c, int op, int reg, int constant)
{
    c->to_end[c->jumps++] = c->n;
    PUT(c, BPF_JMP | op | BPF_K, reg, 0, 0, constant);
}

static void finish(struct code *c)
{
    for (size_t i = 0; i < c->jumps; i++)
        c->p[c->to_end[i]].off = (int16_t)(c->n - c->to_end[i] - 1);
    PUT(c, BPF_ALU64 | BPF_MOV | BPF_K, R0, 0, 0, 0);
    PUT(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* r0 = the value of the key at stack[at], NULL if there is none */
static void look_up(struct code *c, int map, int at)
{
    COPY(c, R2, STACK);
    PUT(c, BPF_ALU64 | BPF_ADD | BPF_K, R2, 0, 0, at);
    PUT(c, BPF_LD | BPF_DW | BPF_IMM, R1, BPF_PSEUDO_MAP_FD, 0, map);
    PUT(c, 0, 0, 0, 0, 0);
    CALL(c, map_lookup_elem);
}

/* r6 = context; ends unless the process is one of those; stack[-8] = process and thread */
static void begin(struct code *c, const struct syscalls_bpf *m)
{
    COPY(c, R6, R1);
    if (m->pid_map < 0) {
        c->n += bpf_only_of(c->p + c->n, m->pids, m->npids, 0);
    } else {
        CALL(c, get_current_pid_tgid);
        PUT(c, BPF_ALU64 | BPF_RSH | BPF_K, R0, 0, 0, 32);
        PUT(c, BPF_STX | BPF_MEM | BPF_W, STACK, R0, -8, 0);
        look_up(c, m->pid_map, -8);
        end_if(c, BPF_JEQ, R0, 0);
    }
    CALL(c, get_current_pid_tgid);
    STORE(c, STACK, -8, R0);
}

/* r0 = the slot of the number in `reg` */
static void find_slot(struct code *c, const struct syscalls_bpf *m, int reg)
{
    end_if(c, BPF_JGE, reg, SYSCALLS_NUMBERS);
    CALL(c, get_smp_processor_id);
    PUT(c, BPF_ALU64 | BPF_LSH | BPF_K, R0, 0, 0, SHIFT);
    PUT(c, BPF_ALU64 | BPF_ADD | BPF_X, R0, reg, 0, 0);
    PUT(c, BPF_STX | BPF_MEM | BPF_W, STACK, R0, -16, 0);
    look_up(c, m->slots, -16);
    end_if(c, BPF_JEQ, R0, 0);
}

/* slot.member += amount of `reg`, or 1 */
static void add(struct code *c, int at, int reg)
{
    LOAD(c, R1, R0, at);
    if (reg)
        PUT(c, BPF_ALU64 | BPF_ADD | BPF_X, R1, reg, 0, 0);
    else
        PUT(c, BPF_ALU64 | BPF_ADD | BPF_K, R1, 0, 0, 1);
    STORE(c, R0, at, R1);
}

/* begun[thread] = {r7, r8}: in place if the thread has one, which takes no lock */
static void remember(struct code *c, const struct syscalls_bpf *m)
{
    look_up(c, m->begun, -8);
    PUT(c, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 3, 0);
    STORE(c, R0, 0, R7);
    STORE(c, R0, 8, R8);
    end_if(c, BPF_JA, 0, 0);
    STORE(c, STACK, -32, R7);
    STORE(c, STACK, -24, R8);
    PUT(c, BPF_LD | BPF_DW | BPF_IMM, R1, BPF_PSEUDO_MAP_FD, 0, m->begun);
    PUT(c, 0, 0, 0, 0, 0);
    COPY(c, R2, STACK);
    PUT(c, BPF_ALU64 | BPF_ADD | BPF_K, R2, 0, 0, -8);
    COPY(c, R3, STACK);
    PUT(c, BPF_ALU64 | BPF_ADD | BPF_K, R3, 0, 0, -32);
    PUT(c, BPF_ALU64 | BPF_MOV | BPF_K, R4, 0, 0, BPF_ANY);
    CALL(c, map_update_elem);
}

/* The context of sys_enter: registers, number. */
int syscalls_bpf_enter(const struct syscalls_bpf *m)
{
    struct code c = {.n = 0};

    begin(&c, m);
    LOAD(&c, R8, R6, 8);
    find_slot(&c, m, R8);
    add(&c, FIELD(began), 0);
    /* they do not end, and the next thread may get the same id */
    end_if(&c, BPF_JEQ, R8, SYS_exit);
    end_if(&c, BPF_JEQ, R8, SYS_exit_group);
    CALL(&c, ktime_get_ns);
    COPY(&c, R7, R0);
    remember(&c, m);
    finish(&c);
    return bpf_program(BPF_PROG_TYPE_RAW_TRACEPOINT, c.p, c.n);
}

/* The context of sys_exit: registers, result.  A call that began before we did has no beginning. */
int syscalls_bpf_exit(const struct syscalls_bpf *m)
{
    enum { LOWEST_ERROR = -4095 };
    struct code c = {.n = 0};

    begin(&c, m);
    look_up(&c, m->begun, -8);
    end_if(&c, BPF_JEQ, R0, 0);
    LOAD(&c, R7, R0, 0);
    LOAD(&c, R8, R0, 8);
    end_if(&c, BPF_JEQ, R7, 0);
    PUT(&c, BPF_ST | BPF_MEM | BPF_DW, R0, 0, 0, 0); /* it has ended */
    CALL(&c, ktime_get_ns);
    COPY(&c, R9, R0);
    PUT(&c, BPF_ALU64 | BPF_SUB | BPF_X, R9, R7, 0, 0);
    find_slot(&c, m, R8);
    add(&c, FIELD(ended), 0);
    add(&c, FIELD(ns), R9);
    LOAD(&c, R1, R6, 8);
    end_if(&c, BPF_JLT, R1, LOWEST_ERROR);
    add(&c, FIELD(errors), 0);
    finish(&c);
    return bpf_program(BPF_PROG_TYPE_RAW_TRACEPOINT, c.p, c.n);
}
