/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Says that workers are near their limit: once while the run lasts, if a further worker would find
 * a CPU (busy.h), and at its end.  The main thread reads the CPU time of the workers' threads and
 * the idle time of the machine about once a second; the workers themselves do nothing for it.
 */
#include "engine/run_state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/busy.h"
#include "engine/carry.h"
#include "fiber/sched.h"
#include "telemetry/proc_host.h"

/* A worker that is busier than this in the whole run is overloaded. */
#define BUSY_PCT 80
/* A shorter time says nothing about a worker's load. */
#define SHORTEST NS_PER_SEC

struct carrier_busy {
    struct busy live;
    struct busy_reading start, now; /* `now` is where a reading is taken */
    mono_ns next;                   /* reading; MONO_NEVER: none is left to take */
    int proc;                       /* the folder */
    bool said;
};

/* The CPU time that further workers could have had: nobody used it, or processes of a lower
 * priority did. */
static int64_t machine_idle(int proc)
{
    struct proc_host host;
    struct err e = {0};
    long per_s = sysconf(_SC_CLK_TCK);
    uint64_t ticks;

    if (proc < 0 || per_s <= 0 || proc_host_read(proc, &host, &e))
        return -1;
    ticks = host.cpu.idle + host.cpu.iowait;
    if (getpriority(PRIO_PROCESS, 0) <= 0)
        ticks += host.cpu.nice;
    return (int64_t)ticks * (NS_PER_SEC / per_s);
}

static void read_workers(const struct run *r, struct busy_reading *to)
{
    for (int i = 0; i < r->plan->workers; i++)
        to->cpu[i] = sched_worker_cpu(r->sched, i);
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
    b->start.idle = machine_idle(b->proc);
    busy_begin(&b->live, r->plan->workers, &b->start);
    b->next = busy_advice(r->plan->workers, carry_cpus()) ? b->start.at + BUSY_STEP : MONO_NEVER;
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
        busy, workers, busy == 1 ? "is" : "are", most, busy_advice(workers, carry_cpus()));
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
    b->now.idle = machine_idle(b->proc);
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

void carrier_say_batches(const struct run *r)
{
    struct sched_batches b;

    if (r->plan->worker_batch == 0 || !r->sched)
        return;
    b = sched_batches(r->sched);
    if (b.n == 0)
        log_notice("--worker-batch held no answer back.");
    else
        log_notice(
            "--worker-batch held answers back: %llu batches of %.1f on average, each answer for up to %.1f us on average and %.1f us at most.",
            (unsigned long long)b.n, (double)b.answers / (double)b.n,
            (double)b.sum / (double)b.answers / NS_PER_US, (double)b.most / NS_PER_US);
}

void carrier_say_busy(struct run *r, dur_ns elapsed)
{
    struct carrier_busy *b = r->busy;
    double most;
    int busy;

    if (!b || elapsed < SHORTEST)
        return;
    read_workers(r, &b->now);
    b->now.at = b->start.at + elapsed;
    busy = busy_workers(r->plan->workers, &b->start, &b->now, BUSY_PCT, &most);
    if (!busy)
        return;
    if (!r->plan->workers_by_default)
        log_notice(
            "%d of %d workers were nearly saturated (%.0f %% of a CPU at most): raise --workers.\n",
            busy, r->plan->workers, most);
    else if (!b->said) /* the format of stdout is that of 1.0 */
        log_stderr(
            "WARNING: %d of %d workers were nearly saturated (%.0f %% of a CPU at most): try --workers=%d",
            busy, r->plan->workers, most, 2 * r->plan->workers);
}
