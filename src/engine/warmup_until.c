/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A warm-up that ends by itself.  With --warmup-until=steady the boundary is first where the
 * longest warm-up would end. Once a second the main thread reads what the clients have done:
 * transactions a second, or with a rate, where that figure is given, the mean response time (a rate
 * first ramps up, and readings begin behind the ramp).  When the latest readings are flat the
 * boundary moves once, with all that is counted from there, to an instant some ms ahead.  That
 * closes the warm-up's schedule there and wakes the clients that sleep until a planned start.  They
 * look at what they hold (struct ticket_line).
 */
#include "engine/warmup.h"

#include "engine/stop.h"

#include "base/log.h"
#include "base/str.h"
#include "report/text.h"

#define STEP NS_PER_SEC /* between readings of such a warm-up */

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

/* The observers know from now on where measuring begins. */
void warmup_until_over(struct run *r)
{
    struct warmup_until *u = &r->warm.until;
    struct str text = STR_INIT;

    if (!u->result.asked || u->told)
        return;
    u->told = true;
    text_warmed(&text, &u->result);
    log_stderr("Warm-up: %s", str_cstr(&text));
    str_free(&text);
    run_tell_begin(r);
}

mono_ns warmup_until_look(struct run *r, mono_ns now)
{
    struct warmup_until *u = &r->warm.until;
    uint64_t count[CNT_MAX] = {0}, more;
    struct steady_trend t;

    if (!u->result.asked || u->next == MONO_NEVER || now >= r->measure_from ||
        run_stopped(r) != STOP_NONE)
        return MONO_NEVER;
    if (now < u->next)
        return u->next;
    /* a reading; a second without a transaction has no figure: the window begins anew */
    for (int i = 0; i < r->plan->clients; i++)
        warmup_counts(r, i, true, count);
    more = count[CNT_DONE] - u->done;
    u->done = count[CNT_DONE];
    double figure = (double)more / dur_sec(now - u->read_at);
    if (r->tickets) { /* the mean response time of those that ended since; NaN: none did */
        struct hist_counts all;
        hist_counts_init(&all, HIST_BUCKETS);
        for (size_t i = 0; i < r->nshards * run_hosts(r); i++)
            hist_counts_add(&all, r->warm.shard[i].response);
        hist_counts_diff(&u->between, &all, &u->before);
        figure = hist_mean(&u->between);
        hist_counts_fini(&u->before);
        u->before = all;
    }
    if (more && u->read_at && figure > 0)
        steady_add(&u->trend, (dur_sec(now - r->t0) + dur_sec(u->read_at - r->t0)) / 2, figure);
    else
        u->trend.readings = 0;
    u->read_at = now;
    u->next += ((now - u->next) / STEP + 1) * STEP;
    u->result.has_trend = steady_trend(&u->trend, &t);
    if (!u->result.has_trend)
        return u->next;
    u->result.change_pct = t.change_pct;
    u->result.error_pct = t.error_pct;
    if (!steady_within(&t, u->result.bound_pct))
        return u->next;
    /* it is steady */
    mono_ns at = now + AHEAD + (r->tickets ? r->plan->clients * AHEAD_PER_CLIENT : 0);
    u->next = MONO_NEVER;
    u->result.steady = true;
    if (at < r->measure_from) {
        /* Measuring begins at `at`, earlier than thought.  A stop may come at the same time, from
         * any thread: then it has the last word about the run's end. */
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
    u->result.after = r->measure_from - r->t0;
    warmup_until_over(r);
    return u->next;
}
