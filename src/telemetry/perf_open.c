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
#include <sys/syscall.h>
#include <unistd.h>

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
