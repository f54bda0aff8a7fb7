/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a run will be: validated once from the options, constant afterwards, readable by every
 * thread.  Nothing here knows SQL, Lua or an output format.
 */
#ifndef SB_ENGINE_PLAN_H
#define SB_ENGINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/err.h"
#include "opt/generation.h"
#include "opt/opt.h"
#include "pace/ticket.h"
#include "report/snapshot.h"

#define PLAN_MAX_CHECKPOINTS 256
#define PLAN_MAX_CLIENTS                                                                           \
    1000000 /* beyond what kernels run; some 400 bytes each before the first one starts */

enum forced_shutdown { FORCED_OFF, FORCED_ON };

struct plan {
    const struct generation_facts *generation; /* --compat */
    int clients;                               /* --threads */
    uint64_t max_events;                       /* --events; 0 = no limit */
    dur_ns time_limit;                         /* --time; 0 = no limit */
    dur_ns warmup;                             /* --warmup-time */
    enum forced_shutdown forced;
    dur_ns forced_grace;     /* after the time limit */
    size_t stack_size;       /* of a client, 0 = default of this program */
    int workers;             /* --workers: threads that carry the clients; 0 = each has a thread */
    bool carried_by_default; /* nobody asked for those workers */
    int lua_states; /* --lua-state: workers whose clients share one; 0 = each client has its own */
    dur_ns worker_hold; /* --worker-warn: a client that keeps its worker for longer is reported; 0 =
                           none */
    dur_ns think;   /* --think-time: pause after each transaction, the mean of it with think_exp */
    bool think_exp; /* exponentially distributed */
    dur_ns init_timeout;                     /* --thread-init-timeout; 0 = none */
    dur_ns report_interval;                  /* 0 = none */
    bool warmup_reports;                     /* those of the warm-up too */
    dur_ns checkpoint[PLAN_MAX_CHECKPOINTS]; /* ascending */
    size_t checkpoints;
    double percentile[SNAPSHOT_MAX_PERCENTILES]; /* --percentile: each > 0 and <= 100, in the user's
                                                    order */
    size_t percentiles;                          /* 0 = no latency statistics by percentile */
    bool histogram, debug, validate;
    bool keep_histograms; /* the latencies with all digits, without a rate too: somebody writes them
                             down */
    int stamp_decimals;   /* of time stamps: 0 for whole seconds */
    uint32_t seed;        /* --rand-seed, 0 = from the clock */

    /* pace; rate = 0: as fast as the clients can */
    double rate;
    bool stock_rate; /* --rate=N: stock's extra lines and its full queue */
    enum arrival_shape arrival;
    dur_ns jitter;
    enum overload overload;
    uint64_t burst;
    dur_ns max_lag;
    dur_ns spin;          /* busy-wait the last part of a pause */
    bool strict;          /* --tx-strict: not sustained is exit status 3 */
    double tolerance_pct; /* how much may be missing and still be sustained */
};

#define PLAN_LEAST_INTERVAL (NS_PER_SEC / 10) /* --report-interval */
#define PLAN_STOCK_QUEUE    131072    /* stock's event queue: deeper backlog ends a --rate run */
#define PLAN_MOST_POISSON   1e7       /* the highest rate of Poisson arrivals */
#define PLAN_LATE_NS        NS_PER_MS /* a start later than this counts as late */

/* Rows of the option groups GENERAL, RATE, LOG this module owns. */
void plan_options(struct opts *o);

/* -1: one sentence about the first value that cannot be. Warnings are logged. */
int plan_from_options(struct plan *p, const struct opts *o, struct err *e);

/* The rate of the arrivals: the plan's, capped at PLAN_MOST_POISSON for --rate.  No machine begins
 * that many transactions, and at the cap the queue is full within 13 ms; generating all arrivals of
 * a higher rate would take longer than the time they cover. */
double plan_walked_rate(const struct plan *p);

/* plan_workers.c: the same for the rows of OPT_GROUP_CLIENTS. */
void plan_worker_options(struct opts *o);
int plan_read_workers(struct plan *p, const struct opts *o, struct err *e);

/* --workers is left to us and there are clients enough: workers pay (docs/workers.md).
 * plan_carry_by_default() sets them, which is only right for a script that waits nowhere but in a
 * database. */
bool plan_may_carry(const struct plan *p, const struct opts *o);
void plan_carry_by_default(struct plan *p, const struct opts *o);

/* Once that is decided, for a run: -1 when --lua-state=worker is asked for and each client has a
 * thread.  `why`: the sentence of what kept workers from being the default; "" when nothing but the
 * script or the number of clients did. */
int plan_check_lua_state(const struct plan *p, const struct opts *o, const char *why,
                         struct err *e);

#endif
