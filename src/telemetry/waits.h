/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What sessions of ours did in the server: the time that they spent on a CPU of its, or waiting,
 * by class and by name.  session/server_waits.h samples them; here the samples become sums, and
 * sums become those of an interval.  Pure; any thread may call.
 */
#ifndef SB_TELEMETRY_WAITS_H
#define SB_TELEMETRY_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"

enum wait_class {
    WAIT_CPU,    /* it runs, or is ready to: exact (waits_exact()), or nothing is known that it
                  * waits for */
    WAIT_ROW,    /* for the lock of a row, or the transaction that has it */
    WAIT_LOCK,   /* for another lock that statements take: of tables, metadata, advisory */
    WAIT_IO,     /* for a file of the data, or a temporary one */
    WAIT_LOG,    /* to commit: for WAL, redo or binary log, and whoever has to acknowledge them */
    WAIT_LATCH,  /* for what the server locks inside itself */
    WAIT_CLIENT, /* for the network: an answer that is not taken, a statement that is not there */
    WAIT_OTHER,  /* also what cannot be told */
    WAIT_CLASSES
};

#define WAIT_NAME_SIZE 40
#define WAIT_NAMES     24
#define WAIT_BLOCKERS  16

/* One name: PostgreSQL's wait event, MySQL's instrument or state. */
struct wait_time {
    char name[WAIT_NAME_SIZE];
    enum wait_class class;
    dur_ns time; /* of each session, added up */
};

/* A session of others, and the last sample that saw it block. */
struct wait_blocker {
    int64_t id;
    unsigned sample; /* from 1 on; 0: there is none */
};

/* Estimated from samples: sums over those so far; of a difference, over those in between, but for
 * WAIT_CPU where that is exact. */
struct status_waits {
    const char *why; /* NULL: the (last) sample knows; constant */
    union {
        struct {
            dur_ns known;            /* the time between two samples that know */
            dur_ns of[WAIT_CLASSES]; /* of it, the time of each session, added up */
            dur_ns locks;            /* of WAIT_ROW and WAIT_LOCK together */
            dur_ns behind;           /* of these: blocked by a session of others, at least */
            dur_ns untold;           /* of these: the server does not tell by whom */
            /* Exact: how long threads of our sessions ran, and were ready but had no CPU, in that
             * time (session/status_threads.c) */
            dur_ns ran, waited, ran_known;
            dur_ns asking; /* the server needed so long for the samples */
            dur_ns silent; /* no sample was answered for so long: not among what is known */
            /* Of locks, behind one of ours, by what that does which nobody is in the way of;
             * WAIT_ROW: it has no statement; WAIT_CLASSES: they are in each other's, a deadlock */
            dur_ns root[WAIT_CLASSES + 1];
            dur_ns own; /* exact: the server ran so long for the connection that asks; 0: unknown */
        };
        dur_ns time[2 * WAIT_CLASSES + 11];
    };
    /* Sessions that samples saw so, sum, and the sum of the squares of each sample's */
    double hits[WAIT_CLASSES], squares[WAIT_CLASSES];
    size_t names;
    struct wait_time name[WAIT_NAMES]; /* parts of `of`; of a difference the longest first */
    /* Of a difference, the mean number of sessions by name: "cpu 1.2, WALSync 0.8, row lock 0.3" */
    char most[3 * (WAIT_NAME_SIZE + 16)];
    unsigned samples;
    unsigned seen;     /* samples that saw a wait for a lock */
    unsigned workers;  /* that saw one of a parallel query, anybody's; not in a difference */
    unsigned blockers; /* of a difference: so many sessions of others blocked, */
    bool more;         /* at least */
    struct wait_blocker blocker[WAIT_BLOCKERS];
    unsigned forgot; /* the last sample that saw one for which there was no room */
    char who[112];   /* the last of them; "": there was none */
};

/* "cpu", "row_lock", "lock", "io", "log", "latch", "client", "other" */
const char *wait_class_name(enum wait_class class);

/* A session spent `time` so.  Names for which there is no room count as "others". */
void waits_add(struct status_waits *w, enum wait_class class, const char *name, dur_ns time);

/* In the last of so many samples a session of others blocked. */
void waits_add_blocker(struct status_waits *w, int64_t id);

/* So often the times of another. */
void waits_add_all(struct status_waits *w, const struct status_waits *of, dur_ns n);

/* Of a difference: threads tell of most of its time, and so of its WAIT_CPU. */
static inline bool waits_exact(const struct status_waits *w)
{
    return w->known > 0 && 2 * w->ran_known >= w->known;
}

/* What few samples saw: two standard errors of the estimate are as much as that, or more
 * (docs/verdict.md). */
static inline bool waits_by_chance(const struct status_waits *w, enum wait_class class)
{
    return !(class == WAIT_CPU && waits_exact(w)) &&
           w->hits[class] * w->hits[class] <= 4 * w->squares[class];
}

static inline dur_ns waits_all(const struct status_waits *w)
{
    dur_ns all = 0;

    for (int c = 0; c < WAIT_CLASSES; c++)
        all += w->of[c];
    return all;
}

void waits_diff(const struct status_waits *before, const struct status_waits *after,
                struct status_waits *out);

/* Of a difference: so many sessions were on a CPU or ready for one, mean, whatever samples say. */
void waits_set_cpu(struct status_waits *w, double sessions);

/* What the time of a transaction went to, see report/budget.h. */
enum budget_part {
    BUDGET_ON_CPU, /* and waiting for one, if these cannot be told apart */
    BUDGET_CPU_WAIT,
    BUDGET_WAITS, /* the classes from WAIT_ROW on */
    BUDGET_REST = BUDGET_WAITS + WAIT_CLASSES - WAIT_ROW,
    BUDGET_PARTS
};
/* Whose CPU it has. */
enum budget_source { BUDGET_OF_SAMPLES, BUDGET_OF_SERVER, BUDGET_OF_THREADS };
#define BUDGET_OF(class) (BUDGET_WAITS + (class) - WAIT_ROW)

/* What a thread of the server does at this moment, which is more than the server says of it. */
enum thread_does {
    THREAD_UNKNOWN, /* it is gone, or none of our business */
    THREAD_RUNS,    /* or is ready to */
    THREAD_READS,
    THREAD_WRITES,
    THREAD_SYNCS,
    THREAD_USES_DISK, /* one of these */
    THREAD_SLEEPS,    /* until another thread wakes it */
    THREAD_LISTENS    /* to a connection: it has nothing to do */
};

/* On what it reads, writes or syncs. */
enum thread_file { FILE_OF_DATA, FILE_OF_LOG, FILE_TEMPORARY, FILE_SOCKET };

/* Thread `tid` of process `pid`.  Without the right to trace the process, only THREAD_RUNS,
 * THREAD_USES_DISK and THREAD_UNKNOWN are told apart.  root_fd: /proc. */
enum thread_does thread_does(int root_fd, pid_t pid, pid_t tid, enum thread_file *file);

/* False: the process is in a container, and calls its threads by other numbers than we do. */
bool thread_numbers_shared(int root_fd, pid_t pid);

#endif
