/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See member.h.  The order of the readings matters.  stat comes first, whose start time shows that
 * the pid still belongs to the same process.  The clock follows at once, so that it is only a
 * little ahead of utime + stime, as the division of CPU time expects.
 */
#include "telemetry/member.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "telemetry/cgroup.h"
#include "telemetry/proc.h"
#include "telemetry/sample.h"

/* --- the division of CPU time (member.h) --------------------------------------------------- */

int64_t cpu_ticks_ns(uint64_t ticks, int64_t tick_ns)
{
    return ticks > (uint64_t)(INT64_MAX / tick_ns) ? INT64_MAX : (int64_t)ticks * tick_ns;
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

int64_t cpu_split_user(int64_t cpu_ns, uint64_t utime, uint64_t stime, int64_t tick_ns,
                       double share)
{
    int64_t user = cpu_ticks_ns(utime, tick_ns), sys = cpu_ticks_ns(stime, tick_ns), low, high;
    double u = (double)utime, s = (double)stime;
    double left = (double)cpu_ns - (double)user - (double)sys;
    /* the others' share weighs as much as 16 ticks of its own: the smallest error for 1 to 300
     * ms of CPU */
    double likely = (double)cpu_ns * ((u + 16 * share) / (u + s + 16));
    bool tells_nothing = user && sys; /* both were shown: half a tick of each is missing */

    /* several CPUs may have run threads between the readings of clock and stat: allow one tick */
    if (left < (double)-tick_ns || left > (double)(3 * tick_ns))
        return likely < (double)cpu_ns ? (int64_t)likely : cpu_ns;
    /* utime + stime is cpu_ns less what was truncated */
    int64_t rest = cpu_ns - user - sys;
    low = rest > tick_ns ? rest - tick_ns : 0;
    high = rest < tick_ns ? rest : tick_ns;
    if (user && !sys) /* more than a tick of system time would have shown */
        tells_nothing = (double)cpu_ns - likely > (double)tick_ns;
    if (sys && !user)
        tells_nothing = likely > (double)tick_ns;
    if (tells_nothing || low > high) /* low > high: clock and stat are not of one instant */
        return clamp(user + rest / 2, 0, cpu_ns);
    likely -= (double)user; /* of the rest */
    return clamp(user + (likely < (double)low    ? low
                         : likely > (double)high ? high
                                                 : (int64_t)likely),
                 0, cpu_ns);
}

void cpu_split_advance(struct cpu_split *s, int64_t cpu_ns, int64_t user_ns)
{
    int64_t grown = cpu_ns - s->cpu_ns;

    if (grown < 0)
        return;
    s->user_ns += clamp(user_ns - s->user_ns, 0, grown);
    s->cpu_ns = cpu_ns;
}

/* --- the reader ---------------------------------------------------------------------------- */

int reader_open(struct reader *r, const char *proc_root, struct err *e)
{
    char self[32] = "";
    struct statfs fs;

    *r = (struct reader){.taskstats.fd = -1};
    r->root_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->root_fd < 0)
        return err_sys(e, errno, "cannot open %s", proc_root);
    r->tick_ns = NS_PER_SEC / sysconf(_SC_CLK_TCK);
    r->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    /* a mounted proc whose "self" is this process uses the process ids of our system calls */
    r->live = readlinkat(r->root_fd, "self", self, sizeof self - 1) > 0 &&
              fstatfs(r->root_fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC &&
              atol(self) == (long)getpid();
    if (r->live)
        taskstats_open(&r->taskstats, true, r->taskstats_why, sizeof r->taskstats_why);
    else
        snprintf(r->taskstats_why, sizeof r->taskstats_why,
                 "taskstats cannot be asked about a copy of /proc");
    return 0;
}

void reader_close(struct reader *r)
{
    taskstats_close(&r->taskstats);
    fd_close(r->root_fd);
    r->root_fd = -1;
}

void reader_begin(struct reader *r)
{
    r->noted = 0;
    r->reason[0] = '\0';
}

static bool read_clock(const struct member *m, int64_t *ns)
{
    return m->has_clock && (*ns = clock_read(m->clock)) >= 0;
}

int member_init(struct member *m, struct reader *r, pid_t pid)
{
    struct proc_stat st;
    int64_t ns;

    *m = (struct member){.pid = pid};
    int rc = proc_stat_read(r->root_fd, pid, &st);
    if (rc)
        return proc_is_gone(rc) ? ESRCH : rc;
    m->ended = proc_stat_ended(&st);
    m->start_ticks = st.start_ticks;
    m->ppid = st.ppid;
    memcpy(m->comm, st.comm, sizeof m->comm);
    m->has_clock = r->live && clock_getcpuclockid(pid, &m->clock) == 0;
    m->has_clock = read_clock(m, &ns);
    return 0;
}

void member_fini(struct member *m)
{
    task_memory_free(&m->tasks);
}

static void set_switches(struct counts *c, const struct switch_counts *s)
{
    c->vol_switches = s->vol;
    c->invol_switches = s->invol;
    c->runq_wait_ns = (int64_t)s->runq_wait_ns;
}

/* By taskstats.  After a failure there is no fallback to the threads' files, whose sums start at
 * another value.  ESRCH: the process has ended. */
static int take_switch_sum(struct member *m, struct reader *r)
{
    const unsigned both = SAMPLE_SWITCHES | SAMPLE_RUNQ;
    struct timespec nap = {.tv_nsec = 200000};
    struct counts *c = &m->now;
    struct switch_counts t;
    bool once = false;
    int64_t before = 0, after = INT64_MAX;
    int rc = 0;

    /* a thread that counts twice is ending (switches.h): that takes some time when CPUs are short
     */
    for (int i = 0; i < 10 && rc == 0 && !once; i++) {
        if (i)
            nanosleep(&nap, NULL);
        if (m->has_clock && !read_clock(m, &before))
            return ESRCH;
        rc = taskstats_read(&r->taskstats, m->pid, &t);
        if (m->has_clock && !read_clock(m, &after))
            return ESRCH;
        once = rc == 0 && switch_sum_add(&m->sum, &t, before, after, r->taskstats.keeps_ended);
    }
    if (proc_is_gone(rc))
        return ESRCH;
    if (rc || !m->sum.any) {
        reader_note(r, both, "context switches, run-queue wait: taskstats: %s",
                    rc ? strerror(rc) : "a thread that is ending counts twice");
        return 0;
    }
    set_switches(c, &m->sum.total);
    c->have |= SAMPLE_SWITCHES;
    if (r->taskstats.has_runq)
        c->have |= SAMPLE_RUNQ;
    else
        reader_note(r, SAMPLE_RUNQ, "run-queue wait: this kernel does not count it");
    if (!once) {
        c->lower |= c->have & both;
        reader_note(r, both,
                    "context switches, run-queue wait: lower bounds, as they were before, while a "
                    "thread that is ending counts twice");
    } else if (!r->taskstats.keeps_ended) {
        c->lower |= SAMPLE_SWITCHES;
        reader_note(r, SAMPLE_SWITCHES,
                    "context switches: a lower bound, this kernel forgets those of ended threads");
    }
    return 0;
}

static int take_switch_files(struct member *m, struct reader *r)
{
    const unsigned both = SAMPLE_SWITCHES | SAMPLE_RUNQ;
    struct counts *c = &m->now;
    struct switch_counts sum;
    bool has_runq;
    int rc = task_memory_read(&m->tasks, r->root_fd, m->pid, c->threads, &sum, &has_runq);

    if (rc == E2BIG) {
        reader_note(r, both,
                    "context switches, run-queue wait: too many threads (%llu) to ask "
                    "one by one, and %s",
                    (ull)c->threads, r->taskstats_why);
    } else if (rc && proc_is_gone(rc) && r->live) {
        return ESRCH;
    } else if (rc) {
        reader_note(r, both,
                    "context switches, run-queue wait: the status of process %d's threads "
                    "cannot be read",
                    (int)m->pid);
    } else {
        set_switches(c, &sum);
        c->have |= SAMPLE_SWITCHES | (has_runq ? (unsigned)SAMPLE_RUNQ : 0);
        if (!has_runq)
            reader_note(r, SAMPLE_RUNQ, "run-queue wait: no schedstat, and %s", r->taskstats_why);
        if (c->threads > 1 || m->tasks.any_ended) {
            c->lower |= c->have & both;
            reader_note(r, both,
                        "context switches, run-queue wait: lower bounds, ended threads cannot be "
                        "seen (%s)",
                        r->taskstats_why);
        }
    }
    return 0;
}

int64_t member_user_ns(const struct member *m, const struct reader *r, double share)
{
    return cpu_split_user(m->now.cpu_ns, m->now.utime, m->now.stime, r->tick_ns, share);
}

bool member_ran(const struct member *m)
{
    int64_t ns;

    return !m->was_read || !read_clock(m, &ns) || ns != m->clock_ns;
}

/* statm is exact, stat's rss an estimate on some kernels.  In a tree of a thousand processes
 * every file costs time: without a page fault memory has not grown, and the last reading is
 * reused. */
static void read_memory(struct member *m, struct reader *r, const struct counts *was)
{
    struct counts *c = &m->now;
    uint64_t mem[3];

    if (r->shared_memory && was->have & SAMPLE_MEMORY && was->minor_faults == c->minor_faults &&
        was->major_faults == c->major_faults)
        return;
    if (proc_row_read(r->root_fd, m->pid, 0, "statm", mem) != 0 || !mem[STATM_RESIDENT]) {
        /* none is left: it is about to end */
        c->have &= ~(unsigned)SAMPLE_MEMORY;
        c->rss_bytes = c->shared_bytes = 0;
        reader_note(r, SAMPLE_MEMORY, "memory: process %d ends, or its statm cannot be read",
                    (int)m->pid);
    } else {
        c->rss_bytes = mem[STATM_RESIDENT] * r->page_bytes;
        c->shared_bytes = mem[STATM_SHARED] * r->page_bytes;
        c->shared_bytes = c->shared_bytes < c->rss_bytes ? c->shared_bytes : c->rss_bytes;
    }
}

int member_read(struct member *m, struct reader *r, bool may_skip)
{
    const struct counts was = m->now;
    struct counts *c = &m->now;
    struct proc_stat st;

    if (may_skip && !member_ran(m))
        return 0;
    int rc = proc_stat_read(r->root_fd, m->pid, &st);
    if (rc)
        return proc_is_gone(rc) ? ESRCH : rc;
    if (st.start_ticks != m->start_ticks)
        return ESTALE;
    if (m->has_clock && !read_clock(m, &m->clock_ns))
        return ESRCH;

    int64_t user = cpu_ticks_ns(st.utime, r->tick_ns);
    int64_t sys = cpu_ticks_ns(st.stime, r->tick_ns);
    c->cpu_ns = m->has_clock ? m->clock_ns : user > INT64_MAX - sys ? INT64_MAX : user + sys;
    c->utime = st.utime;
    c->stime = st.stime;
    /* truncation takes half a tick on average; 0 stays 0 */
    user = cpu_ticks_ns(st.child_utime, r->tick_ns) + (st.child_utime ? r->tick_ns / 2 : 0);
    sys = cpu_ticks_ns(st.child_stime, r->tick_ns) + (st.child_stime ? r->tick_ns / 2 : 0);
    c->child_user_ns = user;
    c->child_cpu_ns = user > INT64_MAX - sys ? INT64_MAX : user + sys;
    m->child_ticks = st.child_utime + st.child_stime;
    m->ended |= proc_stat_ended(&st);
    m->was_read = true;
    c->have = SAMPLE_CPU;
    c->lower = 0;
    if (r->cpu_only && !m->ended)
        return 0;
    c->minor_faults = st.minor_faults;
    c->major_faults = st.major_faults;
    c->child_minor_faults = st.child_minor_faults;
    c->child_major_faults = st.child_major_faults;
    if (m->ended) { /* the rest keep their last values */
        c->threads = c->rss_bytes = c->shared_bytes = 0;
        c->have = ~0u;
        c->lower = SAMPLE_SWITCHES | SAMPLE_RUNQ | SAMPLE_IO;
        return 0;
    }
    c->threads = st.threads;
    c->have |= SAMPLE_FAULTS | SAMPLE_THREADS | SAMPLE_MEMORY;
    read_memory(m, r, &was);
    rc = proc_io_read(r->root_fd, m->pid, &c->read_bytes, &c->write_bytes);
    if (rc == 0) {
        c->have |= SAMPLE_IO;
    } else if (!proc_is_gone(rc) || !r->live) {
        reader_note(r, SAMPLE_IO,
                    "bytes read and written: /proc/%d/io is for its own user and root",
                    (int)m->pid);
    }
    rc = r->taskstats.fd >= 0 ? take_switch_sum(m, r) : take_switch_files(m, r);
    if (rc) /* it has ended while it was read */
        *c = was;
    return rc;
}

/* --- our own process ------------------------------------------------------------------------- */

/* Run-queue wait. */
static void take_own_wait(struct sample *out, int root_fd)
{
    struct switch_sum once = {0};
    struct taskstats_link link;
    struct switch_counts sum;
    struct pid_list tids = {0};
    uint64_t s[3];
    char why[80] = "";

    /* Run-queue wait includes ended threads on every kernel, so the open without the probe is
     * enough.  The CPU time shows that no thread counts twice (switches.h). */
    if (taskstats_open(&link, false, why, sizeof why) == 0) {
        if (taskstats_read(&link, getpid(), &sum) == 0 && link.has_runq) {
            if (switch_sum_add(&once, &sum, 0, clock_read(CLOCK_PROCESS_CPUTIME_ID), true)) {
                out->runq_wait_ns = (int64_t)sum.runq_wait_ns;
                out->have |= SAMPLE_RUNQ;
            } else {
                snprintf(why, sizeof why, "a thread that is ending counts twice");
            }
        }
        taskstats_close(&link);
    }
    /* Thread by thread, for users who may not use taskstats.  The waiting time of ended threads is
     * missing, which does not matter: the clients' threads end after the last reading. */
    if (!(out->have & SAMPLE_RUNQ) && proc_list_tasks(root_fd, getpid(), &tids) == 0 &&
        tids.n <= TASK_MEMORY_LIMIT)
        for (size_t i = 0; i < tids.n; i++)
            if (proc_row_read(root_fd, getpid(), tids.ids[i], "schedstat", s) == 0) {
                out->runq_wait_ns += (int64_t)s[SCHEDSTAT_WAIT_NS];
                out->have |= SAMPLE_RUNQ;
                out->lower |= SAMPLE_RUNQ;
            }
    pid_list_free(&tids);
    if (out->lower)
        sample_add_reason(out->reason,
                          "run-queue wait: a lower bound, ended threads cannot be seen (%s)", why);
    else if (!(out->have & SAMPLE_RUNQ))
        sample_add_reason(out->reason, "run-queue wait: %s",
                          why[0] ? why : "this kernel does not count it");
}

/*
 * getrusage() tells more about our own process than /proc does about others: user and system time
 * in microseconds, and the switches and faults of ended threads, without any privilege.
 */
void self_read(struct sample *out)
{
    enum { SECTOR = 512 };
    mono_ns begin = clock_mono(), end;
    int root_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    uint64_t mem[3];
    struct rusage u;
    struct stat st;
    struct quota q;

    *out = (struct sample){.processes = 1};
    if (getrusage(RUSAGE_SELF, &u) != 0) {
        sample_add_reason(out->reason, "getrusage failed");
    } else {
        out->user_ns = u.ru_utime.tv_sec * NS_PER_SEC + u.ru_utime.tv_usec * NS_PER_US;
        out->sys_ns = u.ru_stime.tv_sec * NS_PER_SEC + u.ru_stime.tv_usec * NS_PER_US;
        out->cpu_ns = out->user_ns + out->sys_ns;
        out->vol_switches = (uint64_t)u.ru_nvcsw;
        out->invol_switches = (uint64_t)u.ru_nivcsw;
        out->minor_faults = (uint64_t)u.ru_minflt;
        out->major_faults = (uint64_t)u.ru_majflt;
        out->have |= SAMPLE_CPU | SAMPLE_SWITCHES | SAMPLE_FAULTS;
        /* the figures of /proc/self/io in sectors, the unit of storage I/O; a kernel that does not
         * account for it has no such file, and these are 0 */
        if (faccessat(root_fd, "self/io", F_OK, 0) == 0) {
            out->read_bytes = (uint64_t)u.ru_inblock * SECTOR;
            out->write_bytes = (uint64_t)u.ru_oublock * SECTOR;
            out->have |= SAMPLE_IO;
        } else {
            sample_add_reason(out->reason,
                              "bytes read and written: this kernel does not count them");
        }
    }
    /* With thousands of threads, files that sum over all of them are slow to read; these two are
     * not.  The link count of the task directory is the number of threads plus two. */
    if (fstatat(root_fd, "self/task", &st, 0) == 0 && st.st_nlink > 2) {
        out->threads = st.st_nlink - 2;
        out->have |= SAMPLE_THREADS;
    }
    if (proc_row_read(root_fd, getpid(), 0, "statm", mem) == 0) {
        out->rss_bytes = mem[STATM_RESIDENT] * (uint64_t)sysconf(_SC_PAGESIZE);
        out->have |= SAMPLE_MEMORY;
    } else {
        sample_add_reason(out->reason, "memory: /proc/%d cannot be read whole", (int)getpid());
    }
    take_own_wait(out, root_fd);
    fd_close(root_fd);
    end = clock_mono();
    out->at = begin + (end - begin) / 2;
    /* after the time, which is that of the CPU time above */
    out->no_throttle = quota_read("/proc", getpid(), &q);
    if (!out->no_throttle) {
        out->throttled_ns = q.throttled_ns;
        out->throttled_periods = q.periods;
        out->have |= SAMPLE_THROTTLE;
    }
    out->cost_ns = clock_mono() - begin;
}
