/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A server whose threads end at the moment of a reading.  A child process lets threads live, switch
 * and fault one after the other.  Whenever one has been joined, the kernel is still busy with its
 * end: the child reports its counts, lets the test read, and reports them again.
 *
 * Bounds: `surely` is the work of the main thread and that of each ended one up to the return of
 * its function; no reading may be below it.  getrusage also counts the switches during a thread's
 * exit, some of which the kernel's taskstats forgets; no reading may be above it.  A reading with a
 * thread counted twice is above it: a thread's life has more switches than all exits together.
 *
 * All of it a second time on one CPU, where the thread that ends runs only when the reader does
 * not.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test.h"
#include "telemetry/server.h"
#include "telemetry/taskstats.h"

enum { LIVES = 12, SLEEPS = 500, PAGES = 40, PAGE = 4096, LEFT = 8 << 20, BURN = 400000 };

struct account {
    long surely, switches; /* at least, at most */
    long faults;
};

static _Atomic long ended; /* switches of threads whose function has returned */

static long own_switches(int who)
{
    struct rusage u;

    getrusage(who, &u);
    return u.ru_nvcsw + u.ru_nivcsw;
}

static void touch_pages(void)
{
    volatile char *p =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    madvise((void *)(uintptr_t)p, PAGES * PAGE, MADV_NOHUGEPAGE);
    for (int i = 0; i < PAGES; i++)
        p[i * PAGE] = 1;
    munmap((void *)(uintptr_t)p, PAGES * PAGE);
}

/* A file that only this thread holds: freeing its memory takes the kernel some milliseconds, after
 * it has added the thread to the ended ones and before it stops to count it among the living. */
static void leave_work_behind(void)
{
    int fd = unshare(CLONE_FILES) ? -1 : memfd_create("left", MFD_CLOEXEC);

    if (fd < 0 || fallocate(fd, 0, 0, LEFT))
        printf("ending: threads of this system end at once: little is shown\n");
}

static void *live_thread(void *arg)
{
    struct timespec nap = {.tv_nsec = 1000};

    for (int i = 0; i < SLEEPS; i++)
        nanosleep(&nap, NULL);
    for (volatile long i = 0; i < 50L * BURN; i++) /* a life takes longer than its end */
        ;
    touch_pages();
    leave_work_behind();
    atomic_fetch_add(&ended, own_switches(RUSAGE_THREAD));
    return arg;
}

static void send_account(int out)
{
    struct account a;
    struct rusage u;

    a.surely = atomic_load(&ended) + own_switches(RUSAGE_THREAD);
    getrusage(RUSAGE_SELF, &u);
    a.switches = u.ru_nvcsw + u.ru_nivcsw;
    a.faults = u.ru_minflt;
    if (write(out, &a, sizeof a) != sizeof a)
        _exit(1);
}

static void serve(int in, int out)
{
    pthread_t t;
    char c;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        send_account(out);
        if (read(in, &c, 1) != 1)
            _exit(0);
        send_account(out);
        if (pthread_create(&t, NULL, live_thread, NULL) || pthread_join(t, NULL))
            _exit(1);
    }
}

struct child {
    pid_t pid;
    int in, out;
};

static bool start(struct child *c)
{
    int down[2], up[2];

    if (pipe(down) || pipe(up))
        return false;
    fflush(stdout);
    c->pid = fork();
    if (c->pid == 0) {
        close(down[1]);
        close(up[0]);
        serve(down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    c->in = up[0];
    c->out = down[1];
    return c->pid > 0;
}

static bool hear(const struct child *c, struct account *a)
{
    return read(c->in, a, sizeof *a) == sizeof *a;
}

/* 0: threads one by one, 1: all together but without ended ones, 2: all. */
static int sight(void)
{
    struct taskstats_link t;
    char why[80];
    int sees;

    if (taskstats_open(&t, why, sizeof why)) {
        printf("ending: switches of ended threads cannot be seen: %s\n", why);
        return 0;
    }
    sees = t.counts_ended ? 2 : 1;
    taskstats_close(&t);
    return sees;
}

/* After `lives` threads have ended. */
static void check(const struct sample *s, const struct account *before, const struct account *after,
                  int sees, int lives)
{
    long switches = (long)(s->vol_switches + s->invol_switches), faults = (long)s->minor_faults;
    /* where runs are counted instead, the count includes each thread's last run, which ends in no
     * switch */
    long most = after->switches + (sees == 1 ? lives + 1 : 0);

    TEST_REPORT(switches <= most, "life %d: %ld switches, at most %ld", lives, switches, most);
    if (sees == 2)
        TEST_REPORT(switches >= before->surely, "life %d: %ld switches, at least %ld", lives,
                    switches, before->surely);
    CHECK(faults >= before->faults && faults <= after->faults);
}

static void observe(void)
{
    struct account before, after;
    struct server *s = NULL;
    int sees = sight();
    struct sample now;
    struct err e = {0};
    struct child c;

    CHECK(start(&c));
    CHECK_INT(server_open(&s, "/proc", &c.pid, 1, false, &e), 0);
    for (int i = 0; s && i <= LIVES; i++) {
        CHECK(hear(&c, &before));
        server_read(s, &now);
        CHECK_INT(write(c.out, "x", 1), 1);
        CHECK(hear(&c, &after));
        check(&now, &before, &after, sees, i);
    }
    server_close(s);
    close(c.out);
    close(c.in);
    waitpid(c.pid, NULL, 0);
}

static void on_one_cpu(void)
{
    cpu_set_t all, one;

    CHECK_INT(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    CHECK_INT(sched_setaffinity(0, sizeof one, &one), 0);
    observe();
    CHECK_INT(sched_setaffinity(0, sizeof all, &all), 0);
}

TEST_MAIN(ending_test)
{
    observe();
    on_one_cpu();
    return test_done("ending");
}
