/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One watched process: its identity (pid and start time) and its cumulative counters, read from the
 * best source that this user may read. server.c adds members up.
 *
 *     CPU time        CPU-time clock of the pid, divided by stat (see below); any user
 *     faults, threads /proc/PID/stat; any user
 *     memory          /proc/PID/statm; any user
 *     switches        taskstats if permitted, else the threads' files (switches.h)
 *     run-queue wait  the same
 *     bytes           /proc/PID/io; the same user or root
 *
 * A reader serves any number of members; one thread uses it.
 */
#ifndef SB_TELEMETRY_MEMBER_H
#define SB_TELEMETRY_MEMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/err.h"
#include "telemetry/proc.h"
#include "telemetry/sample.h"
#include "telemetry/switches.h"

/*
 * Splits a CPU time that is known to the nanosecond into user and system time.
 *
 * The kernel knows the sum exactly (the CPU-time clock), but samples the two parts at its timer
 * tick.  It scales the samples so that utime + stime is the exact sum and neither ever decreases
 * (cputime_adjust in kernel/sched/cputime.c); then /proc/PID/stat truncates both to hundredths of a
 * second.  Let U and S be the printed parts, C the sum and t = 10 ms.  The remainder r = C - U - S
 * has to be divided; its user part is at least r - t and at most t.  A part that is not 0 lost t /
 * 2 to truncation on average, so each of two such parts gets r / 2.  A part that reads 0 lost all
 * that it was, at most t.  Its estimate is the likely share of r: the share of this process so far,
 * or of the whole tree if the process has hardly run (a thousand PostgreSQL backends with 1 ms
 * each).  The error is below 10 ms, on average below 3 ms, whatever the length of the interval, and
 * it does not accumulate from reading to reading.  Dividing each interval's CPU time in proportion
 * to that interval's ticks would be off by 10 ms each time.
 *
 * Some architectures account at every entry to the kernel and leave out interrupts.  There the
 * printed parts do not add up to the clock, and the remainder is divided in proportion to them.
 */
/* Clock ticks of tick_ns each, in ns; INT64_MAX if that would overflow. */
int64_t cpu_ticks_ns(uint64_t ticks, int64_t tick_ns);

/*
 * The user part of cpu_ns, given the printed utime and stime: 0 <= result <= cpu_ns.  `share` (0 to
 * 1) is the likely user share of the time that utime and stime do not show; pass 0.5 if it is
 * unknown.
 */
int64_t cpu_split_user(int64_t cpu_ns, uint64_t utime, uint64_t stime, int64_t tick_ns,
                       double share);

/* The division of a growing sum: neither part ever decreases, and together they are cpu_ns. */
struct cpu_split {
    int64_t cpu_ns, user_ns;
};

/*
 * Advances to the sum cpu_ns with the estimate user_ns.  If the estimate would make a part
 * decrease, that part keeps its value until the estimate has caught up.  A smaller cpu_ns changes
 * nothing.
 */
void cpu_split_advance(struct cpu_split *s, int64_t cpu_ns, int64_t user_ns);

struct reader {
    int root_fd;
    bool live;     /* root_fd is the /proc of our own pid namespace: clocks and taskstats agree */
    bool cpu_only; /* nothing else is read */
    bool shared_memory; /* members are a tree: they share memory, and there may be many */
    struct taskstats_link taskstats; /* fd -1: not available, and this is why: */
    char taskstats_why[80];
    int64_t tick_ns;
    uint64_t page_bytes;
    unsigned noted; /* figures (SAMPLE_*) with a reason in this reading */
    char reason[SAMPLE_REASON_MAX];
};

int reader_open(struct reader *r, const char *proc_root, struct err *e);
void reader_close(struct reader *r);

/* Forgets the reasons of the previous reading. */
void reader_begin(struct reader *r);

/*
 * Why these figures are missing or lower bounds: the first reason of each is kept, joined by "; ".
 */
#define reader_note(r, figures, ...)                                                               \
    do {                                                                                           \
        if ((figures) & ~(r)->noted) {                                                             \
            (r)->noted |= (figures);                                                               \
            sample_add_reason((r)->reason, __VA_ARGS__);                                           \
        }                                                                                          \
    } while (0)

/*
 * Cumulative counters; `have` and `lower` are masks of SAMPLE_*.  child_*: of children that ended
 * and were waited for, in 10 ms steps.
 */
struct counts {
    unsigned have, lower;
    SAMPLE_COUNTS;         /* of one process without the division of cpu_ns */
    uint64_t utime, stime; /* as the kernel divides it, in ticks */
    int64_t child_cpu_ns, child_user_ns;
    uint64_t child_minor_faults, child_major_faults;
    uint64_t shared_bytes; /* part of rss_bytes */
};

struct member {
    pid_t pid, ppid;
    uint64_t start_ticks;
    char comm[PROC_COMM_MAX];
    bool has_clock, was_read;
    bool ended; /* a zombie: nothing runs any more, but its times are not yet its parent's */
    clockid_t clock;
    int64_t clock_ns; /* at the last reading */
    uint64_t child_ticks;
    struct counts now;
    struct switch_sum sum;
    struct task_memory tasks;
    unsigned stamp; /* for the owner: last reading in which it was listed */
};

/* 0 or an errno value (ESRCH: no such process).  member_fini releases in both cases. */
int member_init(struct member *m, struct reader *r, pid_t pid);
void member_fini(struct member *m);

/*
 * Reads m->now and returns 0.  ESRCH: there is no such process.  ESTALE: the pid belongs to another
 * process now.  In both cases m->now keeps its last values.  Of a zombie (m->ended) only CPU time
 * and faults are read.  With may_skip, a process whose CPU-time clock has not advanced is skipped:
 * it did not run, hence it did not switch, fault, fork or wait.
 */
int member_read(struct member *m, struct reader *r, bool may_skip);

/* The user part of m->now.cpu_ns; `share` as in cpu_split_user. */
int64_t member_user_ns(const struct member *m, const struct reader *r, double share);

/* True when it has used CPU time since it was read, or when that is unknown. */
bool member_ran(const struct member *m);

/* Our own process: the load generator's share.  Keeps no state; any thread may call. */
void self_read(struct sample *out);

#endif
