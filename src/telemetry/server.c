/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See server.h.  Adds up a set of watched processes; proc_sum.c reads each one and its
 * descendants.  The totals of a process that has ended stay in the sum, and its successor is added
 * to the set.
 */
#include "telemetry/server.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/mem.h"
#include "telemetry/proc.h"
#include "telemetry/cgroup.h"
#include "telemetry/remote.h"
#include "telemetry/server_state.h"
#include "telemetry/switches.h"

static int open_failed(pid_t pid, int errnum, struct err *e)
{
    if (errnum == ESRCH)
        return err_set(e, ERR_FAILED, "no process %d that this user can see", (int)pid);
    return err_sys(e, errnum, "cannot read process %d", (int)pid);
}

static int open_watch(struct server *s, pid_t pid, bool tree, struct err *e)
{
    struct proc_sum *w = &s->sum[s->n++];
    struct proc_status status;
    int rc = proc_sum_init(w, &s->reader, pid, tree);

    if (rc)
        return open_failed(pid, rc, e);
    /* /proc/TID exists although it is not listed; a thread's id would give its process's figures */
    if (proc_status_read(s->reader.root_fd, pid, 0, &status) == 0 && status.tgid != pid)
        return err_set(e, ERR_FAILED, "%d is a thread of process %d, name the process", (int)pid,
                       (int)status.tgid);
    return 0;
}

static bool is_listed(pid_t pid, const pid_t *pids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

/* True when pids[i] is counted already: it is in the list twice, or descends from another one. */
static bool is_covered(const struct server *s, const pid_t *pids, size_t n, size_t i, bool tree)
{
    struct proc_stat st = {.ppid = pids[i]};

    if (is_listed(pids[i], pids, i))
        return true;
    for (int depth = 0; tree && depth < 64 && st.ppid > 0; depth++) {
        if (proc_stat_read(s->reader.root_fd, st.ppid, &st) != 0)
            break;
        if (st.ppid != pids[i] && is_listed(st.ppid, pids, n))
            return true;
    }
    return false;
}

void server_name(struct server *s)
{
    str_reset(&s->describe);
    for (size_t i = 0; i < s->n; i++) {
        const struct proc_sum *w = &s->sum[i];
        if (w->replaced)
            continue;
        str_printf(&s->describe, "%s%s (pid %d%s)", s->describe.len ? ", " : "", w->root.comm,
                   (int)w->root.pid, w->tree ? " and its children" : "");
    }
}

int server_open(struct server **out, const char *proc_root, const pid_t *pids, size_t n, bool tree,
                struct err *e)
{
    struct server *s = mem_alloc(sizeof *s);

    assert(n > 0);
    *out = NULL;
    if (reader_open(&s->reader, proc_root, e)) {
        free(s);
        return -1;
    }
    s->reader.shared_memory = tree;
    s->sum = mem_array(n, sizeof s->sum[0]);
    for (size_t i = 0; i < n; i++) {
        if (is_covered(s, pids, n, i, tree))
            continue;
        if (open_watch(s, pids[i], tree, e)) {
            server_close(s);
            return -1;
        }
    }
    server_name(s);
    *out = s;
    return 0;
}

struct server *server_of_remote(struct remote *remote)
{
    struct server *s = mem_alloc(sizeof *s);

    s->remote = remote;
    return s;
}

int server_cpus(const struct server *s)
{
    return s->remote ? remote_cpus(s->remote) : 0;
}

int server_usable_cpus(const struct server *s)
{
    cpu_set_t set;

    for (size_t i = 0; i < s->n; i++)
        if (!s->sum[i].replaced && sched_getaffinity(s->sum[i].root.pid, sizeof set, &set) == 0)
            return CPU_COUNT(&set);
    return 0;
}

void server_close(struct server *s)
{
    if (!s)
        return;
    if (s->remote) {
        free(s);
        return;
    }
    for (size_t i = 0; i < s->n; i++)
        proc_sum_fini(&s->sum[i]);
    free(s->sum);
    free(s->finder);
    str_free(&s->describe);
    reader_close(&s->reader);
    free(s);
}

void server_add_total(struct sample *out, const struct proc_sum *w)
{
    const struct counts *t = &w->total;

    out->cpu_ns += w->split.cpu_ns;
    out->user_ns += w->split.user_ns;
    out->vol_switches += t->sw.vol;
    out->invol_switches += t->sw.invol;
    out->runq_wait_ns += (int64_t)t->sw.runq_wait_ns;
    out->minor_faults += t->minor_faults;
    out->major_faults += t->major_faults;
    out->read_bytes += t->read_bytes;
    out->write_bytes += t->write_bytes;
    if (!w->replaced) /* of what ended before an interval, the interval has nothing */
        out->lower |= t->lower;
    out->kept &= t->have;
    if (!w->alive) {
        out->ended++;
        return;
    }
    out->have &= t->have;
    out->processes += w->processes;
    out->rss_bytes += t->rss_bytes;
    out->threads += t->threads;
}

void server_read(struct server *s, struct sample *out)
{
    mono_ns begin = clock_mono(), end;

    if (s->remote) {
        struct stream_reading r;
        remote_read(s->remote, &r);
        *out = r.sample;
        return;
    }
    reader_begin(&s->reader);
    for (size_t i = 0; i < s->n; i++)
        if (s->sum[i].alive)
            proc_sum_read(&s->sum[i], &s->reader);
    server_find_successors(s);
    *out = (struct sample){.have = ~0u, .kept = ~0u};
    for (size_t i = 0; i < s->n; i++)
        server_add_total(out, &s->sum[i]);
    server_note_lives(s, out);
    if (out->processes == 0)
        out->have = 0;
    out->lower &= out->have | out->kept;
    /* members that have not run since the last reading are skipped, and would not report their
     * reasons again */
    if (~out->have & SAMPLE_ALL)
        reader_note(&s->reader, ~out->have & SAMPLE_ALL, "not everything can be read");
    if (out->lower)
        reader_note(&s->reader, out->lower, "some figures are lower bounds");
    out->sys_ns = out->cpu_ns - out->user_ns;
    snprintf(out->reason, sizeof out->reason, "%s", s->reader.reason);
    end = clock_mono();
    out->at = begin + (end - begin) / 2;
    out->cost_ns = end - begin;
    if (!server_misses(s))
        s->read_boot = clock_boot();
}

unsigned server_exact(const struct server *s)
{
    if (s->remote || s->n == 0 || s->reader.taskstats.fd < 0 || !s->reader.taskstats.keeps_ended)
        return 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->sum[i].tree)
            return 0;
    return SAMPLE_SWITCHES;
}

const char *server_describe(const struct server *s)
{
    return s->remote ? remote_describe(s->remote) : str_cstr(&s->describe);
}

/* --- ended processes and their successors ---------------------------------------------------- */

/*
 * A restarted server is another process: its counters begin at zero, and its
 * predecessor's end with the last reading.  The sum of both only grows, so the figures of a run are
 * differences as before, except for what the old process did after its last reading.
 *
 * A successor that began after the last reading belongs to the run from its first instruction on.
 * One that was there before (the clients went over to another server of this host) counts from its
 * first reading on.
 */

enum { MAX_FOUND = 64 };

/* An ended process without a successor; NULL: none. */
static struct proc_sum *missing(struct server *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!s->sum[i].alive && !s->sum[i].replaced)
            return &s->sum[i];
    return NULL;
}

bool server_misses(struct server *s)
{
    return missing(s) != NULL;
}

static bool is_watched(const struct server *s, pid_t pid)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->sum[i].alive && s->sum[i].root.pid == pid)
            return true;
    return false;
}

/* When it began, as clock_boot() counts; 0: not known. */
static dur_ns began(const struct server *s, const struct proc_sum *w)
{
    return s->reader.live ? (dur_ns)w->root.start_ticks * s->reader.tick_ns : 0;
}

static void note_change(struct server *s, const struct proc_sum *old, const struct proc_sum *w,
                        bool anew)
{
    dur_ns start = began(s, w);

    s->was = (int)old->root.pid;
    s->is = (int)w->root.pid;
    s->changed = clock_mono() - (anew && start ? clock_boot() - start : 0);
}

/* Adds process pid to the set, in place of an ended one. */
static bool add(struct server *s, pid_t pid, bool tree)
{
    struct proc_sum w, *old;
    bool anew;

    if (proc_sum_init(&w, &s->reader, pid, tree)) {
        proc_sum_fini(&w);
        return false;
    }
    proc_sum_read(&w, &s->reader);
    anew = began(s, &w) + s->reader.tick_ns >= s->read_boot;
    if (!anew)
        server_add_total(&s->base, &w);
    s->sum = mem_grow(s->sum, s->n + 1, sizeof s->sum[0]);
    s->sum[s->n++] = w;
    old = missing(s);
    if (old) {
        note_change(s, old, &s->sum[s->n - 1], anew);
        old->replaced = true;
    }
    return true;
}

static void tell(struct server *s, bool tree)
{
    pid_t pids[MAX_FOUND];
    size_t n = 0;

    for (size_t i = 0; i < s->n && n < MAX_FOUND; i++)
        if (s->sum[i].alive)
            pids[n++] = s->sum[i].root.pid;
    s->finder->found(s->finder->arg, pids, n, tree);
}

void server_find_successors(struct server *s)
{
    pid_t pids[MAX_FOUND];
    size_t n = 0, added = 0;
    bool tree = false;

    if (s->finder && missing(s))
        n = s->finder->find(s->finder->arg, pids, MAX_FOUND, &tree);
    for (size_t i = 0; i < n; i++)
        added += !is_watched(s, pids[i]) && add(s, pids[i], tree);
    for (size_t i = 0; i < s->n; i++)
        if (!s->sum[i].alive && !s->sum[i].replaced)
            reader_note(&s->reader, ~0u, "%s (pid %d) has ended", s->sum[i].root.comm,
                        (int)s->sum[i].root.pid);
    if (!added)
        return;
    s->found++;
    server_name(s);
    tell(s, tree);
}

void server_note_lives(struct server *s, struct sample *out)
{
    out->cpu_ns -= s->base.cpu_ns;
    out->user_ns -= s->base.user_ns;
    out->vol_switches -= s->base.vol_switches;
    out->invol_switches -= s->base.invol_switches;
    out->runq_wait_ns -= s->base.runq_wait_ns;
    out->minor_faults -= s->base.minor_faults;
    out->major_faults -= s->base.major_faults;
    out->read_bytes -= s->base.read_bytes;
    out->write_bytes -= s->base.write_bytes;
    out->found = s->found;
    out->changed = s->changed;
    out->was = s->was;
    out->is = s->is;
    if (s->read_boot && out->processes && out->ended == s->ended && s->found == s->found_before)
        s->whole++;
    s->ended = out->ended;
    s->found_before = s->found;
    out->whole = s->whole;
}

void server_follow(struct server *s, const struct server_finder *finder)
{
    if (s->remote)
        return;
    if (!s->finder)
        s->finder = mem_alloc(sizeof *s->finder);
    *s->finder = *finder;
}

/* --- our own process ------------------------------------------------------------------------- */

/*
 * Reads our own process.  getrusage() tells more about it than /proc does about other processes:
 * user and system time in microseconds, and the switches and faults of ended threads, without any
 * privilege.
 */

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
    struct taskstats_link link;
    struct switch_counts sum;
    char why[80] = "";
    bool has_runq;

    *out = (struct sample){.processes = 1};
    take_usage(out);
    take_proc(out);
    /* Run-queue wait includes ended threads on every kernel, so the open without the probe is
     * enough. */
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
    end = clock_mono();
    out->at = begin + (end - begin) / 2;
    take_throttle(out); /* after the time, which is that of the CPU time above */
    out->cost_ns = clock_mono() - begin;
}
