/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * System calls of processes that make a known number of them: counts, errors and times by number;
 * processes that are not ours; a tree; the reason where it is not permitted.  And the arithmetic,
 * on readings that are made up.
 */
#include "telemetry/syscalls.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/test_golden.h"
#include "telemetry/proc.h"
#include "telemetry/test_kernel.h"
#include "telemetry/test_rights.h"

enum { CALLS = 1000, FAILURES = 50, SLEEP_MS = 30 };

/* --- arithmetic --- */

static void show(const char *title, const struct syscalls_reading *b,
                 const struct syscalls_reading *a, size_t most)
{
    static struct syscalls_delta d;

    syscalls_diff(b, a, most, &d);
    golden_line("=== %s: %zu kinds, '%s'", title, d.kinds, d.why ? d.why : "");
    for (size_t i = 0; i <= d.n; i++) {
        const struct syscall_count *c = i < d.n ? &d.f[i].c : &d.all;
        golden_line("%d: %llu began, %llu ended, %llu ns, %llu errors",
                    i < d.n ? (int)d.f[i].number : -1, (ull)c->began, (ull)c->ended, (ull)c->ns,
                    (ull)c->errors);
    }
}

static void check_diff(void)
{
    static struct syscalls_reading b = {.have = true}, a = {.have = true};
    static struct syscalls_reading many = {.have = true}, none = {.have = true};

    b.v[1] = (struct syscall_count){10, 10, 1000, 1};
    a.v[1] = (struct syscall_count){15, 14, 5000, 3};
    a.v[7] = (struct syscall_count){5, 5, 50, 0};
    a.v[9] = (struct syscall_count){100, 100, 7, 0};
    b.v[500] = a.v[500] = (struct syscall_count){3, 3, 3, 3}; /* none in between */
    show("two of three: 1 is as often as 7, and lower", &b, &a, 2);
    show("all", &b, &a, SYSCALLS_NUMBERS);
    show("none", &b, &a, 0);
    a.v[2].ended = 1;
    show("one that had begun before", &b, &a, 9);
    for (unsigned i = 0; i < SYSCALLS_NUMBERS; i++)
        many.v[i].began = 1 + i % 200;
    show("as many as are listed", &none, &many, SYSCALLS_NUMBERS);
    b.generation = 1; /* another stream began at 0: the difference is no count */
    show("anew", &a, &b, 2);
    b.generation = 0;
    for (int i = 0; i < 3; i++) {
        b.have = i == 1;
        a.have = i == 2;
        show("not counted", &b, &a, 2);
    }
}

static void check_names(void)
{
    char buf[24];

    CHECK_STR(syscall_name((unsigned)syscall_names[0].number, buf), syscall_names[0].name);
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
    syscall(SYSCALLS_NUMBERS + 88); /* of another architecture */
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

/* In a child, or in a child of one that does nothing. */
static struct worker start(bool below)
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
        if (!below || fork() == 0)
            serve(go[0], done[1]);
        pause();
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

/* What is counted of a worker that works so often. */
static void check_work(struct syscalls *s, struct worker *w, int times, int counted)
{
    static struct syscalls_reading b, a;
    static struct syscalls_delta d;

    syscalls_read(s, &b);
    for (int i = 0; i < times; i++)
        let_work(w);
    syscalls_read(s, &a);
    syscalls_diff(&b, &a, SYSCALLS_LISTED, &d);
    check_worker(&d, counted);
    CHECK(!counted || d.f[0].number == SYS_getppid); /* the most frequent one is the first */
}

static void check_counts(void)
{
    struct worker w = start(false), other = start(false);
    struct syscalls *s = syscalls_open(&w.pid, 1, false);

    if (syscalls_why(s)) {
        printf("  not here: %s\n", syscalls_why(s));
        CHECK(!test_bpf_permitted());
    } else {
        check_work(s, &other, 1, 0);
        check_work(s, &w, 1, 1);
        check_work(s, &w, 2, 2);
        static struct syscalls_reading was, is;
        syscalls_read(s, &was);
        syscalls_again(&s, &w.pid, 1, false); /* adds to what was counted */
        syscalls_read(s, &is);
        CHECK(is.v[SYS_getppid].began == was.v[SYS_getppid].began && was.v[SYS_getppid].began > 0);
        check_work(s, &w, 1, 1);
    }
    syscalls_close(s);
    syscalls_close(NULL);
    stop(&w);
    stop(&other);
}

/* A process and those that it starts, from the reading on that sees them.  A worker whose parent
 * has ended is in nobody's tree: as one that got the id of a process that ended, it is not counted.
 */
static void check_left_tree(void)
{
    pid_t self = getpid();
    struct syscalls *s = syscalls_open(&self, 1, true);
    struct worker w = start(true);

    CHECK(!syscalls_why(s) || !test_bpf_permitted());
    let_work(&w); /* it is there */
    if (!syscalls_why(s))
        check_work(s, &w, 1, 1);
    kill(w.pid, SIGKILL);
    waitpid(w.pid, NULL, 0);
    if (!syscalls_why(s))
        check_work(s, &w, 1, 0);
    syscalls_close(s);
    close(w.go); /* ends the worker */
    close(w.done);
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

static int calls_left;

/* The call of bpf(2) that fails. */
static int refuse_bpf(long number, const long a[6])
{
    (void)a;
    return number == SYS_bpf && calls_left-- == 0 ? EINVAL : 0;
}

/* What the kernel refuses, one call after another. */
static void check_refused(void)
{
    static const char *const why[] = {
        "no map for system calls",        "no map for threads",
        "no map for processes",           "the kernel does not accept the program",
        "cannot count at the tracepoint", "the kernel does not accept the program",
        "cannot count at the tracepoint"};
    static struct syscalls_reading r;
    pid_t nobody = 1 << 30;

    for (int i = 0; i < 7; i++) {
        char want[100];
        calls_left = i < 3 ? i : i + 1; /* between them the process gets into its map */
        test_kernel = refuse_bpf;
        struct syscalls *s = syscalls_open(&nobody, 1, true);
        test_kernel = NULL;
        snprintf(want, sizeof want, "%s: Invalid argument (it needs Linux 5.5)", why[i]);
        if (calls_left < 0)
            CHECK_STR(syscalls_why(s), want);
        syscalls_read(s, &r);
        CHECK(!r.have);
        syscalls_close(s);
    }
}

/* Without the right to, and root without capabilities, as in a container, who is not told that it
 * needs to be root: no figures, and the reason. */
static void check_not_permitted(void *root)
{
    static struct syscalls_reading r;
    struct syscalls *s = syscalls_open(&(pid_t){getpid()}, 1, false);
    const char *why = syscalls_why(s);

    CHECK(why &&
          (strstr(why, root ? "even to root" : "needs root") || strstr(why, "host's process ids")));
    syscalls_read(s, &r);
    CHECK(!r.have);
    syscalls_close(s);
}

static void check_too_many(void)
{
    pid_t pids[17];
    struct syscalls *s;

    for (int i = 0; i < 17; i++)
        pids[i] = i + 1;
    s = syscalls_open(pids, 16, false);
    CHECK(!syscalls_why(s) || !test_bpf_permitted());
    syscalls_close(s);
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
    long open = limits_descriptors_open();
    struct str maps = STR_INIT;

    check_diff();
    golden_done("syscalls_test");
    check_names();
    check_refused();
    check_counts();
    check_left_tree();
    check_same_thread_id();
    test_without_rights(false, check_not_permitted, NULL);
    if (geteuid() == 0)
        test_without_rights(true, check_not_permitted, &maps);
    check_too_many();
    CHECK_INT(limits_descriptors_open(), open);
    CHECK_INT(proc_read_all(-1, "/proc/self/maps", &maps), 0);
    CHECK(!strstr(str_cstr(&maps), "bpf-map")); /* the counts are not mapped any more */
    str_free(&maps);
    return test_done("syscalls");
}
