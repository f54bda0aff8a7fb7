/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the time of a run with a rate went, from points that the reporting thread takes while it
 * goes on: how many planned starts were due, begun and ended, and how much time clients had spent
 * in transactions by then.  The totals of a run cannot tell what a transaction takes when nothing
 * disturbs it (in a run that fell behind, the mean is that of the backlog itself), nor what clients
 * did while starts waited for them.  docs/verdict.md says what follows from the points.  Pure; one
 * thread at a time.  Private to src/engine
 *
 * loss_note: N clients have N seconds a second.  Until a backlog is largest, S starts come and n
 * transactions end.  An unloaded system spends `each` on one, and `think` after it, so what is
 * missing, in seconds of clients, is
 *
 *     (S - n) (each + think)  =  [S (each + think) - N t]     burst: starts came too fast
 *                              + [busy - n each]              busy: transactions took longer
 *                              + [N t - busy - n think]       idle: clients ran none
 *
 * The three add up, and so do their shares of what is late.  While the backlog is worked off
 * nothing is lost, and nothing counts.  `idle` is never more than what clients that slept until
 * their start were late, and what the program did not run at all; `busy` that may be chance
 * counts as `burst`, which is chance, too: less than a part of the work, or less than n times what
 * the mean of n transactions can be off (nor is `each` known better: it is that of the least
 * eighth of the run).
 */
#ifndef SB_ENGINE_BACKLOG_H
#define SB_ENGINE_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

/* Totals since measuring began. */
struct backlog_point {
    dur_ns at;
    union {
        struct {
            uint64_t offered; /* planned starts that were due */
            uint64_t dropped; /* of these, given up before they began */
            uint64_t begun;   /* that clients began */
            uint64_t ended;   /* of these, with any outcome */
            uint64_t done;    /* of these, with success */
            /* samples, one a point: clients in a transaction, those of them outside of a
             * statement; workers, those of them that ran a client */
            uint64_t running, scripting, workers, working;
            /* and the times between the latest begins of clients that are all busy, which are
             * ends: those of less than a third of their median */
            uint64_t gaps, short_gaps;
        };
        uint64_t count[11];
    };
    double service; /* ns, sum over `done` */
    double busy;    /* ns that clients spent in transactions, those that go on included */
    double woken;   /* ns by which clients that slept until their start were late, sum */
    dur_ns late;    /* the reporting thread got the CPU so late, sum */
};

/* When all are in use, every second one is dropped: points are T/128 to T/64 apart. */
#define BACKLOG_POINTS 128
#define BACKLOG_GAPS   8

struct backlog {
    struct backlog_point p[BACKLOG_POINTS]; /* p[0]: where measuring began, all zeros */
    size_t n;
    dur_ns step; /* between points */
};

/* `length`: of the run, as far as it is known; 0: it is not. */
void backlog_begin(struct backlog *b, dur_ns length);
void backlog_add(struct backlog *b, const struct backlog_point *p);

/* The point at `at`, or what lies on the line between the two around it: exact where one was taken
 * at that instant.  All 0 while there is none. */
struct backlog_point backlog_at(const struct backlog *b, dur_ns at);

/* The least and the greatest mean service time of a stretch of [from, to], ns; NaN: nothing was
 * done.  A stretch has an eighth of what was done, and 20 transactions, unless there were fewer. */
void backlog_service(const struct backlog *b, dur_ns from, dur_ns to, double *least, double *most);

/* The largest number of starts in [from, to] that were due and had not ended, and when there were
 * more than `allowed`; most = 0: never.  Two of the n backlogs are further apart than the first of
 * them is long. */
struct backlog_peak {
    uint64_t most;
    dur_ns from, to;
    size_t n;
};
struct backlog_peak backlog_peak(const struct backlog *b, dur_ns from, dur_ns to, double allowed);

/* The longest time in [from, to] in which transactions were being run and none ended, as far as the
 * points tell: it is at least that long. */
struct backlog_silence {
    dur_ns from, length;
    double busy; /* ns that clients spent in transactions meanwhile */
};
struct backlog_silence backlog_silence(const struct backlog *b, dur_ns from, dur_ns to);

/* An unloaded system. */
struct backlog_usual {
    double clients;
    double each, think; /* ns */
    /* a transaction may be longer by chance: ns; and at least so much of `each` */
    double off, part;
};

/* What was lost in [from, to] (loss_note), in ns of clients; 0: nothing. */
struct backlog_loss {
    double busy, idle, burst;
    /* of `idle`, under way when the program did not run; of unloaded transactions */
    double stood, work;
    dur_ns late;   /* meanwhile the reporting thread did not run */
    dur_ns waited; /* how long starts waited, several times added up */
};
struct backlog_loss backlog_loss(const struct backlog *b, dur_ns from, dur_ns to,
                                 const struct backlog_usual *u);

/* The longest time by which all `clients` that slept until their start woke up late at once,
 * between two points in [from, to]; ns. */
double backlog_woken(const struct backlog *b, dur_ns from, dur_ns to, double clients);

/* Counts the gaps of the latest n begins, in order of time. */
void backlog_gaps(struct backlog_point *p, const mono_ns *begun, size_t n);

/* Of the time that clients spent in transactions from p to q, % outside of statements; NaN: no
 * sample tells. */
static inline double backlog_script_pct(const struct backlog_point *p,
                                        const struct backlog_point *q)
{
    return 100 * (double)(q->scripting - p->scripting) / (double)(q->running - p->running);
}

/* The stretches of [from, to] in which the backlog grew, or clients woke up late: steps in which it
 * grew a quarter as fast as in the fastest one, or faster, with at most one other between two of
 * them.  In the order of time; 0: they are not few, or not short (less than half of the span in
 * all), or what was lost is not nearly all in them, or may be chance. */
#define BACKLOG_STRETCHES 8
struct backlog_stretch {
    dur_ns from, to;
    double lost; /* starts, at the end of it beyond those at its beginning; or ns */
};
struct backlog_chance {
    double in_flight;
    bool uneven; /* starts do not come evenly */
    bool woken;  /* how late clients woke up, and not the backlog */
};
size_t backlog_stretches(const struct backlog *b, dur_ns from, dur_ns to,
                         const struct backlog_chance *u,
                         struct backlog_stretch s[BACKLOG_STRETCHES]);

/* The shortest part of [from, to] in which most of the time beyond `each` went into transactions.
 */
void backlog_worst(const struct backlog *b, dur_ns *from, dur_ns *to, double each);

#endif
