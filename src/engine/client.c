/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loop of one client: how it comes to its next transaction (enum client_state), and the record
 * of each.  The code here and in client_wait.c neither allocates nor takes a lock that other
 * clients take.  The clock is read once when a transaction begins and once when it ends; those two
 * readings serve the limits, the lag, the latency and the totals.  (With a rate it is also read
 * before the wait for a planned start.)
 *
 * client_life.c calls the workload's loop, which calls this; client_wait.c makes a client sleep.
 */
#include "engine/client.h"
#include "engine/run_state.h"

#include "base/log.h"
#include "fiber/sched.h"

void client_setup(struct client *c, struct run *r, int id)
{
    c->run = r;
    c->id = id;
    c->number = plan_client_number(r->plan, id);
    c->counters = &r->counters[id];
    c->raw = r->obs->raw_log ? raw_log_ring(r->obs->raw_log, id) : NULL;
    c->shard_shared = !r->plan->workers && r->nshards < (size_t)r->plan->clients;
    STORE(c->lat_min, INT64_MAX);
    atomic_init(&c->host, (unsigned)r->hosts.n);
    warmup_client(c);
}

/* --- the loop --- */

/* How a client comes to its next transaction, with a rate. */
enum client_state {
    /* It needs a planned start: the next one, or the one that it holds, planned again because the
     * rate or the end of the warm-up has moved. */
    CLIENT_TAKES,
    /* It holds a planned start, and sleeps until then if it is not late. */
    CLIENT_SLEEPS,
    /* Nothing more is planned, but the last interval of the schedule is not over: N transactions at
     * R per second take N/R seconds, and a run of T seconds lasts T.  The rate may change before
     * that. */
    CLIENT_IDLES,
    /* The run ended before its planned start.  The client keeps one that is still offered: no other
     * client gets it, and it is due. */
    CLIENT_RETURNS,
    CLIENT_BEGINS, /* the next transaction */
    CLIENT_ENDS    /* the loop */
};

/* From CLIENT_TAKES to one of the last two states.  See cut_off_note: the clock before
 * the flag, and the epoch of the rate (ticket_is_stale()) after the clock.  Not inlined: a run
 * without a rate would save its registers for nothing. */
__attribute__((noinline)) static enum client_state next_planned(struct client *c)
{
    struct run *r = c->run;
    enum client_state state = CLIENT_TAKES;
    enum stop_reason why;
    struct ticket t;
    mono_ns now = 0, end;
    bool in_time;

    t.owned = false;
    c->idle_in_time = false;
    while (state < CLIENT_BEGINS)
        switch (state) {
        case CLIENT_TAKES:
            now = run_now(r);
            switch (ticket_next(&r->line, c->id, now, &t)) {
            case TICKET_OK:
                c->planned = t.zero + t.planned;
                c->warm_start = t.warm;
                c->idle_in_time = c->idle_in_time || c->planned > now;
                STORE(c->in_hand, c->planned);
                state = CLIENT_SLEEPS;
                break;
            case TICKET_OVER:
                STORE(c->in_hand, 0);
                state = CLIENT_IDLES;
                break;
            case TICKET_OVERLOAD: run_stop(r, STOP_OVERLOAD); state = CLIENT_ENDS;
            }
            break;
        case CLIENT_SLEEPS:
            /* the time limit may pass while a client that was in time wakes up */
            in_time = c->idle_in_time ? client_sleep(c, c->planned) || run_now(r) >= c->planned
                                      : now < t.until;
            why = run_stopped(r);
            if (why == STOP_TIME)
                in_time =
                    in_time && (c->idle_in_time || t.until == MONO_NEVER) && !atomic_load(&r->cut);
            if (ticket_is_stale(&r->line, &t))
                state = CLIENT_TAKES;
            else if (in_time && (why == STOP_NONE || why == STOP_TIME))
                state = CLIENT_BEGINS;
            else if (!client_look_again(c))
                state = CLIENT_RETURNS;
            break;
        case CLIENT_IDLES:
            end = r->measure_from + t.base;
            end = end < r->deadline ? end : r->deadline;
            STORE(c->over_at, end);
            if (tickets_end_with_last(r->tickets) || client_await_change(c, end) ||
                !client_look_again(c)) {
                state = CLIENT_ENDS;
            } else {
                STORE(c->over_at, 0);
                state = CLIENT_TAKES;
            }
            break;
        case CLIENT_RETURNS:
            if (run_stopped(r)) /* until the schedule is closed */
                client_await(c, MONO_NEVER, &c->word);
            if (ticket_return(&r->line, c->id, &t))
                counters_add(c->counters, CNT_RETURNED, 1);
            else
                STORE(c->in_hand, 0);
            state = CLIENT_ENDS;
            break;
        case CLIENT_BEGINS:
        case CLIENT_ENDS: break;
        }
    return state;
}

bool client_next(struct client *c)
{
    struct run *r = c->run;
    enum client_state state = CLIENT_ENDS;
    enum stop_reason why;

    if (r->plan->think)
        think_pause(c);
    sched_turn();
    if (run_stopped(r) || LOAD(c->last) >= r->deadline) {
        state = CLIENT_ENDS;
    } else if (r->tickets) {
        state = next_planned(c);
    } else if (!r->plan->max_events) {
        state = CLIENT_BEGINS;
    } else if (client_warming(c) && run_now(r) < r->measure_from) {
        /* each measured transaction uses one of --events, those of a warm-up none */
        state = LOAD(r->events_taken) < r->events ? CLIENT_BEGINS : CLIENT_ENDS;
    } else {
        c->has_event = true;
        if (atomic_fetch_add_explicit(&r->events_taken, 1, memory_order_relaxed) < r->events)
            state = CLIENT_BEGINS;
    }
    if (state == CLIENT_ENDS && !c->told_over) {
        /* stock's words at --verbosity=4; the old generations do not mention the limit of events */
        why = run_stopped(r);
        if (why != STOP_NONE && why != STOP_TIME)
            ;
        else if (run_now(r) >= r->deadline)
            log_info("Time limit exceeded, exiting...");
        else if (!r->plan->generation->old)
            log_info("Event limit exceeded, exiting...");
    }
    c->told_over = state == CLIENT_ENDS;
    return state == CLIENT_BEGINS;
}

void client_begin(struct client *c)
{
    struct run *r = c->run;
    mono_ns now = run_now(r);

    c->begun = now;
    if (!r->tickets)
        c->planned = now;
    if (client_warming(c) && (r->tickets ? !c->warm_start : now >= r->measure_from)) {
        /* The client's first measured transaction (warm_up_note).  One that was granted in the
         * warm-up, and for which no event is left after it, belongs to the warm-up. */
        if (r->tickets || !r->plan->max_events || c->has_event ||
            atomic_fetch_add_explicit(&r->events_taken, 1, memory_order_relaxed) < r->events)
            warmup_leave(c);
        else
            c->begun = c->planned = r->measure_from - 1;
    }
    if (c->idle_in_time) {
        /* how late it woke up; if the start was in the warm-up, only the part after the warm-up
         * counts: measured starts waited for this client */
        mono_ns due = c->planned > r->measure_from ? c->planned : r->measure_from;
        if (now - due > PLAN_LATE_NS && now - due > c->worst_wake)
            c->worst_wake = now - due;
    }
    counters_add(c->counters, CNT_STARTED, 1);
}

/* --- the end of a transaction: done, failed for good, or cancelled by its script; the clock is
 * read once --- */

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
        raw_ring_add(c->raw, &r);
}

void client_end(struct client *c)
{
    struct run *r = c->run;
    mono_ns now = run_now(r);
    dur_ns lag = c->begun - c->planned, service = now - c->begun, response = lag + service;
    dur_ns latency = r->plan->old_rate ? service : response;
    unsigned epoch = LOAD(c->period);
    const struct shard *s = c->shard;

    STORE(c->last, now);
    log_raw(c, now, RAW_DONE);
    if (!client_warming(c)) {
        /* min and max cannot be subtracted, so they belong to a period: the first event after a
         * checkpoint begins them anew */
        bool first = epoch != LOAD(c->epoch);
        if (first)
            STORE(c->epoch, epoch);
        if (first || latency < LOAD(c->lat_min))
            STORE(c->lat_min, latency);
        if (first || latency > LOAD(c->lat_max))
            STORE(c->lat_max, latency);
        STORE(c->lat_sum, LOAD(c->lat_sum) + latency);
    }
    if (c->stock) {
        rng_next(&c->rng); /* as stock, which spends a draw here: seeded key sequences show it */
        if (c->shard_shared)
            hist_stock_record_shared(c->stock, latency);
        else
            hist_stock_record(c->stock, latency);
    }
    if (r->tickets && lag > PLAN_LATE_NS) {
        counters_add(c->counters, CNT_LATE, 1);
        counters_add(c->counters, CNT_LATE_IDLE, c->idle_in_time);
    }
    /* with a rate, or when latencies are logged or histograms are kept */
    if (s->response && c->shard_shared) {
        hist_record_shared(s->response, response);
        if (r->tickets) {
            hist_record_shared(s->service, service);
            hist_record_shared(s->lag, lag);
        }
    } else if (s->response) {
        hist_record(s->response, response);
        if (r->tickets) {
            hist_record(s->service, service);
            hist_record(s->lag, lag);
        }
    }
    counters_add(c->counters, CNT_DONE, 1);
    if (outages_seen(r->outages) && !client_warming(c))
        outages_success(r->outages, c->planned, c->begun, now);
    empty_hand(c);
    if (__builtin_expect(c->troubled, 0))
        client_trouble_over(c, now, true);
}

static void end_undone(struct client *c, enum raw_outcome outcome, enum counter counter)
{
    mono_ns now = run_now(c->run);

    STORE(c->last, now);
    log_raw(c, now, outcome);
    if (!client_warming(c))
        STORE(c->undone, LOAD(c->undone) + (now - c->begun));
    counters_add(c->counters, counter, 1);
    empty_hand(c);
    client_trouble_over(c, now, false);
}

void client_fail(struct client *c)
{
    end_undone(c, RAW_FAILED, CNT_FAILED);
}

void client_cancel(struct client *c)
{
    c->retry.retries = 0; /* neither done nor failed */
    end_undone(c, RAW_WITHDRAWN, CNT_WITHDRAWN);
}

/* --- questions --- */

bool client_measuring(const struct client *c)
{
    return !client_warming(c);
}

int client_id(const struct client *c)
{
    return c->number;
}

uint64_t client_place(const struct client *c)
{
    return (uint64_t)plan_client_place(c->run->plan, c->id);
}

int client_index(const struct client *c)
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

const struct generation_facts *client_generation(const struct client *c)
{
    return c->run->plan->generation;
}

struct stmt_stats_shard *client_stmt_stats(struct client *c)
{
    return c->stmt_stats;
}
