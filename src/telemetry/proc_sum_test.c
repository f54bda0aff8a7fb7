/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The set of processes as one: processes that end, pids that are reused, trees whose members come
 * and go, the captured trees of tests/data, and a server that is restarted: the sum of both lives,
 * what is known of one that does not come back, and a successor that was there before.
 * server_test.c compares with a running kernel's figures.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/record.h"
#include "base/test_golden.h"
#include "base/test_timed.h"
#include "base/test_tree.h"
#include "telemetry/server.h"
#include "telemetry/spin_test.h"

/* A reading of processes that are files, memory in pages: with nothing of this machine. */
static struct sample show(struct server *s, const char *title)
{
    struct str out = STR_INIT;
    struct sample r, shown;

    server_read(s, &r);
    CHECK(r.cost_ns > 0 && r.at > 0 && r.at <= clock_mono());
    shown = r;
    shown.at = shown.cost_ns = 0;
    shown.rss_bytes /= (uint64_t)sysconf(_SC_PAGESIZE);
    record_write(&sample_record, &out, &shown);
    golden_line("=== %s\n%s:%s\n'%s'", title, server_describe(s), str_cstr(&out), r.reason);
    str_free(&out);
    return r;
}

static struct server *open_at(const char *proc, const pid_t *pids, size_t n, bool tree)
{
    struct server *s = NULL;
    struct err e = {0};

    CHECK_INT(server_open(&s, proc, pids, n, tree, &e), 0);
    CHECK_STR(e.msg, "");
    return s;
}

/*
 * Two processes; one is killed: reported, absent for that interval, the other goes on; then none is
 * left.
 */
static void a_process_ends(void)
{
    pid_t pid[2] = {idle_start(), idle_start()};
    struct sample a, b, c, z;
    struct sample_delta d;
    struct server *s = open_at("/proc", pid, 2, false);

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
    idle_end(pid[0]);
    server_read(s, &c);
    sample_diff(&b, &c, &d);
    CHECK((d.have & SAMPLE_CPU) && d.processes == 1);
    idle_end(pid[1]);
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
    pid_t pid = idle_start();
    struct server *s = open_at("/proc", &pid, 1, false);
    struct err e = {0};

    snprintf(want, sizeof want, "(pid %d)", (int)pid);
    CHECK(strstr(server_describe(s), want) != NULL);
    server_close(s);
    snprintf(want, sizeof want, "no process %d that this user can see", (int)pid);
    kill(pid, SIGKILL);
    while (waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT) != 0)
        ;
    refuse(pid, want);
    idle_end(pid);
    refuse(pid, want);
    refuse_thread();
    CHECK_INT(server_open(&s, "/nowhere", &pid, 1, false, &e), -1);
    server_close(NULL);
}

static void captured(const char *name, pid_t pid, bool tree)
{
    char path[PATH_MAX];

    struct server *s = open_at(test_data(name, path), &pid, 1, tree);
    show(s, name);
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
    struct sample_delta d;

    write_process(100, 1, 500, 0, 1234, "");
    struct server *s = open_at(test_tree, (const pid_t[]){100}, 1, false);
    struct sample a = show(s, "one thread: its own counters are all there is");
    write_process(100, 1, 3, 0, 9999, "");
    struct sample b = show(s, "another process");
    sample_diff(&a, &b, &d);
    CHECK(d.have == 0 && d.cpu_ns == 0);
    server_close(s);
}

/* Named twice, or named beside its parent: counted once. */
static void counted_once(void)
{
    write_process(100, 1, 10, 0, 1, "101 ");
    write_process(101, 100, 20, 0, 2, "103 ");
    write_process(103, 101, 40, 0, 4, "");
    struct server *s = open_at(test_tree, (const pid_t[]){100, 100, 103}, 3, false);
    show(s, "named twice");
    server_close(s);
    s = open_at(test_tree, (const pid_t[]){103, 100, 101}, 3, true);
    show(s, "named beside its parent; what they share, once");
    show(s, "the first whole interval");
    show(s, "the second one");
    CHECK_INT(server_cpus(s), 0);
    CHECK_INT(server_exact(s), 0);
    server_close(s);
}

/* Child times are cut to 10 ms: half a step is added to what is there. */
static void tree_accounting(void)
{
    struct sample a, b;
    struct sample_delta d;

    write_process(100, 1, 10, 1000, 1, "101 102 101 102 ");
    write_process(101, 100, 20, 0, 2, "103 ");
    write_process(102, 100, 30, 0, 3, "");
    write_process(103, 101, 40, 0, 4, "");
    struct server *s = open_at(test_tree, (const pid_t[]){100}, 1, true);
    show(s, "100 and its children 101, with 103, and 102: 5 + 10 * (10 + 1000 + 20 + 30 + 40) ms");
    show(s, "again");
    tree_remove("102");
    write_process(100, 1, 10, 1035, 1, "101 ");
    b = show(s, "102 ended after 5 more ticks and was waited for: 35 arrive in the child times");
    a = show(s, "again");
    /* what it did last is in no reading: of the run; of what comes later nothing is missing */
    sample_diff(&b, &a, &d);
    CHECK_INT(d.lower, 0);
    b.gone = 0;
    sample_diff(&b, &a, &d);
    CHECK((d.lower & SAMPLE_SWITCHES) && strstr(d.reason, "wait: activity of exited processes"));
    tree_remove("103");
    write_process(101, 100, 20, 0, 2, "");
    show(s, "103 ended and its parent does not wait: its last reading stays in the sum");
    write_process(100, 1, 10, 1035, 1, "101 104 ");
    write_process(104, 100, 100, 0, 5, "");
    show(s, "a new child with 100: 5 are known as those of one that was not waited for");
    write_process(104, 100, 7, 0, 6, "");
    write_process(100, 1, 10, 1135, 1, "101 104 ");
    show(s, "its pid again for another one with 7; it was waited for");
    write_process(100, 1, 10, 1135, 1, "104 ");
    show(s, "others end while the list is read, and it omits 101, which lives: counted once");
    write_process(101, 100, 21, 0, 2, "");
    show(s, "it goes on, and is omitted");
    write_process(100, 1, 10, 1135, 1, "101 104 ");
    show(s, "it is listed again");
    write_process(101, 1, 500, 0, 2, "");
    write_process(100, 1, 10, 1135, 1, "104 ");
    show(s, "one that is no longer its parent's has ended for the tree, and keeps what it had");
    server_close(s);
}

static void burn(int64_t ns)
{
    struct timespec ts;

    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    while ((int64_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec < ns);
}

#define BURNT (100 * NS_PER_MS)

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
    struct sample a, b, c, d;
    struct sample_delta diff;
    struct family f;

    CHECK(start_family(&f, ignores));
    struct server *s = open_at("/proc", &f.parent, 1, true);
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
    idle_end(f.parent);
    close(f.say), close(f.tell_child), close(f.tell_parent);
}

/* --- a server that is restarted: the sum of both lives, which never falls --- */

/* A process that has burnt as much and then waits. */
static pid_t start_burnt(void)
{
    int say[2], tell[2];
    char c;

    CHECK(pipe(say) == 0 && pipe(tell) == 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        live_as_child(say[1], tell[0]);
    CHECK_INT(read(say[0], &c, 1), 1);
    close(say[0]), close(say[1]), close(tell[0]); /* nobody tells it to end */
    return pid;
}

static struct {
    pid_t next; /* 0: not found (yet) */
    int asked, found;
    pid_t told;
} finder;

static size_t find(void *arg, pid_t *pids, size_t max, bool *tree)
{
    (void)arg;
    CHECK(max > 0);
    finder.asked++;
    *tree = false;
    pids[0] = finder.next;
    return finder.next ? 1 : 0;
}

static void found(void *arg, const pid_t *pids, size_t n, bool tree)
{
    (void)arg;
    CHECK(n == 1 && !tree);
    finder.found++;
    finder.told = pids[0];
}

static struct server *follow(pid_t pid)
{
    struct server *s = open_at("/proc", &pid, 1, false);

    memset(&finder, 0, sizeof finder);
    server_follow(s, &(struct server_finder){.find = find, .found = found});
    return s;
}

/* -1: not known. */
static int64_t cpu_between(const struct sample *a, const struct sample *b)
{
    struct sample_delta d;

    sample_diff(a, b, &d);
    return d.have & SAMPLE_CPU ? d.cpu_ns : -1;
}

static void restarted(void)
{
    pid_t first = start_burnt(), second;
    struct server *s = follow(first);
    struct sample r[7];
    char name[80];

    server_read(s, &r[0]);
    server_read(s, &r[1]);
    CHECK_INT(finder.asked, 0);
    idle_end(first);
    server_read(s, &r[2]);
    server_read(s, &r[3]); /* away */
    CHECK_INT(finder.asked, 2);
    CHECK(cpu_between(&r[1], &r[2]) < 0 && cpu_between(&r[2], &r[3]) < 0);
    CHECK_INT(cpu_between(&r[0], &r[3]), r[1].cpu_ns - r[0].cpu_ns); /* what is known */
    finder.next = second = start_burnt();
    server_read(s, &r[4]);
    CHECK(finder.found == 1 && finder.told == second);
    CHECK(cpu_between(&r[3], &r[4]) < 0);
    server_read(s, &r[5]);
    server_read(s, &r[6]);
    CHECK_INT(finder.asked, 3);
    CHECK(cpu_between(&r[4], &r[5]) >= 0);
    CHECK(cpu_between(&r[0], &r[6]) >= BURNT); /* all that the second has done since it began */
    CHECK(r[6].cpu_ns >= r[1].cpu_ns + BURNT);
    CHECK(strstr(r[2].reason, "has ended") && !strstr(r[6].reason, "has ended"));
    CHECK_INT(r[6].was, first);
    CHECK_INT(r[6].is, second);
    CHECK_INT(r[6].moved, 0);
    CHECK(r[6].changed > r[3].at - NS_PER_SEC / 10 && r[6].changed < r[4].at);
    snprintf(name, sizeof name, "(pid %d)", (int)second);
    CHECK(strstr(server_describe(s), name) != NULL);
    CHECK(strstr(server_describe(s), ", ") == NULL);
    server_close(s);
    idle_end(second);
}

/* The clients went over to a server that had been there: what it did before is not the run's. */
static void failed_over(void)
{
    pid_t other = start_burnt(), first = start_burnt();
    struct server *s;
    struct sample a, b, c, d;

    usleep(50000); /* start times have steps of 10 ms */
    s = follow(first);
    server_read(s, &a);
    server_read(s, &b);
    idle_end(first);
    finder.next = other;
    server_read(s, &c);
    server_read(s, &d);
    CHECK(d.cpu_ns < b.cpu_ns + BURNT);
    CHECK(d.cpu_ns >= b.cpu_ns);
    CHECK_INT(d.is, other);
    CHECK_INT(d.moved, 1);
    server_close(s);
    idle_end(other);
}

TEST_MAIN(proc_sum_test)
{
    close(STDIN_FILENO); /* 0 is the number of a file as any other */
    a_process_ends();
    refusals();
    captured("proc-mariadb", 10344, false);
    captured("proc-postgres", 10471, true);
    timed_begin();
    a_child_ends(false);
    a_child_ends(true);
    tree_begin();
    replaced_pid();
    counted_once();
    tree_accounting();
    golden_done("proc_sum_test");
    restarted();
    failed_over();
    return timed_done("proc_sum");
}
