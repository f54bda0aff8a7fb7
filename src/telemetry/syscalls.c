/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See syscalls.h.  The threads' beginnings are in a map that drops the least recently used one when
 * it is full: threads that have ended leave theirs behind.
 */
#include "telemetry/syscalls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "telemetry/bpf.h"
#include "telemetry/proc.h"

enum { THREADS = 32768, PROCESSES = 8192 };

/* --- the programs ---------------------------------------------------------------------------- */

/*
 * The two programs of syscalls.h.
 *
 *     sys_enter   if the process is ours: slot[CPU, number].began++, begun[thread] = now, number
 *     sys_exit    if the process is ours and the thread has begun one: slot[CPU, number] gets its
 *                 time, and an error if the result is one
 *
 * A slot is written on its own CPU only, and the kernel keeps a program from being interrupted by
 * another one there; a thread has at most one call that it has not ended.
 */

enum { SYSCALLS_BPF_MAX_PIDS = 16 };

struct syscalls {
    pid_t pid[SYSCALLS_BPF_MAX_PIDS];
    size_t npids;
    int pid_map; /* hash by process id, in place of pid; -1: none */
    int slots;   /* array of struct syscall_count: SYSCALLS_NUMBERS for each CPU */
    int begun;   /* hash by thread: two 64-bit numbers */
    size_t cpus;
    int program[2]; /* attached */
    const struct syscall_count *slot;
    size_t bytes;
    bool tree;
    struct proc_tree find;
    struct pid_list known;        /* what is in pid_map, ascending */
    struct syscalls_reading past; /* of earlier processes */
    char why[160];
};

enum { SHIFT = 9 }; /* 1 << SHIFT numbers for each CPU */

_Static_assert(1 << SHIFT == SYSCALLS_NUMBERS, "slots are found by a shift");

#define FIELD(member) ((int)offsetof(struct syscall_count, member))

/* r6 = context; ends unless the process is one of those; stack[-8] = process and thread */
static void begin(struct bpf_code *c, const struct syscalls *m)
{
    BPF_COPY(c, R6, R1);
    if (m->pid_map < 0) {
        bpf_only_of(c, m->pid, m->npids);
    } else {
        BPF_CALL_TO(c, get_current_pid_tgid);
        bpf_put(c, BPF_ALU64 | BPF_RSH | BPF_K, R0, 0, 0, 32);
        bpf_put(c, BPF_STX | BPF_MEM | BPF_W, STACK, R0, -8, 0);
        bpf_look_up(c, m->pid_map, -8);
        bpf_end_if(c, BPF_JEQ, R0, 0);
    }
    BPF_CALL_TO(c, get_current_pid_tgid);
    BPF_STORE(c, STACK, -8, R0);
}

/* r0 = the slot of the number in `reg` */
static void find_slot(struct bpf_code *c, const struct syscalls *m, int reg)
{
    bpf_end_if(c, BPF_JGE, reg, SYSCALLS_NUMBERS);
    BPF_CALL_TO(c, get_smp_processor_id);
    bpf_put(c, BPF_ALU64 | BPF_LSH | BPF_K, R0, 0, 0, SHIFT);
    bpf_put(c, BPF_ALU64 | BPF_ADD | BPF_X, R0, reg, 0, 0);
    bpf_put(c, BPF_STX | BPF_MEM | BPF_W, STACK, R0, -16, 0);
    bpf_look_up(c, m->slots, -16);
    bpf_end_if(c, BPF_JEQ, R0, 0);
}

/* The context of sys_enter: registers, number. */
static int enter_program(const struct syscalls *m)
{
    struct bpf_code c = {.n = 0};

    begin(&c, m);
    BPF_LOAD(&c, R8, R6, 8);
    find_slot(&c, m, R8);
    bpf_add(&c, FIELD(began), R0);
    /* they do not end, and the next thread may get the same id */
    bpf_end_if(&c, BPF_JEQ, R8, SYS_exit);
    bpf_end_if(&c, BPF_JEQ, R8, SYS_exit_group);
    BPF_CALL_TO(&c, ktime_get_ns);
    BPF_COPY(&c, R7, R0);
    /* begun[thread] = {r7, r8}: in place if the thread has one, which takes no lock */
    bpf_look_up(&c, m->begun, -8);
    bpf_put(&c, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 3, 0);
    BPF_STORE(&c, R0, 0, R7);
    BPF_STORE(&c, R0, 8, R8);
    bpf_end_if(&c, BPF_JA, 0, 0);
    BPF_STORE(&c, STACK, -32, R7);
    BPF_STORE(&c, STACK, -24, R8);
    bpf_put_key(&c, m->begun, -8);
    BPF_COPY(&c, R3, STACK);
    bpf_put(&c, BPF_ALU64 | BPF_ADD | BPF_K, R3, 0, 0, -32);
    bpf_put(&c, BPF_ALU64 | BPF_MOV | BPF_K, R4, 0, 0, BPF_ANY);
    BPF_CALL_TO(&c, map_update_elem);
    return bpf_load(&c, BPF_PROG_TYPE_RAW_TRACEPOINT, 0);
}

/* The context of sys_exit: registers, result.  A call that began before we did has no beginning. */
static int exit_program(const struct syscalls *m)
{
    enum { LOWEST_ERROR = -4095 };
    struct bpf_code c = {.n = 0};

    begin(&c, m);
    bpf_look_up(&c, m->begun, -8);
    bpf_end_if(&c, BPF_JEQ, R0, 0);
    BPF_LOAD(&c, R7, R0, 0);
    BPF_LOAD(&c, R8, R0, 8);
    bpf_end_if(&c, BPF_JEQ, R7, 0);
    bpf_put(&c, BPF_ST | BPF_MEM | BPF_DW, R0, 0, 0, 0); /* it has ended */
    BPF_CALL_TO(&c, ktime_get_ns);
    BPF_COPY(&c, R9, R0);
    bpf_put(&c, BPF_ALU64 | BPF_SUB | BPF_X, R9, R7, 0, 0);
    find_slot(&c, m, R8);
    bpf_add(&c, FIELD(ended), R0);
    bpf_add(&c, FIELD(ns), R9);
    BPF_LOAD(&c, R1, R6, 8);
    bpf_end_if(&c, BPF_JLT, R1, LOWEST_ERROR);
    bpf_add(&c, FIELD(errors), R0);
    return bpf_load(&c, BPF_PROG_TYPE_RAW_TRACEPOINT, 0);
}

/* --- counting ------------------------------------------------------------------------------- */

static int failed(struct syscalls *s, const char *what)
{
    int errnum = errno;

    if ((errnum == EPERM || errnum == EACCES) && geteuid() == 0)
        snprintf(s->why, sizeof s->why,
                 "the kernel refuses it even to root: the capabilities or the seccomp filter of a "
                 "container, lockdown, or ulimit -l");
    else if (errnum == EPERM || errnum == EACCES)
        snprintf(s->why, sizeof s->why,
                 "counting system calls needs root, or CAP_BPF and CAP_PERFMON");
    else
        snprintf(s->why, sizeof s->why, "%s: %s (it needs Linux 5.5)", what, strerror(errnum));
    return -1;
}

/* Brings the map up to date.  Processes that have ended leave it: their number would fill it, and
 * another process may get their ids. */
static void follow_tree(struct syscalls *s)
{
    struct pid_list now = {0};
    const struct pid_list *old = &s->known;

    proc_tree_list(&s->find, s->pid, s->npids, true, &now);
    for (size_t i = 0, k = 0; i < old->n || k < now.n;) {
        if (k == now.n || (i < old->n && old->ids[i] < now.ids[k]))
            bpf_element(BPF_MAP_DELETE_ELEM, s->pid_map, &old->ids[i++], NULL);
        else if (i == old->n || now.ids[k] < old->ids[i])
            bpf_element(BPF_MAP_UPDATE_ELEM, s->pid_map, &now.ids[k++], &(uint8_t){1});
        else
            i++, k++;
    }
    pid_list_free(&s->known);
    s->known = now;
}

static int start(struct syscalls *s, const pid_t *pids, size_t n)
{
    static const char *const point[] = {"sys_exit", "sys_enter"};
    size_t page = (size_t)sysconf(_SC_PAGESIZE), slots;

    if (!bpf_sees_our_pids() || (s->cpus = bpf_cpus()) == 0) {
        snprintf(s->why, sizeof s->why,
                 "counting system calls needs the host's process ids (a container has its own)");
        return -1;
    }
    if (n == 0 || n > SYSCALLS_BPF_MAX_PIDS) {
        snprintf(s->why, sizeof s->why, "system calls of at most %d processes are counted",
                 SYSCALLS_BPF_MAX_PIDS);
        return -1;
    }
    memcpy(s->pid, pids, n * sizeof *pids);
    s->npids = n;
    slots = s->cpus * SYSCALLS_NUMBERS;
    s->slots = bpf_map(BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(struct syscall_count), slots,
                       BPF_F_MMAPABLE);
    if (s->slots < 0)
        return failed(s, "no map for system calls");
    s->begun = bpf_map(BPF_MAP_TYPE_LRU_HASH, sizeof(uint64_t), 2 * sizeof(uint64_t), THREADS, 0);
    if (s->begun < 0)
        return failed(s, "no map for threads");
    if (s->tree && (s->pid_map = bpf_map(BPF_MAP_TYPE_HASH, sizeof(uint32_t), 1, PROCESSES, 0)) < 0)
        return failed(s, "no map for processes");
    s->bytes = (slots * sizeof(struct syscall_count) + page - 1) / page * page;
    void *at = mmap(NULL, s->bytes, PROT_READ, MAP_SHARED, s->slots, 0);
    if (at == MAP_FAILED)
        return failed(s, "cannot map the counts");
    s->slot = at;
    if (s->tree)
        follow_tree(s);
    for (size_t i = 0; i < 2; i++) {
        int program = i ? enter_program(s) : exit_program(s), errnum;
        if (program < 0)
            return failed(s, "the kernel does not accept the program");
        s->program[i] = bpf_attach_raw(point[i], program);
        errnum = errno;
        close(program);
        errno = errnum;
        if (s->program[i] < 0)
            return failed(s, "cannot count at the tracepoint");
    }
    return 0;
}

static void stop(struct syscalls *s)
{
    int *const fd[] = {&s->program[0], &s->program[1], &s->slots, &s->begun, &s->pid_map};

    if (s->slot)
        munmap((void *)s->slot, s->bytes);
    s->slot = NULL;
    for (size_t i = 0; i < sizeof fd / sizeof *fd; i++) {
        if (*fd[i] >= 0)
            close(*fd[i]);
        *fd[i] = -1;
    }
}

struct syscalls *syscalls_open(const pid_t *pids, size_t n, bool tree)
{
    struct syscalls *s = mem_alloc(sizeof *s);

    s->tree = tree;
    s->program[0] = s->program[1] = -1;
    s->pid_map = s->slots = s->begun = -1;
    if (start(s, pids, n))
        stop(s);
    return s;
}

void syscalls_close(struct syscalls *s)
{
    if (!s)
        return;
    stop(s);
    proc_tree_free(&s->find);
    pid_list_free(&s->known);
    free(s);
}

const char *syscalls_why(const struct syscalls *s)
{
    return s->why[0] ? s->why : NULL;
}

void syscalls_read(struct syscalls *s, struct syscalls_reading *out)
{
    *out = s->past;
    out->have = s->slot != NULL;
    if (!s->slot)
        return;
    if (s->tree)
        follow_tree(s);
    for (size_t i = 0; i < s->cpus * SYSCALLS_NUMBERS; i++) {
        const volatile struct syscall_count *c = &s->slot[i];
        syscall_count_add(&out->v[i % SYSCALLS_NUMBERS], *c, 1);
    }
}

void syscalls_again(struct syscalls **s, const pid_t *pids, size_t n, bool tree)
{
    struct syscalls *next = syscalls_open(pids, n, tree);

    syscalls_read(*s, &next->past);
    syscalls_close(*s);
    *s = next;
}

/* --- figures --------------------------------------------------------------------------------- */

/* Ties in the order of their numbers. */
static int by_count(const void *x, const void *y)
{
    const struct syscall_figure *a = x, *b = y;

    if (a->c.began != b->c.began)
        return a->c.began < b->c.began ? 1 : -1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void syscalls_diff(const struct syscalls_reading *before, const struct syscalls_reading *after,
                   size_t most, struct syscalls_delta *out)
{
    struct syscall_figure f[SYSCALLS_NUMBERS];

    *out = (struct syscalls_delta){.why = NULL};
    if (!before->have || !after->have) {
        out->why = "system calls were not counted in this interval";
        return;
    }
    if (before->generation != after->generation) {
        out->why = "the counts began anew in this interval";
        return;
    }
    for (unsigned i = 0; i < SYSCALLS_NUMBERS; i++) {
        struct syscall_count c = after->v[i];
        syscall_count_add(&c, before->v[i], -1);
        if (c.began == 0 && c.ended == 0)
            continue;
        f[out->kinds++] = (struct syscall_figure){i, c};
        syscall_count_add(&out->all, c, 1);
    }
    qsort(f, out->kinds, sizeof *f, by_count);
    most = most < SYSCALLS_LISTED ? most : SYSCALLS_LISTED;
    out->n = out->kinds < most ? out->kinds : most;
    for (size_t i = 0; i < out->n; i++)
        out->f[i] = f[i];
}

const char *syscall_name(unsigned number, char buf[24])
{
    for (size_t i = 0; i < syscall_names_count; i++)
        if (syscall_names[i].number == (long)number)
            return syscall_names[i].name;
    snprintf(buf, 24, "syscall_%u", number);
    return buf;
}

unsigned syscall_number(const char *name)
{
    unsigned number;

    for (size_t i = 0; i < syscall_names_count; i++)
        if (strcmp(syscall_names[i].name, name) == 0 && syscall_names[i].number < SYSCALLS_NUMBERS)
            return (unsigned)syscall_names[i].number;
    return sscanf(name, "syscall_%u", &number) == 1 && number < SYSCALLS_NUMBERS
               ? number
               : SYSCALLS_NUMBERS - 1;
}
