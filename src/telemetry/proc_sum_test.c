/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The set of processes as one: processes that end, pids that are reused, trees whose members come
 * and go, and the captured trees of tests/data.  server_test.c compares with a running kernel's
 * figures.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/test_timed.h"
#include "base/test_tree.h"
#include "telemetry/server.h"
#include "telemetry/spin_test.h"

#define MS NS_PER_MS

static pid_t start_idle(void)
{
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/*
 * Two processes; one is killed: reported, absent for that interval, the other goes on; then none is
 * left.
 */
static void a_process_ends(void)
{
    pid_t pid[2] = {start_idle(), start_idle()};
    struct sample a, b, c, z;
    struct sample_delta d;
    struct server *s = NULL;
    struct err e = {0};

    CHECK_INT(server_open(&s, "/proc", pid, 2, false, &e), 0);
    if (!s)
        return;
    server_read(s, &a);
    CHECK_INT(a.processes, 2);
    kill(pid[0], SIGKILL); /* a zombie until its parent waits: that counts as ended, too */
    while (waitid(P_PID, (id_t)pid[0], NULL, WEXITED | WNOWAIT) != 0)
        ;
    server_read(s, &b);
    CHECK(b.processes == 1 && b.ended == 1 && b.have != 0);
    CHECK(strstr(b.reason, "has ended") != NULL);
    sample_diff(&a, &b, &d);
    CHECK_INT(d.have, 0);
    CHECK(strstr(d.reason, "has ended") != NULL);
    end(pid[0]);
    server_read(s, &c);
    sample_diff(&b, &c, &d);
    CHECK((d.have & SAMPLE_CPU) && d.processes == 1);
    end(pid[1]);
    server_read(s, &z);
    CHECK(z.processes == 0 && z.ended == 2 && z.have == 0);
    CHECK(z.cpu_ns >= c.cpu_ns);
    sample_diff(&c, &z, &d);
    CHECK_INT(d.have, 0);
    server_read(s, &c);
    sample_diff(&z, &c, &d);
    CHECK_INT(d.have, 0); /* nothing is not 0 % */
    CHECK(d.reason[0] != '\0');
    server_close(s);
}

static void refuse(pid_t pid, const char *want)
{
    struct server *s = NULL;
    struct err e = {0};

    CHECK_INT(server_open(&s, "/proc", &pid, 1, false, &e), -1);
    CHECK(s == NULL);
    CHECK_STR(e.msg, want);
}

static void *tell_tid(void *arg)
{
    int *pipes = arg;
    pid_t tid = (pid_t)syscall(SYS_gettid);
    char c;

    if (write(pipes[1], &tid, sizeof tid) != (ssize_t)sizeof tid || read(pipes[2], &c, 1) != 0)
        return arg;
    return NULL;
}

/* A thread's id is no process, although /proc answers to it. */
static void refuse_thread(void)
{
    char want[80];
    int pipes[4];
    pthread_t t;
    pid_t tid = 0;

    if (pipe(pipes) != 0 || pipe(pipes + 2) != 0)
        return;
    CHECK_INT(pthread_create(&t, NULL, tell_tid, pipes), 0);
    CHECK_INT(read(pipes[0], &tid, sizeof tid), sizeof tid);
    snprintf(want, sizeof want, "%d is a thread of process %d, name the process", (int)tid,
             (int)getpid());
    refuse(tid, want);
    close(pipes[3]); /* lets it end */
    pthread_join(t, NULL);
    for (int i = 0; i < 3; i++)
        close(pipes[i]);
}

static void refusals(void)
{
    char want[80];
    pid_t pid = start_idle();
    struct server *s = NULL;
    struct err e = {0};

    CHECK_INT(server_open(&s, "/proc", &pid, 1, false, &e), 0);
    snprintf(want, sizeof want, "server_test (pid %d)", (int)pid);
    CHECK(s && (strcmp(server_describe(s), want) == 0 || strstr(server_describe(s), "(pid ")));
    server_close(s);
    snprintf(want, sizeof want, "no process %d that this user can see", (int)pid);
    kill(pid, SIGKILL);
    while (waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT) != 0)
        ;
    refuse(pid, want);
    end(pid);
    refuse(pid, want);
    refuse_thread();
    CHECK_INT(server_open(&s, "/nowhere", &pid, 1, false, &e), -1);
    server_close(NULL);
}

static void captured(void)
{
    char path[PATH_MAX];
    struct server *s = NULL;
    struct sample a;
    struct err e = {0};
    pid_t mariadb = 10344, postmaster = 10471;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    CHECK(test_data("proc-mariadb", path));
    CHECK_INT(server_open(&s, path, &mariadb, 1, false, &e), 0);
    if (!s)
        return;
    CHECK_STR(server_describe(s), "mariadbd (pid 10344)");
    server_read(s, &a);
    CHECK_INT(a.have, 0x7f);
    CHECK_INT(a.lower, SAMPLE_SWITCHES | SAMPLE_RUNQ);
    CHECK(strstr(a.reason, "lower bounds") != NULL);
    CHECK(a.cpu_ns == 6580 * MS && a.user_ns == 6560 * MS && a.sys_ns == 20 * MS);
    CHECK(a.vol_switches == 432 && a.invol_switches == 229 && a.runq_wait_ns == 46857426);
    CHECK(a.rss_bytes == 25237 * page && a.threads == 12 && a.processes == 1);
    CHECK(a.read_bytes == 2973696 && a.write_bytes == 28672 && a.minor_faults == 20360);
    server_close(s);

    CHECK(test_data("proc-postgres", path));
    CHECK_INT(server_open(&s, path, &postmaster, 1, true, &e), 0);
    if (!s)
        return;
    CHECK_STR(server_describe(s), "postgres (pid 10471 and its children)");
    server_read(s, &a);
    CHECK_INT(a.have, 0x7f);
    CHECK(a.processes == 7 && a.threads == 7);
    CHECK(a.cpu_ns == 70 * MS && a.user_ns == 70 * MS);
    CHECK(a.vol_switches == 308 && a.invol_switches == 11 && a.runq_wait_ns == 42224706);
    CHECK_INT(a.minor_faults, 5616 + 141 + 154 + 1149 + 272 + 252 + 1628 + 1436);
    CHECK(a.read_bytes == 8192 && a.write_bytes == 14831616);
    CHECK_INT(a.rss_bytes / page,
              24361 - 18814 + 8449); /* private pages of all + the largest share */
    server_close(s);
}

/* A made-up tree that the test changes: replaced pids, children whose parent does not wait. */
static void write_process(int pid, int ppid, int utime, int cutime, int start, const char *children)
{
    char file[64];

    snprintf(file, sizeof file, "%d/stat", pid);
    tree_put(file, "%d (p) S %d 1 1 0 -1 0 10 %d 0 0 %d 0 %d 0 20 0 1 0 %d 99 42 1 1\n", pid, ppid,
             cutime / 10, utime, cutime, start);
    for (size_t i = 0; i < 2; i++) {
        snprintf(file, sizeof file, i ? "%d/task/%d/status" : "%d/status", pid, pid);
        tree_put(file,
                 "Tgid:\t%d\nThreads:\t1\nvoluntary_ctxt_switches:\t%d\n"
                 "nonvoluntary_ctxt_switches:\t1\n",
                 pid, utime);
    }
    snprintf(file, sizeof file, "%d/statm", pid);
    tree_put(file, "100 50 20 0 0 0 0\n");
    snprintf(file, sizeof file, "%d/task/%d/children", pid, pid);
    tree_put(file, "%s", children);
}

static void replaced_pid(void)
{
    struct sample a, b;
    struct sample_delta d;
    struct server *s = NULL;
    struct err e = {0};
    pid_t pid = 100;

    write_process(100, 1, 500, 0, 1234, "");
    CHECK_INT(server_open(&s, test_tree, &pid, 1, false, &e), 0);
    if (!s)
        return;
    server_read(s, &a);
    CHECK_INT(a.cpu_ns, 5000 * MS);
    CHECK_INT(a.vol_switches, 500);
    CHECK(!(a.have & SAMPLE_IO) && !(a.have & SAMPLE_RUNQ));
    CHECK(strstr(a.reason, "bytes read and written: /proc/100/io is for its own user") != NULL);
    CHECK_INT(a.lower, 0); /* one thread: its own counters are all there is */
    write_process(100, 1, 3, 0, 9999, "");
    server_read(s, &b);
    CHECK(strstr(b.reason, "belongs to another process now") != NULL);
    CHECK(b.cpu_ns == a.cpu_ns && b.have == 0);
    sample_diff(&a, &b, &d);
    CHECK(d.have == 0 && d.cpu_ns == 0);
    server_close(s);
}

/* Named twice, or named beside its parent: counted once. */
static void counted_once(void)
{
    pid_t twice[] = {100, 100, 103}, below[] = {103, 100, 101};
    struct server *s = NULL;
    struct sample a;
    struct err e = {0};

    write_process(100, 1, 10, 0, 1, "101 ");
    write_process(101, 100, 20, 0, 2, "103 ");
    write_process(103, 101, 40, 0, 4, "");
    CHECK_INT(server_open(&s, test_tree, twice, 3, false, &e), 0);
    if (!s)
        return;
    CHECK_STR(server_describe(s), "p (pid 100), p (pid 103)");
    server_read(s, &a);
    CHECK(a.cpu_ns == 500 * MS && a.processes == 2);
    server_close(s);
    CHECK_INT(server_open(&s, test_tree, below, 3, true, &e), 0);
    if (!s)
        return;
    CHECK_STR(server_describe(s), "p (pid 100 and its children)");
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    for (unsigned i = 0; i < 3; i++) {
        server_read(s, &a);
        CHECK(a.cpu_ns == 700 * MS && a.processes == 3);
        CHECK_INT(a.user_ns, 700 * MS);
        CHECK_INT(a.sys_ns, 0);
        CHECK_INT(a.have, SAMPLE_ALL & ~(SAMPLE_IO | SAMPLE_RUNQ));
        CHECK_INT(a.kept, a.have);
        CHECK_INT(a.lower, 0);
        CHECK_INT(a.ended + a.found + a.set, 0);
        CHECK_INT(a.whole, i); /* none before the first reading */
        CHECK(a.changed == 0 && a.was == 0 && a.is == 0);
        CHECK_INT(a.minor_faults, 30);
        CHECK_INT(a.major_faults, 0);
        CHECK_INT(a.vol_switches, 70);
        CHECK_INT(a.invol_switches, 3);
        CHECK_INT(a.threads, 3);
        CHECK_INT(a.rss_bytes, (3 * 30 + 20) * page); /* what they share, once */
        CHECK_INT(a.read_bytes + a.write_bytes, 0);
        CHECK_INT(a.runq_wait_ns, 0);
        CHECK(a.cost_ns > 0 && a.at > 0 && a.at <= clock_mono());
    }
    CHECK_INT(server_cpus(s), 0);
    CHECK_INT(server_exact(s), 0);
    server_close(s);
}

static int64_t tree_cpu_ms(struct server *s, int processes)
{
    struct sample a;

    server_read(s, &a);
    CHECK_INT(a.processes, processes);
    return a.cpu_ns / MS;
}

static void tree_accounting(void)
{
    struct server *s = NULL;
    struct sample a, b;
    struct sample_delta d;
    struct err e = {0};
    pid_t pid = 100;

    write_process(100, 1, 10, 1000, 1, "101 102 101 102 ");
    write_process(101, 100, 20, 0, 2, "103 ");
    write_process(102, 100, 30, 0, 3, "");
    write_process(103, 101, 40, 0, 4, "");
    CHECK_INT(server_open(&s, test_tree, &pid, 1, true, &e), 0);
    if (!s)
        return;
    /* child times are cut to 10 ms: half a step is added to what is there */
    CHECK_INT(tree_cpu_ms(s, 4), 5 + 10 * (10 + 1000 + 20 + 30 + 40));
    server_read(s, &a);
    CHECK_INT(a.gone, 0);
    CHECK_INT(a.user_ns, a.cpu_ns);
    /* 102 ends after 5 more ticks and is waited for: 35 arrive in the child times */
    tree_remove("102");
    write_process(100, 1, 10, 1035, 1, "101 ");
    server_read(s, &b);
    CHECK_INT(tree_cpu_ms(s, 3), 5 + 10 * (10 + 1035 + 20 + 40));
    server_read(s, &a);
    /* what it did last is in no reading: of the run; of what comes later nothing is missing */
    sample_diff(&b, &a, &d);
    CHECK_INT(d.lower, 0);
    b.gone = 0;
    sample_diff(&b, &a, &d);
    CHECK((d.lower & SAMPLE_SWITCHES) && strstr(d.reason, "wait: activity of exited processes"));
    CHECK_INT(a.vol_switches, 10 + 20 + 40 + 30);
    /* 103 ends and its parent does not wait: its last reading stays in the sum */
    tree_remove("103");
    write_process(101, 100, 20, 0, 2, "");
    CHECK(tree_cpu_ms(s, 2) >= 10 * (10 + 1035 + 20 + 35));
    /* a new child, then its pid again for another one */
    write_process(100, 1, 10, 1035, 1, "101 104 ");
    write_process(104, 100, 100, 0, 5, "");
    CHECK_INT(tree_cpu_ms(s, 3), 5 + 10 * (10 + 1035 + 20 + 40 + 100 - 5));
    write_process(104, 100, 7, 0, 6, "");
    write_process(100, 1, 10, 1135, 1, "101 104 ");
    CHECK_INT(tree_cpu_ms(s, 3), 5 + 10 * (10 + 1135 + 20 + 40 + 7 - 5));
    /* others end while the list is read, and it omits one that lives: counted once */
    write_process(100, 1, 10, 1135, 1, "104 ");
    CHECK_INT(tree_cpu_ms(s, 3), 5 + 10 * (10 + 1135 + 20 + 40 + 7 - 5));
    write_process(101, 100, 21, 0, 2, "");
    CHECK_INT(tree_cpu_ms(s, 3), 5 + 10 * (10 + 1135 + 21 + 40 + 7 - 5));
    write_process(100, 1, 10, 1135, 1, "101 104 ");
    CHECK_INT(tree_cpu_ms(s, 3), 5 + 10 * (10 + 1135 + 21 + 40 + 7 - 5));
    server_read(s, &a);
    CHECK_INT(a.vol_switches, 10 + 21 + 40 + 30 + 100 + 7);
    /* one that is no longer its parent's has ended for the tree, and keeps what it had */
    write_process(101, 1, 500, 0, 2, "");
    write_process(100, 1, 10, 1135, 1, "104 ");
    CHECK_INT(tree_cpu_ms(s, 2), 5 + 10 * (10 + 1135 + 21 + 40 + 7 - 5));
    server_close(s);
}

static void burn(int64_t ns)
{
    struct timespec ts;

    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    while ((int64_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec < ns);
}

#define BURNT (100 * MS)

/*
 * A parent with a child that burns 100 ms, reports that, and ends on request.  The parent waits for
 * it only on request, or, with `ignores`, never.
 */
struct family {
    pid_t parent;
    int say, tell_child, tell_parent;
};

static void live_as_child(int say, int tell)
{
    char c;

    burn(BURNT);
    if (write(say, "b", 1) == 1 && read(tell, &c, 1) >= 0)
        _exit(0);
    _exit(1);
}

static bool start_family(struct family *f, bool ignores)
{
    int say[2], child[2], parent[2];
    char c;

    if (pipe(say) || pipe(child) || pipe(parent))
        return false;
    fflush(stdout);
    f->parent = fork();
    if (f->parent == 0) {
        pid_t pid;
        signal(SIGCHLD, ignores ? SIG_IGN : SIG_DFL);
        pid = fork();
        if (pid == 0)
            live_as_child(say[1], child[0]);
        if (read(parent[0], &c, 1) == 1) /* a request to wait */
            waitpid(pid, NULL, 0);
        if (write(say[1], "w", 1) == 1 && read(parent[0], &c, 1) >= 0)
            _exit(0);
        _exit(1);
    }
    f->say = say[0], f->tell_child = child[1], f->tell_parent = parent[1];
    return true;
}

static char heard(struct family *f)
{
    char c = 0;

    CHECK_INT(read(f->say, &c, 1), 1);
    return c;
}

/*
 * The child's 100 ms stay in the sum while it lives, while it is a zombie, and when it was waited
 * for or not.
 */
static void a_child_ends(bool ignores)
{
    struct server *s = NULL;
    struct sample a, b, c, d;
    struct sample_delta diff;
    struct family f;
    struct err e = {0};

    CHECK(start_family(&f, ignores));
    CHECK_INT(server_open(&s, "/proc", &f.parent, 1, true, &e), 0);
    if (!s)
        return;
    CHECK_INT(heard(&f), 'b');
    server_read(s, &a);
    CHECK_INT(a.processes, 2);
    CHECK(a.cpu_ns >= BURNT);
    CHECK_INT(write(f.tell_child, "x", 1), 1);
    do { /* until it has ended: a zombie, or gone at once */
        usleep(2000);
        server_read(s, &b);
    } while (b.processes == 2);
    CHECK(b.cpu_ns >= a.cpu_ns);
    CHECK_TIMED(b.cpu_ns < a.cpu_ns + BURNT); /* else it counts twice */
    CHECK_INT(b.ended, 0);
    CHECK_INT(write(f.tell_parent, "x", 1), 1);
    CHECK_INT(heard(&f), 'w');
    server_read(s, &c);
    server_read(s, &d);
    CHECK(c.cpu_ns >= b.cpu_ns);
    CHECK_TIMED(d.cpu_ns < b.cpu_ns + BURNT);
    sample_diff(&a, &d, &diff);
    CHECK(diff.lower & SAMPLE_SWITCHES);
    CHECK((diff.have & SAMPLE_CPU) && diff.processes == 1);
    CHECK(diff.minor_faults < 500);
    server_close(s);
    end(f.parent);
    close(f.say), close(f.tell_child), close(f.tell_parent);
}

TEST_MAIN(proc_sum_test)
{
    close(STDIN_FILENO); /* 0 is the number of a file as any other */
    a_process_ends();
    refusals();
    captured();
    timed_begin();
    a_child_ends(false);
    a_child_ends(true);
    tree_begin();
    replaced_pid();
    counted_once();
    tree_accounting();
    return timed_done("proc_sum");
}
