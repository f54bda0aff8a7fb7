/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The readings against processes whose CPU use is known (tests/programs/spin.c) and against the
 * kernel's accounts at the same instant: within 1 %, with one thread and many, with threads and
 * processes that come and go.  Run as root it repeats the readings as an unprivileged user, for
 * whom hidden figures must be absent or lower bounds, with a reason.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "telemetry/proc.h"
#include "telemetry/member.h"
#include "telemetry/server.h"
#include "telemetry/spin_test.h"
#include "telemetry/switches.h"
#include "telemetry/test_rights.h"

#define MS NS_PER_MS
#define US NS_PER_US

/* The division of a process's CPU time is good to one of these (member.h). */
#define TICK (10 * MS)

static bool taskstats_permitted(void)
{
    struct taskstats_link t;
    char why[80];
    bool ok = taskstats_open(&t, false, why, sizeof why) == 0;

    if (ok)
        taskstats_close(&t);
    else
        printf("server: without exact context switches of ended threads: %s\n", why);
    return ok;
}

/* 1 %, or the error of a counter at the edges. */
static double percent(double of, double at_least)
{
    return of * 0.01 > at_least ? of * 0.01 : at_least;
}

struct spin_case {
    const char *args[10];
    bool tree, one_thread;
    bool as_nobody; /* look again without privileges */
    /* the requested values, where they can be compared (0: not) */
    double cpu_s, sys_share, switches;
};

/*
 * A sleep costs a virtual machine anything up to a millisecond of CPU, so processes that sleep a
 * lot have no known CPU use; and the kernel distinguishes user from system time by its tick, so
 * only long stretches have a known share, and that only roughly on a busy machine.
 */
static const struct spin_case cases[] = {
    {.args = {"spin", "--cpu=0.6", "--sys-share=50"},
     .one_thread = true,
     .cpu_s = 0.6,
     .sys_share = 50},
    {.args = {"spin", "--cpu=0", "--switches=1000"},
     .one_thread = true,
     .as_nobody = true,
     .switches = 1000},
    {.args = {"spin", "--cpu=0.5", "--sys-share=20", "--threads=4"}, .cpu_s = 0.5},
    {.args = {"spin", "--cpu=0.5", "--sys-share=50", "--threads=3", "--lives=10",
              "--switches=3000"},
     .as_nobody = true},
    {.args = {"spin", "--cpu=0.6", "--sys-share=50", "--threads=2", "--lives=3", "--switches=600",
              "--processes", "--linger"},
     .tree = true,
     .as_nobody = true},
};

static void check_not_less(const struct sample *was, const struct sample *is)
{
    CHECK(is->at > was->at);
    CHECK(is->cpu_ns >= was->cpu_ns && is->user_ns >= was->user_ns && is->sys_ns >= was->sys_ns);
    CHECK(is->cpu_ns == is->user_ns + is->sys_ns);
    CHECK(is->vol_switches >= was->vol_switches && is->invol_switches >= was->invol_switches);
    CHECK(is->minor_faults >= was->minor_faults && is->runq_wait_ns >= was->runq_wait_ns);
    CHECK(is->read_bytes >= was->read_bytes && is->write_bytes >= was->write_bytes);
}

/* Reads every 30 ms until the figures of the end are there. */
static void read_meanwhile(struct server *s, struct spin *spin, struct sample *last)
{
    struct pollfd p = {.fd = fileno(spin->out), .events = POLLIN};
    struct sample now;

    while (poll(&p, 1, 30) == 0) {
        server_read(s, &now);
        check_not_less(last, &now);
        CHECK_INT(now.ended, 0);
        CHECK(now.processes >= 1);
        *last = now;
    }
}

/* In points of a hundred.  The kernel gives each of its ticks (at least 100 a second) to what it
 * interrupts: four standard deviations of such a draw. */
static double share_error(const struct spin_case *c)
{
    return 4 * sqrt(c->sys_share * (100 - c->sys_share) / (100 * c->cpu_s));
}

static void check_cpu(const struct spin_case *c, const struct sample_delta *d, double user_us,
                      double sys_us, double burnt_us)
{
    /* Of ended children /proc shows two sums, each cut to a whole tick. */
    double tick = (double)TICK / 1e3, live = c->tree ? 3 : 1;
    double off_sum = 1000 + (c->tree ? 2 * tick : 0),
           off_part = 500 + live * tick + (c->tree ? tick : 0);

    CHECK(d->have & SAMPLE_CPU);
    CHECK_TIMED_NEAR(d->cpu_ns / 1e3, user_us + sys_us, percent(user_us + sys_us, off_sum));
    CHECK_TIMED_NEAR(d->user_ns / 1e3, user_us, percent(user_us, off_part));
    CHECK_TIMED_NEAR(d->sys_ns / 1e3, sys_us, percent(sys_us, off_part));
    if (c->cpu_s >
        0) { /* the time on the threads' own clocks, which is the requested time or more */
        CHECK(burnt_us >= c->cpu_s * 1e6 * 0.999);
        CHECK_TIMED_NEAR(d->cpu_ns / 1e3, burnt_us, percent(burnt_us, 0));
    }
    if (c->sys_share > 0)
        CHECK_TIMED_NEAR(100.0 * (double)d->sys_ns / (double)d->cpu_ns, c->sys_share,
                         share_error(c));
}

static void check_switches(const struct spin_case *c, const struct sample_delta *d, bool exact,
                           double vol, double invol)
{
    CHECK(d->have & SAMPLE_SWITCHES);
    if (c->switches > 0)
        CHECK_TIMED_NEAR(d->vol_switches, c->switches, percent(c->switches, 0));
    if (exact || c->one_thread) {
        CHECK_TIMED_NEAR(d->vol_switches, vol, percent(vol, 4));
        CHECK_TIMED_NEAR(d->invol_switches, invol, percent(invol, 4));
    } else {
        CHECK((double)d->vol_switches <= vol + 4 && (double)d->invol_switches <= invol + 4);
        CHECK(d->lower & SAMPLE_SWITCHES);
        CHECK(strstr(d->reason, "lower bound") || strstr(d->reason, "exited processes"));
    }
}

/* `exact`: ended threads' switches can be seen; `foreign`: the process belongs to another user. */
static void observe(const struct spin_case *c, struct spin *spin, bool exact, bool foreign)
{
    struct server *s = NULL;
    struct sample first, now;
    struct sample_delta d;
    struct err e = {0};
    int patience = 1000;

    CHECK_INT(server_open(&s, "/proc", &spin->pid, 1, c->tree, &e), 0);
    if (!s)
        return;
    server_read(s, &first);
    now = first;
    CHECK(spin_go(spin));
    read_meanwhile(s, spin, &now);
    CHECK(spin_done(spin));
    /* a thread that was joined may not have left yet, on a machine without a CPU for it */
    do {
        server_read(s, &now);
    } while (now.threads > (c->tree ? 3u : 1u) && patience-- > 0 && poll(NULL, 0, 1) == 0);
    sample_diff(&first, &now, &d);
    CHECK(d.wall_ns > 0 && now.cost_ns > 0);
    CHECK_TIMED(now.cost_ns < 100 * MS);
    check_cpu(c, &d, (double)(spin->end.user_us - spin->begin.user_us),
              (double)(spin->end.sys_us - spin->begin.sys_us), (double)spin->end.burnt_us);
    check_switches(c, &d, exact && !c->tree, (double)(spin->end.vol - spin->begin.vol),
                   (double)(spin->end.invol - spin->begin.invol));
    CHECK(d.have & SAMPLE_FAULTS);
    CHECK_NEAR(d.minor_faults, spin->end.minflt - spin->begin.minflt,
               percent((double)(spin->end.minflt - spin->begin.minflt), 10));
    CHECK_INT(d.processes, c->tree ? 3 : 1);
    CHECK((d.have & SAMPLE_MEMORY) && d.rss_bytes > 100000 && d.rss_bytes < 100000000);
    CHECK((d.have & SAMPLE_THREADS) && d.threads == (c->tree ? 3u : 1u));
    CHECK_INT(!!(d.have & SAMPLE_IO), !foreign);
    if (foreign)
        CHECK(d.reason[0] != '\0' && d.read_bytes == 0);
    if (exact)
        CHECK(d.have & SAMPLE_RUNQ);
    server_close(s);
}

struct observation {
    const struct spin_case *c;
    struct spin *spin;
};

static void observe_foreign(void *arg)
{
    struct observation *o = arg;

    observe(o->c, o->spin, false, true);
}

static void look_at_spin(const struct spin_case *c, bool permitted, bool nobody)
{
    struct spin spin = {0};

    CHECK(spin_start(&spin, c->args));
    if (nobody)
        test_without_rights(false, observe_foreign, &(struct observation){c, &spin});
    else
        observe(c, &spin, permitted, false);
    spin_stop(&spin);
}

static void against_spin(bool permitted)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int nobody = 0; nobody <= (geteuid() == 0 && cases[i].as_nobody); nobody++) {
            timed_begin();
            look_at_spin(&cases[i], permitted, nobody);
        }
    }
}

static atomic_bool burning;

static void *burn(void *arg)
{
    char buf[512];
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

    while (atomic_load(&burning)) {
        for (volatile int i = 0; i < 20000; i++)
            ;
        if (read(fd, buf, sizeof buf) < 0)
            break;
    }
    close(fd);
    return arg;
}

static int64_t rusage_ns(const struct timeval *tv)
{
    return (int64_t)tv->tv_sec * NS_PER_SEC + tv->tv_usec * US;
}

/* Our own process while two threads burn: every single reading lies between two of getrusage's, the
 * division into user and system time to a tick (member.h). */
static void against_getrusage(void)
{
    struct server *s = NULL;
    struct rusage before, after;
    struct sample now, self;
    struct err e = {0};
    pid_t pid = getpid();
    pthread_t t[2];

    CHECK_INT(server_open(&s, "/proc", &pid, 1, false, &e), 0);
    if (!s)
        return;
    atomic_store(&burning, true);
    for (int i = 0; i < 2; i++)
        CHECK_INT(pthread_create(&t[i], NULL, burn, NULL), 0);
    for (int i = 0; i < 30; i++) {
        usleep(7000);
        getrusage(RUSAGE_SELF, &before);
        server_read(s, &now);
        self_read(&self);
        getrusage(RUSAGE_SELF, &after);
        CHECK_TIMED(now.user_ns >= rusage_ns(&before.ru_utime) - TICK);
        CHECK_TIMED(now.user_ns <= rusage_ns(&after.ru_utime) + TICK);
        CHECK_TIMED(now.sys_ns >= rusage_ns(&before.ru_stime) - TICK);
        CHECK_TIMED(now.sys_ns <= rusage_ns(&after.ru_stime) + TICK);
        CHECK(self.user_ns >= rusage_ns(&before.ru_utime) &&
              self.user_ns <= rusage_ns(&after.ru_utime));
        CHECK(self.sys_ns >= rusage_ns(&before.ru_stime) &&
              self.sys_ns <= rusage_ns(&after.ru_stime));
        CHECK((long)self.vol_switches >= before.ru_nvcsw &&
              (long)self.vol_switches <= after.ru_nvcsw);
        CHECK(self.threads >= 3 && self.have & SAMPLE_IO);
        CHECK((self.have & SAMPLE_RUNQ) || self.reason[0]);
    }
    atomic_store(&burning, false);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    server_close(s);
}

/* What we write is in our own figures as /proc has it, and our threads are counted right.  A thread
 * that was joined may still be counted for a moment. */
static void own_storage(void)
{
    enum { SIZE = 1 << 18 };
    static char block[SIZE];
    int root_fd = open("/proc", O_RDONLY | O_DIRECTORY);
    struct sample before, after;
    uint64_t was_read, was_written, now_read, now_written;
    struct proc_stat st, later;
    FILE *f = tmpfile();

    self_read(&before);
    if (!(before.have & SAMPLE_IO) || !f || root_fd < 0 ||
        proc_io_read(root_fd, getpid(), &was_read, &was_written) != 0)
        return; /* a kernel that does not count */
    CHECK(fwrite(block, 1, SIZE, f) == SIZE && fflush(f) == 0);
    CHECK_INT(proc_io_read(root_fd, getpid(), &now_read, &now_written), 0);
    CHECK_INT(proc_stat_read(root_fd, getpid(), &st), 0);
    self_read(&after);
    CHECK_INT(proc_stat_read(root_fd, getpid(), &later), 0);
    CHECK_INT(after.write_bytes - before.write_bytes, now_written - was_written);
    CHECK(after.threads <= st.threads && after.threads >= later.threads);
    fclose(f);
    close(root_fd);
}

static void *idle_thread(void *arg)
{
    for (;;)
        pause();
    return arg;
}

/* A process with more threads than are read one by one. */
static void look_at_crowd(void *arg)
{
    enum { CROWD = 900 };
    pid_t pid = *(pid_t *)arg;
    bool permitted = taskstats_permitted();
    dur_ns best = NS_PER_SEC;
    struct server *s = NULL;
    struct sample a = {0};
    struct err e = {0};

    CHECK_INT(server_open(&s, "/proc", &pid, 1, false, &e), 0);
    if (!s)
        return;
    for (int i = 0; i < 2000 && a.threads < CROWD; i++, usleep(5000))
        server_read(s, &a);
    if (a.threads < CROWD) {
        printf("server: 900 threads are not to be had here: skipped\n");
    } else {
        for (int i = 0; i < 20; i++) {
            server_read(s, &a);
            best = a.cost_ns < best ? a.cost_ns : best;
        }
        CHECK(a.threads <= CROWD + 1); /* a sanitizer adds one of its own */
        CHECK_INT(!!(a.have & SAMPLE_SWITCHES), permitted);
        CHECK_INT(!!(a.have & SAMPLE_RUNQ), permitted);
        CHECK(permitted || (a.vol_switches == 0 && a.reason[0]));
        CHECK_TIMED(best < MS);
    }
    server_close(s);
}

static void test_many_threads(void)
{
    pthread_attr_t attr;
    pthread_t t;

    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        pthread_attr_init(&attr);
        pthread_attr_setstacksize(&attr, 128 * 1024);
        for (int i = 1; i < 900; i++)
            pthread_create(&t, &attr, idle_thread, NULL);
        idle_thread(NULL);
    }
    look_at_crowd(&pid);
    if (geteuid() == 0)
        test_without_rights(false, look_at_crowd, &pid);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

TEST_MAIN(server_test)
{
    bool permitted = taskstats_permitted();

    against_spin(permitted);
    TIMED(against_getrusage);
    own_storage();
    TIMED(test_many_threads);
    return timed_done("server");
}
