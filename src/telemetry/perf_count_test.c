/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counters against a process whose switches, page faults, system calls and CPU time are known:
 * threads and processes that come and go, in each of the ways of counting.  The events are software
 * events and tracepoints, which exist everywhere; the CPU's own go by thread or by control group.
 */
#include "telemetry/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/limits.h"
#include "base/mem.h"
#include "telemetry/cgroup.h"
#include "telemetry/perf_open.h"
#include "telemetry/proc.h"
#include "telemetry/server.h"
#include "telemetry/spin_test.h"
#include "telemetry/test_kernel.h"
#include "telemetry/test_rights.h"

enum { SWITCHES, FAULTS, CLOCK, SYSCALLS, EVENTS };
#define LIST "context-switches,page-faults,task-clock,syscalls"

/* The rest: events of a CPU, which may be unavailable, and must not affect the others. */
#define CPU_LIST                                                                                   \
    ",instructions:u,cycles:u,branches:u,branch-misses:u,L1-icache-load-misses:u,cache-misses"

struct count_case {
    const char *args[9];
    bool tree;
    bool reads; /* its system time consists of calls */
    long switches;
};

static const struct count_case cases[] = {
    {.args = {"spin", "--cpu=0.1", "--sys-share=30", "--switches=250"},
     .reads = true,
     .switches = 250},
    {.args = {"spin", "--cpu=0.1", "--threads=3", "--lives=10", "--switches=1000"},
     .switches = 1000},
    {.args = {"spin", "--cpu=0.1", "--threads=2", "--lives=3", "--switches=200", "--processes"},
     .tree = true,
     .switches = 200},
};

/* A group of our own below the one we are in (version 2), with the process in it; -1: not
 * permitted. */
static int own_group(pid_t pid, char name[64])
{
    char path[CGROUP_PATH_MAX], text[32];
    bool v2;
    int here = cgroup_open("/proc", getpid(), "perf_event", path, &v2), fd, group;

    snprintf(name, 64, "sb-test-%d", (int)pid);
    if (here < 0 || mkdirat(here, name, 0755) != 0) {
        if (here >= 0)
            close(here);
        return -1;
    }
    group = openat(here, name, O_RDONLY | O_DIRECTORY);
    fd = openat(group, "cgroup.procs", O_WRONLY);
    snprintf(text, sizeof text, "%d", (int)pid);
    if (write(fd, text, strlen(text)) < 0)
        perror("cgroup.procs");
    close(fd);
    close(group);
    return here;
}

static void leave_group(int here, const char *name)
{
    if (here >= 0)
        unlinkat(here, name, AT_REMOVEDIR);
    fd_close(here);
}

/* Counts the events of a list, n of them. */
static const struct perf_spec *open_list(struct perf_count **c, const char *list, size_t *n,
                                         struct perf_whom whom)
{
    struct perf_spec spec[PERF_MAX_EVENTS];
    struct perf_names names;
    struct err e = {0};
    size_t m;

    perf_names_open(&names, NULL);
    CHECK_INT(perf_names_parse(&names, list, spec, n, &e), 0);
    perf_names_close(&names);
    *c = perf_count_open(spec, *n, &whom);
    const struct perf_spec *s = perf_count_spec(*c, &m);
    CHECK_INT(m, *n);
    return s;
}

static bool can_count(const struct perf_spec *s)
{
    if (s->why[0])
        printf("  not here: %s: %s\n", s->name, s->why);
    return !s->why[0];
}

/* What the kernel itself booked, from spin's two lines. */
static void check_figures(const struct count_case *c, const struct perf_spec *s,
                          const struct perf_delta *d, const struct spin *p)
{
    double switches = (double)(p->end.vol - p->begin.vol + p->end.invol - p->begin.invol);
    double faults = (double)(p->end.minflt - p->begin.minflt + p->end.majflt - p->begin.majflt);
    double cpu_us = (double)(p->end.user_us - p->begin.user_us + p->end.sys_us - p->begin.sys_us);

    if (can_count(&s[SWITCHES])) {
        CHECK(d->f[SWITCHES].have);
        /* a sleep that is over at once is none */
        CHECK_TIMED(d->f[SWITCHES].count >= 0.99 * (double)c->switches);
        /* each thread's last switch away is its end, which getrusage does not book as one */
        CHECK_TIMED_NEAR(d->f[SWITCHES].count, switches, 0.01 * switches + 40);
    }
    if (can_count(&s[FAULTS]))
        CHECK_TIMED_NEAR(d->f[FAULTS].count, faults, 0.01 * faults + 5);
    if (can_count(
            &s[CLOCK])) { /* without the switches themselves, but with what a host took away */
        CHECK_TIMED(d->f[CLOCK].count / 1e3 > 0.9 * cpu_us - 3000);
        CHECK_TIMED(d->f[CLOCK].count / 1e3 < 2 * cpu_us + 20000);
    }
    if (can_count(&s[SYSCALLS])) { /* a sleep each, and what starting and ending threads takes */
        CHECK_TIMED(d->f[SYSCALLS].count >= 0.99 * (double)c->switches);
        CHECK_TIMED(d->f[SYSCALLS].count < (double)c->switches + (c->reads ? 1e6 : 10000));
    }
    for (size_t i = 0; i < EVENTS; i++)
        CHECK_TIMED(s[i].why[0] || (d->f[i].ratio > 0.999 && d->f[i].ratio <= 1));
}

struct counting {
    const struct count_case *c;
    const char *list;
    unsigned way; /* PERF_BY_*; events that it cannot count are counted by thread */
};

static const char *name_of(unsigned way)
{
    return way == PERF_BY_KERNEL    ? "by taskstats"
           : way == PERF_BY_PROCESS ? "by process"
           : way == PERF_BY_CGROUP  ? "by control group"
                                    : "by thread, ";
}

/* Two ways of counting the same agree. */
static void check_equal(const struct perf_spec *s, const struct perf_delta *d,
                        const struct perf_spec *ref_s, const struct perf_delta *ref)
{
    static const double slack[EVENTS] = {[SWITCHES] = 40, [FAULTS] = 5, [SYSCALLS] = 5};

    for (size_t i = 0; i < EVENTS; i++) {
        if (i == CLOCK || s[i].why[0] || ref_s[i].why[0])
            continue;
        CHECK(d->f[i].have && ref->f[i].have);
        CHECK_TIMED_NEAR(d->f[i].count, ref->f[i].count, 0.01 * ref->f[i].count + slack[i]);
    }
}

static long descriptors; /* before the first of all */

/* Nothing is left open; the thread that watches the machine has a file open now and then. */
static void check_closed(void)
{
    const mono_ns limit = clock_mono() + 60 * NS_PER_SEC;

    while (limits_descriptors_open() != descriptors)
        if (clock_mono() > limit) {
            CHECK_INT(limits_descriptors_open(), descriptors);
            break;
        }
}

static void count(const struct counting *how)
{
    const struct count_case *c = how->c;
    const char *list = how->list;
    bool grouped = how->way == PERF_BY_CGROUP;
    const struct perf_spec *s, *ref_s;
    struct perf_reading before, after, ref_before, ref_after;
    struct perf_delta d, ref_d;
    struct perf_count *counted, *ref;
    struct perf_whom whom = {.n = 1, .tree = c->tree};
    struct server *server = NULL;
    struct sample sample;
    struct spin spin = {0};
    struct err e = {0};
    char name[64];
    size_t n;
    int here = -1;

    CHECK(spin_start(&spin, c->args));
    if (grouped && (here = own_group(spin.pid, name)) < 0)
        printf("  no control group of our own: not permitted here\n");
    if (!grouped || here >= 0) {
        CHECK_INT(server_open(&server, "/proc", &spin.pid, 1, c->tree, &e), 0);
        whom.pids = &spin.pid;
        whom.exact = server_exact(server);
        CHECK(!c->tree || whom.exact == 0);
        whom.ways = how->way | PERF_BY_THREAD;
        s = open_list(&counted, list, &n, whom);
        whom.ways = PERF_BY_THREAD;
        ref_s = open_list(&ref, list, &n, whom);
        server_read(server, &sample);
        perf_count_read(counted, &sample, &before);
        perf_count_read(ref, NULL, &ref_before);
        CHECK(spin_go(&spin));
        CHECK(spin_done(&spin));
        server_read(server, &sample);
        perf_count_read(counted, &sample, &after);
        perf_count_read(ref, NULL, &ref_after);
        perf_figures_diff(s, n, &before, &after, &d);
        perf_figures_diff(ref_s, n, &ref_before, &ref_after, &ref_d);
        if (how->way == PERF_BY_KERNEL ? whom.exact & SAMPLE_SWITCHES : !s[SWITCHES].why[0]) {
            bool so = strstr(perf_count_how(counted), name_of(how->way)) != NULL;
            CHECK(so || (how->way == PERF_BY_PROCESS && (c->tree || !test_bpf_permitted())));
            CHECK(!(so && c->tree && how->way == PERF_BY_PROCESS));
            if (so && how->way == PERF_BY_PROCESS && !s[SYSCALLS].why[0])
                CHECK(strstr(perf_count_how(counted),
                             "by process: context-switches, page-faults, syscalls") != NULL);
            if (so && how->way == PERF_BY_KERNEL) { /* nothing else is booked */
                static const char booked[] = "by taskstats: context-switches";
                const char *said = perf_count_how(counted);
                CHECK(strncmp(said, booked, sizeof booked - 1) == 0 &&
                      !strchr(",:", said[sizeof booked - 1] ? said[sizeof booked - 1] : ' '));
            }
            if (!so)
                printf("  not %s here, but %s\n", name_of(how->way), perf_count_how(counted));
        }
        check_figures(c, s, &d, &spin);
        check_equal(s, &d, ref_s, &ref_d);
        perf_count_close(counted);
        perf_count_close(ref);
        server_close(server);
    }
    spin_stop(&spin);
    leave_group(here, name);
    check_closed();
}

static void count_spin(const struct count_case *c, const char *list, unsigned way)
{
    timed_begin();
    count(&(struct counting){c, list, way});
}

static const struct perf_whom all_cpus = {.system = true};

/* All CPUs: what a process does is in the sum, whoever started it. */
static void check_system(void)
{
    static const char *const args[] = {"spin", "--cpu=0.2", "--switches=500", NULL};
    enum { TASK, SWITCHED, FAULTED, CPUS };
    struct perf_reading before, after;
    struct perf_delta d;
    struct spin spin = {0};
    struct perf_count *c;
    size_t n;
    /* a clock leads its group */
    const struct perf_spec *s =
        open_list(&c, "task-clock,context-switches,page-faults,cpu-clock", &n, all_cpus);

    if (can_count(&s[SWITCHED])) {
        CHECK(strncmp(perf_count_how(c), "of the whole system, ", 21) == 0);
        CHECK(spin_start(&spin, args));
        perf_count_read(c, NULL, &before);
        CHECK(spin_go(&spin) && spin_done(&spin));
        perf_count_read(c, NULL, &after);
        spin_stop(&spin);
        perf_figures_diff(s, n, &before, &after, &d);
        for (size_t i = 0; i < n; i++)
            CHECK(d.f[i].have);
        /* both clocks count wall time on every CPU, also where it is idle */
        CHECK(d.f[TASK].count >= 0.2e9 && d.f[CPUS].count >= 0.2e9);
        CHECK_TIMED(d.f[SWITCHED].count >= 0.99 * 500); /* a sleep that is over at once is none */
        CHECK(d.f[FAULTED].count >= (double)(spin.end.minflt - spin.begin.minflt));
    }
    perf_count_close(c);
}

/* Nobody but root may count all CPUs, unless the machine's owner allows it. */
static void check_system_refused(void *arg)
{
    struct perf_count *c = arg;
    size_t n;
    const struct perf_spec *s = open_list(&c, "context-switches,page-faults", &n, all_cpus);

    CHECK(!s[0].why[0] || strstr(s[0].why, "CAP_PERFMON, or 0 or less") ||
          strstr(s[0].why, "perf_event_open"));
    perf_count_close(c);
}

/* Too many for the descriptors: none is counted, for that reason. */
static void check_descriptors(bool system)
{
    struct rlimit old, few = {.rlim_cur = 76};
    struct perf_count *count;
    size_t n;
    int cut = 0;

    getrlimit(RLIMIT_NOFILE, &old);
    few.rlim_max = old.rlim_max;
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
    const struct perf_spec *s = open_list(
        &count,
        "context-switches,page-faults,faults:u,minor-faults,major-faults,cpu-clock,task-clock,"
        "cpu-migrations,page-faults:k,minor-faults:u,major-faults:u,cpu-clock:u",
        &n,
        (struct perf_whom){
            .pids = &(pid_t){getpid()}, .n = 1, .ways = PERF_BY_THREAD, .system = system});
    setrlimit(RLIMIT_NOFILE, &old);
    for (size_t i = 0; i < n; i++)
        cut += strstr(s[i].why, "descriptors") != NULL;
    if (can_count(&s[0]))
        CHECK_INT(cut, (int)n);
    perf_count_close(count);
}

/* A CPU's events where there are none: each becomes a clock of the kernel. */
static int lend_clock(long number, const long a[6])
{
    struct perf_event_attr *e = (void *)a[0];

    if (number == SYS_perf_event_open && e->type == PERF_TYPE_RAW) {
        e->type = PERF_TYPE_SOFTWARE;
        e->config = PERF_COUNT_SW_TASK_CLOCK;
    }
    return 0;
}

/* Software events are one group, a CPU's are as many as it has counters for. */
static void check_groups(void)
{
    size_t limit = proc_setting("/proc/sys/kernel/nmi_watchdog", 0) == 1 ? 3 : 4, n;
    struct perf_spec spec[PERF_MAX_EVENTS];
    struct perf_names names;
    struct perf_plan plan;
    struct err e = {0};

    perf_names_open(&names, NULL);
    CHECK_INT(perf_names_parse(&names, "r1,cs,r2,r3,r4,faults,r5,r6,r7,r8,r9", spec, &n, &e), 0);
    perf_names_close(&names);
    test_kernel = lend_clock;
    perf_plan_make(&plan, spec, n, 0, &(struct perf_target){.id = getpid(), .cpu = -1});
    test_kernel = NULL;
    if (!can_count(spec))
        return;
    CHECK_INT(plan.events, n);
    CHECK_INT(plan.groups, 1 + (9 + limit - 1) / limit);
    for (size_t g = 1; g < plan.groups; g++)
        CHECK_INT(plan.begin[g], 2 + (g - 1) * limit);
    CHECK_INT(plan.begin[plan.groups], n);
}

static int refusal;
static long refused_flag; /* 0: any */

static int refuse(long number, const long a[6])
{
    return number == SYS_perf_event_open && (!refused_flag || a[4] & refused_flag) ? refusal : 0;
}

/* Nobody counts a process that does not exist; the kernel refuses to count this one, or does. */
static void check_refused(void)
{
    static const struct {
        int error;
        const char *why;
    } t[] = {{ENOSYS, "this kernel has no perf_event_open"},
             {ENOENT, "this CPU or kernel does not count it"},
             {ENODEV, "this CPU or kernel does not count it"},
             {EOPNOTSUPP, "this CPU or kernel does not count it"},
             {EINVAL, "this CPU or kernel does not count it"},
             {EMFILE, "counting thread of 4194303: Too many open files"},
             {0, "counting thread of 4194303: No such process"}};

    for (size_t i = 0; i <= sizeof t / sizeof *t; i++) {
        bool counts = i == sizeof t / sizeof *t;
        pid_t pid = counts ? getpid() : 4194303;
        struct perf_reading r;
        struct perf_count *c;
        size_t n;
        refusal = counts ? 0 : t[i].error;
        test_kernel = refuse;
        const struct perf_spec *s =
            open_list(&c, "context-switches,page-faults", &n,
                      (struct perf_whom){.pids = &pid, .n = 1, .ways = PERF_BY_THREAD});
        test_kernel = NULL;
        perf_count_read(c, NULL, &r);
        if (counts && can_count(s))
            CHECK_STR(strstr(perf_count_how(c), " threads"), " threads and what they start");
        for (size_t k = 0; k < n && !counts; k++)
            CHECK_STR(s[k].why, t[i].why);
        CHECK_INT(r.have, counts && !s[0].why[0] ? 3 : 0);
        perf_count_close(c);
    }
}

/* Processes with a group of their own are counted by thread nevertheless, and the text says why. */
static void check_group_refused(int error, const char *why)
{
    static const char *const args[] = {"spin", NULL};
    struct perf_count *count;
    struct spin spin = {0};
    char name[64], said[300];
    size_t n;
    int here = -1;

    CHECK(spin_start(&spin, args));
    here = own_group(spin.pid, name);
    if (here >= 0) {
        refusal = error;
        refused_flag = PERF_FLAG_PID_CGROUP;
        test_kernel = refuse;
        const struct perf_spec *s = open_list(
            &count, "page-faults,cycles", &n,
            (struct perf_whom){.pids = &spin.pid, .n = 1, .ways = PERF_BY_CGROUP | PERF_BY_THREAD});
        test_kernel = NULL;
        snprintf(said, sizeof said, "/%s: %s", name, why);
        if (can_count(s)) {
            printf("  %s\n", perf_count_how(count));
            CHECK(strncmp(perf_count_how(count), "by thread, ", 11) == 0);
            CHECK(strstr(perf_count_how(count), " (not by control group ") != NULL);
            CHECK(strstr(perf_count_how(count), said) != NULL);
        }
        perf_count_close(count);
    }
    spin_stop(&spin);
    leave_group(here, name);
}

/* As kernels name the counters of CPUs, by ACPI and by device trees, and those that are no
 * CPU's. */
static void check_pmu_names(void)
{
    char names[] = "cpu cpu_core cpu_atom armv8_pmuv3_0 armv8_cortex_a72 armv7_cortex_a15 "
                   "apple_firestorm_pmuv3 software tracepoint uncore_imc_0 breakpoint msr power";
    int n = 0;

    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
        CHECK_INT(perf_is_cpu_pmu(name), n++ < 7);
}

TEST_MAIN(perf_count_test)
{
    descriptors = limits_descriptors_open();
    check_pmu_names();
    check_descriptors(false);
    check_descriptors(true);
    TIMED(check_system);
    test_without_rights(false, check_system_refused, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        count_spin(&cases[i], LIST, PERF_BY_THREAD);
        count_spin(&cases[i], LIST, PERF_BY_CGROUP);
        count_spin(&cases[i], LIST, PERF_BY_PROCESS);
        count_spin(&cases[i], LIST, PERF_BY_KERNEL);
    }
    count_spin(&cases[1], LIST CPU_LIST, PERF_BY_THREAD);
    check_groups();
    check_refused();
    check_group_refused(ENOENT, "the kernel counts by group only once");
    check_group_refused(EACCES, "perf_event_paranoid=");
    return timed_done("perf_count");
}
