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

static double cpu_s = 1, sys_share, threads = 1, lives = 1, switches, slices = 1;
static int processes, linger, pauses;

static const struct {
    const char *name;
    double *value, low, high;
} numbers[] = {{"cpu", &cpu_s, 0, 1e6},         {"sys-share", &sys_share, 0, 100},
               {"threads", &threads, 1, 1e5},   {"lives", &lives, 1, 1e6},
               {"switches", &switches, 0, 1e9}, {"slices", &slices, 1, 1e6}};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* One of the threads (or children) at a time; what children write is shared. */
struct slot {
    pthread_t thread;
    pid_t pid;
    int64_t burnt_ns;
    struct rusage used; /* of a child that lingers */
    _Atomic bool done;  /* it is known */
};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static int64_t thread_cpu(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* One life. */
static void *work(void *arg)
{
    enum { BUF = 64 * 1024 };
    struct slot *s = arg;
    struct timespec nap = {.tv_nsec = 200 * NS_PER_US};
    double slice_ns = cpu_s * 1e9 / (threads * lives * (double)(long)slices);
    int64_t began = thread_cpu(), at = began;
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    volatile uint64_t x = 1;
    char *buf = malloc(BUF);

    for (long i = (long)switches / ((long)threads * (long)lives); i > 0; i--)
        nanosleep(&nap, NULL);
    for (long i = 0; i < (long)slices; i++) {
        at += (int64_t)(slice_ns * (1 - sys_share / 100));
        while (thread_cpu() < at)
            for (int k = 0; k < 100000; k++)
                x = x * 6364136223846793005u + 1442695040888963407u;
        /* reading /dev/zero is the kernel clearing pages of ours: next to nothing of it is user
         * time */
        at += (int64_t)(slice_ns * sys_share / 100);
        while (buf && fd >= 0 && thread_cpu() < at)
            for (int k = 0; k < 4; k++)
                if (read(fd, buf, BUF) < 0)
                    break;
    }
    free(buf);
    close(fd);
    s->burnt_ns += thread_cpu() - began;
    return NULL;
}

static void start(struct slot *s, bool lingers)
{
    if (!processes) {
        if (pthread_create(&s->thread, NULL, work, s) != 0)
            fail("spin: pthread_create");
        return;
    }
    pid_t child = fork();
    if (child < 0)
        fail("spin: fork");
    if (child > 0) { /* the slot is the child's, too */
        s->pid = child;
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* no other process would end one that lingers */
    work(s);
    if (lingers) {
        getrusage(RUSAGE_SELF, &s->used);
        atomic_store(&s->done, true);
        for (;;)
            pause();
    }
    _exit(0);
}

static void say(const char *what, const struct slot *slot)
{
    struct rusage sum, children;
    int64_t burnt_ns = 0;

    /* first, so that stdout's buffer and the pages of printf are no faults behind the figures */
    printf("%s pid=%d ", what, (int)getpid());
    getrusage(RUSAGE_SELF, &sum);
    getrusage(RUSAGE_CHILDREN, &children);
    for (int i = -1; i < (int)threads; i++) {
        const struct rusage *u = i < 0 ? &children : &slot[i].used;
        timeradd(&sum.ru_utime, &u->ru_utime, &sum.ru_utime);
        timeradd(&sum.ru_stime, &u->ru_stime, &sum.ru_stime);
        sum.ru_nvcsw += u->ru_nvcsw;
        sum.ru_nivcsw += u->ru_nivcsw;
        sum.ru_minflt += u->ru_minflt;
        sum.ru_majflt += u->ru_majflt;
        burnt_ns += i < 0 ? 0 : slot[i].burnt_ns;
    }
    printf("user_us=%lld sys_us=%lld vol=%ld invol=%ld minflt=%ld majflt=%ld burnt_us=%lld\n",
           sum.ru_utime.tv_sec * 1000000LL + sum.ru_utime.tv_usec,
           sum.ru_stime.tv_sec * 1000000LL + sum.ru_stime.tv_usec, sum.ru_nvcsw, sum.ru_nivcsw,
           sum.ru_minflt, sum.ru_majflt, (long long)(burnt_ns / NS_PER_US));
    fflush(stdout);
    for (char c = 0; pauses && c != '\n' && read(STDIN_FILENO, &c, 1) == 1;)
        ;
}

int main(int argc, char **argv)
{
    struct option option[NUMBERS + 4] = {{"processes", no_argument, &processes, 1},
                                         {"linger", no_argument, &linger, 1},
                                         {"wait", no_argument, &pauses, 1}};
    struct slot *slot;
    int c;

    for (int i = 0; i < NUMBERS; i++)
        option[3 + i] = (struct option){numbers[i].name, required_argument, NULL, i + 1};
    while ((c = getopt_long(argc, argv, "", option, NULL)) != -1) {
        char *end;
        if (c == '?')
            return 1;
        if (c == 0)
            continue;
        *numbers[c - 1].value = strtod(optarg, &end);
        if (*end || end == optarg || !(*numbers[c - 1].value >= numbers[c - 1].low) ||
            *numbers[c - 1].value > numbers[c - 1].high) {
            fprintf(stderr, "spin: %s is not a number from %g to %g\n", optarg, numbers[c - 1].low,
                    numbers[c - 1].high);
            return 1;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "spin: what is \"%s\"?\n", argv[optind]);
        return 1;
    }
    size_t size = (size_t)threads * sizeof *slot;
    slot = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (slot == MAP_FAILED)
        fail("spin");
    say("begin", slot);
    for (long life = 1; life <= (long)lives; life++) {
        bool lingers = processes && linger && life == (long)lives;
        if (!processes && threads < 2 && lives < 2) {
            work(slot);
            continue;
        }
        for (long i = 0; i < (long)threads; i++)
            start(&slot[i], lingers);
        for (long i = 0; i < (long)threads; i++) {
            if (!processes)
                pthread_join(slot[i].thread, NULL);
            else if (!lingers)
                waitpid(slot[i].pid, NULL, 0);
            while (lingers && !atomic_load(&slot[i].done))
                usleep(2000);
        }
    }
    say("end", slot);
    for (long i = 0; processes && linger && i < (long)threads; i++) {
        kill(slot[i].pid, SIGTERM);
        waitpid(slot[i].pid, NULL, 0);
    }
    munmap(slot, size);
    return 0;
}
