/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See perf.h.  By thread, the main thread of a process is opened first: it starts the other
 * threads, and those that it starts from then on inherit its counters.  A thread that appears
 * between listing and the end of opening may or may not have inherited counters; nothing tells
 * which, so it gets none and is counted as a stray.
 *
 * The counter of a thread that has ended stays readable, and the kernel adds the counts of its
 * children to it, so sums never fall.
 */
#include "telemetry/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "telemetry/cgroup.h"
#include "telemetry/perf_open.h"
#include "telemetry/proc.h"

struct perf_count {
    struct perf_spec spec[PERF_MAX_EVENTS];
    size_t n;
    struct perf_plan plan;
    int *fd; /* plan.events of the first target, then of the second, ... */
    size_t targets;
    int group_fd;
    uint32_t booked;            /* events that a reading of the processes holds */
    struct perf_filter *filter; /* NULL: nothing is counted so */
    uint32_t filtered;
    struct perf_reading past; /* counts of earlier processes */
    struct str how;
};

/* All threads of all processes, each process's main thread before its others. */
static void list_threads(const struct pid_list *processes, struct pid_list *out)
{
    int root = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct pid_list tids = {0};

    for (size_t i = 0; i < processes->n; i++) {
        if (root < 0 || proc_list_tasks(root, processes->ids[i], &tids) != 0)
            continue;
        pid_list_add(out, processes->ids[i]);
        for (size_t k = 0; k < tids.n; k++)
            if (tids.ids[k] != processes->ids[i])
                pid_list_add(out, tids.ids[k]);
    }
    pid_list_free(&tids);
    fd_close(root);
}

/* How many more descriptors may be used for counters: the process's limit, less a reserve and
 * the `keep` descriptors that the rest of the program will open. */
static size_t descriptors_left(size_t keep)
{
    enum { RESERVE = 64 };
    long left = limits_descriptors_left((long)keep + RESERVE);

    return left < 0 ? SIZE_MAX : (size_t)left;
}

/* Opens the plan on each target: those threads or, without a list, all CPUs. */
static void open_targets(struct perf_count *c, struct perf_target t, const struct pid_list *threads,
                         size_t keep)
{
    size_t n = threads ? threads->n : (size_t)sysconf(_SC_NPROCESSORS_CONF);
    size_t left = descriptors_left(keep);
    int *id = threads ? &t.id : &t.cpu, errnum;
    char why[160] = "";

    if (c->plan.events * n > left)
        snprintf(why, sizeof why,
                 "%zu events of %zu %s need %zu descriptors, only %zu may be opened (ulimit -n)",
                 c->plan.events, n, threads ? "threads" : "CPUs", c->plan.events * n, left);
    c->fd = mem_array(n * c->plan.events + 1, sizeof *c->fd);
    for (size_t i = 0; i < n && c->plan.events && !*why; i++) {
        *id = threads ? threads->ids[i] : (int)i;
        errnum = perf_open_plan(&c->plan, c->spec, &t, c->fd + c->targets * c->plan.events);
        if (!errnum)
            c->targets++;
        else if (errnum != (threads ? ESRCH : ENODEV)) /* it has ended, or is switched off */
            snprintf(why, sizeof why, "counting thread or CPU %d: %s", *id, strerror(errnum));
    }
    if (!*why)
        return;
    /* An event that could not be opened on all targets is not counted at all: a partial sum would
     * be worse. */
    for (size_t i = 0; i < c->plan.events; i++)
        snprintf(c->spec[c->plan.event[i]].why, sizeof c->spec[0].why, "%s", why);
    for (size_t i = 0; i < c->targets * c->plan.events; i++)
        close(c->fd[i]);
    c->targets = 0;
    c->plan = (struct perf_plan){0};
}

/* False: counting by cgroup does not work here; nothing was opened and no event has a reason.
 * `refused`: they have a group of their own, and the kernel does not count by it. */
static bool count_cgroup(struct perf_count *c, const struct pid_list *processes, size_t keep,
                         struct str *refused)
{
    struct perf_spec before[PERF_MAX_EVENTS];
    struct perf_spec any = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
    struct perf_target t = {.cgroup = true};
    char path[CGROUP_PATH_MAX];
    bool v2;

    c->group_fd = cgroup_open("/proc", processes->ids[0], "perf_event", path, &v2);
    if (c->group_fd < 0 || strcmp(path, "/") == 0 ||
        !cgroup_holds_only(c->group_fd, processes->ids, processes->n))
        return false;
    memcpy(before, c->spec, sizeof before);
    t.id = c->group_fd;
    perf_plan_make(&c->plan, c->spec, c->n, c->booked | c->filtered, &t);
    if (c->plan.events == 0) { /* not permitted, or nothing to count: by thread may say more */
        memcpy(c->spec, before, sizeof before);
        perf_plan_make(&c->plan, &any, 1, 0, &t);
        if (*any.why)
            str_printf(refused, " (not by control group %s: %s)", path, any.why);
        return false;
    }
    open_targets(c, t, NULL, keep);
    str_printf(&c->how, "%sby control group %s", c->how.len ? "; the rest " : "", path);
    return true;
}

static void count_threads(struct perf_count *c, const struct pid_list *processes, size_t keep,
                          const char *not_group)
{
    struct perf_target t = {.cpu = -1};
    struct pid_list threads = {0}, now = {0};

    list_threads(processes, &threads);
    t.id = threads.n ? threads.ids[0] : processes->ids[0];
    perf_plan_make(&c->plan, c->spec, c->n, c->booked | c->filtered, &t);
    if (c->plan.events)
        open_targets(c, t, &threads, keep);
    if (c->targets) { /* else each event has its reason */
        list_threads(processes, &now);
        str_printf(&c->how, "%sby thread, %zu threads and what they start%s",
                   c->how.len ? "; the rest " : "", c->targets, not_group);
        if (now.n > threads.n)
            str_printf(&c->how, "; %zu began meanwhile and may be missed", now.n - threads.n);
    }
    pid_list_free(&now);
    pid_list_free(&threads);
}

/* The figure of a sample that is the event's, or 0.  Page faults have none: the kernel's count
 * includes the pages that it fetched itself (MAP_POPULATE, direct I/O). */
static unsigned booked_as(const struct perf_spec *s)
{
    if (s->why[0] || s->type != PERF_TYPE_SOFTWARE || s->no_user || s->no_kernel)
        return 0;
    return s->config == PERF_COUNT_SW_CONTEXT_SWITCHES ? SAMPLE_SWITCHES : 0;
}

static void add_method(struct perf_count *c, const char *how, uint32_t events)
{
    const char *before = ": ";

    if (events)
        str_printf(&c->how, "%s%s", c->how.len ? "; " : "", how);
    for (size_t i = 0; i < c->n; i++)
        if (events & UINT32_C(1) << i) {
            str_printf(&c->how, "%s%s", before, c->spec[i].name);
            before = ", ";
        }
}

struct perf_count *perf_count_open(const struct perf_spec *spec, size_t n,
                                   const struct perf_whom *whom)
{
    unsigned ways = whom->ways ? whom->ways : ~0u;
    struct perf_count *c = mem_alloc(sizeof *c);
    struct pid_list processes = {0};
    struct proc_tree find = {0};
    struct perf_target t = {.id = -1};
    struct str refused = {0};
    bool any_left = false;

    memcpy(c->spec, spec, n * sizeof *spec);
    c->n = n;
    c->group_fd = -1;
    if (whom->system) {
        perf_plan_make(&c->plan, c->spec, c->n, 0, &t);
        if (c->plan.events)
            open_targets(c, t, NULL, whom->keep);
        if (c->targets) /* else each event has its reason */
            str_printf(&c->how, "of the whole system, %zu CPUs", c->targets);
        return c;
    }
    for (size_t i = 0; i < n && !whom->tree && ways & PERF_BY_KERNEL; i++)
        if (booked_as(&c->spec[i]) & whom->exact)
            c->booked |= UINT32_C(1) << i;
    add_method(c, "by taskstats", c->booked);
    if (ways & PERF_BY_PROCESS && !whom->tree) {
        c->filter = perf_filter_open(c->spec, n, c->booked, whom->pids, whom->n,
                                     descriptors_left(whom->keep), &c->filtered);
        add_method(c, "by process", c->filtered);
    }
    for (size_t i = 0; i < n; i++)
        any_left |= !c->spec[i].why[0] && !((c->booked | c->filtered) & UINT32_C(1) << i);
    if (!any_left)
        return c;
    proc_tree_list(&find, whom->pids, whom->n, whom->tree, &processes);
    if (!(ways & PERF_BY_CGROUP && count_cgroup(c, &processes, whom->keep, &refused)) &&
        ways & PERF_BY_THREAD)
        count_threads(c, &processes, whom->keep, str_cstr(&refused));
    str_free(&refused);
    pid_list_free(&processes);
    proc_tree_free(&find);
    return c;
}

void perf_count_close(struct perf_count *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->targets * c->plan.events; i++)
        close(c->fd[i]);
    fd_close(c->group_fd);
    perf_filter_close(c->filter);
    free(c->fd);
    str_free(&c->how);
    free(c);
}

/* One group, on all targets. */
static void read_group(const struct perf_count *c, size_t g, struct perf_reading *out)
{
    size_t first = c->plan.begin[g], n = c->plan.begin[g + 1] - first;
    struct { /* what read(2) gives, see perf_event_open(2): PERF_FORMAT_GROUP with both times */
        uint64_t nr, enabled, running;
        uint64_t value[PERF_MAX_EVENTS];
    } r;

    for (size_t t = 0; t < c->targets; t++) {
        if (read(c->fd[t * c->plan.events + first], &r, sizeof r) !=
                (ssize_t)((3 + n) * sizeof(uint64_t)) ||
            r.nr != n)
            return;
        for (size_t i = 0; i < n; i++) {
            struct perf_value *v = &out->v[c->plan.event[first + i]];
            v->value += r.value[i];
            v->enabled_ns += r.enabled;
            v->running_ns += r.running;
        }
    }
    for (size_t i = first; c->targets && i < first + n; i++)
        out->have |= UINT32_C(1) << c->plan.event[i];
}

void perf_count_read(struct perf_count *c, const struct sample *kernel, struct perf_reading *out)
{
    mono_ns begin = clock_mono(), end;

    *out = (struct perf_reading){0};
    for (size_t i = 0; i < c->n && kernel; i++) {
        if (!(c->booked & UINT32_C(1) << i) || /* a lower bound is no count */
            !((kernel->have | kernel->kept) & ~kernel->lower & booked_as(&c->spec[i])))
            continue;
        out->v[i] = (struct perf_value){kernel->vol_switches + kernel->invol_switches,
                                        (uint64_t)kernel->at, (uint64_t)kernel->at};
        out->have |= UINT32_C(1) << i;
    }
    if (c->filter)
        perf_filter_read(c->filter, out);
    for (size_t g = 0; g < c->plan.groups; g++)
        read_group(c, g, out);
    for (size_t i = 0; i < c->n; i++)
        if (c->past.have & out->have & ~c->booked & UINT32_C(1) << i) {
            out->v[i].value += c->past.v[i].value;
            out->v[i].enabled_ns += c->past.v[i].enabled_ns;
            out->v[i].running_ns += c->past.v[i].running_ns;
        }
    end = clock_mono();
    out->at = begin + (end - begin) / 2;
    out->cost_ns = end - begin;
}

void perf_count_again(struct perf_count **c, const struct perf_spec *spec, size_t n,
                      const struct perf_whom *whom)
{
    struct perf_count *next = perf_count_open(spec, n, whom);

    perf_count_read(*c, NULL, &next->past);
    if (whom->system)
        str_adds(&next->how, "; their number changed");
    else if (next->targets || next->filtered)
        str_adds(&next->how, "; since the server was restarted: counted from when it was found");
    perf_count_close(*c);
    *c = next;
}

const struct perf_spec *perf_count_spec(const struct perf_count *c, size_t *n)
{
    *n = c->n;
    return c->spec;
}

const char *perf_count_how(const struct perf_count *c)
{
    return str_cstr(&c->how);
}

/* --- the difference of two readings ---------------------------------------------------------- */

/*
 * A ratio takes both its events in the same modes: user misses per user and
 * kernel instruction would be neither.
 */

/* The first event of that role in the modes of `like` (NULL: any); n when there is none. */
static size_t find(const struct perf_spec *spec, size_t n, enum perf_role role,
                   const struct perf_spec *like)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (spec[i].role == role &&
            (!like || (spec[i].no_user == like->no_user && spec[i].no_kernel == like->no_kernel)))
            break;
    return i;
}

/* Sets the events of a quotient, as indices; false: it is not requested. */
static bool find_pair(const struct perf_spec *spec, size_t n, size_t which, size_t *top,
                      size_t *bottom)
{
    static const enum perf_role role[][2] = {{PERF_INSTRUCTIONS, PERF_CYCLES},
                                             {PERF_ICACHE_MISSES, PERF_INSTRUCTIONS},
                                             {PERF_ITLB_MISSES, PERF_INSTRUCTIONS},
                                             {PERF_BRANCH_MISSES, PERF_BRANCHES}};

    *top = find(spec, n, role[which][0], NULL);
    *bottom = *top < n ? find(spec, n, role[which][1], &spec[*top]) : n;
    return *bottom < n;
}

unsigned perf_figures_derived(const struct perf_spec *spec, size_t n)
{
    unsigned mask = find(spec, n, PERF_CYCLES, NULL) < n ? PERF_WORK : 0;
    size_t top, bottom;

    for (size_t i = 0; i < 4; i++)
        if (find_pair(spec, n, i, &top, &bottom))
            mask |= 1u << i;
    return mask;
}

static double quotient(const struct perf_spec *spec, size_t n, const struct perf_delta *d,
                       size_t which)
{
    size_t top, bottom;

    if (!find_pair(spec, n, which, &top, &bottom) || !d->f[top].have || !d->f[bottom].have ||
        !(d->f[bottom].count > 0))
        return NAN;
    return d->f[top].count / d->f[bottom].count;
}

void perf_figures_diff(const struct perf_spec *spec, size_t n, const struct perf_reading *before,
                       const struct perf_reading *after, struct perf_delta *out)
{
    size_t cycles = find(spec, n, PERF_CYCLES, NULL);

    *out = (struct perf_delta){.wall_ns = after->at - before->at};
    for (size_t i = 0; i < n; i++) {
        const struct perf_value *b = &before->v[i], *a = &after->v[i];
        uint64_t enabled = a->enabled_ns - b->enabled_ns, running = a->running_ns - b->running_ns;
        struct perf_figure *f = &out->f[i];
        if (spec[i].why[0]) {
            f->why = spec[i].why;
        } else if (before->generation != after->generation) {
            f->why = "the counters were opened anew in this interval";
        } else if (!(before->have & after->have & UINT32_C(1) << i)) {
            f->why = "the counter could not be read";
        } else if (a->value < b->value || a->enabled_ns < b->enabled_ns ||
                   a->running_ns < b->running_ns) {
            f->why = "the counter went backwards";
        } else if (enabled > 0 && running == 0) {
            f->why = spec[i].type == PERF_TYPE_SOFTWARE
                         ? "it was never switched on"
                         : "other events held the CPU's counters all the time";
        } else {
            f->have = true;
            f->ratio = enabled > running ? (double)running / (double)enabled : 1;
            f->count = (double)(a->value - b->value) / f->ratio;
        }
    }
    out->d.ipc = quotient(spec, n, out, 0);
    out->d.icache_per_instruction = quotient(spec, n, out, 1);
    out->d.itlb_per_instruction = quotient(spec, n, out, 2);
    out->d.branch_miss_pct = 100 * quotient(spec, n, out, 3);
    out->d.cycles =
        cycles < n && out->f[cycles].have && out->f[cycles].count > 0 ? out->f[cycles].count : NAN;
}
