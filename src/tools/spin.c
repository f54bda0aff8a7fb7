/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A process whose CPU use is known: the reference for tests of the telemetry.  It burns an exact
 * amount of CPU time, of which an exact part in the kernel, in threads (or child processes) that
 * come and go, sleeps a known number of times, and prints the kernel's accounts of it.
 *
 *     spin [--cpu=SECONDS] [--sys-share=PERCENT] [--threads=N] [--lives=N] [--switches=N]
 *          [--slices=N] [--processes] [--linger] [--wait]
 *
 *     --cpu        CPU seconds to burn, over all threads (default 1)
 *     --sys-share  per cent of it to spend in the kernel (default 0)
 *     --threads    how many at once (default 1); with 1 thread and 1 life it is the main thread
 *     --lives      each thread's work is done by so many threads one after the other (default 1)
 *     --switches   sleeps of 0.2 ms, that is voluntary context switches, over all threads
 *                  (default 0); they cost part of the user share of --cpu, or more than that
 *     --slices     user and system time alternate so many times in a life (default 1)
 *     --processes  child processes instead of threads; they are waited for as they end
 *     --linger     (with --processes) the last life of each slot stays until the end
 *     --wait       print the first line, wait for a line on stdin, work, print the second, wait
 *                  for stdin to end: the figures stay constant while the reader reads them
 *
 * Output, on stdout, times in us (getrusage, of threads or children that ended too):
 *     begin pid=N user_us=N sys_us=N vol=N invol=N minflt=N majflt=N burnt_us=0
 *     end pid=N ...
 *
 * The amounts are measured with the CPU-time clock of each thread, so a busy machine makes it
 * slower, not less exact.  burnt_us is what these clocks showed in the end: --cpu, or a little more
 * where a host took the processor away at the wrong moment.
 */
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

struct job {
    double cpu_s, sys_share;
    long threads, lives, switches, slices;
    bool processes, linger, wait;
};

/* One life's part of the job. */
struct part {
    int64_t user_ns, sys_ns;
    long switches, slices;
    _Atomic int64_t *burnt_ns; /* where its CPU time is added in the end */
};

/* A slot of the job: what one of the threads (or children) at a time works on. */
struct slot {
    struct part part;
    long lives;
    struct rusage used; /* of a lingering child, in shared memory */
    _Atomic uint32_t done;
};

static int64_t thread_cpu(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

static void burn_user(int64_t until)
{
    volatile uint64_t x = 1;

    while (thread_cpu() < until)
        for (int i = 0; i < 100000; i++)
            x = x * 6364136223846793005u + 1442695040888963407u;
}

/* Reading /dev/zero is the kernel clearing pages of ours: next to nothing of it is user time. */
static void burn_system(int64_t until, char *buf, size_t n)
{
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

    while (fd >= 0 && thread_cpu() < until)
        for (int i = 0; i < 4; i++)
            if (read(fd, buf, n) < 0)
                break;
    if (fd >= 0)
        close(fd);
}

static void work(const struct part *p)
{
    enum { BUF = 64 * 1024 };
    struct timespec nap = {.tv_nsec = 200 * NS_PER_US};
    char *buf = malloc(BUF);
    int64_t began = thread_cpu(), at = began;

    for (long i = 0; i < p->switches; i++)
        nanosleep(&nap, NULL);
    for (long i = 0; i < p->slices; i++) {
        burn_user(at += p->user_ns / p->slices);
        if (p->sys_ns && buf)
            burn_system(at += p->sys_ns / p->slices, buf, BUF);
    }
    free(buf);
    atomic_fetch_add(p->burnt_ns, thread_cpu() - began);
}

static void *thread_life(void *arg)
{
    work(arg);
    return NULL;
}

/* The lives of one slot, each a thread that ends before the next begins. */
static void *thread_slot(void *arg)
{
    struct slot *s = arg;

    for (long i = 0; i < s->lives; i++) {
        pthread_t life;
        if (pthread_create(&life, NULL, thread_life, &s->part) != 0) {
            perror("spin: pthread_create");
            exit(1);
        }
        pthread_join(life, NULL);
    }
    return NULL;
}

static void run_threads(struct slot *slot, long n)
{
    pthread_t *t = calloc((size_t)n, sizeof *t);

    for (long i = 0; t && i < n; i++)
        if (pthread_create(&t[i], NULL, thread_slot, &slot[i]) != 0) {
            perror("spin: pthread_create");
            exit(1);
        }
    for (long i = 0; t && i < n; i++)
        pthread_join(t[i], NULL);
    free(t);
}

static pid_t start_child(struct slot *s, bool linger)
{
    pid_t pid = fork();

    if (pid < 0) {
        perror("spin: fork");
        exit(1);
    }
    if (pid > 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* no other process would end one that lingers */
    work(&s->part);
    if (linger) {
        getrusage(RUSAGE_SELF, &s->used);
        atomic_store(&s->done, 1);
        for (;;)
            pause();
    }
    _exit(0);
}

static void wait_done(struct slot *s)
{
    struct timespec nap = {.tv_nsec = 2 * NS_PER_MS};

    while (!atomic_load(&s->done))
        nanosleep(&nap, NULL);
}

/* Rounds of children; the pids of the last round, if it lingers, are left in pid[]. */
static void run_processes(const struct job *j, struct slot *slot, pid_t *pid)
{
    for (long life = 0; life < j->lives; life++) {
        bool linger = j->linger && life == j->lives - 1;
        for (long i = 0; i < j->threads; i++)
            pid[i] = start_child(&slot[i], linger);
        for (long i = 0; i < j->threads; i++) {
            if (linger)
                wait_done(&slot[i]);
            else
                waitpid(pid[i], NULL, 0);
        }
    }
}

static int64_t us(struct timeval tv)
{
    return (int64_t)tv.tv_sec * 1000000 + tv.tv_usec;
}

static void add_usage(struct rusage *sum, const struct rusage *u)
{
    timeradd(&sum->ru_utime, &u->ru_utime, &sum->ru_utime);
    timeradd(&sum->ru_stime, &u->ru_stime, &sum->ru_stime);
    sum->ru_nvcsw += u->ru_nvcsw;
    sum->ru_nivcsw += u->ru_nivcsw;
    sum->ru_minflt += u->ru_minflt;
    sum->ru_majflt += u->ru_majflt;
}

static void say(const char *what, const struct job *j, const struct slot *slot, int64_t burnt_ns)
{
    struct rusage sum, u;

    getrusage(RUSAGE_SELF, &sum);
    if (j->processes) {
        getrusage(RUSAGE_CHILDREN, &u);
        add_usage(&sum, &u);
        for (long i = 0; i < j->threads; i++)
            if (slot[i].done)
                add_usage(&sum, &slot[i].used);
    }
    printf("%s pid=%d user_us=%lld sys_us=%lld vol=%ld invol=%ld minflt=%ld majflt=%ld "
           "burnt_us=%lld\n",
           what, (int)getpid(), (long long)us(sum.ru_utime), (long long)us(sum.ru_stime),
           sum.ru_nvcsw, sum.ru_nivcsw, sum.ru_minflt, sum.ru_majflt,
           (long long)(burnt_ns / NS_PER_US));
    fflush(stdout);
}

static void wait_line(bool wanted)
{
    char c = 0;

    while (wanted && c != '\n' && read(STDIN_FILENO, &c, 1) == 1)
        ;
}

/* What the children write is shared with them. */
struct shared {
    _Atomic int64_t burnt_ns;
    struct slot slot[];
};

static void do_job(const struct job *j, struct shared *sh, pid_t *pid)
{
    if (j->processes)
        run_processes(j, sh->slot, pid);
    else if (j->threads == 1 && j->lives == 1)
        work(&sh->slot[0].part);
    else
        run_threads(sh->slot, j->threads);
}

static void run(const struct job *j)
{
    double lives = (double)j->threads * (double)j->lives;
    size_t size = sizeof(struct shared) + (size_t)j->threads * sizeof(struct slot);
    struct shared *sh = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t *pid = calloc((size_t)j->threads, sizeof *pid);

    if (sh == MAP_FAILED || !pid) {
        perror("spin");
        exit(1);
    }
    for (long i = 0; i < j->threads; i++) {
        struct slot *s = &sh->slot[i];
        s->lives = j->lives;
        s->part.user_ns = (int64_t)(j->cpu_s * 1e9 * (1 - j->sys_share / 100) / lives);
        s->part.sys_ns = (int64_t)(j->cpu_s * 1e9 * j->sys_share / 100 / lives);
        s->part.switches = j->switches / (j->threads * j->lives);
        s->part.slices = j->slices;
        s->part.burnt_ns = &sh->burnt_ns;
    }
    say("begin", j, sh->slot, 0);
    wait_line(j->wait);
    do_job(j, sh, pid);
    say("end", j, sh->slot, atomic_load(&sh->burnt_ns));
    wait_line(j->wait);
    for (long i = 0; j->processes && j->linger && i < j->threads; i++) {
        kill(pid[i], SIGTERM);
        waitpid(pid[i], NULL, 0);
    }
    free(pid);
    munmap(sh, size);
}

static double number(const char *text, double low, double high)
{
    char *end;
    double v = strtod(text, &end);

    if (*end || end == text || !(v >= low && v <= high)) {
        fprintf(stderr, "spin: %s is not a number from %g to %g\n", text, low, high);
        exit(1);
    }
    return v;
}

int main(int argc, char **argv)
{
    static const struct option option[] = {
        {"cpu", required_argument, NULL, 'c'},      {"sys-share", required_argument, NULL, 's'},
        {"threads", required_argument, NULL, 't'},  {"lives", required_argument, NULL, 'l'},
        {"switches", required_argument, NULL, 'w'}, {"slices", required_argument, NULL, 'i'},
        {"processes", no_argument, NULL, 'p'},      {"linger", no_argument, NULL, 'g'},
        {"wait", no_argument, NULL, 'W'},           {NULL, 0, NULL, 0},
    };
    struct job j = {.cpu_s = 1, .threads = 1, .lives = 1, .slices = 1};
    int c;

    while ((c = getopt_long(argc, argv, "", option, NULL)) != -1) {
        switch (c) {
        case 'c': j.cpu_s = number(optarg, 0, 1e6); break;
        case 's': j.sys_share = number(optarg, 0, 100); break;
        case 't': j.threads = (long)number(optarg, 1, 100000); break;
        case 'l': j.lives = (long)number(optarg, 1, 1e6); break;
        case 'w': j.switches = (long)number(optarg, 0, 1e9); break;
        case 'i': j.slices = (long)number(optarg, 1, 1e6); break;
        case 'p': j.processes = true; break;
        case 'g': j.linger = true; break;
        case 'W': j.wait = true; break;
        default: return 1;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "spin: what is \"%s\"?\n", argv[optind]);
        return 1;
    }
    run(&j);
    return 0;
}
