/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The readings against processes whose CPU use is known (src/tools/spin) and against what the kernel booked for
 * them in the same instant: within 1 %, with one thread and many, with threads and processes that come and go.
 * Run as root it looks a second time with an unprivileged user's eyes, where what cannot be seen
 * must be absent or a lower bound, with a reason.
 */
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/test.h"
#include "telemetry/server.h"
#include "telemetry/spin_test.h"
#include "telemetry/switches.h"
#include "telemetry/taskstats.h"

#define MS NS_PER_MS
#define US NS_PER_US

static bool taskstats_permitted(void)
{
    struct taskstats_link t;
    char why[80];
    bool ok = taskstats_open_quick(&t, why, sizeof why) == 0;

    if (ok)
        taskstats_close(&t);
    else
        printf("server: without exact context switches of ended threads: %s\n", why);
    return ok;
}

/* 1 %, or what a counter can be off at the edges. */
static double percent(double of, double at_least)
{
    return of * 0.01 > at_least ? of * 0.01 : at_least;
}

struct spin_case {
    const char *args[10];
    bool tree, one_thread;
    double cpu_s;      /* as asked for; 0: not compared */
    double sys_share;  /* < 0: not compared */
};

static const struct spin_case cases[] = {
    {{"spin", "--cpu=1.2", "--sys-share=50", "--switches=2000"}, false, true, 1.2, 50},
    {{"spin", "--cpu=1.2", "--sys-share=20", "--threads=4"}, false, false, 1.2, -1},
    {{"spin", "--cpu=1.2", "--sys-share=50", "--threads=3", "--lives=10", "--switches=6000"},
     false, false, 1.2, -1},
    {{"spin", "--cpu=2.4", "--sys-share=50", "--threads=2", "--lives=3", "--switches=1200",
      "--processes", "--linger"},
     true, false, 0, -1},
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

static void check_cpu(const struct spin_case *c, const struct sample_delta *d, double user_us,
                      double sys_us)
{
    CHECK(d->have & SAMPLE_CPU);
    CHECK_NEAR(d->cpu_ns / 1e3, user_us + sys_us, percent(user_us + sys_us, 0));
    CHECK_NEAR(d->user_ns / 1e3, user_us, percent(user_us, 5500));
    CHECK_NEAR(d->sys_ns / 1e3, sys_us, percent(sys_us, 5500));
    if (c->cpu_s > 0)
        CHECK_NEAR(d->cpu_ns / 1e9, c->cpu_s, percent(c->cpu_s, 0));
    if (c->sys_share >= 0) /* the kernel tells user from system time by its tick: a coarse check */
        CHECK_NEAR(100.0 * (double)d->sys_ns / (double)d->cpu_ns, c->sys_share, 5);
}

static void check_switches(const struct spin_case *c, const struct sample_delta *d, bool exact,
                           double vol, double invol)
{
    CHECK(d->have & SAMPLE_SWITCHES);
    if (exact || c->one_thread) {
        CHECK_NEAR(d->vol_switches, vol, percent(vol, 4));
        CHECK_NEAR(d->invol_switches, invol, percent(invol, 4));
    } else {
        CHECK((double)d->vol_switches <= vol + 4 && (double)d->invol_switches <= invol + 4);
        CHECK(d->lower & SAMPLE_SWITCHES);
        CHECK(strstr(d->reason, "lower bound") != NULL);
    }
}

/* `exact`: ended threads' switches can be seen; `foreign`: the process belongs to somebody else. */
static void observe(const struct spin_case *c, struct spin *spin, bool exact, bool foreign)
{
    struct server *s = NULL;
    struct sample first, now;
    struct sample_delta d;
    struct err e = {0};

    CHECK_INT(server_open(&s, "/proc", &spin->pid, 1, c->tree, &e), 0);
    if (!s)
        return;
    server_read(s, &first);
    now = first;
    CHECK(spin_go(spin));
    read_meanwhile(s, spin, &now);
    CHECK(spin_done(spin));
    server_read(s, &now);
    sample_diff(&first, &now, &d);
    CHECK(d.wall_ns > 0 && now.cost_ns > 0 && now.cost_ns < 100 * MS);
    check_cpu(c, &d, (double)(spin->end.user_us - spin->begin.user_us),
              (double)(spin->end.sys_us - spin->begin.sys_us));
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

/* Becomes nobody for good, in a child. */
static bool drop_privileges(void)
{
    return setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0 &&
           setresuid(65534, 65534, 65534) == 0 && prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0;
}

/* Runs fn in a child that is nobody; its failed checks become ours. */
static void as_nobody(void (*fn)(void *), void *arg)
{
    int status;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        test_failures = 0;
        if (!drop_privileges())
            _exit(99);
        fn(arg);
        fflush(stdout);
        _exit(test_failures > 90 ? 90 : test_failures);
    }
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
        printf("server: cannot become nobody here: the unprivileged look is skipped\n");
    else
        CHECK_INT(WEXITSTATUS(status), 0);
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

static void against_spin(bool permitted)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int nobody = 0; nobody <= (geteuid() == 0); nobody++) {
            struct spin spin = {0};
            CHECK(spin_start(&spin, cases[i].args));
            if (nobody)
                as_nobody(observe_foreign, &(struct observation){&cases[i], &spin});
            else
                observe(&cases[i], &spin, permitted, false);
            spin_stop(&spin);
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

/* Our own process while two threads burn: every single reading lies between two of getrusage's. */
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
        CHECK(now.user_ns >= rusage_ns(&before.ru_utime) - 6 * MS);
        CHECK(now.user_ns <= rusage_ns(&after.ru_utime) + 6 * MS);
        CHECK(now.sys_ns >= rusage_ns(&before.ru_stime) - 6 * MS);
        CHECK(now.sys_ns <= rusage_ns(&after.ru_stime) + 6 * MS);
        CHECK(self.user_ns >= rusage_ns(&before.ru_utime) &&
              self.user_ns <= rusage_ns(&after.ru_utime));
        CHECK(self.sys_ns >= rusage_ns(&before.ru_stime) &&
              self.sys_ns <= rusage_ns(&after.ru_stime));
        CHECK((long)self.vol_switches >= before.ru_nvcsw &&
              (long)self.vol_switches <= after.ru_nvcsw);
        CHECK(self.have & SAMPLE_THREADS);
        CHECK(self.threads >= 3);
        CHECK((self.have & SAMPLE_MEMORY) && self.rss_bytes > 100000);
        CHECK((self.have & SAMPLE_IO) != 0);
        CHECK((self.have & SAMPLE_RUNQ) || self.reason[0]);
    }
    atomic_store(&burning, false);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    server_close(s);
}

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

/* Two processes; one is killed: said, absent for that interval, the other goes on; then nobody is left. */
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
    kill(pid[0], SIGKILL); /* a zombie until somebody waits: that is ended, too */
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

static void *report_tid(void *arg)
{
    char want[80];

    snprintf(want, sizeof want, "%d is a thread of process %d, name the process",
             (int)syscall(SYS_gettid), (int)getpid());
    refuse((pid_t)syscall(SYS_gettid), want);
    return arg;
}

static void refusals(void)
{
    char want[80];
    pthread_t t;
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
    CHECK_INT(pthread_create(&t, NULL, report_tid, NULL), 0);
    pthread_join(t, NULL);
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
    CHECK_INT(a.rss_bytes / page, 24361 - 18814 + 8449); /* private pages of all + the largest share */
    server_close(s);
}

/* A made tree, to change at will: replaced pids, children that nobody waits for. */
static char made[] = "/tmp/server_test.XXXXXX";

static void put(const char *file, const char *text)
{
    char path[256];
    FILE *f;

    for (size_t i = 0; file[i]; i++)
        if (file[i] == '/') {
            snprintf(path, sizeof path, "%s/%.*s", made, (int)i, file);
            mkdir(path, 0755);
        }
    snprintf(path, sizeof path, "%s/%s", made, file);
    f = fopen(path, "w");
    CHECK(f != NULL);
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static void put_process(int pid, int ppid, int utime, int cutime, int start, const char *children)
{
    char file[64], text[256];

    snprintf(file, sizeof file, "%d/stat", pid);
    snprintf(text, sizeof text,
             "%d (p) S %d 1 1 0 -1 0 10 %d 0 0 %d 0 %d 0 20 0 1 0 %d 99 42 1 1\n", pid, ppid,
             cutime / 10, utime, cutime, start);
    put(file, text);
    snprintf(file, sizeof file, "%d/status", pid);
    snprintf(text, sizeof text,
             "Tgid:\t%d\nThreads:\t1\nvoluntary_ctxt_switches:\t%d\nnonvoluntary_ctxt_switches:\t1\n",
             pid, utime);
    put(file, text);
    snprintf(file, sizeof file, "%d/task/%d/status", pid, pid);
    put(file, text);
    snprintf(file, sizeof file, "%d/statm", pid);
    put(file, "100 50 20 0 0 0 0\n");
    snprintf(file, sizeof file, "%d/task/%d/children", pid, pid);
    put(file, children);
}

static void take_away(int pid)
{
    char command[300];

    snprintf(command, sizeof command, "rm -rf %s/%d", made, pid);
    CHECK_INT(system(command), 0);
}

static void replaced_pid(void)
{
    struct sample a, b;
    struct sample_delta d;
    struct server *s = NULL;
    struct err e = {0};
    pid_t pid = 100;

    put_process(100, 1, 500, 0, 1234, "");
    CHECK_INT(server_open(&s, made, &pid, 1, false, &e), 0);
    if (!s)
        return;
    server_read(s, &a);
    CHECK_INT(a.cpu_ns, 5000 * MS);
    CHECK_INT(a.vol_switches, 500);
    CHECK(!(a.have & SAMPLE_IO) && !(a.have & SAMPLE_RUNQ) && a.reason[0]);
    CHECK_INT(a.lower, 0); /* one thread: its own counters are all there is */
    put_process(100, 1, 3, 0, 9999, "");
    server_read(s, &b);
    CHECK(strstr(b.reason, "belongs to another process now") != NULL);
    CHECK(b.cpu_ns == a.cpu_ns && b.have == 0);
    sample_diff(&a, &b, &d);
    CHECK(d.have == 0 && d.cpu_ns == 0);
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
    struct sample a;
    struct err e = {0};
    pid_t pid = 100;

    put_process(100, 1, 10, 1000, 1, "101 102 ");
    put_process(101, 100, 20, 0, 2, "103 ");
    put_process(102, 100, 30, 0, 3, "");
    put_process(103, 101, 40, 0, 4, "");
    CHECK_INT(server_open(&s, made, &pid, 1, true, &e), 0);
    if (!s)
        return;
    /* child times are cut to 10 ms: half a step is added to what is there */
    CHECK_INT(tree_cpu_ms(s, 4), 5 + 10 * (10 + 1000 + 20 + 30 + 40));
    /* 102 ends after 5 more ticks and is waited for: 35 arrive in the child times */
    take_away(102);
    put_process(100, 1, 10, 1035, 1, "101 ");
    CHECK_INT(tree_cpu_ms(s, 3), 5 + 10 * (10 + 1035 + 20 + 40));
    server_read(s, &a);
    CHECK((a.lower & SAMPLE_SWITCHES) && strstr(a.reason, "ended process"));
    CHECK_INT(a.vol_switches, 10 + 20 + 40 + 30);
    /* 103 ends and nobody waits for it: its last reading stays, hidden behind nothing */
    take_away(103);
    put_process(101, 100, 20, 0, 2, "");
    CHECK(tree_cpu_ms(s, 2) >= 10 * (10 + 1035 + 20 + 35));
    /* a new child, then its pid again for another one */
    put_process(100, 1, 10, 1035, 1, "101 104 ");
    put_process(104, 100, 100, 0, 5, "");
    CHECK_INT(tree_cpu_ms(s, 3), 5 + 10 * (10 + 1035 + 20 + 40 + 100 - 5));
    put_process(104, 100, 7, 0, 6, "");
    put_process(100, 1, 10, 1135, 1, "101 104 ");
    CHECK_INT(tree_cpu_ms(s, 3), 5 + 10 * (10 + 1135 + 20 + 40 + 7 - 5));
    server_close(s);
}

static void *idle_thread(void *arg)
{
    for (;;)
        pause();
    return arg;
}

/* A process with more threads than are read one by one. */
static pid_t start_crowd(int n)
{
    pthread_attr_t attr;
    pthread_t t;
    char c = 0;
    int ready[2];
    pid_t pid;

    if (pipe(ready) != 0)
        return -1;
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        pthread_attr_init(&attr);
        pthread_attr_setstacksize(&attr, 128 * 1024);
        for (int i = 1; i < n; i++)
            if (pthread_create(&t, &attr, idle_thread, NULL) != 0)
                _exit(1);
        if (write(ready[1], "x", 1) == 1)
            idle_thread(NULL);
        _exit(1);
    }
    close(ready[1]);
    if (read(ready[0], &c, 1) != 1)
        c = 0;
    close(ready[0]);
    return c == 'x' ? pid : -1;
}

static void look_at_crowd(void *arg)
{
    pid_t pid = *(pid_t *)arg;
    bool permitted = taskstats_permitted();
    dur_ns best = NS_PER_SEC;
    struct server *s = NULL;
    struct sample a = {0};
    struct err e = {0};

    CHECK_INT(server_open(&s, "/proc", &pid, 1, false, &e), 0);
    if (!s)
        return;
    for (int i = 0; i < 20; i++) {
        server_read(s, &a);
        best = a.cost_ns < best ? a.cost_ns : best;
    }
    CHECK_INT(a.threads, 900);
    CHECK_INT(!!(a.have & SAMPLE_SWITCHES), permitted);
    CHECK_INT(!!(a.have & SAMPLE_RUNQ), permitted);
    if (!permitted)
        CHECK(a.vol_switches == 0 && a.reason[0]);
    CHECK(best < MS);
    printf("server: a reading of 900 threads costs %.0f us\n", (double)best / 1e3);
    server_close(s);
}

static void crowd(void)
{
    pid_t pid = start_crowd(900);

    if (pid < 0) {
        printf("server: 900 threads are not to be had here: skipped\n");
        return;
    }
    look_at_crowd(&pid);
    if (geteuid() == 0)
        as_nobody(look_at_crowd, &pid);
    end(pid);
}

int main(void)
{
    bool permitted = taskstats_permitted();

    against_spin(permitted);
    against_getrusage();
    a_process_ends();
    refusals();
    captured();
    crowd();
    CHECK(mkdtemp(made) != NULL);
    replaced_pid();
    tree_accounting();
    for (int pid = 100; pid <= 104; pid++)
        take_away(pid);
    rmdir(made);
    return test_done("server");
}
