/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The backlog over a run with a rate: how many planned starts were due and had not ended, from
 * points that the reporting thread takes while the run goes on.  The verdict needs three figures
 * that the totals of a run cannot give: what a transaction takes when nothing disturbs it (in a run
 * that fell behind, the mean is that of the backlog itself), how large the backlog was on the way,
 * and for how long nothing ended.  Pure; one thread at a time.  Private to src/engine
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
    uint64_t offered; /* planned starts that were due */
    uint64_t gone;    /* of these, ended with any outcome, or dropped */
    uint64_t begun;   /* and those that a client has begun */
    uint64_t done;
    double service; /* ns, sum over `done` */
};

/* When all are in use, every second one is dropped: points are T/128 to T/64 apart. */
#define BACKLOG_POINTS 128

struct backlog {
    struct backlog_point p[BACKLOG_POINTS]; /* p[0]: where measuring began, all zeros */
    size_t n;
    dur_ns step; /* between points */
};

/* `length`: of the run, as far as it is known; 0: it is not. */
void backlog_begin(struct backlog *b, dur_ns length);
void backlog_add(struct backlog *b, const struct backlog_point *p);

/* The least and the greatest mean service time of a stretch of [from, to], ns; NaN: nothing was
 * done.  A stretch has an eighth of what was done, and 20 transactions, unless there were fewer. */
void backlog_service(const struct backlog *b, dur_ns from, dur_ns to, double *least, double *most);

/* How many of all had not ended at `at`, from where on none is due.  Between two points as many end
 * in each second; the backlog itself would be a false line, since it turns at `at`. */
double backlog_left(const struct backlog *b, dur_ns at);

/* The largest backlog in [from, to], and when it was larger than `allowed`; most = 0: never. */
struct backlog_peak {
    uint64_t most;
    dur_ns from, to;
};
struct backlog_peak backlog_peak(const struct backlog *b, dur_ns from, dur_ns to, double allowed);

/* The longest time in [from, to] in which transactions were being run and none ended, as far as the
 * points tell: it is at least that long. */
dur_ns backlog_silence(const struct backlog *b, dur_ns from, dur_ns to, dur_ns *began);

#endif
