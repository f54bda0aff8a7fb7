/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loop of one client: the source of its planned starts, and the end of the loop.  The code
 * here, in client_wait.c and in client_record.c neither allocates nor takes a lock that other
 * clients take.  The clock is read once when a transaction begins and once when it ends; those two
 * readings serve the limits, the lag, the latency and the totals.
 *
 * client_life.c calls the workload's loop, which calls this; client_wait.c makes a client sleep;
 * client_record.c records its transactions.
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
    warmup_client(c);
}

/* Waits for the planned start; false: the run ended first (cut_off_note).  A start planned
 * before the time limit may still begin when the limit passes while its client wakes up; with
 * aligned arrivals the client runs what it took before the limit (aligned_end_note). */
static bool await_start(struct client *c, mono_ns now)
{
    bool keeps = run_keeps_pauses(c->run);
    bool due = c->idle_in_time ? client_sleep(c, c->planned) || run_now(c->run) >= c->planned
                               : keeps || now < c->run->deadline;
    enum stop_reason why = run_stopped(c->run);

    if (why == STOP_TIME)
        return due && (keeps ? !atomic_load(&c->run->cut) : c->idle_in_time);
    return due && why == STOP_NONE;
}

/* The run ended before the ticket's start.  The client keeps a ticket that is still offered: no
 * other client gets it, and it is due.  (The counts of a warm-up that was cut short are not
 * kept.) */
static void give_back(struct client *c, const struct ticket *t)
{
    if (run_stopped(c->run))
        client_await(c, MONO_NEVER, &c->word);
    if (!c->warm_start && tickets_give_back(c->run->tickets, c->id, t))
        counters_add(c->counters, CNT_RETURNED, 1);
    else
        STORE(c->in_hand, 0);
}

/* True when the limit of events, if that ended the schedule, also ends the run at once. */
static bool ends_with_events(const struct run *r)
{
    if (run_keeps_pauses(r))
        return true;
    return r->plan->stock_rate && r->plan->max_events && tickets_issued(r->tickets) >= r->events;
}

/* Nothing more is planned, but the last interval of the schedule is not over: N transactions at
 * R per second take N/R seconds, and a run of T seconds lasts T.  (Stock's --rate and the patch of
 * 2009 end with their last event.)  True: the rate has changed before that. */
static bool stay_until_end(struct client *c, dur_ns next_base)
{
    struct run *r = c->run;
    mono_ns end = r->measure_from + next_base;

    end = end < r->deadline ? end : r->deadline;
    STORE(c->over_at, end);
    if (ends_with_events(r) || client_await_change(c, end) || !client_look_again(c))
        return false;
    STORE(c->over_at, 0);
    return true;
}

/* Takes the next ticket; one that is held from before a change of the rate is planned again, and
 * moves with the end of the warm-up. */
static enum ticket_result plan_next(struct client *c, mono_ns now, struct ticket *t, mono_ns *zero)
{
    struct run *r = c->run;

    if (!t->owned)
        return warmup_take(c, now, t, zero);
    *zero = r->measure_from;
    if (tickets_changed(r->tickets, t))
        return tickets_plan_again(r->tickets, t);
    return t->beyond ? TICKET_OVER : TICKET_OK;
}

/* The rate has changed since the ticket was planned.  (That of a warm-up does not.) */
static bool outdated(const struct client *c, const struct ticket *t, mono_ns zero)
{
    const struct run *r = c->run;

    return tickets_changed(r->tickets, t) && !(r->warm.tickets && zero == r->t0);
}

/* Waits for the start of the ticket.  False: the rate has changed, and the ticket is to be planned
 * again (epoch_note in pace/ticket.h), or the end of the warm-up has moved (moved_note in
 * warmup.c).  *begins: it may begin. */
static bool await_ticket(struct client *c, mono_ns now, struct ticket *t, mono_ns zero,
                         bool *begins)
{
    bool moved;

    c->planned = zero + t->planned;
    c->idle_in_time = c->idle_in_time || c->planned > now;
    STORE(c->in_hand, c->planned);
    do {
        *begins = await_start(c, now);
        moved = client_warming(c) && warmup_moved(c, t, zero);
    } while (!moved && !*begins && client_look_again(c) && !outdated(c, t, zero));
    return !moved && !outdated(c, t, zero);
}

/* Nothing is planned any more.  True: there is again, because the rate has changed. */
static bool await_rate(struct client *c, const struct ticket *t)
{
    STORE(c->in_hand, 0);
    return stay_until_end(c, t->base);
}

/* The next ticket and the wait for it.  A ticket whose start the run does not reach is counted as
 * returned. */
static bool next_planned(struct client *c)
{
    struct ticket t = {.owned = false};
    bool begins = false, settled = false;
    mono_ns now, zero = c->run->measure_from;

    c->idle_in_time = false;
    while (!settled) {
        now = run_now(c->run);
        switch (plan_next(c, now, &t, &zero)) {
        case TICKET_OK: settled = await_ticket(c, now, &t, zero, &begins); break;
        case TICKET_OVERLOAD: run_stop(c->run, STOP_OVERLOAD); return false;
        case TICKET_OVER:
            if (!await_rate(c, &t))
                return false;
        }
    }
    if (!begins)
        give_back(c, &t);
    return begins;
}

/* --events without a rate: true when an event is left.  Each measured transaction uses one, those
 * of a warm-up none. */
static bool event_left(struct client *c)
{
    struct run *r = c->run;

    if (client_warming(c) && run_now(r) < r->measure_from)
        return LOAD(r->events_taken) < r->events;
    c->has_event = true;
    return atomic_fetch_add_explicit(&r->events_taken, 1, memory_order_relaxed) < r->events;
}

static bool another_event(struct client *c)
{
    struct run *r = c->run;

    if (run_stopped(r) || LOAD(c->last) >= r->deadline)
        return false;
    if (r->tickets)
        return next_planned(c);
    return !r->plan->max_events || event_left(c);
}

/* Stock's words at --verbosity=4.  The old generations do not mention the limit of events. */
static void say_which_limit(const struct client *c)
{
    enum stop_reason why = run_stopped(c->run);

    if (why != STOP_NONE && why != STOP_TIME)
        return;
    if (run_now(c->run) >= c->run->deadline)
        log_info("Time limit exceeded, exiting...");
    else if (!c->run->plan->generation->old)
        log_info("Event limit exceeded, exiting...");
}

bool client_next(struct client *c)
{
    bool go_on;

    if (c->run->plan->think)
        think_pause(c);
    sched_turn();
    go_on = another_event(c);
    if (!go_on && !c->told_over)
        say_which_limit(c);
    c->told_over = !go_on;
    return go_on;
}

/* True when the transaction that begins is the client's first measured one (warm_up_note).  A
 * transaction that was granted in the warm-up, and for which no event is left after it, belongs to
 * the warm-up. */
static bool leaves_warm_up(struct client *c)
{
    struct run *r = c->run;

    if (r->tickets)
        return !c->warm_start;
    if (c->planned < r->measure_from)
        return false;
    if (!r->plan->max_events || c->has_event ||
        atomic_fetch_add_explicit(&r->events_taken, 1, memory_order_relaxed) < r->events)
        return true;
    c->begun = c->planned = r->measure_from - 1;
    return false;
}

/* The client was idle in time: records how late it woke up.  If the start was in the warm-up, only
 * the part after the warm-up counts: measured starts waited for this client. */
static void note_wake(struct client *c, mono_ns now)
{
    mono_ns due = c->planned > c->run->measure_from ? c->planned : c->run->measure_from;

    if (now - due > PLAN_LATE_NS && now - due > c->worst_wake)
        c->worst_wake = now - due;
}

void client_begin(struct client *c)
{
    mono_ns now = run_now(c->run);

    c->begun = now;
    if (!c->run->tickets)
        c->planned = now;
    if (client_warming(c) && leaves_warm_up(c))
        warmup_leave(c);
    if (c->idle_in_time)
        note_wake(c, now);
    counters_add(c->counters, CNT_STARTED, 1);
}

bool client_measuring(const struct client *c)
{
    return !client_warming(c);
}

int client_id(const struct client *c)
{
    return c->number;
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
