/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A warm-up that ends when the load is steady (--warmup-until=steady), at the latest after
 * --warmup-time.  Once a second the main thread reads what the clients have done: transactions a
 * second, or with a rate, where that figure is given, the mean response time.  steady.c says
 * whether the latest readings are flat.  Then the boundary of the warm-up moves from where the
 * longest one would end to here (moved_note in warmup.c), and with it all that is counted from
 * there: the time limit, the schedule, the marks.
 *
 * A rate first ramps up (warmup_ramp): readings begin behind the ramp.
 */
#include "engine/run_state.h"

#include <math.h>

#include "base/log.h"
#include "base/str.h"
#include "report/text.h"

#define STEP NS_PER_SEC

/* Until then every client that sleeps has woken up and looked. */
#define AHEAD            (5 * NS_PER_MS)
#define AHEAD_PER_CLIENT (10 * NS_PER_US)

void warmup_until_begin(struct run *r)
{
    struct warmup_until *u = &r->warm.until;

    if (!(r->plan->warmup_steady_pct > 0))
        return;
    u->result = (struct snapshot_warmup){.asked = true,
                                         .rate = r->tickets != NULL,
                                         .bound_pct = r->plan->warmup_steady_pct,
                                         .after = r->plan->warmup};
    u->next = r->t0 + warmup_ramp(r->plan);
    if (r->tickets) {
        hist_counts_init(&u->between, HIST_BUCKETS);
        hist_counts_init(&u->before, HIST_BUCKETS);
    }
}

void warmup_until_end(struct run *r)
{
    hist_counts_fini(&r->warm.until.between);
    hist_counts_fini(&r->warm.until.before);
}

static uint64_t done_by_now(const struct run *r)
{
    uint64_t count[CNT_MAX] = {0};

    for (int i = 0; i < r->plan->clients; i++)
        warmup_counts(r, i, true, count);
    return count[CNT_DONE];
}

/* Of the transactions that ended since the reading before, in seconds; NaN: there were none. */
static double mean_response(struct run *r)
{
    struct warmup_until *u = &r->warm.until;
    struct hist_counts now;
    double mean;

    hist_counts_init(&now, HIST_BUCKETS);
    for (size_t i = 0; i < r->nshards * run_hosts(r); i++)
        hist_counts_add(&now, r->warm.shard[i].response);
    hist_counts_diff(&u->between, &now, &u->before);
    mean = hist_mean(&u->between) / 1e9;
    hist_counts_fini(&u->before);
    u->before = now;
    return mean;
}

/* One reading, at `now`; NaN: there was nothing to read. */
static double read_figure(struct run *r, mono_ns now)
{
    struct warmup_until *u = &r->warm.until;
    uint64_t done = done_by_now(r), more = done - u->done;
    double response = r->tickets ? mean_response(r) : 0;

    u->done = done;
    if (!more || !u->read_at)
        return NAN;
    return r->tickets ? response : (double)more / dur_sec(now - u->read_at);
}

/* Measuring begins at `at`, earlier than thought.  A stop may come at the same time, from any
 * thread: then it has the last word about the run's end. */
static void move(struct run *r, mono_ns at)
{
    int64_t end = r->deadline;

    r->measure_from = at;
    if (r->plan->time_limit) {
        r->deadline = at + r->plan->time_limit;
        atomic_compare_exchange_strong(&r->end, &end, r->deadline);
    }
    if (r->warm.tickets)
        tickets_close(r->warm.tickets, at - 1 - r->t0);
    if (r->tickets)
        clients_look_again(r);
    run_poke(r); /* the ticker has slept until the old boundary */
}

/* The observers know from now on where measuring begins. */
static void tell(struct run *r)
{
    struct warmup_until *u = &r->warm.until;
    struct str text = STR_INIT;

    if (u->told)
        return;
    u->told = true;
    text_warmed(&text, &u->result);
    log_stderr("Warm-up: %s", str_cstr(&text));
    str_free(&text);
    run_tell_begin(r);
}

void warmup_until_over(struct run *r)
{
    if (r->warm.until.result.asked)
        tell(r);
}

static void become_steady(struct run *r, mono_ns now)
{
    struct warmup_until *u = &r->warm.until;
    mono_ns at = now + AHEAD + (r->tickets ? r->plan->clients * AHEAD_PER_CLIENT : 0);

    u->next = MONO_NEVER;
    u->result.steady = true;
    if (at < r->measure_from)
        move(r, at);
    u->result.after = r->measure_from - r->t0;
    tell(r);
}

/* A second without a transaction has no figure: the window begins anew. */
static void add_reading(struct run *r, mono_ns now)
{
    struct warmup_until *u = &r->warm.until;
    double figure = read_figure(r, now);

    if (figure > 0)
        steady_add(&u->trend, (dur_sec(now - r->t0) + dur_sec(u->read_at - r->t0)) / 2, figure);
    else
        steady_forget(&u->trend);
    u->read_at = now;
}

static bool is_steady(struct warmup_until *u)
{
    struct steady_trend t;

    u->result.has_trend = steady_trend(&u->trend, &t);
    if (!u->result.has_trend)
        return false;
    u->result.change_pct = t.change_pct;
    u->result.error_pct = t.error_pct;
    return steady_within(&t, u->result.bound_pct);
}

mono_ns warmup_until_look(struct run *r, mono_ns now)
{
    struct warmup_until *u = &r->warm.until;

    if (!u->result.asked || u->next == MONO_NEVER || now >= r->measure_from ||
        run_stopped(r) != STOP_NONE)
        return MONO_NEVER;
    if (now < u->next)
        return u->next;
    add_reading(r, now);
    u->next += ((now - u->next) / STEP + 1) * STEP;
    if (is_steady(u))
        become_steady(r, now);
    return u->next;
}
