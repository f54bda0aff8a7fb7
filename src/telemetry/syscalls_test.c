/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * System calls of processes that make a known number of them: counts, errors and times by number;
 * processes that are not ours; a tree; the reason where it is not permitted.  The programs also
 * where the kernel permits none, instruction by instruction (test_kernel.h).  And the arithmetic,
 * on readings that are made up.
 */
#include "telemetry/syscalls.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/test.h"
#include "telemetry/bpf.h"
#include "telemetry/perf_open.h"
#include "telemetry/test_kernel.h"

enum { CALLS = 1000, FAILURES = 50, SLEEP_MS = 30 };

/* --- arithmetic --- */

static void check_diff(void)
{
    static struct syscalls_reading b = {.have = true}, a = {.have = true};
    static struct syscalls_delta d;

    b.v[1] = (struct syscall_count){10, 10, 1000, 1};
    a.v[1] = (struct syscall_count){15, 14, 5000, 3};
    a.v[7] = (struct syscall_count){5, 5, 50, 0};
    a.v[9] = (struct syscall_count){100, 100, 7, 0};
    b.v[500] = a.v[500] = (struct syscall_count){3, 3, 3, 3}; /* none in between */
    syscalls_diff(&b, &a, 2, &d);
    CHECK(d.why == NULL);
    CHECK_INT(d.kinds, 3);
    CHECK_INT(d.n, 2);
    CHECK_INT(d.f[0].number, 9);
    CHECK_INT(d.f[0].c.began, 100);
    CHECK_INT(d.f[0].c.ended, 100);
    CHECK_INT(d.f[0].c.ns, 7);
    CHECK_INT(d.f[0].c.errors, 0);
    CHECK_INT(d.f[1].number, 1); /* as often as 7: the lower number is first */
    CHECK_INT(d.f[1].c.began, 5);
    CHECK_INT(d.f[1].c.ended, 4);
    CHECK_INT(d.f[1].c.ns, 4000);
    CHECK_INT(d.f[1].c.errors, 2);
    CHECK_INT(d.all.began, 110);
    CHECK_INT(d.all.ended, 109);
    CHECK_INT(d.all.ns, 4057);
    CHECK_INT(d.all.errors, 2);
    syscalls_diff(&b, &a, SYSCALLS_NUMBERS, &d);
    CHECK_INT(d.n, 3);
    CHECK_INT(d.f[2].number, 7);
    syscalls_diff(&b, &a, 0, &d);
    CHECK_INT(d.n, 0);
    CHECK_INT(d.kinds, 3);
    CHECK_INT(d.all.began, 110);
    a.v[2].ended = 1; /* one that had begun before */
    syscalls_diff(&b, &a, 9, &d);
    CHECK_INT(d.n, 4);
    CHECK_INT(d.f[3].number, 2);
    CHECK_INT(d.f[3].c.began, 0);
    CHECK_INT(d.f[3].c.ended, 1);
    static struct syscalls_reading many = {.have = true}, none = {.have = true};
    for (unsigned i = 0; i < SYSCALLS_NUMBERS; i++)
        many.v[i].began = 1 + i % 200;
    syscalls_diff(&none, &many, SYSCALLS_NUMBERS, &d);
    CHECK_INT(d.kinds, SYSCALLS_NUMBERS);
    CHECK_INT(d.n, SYSCALLS_LISTED);
    for (unsigned i = 0; i < SYSCALLS_LISTED; i++) {
        CHECK_INT(d.f[i].c.began, 200 - i / 2);
        CHECK_INT(d.f[i].number, 199 - i / 2 + i % 2 * 200);
    }
    b.generation = 1; /* another stream began at 0: the difference is no count */
    syscalls_diff(&a, &b, 2, &d);
    CHECK_STR(d.why, "the counts began anew in this interval");
    CHECK(d.n == 0 && d.kinds == 0 && d.all.began == 0);
    b.generation = 0;
    for (int i = 0; i < 3; i++) {
        b.have = i == 1;
        a.have = i == 2;
        syscalls_diff(&b, &a, 2, &d);
        CHECK_STR(d.why, "system calls were not counted in this interval");
        CHECK(d.n == 0 && d.kinds == 0 && d.all.began == 0);
    }
}

static void check_names(void)
{
    char buf[24];

    CHECK_STR(syscall_name(SYS_read, buf), "read");
    CHECK_STR(syscall_name(SYS_futex, buf), "futex");
    CHECK_STR(syscall_name(SYS_openat, buf), "openat");
    CHECK_STR(syscall_name(511, buf), "syscall_511");
    for (unsigned i = 0; i < SYSCALLS_NUMBERS; i++)
        CHECK_INT(syscall_number(syscall_name(i, buf)), i);
    static const char *const unknown[] = {"", "syscall_", "syscall_512", "syscall_x", "readx"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        CHECK_INT(syscall_number(unknown[i]), SYSCALLS_NUMBERS - 1);
}

/* --- the programs, where the kernel may permit none --- */

static void enter(pid_t tid, uint32_t cpu, uint64_t ns, uint64_t number)
{
    test_now.tid = tid;
    test_now.cpu = cpu;
    test_now.ns = ns;
    CHECK_INT(test_bpf_run("sys_enter", (uint64_t[]){0, number}), 1);
}

static void leave(uint32_t cpu, uint64_t ns, int64_t result)
{
    test_now.cpu = cpu;
    test_now.ns = ns;
    CHECK_INT(test_bpf_run("sys_exit", (uint64_t[]){0, (uint64_t)result}), 1);
}

static void check_count(const struct syscalls_reading *r, unsigned number,
                        struct syscall_count want)
{
    CHECK(r->have);
    CHECK_INT(r->v[number].began, want.began);
    CHECK_INT(r->v[number].ended, want.ended);
    CHECK_INT(r->v[number].ns, want.ns);
    CHECK_INT(r->v[number].errors, want.errors);
}

/* Calls of a process that is counted, and of one that is not. */
static void check_programs(bool tree)
{
    static struct syscalls_reading r;
    const uint32_t cpu = (uint32_t)bpf_cpus() - 1;
    pid_t pids[] = {getpid(), getppid()}; /* the parent has this process in its tree */
    struct syscalls *s;

    test_kernel = test_bpf;
    s = syscalls_open(pids, 2, tree);
    CHECK(syscalls_why(s) == NULL);
    for (int i = 0; i < 4; i++) {
        test_now.pid = i < 2 ? pids[i] : i == 2 ? 1 << 30 : pids[0] + (1 << 22);
        enter(70 + i, 0, 1000, 3);
        leave(0, 1500, 0);
    }
    syscalls_read(s, &r);
    check_count(&r, 3, (struct syscall_count){2, 2, 1000, 0});
    test_now.pid = pids[0];
    leave(0, 2000, 0); /* it has not begun any */
    enter(71, 0, 2000, 511);
    enter(72, cpu, 2100, 511); /* of another thread meanwhile */
    leave(cpu, 2300, -1);
    test_now.tid = 71;
    leave(cpu, 2700, -4095);
    enter(71, cpu, 3000, 511);
    leave(cpu, 3001, -4096); /* a value that is no error */
    enter(71, 0, 4000, 512); /* of another architecture */
    leave(0, 4100, 0);
    enter(71, 0, 5000, 5);
    enter(71, 0, 5100, 6); /* the one before it has no end */
    leave(0, 5107, 0);
    enter(73, 0, 6000, SYS_exit); /* nor do these */
    leave(0, 6100, 0);
    enter(73, 0, 6200, SYS_exit_group);
    leave(0, 6300, 0);
    for (int again = 0; again < 2; again++) {
        syscalls_read(s, &r);
        check_count(&r, 3, (struct syscall_count){2, 2, 1000, 0});
        check_count(&r, 511, (struct syscall_count){3, 3, 901, 2});
        check_count(&r, 5, (struct syscall_count){1, 0, 0, 0});
        check_count(&r, 6, (struct syscall_count){1, 1, 7, 0});
        check_count(&r, SYS_exit, (struct syscall_count){1, 0, 0, 0});
        check_count(&r, SYS_exit_group, (struct syscall_count){1, 0, 0, 0});
        check_count(&r, 0, (struct syscall_count){0, 0, 0, 0});
        if (!again)
            syscalls_again(&s, pids, 1, tree); /* adds to what was counted */
    }
    CHECK(!syscalls_why(s));
    enter(74, cpu, 7000, 3);
    leave(cpu, 7001, 0);
    syscalls_read(s, &r);
    check_count(&r, 3, (struct syscall_count){3, 3, 1001, 0});
    syscalls_close(s);
    CHECK_INT(test_bpf_run("sys_enter", (uint64_t[]){0, 3}), 0); /* nothing stays attached */
    CHECK_INT(test_bpf_run("sys_exit", (uint64_t[]){0, 3}), 0);
    CHECK_INT(test_bpf_end(), 0);
}

/* What the kernel refuses, one call after another. */
static void check_refused(void)
{
    static const char *const why[] = {
        "no map for system calls: Invalid argument (it needs Linux 5.5)",
        "no map for threads: Invalid argument (it needs Linux 5.5)",
        "no map for processes: Invalid argument (it needs Linux 5.5)",
        "the kernel does not accept the program: Invalid argument (it needs Linux 5.5)",
        "cannot count at the tracepoint: Invalid argument (it needs Linux 5.5)",
        "the kernel does not accept the program: Invalid argument (it needs Linux 5.5)",
        "cannot count at the tracepoint: Invalid argument (it needs Linux 5.5)"};
    static struct syscalls_reading r;
    pid_t nobody = 1 << 30;

    for (int i = 0; i < 7; i++) {
        struct syscalls *s;
        test_kernel = test_bpf;
        test_bpf_refuses = i < 3 ? i : i + 1; /* between them the process gets into its map */
        test_bpf_error = EINVAL;
        s = syscalls_open(&nobody, 1, true);
        CHECK_STR(syscalls_why(s), why[i]);
        syscalls_read(s, &r);
        CHECK(!r.have);
        CHECK_INT(test_bpf_run("sys_exit", (uint64_t[]){0, 3}), 0);
        syscalls_close(s);
        CHECK_INT(test_bpf_end(), 0);
    }
}

/* The same for events of the kernel that are counted by process: a software event has a program on
 * each CPU, a tracepoint one for all. */
static void check_filter(void)
{
    static const struct perf_spec spec[] = {
        {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS},
        {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK}, /* has no events */
        {.type = PERF_TYPE_TRACEPOINT, .config = 314},
        {.name = "syscalls", .type = PERF_TYPE_TRACEPOINT},
        {.type = PERF_TYPE_TRACEPOINT, .config = 315, .no_user = true},
        {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_MIGRATIONS}};
    static const char *const where[] = {"perf 1:2", "perf 2:314", "sys_enter"};
    static const size_t event[] = {0, 2, 3};
    const uint32_t last = (uint32_t)bpf_cpus() - 1;
    struct perf_reading r = {0};
    pid_t pids[] = {getpid(), getppid()};
    uint32_t counted;

    test_kernel = test_bpf;
    struct perf_filter *f = perf_filter_open(spec, 6, 1U << 5, pids, 2, 200, &counted);
    CHECK_INT(counted, 1U << 0 | 1U << 2 | 1U << 3);
    for (size_t i = 0; i < 3; i++)
        for (size_t n = 0; n < 6 + i; n++) { /* every third one is of another process */
            test_now.cpu = n % 2 ? last : 0;
            test_now.pid = n % 3 < 2 ? pids[n % 3] : 1 << 30;
            CHECK_INT(test_bpf_run(where[i], (uint64_t[]){0, 0}), 1);
        }
    CHECK_INT(test_bpf_run("perf 1:4", (uint64_t[]){0, 0}), 0);
    perf_filter_read(f, &r);
    CHECK_INT(r.have, counted);
    for (size_t i = 0; i < 3; i++)
        CHECK_INT(r.v[event[i]].value, 4 + i);
    perf_filter_close(f);
    for (size_t i = 0; i < 3; i++)
        CHECK_INT(test_bpf_run(where[i], (uint64_t[]){0, 0}), 0); /* nothing stays attached */
    CHECK_INT(test_bpf_end(), 0);
    /* too few descriptors for one on each CPU; too many processes */
    test_kernel = test_bpf;
    CHECK(!perf_filter_open(spec, 1, 0, pids, 2, bpf_cpus(), &counted));
    CHECK(!perf_filter_open(spec, 1, 0, pids, PERF_FILTER_MAX_PIDS + 1, 200, &counted));
    CHECK_INT(counted, 0);
    CHECK_INT(test_bpf_end(), 0);
}

/* --- a process that works when it is told to --- */

struct worker {
    pid_t pid;
    int go, done;
};

static void work(void)
{
    const struct timespec pause = {.tv_nsec = SLEEP_MS * 1000000L};

    for (int i = 0; i < CALLS; i++)
        syscall(SYS_getppid);
    for (int i = 0; i < FAILURES; i++)
        syscall(SYS_fchdir, -1);
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
}

/* Works as often as a byte comes. */
static void serve(int go, int done)
{
    char c;

    while (read(go, &c, 1) == 1) {
        work();
        if (write(done, &c, 1) != 1)
            break;
    }
    _exit(0);
}

static struct worker start(void)
{
    struct worker w = {.pid = -1};
    int go[2], done[2];

    CHECK(pipe(go) == 0 && pipe(done) == 0);
    w.go = go[1];
    w.done = done[0];
    w.pid = fork();
    if (w.pid == 0) {
        close(go[1]);
        close(done[0]);
        serve(go[0], done[1]);
    }
    close(go[0]);
    close(done[1]);
    return w;
}

static void let_work(struct worker *w)
{
    char c = 'x';

    CHECK(write(w->go, &c, 1) == 1 && read(w->done, &c, 1) == 1);
}

/* Other workers hold the ends of its pipes, too. */
static void stop(struct worker *w)
{
    kill(w->pid, SIGKILL);
    close(w->go);
    close(w->done);
    waitpid(w->pid, NULL, 0);
}

static const struct syscall_count *figure(const struct syscalls_delta *d, unsigned number)
{
    static const struct syscall_count none;

    for (size_t i = 0; i < d->n; i++)
        if (d->f[i].number == number)
            return &d->f[i].c;
    return &none;
}

static void check_worker(const struct syscalls_delta *d, int times)
{
    const struct syscall_count *calls = figure(d, SYS_getppid), *failures = figure(d, SYS_fchdir),
                               *sleep = figure(d, SYS_clock_nanosleep);

    CHECK(d->why == NULL);
    CHECK_INT(calls->began, times * CALLS);
    CHECK_INT(calls->ended, times * CALLS);
    CHECK_INT(calls->errors, 0);
    CHECK_INT(failures->began, times * FAILURES);
    CHECK_INT(failures->errors, times * FAILURES);
    CHECK_INT(sleep->ended, times);
    CHECK(times == 0 || sleep->ns >= (uint64_t)times * SLEEP_MS * 1000000);
}

static void check_counts(void)
{
    static struct syscalls_reading b, a;
    static struct syscalls_delta d;
    struct worker w = start(), other = start();
    struct syscalls *s = syscalls_open(&w.pid, 1, false);

    if (syscalls_why(s)) {
        printf("  not here: %s\n", syscalls_why(s));
    } else {
        syscalls_read(s, &b);
        let_work(&w);
        let_work(&other);
        work();
        syscalls_read(s, &a);
        syscalls_diff(&b, &a, SYSCALLS_LISTED, &d);
        check_worker(&d, 1);
        let_work(&w);
        let_work(&w);
        syscalls_read(s, &b);
        syscalls_diff(&a, &b, SYSCALLS_LISTED, &d);
        check_worker(&d, 2);
        CHECK_INT(d.f[0].number, SYS_getppid); /* the most frequent one is the first */
    }
    syscalls_close(s);
    syscalls_close(NULL);
    stop(&w);
    stop(&other);
}

/* A process and those that it starts: from the reading on that sees them. */
static void check_tree(void)
{
    static struct syscalls_reading b, a;
    static struct syscalls_delta d;
    struct worker first = start(), later;
    pid_t self = getpid();
    struct syscalls *s = syscalls_open(&self, 1, true);

    later = start();
    if (!syscalls_why(s)) {
        syscalls_read(s, &b);
        let_work(&first);
        let_work(&later);
        syscalls_read(s, &a);
        syscalls_diff(&b, &a, SYSCALLS_LISTED, &d);
        check_worker(&d, 2);
    }
    syscalls_close(s);
    stop(&first);
    stop(&later);
}

/* A worker whose parent has ended is in nobody's tree: as one that got the id of a process that
 * ended, it is not counted. */
static void check_left_tree(void)
{
    static struct syscalls_reading b, a;
    static struct syscalls_delta d;
    pid_t self = getpid(), parent;
    struct syscalls *s = syscalls_open(&self, 1, true);
    struct worker w = {.pid = -1};
    int go[2], done[2];

    CHECK(pipe(go) == 0 && pipe(done) == 0);
    parent = fork();
    if (parent == 0) {
        if (fork() == 0) {
            close(go[1]);
            close(done[0]);
            serve(go[0], done[1]);
        }
        pause();
    }
    w.go = go[1];
    w.done = done[0];
    let_work(&w); /* it is there */
    if (!syscalls_why(s)) {
        syscalls_read(s, &b);
        let_work(&w);
        syscalls_read(s, &a);
        syscalls_diff(&b, &a, SYSCALLS_LISTED, &d);
        check_worker(&d, 1);
    }
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    if (!syscalls_why(s)) {
        syscalls_read(s, &b);
        let_work(&w);
        syscalls_read(s, &a);
        syscalls_diff(&b, &a, SYSCALLS_LISTED, &d);
        check_worker(&d, 0);
    }
    syscalls_close(s);
    close(go[0]);
    close(go[1]); /* ends the worker */
    close(done[0]);
    close(done[1]);
}

static void *note_tid(void *arg)
{
    *(pid_t *)arg = (pid_t)syscall(SYS_gettid);
    return NULL;
}

static pid_t run_thread(void)
{
    pthread_t t;
    pid_t tid = 0;

    CHECK(pthread_create(&t, NULL, note_tid, &tid) == 0 && pthread_join(t, NULL) == 0);
    return tid;
}

/* The next process or thread gets this id; false: the kernel cannot. */
static bool choose_next_id(pid_t id)
{
    FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "w");

    bool written = f && fprintf(f, "%d", id - 1) > 0;

    return f && fclose(f) == 0 && written;
}

/* A thread's exit never ends: a later thread with the same id does not end it either. */
static void check_same_thread_id(void)
{
    static struct syscalls_reading r;
    pid_t self = getpid(), first = run_thread(), second = 0;
    struct syscalls *s = syscalls_open(&self, 1, false);

    for (int i = 0; !syscalls_why(s) && i < 100 && first != second; i++) {
        first = run_thread();
        if (!choose_next_id(first))
            break;
        second = run_thread();
    }
    if (first != second)
        printf("  no thread got the id of another one\n");
    syscalls_read(s, &r);
    CHECK(!r.have || r.v[SYS_exit].began > 0);
    CHECK_INT(r.v[SYS_exit].ended, 0);
    syscalls_close(s);
}

/* Root without capabilities, as in a container: it is not told that it needs to be root. */
static void check_powerless_root(void)
{
    pid_t self = getpid(), child = getuid() == 0 ? fork() : -1;
    int status = 0;

    if (child == 0) {
        struct __user_cap_header_struct h = {.version = _LINUX_CAPABILITY_VERSION_3};
        struct __user_cap_data_struct none[2] = {{0}};
        struct syscalls *s = NULL;
        const char *why;
        bool ok = syscall(SYS_capset, &h, none) == 0;
        s = syscalls_open(&self, 1, false);
        why = syscalls_why(s);
        ok = ok && why && (strstr(why, "even to root") || strstr(why, "host's process ids"));
        _exit(ok ? 0 : 1);
    }
    if (child > 0)
        CHECK(waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
}

/* Without the right to: no figures, and the reason. */
static void check_not_permitted(void)
{
    pid_t self = getpid(), child = fork();
    int status = 0;

    if (child == 0) {
        static struct syscalls_reading r;
        struct syscalls *s = NULL;
        bool ok = setresuid(65534, 65534, 65534) == 0 || getuid() != 0;
        s = syscalls_open(&self, 1, false);
        ok = ok && syscalls_why(s) && strstr(syscalls_why(s), "needs");
        syscalls_read(s, &r);
        _exit(ok && !r.have ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
}

static void check_too_many(void)
{
    pid_t pids[17];
    struct syscalls *s;

    for (int i = 0; i < 17; i++)
        pids[i] = i + 1;
    for (size_t n = 0; n <= 17; n += 17) {
        struct syscalls_reading r = {.have = true};
        s = syscalls_open(pids, n, false);
        CHECK(syscalls_why(s) && (strstr(syscalls_why(s), "host's process ids") ||
                                  strcmp(syscalls_why(s), "system calls of at most 16 processes "
                                                          "are counted") == 0));
        syscalls_again(&s, pids, n, true);
        CHECK(syscalls_why(s) != NULL);
        syscalls_read(s, &r);
        CHECK(!r.have && r.v[0].began == 0);
        syscalls_close(s);
    }
}

TEST_MAIN(syscalls_test)
{
    check_diff();
    check_names();
    if (bpf_sees_our_pids()) {
        check_programs(false);
        check_programs(true);
        check_refused();
        check_filter();
    }
    check_counts();
    check_tree();
    check_left_tree();
    check_same_thread_id();
    check_not_permitted();
    check_powerless_root();
    check_too_many();
    return test_done("syscalls");
}
