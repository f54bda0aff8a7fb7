/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Context switches thread by thread, from a made-up process whose threads come, go and are
 * replaced: what threads have done that have ended stays in the sum, and nothing is counted twice.
 */
#include "telemetry/switches.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/test_tree.h"
#include "telemetry/proc.h"

static void put(int tid, int vol, int invol)
{
    char path[64];

    snprintf(path, sizeof path, "100/task/%d/status", tid);
    tree_put(path,
             "Tgid:\t100\nThreads:\t3\nvoluntary_ctxt_switches:\t%d\n"
             "nonvoluntary_ctxt_switches:\t%d\n",
             vol, invol);
    snprintf(path, sizeof path, "100/task/%d/schedstat", tid);
    tree_put(path, "1 %d 1\n", 1000 * vol);
}

static void check(struct task_memory *m, int root_fd, uint64_t threads, uint64_t vol,
                  uint64_t invol)
{
    struct switch_counts c;
    bool has_runq;

    CHECK_INT(task_memory_read(m, root_fd, 100, threads, &c, &has_runq), 0);
    CHECK_INT(c.vol, vol);
    CHECK_INT(c.invol, invol);
    CHECK_INT(c.runq_wait_ns, 1000 * vol);
    CHECK(has_runq);
}

static void come_and_go(int root_fd)
{
    struct task_memory m = {0};
    struct switch_counts c;
    bool has_runq;

    put(100, 1, 10);
    put(101, 2, 20);
    put(102, 4, 40);
    for (int i = 0; i < 3; i++) /* idle threads, known to the memory for long */
        check(&m, root_fd, 3, 7, 70);
    CHECK(!m.any_ended);
    tree_remove("100/task/102");
    check(&m, root_fd, 2, 7, 70);
    CHECK(m.any_ended);
    check(&m, root_fd, 2, 7, 70);
    put(103, 8, 80); /* a new one */
    check(&m, root_fd, 3, 15, 150);
    put(101, 1, 0); /* another thread with the id of one that has ended */
    check(&m, root_fd, 3, 16, 150);
    put(103, 8, 79); /* the same */
    check(&m, root_fd, 3, 24, 229);
    tree_remove("100/task/101");
    tree_remove("100/task/103");
    check(&m, root_fd, 1, 24, 229);
    put(100, 2, 11); /* alone: the directory is not listed */
    check(&m, root_fd, 1, 25, 230);
    CHECK_INT(task_memory_read(&m, root_fd, 100, TASK_MEMORY_LIMIT + 1, &c, &has_runq), E2BIG);
    task_memory_free(&m);
    CHECK(m.n == 0 && !m.seen);
}

/* What each message adds, and from which CPU time on it is one that counts a thread twice. */
static void messages(void)
{
    static const struct {
        struct switch_counts c;
        int64_t before, after;
        bool once;
        int64_t left_out;
        uint64_t vol[2], invol[2], wait; /* of a kernel that keeps ended threads, or forgets them */
    } t[] = {
        {{10, 20, 30, 100}, 99, 99, false, 0, {0, 0}, {0, 0}, 0},
        {{10, 20, 30, 100}, 99, 100, true, 0, {10, 10}, {20, 20}, 30},
        {{12, 23, 29, 100}, 105, 110, true, 5, {12, 12}, {23, 23}, 30},
        {{99, 99, 99, 100}, 104, 104, false, 5, {12, 12}, {23, 23}, 30},
        {{11, 24, 31, 100}, 104, 105, true, 5, {12, 12}, {24, 24}, 31},
        {{13, 20, 31, 200}, 300, 300, true, 100, {13, 14}, {24, 24}, 31},
        {{14, 21, 32, 200}, 300, 300, true, 100, {14, 15}, {24, 25}, 32},
    };

    for (int forgets = 0; forgets < 2; forgets++) {
        struct switch_sum s = {0};
        for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
            CHECK_INT(switch_sum_add(&s, &t[i].c, t[i].before, t[i].after, !forgets), t[i].once);
            CHECK_INT(s.any, i > 0);
            CHECK_INT(s.left_out, t[i].left_out);
            CHECK_INT(s.total.vol, t[i].vol[forgets]);
            CHECK_INT(s.total.invol, t[i].invol[forgets]);
            CHECK_INT(s.total.runq_wait_ns, t[i].wait);
            if (t[i].once)
                CHECK_INT(memcmp(&s.last, &t[i].c, sizeof s.last), 0);
        }
    }
}

static void *come_or_stay(void *arg)
{
    struct timespec us = {.tv_nsec = 1000};

    for (int i = 0; arg && i < 500; i++)
        nanosleep(&us, NULL);
    if (arg)
        pthread_barrier_wait(arg), pthread_barrier_wait(arg);
    return NULL;
}

static _Atomic bool over;

static void *start_others(void *arg)
{
    pthread_t t;

    while (!over && pthread_create(&t, NULL, come_or_stay, NULL) == 0)
        pthread_join(t, NULL);
    return arg;
}

enum { STAY = 40 };

/* Threads come and go while those that stay are read: the kernel's list may omit some of these for
 * once, but they are not counted again. */
static void with_churn(void)
{
    enum { BUSY = 3, READINGS = 1000 };
    int root_fd = open("/proc", O_RDONLY | O_DIRECTORY);
    struct task_memory m = {0};
    struct switch_counts c = {0};
    pthread_barrier_t barrier;
    pthread_t stay[STAY], busy[BUSY];
    struct rusage usage;
    bool has_runq;

    pthread_barrier_init(&barrier, NULL, STAY + 1);
    for (int i = 0; i < STAY; i++) {
        CHECK_INT(pthread_create(&stay[i], NULL, come_or_stay, &barrier), 0);
        if (i < BUSY) /* between those that stay: the list is in the order of their beginnings */
            CHECK_INT(pthread_create(&busy[i], NULL, start_others, NULL), 0);
    }
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < READINGS; i++)
        CHECK_INT(task_memory_read(&m, root_fd, getpid(), STAY, &c, &has_runq), 0);
    over = true;
    getrusage(RUSAGE_SELF, &usage);
    CHECK(c.vol <= (uint64_t)usage.ru_nvcsw && c.invol <= (uint64_t)usage.ru_nivcsw);
    CHECK(c.vol >= STAY * 500);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < STAY; i++)
        pthread_join(stay[i], NULL);
    for (int i = 0; i < BUSY; i++)
        pthread_join(busy[i], NULL);
    task_memory_free(&m);
    close(root_fd);
}

/* A kernel without the files of run-queue wait. */
static void without_runq(int root_fd)
{
    struct task_memory m = {0};
    struct switch_counts c;
    bool has_runq;

    CHECK_INT(unlinkat(root_fd, "100/task/100/schedstat", 0), 0);
    CHECK_INT(task_memory_read(&m, root_fd, 100, 1, &c, &has_runq), 0);
    CHECK(!has_runq && c.vol == 2 && c.invol == 11);
    CHECK_INT(task_memory_read(&m, root_fd, 7, 2, &c, &has_runq), ENOENT);
    CHECK_INT(task_memory_read(&m, root_fd, 7, 1, &c, &has_runq), ESRCH);
    task_memory_free(&m);
    /* a thread that cannot be read makes no sum of the others */
    put(100, 5, 6);
    put(101, 7, 8);
    CHECK_INT(task_memory_read(&m, root_fd, 100, 2, &c, &has_runq), 0);
    CHECK(c.vol == 12 && c.invol == 14 && m.n == 2);
    tree_put("100/task/101/status", "Tgid:\t100\n");
    c.vol = 99;
    CHECK_INT(task_memory_read(&m, root_fd, 100, 2, &c, &has_runq), EBADMSG);
    CHECK(c.vol == 99 && m.n == 2 && !m.any_ended);
    put(101, 7, 9);
    CHECK_INT(task_memory_read(&m, root_fd, 100, 2, &c, &has_runq), 0);
    CHECK(c.vol == 12 && c.invol == 15 && !m.any_ended);
    /* without the file of another thread than the main one the kernel still counts */
    CHECK_INT(unlinkat(root_fd, "100/task/101/schedstat", 0), 0);
    CHECK_INT(task_memory_read(&m, root_fd, 100, 2, &c, &has_runq), 0);
    CHECK(has_runq);
    CHECK_INT(c.runq_wait_ns, 5000);
    tree_put("100/task/101/schedstat", "1\n"); /* without figures it does not */
    CHECK_INT(task_memory_read(&m, root_fd, 100, 2, &c, &has_runq), 0);
    CHECK(!has_runq);
    task_memory_free(&m);
}

/* A process that has ended and was not waited for yet has no figures, as one that has not run yet;
 * that does not mean that this kernel counts none. */
static void without_figures(void)
{
    struct taskstats_link t;
    struct switch_counts c;
    siginfo_t info;
    char why[80];
    pid_t child;

    if (taskstats_open(&t, false, why, sizeof why) != 0) { /* not permitted, but understood */
        CHECK(!strstr(why, strerror(EBADMSG)));
        return;
    }
    child = fork();
    if (child == 0)
        _exit(0);
    CHECK_INT(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    CHECK(t.has_runq);
    errno = 0;
    CHECK(proc_is_gone(taskstats_read(&t, 1 << 30, &c)));
    CHECK_INT(taskstats_read(&t, child, &c), 0);
#ifdef __SANITIZE_THREAD__ /* it gives the child a second thread, which has ended: it counts */
    c.run_ns = 0;
#endif
    CHECK(t.has_runq && c.run_ns == 0);
    CHECK_INT(waitpid(child, NULL, 0), child);
    CHECK_INT(taskstats_read(&t, getpid(), &c), 0);
    taskstats_close(&t);
    CHECK_INT(taskstats_open(&t, true, why, sizeof why), 0);
    /* those that stayed have ended, too; what a thread does while it ends may be missing */
    CHECK(!t.keeps_ended || c.vol >= STAY * 500);
    taskstats_close(&t);
}

TEST_MAIN(switches_test)
{
    int root_fd;

    tree_begin();
    root_fd = open(test_tree, O_RDONLY | O_DIRECTORY);
    come_and_go(root_fd);
    without_runq(root_fd);
    messages();
    with_churn();
    without_figures();
    close(root_fd);
    return test_done("switches");
}
