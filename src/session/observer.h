/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The contract of everything that shows or stores a run's figures: standard output, the script's
 * report hooks, result files, the metrics endpoint, the profile.  Observers do not know each other.
 * All get the same snapshots, in the order of the list.
 *
 * Order of calls:
 *     open            main thread, options are valid: files are created.  -1 ends the run
 *     header          main thread, before the workload's own header lines
 *     ready           main thread, all connections are up, the server's processes are known
 *     started         main thread, the clock is about to run
 *     warming_up      main thread, with a warm-up
 *     begin           main thread, measuring begins at `from`, which may be in the future; with
 *                     --warmup-until after snapshots of the warm-up
 *     ticker_open     ticker's thread, before its first snapshot
 *     snapshot        ticker's thread: interval, checkpoint; main thread: final
 *     ticker_close    ticker's thread
 *     final_reading   any thread, all loops have ended and the connections are still up
 *     closing         main thread, the run began and ends without a final snapshot
 *     close           main thread, always last, in reverse order; -1 when something is incomplete
 *
 * Two calls are never made at once, except `found`.  Any function may be NULL.
 */
#ifndef SB_SESSION_OBSERVER_H
#define SB_SESSION_OBSERVER_H

#include <stddef.h>

#include "base/clock.h"
#include "base/err.h"
#include "report/run_info.h"

struct observer_ops {
    const char *name;
    int (*open)(void *self, struct err *e);
    void (*header)(void *self);
    void (*ready)(void *self);
    void (*started)(void *self);
    void (*warming_up)(void *self);
    void (*begin)(void *self, mono_ns from);
    void (*ticker_open)(void *self);
    void (*snapshot)(void *self, const struct snapshot *s);
    void (*ticker_close)(void *self);
    /* a step of --tx-find has ended: any time, on a thread of its own */
    void (*found)(void *self, const struct find_record *r, size_t step);
    void (*final_reading)(void *self);
    void (*closing)(void *self);
    int (*close)(void *self, const struct report_end *end, struct err *e);
};

#define OBSERVERS_MAX 16

struct observers {
    struct {
        const struct observer_ops *ops;
        void *self;
    } item[OBSERVERS_MAX];
    size_t n;
};

/* Adds an observer at the end of the list; `self` is borrowed. */
void observers_add(struct observers *o, const struct observer_ops *ops, void *self);

int observers_open(struct observers *o, struct err *e);
void observers_header(const struct observers *o);
void observers_ready(const struct observers *o);
void observers_started(const struct observers *o);
void observers_warming_up(const struct observers *o);
void observers_begin(const struct observers *o, mono_ns from);
void observers_ticker_open(const struct observers *o);
void observers_snapshot(const struct observers *o, const struct snapshot *s);
void observers_ticker_close(const struct observers *o);
void observers_found(const struct observers *o, const struct find_record *r, size_t step);
void observers_final_reading(const struct observers *o);
void observers_closing(const struct observers *o);

/* Closes all, even when one fails.  `rc` and *e are the run's: they stay when the run failed.  When
 * it did not, or only missed its rate, the first failure to close replaces them. */
int observers_close(struct observers *o, const struct report_end *end, int rc, struct err *e);

#endif
