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
#include "telemetry/proc.h"

static bool is_software(const struct perf_spec *s)
{
    return s->type == PERF_TYPE_SOFTWARE || s->type == PERF_TYPE_TRACEPOINT;
}

/* Opens one event; group -1 makes it a leader, which is enabled when its group is whole: a software
 * event that joins a running group of a CPU's clock counts nothing (seen with Linux 6.18).  Returns
 * a descriptor, or -1 with errno. */
static int perf_open_event(const struct perf_spec *s, const struct perf_target *t, int group)
{
    struct perf_event_attr a = {
        .size = sizeof a,
        .type = s->type,
        .config = s->config,
        .config1 = s->config1,
        .config2 = s->config2,
        .disabled = group < 0,
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

bool perf_is_cpu_pmu(const char *name)
{
    return strncmp(name, "cpu", 3) == 0 || strncmp(name, "armv", 4) == 0 || strstr(name, "pmuv");
}

static void explain_errno(struct perf_spec *s, const struct perf_target *t, int errnum)
{
    bool has_pmu = false; /* the kernel offers the counters of a CPU */
    DIR *d = opendir("/sys/bus/event_source/devices");
    struct dirent *ent;
    long paranoid = proc_setting("/proc/sys/kernel/perf_event_paranoid", 2);

    while (d && (ent = readdir(d)))
        has_pmu |= perf_is_cpu_pmu(ent->d_name);
    if (d)
        closedir(d);
    if (errnum == EACCES || errnum == EPERM) {
        snprintf(s->why, sizeof s->why, "perf_event_paranoid=%ld: needs CAP_PERFMON%s", paranoid,
                 t->id < 0 ? ", or 0 or less"
                 : is_software(s) || s->no_kernel || paranoid > 2
                     ? ""
                     : ", or :u and the server's own user");
    } else if (errnum == ENOSYS) {
        snprintf(s->why, sizeof s->why, "this kernel has no perf_event_open");
    } else if (t->cgroup && is_software(s) && errnum == ENOENT) {
        snprintf(s->why, sizeof s->why,
                 "the kernel counts by group only once the root's cgroup.subtree_control was "
                 "written to");
    } else if (!is_software(s) && !has_pmu) {
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

/* Appends those of one kind; the open descriptors of the present group show what fits to it. */
static void plan_kind(struct perf_plan *p, struct perf_spec *spec, size_t n, uint32_t skip,
                      const struct perf_target *t, bool software)
{
    /* most CPUs have four programmable counters, one of which the watchdog uses */
    bool watchdog = proc_setting("/proc/sys/kernel/nmi_watchdog", 0) == 1;
    size_t limit = software ? PERF_MAX_EVENTS : watchdog ? 3 : 4, members = 0;
    int fd[PERF_MAX_EVENTS];

    for (size_t i = 0; i < n; i++) {
        if (spec[i].why[0] || skip & UINT32_C(1) << i || is_software(&spec[i]) != software)
            continue;
        int new = members &&members < limit ? perf_open_event(&spec[i], t, fd[0]) : -1;
        if (new < 0) {
            int alone = perf_open_event(&spec[i], t, -1);
            if (alone < 0) {
                explain_errno(&spec[i], t, errno);
                continue;
            }
            if (members)
                p->begin[++p->groups] = p->events;
            close_all(fd, members);
            members = 0;
            new = alone;
        }
        fd[members++] = new;
        p->event[p->events++] = i;
    }
    close_all(fd, members);
    if (members)
        p->begin[++p->groups] = p->events;
}

void perf_plan_make(struct perf_plan *p, struct perf_spec *spec, size_t n, uint32_t skip,
                    const struct perf_target *t)
{
    *p = (struct perf_plan){0};
    plan_kind(p, spec, n, skip, t, true);
    plan_kind(p, spec, n, skip, t, false);
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
        ioctl(fd[p->begin[g]], PERF_EVENT_IOC_ENABLE, 0);
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
    size_t fds;
    mono_ns since;
};

/* if (current process is one of pids) slot[key]++; return verdict */
static int make_program(const struct perf_filter *f, enum bpf_prog_type type, uint32_t key,
                        const pid_t *pids, size_t npids, int verdict)
{
    struct bpf_code c = {.n = 0};

    bpf_only_of(&c, pids, npids);
    bpf_put(&c, BPF_ST | BPF_MEM | BPF_W, STACK, 0, -4, (int)key);
    bpf_look_up(&c, f->map, -4);
    bpf_end_if(&c, BPF_JEQ, R0, 0);
    bpf_add(&c, 0, R0); /* no other program runs on this CPU now */
    return bpf_load(&c, type, verdict);
}

static bool is_syscalls(const struct perf_spec *s)
{
    return strcmp(s->name, "syscalls") == 0 || strcmp(s->name, "raw_syscalls:sys_enter") == 0;
}

static void add_fd(struct perf_filter *f, int fd)
{
    f->fd = mem_append(f->fd, f->fds, sizeof *f->fd);
    f->fd[f->fds++] = fd;
}

/* 1: attached; 0: that CPU is offline; -1: impossible. */
static int attach_on(struct perf_filter *f, const struct perf_spec *s, int cpu, int program)
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
    int fd = (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

    if (fd < 0)
        return errno == ENODEV ? 0 : -1;
    add_fd(f, fd);
    return ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) == 0 &&
                   (s->type == PERF_TYPE_TRACEPOINT || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0)
               ? 1
               : -1;
}

static void let_go(struct perf_filter *f, size_t kept)
{
    while (f->fds > kept)
        close(f->fd[--f->fds]);
}

static bool add_event(struct perf_filter *f, const struct perf_spec *s, uint32_t key,
                      const pid_t *pids, size_t npids, size_t most)
{
    bool everywhere = s->type == PERF_TYPE_SOFTWARE, clock;
    enum bpf_prog_type type = everywhere       ? BPF_PROG_TYPE_PERF_EVENT
                              : is_syscalls(s) ? BPF_PROG_TYPE_RAW_TRACEPOINT
                                               : BPF_PROG_TYPE_TRACEPOINT;
    size_t kept = f->fds;
    int program, places = 0, rc = 0;

    /* Clocks measure time and have no events to filter; :u and :k have no meaning for a program on
     * a tracepoint. */
    clock = s->config == PERF_COUNT_SW_CPU_CLOCK || s->config == PERF_COUNT_SW_TASK_CLOCK;
    if (s->why[0] ||
        (everywhere ? clock : s->type != PERF_TYPE_TRACEPOINT || s->no_user || s->no_kernel))
        return false;
    program = make_program(f, type, key, pids, npids, type == BPF_PROG_TYPE_TRACEPOINT);
    if (program < 0)
        return false;
    if (kept + f->cpus >= most) {
        ;
    } else if (is_syscalls(s)) {
        rc = bpf_attach_raw("sys_enter", program);
        if (rc >= 0)
            add_fd(f, rc);
        places = rc >= 0;
    } else { /* a tracepoint has one list of programs for all CPUs */
        for (size_t cpu = 0; cpu < f->cpus && rc >= 0 && (everywhere || !places); cpu++) {
            rc = attach_on(f, s, (int)cpu, program);
            places += rc > 0;
        }
    }
    close(program);
    if (rc >= 0 && places > 0)
        return true;
    let_go(f, kept);
    return false;
}

struct perf_filter *perf_filter_open(const struct perf_spec *spec, size_t n, uint32_t skip,
                                     const pid_t *pids, size_t npids, size_t most,
                                     uint32_t *counted)
{
    struct perf_filter *f = mem_alloc(sizeof *f);

    *f = (struct perf_filter){.n = n, .map = -1};
    if (npids && npids <= PERF_FILTER_MAX_PIDS && bpf_sees_our_pids() && (f->cpus = bpf_cpus()) > 0)
        f->map = bpf_map(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t), sizeof(uint64_t), n, 0);
    if (f->map >= 0)
        f->slot = mem_array(f->cpus, sizeof *f->slot);
    for (size_t i = 0; i < n && f->map >= 0; i++)
        if (!(skip & UINT32_C(1) << i) && add_event(f, &spec[i], (uint32_t)i, pids, npids, most))
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
    fd_close(f->map);
    free(f->fd);
    free(f->slot);
    free(f);
}

void perf_filter_read(struct perf_filter *f, struct perf_reading *out)
{
    uint64_t ns = (uint64_t)(clock_mono() - f->since);

    for (uint32_t i = 0; i < f->n; i++) {
        memset(f->slot, 0, f->cpus * sizeof *f->slot);
        if (!(f->counted & UINT32_C(1) << i) ||
            bpf_element(BPF_MAP_LOOKUP_ELEM, f->map, &i, f->slot) != 0)
            continue;
        out->v[i] = (struct perf_value){0, ns, ns};
        for (size_t cpu = 0; cpu < f->cpus; cpu++)
            out->v[i].value += f->slot[cpu];
        out->have |= UINT32_C(1) << i;
    }
}
