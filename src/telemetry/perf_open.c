/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See perf_open.h.  Software events and tracepoints always fit into one group.  The kernel refuses
 * a CPU event that can never be in a group with those before it, but it does not allow for the
 * counter that the watchdog uses; so groups are limited to the number of counters that common CPUs
 * have.
 */
#include "telemetry/perf_open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "telemetry/bpf.h"

static bool is_software(const struct perf_spec *s)
{
    return s->type == PERF_TYPE_SOFTWARE || s->type == PERF_TYPE_TRACEPOINT;
}

int perf_open_event(const struct perf_spec *s, const struct perf_target *t, int group)
{
    struct perf_event_attr a = {
        .size = sizeof a,
        .type = s->type,
        .config = s->config,
        .config1 = s->config1,
        .config2 = s->config2,
        .read_format =
            PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .inherit = !t->cgroup && t->id >= 0,
        .exclude_user = s->no_user,
        .exclude_kernel = s->no_kernel,
        .exclude_hv = s->no_kernel,
    };
    unsigned long flags = PERF_FLAG_FD_CLOEXEC | (t->cgroup ? PERF_FLAG_PID_CGROUP : 0);

    return (int)syscall(SYS_perf_event_open, &a, t->id, t->cpu, group, flags);
}

static int number_in(const char *path, int otherwise)
{
    char text[32] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    return n > 0 ? atoi(text) : otherwise;
}

bool perf_is_cpu_pmu(const char *name)
{
    return strncmp(name, "cpu", 3) == 0 || strncmp(name, "armv", 4) == 0 || strstr(name, "pmuv");
}

/* True when the kernel offers the counters of a CPU. */
static bool has_pmu(void)
{
    DIR *d = opendir("/sys/bus/event_source/devices");
    struct dirent *ent;
    bool found = false;

    while (d && (ent = readdir(d)))
        found |= perf_is_cpu_pmu(ent->d_name);
    if (d)
        closedir(d);
    return found;
}

static void explain_errno(struct perf_spec *s, const struct perf_target *t, int errnum)
{
    int paranoid = number_in("/proc/sys/kernel/perf_event_paranoid", 2);

    if (errnum == EACCES || errnum == EPERM) {
        snprintf(s->why, sizeof s->why, "perf_event_paranoid=%d: needs CAP_PERFMON%s", paranoid,
                 t->id < 0 ? ", or 0 or less"
                 : is_software(s) || s->no_kernel || paranoid > 2
                     ? ""
                     : ", or :u and the server's own user");
    } else if (errnum == ENOSYS) {
        snprintf(s->why, sizeof s->why, "this kernel has no perf_event_open");
    } else if (!is_software(s) && !has_pmu()) {
        snprintf(s->why, sizeof s->why,
                 "no PMU: this machine does not give access to its CPU's counters");
    } else if (errnum == ENOENT || errnum == ENODEV || errnum == EOPNOTSUPP || errnum == EINVAL) {
        snprintf(s->why, sizeof s->why, "this CPU or kernel does not count it");
    } else {
        snprintf(s->why, sizeof s->why, "%s %d: %s",
                 t->cgroup   ? "counting of"
                 : t->id < 0 ? "counting CPU"
                             : "counting thread of",
                 t->id < 0 ? t->cpu : t->id, strerror(errnum));
    }
}

static void close_all(int *fd, size_t n)
{
    while (n > 0)
        if (fd[--n] >= 0)
            close(fd[n]);
}

/* Most CPUs have four programmable counters, one of which the watchdog uses. */
static size_t group_limit(void)
{
    return number_in("/proc/sys/kernel/nmi_watchdog", 0) == 1 ? 3 : 4;
}

static void new_group(struct perf_plan *p)
{
    p->begin[++p->groups] = p->events;
}

/* Appends those of one kind; the open descriptors of the present group show what fits to it. */
static void plan_kind(struct perf_plan *p, struct perf_spec *spec, size_t n, uint32_t skip,
                      const struct perf_target *t, bool software)
{
    size_t limit = software ? PERF_MAX_EVENTS : group_limit(), members = 0;
    int fd[PERF_MAX_EVENTS];

    for (size_t i = 0; i < n; i++) {
        int new;
        if (spec[i].why[0] || skip & UINT32_C(1) << i || is_software(&spec[i]) != software)
            continue;
        new = members &&members < limit ? perf_open_event(&spec[i], t, fd[0]) : -1;
        if (new < 0) {
            int alone = perf_open_event(&spec[i], t, -1);
            if (alone < 0) {
                explain_errno(&spec[i], t, errno);
                continue;
            }
            if (members)
                new_group(p);
            close_all(fd, members);
            members = 0;
            new = alone;
        }
        fd[members++] = new;
        p->event[p->events++] = i;
    }
    close_all(fd, members);
    if (members)
        new_group(p);
}

void perf_plan_make(struct perf_plan *p, struct perf_spec *spec, size_t n, uint32_t skip,
                    const struct perf_target *t)
{
    *p = (struct perf_plan){0};
    plan_kind(p, spec, n, skip, t, true);
    plan_kind(p, spec, n, skip, t, false);
}

/* The place in the plan of the event that was named last. */
static size_t last_named(const struct perf_plan *p)
{
    size_t at = 0;

    for (size_t k = 1; k < p->events; k++)
        if (p->event[k] > p->event[at])
            at = k;
    return at;
}

static void take_out(struct perf_plan *p, size_t at)
{
    size_t groups = 0;

    p->events--;
    for (size_t k = at; k < p->events; k++)
        p->event[k] = p->event[k + 1];
    for (size_t g = 1; g <= p->groups; g++) {
        size_t end = p->begin[g] - (p->begin[g] > at);
        if (end > p->begin[groups]) /* else the group is empty now */
            p->begin[++groups] = end;
    }
    p->groups = groups;
}

void perf_plan_cut(struct perf_plan *p, struct perf_spec *spec, size_t most, const char *why)
{
    while (p->events > most) {
        size_t at = last_named(p);
        struct perf_spec *s = &spec[p->event[at]];
        snprintf(s->why, sizeof s->why, "%s", why);
        take_out(p, at);
    }
}

int perf_open_plan(const struct perf_plan *p, const struct perf_spec *spec,
                   const struct perf_target *t, int *fd)
{
    for (size_t g = 0; g < p->groups; g++) {
        for (size_t i = p->begin[g]; i < p->begin[g + 1]; i++) {
            fd[i] = perf_open_event(&spec[p->event[i]], t, i == p->begin[g] ? -1 : fd[p->begin[g]]);
            if (fd[i] < 0) {
                int why = errno;
                close_all(fd, i);
                return why;
            }
        }
    }
    return 0;
}

/* --- software events and tracepoints, filtered in the kernel --------------------------------- */

/*
 * Each event has its own program, which differs from the others only in the
 * slot that it increments.  Where a program is attached depends on the event:
 *
 *     software events    one perf event per CPU with a period of 1: the program is its overflow
 *                        handler, and returns 0 so that nothing is recorded
 *     system calls       a raw tracepoint, the cheapest kind
 *     other tracepoints  the tracepoint's list of programs, through a perf event that counts
 * nothing itself; the program returns 1, so that other users see the event too
 *
 * Every program tests the current process.  That is the right one for migrations too, which the
 * kernel counts when the task runs again, and for switches, which it counts before the task is
 * switched out.
 */

struct perf_filter {
    size_t n;
    uint32_t counted;
    int map;     /* a slot per event and CPU */
    size_t cpus; /* all possible CPUs of the kernel, present or not */
    uint64_t *slot;
    int *fd; /* the events that the programs are attached to */
    size_t fds, capacity;
    mono_ns since;
};

/* if (current process is one of pids) slot[key]++; return verdict */
static int make_program(const struct perf_filter *f, enum bpf_prog_type type, uint32_t key,
                        const pid_t *pids, size_t npids, int verdict)
{
    enum { R0, R1, R2, STACK = 10 };
    struct bpf_insn p[16 + PERF_FILTER_MAX_PIDS];
    size_t n = bpf_only_of(p, pids, npids, verdict);

    p[n++] = BPF_INSN(BPF_ST | BPF_MEM | BPF_W, STACK, 0, -4, key);
    p[n++] = BPF_INSN(BPF_ALU64 | BPF_MOV | BPF_X, R2, STACK, 0, 0);
    p[n++] = BPF_INSN(BPF_ALU64 | BPF_ADD | BPF_K, R2, 0, 0, -4);
    p[n++] = BPF_INSN(BPF_LD | BPF_DW | BPF_IMM, R1, BPF_PSEUDO_MAP_FD, 0, f->map);
    p[n++] = BPF_INSN(0, 0, 0, 0, 0);
    p[n++] = BPF_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
    p[n++] = BPF_INSN(BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 3, 0);
    p[n++] = BPF_INSN(BPF_LDX | BPF_MEM | BPF_DW, R1, R0, 0, 0);
    p[n++] = BPF_INSN(BPF_ALU64 | BPF_ADD | BPF_K, R1, 0, 0, 1);
    /* no other program runs on this CPU now */
    p[n++] = BPF_INSN(BPF_STX | BPF_MEM | BPF_DW, R0, R1, 0, 0);
    p[n++] = BPF_INSN(BPF_ALU64 | BPF_MOV | BPF_K, R0, 0, 0, verdict);
    p[n++] = BPF_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
    return bpf_program(type, p, n);
}

static void add_fd(struct perf_filter *f, int fd)
{
    if (f->fds == f->capacity) {
        f->capacity = f->capacity ? 2 * f->capacity : 16;
        f->fd = mem_grow(f->fd, f->capacity, sizeof *f->fd);
    }
    f->fd[f->fds++] = fd;
}

static int open_on_cpu(const struct perf_spec *s, int cpu)
{
    struct perf_event_attr a = {
        .size = sizeof a,
        .type = s->type,
        .config = s->config,
        .sample_period = s->type == PERF_TYPE_SOFTWARE,
        .disabled = 1,
        .exclude_user = s->no_user,
        .exclude_kernel = s->no_kernel,
        .exclude_hv = s->no_kernel,
    };

    return (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* 1: attached; 0: that CPU is offline; -1: impossible. */
static int attach_on(struct perf_filter *f, const struct perf_spec *s, int cpu, int program)
{
    int fd = open_on_cpu(s, cpu);

    if (fd < 0)
        return errno == ENODEV ? 0 : -1;
    add_fd(f, fd);
    return ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) == 0 &&
                   (s->type == PERF_TYPE_TRACEPOINT || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0)
               ? 1
               : -1;
}

static bool is_syscalls(const struct perf_spec *s)
{
    return strcmp(s->name, "syscalls") == 0 || strcmp(s->name, "raw_syscalls:sys_enter") == 0;
}

static bool attach_to_syscalls(struct perf_filter *f, int program)
{
    int fd = bpf_attach_raw("sys_enter", program);

    if (fd >= 0)
        add_fd(f, fd);
    return fd >= 0;
}

static bool attach_program(struct perf_filter *f, const struct perf_spec *s, int program)
{
    /* a tracepoint has one list of programs for all CPUs */
    bool everywhere = s->type == PERF_TYPE_SOFTWARE;
    int places = 0, rc = 0;

    if (is_syscalls(s))
        return attach_to_syscalls(f, program);
    for (size_t cpu = 0; cpu < f->cpus && rc >= 0 && (everywhere || !places); cpu++) {
        rc = attach_on(f, s, (int)cpu, program);
        places += rc > 0;
    }
    return rc >= 0 && places > 0;
}

static void let_go(struct perf_filter *f, size_t kept)
{
    while (f->fds > kept)
        close(f->fd[--f->fds]);
}

static bool add_event(struct perf_filter *f, const struct perf_spec *s, uint32_t key,
                      const pid_t *pids, size_t npids, size_t most)
{
    enum bpf_prog_type type = s->type == PERF_TYPE_SOFTWARE ? BPF_PROG_TYPE_PERF_EVENT
                              : is_syscalls(s)              ? BPF_PROG_TYPE_RAW_TRACEPOINT
                                                            : BPF_PROG_TYPE_TRACEPOINT;
    int program = make_program(f, type, key, pids, npids, s->type != PERF_TYPE_SOFTWARE);
    size_t kept = f->fds;
    bool ok = program >= 0 && kept + f->cpus < most && attach_program(f, s, program);

    if (!ok)
        let_go(f, kept);
    if (program >= 0)
        close(program);
    return ok;
}

/* Clocks measure time and have no events to filter; :u and :k have no meaning for a program on a
 * tracepoint. */
static bool is_kind(const struct perf_spec *s)
{
    if (s->why[0])
        return false;
    if (s->type == PERF_TYPE_TRACEPOINT)
        return !s->no_user && !s->no_kernel;
    return s->type == PERF_TYPE_SOFTWARE && s->config != PERF_COUNT_SW_CPU_CLOCK &&
           s->config != PERF_COUNT_SW_TASK_CLOCK;
}

struct perf_filter *perf_filter_open(const struct perf_spec *spec, size_t n, const pid_t *pids,
                                     size_t npids, size_t most, uint32_t *counted)
{
    struct perf_filter *f = mem_alloc(sizeof *f);

    *counted = 0;
    *f = (struct perf_filter){.n = n, .map = -1};
    if (npids && npids <= PERF_FILTER_MAX_PIDS && bpf_sees_our_pids() && (f->cpus = bpf_cpus()) > 0)
        f->map = bpf_map(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t), sizeof(uint64_t), n, 0);
    if (f->map >= 0)
        f->slot = mem_array(f->cpus, sizeof *f->slot);
    for (size_t i = 0; i < n && f->map >= 0; i++)
        if (is_kind(&spec[i]) && add_event(f, &spec[i], (uint32_t)i, pids, npids, most))
            f->counted |= UINT32_C(1) << i;
    *counted = f->counted;
    f->since = clock_mono();
    if (f->counted)
        return f;
    perf_filter_close(f);
    return NULL;
}

void perf_filter_close(struct perf_filter *f)
{
    if (!f)
        return;
    let_go(f, 0);
    if (f->map >= 0)
        close(f->map);
    free(f->fd);
    free(f->slot);
    free(f);
}

static bool read_slots(const struct perf_filter *f, uint32_t key, uint64_t *sum)
{
    union bpf_attr a;

    memset(&a, 0, sizeof a);
    a.map_fd = (uint32_t)f->map;
    a.key = (uintptr_t)&key;
    a.value = (uintptr_t)f->slot;
    memset(f->slot, 0, f->cpus * sizeof *f->slot);
    if (bpf_call(BPF_MAP_LOOKUP_ELEM, &a) != 0)
        return false;
    *sum = 0;
    for (size_t i = 0; i < f->cpus; i++)
        *sum += f->slot[i];
    return true;
}

void perf_filter_read(struct perf_filter *f, struct perf_reading *out)
{
    uint64_t ns = (uint64_t)(clock_mono() - f->since), sum;

    for (uint32_t i = 0; i < f->n; i++)
        if (f->counted & UINT32_C(1) << i && read_slots(f, i, &sum)) {
            out->v[i] = (struct perf_value){sum, ns, ns};
            out->have |= UINT32_C(1) << i;
        }
}
