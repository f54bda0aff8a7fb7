/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loop of one client, seen from inside: where its planned starts come from, how it waits for
 * them, and what is recorded.  Nothing here takes a lock that other clients take or allocates; the
 * clock is read once when a transaction begins and once when it ends, and those two readings serve
 * the limits, the lag, the latency and the totals.
 *
 * How the client is carried is not known here: all waiting is carry_sleep_until(), which puts a
 * thread of the client's own to sleep on a futex and parks a fiber (carry/carry.h).  carrier.c
 * starts them.
 */
#include "engine/run_state.h"

#include <ck_pr.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/warm.h"
#include "carry/carry.h"

#define LOAD(p)     atomic_load_explicit(&(p), memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(&(p), (v), memory_order_relaxed)

void client_setup(struct client *c, struct run *r, int id)
{
    c->run = r;
    c->id = id;
    c->counters = &r->counters[id];
    c->raw = r->obs->raw_log ? raw_log_ring(r->obs->raw_log, id) : NULL;
    c->shard_shared = !r->plan->workers && r->nshards < (size_t)r->plan->clients;
    STORE(c->lat_min, INT64_MAX);
    warmup_client(c);
}

/* A pause shorter than a trip through the scheduler is cheaper waited out than slept. */
#define SHORT_PAUSE (10 * NS_PER_US)

/* Sleeps; with --tx-spin the last part is a busy wait, which no kernel timer beats for precision.
 * A worker does that for all its clients together. */
bool client_sleep(struct client *c, mono_ns until)
{
    dur_ns spin = c->run->plan->spin, pause = until - clock_mono();

    if (carry_task)
        return carry_sleep_until(until, &c->word, 0);
    if (pause > SHORT_PAUSE && pause > spin) {
        if (!carry_sleep_until(until - spin, &c->word, 0))
            return false;
        if (!spin)
            return true;
    }
    while (clock_mono() < until) {
        if (atomic_load_explicit(&c->word, memory_order_acquire))
            return false;
        ck_pr_stall();
    }
    return true;
}

/* Waits for the planned start; false: the run ended first (cut_off_note).  A start planned before
 * the time limit may still begin when the limit passes while its client wakes up. */
static bool await_start(struct client *c, mono_ns now)
{
    bool due = c->idle_in_time ? client_sleep(c, c->planned) || clock_mono() >= c->planned
                               : now < c->run->deadline;
    enum stop_reason why = run_stopped(c->run);

    return due && (why == STOP_NONE || (why == STOP_TIME && c->idle_in_time));
}

/* The end of the run overtook the ticket.  One that is still offered stays in hand: nobody else
 * gets it, and it is due.  (Of a warm-up that was cut short nobody keeps accounts.) */
static void give_back(struct client *c, const struct ticket *t)
{
    if (run_stopped(c->run))
        carry_sleep_until(MONO_NEVER, &c->word, 0);
    if (c->planned >= c->run->measure_from && tickets_give_back(c->run->tickets, t))
        counters_add(c->counters, CNT_RETURNED, 1);
    else
        STORE(c->in_hand, 0);
}

/* Nothing more is planned, but the last interval of the schedule is not over: N transactions at R
 * per second take N/R seconds, and a run of T seconds lasts T.  (Stock's --rate ends with its last
 * event.) */
static void stay_until_end(struct client *c, dur_ns next_base)
{
    struct run *r = c->run;
    mono_ns end = r->measure_from + next_base;

    end = end < r->deadline ? end : r->deadline;
    STORE(c->over_at, end);
    if (r->plan->stock_rate && r->plan->max_events)
        return;
    carry_sleep_until(end, &c->word, 0);
}

/* The next ticket and the wait for it.  A ticket that the end of the run overtakes is counted as
 * returned. */
static bool next_planned(struct client *c)
{
    struct run *r = c->run;
    struct ticket t;
    mono_ns now = clock_mono(), zero;

    switch (warmup_take(c, now, &t, &zero)) {
    case TICKET_TAKEN: break;
    case TICKET_OVER: stay_until_end(c, t.base); return false;
    case TICKET_OVERLOAD: run_stop(r, STOP_OVERLOAD); return false;
    }
    c->planned = zero + t.planned;
    c->idle_in_time = c->planned > now;
    STORE(c->in_hand, c->planned);
    if (await_start(c, now))
        return true;
    give_back(c, &t);
    return false;
}

/* --events without a rate: is there one left?  Each measured transaction takes one, those of a
 * warm-up none. */
static bool event_left(struct client *c)
{
    struct run *r = c->run;

    if (client_warming(c) && clock_mono() < r->measure_from)
        return LOAD(r->events_taken) < r->plan->max_events;
    c->has_event = true;
    return atomic_fetch_add_explicit(&r->events_taken, 1, memory_order_relaxed) <
           r->plan->max_events;
}

static bool more(struct client *c)
{
    struct run *r = c->run;

    if (run_stopped(r) || LOAD(c->last) >= r->deadline)
        return false;
    if (r->tickets)
        return next_planned(c);
    return !r->plan->max_events || event_left(c);
}

/* Stock's words at --verbosity=4. */
static void say_which_limit(const struct client *c)
{
    enum stop_reason why = run_stopped(c->run);

    if (why != STOP_NONE && why != STOP_TIME)
        return;
    log_info(clock_mono() >= c->run->deadline ? "Time limit exceeded, exiting..."
                                              : "Event limit exceeded, exiting...");
}

bool client_next(struct client *c)
{
    bool go_on;

    if (c->run->plan->think)
        think_pause(c);
    carry_turn();
    go_on = more(c);
    if (!go_on && !c->told_over)
        say_which_limit(c);
    c->told_over = !go_on;
    return go_on;
}

/* Is the transaction that begins the client's first measured one?  (warm_up_note)  One that was
 * granted in the warm-up, and for which no event is left after it, begins there. */
static bool leaves_warm_up(struct client *c)
{
    struct run *r = c->run;

    if (c->planned < r->measure_from)
        return false;
    if (r->tickets || !r->plan->max_events || c->has_event ||
        atomic_fetch_add_explicit(&r->events_taken, 1, memory_order_relaxed) < r->plan->max_events)
        return true;
    c->begun = c->planned = r->measure_from - 1;
    return false;
}

/* It was idle in time; did it wake up late?  Of a start in the warm-up, the part after the warm-up
 * counts: measured starts waited for this client. */
static void note_wake(struct client *c, mono_ns now)
{
    mono_ns due = c->planned > c->run->measure_from ? c->planned : c->run->measure_from;

    if (now - due > PLAN_LATE_NS && now - due > c->worst_wake)
        c->worst_wake = now - due;
}

void client_begin(struct client *c)
{
    mono_ns now = clock_mono();

    c->begun = now;
    if (!c->run->tickets)
        c->planned = now;
    if (client_warming(c) && leaves_warm_up(c))
        warmup_leave(c);
    if (c->idle_in_time)
        note_wake(c, now);
    counters_add(c->counters, CNT_STARTED, 1);
}

/* min and max cannot be subtracted, so they belong to a period: the first event after a checkpoint
 * begins them anew. */
static void note_latency(struct client *c, dur_ns latency)
{
    unsigned epoch = LOAD(c->period);

    if (epoch != LOAD(c->epoch)) {
        STORE(c->epoch, epoch);
        STORE(c->lat_min, latency);
        STORE(c->lat_max, latency);
    } else {
        if (latency < LOAD(c->lat_min))
            STORE(c->lat_min, latency);
        if (latency > LOAD(c->lat_max))
            STORE(c->lat_max, latency);
    }
    STORE(c->lat_sum, LOAD(c->lat_sum) + latency);
}

static void record_stock(struct client *c, dur_ns response)
{
    rng_next(&c->rng); /* drop-in: stock spends one draw here, and seeded key sequences show it */
    if (c->shard_shared)
        hist_stock_record_shared(c->stock, response);
    else
        hist_stock_record(c->stock, response);
}

static void record_rate(struct client *c, mono_ns now)
{
    struct shard *s = c->shard;
    dur_ns lag = c->begun - c->planned, service = now - c->begun;

    if (lag > PLAN_LATE_NS) {
        counters_add(c->counters, CNT_LATE, 1);
        counters_add(c->counters, CNT_LATE_IDLE, c->idle_in_time);
    }
    if (c->shard_shared) {
        hist_record_shared(s->response, lag + service);
        hist_record_shared(s->service, service);
        hist_record_shared(s->lag, lag);
    } else {
        hist_record(s->response, lag + service);
        hist_record(s->service, service);
        hist_record(s->lag, lag);
    }
}

/* Without a rate, when somebody writes the latencies down. */
static void record_response(struct client *c, dur_ns response)
{
    if (c->shard_shared)
        hist_record_shared(c->shard->response, response);
    else
        hist_record(c->shard->response, response);
}

static void empty_hand(struct client *c)
{
    if (c->run->tickets)
        STORE(c->in_hand, 0);
}

static void log_raw(struct client *c, mono_ns now, enum raw_outcome outcome)
{
    const struct raw_record r = {.begun = c->begun,
                                 .lag = c->begun - c->planned,
                                 .service = now - c->begun,
                                 .outcome = outcome};

    if (c->raw)
        raw_ring_put(c->raw, &r);
}

void client_end(struct client *c)
{
    mono_ns now = clock_mono();

    STORE(c->last, now);
    log_raw(c, now, RAW_DONE);
    if (!client_warming(c))
        note_latency(c, now - c->planned);
    if (c->stock)
        record_stock(c, now - c->planned);
    if (c->run->tickets)
        record_rate(c, now);
    else if (c->shard->response)
        record_response(c, now - c->planned);
    counters_add(c->counters, CNT_DONE, 1);
    empty_hand(c);
}

static void note_undone(struct client *c, mono_ns now)
{
    if (!client_warming(c))
        STORE(c->undone, LOAD(c->undone) + (now - c->begun));
}

void client_fail(struct client *c)
{
    mono_ns now = clock_mono();

    STORE(c->last, now);
    log_raw(c, now, RAW_FAILED);
    note_undone(c, now);
    counters_add(c->counters, CNT_FAILED, 1);
    empty_hand(c);
}

void client_cancel(struct client *c)
{
    mono_ns now = clock_mono();

    STORE(c->last, now);
    log_raw(c, now, RAW_WITHDRAWN);
    note_undone(c, now);
    counters_add(c->counters, CNT_WITHDRAWN, 1);
    empty_hand(c);
}

bool client_retry(struct client *c)
{
    return !run_stopped(c->run) && clock_mono() < c->run->deadline;
}

bool client_measuring(const struct client *c)
{
    return !client_warming(c);
}

int client_id(const struct client *c)
{
    return c->id;
}

struct counters *client_counters(struct client *c)
{
    return c->counters;
}

struct rng *client_rng(struct client *c)
{
    return &c->rng;
}

struct kinds_shard *client_kinds(struct client *c)
{
    return c->kinds;
}

static uint64_t statements(struct client *c)
{
    return counters_get(c->counters, CNT_READ) + counters_get(c->counters, CNT_WRITE) +
           counters_get(c->counters, CNT_OTHER);
}

/* Waits for the start line; false: the run is not to begin. */
static bool wait_at_gate(struct client *c)
{
    struct run *r = c->run;

    while (atomic_load_explicit(&r->gate, memory_order_acquire) == 0)
        carry_sleep_until(MONO_NEVER, &r->gate, 0);
    return atomic_load_explicit(&r->gate, memory_order_acquire) == 1;
}

/* With tickets the loop ended where the schedule did, or with the last transaction, whichever was
 * later: how long an idle thread takes to wake up and notice is not part of the run. */
static mono_ns end_of_loop(const struct client *c)
{
    mono_ns now = clock_mono(), end = atomic_load(&c->run->end), last = LOAD(c->last);
    mono_ns over = LOAD(c->over_at);

    if (!c->run->tickets)
        return now;
    end = over && over < end ? over : end;
    end = end < now ? end : now;
    return end > last ? end : last;
}

/* See curtain_note. */
static void wait_for_curtain(struct client *c)
{
    struct run *r = c->run;

    if (!c->told_over || !run_watches(r))
        return;
    while (atomic_load_explicit(&r->curtain, memory_order_acquire) == 0)
        carry_sleep_until(MONO_NEVER, &r->curtain, 0);
}

static void run_loop(struct client *c, void *state)
{
    struct run *r = c->run;
    struct err e = {0};
    uint64_t before;

    STORE(c->last, r->t0);
    if (r->workload->ops->client_run(r->workload, c, state, &e)) {
        c->failed = true;
        run_fail(r, &e);
    }
    c->loop_end = end_of_loop(c);
    before = statements(c);
    atomic_fetch_sub(&r->looping, 1);
    run_poke(r);
    wait_for_curtain(c);
    if (r->workload->ops->client_close &&
        r->workload->ops->client_close(r->workload, c, state, c->failed, &e))
        run_fail(r, &e);
    if (statements(c) != before)
        c->loop_end = clock_mono(); /* what was executed on the way out (a last bulk insert) took
                                       its time too */
}

/* What each of its transactions touches here; its workload adds what it has. */
static void note_memory(struct client *c)
{
    struct warm_list *l = warm_for(WARM_CLIENT, c);

    if (!l)
        return;
    warm_add(l, c, offsetof(struct client, think));
    warm_add(l, c->counters, sizeof *c->counters);
}

void client_live(struct client *c)
{
    struct run *r = c->run;
    struct err e = {0};
    void *state = NULL;
    bool open;

    log_debug("Worker thread (#%d) started", c->id);
    note_memory(c);
    open = !run_stopped(r) && r->workload->ops->client_open(r->workload, c, &state, &e) == 0;
    if (open) {
        log_debug("Worker thread (#%d) initialized", c->id);
    } else {
        log_debug("Worker thread (#%d) failed to initialize!", c->id);
        pthread_mutex_lock(&r->err_lock);
        if (r->first.kind == ERR_NONE)
            r->first = e;
        pthread_mutex_unlock(&r->err_lock);
        atomic_fetch_add(&r->broken, 1);
    }
    carry_trim_stack();
    atomic_fetch_add(&r->ready, 1);
    run_poke(r);
    if (wait_at_gate(c) && open)
        run_loop(c, state);
    else
        atomic_fetch_sub(&r->looping, 1);
    r->workload->ops->client_free(r->workload, c, state);
    atomic_fetch_sub(&r->alive, 1);
    run_poke(r);
}
