/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loop of one client: how it comes to its next transaction (enum client_state), and the record
 * of each.  The code here neither allocates nor takes a lock that other clients
 * take.  The clock is read once when a transaction begins and once when it ends; those two
 * readings serve the limits, the lag, the latency and the totals.  (With a rate it is also read
 * before the wait for a planned start.)
 *
 * plain_note: most of what a run may have beside its transactions (a rate, think time, a warm-up, a
 * raw log, histograms) stays as it is while a client runs.  So it is asked once, and the answer is
 * one byte, client->plain; client_next(), client_begin() and client_end() test that and are
 * compiled twice from one text: with `plain` true, where the questions fall away, and with all of
 * them, out of line.  The byte is written before the client's thread begins and, when the client
 * leaves the warm-up, by that thread, which alone reads it: there is no race.  What other threads
 * change while the client runs (the stop flag, the deadline, the period of the reporter, the first
 * outage) is not part of it.
 *
 * executor.c calls the workload's loop, which calls this.
 */
#include "engine/client.h"
#include "engine/client_state.h"

#include <math.h>

#include "base/log.h"
#include "engine/stop.h"
#include "engine/warmup.h"
#include "fiber/sched.h"

/* When a client begins, and once it is measured. */
static void note_plain(struct client *c)
{
    const struct run *r = c->run;

    c->plain = !r->tickets && !r->plan->think && !c->raw && !c->shard->response && c->stock &&
               !client_warming(c);
}

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
    note_plain(c);
}

/* --- think time ---
 *
 * Think time: a client pauses after each transaction as a person would, holding its connection.
 * Drawn from a stream of its own, so that the keys a script draws from a seed stay the same with
 * and without it.
 */

static void think_pause(struct client *c)
{
    const struct plan *p = c->run->plan;
    dur_ns pause = p->think;

    if (!LOAD(c->begun) || run_stopped(c->run))
        return;
    if (p->think_exp) /* by inversion: -mean * ln(1 - u) */
        pause = (dur_ns)(-(double)p->think * log1p(-rng_double(&c->think)));
    client_await(c, LOAD(c->last) + pause, &c->word);
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

/* CLIENT_IDLES: until `end`, or until the rate changes. */
static enum client_state idle(struct client *c, mono_ns end)
{
    const struct run *r = c->run;

    end = end < r->deadline ? end : r->deadline;
    STORE(c->over_at, end);
    if (tickets_end_with_last(r->tickets) || client_await_change(c, end) || !client_look_again(c))
        return CLIENT_ENDS;
    STORE(c->over_at, 0);
    return CLIENT_TAKES;
}

/* From CLIENT_TAKES to one of the last two states.  See cut_off_note: the clock before
 * the flag, and the epoch of the rate (ticket_is_stale()) after the clock.  Not inlined: a run
 * without a rate would save its registers for nothing. */
__attribute__((noinline)) static enum client_state next_planned(struct client *c)
{
    struct run *r = c->run;
    enum client_state state = CLIENT_TAKES;
    enum stop_reason why;
    struct ticket t;
    mono_ns now = 0;
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
        case CLIENT_IDLES: state = idle(c, r->measure_from + t.base); break;
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

/* The engine ends the client's loop. */
static __attribute__((noinline, cold)) void tell_over(const struct client *c)
{
    struct run *r = c->run;
    enum stop_reason why = run_stopped(r);

    /* stock's words at --verbosity=4 */
    if (why != STOP_NONE && why != STOP_TIME)
        ;
    else if (run_now(r) >= r->deadline)
        log_info("Time limit exceeded, exiting...");
    else if (r->plan->generation->tells_new_lines)
        log_info("Event limit exceeded, exiting...");
}

static inline __attribute__((always_inline)) bool next(struct client *c, bool plain)
{
    struct run *r = c->run;
    enum client_state state = CLIENT_ENDS;

    if (!plain && r->plan->think)
        think_pause(c);
    sched_turn();
    if (run_stopped(r) || LOAD(c->last) >= r->deadline) {
        state = CLIENT_ENDS;
    } else if (!plain && r->tickets) {
        state = next_planned(c);
    } else if (r->events == UINT64_MAX) {
        state = CLIENT_BEGINS;
    } else if (!plain && client_warming(c) && run_now(r) < r->measure_from) {
        /* each measured transaction uses one of --events, those of a warm-up none */
        state = LOAD(r->events_taken) < r->events ? CLIENT_BEGINS : CLIENT_ENDS;
    } else {
        c->has_event = true;
        if (atomic_fetch_add_explicit(&r->events_taken, 1, memory_order_relaxed) < r->events)
            state = CLIENT_BEGINS;
    }
    if (__builtin_expect(state == CLIENT_BEGINS, 1)) {
        c->told_over = false;
        return true;
    }
    if (!c->told_over)
        tell_over(c);
    c->told_over = true;
    return false;
}

static __attribute__((noinline)) bool next_odd(struct client *c)
{
    return next(c, false);
}

bool client_next(struct client *c)
{
    return __builtin_expect(c->plain, 1) ? next(c, true) : next_odd(c);
}

/* Is it the first that is measured, and is it late? */
static __attribute__((noinline)) void begin_odd(struct client *c, mono_ns now)
{
    struct run *r = c->run;

    if (!r->tickets)
        c->planned = now;
    if (client_warming(c) && (r->tickets ? !c->warm_start : now >= r->measure_from)) {
        /* The client's first measured transaction (warm_up_note).  One that was granted in the
         * warm-up, and for which no event is left after it, belongs to the warm-up. */
        if (r->tickets || r->events == UINT64_MAX || c->has_event ||
            atomic_fetch_add_explicit(&r->events_taken, 1, memory_order_relaxed) < r->events) {
            warmup_leave(c);
            note_plain(c);
        } else
            STORE(c->begun, c->planned = r->measure_from - 1);
    }
    if (c->idle_in_time) {
        /* how late it woke up; if the start was in the warm-up, only the part after the warm-up
         * counts: measured starts waited for this client */
        mono_ns due = c->planned > r->measure_from ? c->planned : r->measure_from;
        if (now - due > PLAN_LATE_NS) {
            STORE(c->woken, LOAD(c->woken) + (now - due));
            c->worst_wake = later(c->worst_wake, now - due);
        }
    }
}

struct stmt_stats_shard *client_begin(struct client *c)
{
    mono_ns now = run_now(c->run);

    STORE(c->begun, now);
    if (__builtin_expect(c->plain, 1))
        c->planned = now;
    else
        begin_odd(c, now);
    counters_add(c->counters, CNT_STARTED, 1);
    return c->stmt_stats;
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
    const mono_ns begun = LOAD(c->begun);
    const struct raw_record r = {
        .begun = begun, .lag = begun - c->planned, .service = now - begun, .outcome = outcome};

    if (c->raw)
        raw_ring_add(c->raw, &r);
}

static inline __attribute__((always_inline)) void end(struct client *c, mono_ns now, bool plain)
{
    struct run *r = c->run;
    mono_ns begun = LOAD(c->begun);
    dur_ns lag = plain ? 0 : begun - c->planned, service = now - begun;
    dur_ns response = lag + service;
    dur_ns latency = !plain && r->plan->old_rate ? service : response;
    unsigned epoch = LOAD(c->period);
    const struct shard *s = c->shard;

    STORE(c->last, now);
    if (!plain) {
        log_raw(c, now, RAW_DONE);
        if (__builtin_expect(!LOAD(c->first_begun), 0)) {
            STORE(c->first_took, service);
            STORE(c->first_begun, begun);
        }
    }
    if (plain || !client_warming(c)) {
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
    if (plain || c->stock) {
        rng_next(&c->rng); /* as stock, which spends a draw here: seeded key sequences show it */
        if (c->shard_shared)
            hist_stock_record_shared(c->stock, latency);
        else
            hist_stock_record(c->stock, latency);
    }
    if (!plain && r->tickets && lag > PLAN_LATE_NS) {
        counters_add(c->counters, CNT_LATE, 1);
        counters_add(c->counters, CNT_LATE_IDLE, c->idle_in_time);
    }
    /* with a rate, or when latencies are logged or histograms are kept */
    if (plain)
        ;
    else if (s->response && c->shard_shared) {
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
    if (outages_seen(r->outages) && (plain || !client_warming(c)))
        outages_success(r->outages, c->planned, begun, now);
    if (!plain)
        empty_hand(c);
    if (__builtin_expect(c->troubled, 0))
        client_trouble_over(c, now, true);
}

static __attribute__((noinline)) void end_odd(struct client *c, mono_ns now)
{
    end(c, now, false);
}

void client_end(struct client *c)
{
    mono_ns now = run_now(c->run);

    if (__builtin_expect(c->plain, 1))
        end(c, now, true);
    else
        end_odd(c, now);
}

static void end_undone(struct client *c, enum raw_outcome outcome, enum counter counter)
{
    mono_ns now = run_now(c->run);

    STORE(c->last, now);
    STORE(c->last_undone, now);
    log_raw(c, now, outcome);
    if (!client_warming(c))
        STORE(c->undone, LOAD(c->undone) + (now - LOAD(c->begun)));
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

_Atomic bool *client_in_statement(struct client *c)
{
    return &c->in_statement;
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
