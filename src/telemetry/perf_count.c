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

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* The processes to count: those named and, of a tree, their descendants; ascending. */
static void list_processes(const pid_t *pids, size_t npids, bool tree, struct pid_list *out)
{
    int root = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct proc_tree find = {0};

    for (size_t i = 0; i < npids; i++) {
        pid_list_add(out, pids[i]);
        if (tree && root >= 0 && proc_tree_find(&find, root, pids[i]) == 0)
            for (size_t k = 0; k < find.found.n; k++)
                pid_list_add(out, find.found.ids[k]);
    }
    proc_tree_free(&find);
    if (root >= 0)
        close(root);
    pid_list_sort(out);
}

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
    if (root >= 0)
        close(root);
}

/* How many more descriptors may be used for counters: the process's limit, less a reserve and
 * the `keep` descriptors that the rest of the program will open. */
static size_t descriptors_left(size_t keep)
{
    enum { RESERVE = 64 };
    DIR *d = opendir("/proc/self/fd");
    struct rlimit lim;
    size_t used = keep;

    while (d && readdir(d))
        used++;
    if (d)
        closedir(d);
    if (getrlimit(RLIMIT_NOFILE, &lim) != 0 || lim.rlim_cur < used + RESERVE)
        return 0;
    return lim.rlim_cur == RLIM_INFINITY ? SIZE_MAX : (size_t)lim.rlim_cur - used - RESERVE;
}

static void reserve(struct perf_count *c, size_t targets)
{
    c->fd = mem_array(targets ? targets * c->plan.events + 1 : 1, sizeof *c->fd);
}

static bool add_target(struct perf_count *c, const struct perf_target *t, int *errnum)
{
    *errnum = perf_open_plan(&c->plan, c->spec, t, c->fd + c->targets * c->plan.events);
    if (*errnum)
        return false;
    c->targets++;
    return true;
}

/* An event that could not be opened on all targets is not counted at all: a partial sum would be
 * worse. */
static void give_up(struct perf_count *c, int errnum, int id)
{
    for (size_t i = 0; i < c->plan.events; i++) {
        struct perf_spec *s = &c->spec[c->plan.event[i]];
        snprintf(s->why, sizeof s->why, "counting thread or CPU %d: %s", id, strerror(errnum));
    }
    for (size_t i = 0; i < c->targets * c->plan.events; i++)
        close(c->fd[i]);
    c->targets = 0;
    c->plan = (struct perf_plan){0};
}

/* If more descriptors are needed than may be opened, drops events from the end of the list. */
static void fit_descriptors(struct perf_count *c, size_t targets, const char *what, size_t keep)
{
    size_t left = descriptors_left(keep);
    char why[160];

    if (targets == 0 || c->plan.events * targets <= left)
        return;
    snprintf(why, sizeof why,
             "%zu events of %zu %s need %zu descriptors, only %zu may be opened (ulimit -n)",
             c->plan.events, targets, what, c->plan.events * targets, left);
    perf_plan_cut(&c->plan, c->spec, left / targets, why);
}

/* One target for each CPU that is not switched off. */
static void add_cpus(struct perf_count *c, struct perf_target t, size_t keep)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    int why = 0;

    fit_descriptors(c, (size_t)cpus, "CPUs", keep);
    reserve(c, (size_t)cpus);
    for (t.cpu = 0; t.cpu < cpus && c->plan.events && !why; t.cpu++)
        if (!add_target(c, &t, &why) && why == ENODEV)
            why = 0;
    if (why)
        give_up(c, why, t.cpu - 1);
}

/* The beginning of the last part of `how`. */
static const char *others(const struct perf_count *c)
{
    return c->booked | c->filtered ? "; the rest " : "";
}

/* False: counting by cgroup does not work here; nothing was opened and no reason was set. */
static bool count_cgroup(struct perf_count *c, const struct pid_list *processes, size_t keep)
{
    struct perf_spec before[PERF_MAX_EVENTS];
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
        return false;
    }
    add_cpus(c, t, keep);
    str_printf(&c->how, "%sby control group %s", others(c), path);
    return true;
}

static void describe_threads(struct perf_count *c, const struct pid_list *processes, size_t listed)
{
    struct pid_list now = {0};

    list_threads(processes, &now);
    str_printf(&c->how, "%sby thread, %zu threads and what they start", others(c), c->targets);
    if (now.n > listed)
        str_printf(&c->how, "; %zu began meanwhile and may be missed", now.n - listed);
    pid_list_free(&now);
}

static void count_threads(struct perf_count *c, const struct pid_list *processes, size_t keep)
{
    struct perf_target t = {.cpu = -1};
    struct pid_list threads = {0};
    int why = 0;

    list_threads(processes, &threads);
    t.id = threads.n ? threads.ids[0] : processes->ids[0];
    perf_plan_make(&c->plan, c->spec, c->n, c->booked | c->filtered, &t);
    if (c->plan.events == 0) {
        pid_list_free(&threads);
        return;
    }
    fit_descriptors(c, threads.n, "threads", keep);
    reserve(c, threads.n);
    for (size_t i = 0; i < threads.n && c->plan.events && !why; i++) {
        t.id = threads.ids[i];
        if (!add_target(c, &t, &why) && why == ESRCH) /* it has ended */
            why = 0;
    }
    if (why)
        give_up(c, why, t.id);
    if (c->targets) /* else each event has its reason */
        describe_threads(c, processes, threads.n);
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

static void count_booked(struct perf_count *c, const struct perf_whom *whom)
{
    for (size_t i = 0; i < c->n && !whom->tree; i++)
        if (booked_as(&c->spec[i]) & whom->exact)
            c->booked |= UINT32_C(1) << i;
    add_method(c, "by the kernel's own accounts", c->booked);
}

static void count_filtered(struct perf_count *c, const struct perf_whom *whom)
{
    struct perf_spec spec[PERF_MAX_EVENTS];

    memcpy(spec, c->spec, sizeof spec);
    for (size_t i = 0; i < c->n; i++)
        if (c->booked & UINT32_C(1) << i)
            snprintf(spec[i].why, sizeof spec[i].why, "booked");
    c->filter = perf_filter_open(spec, c->n, whom->pids, whom->n, descriptors_left(whom->keep),
                                 &c->filtered);
    add_method(c, "by process", c->filtered);
}

/* True when an event could be counted but is not counted yet. */
static bool any_left(const struct perf_count *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (!c->spec[i].why[0] && !((c->booked | c->filtered) & UINT32_C(1) << i))
            return true;
    return false;
}

struct perf_count *perf_count_open(const struct perf_spec *spec, size_t n,
                                   const struct perf_whom *whom)
{
    unsigned ways = whom->ways ? whom->ways : ~0u;
    struct perf_count *c = mem_alloc(sizeof *c);
    struct pid_list processes = {0};
    struct perf_target t = {.id = -1};

    memcpy(c->spec, spec, n * sizeof *spec);
    c->n = n;
    c->group_fd = -1;
    if (whom->system) {
        perf_plan_make(&c->plan, c->spec, c->n, 0, &t);
        if (c->plan.events)
            add_cpus(c, t, whom->keep);
        if (c->targets) /* else each event has its reason */
            str_printf(&c->how, "of the whole system, %zu CPUs", c->targets);
        return c;
    }
    if (ways & PERF_BY_KERNEL)
        count_booked(c, whom);
    if (ways & PERF_BY_PROCESS && !whom->tree)
        count_filtered(c, whom);
    if (any_left(c)) {
        list_processes(whom->pids, whom->n, whom->tree, &processes);
        if (!(ways & PERF_BY_CGROUP && count_cgroup(c, &processes, whom->keep)) &&
            ways & PERF_BY_THREAD)
            count_threads(c, &processes, whom->keep);
        pid_list_free(&processes);
    }
    return c;
}

void perf_count_close(struct perf_count *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->targets * c->plan.events; i++)
        close(c->fd[i]);
    if (c->group_fd >= 0)
        close(c->group_fd);
    perf_filter_close(c->filter);
    free(c->fd);
    str_free(&c->how);
    free(c);
}

/* What read(2) gives of a group, see perf_event_open(2): PERF_FORMAT_GROUP with both times. */
struct group_read {
    uint64_t nr, enabled, running;
    uint64_t value[PERF_MAX_EVENTS];
};

static bool add_group(const struct perf_count *c, int leader, size_t g, struct perf_reading *out)
{
    size_t first = c->plan.begin[g], n = c->plan.begin[g + 1] - first;
    struct group_read r;
    ssize_t want = (ssize_t)((3 + n) * sizeof(uint64_t));

    if (read(leader, &r, sizeof r) != want || r.nr != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct perf_value *v = &out->v[c->plan.event[first + i]];
        v->value += r.value[i];
        v->enabled_ns += r.enabled;
        v->running_ns += r.running;
    }
    return true;
}

static void read_group(const struct perf_count *c, size_t g, struct perf_reading *out)
{
    bool all = c->targets > 0;

    for (size_t t = 0; t < c->targets && all; t++)
        all = add_group(c, c->fd[t * c->plan.events + c->plan.begin[g]], g, out);
    for (size_t i = c->plan.begin[g]; all && i < c->plan.begin[g + 1]; i++)
        out->have |= UINT32_C(1) << c->plan.event[i];
}

/* A lower bound is no count. */
static void read_booked(const struct perf_count *c, const struct sample *kernel,
                        struct perf_reading *out)
{
    for (size_t i = 0; i < c->n; i++) {
        unsigned figure = booked_as(&c->spec[i]);
        if (!(c->booked & UINT32_C(1) << i) ||
            !((kernel->have | kernel->kept) & ~kernel->lower & figure))
            continue;
        out->v[i] = (struct perf_value){kernel->vol_switches + kernel->invol_switches,
                                        (uint64_t)kernel->at, (uint64_t)kernel->at};
        out->have |= UINT32_C(1) << i;
    }
}

void perf_count_read(struct perf_count *c, const struct sample *kernel, struct perf_reading *out)
{
    mono_ns begin = clock_mono(), end;

    *out = (struct perf_reading){0};
    if (kernel)
        read_booked(c, kernel, out);
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

struct pair {
    size_t top, bottom;
};

static bool find_pair(const struct perf_spec *spec, size_t n, enum perf_role top,
                      enum perf_role bottom, struct pair *p)
{
    p->top = find(spec, n, top, NULL);
    if (p->top == n)
        return false;
    p->bottom = find(spec, n, bottom, &spec[p->top]);
    return p->bottom < n;
}

static const struct {
    enum perf_role top, bottom;
} derived[] = {{PERF_INSTRUCTIONS, PERF_CYCLES},
               {PERF_ICACHE_MISSES, PERF_INSTRUCTIONS},
               {PERF_ITLB_MISSES, PERF_INSTRUCTIONS},
               {PERF_BRANCH_MISSES, PERF_BRANCHES}};

unsigned perf_figures_derived(const struct perf_spec *spec, size_t n)
{
    unsigned mask = 0;
    struct pair p;

    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
        if (find_pair(spec, n, derived[i].top, derived[i].bottom, &p))
            mask |= 1u << i;
    return find(spec, n, PERF_CYCLES, NULL) < n ? mask | PERF_WORK : mask;
}

static double quotient(const struct perf_spec *spec, size_t n, const struct perf_delta *d,
                       size_t which)
{
    struct pair p;

    if (!find_pair(spec, n, derived[which].top, derived[which].bottom, &p) || !d->f[p.top].have ||
        !d->f[p.bottom].have || !(d->f[p.bottom].count > 0))
        return NAN;
    return d->f[p.top].count / d->f[p.bottom].count;
}

static double cycles(const struct perf_spec *spec, size_t n, const struct perf_delta *d)
{
    size_t i = find(spec, n, PERF_CYCLES, NULL);

    return i < n && d->f[i].have && d->f[i].count > 0 ? d->f[i].count : NAN;
}

static void figure(const struct perf_spec *spec, const struct perf_value *b,
                   const struct perf_value *a, struct perf_figure *f)
{
    uint64_t enabled = a->enabled_ns - b->enabled_ns, running = a->running_ns - b->running_ns;

    if (a->value < b->value || a->enabled_ns < b->enabled_ns || a->running_ns < b->running_ns) {
        f->why = "the counter went backwards";
        return;
    }
    if (enabled > 0 && running == 0) {
        f->why = spec->type == 1 ? "it was never switched on"
                                 : "other events held the CPU's counters all the time";
        return;
    }
    f->have = true;
    f->ratio = enabled > running ? (double)running / (double)enabled : 1;
    f->count = (double)(a->value - b->value) / f->ratio;
}

void perf_figures_diff(const struct perf_spec *spec, size_t n, const struct perf_reading *before,
                       const struct perf_reading *after, struct perf_delta *out)
{
    *out = (struct perf_delta){.wall_ns = after->at - before->at};
    for (size_t i = 0; i < n; i++) {
        if (spec[i].why[0])
            out->f[i].why = spec[i].why;
        else if (before->generation != after->generation)
            out->f[i].why = "the counters were opened anew in this interval";
        else if (!(before->have & after->have & UINT32_C(1) << i))
            out->f[i].why = "the counter could not be read";
        else
            figure(&spec[i], &before->v[i], &after->v[i], &out->f[i]);
    }
    out->d.ipc = quotient(spec, n, out, 0);
    out->d.icache_per_instruction = quotient(spec, n, out, 1);
    out->d.itlb_per_instruction = quotient(spec, n, out, 2);
    out->d.branch_miss_pct = 100 * quotient(spec, n, out, 3);
    out->d.cycles = cycles(spec, n, out);
}
