/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Says that workers are near their limit: once while the run lasts, if a further worker would find
 * a CPU (busy.h), and at its end.  The main thread reads the CPU time of the workers' threads and
 * the idle time of the CPUs that this process may use about once a second; the workers themselves
 * do nothing for it.
 */
#include "engine/run_state.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/busy.h"
#include "engine/carry.h"
#include "fiber/sched.h"
#include "telemetry/proc.h"
#include "telemetry/cgroup.h"

/* A worker that is busier than this in the whole run is overloaded. */
#define BUSY_PCT 80
/* A shorter time says nothing about a worker's load. */
#define SHORTEST NS_PER_SEC

struct carrier_busy {
    struct busy live;
    struct busy_reading start, now; /* `now` is where a reading is taken */
    mono_ns next;                   /* reading; MONO_NEVER: none is left to take */
    int proc;                       /* the folder */
    cpu_set_t cpus;                 /* that this process may use */
    int ncpus;
    int64_t idle;      /* of them, at the latest reading; -1: unknown */
    int64_t withheld;  /* the part of it during which a quota stopped this process */
    int64_t throttled; /* for how long one has */
    bool said;
};

/* The CPU time that further workers could have had: nobody used it, or processes of a lower
 * priority did. */
static int64_t idle_time(const struct carrier_busy *b)
{
    struct proc_cpu_ticks cpu;
    struct err e = {0};
    long per_s = sysconf(_SC_CLK_TCK);
    uint64_t ticks;

    if (b->proc < 0 || per_s <= 0 || proc_cpus_read(b->proc, &b->cpus, &cpu, &e))
        return -1;
    ticks = cpu.idle + cpu.iowait;
    if (getpriority(PRIO_PROCESS, 0) <= 0)
        ticks += cpu.nice;
    return (int64_t)ticks * (NS_PER_SEC / per_s);
}

/* True when a CPU quota has stopped this process since the latest reading: then idle CPUs are not
 * for its workers. */
static bool was_throttled(struct carrier_busy *b)
{
    int64_t before = b->throttled;
    struct quota q;

    if (quota_read("/proc", getpid(), &q))
        return false;
    b->throttled = q.throttled_ns;
    return b->throttled > before;
}

static int64_t read_idle(struct carrier_busy *b)
{
    int64_t before = b->idle;

    b->idle = idle_time(b);
    if (was_throttled(b) && before >= 0 && b->idle >= 0)
        b->withheld += b->idle - before;
    return b->idle < 0 ? -1 : b->idle - b->withheld;
}

static void read_workers(const struct run *r, struct busy_reading *to)
{
    for (int i = 0; i < r->plan->workers; i++)
        to->cpu[i] = sched_worker_cpu(r->sched, i);
}

static void find_cpus(struct carrier_busy *b)
{
    b->ncpus = carry_cpus();
    if (sched_getaffinity(0, sizeof b->cpus, &b->cpus))
        memset(&b->cpus, 0xff, sizeof b->cpus); /* more CPUs than the set has room for */
}

void carrier_mark(struct run *r)
{
    struct carrier_busy *b;
    size_t n = (size_t)r->plan->workers;

    if (!r->sched)
        return;
    carrier_measures(r);
    r->busy = b = mem_alloc(sizeof *b);
    b->start.cpu = mem_array(n, sizeof *b->start.cpu);
    b->now.cpu = mem_array(n, sizeof *b->now.cpu);
    b->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    read_workers(r, &b->start);
    b->start.at = run_now(r);
    find_cpus(b);
    b->idle = -1;
    b->start.idle = read_idle(b);
    busy_begin(&b->live, r->plan->workers, &b->start);
    b->next = busy_advice(r->plan->workers, b->ncpus) ? b->start.at + BUSY_STEP : MONO_NEVER;
}

void carrier_busy_free(struct carrier_busy *b)
{
    if (!b)
        return;
    busy_end(&b->live);
    if (b->proc >= 0)
        close(b->proc);
    free(b->start.cpu);
    free(b->now.cpu);
    free(b);
}

static void say_live(struct carrier_busy *b, int workers, int busy, double most)
{
    log_stderr(
        "WARNING: %d of %d workers %s near the limit (%.0f %% of a CPU at most), which may limit the throughput: try --workers=%d",
        busy, workers, busy == 1 ? "is" : "are", most, busy_advice(workers, b->ncpus));
    b->said = true;
    b->next = MONO_NEVER;
}

mono_ns carrier_look(struct run *r, mono_ns now)
{
    struct carrier_busy *b = r->busy;
    double most;
    int busy;

    if (!b || now < b->next)
        return b ? b->next : MONO_NEVER;
    read_workers(r, &b->now);
    b->now.at = run_now(r);
    b->now.idle = read_idle(b);
    b->next = b->now.at + BUSY_STEP;
    busy = busy_step(&b->live, &b->now, &most);
    if (busy)
        say_live(b, r->plan->workers, busy, most);
    return b->next;
}

void carrier_measures(struct run *r)
{
    if (r->sched)
        sched_batches_begin(r->sched);
}

void carrier_fill_batches(const struct run *r, struct snapshot_batches *out)
{
    const struct sched_batches *b = &r->batches;

    *out = (struct snapshot_batches){
        .asked = r->plan->worker_batch > 0,
        .batches = b->n,
        .answers = b->answers,
        .held_mean_s = b->n ? (double)b->sum / (double)b->answers / NS_PER_SEC : NAN,
        .held_max_s = b->n ? (double)b->most / NS_PER_SEC : NAN};
}

void carrier_end_batches(struct run *r)
{
    struct snapshot_batches b;

    if (r->plan->worker_batch == 0 || !r->sched)
        return;
    r->batches = sched_batches(r->sched);
    carrier_fill_batches(r, &b);
    if (b.batches == 0)
        log_notice("--worker-batch held no answer back.");
    else
        log_notice(
            "--worker-batch held answers back: %llu batches of %.1f on average, each answer for up to %.1f us on average and %.1f us at most.",
            (unsigned long long)b.batches, (double)b.answers / (double)b.batches,
            b.held_mean_s * 1e6, b.held_max_s * 1e6);
}

void carrier_say_busy(struct run *r, dur_ns elapsed)
{
    struct carrier_busy *b = r->busy;
    char text[BUSY_TEXT];
    double most;
    int busy;

    if (!b || elapsed < SHORTEST)
        return;
    read_workers(r, &b->now);
    b->now.at = b->start.at + elapsed;
    busy = busy_workers(r->plan->workers, &b->start, &b->now, BUSY_PCT, &most);
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
