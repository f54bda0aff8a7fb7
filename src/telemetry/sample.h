/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One reading of the server's processes (or of our own) as plain data, and the difference of two
 * readings.  A reading has a time (CLOCK_MONOTONIC, read next to the counters) and a bit in `have`
 * for each figure that could be read.  The others are absent, never 0, and `reason` says why.
 * Counters are cumulative since the processes started; they include threads (and, in a tree,
 * processes) that have ended since.  Where the kernel hides the counts of ended threads, the figure
 * is a lower bound: its bit is set in `lower`, too.  Pure arithmetic; any thread may call.
 */
#ifndef SB_TELEMETRY_SAMPLE_H
#define SB_TELEMETRY_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

enum {
    SAMPLE_CPU = 1 << 0,      /* user_ns, sys_ns, cpu_ns */
    SAMPLE_SWITCHES = 1 << 1, /* vol_switches, invol_switches */
    SAMPLE_FAULTS = 1 << 2,
    SAMPLE_MEMORY = 1 << 3, /* rss_bytes */
    SAMPLE_THREADS = 1 << 4,
    SAMPLE_IO = 1 << 5,   /* read_bytes, write_bytes: /proc/PID/io, own processes or root */
    SAMPLE_RUNQ = 1 << 6, /* runq_wait_ns */
    SAMPLE_FIGURES = 7,
    SAMPLE_ALL = (1 << SAMPLE_FIGURES) - 1,
    SAMPLE_THROTTLE = 1 << SAMPLE_FIGURES, /* throttled_*: of our own process only */
};

/* Reasons are clauses joined by "; ".  A clause begins with a list of figures and a colon;
 * without one it applies to all figures. */
#define SAMPLE_REASON_MAX 384
#define SAMPLE_WHY_MAX    192

enum { COUNTS = 14 };
/* What is counted, and two gauges; sample.c has the bit of each, and its key. */
#define SAMPLE_COUNTS                                                                              \
    union {                                                                                        \
        struct {                                                                                   \
            int64_t cpu_ns;  /* user + system, ns resolution (CPU-time clock of the pid) */        \
            int64_t user_ns; /* cpu_ns divided by utime and stime, see member.h; never falls */    \
            int64_t sys_ns;  /* cpu_ns - user_ns */                                                \
            uint64_t minor_faults, major_faults, read_bytes, write_bytes;                          \
            uint64_t vol_switches, invol_switches;                                                 \
            int64_t runq_wait_ns; /* ready to run but waiting for a CPU, summed over threads */    \
            int64_t throttled_ns; /* a CPU quota stopped it */                                     \
            uint64_t throttled_periods; /* periods in which it did */                              \
            uint64_t rss_bytes;         /* in a tree memory that is shared counts once */          \
            uint64_t threads;                                                                      \
        };                                                                                         \
        uint64_t count[COUNTS];                                                                    \
    }

struct sample {
    mono_ns at;      /* CLOCK_MONOTONIC, middle of the reading */
    dur_ns cost_ns;  /* how long the reading took */
    int processes;   /* alive at this reading */
    unsigned ended;  /* watched processes that have ended or been replaced so far */
    unsigned found;  /* how often processes were found in place of ended ones (server_follow) */
    unsigned whole;  /* readings so far that end an interval in which no process ended or began */
    unsigned set;    /* readings of another set have nothing in common: no difference */
    unsigned kept;   /* SAMPLE_*: counters that include all of the processes that have ended */
    mono_ns changed; /* the last time that processes were found: when they began; by this clock */
    int was, is;     /* then: the (first) process that had ended, and the one in its place */
    int moved;       /* then: 1: that was there before, and the clients went over to it */
    unsigned have;   /* SAMPLE_* */
    unsigned lower;  /* SAMPLE_*: those of `have` that are lower bounds */
    /* rises when a child of a process has ended: what it did after it was last read is in neither
     * reading, so switches and waits between two readings with different values are lower bounds */
    uint64_t gone;
    SAMPLE_COUNTS;
    const char *no_throttle;        /* why the two are missing: a constant, or NULL */
    char reason[SAMPLE_REASON_MAX]; /* why something is missing or a lower bound; "" */
};

/* Which of them a member is. */
#define SAMPLE_COUNT(member)                                                                       \
    ((offsetof(struct sample, member) - offsetof(struct sample, count)) / sizeof(uint64_t))
enum {
    COUNT_FAULTS = SAMPLE_COUNT(minor_faults),
    COUNT_SWITCHES = SAMPLE_COUNT(vol_switches),
    COUNT_THROTTLED = SAMPLE_COUNT(throttled_ns),
    COUNT_GAUGES = SAMPLE_COUNT(rss_bytes)
};
_Static_assert(SAMPLE_COUNT(threads) == COUNTS - 1, "COUNTS");

/* The difference of two readings; gauges are those of the later one. */
struct sample_delta {
    dur_ns wall_ns;
    int processes;
    unsigned have;  /* in both readings, and no process of the set was replaced in between */
    unsigned lower; /* in either reading, or a child ended between them (gone) */
    /* a process ended or began between two readings that follow each other: no counter covers it */
    bool broken;
    SAMPLE_COUNTS;
    const char *no_throttle;
    char reason[SAMPLE_REASON_MAX];           /* all of them */
    char why[SAMPLE_FIGURES][SAMPLE_WHY_MAX]; /* those of one figure: sample_why() */
};

struct record;
extern const struct record sample_record; /* base/record.h: as text, and as bytes */

/*
 * Sets *d to the difference of `before` and `after`, two readings of the same server (or both from
 * self_read).  A counter that decreased is absent, with a reason; no figure is ever negative.  A
 * figure whose bit is not in d->have is 0 and means nothing.
 *
 * If processes ended in between, what they did after they were last read is missing.  Between two
 * readings that follow each other that is all there is, and the counters are absent (d->broken).
 * Over several intervals the counters are lower bounds.
 */
void sample_diff(const struct sample *before, const struct sample *after, struct sample_delta *d);

/* Appends one more clause, cut to what there is room for. */
void sample_add_reason(char reason[SAMPLE_REASON_MAX], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Why one figure (SAMPLE_*) is missing or a lower bound; never "". */
const char *sample_why(const struct sample_delta *d, unsigned figure);
/* Why those that are known are lower bounds; "" if none is. */
void sample_why_lower(const struct sample_delta *d, char out[SAMPLE_REASON_MAX]);

/* Sets the reasons of a difference that sample_diff() did not compute. */
void sample_set_reason(struct sample_delta *d, const char *reason);

/* Makes all figures missing, for one reason. */
void sample_none(struct sample_delta *d, const char *reason);

/*
 * Per cent of the whole system (100 is all online CPUs, as in pstime) and of one CPU (as in top).
 * NaN if no time has passed.
 */
double sample_pct_system(int64_t cpu_ns, dur_ns wall, int ncpu);
double sample_pct_one(int64_t cpu_ns, dur_ns wall);
/* How much of the time in which threads could run they waited for a CPU, in %; NaN: unknown. */
double sample_waited_pct(const struct sample_delta *d);

#endif
