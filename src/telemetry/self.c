/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads our own process.  getrusage() tells more about it than /proc does about other processes:
 * user and system time in microseconds, and the switches and faults of ended threads, without any
 * privilege.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "telemetry/proc_pid.h"
#include "telemetry/quota.h"
#include "telemetry/server.h"
#include "telemetry/switches.h"

enum { SECTOR = 512 };

static int64_t timeval_ns(struct timeval tv)
{
    return (int64_t)tv.tv_sec * NS_PER_SEC + (int64_t)tv.tv_usec * NS_PER_US;
}

/* One more reason; see sample.h. */
__attribute__((format(printf, 2, 3))) static void note(struct sample *out, const char *fmt, ...)
{
    size_t n = strlen(out->reason);
    va_list ap;

    if (n && n < sizeof out->reason - 3)
        n += (size_t)snprintf(out->reason + n, sizeof out->reason - n, "; ");
    va_start(ap, fmt);
    vsnprintf(out->reason + n, sizeof out->reason - n, fmt, ap);
    va_end(ap);
}

static void take_usage(struct sample *out)
{
    struct rusage u;

    if (getrusage(RUSAGE_SELF, &u) != 0) {
        note(out, "getrusage failed");
        return;
    }
    out->user_ns = timeval_ns(u.ru_utime);
    out->sys_ns = timeval_ns(u.ru_stime);
    out->cpu_ns = out->user_ns + out->sys_ns;
    out->vol_switches = (uint64_t)u.ru_nvcsw;
    out->invol_switches = (uint64_t)u.ru_nivcsw;
    out->minor_faults = (uint64_t)u.ru_minflt;
    out->major_faults = (uint64_t)u.ru_majflt;
    out->have |= SAMPLE_CPU | SAMPLE_SWITCHES | SAMPLE_FAULTS;
    /* the figures of /proc/self/io in sectors, the unit of storage I/O; a kernel that does not
     * account for it has no such file, and these are 0 */
    if (access("/proc/self/io", F_OK) == 0) {
        out->read_bytes = (uint64_t)u.ru_inblock * SECTOR;
        out->write_bytes = (uint64_t)u.ru_oublock * SECTOR;
        out->have |= SAMPLE_IO;
    } else {
        note(out, "bytes read and written: this kernel does not count them");
    }
}

/* With thousands of threads, files that sum over all of them are slow to read; these two are
 * not.  The link count of the task directory is the number of threads plus two. */
static void take_proc(struct sample *out)
{
    int root_fd = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct proc_statm mem;
    struct stat st;

    if (root_fd >= 0 && fstatat(root_fd, "task", &st, 0) == 0 && st.st_nlink > 2) {
        out->threads = st.st_nlink - 2;
        out->have |= SAMPLE_THREADS;
    }
    if (root_fd >= 0)
        close(root_fd);
    root_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root_fd >= 0 && proc_statm_read(root_fd, getpid(), &mem) == 0) {
        out->rss_bytes = mem.resident * (uint64_t)sysconf(_SC_PAGESIZE);
        out->have |= SAMPLE_MEMORY;
    }
    if (root_fd >= 0)
        close(root_fd);
    if (~out->have & SAMPLE_MEMORY)
        note(out, "memory: /proc/%d cannot be read whole", (int)getpid());
}

/*
 * Reads thread by thread, for users who may not use taskstats.  The waiting time of ended threads
 * is missing, which does not matter: the clients' threads end after the last reading.
 */
static bool sum_threads(struct sample *out)
{
    int root_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct pid_list tids = {0};
    struct proc_schedstat s;
    size_t seen = 0;

    if (root_fd < 0)
        return false;
    if (proc_list_tasks(root_fd, getpid(), &tids) == 0 && tids.n <= TASK_MEMORY_LIMIT)
        for (size_t i = 0; i < tids.n; i++)
            if (proc_schedstat_read(root_fd, getpid(), tids.ids[i], &s) == 0) {
                out->runq_wait_ns += (int64_t)s.wait_ns;
                seen++;
            }
    pid_list_free(&tids);
    close(root_fd);
    return seen > 0;
}

/* Run-queue wait includes ended threads on every kernel, so the open without the probe is
 * enough. */
static void take_runq(struct sample *out)
{
    struct taskstats_link link;
    struct switch_counts sum;
    char why[80] = "";
    bool has_runq;

    if (taskstats_open(&link, false, why, sizeof why) == 0) {
        if (taskstats_read(&link, getpid(), &sum, &has_runq) == 0 && has_runq) {
            out->runq_wait_ns = (int64_t)sum.runq_wait_ns;
            out->have |= SAMPLE_RUNQ;
        }
        taskstats_close(&link);
    }
    if (!(out->have & SAMPLE_RUNQ) && sum_threads(out)) {
        out->have |= SAMPLE_RUNQ;
        out->lower |= SAMPLE_RUNQ;
        note(out, "run-queue wait: a lower bound, ended threads cannot be seen (%s)", why);
    }
    if (!(out->have & SAMPLE_RUNQ))
        note(out, "run-queue wait: %s", why[0] ? why : "this kernel does not count it");
}

static void take_throttle(struct sample *out)
{
    struct quota q;

    out->no_throttle = quota_read("/proc", getpid(), &q);
    if (out->no_throttle)
        return;
    out->throttled_ns = q.throttled_ns;
    out->throttled_periods = q.periods;
    out->have |= SAMPLE_THROTTLE;
}

void self_read(struct sample *out)
{
    mono_ns begin = clock_mono(), end;

    *out = (struct sample){.processes = 1};
    take_usage(out);
    take_proc(out);
    take_runq(out);
    end = clock_mono();
    out->at = begin + (end - begin) / 2;
    take_throttle(out); /* after the time, which is that of the CPU time above */
    out->cost_ns = clock_mono() - begin;
}
