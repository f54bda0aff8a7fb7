/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See member.h.  The order of the readings matters.  taskstats comes first.  Then stat, whose start
 * time shows that the pid still belongs to the same process; until then no figure is used.  The
 * clock follows at once, so that it is only a little ahead of utime + stime, as the division
 * of CPU time expects.
 */
#include "telemetry/member.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
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

/* The user part when utime + stime is cpu_ns less what was truncated.  likely_user is the estimate
 * if both were 0. */
static int64_t divide_rest(int64_t cpu_ns, int64_t user, int64_t sys, int64_t tick_ns,
                           double likely_user)
{
    int64_t rest = cpu_ns - user - sys;
    int64_t low = rest > tick_ns ? rest - tick_ns : 0, high = rest < tick_ns ? rest : tick_ns;
    double likely = likely_user - (double)user; /* of the rest */
    bool tells_nothing = user && sys; /* both were shown: half a tick of each is missing */

    if (user && !sys) /* more than a tick of system time would have shown */
        tells_nothing = (double)cpu_ns - likely_user > (double)tick_ns;
    if (sys && !user)
        tells_nothing = likely_user > (double)tick_ns;
    if (tells_nothing || low > high) /* low > high: clock and stat are not of one instant */
        return user + rest / 2;
    return user + (likely < (double)low ? low : likely > (double)high ? high : (int64_t)likely);
}

int64_t cpu_split_user(int64_t cpu_ns, uint64_t utime, uint64_t stime, int64_t tick_ns,
                       double share)
{
    int64_t user = cpu_ticks_ns(utime, tick_ns), sys = cpu_ticks_ns(stime, tick_ns);
    double u = (double)utime, s = (double)stime, rest, likely;

    /* the others' share weighs as much as 16 ticks of its own: the smallest error for 1 to 300
     * ms of CPU */
    likely = (double)cpu_ns * ((u + 16 * share) / (u + s + 16));
    rest = (double)cpu_ns - (double)user - (double)sys;
    /* several CPUs may have run threads between the readings of clock and stat: allow one tick */
    if (rest >= (double)-tick_ns && rest <= (double)(3 * tick_ns))
        return clamp(divide_rest(cpu_ns, user, sys, tick_ns, likely), 0, cpu_ns);
    return likely < (double)cpu_ns ? (int64_t)likely : cpu_ns;
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

/* A mounted proc whose "self" is this process uses the process ids of our system calls. */
static bool is_live(int root_fd)
{
    char self[32];
    struct statfs fs;
    ssize_t n = readlinkat(root_fd, "self", self, sizeof self - 1);

    if (n <= 0 || fstatfs(root_fd, &fs) != 0 || fs.f_type != PROC_SUPER_MAGIC)
        return false;
    self[n] = '\0';
    return atol(self) == (long)getpid();
}

int reader_open(struct reader *r, const char *proc_root, struct err *e)
{
    *r = (struct reader){.taskstats.fd = -1};
    r->root_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->root_fd < 0)
        return err_sys(e, errno, "cannot open %s", proc_root);
    r->tick_ns = NS_PER_SEC / sysconf(_SC_CLK_TCK);
    r->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    r->live = is_live(r->root_fd);
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
    if (r->root_fd >= 0)
        close(r->root_fd);
    r->root_fd = -1;
}

void reader_begin(struct reader *r)
{
    r->noted = 0;
    r->reason[0] = '\0';
}

void reader_note(struct reader *r, unsigned figures, const char *fmt, ...)
{
    size_t n = strlen(r->reason);
    va_list ap;

    if (!(figures & ~r->noted))
        return;
    r->noted |= figures;
    if (n && n < sizeof r->reason - 3)
        n += (size_t)snprintf(r->reason + n, sizeof r->reason - n, "; ");
    va_start(ap, fmt);
    vsnprintf(r->reason + n, sizeof r->reason - n, fmt, ap);
    va_end(ap);
}

static bool read_clock(const struct member *m, int64_t *ns)
{
    struct timespec ts;

    if (!m->has_clock || clock_gettime(m->clock, &ts) != 0)
        return false;
    *ns = (int64_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
    return true;
}

int member_init(struct member *m, struct reader *r, pid_t pid)
{
    struct proc_stat st;
    int64_t ns;
    int rc;

    *m = (struct member){.pid = pid};
    rc = proc_stat_read(r->root_fd, pid, &st);
    if (rc)
        return proc_is_gone(rc) ? ESRCH : rc;
    m->ended = proc_stat_ended(&st);
    m->start_ticks = st.start_ticks;
    memcpy(m->comm, st.comm, sizeof m->comm);
    m->has_clock = r->live && clock_getcpuclockid(pid, &m->clock) == 0;
    m->has_clock = read_clock(m, &ns);
    return 0;
}

void member_fini(struct member *m)
{
    task_memory_free(&m->tasks);
}

static void take_cpu(struct member *m, const struct reader *r, const struct proc_stat *st)
{
    struct counts *c = &m->now;
    int64_t user = cpu_ticks_ns(st->utime, r->tick_ns), sys = cpu_ticks_ns(st->stime, r->tick_ns);

    c->cpu_ns = m->has_clock ? m->clock_ns : user > INT64_MAX - sys ? INT64_MAX : user + sys;
    c->utime = st->utime;
    c->stime = st->stime;
    /* truncation takes half a tick on average; 0 stays 0 */
    user = cpu_ticks_ns(st->child_utime, r->tick_ns) + (st->child_utime ? r->tick_ns / 2 : 0);
    sys = cpu_ticks_ns(st->child_stime, r->tick_ns) + (st->child_stime ? r->tick_ns / 2 : 0);
    c->child_user_ns = user;
    c->child_cpu_ns = user > INT64_MAX - sys ? INT64_MAX : user + sys;
    m->child_ticks = st->child_utime + st->child_stime;
    c->have |= SAMPLE_CPU;
}

static void take_faults(struct counts *c, const struct proc_stat *st)
{
    c->minor_faults = st->minor_faults;
    c->major_faults = st->major_faults;
    c->child_minor_faults = st->child_minor_faults;
    c->child_major_faults = st->child_major_faults;
    c->have |= SAMPLE_FAULTS;
}

/*
 * statm is exact, stat's rss an estimate on some kernels.  In a tree of a thousand processes every
 * file costs time: without a page fault (`faulted`) memory has not grown, and the last reading is
 * reused.
 */
static void take_memory(struct member *m, struct reader *r, const struct proc_stat *st,
                        bool faulted)
{
    struct counts *c = &m->now;
    struct proc_statm mem;

    c->threads = st->threads;
    c->have |= SAMPLE_THREADS | SAMPLE_MEMORY;
    if (r->shared_memory && !faulted)
        return;
    if (proc_statm_read(r->root_fd, m->pid, &mem) != 0) {
        c->have &= ~(unsigned)SAMPLE_MEMORY;
        c->rss_bytes = c->shared_bytes = 0;
        reader_note(r, SAMPLE_MEMORY, "memory: statm of process %d cannot be read", (int)m->pid);
        return;
    }
    c->rss_bytes = mem.resident * r->page_bytes;
    c->shared_bytes = (mem.shared < mem.resident ? mem.shared : mem.resident) * r->page_bytes;
}

static void take_io(struct member *m, struct reader *r)
{
    struct proc_io io;
    int rc = proc_io_read(r->root_fd, m->pid, &io);

    if (rc) {
        if (!proc_is_gone(rc) || !r->live)
            reader_note(r, SAMPLE_IO,
                        "bytes read and written: /proc/%d/io is for its own user and root",
                        (int)m->pid);
        return;
    }
    m->now.read_bytes = io.read_bytes;
    m->now.write_bytes = io.write_bytes;
    m->now.have |= SAMPLE_IO;
}

/* Stores the figures of taskstats: *t, or the error rc.  After a failure there is no fallback to
 * the threads' files, whose sums start at another value. */
static void take_switch_sum(struct member *m, struct reader *r, const struct switch_counts *t,
                            bool has_runq, int rc)
{
    struct counts *c = &m->now;

    if (rc) {
        reader_note(r, SAMPLE_SWITCHES | SAMPLE_RUNQ,
                    "context switches, run-queue wait: taskstats: %s", strerror(rc));
        return;
    }
    switch_sum_add(&m->sum, t, r->taskstats.keeps_ended);
    c->sw = m->sum.total;
    c->have |= SAMPLE_SWITCHES;
    if (has_runq)
        c->have |= SAMPLE_RUNQ;
    else
        reader_note(r, SAMPLE_RUNQ, "run-queue wait: this kernel does not count it");
    if (!r->taskstats.keeps_ended) {
        c->lower |= SAMPLE_SWITCHES;
        reader_note(r, SAMPLE_SWITCHES,
                    "context switches: a lower bound, this kernel forgets those of ended threads");
    }
}

static void take_switch_files(struct member *m, struct reader *r)
{
    const unsigned both = SAMPLE_SWITCHES | SAMPLE_RUNQ;
    struct counts *c = &m->now;
    bool has_runq;
    int rc = task_memory_read(&m->tasks, r->root_fd, m->pid, c->threads, &c->sw, &has_runq);

    if (rc == E2BIG) {
        reader_note(r, both,
                    "context switches, run-queue wait: too many threads (%llu) to ask "
                    "one by one, and %s",
                    (unsigned long long)c->threads, r->taskstats_why);
    } else if (rc) {
        if (!proc_is_gone(rc) || !r->live)
            reader_note(r, both,
                        "context switches, run-queue wait: the status of process %d's threads "
                        "cannot be read",
                        (int)m->pid);
    } else {
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

/* Reads the figures that a zombie still has.  The rest keep their last values. */
static void read_zombie(struct member *m, const struct reader *r, const struct proc_stat *st)
{
    struct counts *c = &m->now;

    m->ended = true;
    take_cpu(m, r, st);
    take_faults(c, st);
    c->threads = c->rss_bytes = c->shared_bytes = 0;
    c->have = ~0u;
    c->lower = SAMPLE_SWITCHES | SAMPLE_RUNQ | SAMPLE_IO;
}

static void read_living(struct member *m, struct reader *r, const struct proc_stat *st,
                        const struct switch_counts *t, bool has_runq, int taskstats_rc)
{
    bool faulted = !m->was_read || !(m->now.have & SAMPLE_MEMORY) ||
                   m->now.minor_faults != st->minor_faults ||
                   m->now.major_faults != st->major_faults;

    m->now.have = m->now.lower = 0;
    take_cpu(m, r, st);
    if (r->cpu_only)
        return;
    take_faults(&m->now, st);
    take_memory(m, r, st, faulted);
    take_io(m, r);
    if (r->taskstats.fd >= 0)
        take_switch_sum(m, r, t, has_runq, taskstats_rc);
    else
        take_switch_files(m, r);
}

int member_read(struct member *m, struct reader *r, bool may_skip)
{
    struct switch_counts t = {0};
    struct proc_stat st;
    bool has_runq = false;
    int64_t ns;
    int rc, taskstats_rc = 0;

    if (may_skip && !member_ran(m))
        return 0;
    if (r->taskstats.fd >= 0 && !r->cpu_only)
        taskstats_rc = taskstats_read(&r->taskstats, m->pid, &t, &has_runq);
    rc = proc_stat_read(r->root_fd, m->pid, &st);
    if (rc)
        return proc_is_gone(rc) ? ESRCH : rc;
    if (st.start_ticks != m->start_ticks)
        return ESTALE;
    if (m->has_clock && !read_clock(m, &ns))
        return ESRCH;
    if (m->has_clock)
        m->clock_ns = ns;
    if (proc_stat_ended(&st))
        read_zombie(m, r, &st);
    else
        read_living(m, r, &st, &t, has_runq, taskstats_rc);
    m->was_read = true;
    return 0;
}
