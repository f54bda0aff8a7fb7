/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts events of running processes; nothing is sampled, and nothing interrupts the server.  There
 * are four ways, the cheapest for the server and for us first.  Each event uses the first that
 * works for it:
 *
 *     by kernel    what the kernel counts for every process anyway: context switches, from the
 *                  reading of the processes (sample.h) at the same instant.  Costs nothing.
 *     by process   software events and tracepoints, filtered by process id where they occur
 *                  (perf_open.h).  Nothing is attached to threads.  Needs root, and a fixed set
 *                  of processes: not for a tree.
 *     by cgroup    perf_event_open(2): if the processes have a control group of their own (a
 *                  systemd unit, a container), one counter per event and CPU, however many threads
 *                  there are; present and future threads and children are included.  Needs
 *                  CAP_PERFMON or root.
 *     by thread    perf_event_open(2): one counter per event and existing thread; whatever that
 *                  thread starts later inherits it.  Threads that start while the counters are
 *                  being opened may be missed; `how` says how many such threads were seen.
 *
 * Counters of the last two ways are saved and restored at every switch of a thread.  Between
 * threads that inherited their counters from one parent the kernel only swaps two pointers; so open
 * the counters before the server starts its threads, if possible.
 *
 * Instead of processes, all CPUs can be counted, as `perf stat -a` does: one counter per event and
 * CPU (perf_whom.system).
 *
 * With perf_event_open(2), events of one type are opened in groups that the CPU can count at the
 * same time: their ratios then cover the same instructions, and one system call reads a group.  An
 * event that cannot be counted gets its reason in spec[i].why; that is not a failure.  One thread
 * at a time.
 */
#ifndef SB_TELEMETRY_PERF_H
#define SB_TELEMETRY_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"
#include "telemetry/sample.h"

/* --- one event ------------------------------------------------------------------------------- */

/* One countable event: what perf_event_open() needs for it, and which derived figures use it. */

#define PERF_NAME_MAX 80

/* The events that derived figures are made of. */
enum perf_role {
    PERF_OTHER,
    PERF_INSTRUCTIONS,
    PERF_CYCLES,
    PERF_ICACHE_MISSES,
    PERF_ITLB_MISSES,
    PERF_BRANCHES,
    PERF_BRANCH_MISSES
};

struct perf_spec {
    char name[PERF_NAME_MAX]; /* as the user wrote it */
    enum perf_role role;
    uint32_t type; /* PERF_TYPE_* or a PMU's number */
    uint64_t config, config1, config2;
    bool no_user, no_kernel;
    char why[160]; /* not "": it exists but cannot be counted, and this is why */
};

/* --- names ----------------------------------------------------------------------------------- */

/*
 * Translates names of countable events for perf_event_open.  Those of the default set and the
 * kernel's software events are built in, tracepoints are looked up in tracefs, and libpfm4 knows
 * all others, where the program was built with it.
 *
 *     instructions  cycles:u  L1-icache-load-misses:u  built in
 *     syscalls:sys_enter_read  sched:sched_switch      tracepoints
 *     syscalls                                         short for raw_syscalls:sys_enter
 *     r01c2:u                                          raw, hexadecimal
 *     skl::UOPS_RETIRED:ALL:u                          libpfm4
 *
 * A suffix :u counts in user mode only, :k in the kernel only.  An unknown name is an error: the
 * user learns of it before the run, not from a column of n/a.
 *
 * One thread at a time; nothing is counted here.
 */

#define PERF_MAX_EVENTS 32

/* What `default` stands for in a list of events.  It omits `syscalls`, which costs a saturated
 * server 3 % of its throughput. */
#define PERF_DEFAULT_EVENTS                                                                        \
    "instructions:u,cycles:u,L1-icache-load-misses:u,iTLB-load-misses:u,branch-misses:u,"          \
    "branches:u,context-switches,cpu-migrations,page-faults"

struct perf_names {
    int tracefs_fd; /* -1: */
    char tracefs_why[120];
};

/* `tracefs` names a test's directory; NULL: the system's mount or, if there is none, a private
 * mount. */
void perf_names_open(struct perf_names *p, const char *tracefs);
void perf_names_close(struct perf_names *p);

/*
 * Reads a comma-separated list into at most PERF_MAX_EVENTS specs; *n is their number.  An event
 * that is named twice counts once.  -1: one sentence about the first invalid name.
 */
int perf_names_parse(const struct perf_names *p, const char *list, struct perf_spec *out, size_t *n,
                     struct err *e);

/* "yes", or "no" when the program was built without libpfm4. */
const char *perf_names_libpfm(void);

/* --- figures --------------------------------------------------------------------------------- */

/*
 * Arithmetic on readings of counters: the difference of two readings, scaled up for events that
 * shared the CPU's counters with others, and the figures derived from it, such as instructions per
 * cycle.
 *
 * An event that was counted for only part of the interval is scaled by the interval's enabled /
 * running, as perf-stat(1) does for a whole run; the ratio is returned beside the count.  Pure
 * arithmetic; any thread may call.
 */

/* Cumulative, summed over threads or CPUs. */
struct perf_value {
    uint64_t value;
    uint64_t enabled_ns, running_ns;
};

struct perf_reading {
    mono_ns at;
    dur_ns cost_ns;
    uint32_t have;       /* bit i: event i was read */
    unsigned generation; /* counters of another generation were opened anew: no difference */
    struct perf_value v[PERF_MAX_EVENTS];
};

struct perf_figure {
    bool have, lower; /* lower: processes ended or were found meanwhile */
    double count;     /* scaled */
    double ratio;     /* part of the time that it was counted; 1: always */
    const char *why;  /* when not: the reason; lives as long as the counters */
};

/* Derived figures; NaN when one of their events is missing or nothing was counted. */
struct perf_derived {
    double ipc;
    double icache_per_instruction, itlb_per_instruction;
    double branch_miss_pct;
    double cycles; /* of the first event that counts cycles */
};

struct perf_delta {
    dur_ns wall_ns;
    struct perf_figure f[PERF_MAX_EVENTS];
    struct perf_derived d;
};

/*
 * Subtracts two readings of the same counters, n events of `spec`.  An event that was on no counter
 * during the interval, although the server ran, is absent, not 0.
 */
void perf_figures_diff(const struct perf_spec *spec, size_t n, const struct perf_reading *before,
                       const struct perf_reading *after, struct perf_delta *out);

/* Which derived figures a list of events requests: bit per member of struct perf_derived, in
 * order.  PERF_WORK: transactions per billion cycles, which the reports compute. */
enum { PERF_IPC = 1, PERF_ICACHE = 2, PERF_ITLB = 4, PERF_BRANCH = 8, PERF_WORK = 16 };
unsigned perf_figures_derived(const struct perf_spec *spec, size_t n);

/* ---------------------------------------------------------------------------------------------- */

struct perf_count; /* opaque */

enum { PERF_BY_KERNEL = 1, PERF_BY_PROCESS = 2, PERF_BY_CGROUP = 4, PERF_BY_THREAD = 8 };

/* The processes to count, and the ways to use. */
struct perf_whom {
    const pid_t *pids;
    size_t n;
    bool tree;      /* the pids stand for all their descendants too */
    unsigned exact; /* SAMPLE_* that readings of these processes hold whole, see server_exact */
    unsigned ways;  /* PERF_BY_*; 0: all */
    size_t keep;    /* descriptors that others of this program will still open */
    bool system;    /* all CPUs; of this struct only `keep` is used */
};

/*
 * Starts to count.  Copies the specs.  Never fails: at worst no event can be counted, and each has
 * its reason.
 */
struct perf_count *perf_count_open(const struct perf_spec *spec, size_t n,
                                   const struct perf_whom *whom);
void perf_count_close(struct perf_count *c); /* NULL is allowed */

/*
 * Counts other processes from now on, those of a restarted server.  Counts so far stay in the sum.
 * `spec` and `n` as at the first time.  What the processes did before this call is missing; `how`
 * says so.
 */
void perf_count_again(struct perf_count **c, const struct perf_spec *spec, size_t n,
                      const struct perf_whom *whom);

/*
 * `kernel` is a reading of the same processes made just before, or NULL.  Costs 1 us for each event
 * by process, 10 us for each by cgroup, and 1.5 us for each thread and group by thread.
 */
void perf_count_read(struct perf_count *c, const struct sample *kernel, struct perf_reading *out);

/* The specs with the reasons that opening found; valid until close. */
const struct perf_spec *perf_count_spec(const struct perf_count *c, size_t *n);

/*
 * "by thread, 2057 threads and what they start", "by control group /system.slice/mariadb.service",
 * "by taskstats: context-switches; by process: syscalls", "of the whole system, 2
 * CPUs"; valid until close.
 */
const char *perf_count_how(const struct perf_count *c);

#endif
