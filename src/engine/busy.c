/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See busy.h.
 *
 * from_note: from 64 clients on, one worker took 0.45 to 1.14 of the CPU of threads (mean 0.77) for
 * 0.94 to 1.58 of their throughput against a MariaDB with a thread per connection, and 0.3 to 0.5
 * for 1.5 to 2.1 against one with a pool of threads, over sockets and TCP.  With fewer clients a
 * worker often sleeps between two answers, as a thread does, and serves one client at a time where
 * threads serve two: beside other programs it reached only 0.63 to 0.76 of the throughput of
 * threads at 16 and 32 clients.
 *
 * count_note: workers must never be what limits the throughput.
 *   - A point select, the cheapest transaction, takes 8 to 16 us of CPU here and 17 to 35 us in the
 *     server.  When both fill all CPUs of a machine, the clients use a third of them.
 *   - A client waits at least three times as long for the server and for wake-ups as its turn
 *     takes.  So a worker with four clients still has time to spare.
 * More workers than that find fewer answers in each turn, and become threads again.
 */
#include "engine/busy.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/run_state.h"
#include "fiber/sched.h"
#include "telemetry/cgroup.h"
#include "telemetry/proc.h"

/* Of a CPU, in each of so many readings in a row. */
#define NEAR_PCT 90
#define IN_A_ROW 3
/* A further worker needs at least this share of a CPU that is idle. */
#define SPARE_PCT 20

static double share(int64_t before, int64_t now, dur_ns elapsed)
{
    return before < 0 || now < 0 || elapsed <= 0 ? 0
                                                 : 100.0 * (double)(now - before) / (double)elapsed;
}

int busy_workers(int workers, const struct busy_reading *before, const struct busy_reading *now,
                 double limit_pct, double *most)
{
    int n = 0;

    *most = 0;
    for (int i = 0; i < workers; i++) {
        double pct = share(before->cpu[i], now->cpu[i], now->at - before->at);
        n += pct > limit_pct;
        *most = pct > *most ? pct : *most;
    }
    return n;
}

int busy_step(int *in_a_row, int workers, const struct busy_reading *before,
              const struct busy_reading *now, double *most)
{
    int n = busy_workers(workers, before, now, NEAR_PCT, most);
    bool spare = before->idle < 0 || now->idle < 0 ||
                 share(before->idle, now->idle, now->at - before->at) >= SPARE_PCT;

    *in_a_row = n && spare ? *in_a_row + 1 : 0;
    return *in_a_row == IN_A_ROW ? n : 0;
}

int busy_advice(int workers, int cpus)
{
    int more = 2 * workers < cpus ? 2 * workers : cpus;

    return more > workers ? more : 0;
}

bool busy_describe(char text[BUSY_TEXT], int workers, int cpus, bool by_default, int busy,
                   double most)
{
    int more = busy_advice(workers, cpus);
    char advice[64] = "each CPU that this process may use has a worker already.";

    if (by_default && !more)
        return false;
    if (by_default)
        snprintf(advice, sizeof advice, "try --workers=%d", more);
    else if (more)
        snprintf(advice, sizeof advice, "raise --workers.");
    snprintf(text, BUSY_TEXT,
             "%d of %d workers were nearly saturated (%.0f %% of a CPU at most): %s", busy, workers,
             most, advice);
    return true;
}

/* --- how many workers --- */

#define CPUS_PER_WORKER    3
#define CLIENTS_PER_WORKER 4

/* from_note.  PostgreSQL has threads: one worker took less CPU there, but lost throughput. */
int carry_from(const char *driver)
{
    return strcmp(driver, "mysql") == 0 ? 64 : 0;
}

int carry_workers(int clients, int cpus)
{
    int by_cpus = (cpus + CPUS_PER_WORKER - 1) / CPUS_PER_WORKER;
    int by_clients = clients / CLIENTS_PER_WORKER;
    int n = by_cpus < by_clients ? by_cpus : by_clients;

    return n > 1 ? n : 1;
}

int carry_cpus(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN); /* more CPUs than the set has room for */
}

/* --- the workers of a run ---
 *
 * Says that workers are near their limit: once while the run lasts, if a further worker would find
 * a CPU (busy.h), and at its end.  The main thread reads the CPU time of the workers' threads and
 * the idle time of the CPUs that this process may use about once a second; the workers themselves
 * do nothing for it. */

/* A worker that is busier than this in the whole run is overloaded. */
#define BUSY_PCT 80
/* A shorter time says nothing about a worker's load. */
#define SHORTEST NS_PER_SEC

struct executor_busy {
    struct busy_reading start, before, now; /* `now` is where a reading is taken */
    int in_a_row;                           /* busy_step() */
    mono_ns next;                           /* reading; MONO_NEVER: none is left to take */
    int proc;                               /* the folder */
    cpu_set_t cpus;                         /* that this process may use */
    int ncpus;
    int64_t idle;      /* of them, at the latest reading; -1: unknown */
    int64_t withheld;  /* the part of it during which a quota stopped this process */
    int64_t throttled; /* for how long one has */
    bool said;
};

/* The CPU time that further workers could have had: nobody used it, or processes of a lower
 * priority did.  Since a CPU quota has stopped this process, idle CPUs are not for its workers. */
static int64_t read_idle(struct executor_busy *b)
{
    struct proc_host host;
    const union proc_cpu_ticks *cpu = &host.cpu;
    struct quota q;
    long per_s = sysconf(_SC_CLK_TCK);
    int64_t before = b->idle, throttled = b->throttled;

    b->idle = -1;
    if (b->proc >= 0 && per_s > 0 && proc_host_read(b->proc, &b->cpus, &host, NULL) == 0)
        b->idle = (int64_t)(cpu->idle + cpu->iowait +
                            (getpriority(PRIO_PROCESS, 0) <= 0 ? cpu->nice : 0)) *
                  (NS_PER_SEC / per_s);
    if (quota_read("/proc", getpid(), &q) == 0)
        b->throttled = q.throttled_ns;
    if (b->throttled > throttled && before >= 0 && b->idle >= 0)
        b->withheld += b->idle - before;
    return b->idle < 0 ? -1 : b->idle - b->withheld;
}

static void read_workers(const struct run *r, struct busy_reading *to)
{
    for (int i = 0; i < r->plan->workers; i++)
        to->cpu[i] = sched_worker_cpu(r->sched, i);
}

void executor_mark(struct run *r)
{
    struct executor_busy *b;
    size_t n = (size_t)r->plan->workers;

    if (!r->sched)
        return;
    executor_measures(r);
    r->busy = b = mem_alloc(sizeof *b);
    b->start.cpu = mem_array(n, sizeof *b->start.cpu);
    b->before.cpu = mem_array(n, sizeof *b->before.cpu);
    b->now.cpu = mem_array(n, sizeof *b->now.cpu);
    b->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    read_workers(r, &b->start);
    b->start.at = run_now(r);
    b->ncpus = carry_cpus();
    if (sched_getaffinity(0, sizeof b->cpus, &b->cpus))
        memset(&b->cpus, 0xff, sizeof b->cpus); /* more CPUs than the set has room for */
    b->idle = -1;
    b->start.idle = read_idle(b);
    b->before.at = b->start.at;
    b->before.idle = b->start.idle;
    memcpy(b->before.cpu, b->start.cpu, n * sizeof *b->start.cpu);
    b->next = busy_advice(r->plan->workers, b->ncpus) ? b->start.at + BUSY_STEP : MONO_NEVER;
}

void executor_busy_free(struct executor_busy *b)
{
    if (!b)
        return;
    if (b->proc >= 0)
        close(b->proc);
    free(b->start.cpu);
    free(b->before.cpu);
    free(b->now.cpu);
    free(b);
}

mono_ns executor_look(struct run *r, mono_ns now)
{
    struct executor_busy *b = r->busy;
    double most;

    if (!b || now < b->next)
        return b ? b->next : MONO_NEVER;
    read_workers(r, &b->now);
    b->now.at = run_now(r);
    b->now.idle = read_idle(b);
    b->next = b->now.at + BUSY_STEP;
    int busy = busy_step(&b->in_a_row, r->plan->workers, &b->before, &b->now, &most);
    struct busy_reading spare = b->before;
    b->before = b->now;
    b->now = spare;
    if (busy) {
        log_stderr("WARNING: %d of %d workers %s near the limit (%.0f %% of a CPU at most), which "
                   "may limit the throughput: try --workers=%d",
                   busy, r->plan->workers, busy == 1 ? "is" : "are", most,
                   busy_advice(r->plan->workers, b->ncpus));
        b->said = true;
        b->next = MONO_NEVER;
    }
    return b->next;
}

void executor_measures(struct run *r)
{
    if (r->sched)
        sched_batches_begin(r->sched);
}

void executor_fill_batches(const struct plan *p, const struct sched_batches *b,
                           struct snapshot_batches *out)
{
    *out = (struct snapshot_batches){
        .asked = p->worker_batch > 0,
        .batches = b->n,
        .answers = b->answers,
        .held_mean_s = b->n ? (double)b->sum / (double)b->answers / NS_PER_SEC : NAN,
        .held_max_s = b->n ? (double)b->most / NS_PER_SEC : NAN};
}

void executor_end_batches(struct run *r)
{
    struct snapshot_batches b;

    if (r->plan->worker_batch == 0 || !r->sched)
        return;
    r->batches = sched_batches(r->sched);
    executor_fill_batches(r->plan, &r->batches, &b);
    if (b.batches == 0)
        log_notice("--workers=batch held no answer back.");
    else
        log_notice(
            "--workers=batch held answers back: %llu batches of %.1f on average, each answer for up to %.1f us on average and %.1f us at most.",
            (unsigned long long)b.batches, (double)b.answers / (double)b.batches,
            b.held_mean_s * 1e6, b.held_max_s * 1e6);
}

void executor_say_busy(struct run *r, dur_ns elapsed)
{
    struct executor_busy *b = r->busy;
    char text[BUSY_TEXT];
    double most;

    if (!b || elapsed < SHORTEST)
        return;
    read_workers(r, &b->now);
    b->now.at = b->start.at + elapsed;
    int busy = busy_workers(r->plan->workers, &b->start, &b->now, BUSY_PCT, &most);
    r->saturated.n = busy;
    r->saturated.most_pct = most;
    if (!busy ||
        !busy_describe(text, r->plan->workers, b->ncpus, r->plan->workers_by_default, busy, most))
        return;
    if (!r->plan->workers_by_default)
        log_notice("%s\n", text);
    else if (!b->said) /* the format of stdout is that of 1.0 */
        log_stderr("WARNING: %s", text);
}
