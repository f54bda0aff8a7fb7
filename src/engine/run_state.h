/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The internals of a run, for the files of this directory only.  Private to src/engine
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
#include "engine/hosts.h"
#include "engine/observer.h"
#include "engine/plan.h"
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

/* --- the course of a run (run.c) ---
 *
 * The course of a run from the start line to its end, as the main thread sees it: its states, the
 * transitions between them, and when the main thread must look again.  Pure functions; run.c looks,
 * and performs the actions of a state.
 *
 *     WARMING -> MEASURING -> DRAINING -> CLOSING -> OVER
 *        |                       ^  |        |
 *        +-- ended in warm-up ---+  +--------+------> ABANDONED
 */

enum stop_reason {
    STOP_NONE = 0,
    STOP_TIME, /* the time limit: nothing new begins */
    STOP_SIGNAL,
    STOP_ERROR,    /* a client failed */
    STOP_OVERLOAD, /* --rate's full queue, --tx-overload=abort */
    STOP_FOUND,    /* --tx-find has its answer */
    STOP_FORCED    /* forced shutdown: clients that are still busy are abandoned */
};

enum course_state {
    /* Transactions run and are not measured.  Lasts until the end of the warm-up, or until it is
     * clear that the run does not get there. */
    COURSE_WARMING,
    /* Transactions are measured.  Entered where the warm-up ends: the ticker's origin. */
    COURSE_MEASURING,
    /* The run was stopped (time limit, signal, error, overload), or no client goes on: no
     * transaction begins, those in flight end. */
    COURSE_DRAINING,
    /* All loops have ended: the processes are read for the last time, then clients close. */
    COURSE_CLOSING,
    /* All clients have ended. */
    COURSE_OVER,
    /* The grace period ended first: clients that are still busy are abandoned. */
    COURSE_ABANDONED
};

/* After a signal, an overload or a fatal error, transactions in flight get this long before the
 * report is printed without them. */
#define COURSE_GRACE (2 * NS_PER_SEC)

struct course {
    enum course_state state;
    mono_ns measure_from, deadline;
    mono_ns forced;     /* forced shutdown: when the grace period ends; MONO_NEVER: never */
    mono_ns signalled;  /* when the signal was noticed, 0: none was */
    mono_ns overloaded; /* the same of --tx-overload=abort */
    mono_ns failed;     /* the same of an error that ends the run */
    mono_ns close_by;   /* clients that were kept open for other ranks may close until then */
};

/* The observations of the main thread. */
struct course_view {
    mono_ns now;
    enum stop_reason stopped;
    bool ended_warming; /* stopped, or all loops ended, before measure_from */
    uint32_t looping;   /* clients whose loop has not ended */
    uint32_t alive;     /* clients that have not ended */
};

/* At the start line. */
void course_begin(struct course *c, const struct plan *p, mono_ns measure_from, mono_ns deadline);

/* The warm-up ends earlier than thought. */
void course_move(struct course *c, mono_ns measure_from, mono_ns deadline);

/* Moves one step to the next state; false: stays in the present one. */
bool course_step(struct course *c, const struct course_view *v);

/* When clients that are still busy will be abandoned; MONO_NEVER: not yet known. */
mono_ns course_abandon_at(const struct course *c);

/* When to look again unless something changes earlier. */
mono_ns course_wake(const struct course *c, const struct course_view *v);

static inline bool course_has_ended(const struct course *c)
{
    return c->state == COURSE_OVER || c->state == COURSE_ABANDONED;
}

/* --- the warm-up (warmup.c) ---
 *
 * The warm-up of a run: a schedule and statistics of its own, so that nothing of it is in what is
 * measured (warm_up_note in warmup.c), and, with --warmup-until, the search for where it ends.
 */

/* Has a load become steady?  A window of the latest readings, a straight line through them by least
 * squares, and the line's change from one end of the window to the other (steady_note in warmup.c).
 * Pure: readings come in as arguments. */
#define STEADY_READINGS 10 /* in a window, one a second */

struct steady_reading {
    double at_s; /* the middle of the time that it covers */
    double value;
};

struct steady {
    struct steady_reading window[STEADY_READINGS]; /* a ring: reading k is at k modulo its size */
    size_t readings; /* since the window was begun; 0 begins it anew */
};

/* Both in percent of the mean over the window. */
struct steady_trend {
    double change_pct; /* along the line, over the window */
    double error_pct;  /* standard error of the change */
};

void steady_add(struct steady *s, double at_s, double value);

/* False: the window is not full, or its mean is not above 0. */
bool steady_trend(const struct steady *s, struct steady_trend *t);

/* The change is within the bound, its standard error included. */
bool steady_within(const struct steady_trend *t, double bound_pct);

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

/* The two sides of a run, where the warm-up ends (warm_up_note) */
void warmup_setup(struct run *r, const struct ticket_spec *spec);
void warmup_teardown(struct run *r);
void warmup_client(struct client *c); /* which side it begins on */
void warmup_leave(struct client *c);  /* its first measured transaction is about to begin */
enum ticket_result warmup_shed(struct run *r, mono_ns now);
void warmup_close(struct run *r, mono_ns at);
/* Adds what one client has counted in the warm-up, or since, to `sum`. */
void warmup_counts(const struct run *r, int client, bool warming, uint64_t sum[CNT_MAX]);

/* Main thread: looks whether the load is steady, and ends the warm-up; when to look
 * next */
void warmup_until_begin(struct run *r);
mono_ns warmup_until_look(struct run *r, mono_ns now);
void warmup_until_over(struct run *r); /* measuring has begun */

/* Histograms that several clients may share: memory must not grow with the number of clients. */
struct shard {
    CACHE_ALIGNED struct hist_stock stock; /* the latency of stock's reports */
    struct hist *response;                 /* with a rate, or when histograms are kept */
    struct hist *service;                  /* the rest only with a rate */
    struct hist *lag;
};

/* client->word.  A client takes WORD_LOOK back when it has seen it; nobody takes WORD_STOPPED
 * back. */
enum client_word { WORD_NONE, WORD_STOPPED, WORD_LOOK };

/* client_error.c, the pauses of a client whose errors repeat.
 *
 * A client whose errors repeat pauses before it goes on, so that a server that refuses
 * everything (read-only, out of disk) gets a few statements a second and not all that the client
 * can send.
 *
 *     error, error      no pause: a deadlock or two cost nothing
 *     error             1 ms, then 2, 4, ... up to --trx-retries=backoff, each shortened by up to
 * half success           the next error begins anew
 *
 * Two streams of errors, because scripts have two ways to go on.  The default loop runs an event
 * again after its error: there, only an event that is done is a success, since on a read-only
 * server BEGIN and SELECT succeed between the errors.  A script that catches errors itself never
 * says how its event goes on: there, a statement that changed rows is a success, too.
 *
 * No clock and no sleep in here: the caller pauses.  Client's thread only.
 */
struct error_backoff_stream {
    unsigned errors;    /* without a success between them */
    uint64_t successes; /* at the last one */
};

struct error_backoff {
    struct rng rng;
    struct error_backoff_stream statement, event;
    bool paused; /* the error has had its pause */
};

void error_backoff_init(struct error_backoff *b, uint32_t seed, int client);

/* After a statement failed; `successes`: a number that a success changes.  The pause, at most
 * `longest`; 0: none. */
dur_ns error_backoff_statement(struct error_backoff *b, uint64_t successes, dur_ns longest);
/* Before the event that it belonged to goes on.  0 also if the error has had its pause. */
dur_ns error_backoff_event(struct error_backoff *b, uint64_t successes, dur_ns longest);

/* client_error.c: the transactions of all clients that were run again (retries_note). */
struct retries {
    _Atomic uint64_t transactions, retries, most, failed, unknown; /* see struct snapshot_retries */
    struct hist *first, *last;
};

/* client_error.c: connections that were lost and are back, of all clients. */
struct reconnects {
    struct hist *connect, *away; /* see struct snapshot_connections */
};

/* The transaction in hand, if it met an error; else all 0. */
struct client_retry {
    unsigned retries;
    bool fails;        /* --on-error: it is not to be run again */
    mono_ns lost_at;   /* its connection was lost; earlier than `begun`: it was not */
    mono_ns first_end; /* of its first attempt */
    mono_ns again;     /* when its latest attempt began */
    struct error_backoff backoff;
};

struct client {
    /* what every transaction touches: two cache lines (with thousands of clients each is a miss) */
    CACHE_ALIGNED struct run *run;
    int id; /* among this rank's */
    bool shard_shared;
    bool idle_in_time; /* the ticket was taken before its planned start */
    bool has_event;    /* of --events without a rate, since the warm-up ended */
    bool told_over;    /* the engine ended its loop, not the script */
    bool failed;       /* the loop ended with an error */
    bool troubled;     /* the transaction in hand met an error: `retry` */
    /* the transaction in hand, or the last one, was none of the warm-up (warm_up_note) */
    _Atomic bool measured;
    _Atomic bool in_statement; /* the SQL floor says so; the reporter samples it */
    bool warm_start;           /* the ticket in hand is of the warm-up's schedule */
    bool plain; /* nothing of what a run may have beside its transactions (plain_note) */
    struct counters *counters;
    struct shard *shard;                 /* of the warm-up, then of what is measured */
    struct hist_stock *stock;            /* the shard's; NULL: no percentile is wanted */
    struct stmt_stats_shard *stmt_stats; /* NULL: statements are not timed by kind */
    struct raw_ring *raw;                /* NULL: transactions are not logged one by one */
    struct rng rng;
    mono_ns planned; /* of the transaction in hand */
    /* read by the reporter */
    _Atomic mono_ns begun; /* of the transaction in hand */
    /* end of the latest transaction (at first the start line): edges need no further reading */
    _Atomic int64_t last;
    _Atomic uint32_t word;            /* enum client_word */
    _Atomic unsigned period;          /* written by the reporter: which one it is, in checkpoints */
    _Atomic unsigned epoch;           /* which period min and max belong to */
    _Atomic int64_t lat_min, lat_max; /* of that period, ns */
    _Atomic int64_t lat_sum;          /* since the start, ns */
    _Atomic int64_t undone;           /* the same of transactions that failed or were withdrawn */
    _Atomic int64_t woken;            /* starts that it slept for were late, sum; ns */
    _Atomic int64_t retried;          /* in attempts that failed, and the pauses after them; ns */
    /* the first transaction that was done, in the warm-up or not; 0: none yet */
    _Atomic mono_ns first_begun;
    _Atomic dur_ns first_took;
    _Atomic int64_t in_hand; /* with a rate: planned start of the ticket in hand, 0 = none */

    _Atomic unsigned host; /* row of run->hosts */
    uint64_t *before_move; /* what it counted at each host (collect.c); NULL: nothing */
    struct rng think;      /* for --think-time */
    struct client_retry retry;
    /* the longest lag of a start for which this client had been idle in time */
    dur_ns worst_wake;
    _Atomic int64_t over_at; /* where the schedule ended for this client */
    mono_ns loop_end;        /* set before run->looping counts it out */
    pthread_t thread;
    int number; /* its tid: among those of all ranks */
    bool started;
    bool absent;     /* refused, and trying to connect (executor.c) */
    bool never;      /* it was still refused when the run ended */
    bool placed;     /* it has one of run->places */
    unsigned away;   /* of its connections, those that count as away in run->outages */
    bool late;       /* it came after the start line */
    bool begun_loop; /* it was at the start line */
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
    size_t nshards; /* of each host's row (collect.c): row h begins at shard[h * nshards] */
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
    /* t0 + warm-up, or earlier: warmup.c moves it once, to an instant that is to come */
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
    _Atomic uint32_t absent;   /* clients that were refused and keep trying (executor.c) */
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

/* client.c */
void client_setup(struct client *c, struct run *r, int id);
void client_note_plain(struct client *c); /* when it begins, and once it is measured */

/* client_error.c: the accounts at an instant, for outages_new() */
void run_outage_counts(void *arg, mono_ns now, struct outage_counts *n, dur_ns *in_time);

/* client.c */
/* Until the instant (true) or until *word is not 0 any more (false). */
bool client_await(struct client *c, mono_ns until, _Atomic uint32_t *word);
/* Wakes all that sleep until a planned start: it may have moved. */
void clients_look_again(struct run *r);

/* executor.c: clients that the server refuses at first (--min-clients) */
bool absent_allowed(const struct run *r);
void absent_say_begin(const struct run *r);
bool absent_take_place(struct client *c); /* before an attempt to connect; false: none is left */

/* client_error.c */
bool client_goes_on(const struct client *c); /* neither stopped nor at the time limit */
void client_left(struct client *c); /* its loop has ended: nobody waits for its connections */
void client_trouble_over(struct client *c, mono_ns now, bool done); /* c->troubled */

/* run.c: a set of shards, as many and as large as the plan needs */
struct shard *shards_new(const struct run *r);
void shards_free(const struct run *r, struct shard *shard);

/* warmup.c: its latencies go to the shards of the host where it is */
void client_write_to_host(struct client *c);

/* True when the transaction that has begun, or is about to, belongs to the warm-up. */
static inline bool client_warming(const struct client *c)
{
    return !atomic_load_explicit(&c->measured, memory_order_relaxed);
}

/* executor.c: clients on threads of their own or on workers */
int executor_start(struct run *r, struct err *e);
void executor_join(struct run *r);
void executor_leave(struct run *r); /* abandons clients that are blocked in a call */
void executor_wake(struct run *r, _Atomic uint32_t *word); /* it has changed */
int executor_check(struct run *r, struct err *e); /* once all clients are ready: can this go on? */

/* executor.c: workers that used more than 80 % of the time, of which so much has passed between two
 * readings of their CPU time (ns; -1: unknown); *most: the share of the busiest in %. */
int busy_workers(int workers, dur_ns elapsed, const int64_t *before, const int64_t *now,
                 double *most);

/* The number of workers to try; 0: there are as many as CPUs. */
int busy_advice(int workers, int cpus);

#define BUSY_TEXT 160

/* A sentence about the whole run: so many of the workers were busy.  False: there is nothing to
 * say, because nobody chose the number of workers (`by_default`), and there are no CPUs for more.
 */
bool busy_describe(char text[BUSY_TEXT], int workers, int cpus, bool by_default, int busy,
                   double most);

/* The start line; the end of a warm-up; before executor_join: what --workers=batch did, and was a
 * worker overloaded */
void executor_mark(struct run *r);
void executor_measures(struct run *r);
void executor_end_batches(struct run *r);
void executor_fill_batches(const struct plan *p, const struct sched_batches *b,
                           struct snapshot_batches *out);
void executor_say_busy(struct run *r, dur_ns elapsed);
/* The number of workers, and of those that run a client now; unchanged without workers. */
void executor_look(const struct run *r, uint64_t *workers, uint64_t *working);

/* ready.c: all clients are connected and initialised?  -1: one failed, it took too long, or a
 * signal came */
int ready_await(struct run *r, struct run_result *res, struct err *e);
/* All clients are at the gate, and there will be no run: they end.  -1 */
int ready_call_off(struct run *r);

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

/*
 * stop.c: changes the rate while the run lasts: a person feels for the knee with a line in the
 * FIFO of --mark-on, and --tx-find takes its steps.
 *
 * The change takes effect some ms ahead, so that every client that sleeps until its planned start
 * has looked at that start again by then: 512 clients at 10 per second hold the starts of the next
 * 51 s, and at 500 per second these lie within one.  Why the accounts hold at every instant:
 * epoch_note in pace/ticket.h.
 *
 * From an instant on that lies a few ms ahead (*at, unless it is NULL) the rate is `rate`; 0 is a
 * pause.  In the warm-up it waits until measuring begins.  -1 with a reason: nothing has changed.
 * Any thread.
 */
int run_set_rate(struct run *r, double rate, mono_ns *at, struct err *e);
void run_rate_open(struct run *r); /* for run_set_rate_here() in run.h; NULL: it is over */
/* What a member of several ranks is told: the rate from `at` on, or from now on if that
 * has passed.  Any thread. */
void run_rate_from(struct run *r, mono_ns at, double rate);

/* stop.c */
void run_stop(struct run *r, enum stop_reason why);
/* There will be no run.  Opens the gate first: run_stop() wakes each client by its own word, and to
 * find who sleeps on it the kernel walks past those at the gate. */
void run_call_off(struct run *r, enum stop_reason why);
void run_fail(struct run *r, const struct err *e);
void run_note_error(struct run *r, const struct err *e); /* the first failure of any client */
/* This process, or another rank, was sent it.  False: an earlier signal ends the run. */
bool run_signal(struct run *r, int sig, mono_ns now);
void run_poke(struct run *r); /* word++ and wake */
void stop_catch_signals(struct run *r);
void stop_release_signals(const struct run *r);

static inline enum stop_reason run_stopped(const struct run *r)
{
    return (enum stop_reason)atomic_load_explicit(&r->stop, memory_order_acquire);
}

#endif
