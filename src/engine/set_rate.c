/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Changes the rate of a run while it lasts (run_state.h).  `current` is one of the few file-scope
 * variables: the thread that reads the marks knows no run, which begins after it and ends before
 * it.
 */
#include "engine/run.h"

#include <pthread.h>

#include "base/log.h"
#include "engine/run_state.h"
#include "fiber/sched.h"

#define AHEAD            NS_PER_MS
#define AHEAD_PER_CLIENT (10 * NS_PER_US)
#define AHEAD_MOST       (50 * NS_PER_MS)

static struct {
    pthread_mutex_t lock;
    struct run *run;
} current = {PTHREAD_MUTEX_INITIALIZER, NULL};

void clients_look_again(struct run *r)
{
    for (int i = 0; i < r->plan->clients; i++) {
        uint32_t none = WORD_NONE;
        if (atomic_compare_exchange_strong(&r->client[i].word, &none, WORD_LOOK) && !r->sched)
            clock_notify(r->clock, &r->client[i].word);
    }
    sched_poke(r->sched);
}

int run_set_rate(struct run *r, double rate, mono_ns *at, struct err *e)
{
    dur_ns ahead = AHEAD + r->plan->clients * AHEAD_PER_CLIENT,
           far = r->others ? r->others->ahead(r) : 0;

    if (!r->tickets)
        return err_set(e, ERR_USAGE, "the run has no rate: --tx-rate=N gives it one");
    if (run_stopped(r) != STOP_NONE)
        return err_set(e, ERR_USAGE, "the run is ending");
    if (plan_check_change(r->plan, rate, e))
        return -1;
    tickets_hold(r->tickets);
    mono_ns from =
        run_now(r) + far + (ahead < AHEAD_MOST ? ahead : AHEAD_MOST); /* after the hold */
    mono_ns zero = r->measure_from; /* once: the end of the warm-up may move meanwhile */
    from = from > zero ? from : zero;
    tickets_set_rate(r->tickets, from - zero, rate);
    if (r->others)
        r->others->set_rate(r, from, rate);
    clients_look_again(r);
    if (at)
        *at = from;
    return 0;
}

void run_rate_from(struct run *r, mono_ns at, double rate)
{
    if (!r->tickets || run_stopped(r) != STOP_NONE)
        return;
    tickets_hold(r->tickets);
    mono_ns now = run_now(r);
    tickets_set_rate(r->tickets, (at > now ? at : now) - r->measure_from, rate);
    clients_look_again(r);
    if (now > at)
        log_warn("The change of the rate to %.12g came %.3f ms late to this rank: its share of the "
                 "schedule changes so much later than that of the others",
                 rate, dur_ms(now - at));
}

int run_set_rate_here(double rate, mono_ns *at, struct err *e)
{
    int rc;

    pthread_mutex_lock(&current.lock);
    if (!current.run)
        rc = err_set(e, ERR_USAGE, "no run is going on");
    else if (plan_finds(current.run->plan))
        rc = err_set(e, ERR_USAGE, "--tx-find changes the rate");
    else
        rc = run_set_rate(current.run, rate, at, e);
    pthread_mutex_unlock(&current.lock);
    return rc;
}

void run_rate_open(struct run *r)
{
    pthread_mutex_lock(&current.lock);
    current.run = r;
    pthread_mutex_unlock(&current.lock);
}
