/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the threads of a run share: its main thread, its clients (client_state.h), the reporting
 * thread (collect.h), the link of several ranks (ranks.h).  Private to src/engine
 *
 * Who writes what:
 *   struct client     its own thread; the reader only loads (relaxed atomics)
 *   struct shard      the clients that share it; exclusive when every client has its own
 *   run->word         the thread that ends the run (main, a failing client, the signal handler):
 *                     the futex on which only the main thread and the ticker sleep
 *
 * final_reading_note: connections are closed only after the last reading of the server, otherwise
 * its threads, its memory and the CPU time of closing would be those of a server without load.  So
 * with telemetry a client whose loop was ended by the engine waits for the final reading before
 * client_close.
 *
 *   client->word      what one client sleeps on until its planned start (enum client_word):
 *                     run_stop ends all sleep, a change of the rate only that before a start
 *
 * aligned_end_note: with aligned arrivals a client that sleeps when the time limit passes sleeps
 * on, and runs the start that it waits for (one_more_note in pace/ticket.h).  So STOP_TIME leaves
 * the clients' words alone; any cause that comes after it ends the pauses.  `stop` still says
 * STOP_TIME then, so run->cut is the flag of cut_off_note there.
 *
 * Clients sleep on words through fiber/sched.h: code that changes one (client->word, gate, final
 * reading) wakes threads by clock_wake() and workers by sched_poke().
 *
 * cut_off_note: a run that is stopped early stops offering at the instant of the stop.  No
 * transaction may begin that is not offered, but reading the clock and beginning are two steps.  So
 * run_stop() sets the flag first and reads the clock after it; a client reads the clock (or is
 * woken by it) first and the flag after it.  A client that finds the flag unset has a planned start
 * before the instant of the stop.  A client that finds it set gives the ticket back, and learns
 * whether it was still offered once the schedule is closed: run_stop() sets the client's word after
 * that.
 */
#ifndef SB_ENGINE_RUN_STATE_H
#define SB_ENGINE_RUN_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "engine/course.h"
#include "engine/observer.h"
#include "engine/plan.h"
#include "engine/steady.h"
#include "engine/workload.h"
#include "fiber/sched.h"
#include "pace/ticket.h"
#include "report/snapshot.h"
#include "stats/error_table.h"
#include "stats/hist.h"
#include "stats/outages.h"

#define LOAD(p)     atomic_load_explicit(&(p), memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(&(p), (v), memory_order_relaxed)

/* Of two instants or lengths the greater one. */
static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

struct finder; /* find.c */
struct ranks;  /* ranks.h */
struct run;

/* What the main thread knows of a warm-up that ends by itself. */
struct warmup_until {
    struct steady trend;
    mono_ns next;    /* reading; MONO_NEVER: no further one */
    mono_ns read_at; /* the latest; 0: none */
    uint64_t done;
    struct hist_counts before, between; /* response times at the latest reading, and since it */
    struct snapshot_warmup result;
    bool told; /* the observers know where measuring begins */
};

/* The data that a warm-up writes apart from the measured data.  All NULL without one. */
struct warmup {
    struct tickets *tickets;
    struct rates *rates; /* the ramp up to the rate; NULL: there is none */
    struct shard *shard;
    struct counters *before; /* of each client: what it had counted when it began to be measured */
    struct warmup_until until;
};

/* Histograms that several clients may share: memory must not grow with the number of clients. */
struct shard {
    CACHE_ALIGNED struct hist_stock stock; /* the latency of stock's reports */
    struct hist *response;                 /* with a rate, or when histograms are kept */
    struct hist *service;                  /* the rest only with a rate */
    struct hist *lag;
};

/* What a run keeps of a database host (hosts.h). */
struct host_row {
    _Atomic unsigned connections; /* that are up */
    _Atomic uint64_t lost;        /* connections, since measuring began */
};

struct hosts {
    size_t n; /* 0: there is no list, and one row all the same */
    struct host_row *row;
    pthread_mutex_t lock;
};

/* client_error.c: the transactions of all clients that were run again (retries_note). */
struct retries {
    _Atomic uint64_t transactions, retries, most, failed, unknown; /* see struct snapshot_retries */
    struct hist *first, *last;
};

/* client_error.c: connections that were lost and are back, of all clients. */
struct reconnects {
    struct hist *connect, *away; /* see struct snapshot_connections */
};

/* What other ranks must be told of, by code that the tests of higher floors use without the rest of
 * the engine; ranks.c fills it. */
struct run_others {
    void (*stopped)(struct run *r, enum stop_reason why, const char *text);
    dur_ns (*ahead)(const struct run *r); /* how long it takes to tell them something */
    void (*set_rate)(struct run *r, mono_ns at, double rate);
};

struct run {
    const struct plan *plan;
    struct clock *clock; /* the plan's */
    struct workload *workload;
    const struct run_observer *obs;
    struct ranks *ranks;             /* NULL: there is one load host */
    const struct run_others *others; /* likewise */
    struct tickets *tickets; /* NULL without a rate; instants are those after measure_from */
    struct warmup warm;
    struct ticket_line line; /* of both schedules */
    struct client *client;
    struct counters *counters;
    struct error_table *errors;
    struct outages *outages;
    struct shard *shard;
    size_t nshards; /* of each host's row (hosts.h): row h begins at shard[h * nshards] */
    struct hosts hosts;
    struct retries retries;
    struct reconnects reconnects;
    struct server *server;
    struct finder *finder;          /* --tx-find; NULL: no search */
    const struct find_record *find; /* its record, likewise */
    struct sched *sched;            /* the workers; NULL: each client has a thread */
    int64_t *worker_cpu;            /* of each at the start line, ns; NULL: without workers */
    struct {
        int n;
        double most_pct;
    } saturated;                  /* workers, in the whole run; once it is over */
    struct sched_batches batches; /* once the last loop has ended */
    long descriptors_left;        /* for connections, before the first client; -1: no limit */

    mono_ns t0; /* the start line */
    /* t0 + warm-up, or earlier: warmup_until.c moves it once, to an instant that is to come */
    _Atomic int64_t measure_from;
    _Atomic int64_t deadline; /* MONO_NEVER without a time limit; it moves with measure_from */
    uint64_t events;          /* this rank's share of --events; UINT64_MAX: no limit */
    CACHE_ALIGNED _Atomic uint64_t events_taken; /* of them, without a rate */
    CACHE_ALIGNED _Atomic int64_t end; /* the deadline, or when the run was stopped before it */
    _Atomic uint32_t stop;             /* enum stop_reason: the first one wins, FORCED overrides */
    _Atomic uint32_t gate;             /* futex: 0 closed, 1 open, 2 do not run */
    /* futex: 1 when the processes were read for the last time (final_reading_note) */
    _Atomic uint32_t final_reading;
    /* futex for main and ticker: counts changes of stop, ready, finished */
    _Atomic uint32_t word;
    _Atomic uint32_t ready; /* clients that are open (or failed to) */
    _Atomic uint32_t connecting;
    _Atomic uint32_t looping;  /* clients whose loop has not ended */
    _Atomic int64_t loops_end; /* when the latest of the loops that have ended did */
    _Atomic uint32_t alive;    /* clients that have not ended */
    _Atomic uint32_t absent;   /* clients that were refused and keep trying (client_connect.c) */
    _Atomic uint32_t refused;  /* clients that ever were */
    _Atomic uint32_t joined;   /* those of them that connected */
    _Atomic int refused_with;  /* the error number of the latest */
    _Atomic long places;       /* descriptors for clients that connect at first (place_note) */
    mono_ns init_by;           /* --thread-init-timeout: clients are ready by then */
    _Atomic uint32_t broken;   /* clients that failed to open */
    _Atomic uint32_t cut;      /* 1: a cause other than the time limit ended the schedule */
    _Atomic uint32_t failed;   /* 1: an error ends the run; run_fail */
    _Atomic uint32_t over;     /* 1: no tick begins any more but those already due */
    _Atomic int signal;
    _Atomic int64_t signal_at; /* when it came; 0 until it is known */

    void (*closed_before)(void); /* log_on_closed_pipe() */

    pthread_mutex_t err_lock;
    struct err first; /* the first failure of any client */
};

/* The observers know from now on where measuring begins. */
static inline void run_tell_begin(const struct run *r)
{
    observers_tell(&r->obs->list, &(struct run_event){.kind = RUN_BEGINS, .from = r->measure_from});
}

static inline mono_ns run_now(const struct run *r)
{
    return clock_now(r->clock);
}

/* ranks.c: when the last loop of all ranks ended, once those of this rank have */
mono_ns ranks_loops_end(const struct run *r);

/* When the last client's loop ended; MONO_NEVER while one goes on. */
static inline mono_ns run_loops_end(const struct run *r)
{
    if (atomic_load(&r->looping))
        return MONO_NEVER;
    return r->ranks ? ranks_loops_end(r) : atomic_load(&r->loops_end);
}

/* Rows of shards and figures: one for each host of the plan's list, and one for none of them. */
static inline size_t run_hosts(const struct run *r)
{
    return r->plan->hosts ? r->plan->hosts + 1 : 1;
}

/* True when there are processes or other sources to read at each tick. */
static inline bool run_watches(const struct run *r)
{
    return r->server || r->tickets || r->obs->probe || r->ranks;
}

/* True when it also reads our own process, whose CPU time cannot be compared with a clock that a
 * test holds. */
static inline bool run_reads_self(const struct run *r)
{
    return run_watches(r) && !clock_held(r->clock);
}

/* True when the time limit ends no pause (aligned_end_note). */
static inline bool run_keeps_pauses(const struct run *r)
{
    return r->tickets && r->plan->arrival == ARRIVAL_ALIGNED;
}

static inline enum stop_reason run_stopped(const struct run *r)
{
    return (enum stop_reason)atomic_load_explicit(&r->stop, memory_order_acquire);
}

#endif
