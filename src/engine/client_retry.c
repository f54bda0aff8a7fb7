/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A transaction that met an error: whether it is run again, the pause before that, and the record
 * of it.
 *
 * retries_note: the latency of a transaction covers all its attempts, since its user waits for all
 * of them.  What the retries cost shows only beside the first attempt: for each transaction that
 * was run again, the time until its first attempt failed, and, once it is done, the time until
 * then.  Clients share these two histograms: errors are rare, and so is this code.  A transaction
 * without an error pays for one load and one branch.
 */
#include "engine/client.h"
#include "engine/figures.h"
#include "engine/run_state.h"

#include <stdlib.h>

#include "base/mem.h"

/* --- going on --- */

bool client_goes_on(const struct client *c)
{
    return !run_stopped(c->run) && run_now(c->run) < c->run->deadline;
}

/* Ends early with the run: a stop wakes the client, the time limit ends the pause. */
static void brake_pause(struct client *c, dur_ns d)
{
    struct run *r = c->run;
    mono_ns until = run_now(r) + d;
    bool begun = atomic_load_explicit(&r->gate, memory_order_acquire) != 0;

    if (d > 0)
        client_await(c, begun && r->deadline < until ? r->deadline : until, &c->word);
}

static uint64_t events_done(const struct client *c)
{
    return counters_get(c->counters, CNT_DONE) + counters_get(c->counters, CNT_EVENT);
}

/* Outside of an event any statement that succeeds counts. */
static uint64_t successes(const struct client *c, bool in_event)
{
    uint64_t n = events_done(c) + counters_get(c->counters, CNT_WRITE);

    if (!in_event)
        n += counters_get(c->counters, CNT_READ) + counters_get(c->counters, CNT_OTHER);
    return n;
}

void client_after_error(struct client *c, bool in_event, bool fails, bool pauses)
{
    if (in_event && fails)
        c->troubled = c->retry.fails = true;
    if (!pauses)
        return;
    brake_pause(
        c, brake_statement(&c->retry.brake, successes(c, in_event), c->run->plan->error_backoff));
}

void client_brake(struct client *c)
{
    brake_pause(c, brake_event(&c->retry.brake, events_done(c), c->run->plan->error_backoff));
}

static bool may_retry(const struct client *c)
{
    const struct plan *p = c->run->plan;

    return !c->retry.fails && (!p->limits_retries || c->retry.retries < p->trx_retries);
}

void client_note_lost(struct client *c, mono_ns now)
{
    if (c->retry.lost_at < c->begun)
        c->retry.lost_at = now;
}

/* An attempt whose connection was lost failed at that moment; the script hears of it when the
 * connection is back. */
static mono_ns failed_at(const struct client *c)
{
    return c->retry.lost_at >= c->begun ? c->retry.lost_at : run_now(c->run);
}

/* An attempt counts as a retry once it begins: the run may end in the pause before it. */
bool client_retry(struct client *c)
{
    mono_ns failed;

    if (!client_goes_on(c) || !may_retry(c))
        return false;
    c->troubled = true;
    failed = failed_at(c);
    client_brake(c);
    if (!client_goes_on(c))
        return false;
    if (c->retry.retries++ == 0)
        c->retry.first_end = failed;
    return true;
}

/* --- the record --- */

static void raise_to(_Atomic uint64_t *most, uint64_t n)
{
    uint64_t now = LOAD(*most);

    while (n > now && !atomic_compare_exchange_weak(most, &now, n))
        ;
}

static void record(struct client *c, mono_ns now, bool done)
{
    struct retries *r = &c->run->retries;
    mono_ns from = c->run->plan->old_rate ? c->begun : c->planned;

    atomic_fetch_add(&r->transactions, 1);
    atomic_fetch_add(&r->retries, c->retry.retries);
    raise_to(&r->most, c->retry.retries);
    if (!done) {
        atomic_fetch_add(&r->failed, 1);
        return;
    }
    hist_record_shared(r->first, c->retry.first_end - from);
    hist_record_shared(r->last, now - from);
}

void client_commit_lost(struct client *c)
{
    if (!client_warming(c))
        atomic_fetch_add(&c->run->retries.unknown, 1);
}

void client_trouble_over(struct client *c, mono_ns now, bool done)
{
    if (c->retry.retries > 0 && !client_warming(c))
        record(c, now, done);
    c->troubled = c->retry.fails = false;
    c->retry.retries = 0;
}

/* --- the run's --- */

void retries_init(struct retries *r)
{
    r->first = mem_alloc(sizeof *r->first); /* untouched pages cost nothing */
    r->last = mem_alloc(sizeof *r->last);
}

void retries_fini(struct retries *r)
{
    free(r->first);
    free(r->last);
}

void retries_fill(struct run *r, struct snapshot_retries *out)
{
    out->transactions = LOAD(r->retries.transactions);
    out->retries = LOAD(r->retries.retries);
    out->most = LOAD(r->retries.most);
    out->failed = LOAD(r->retries.failed);
    out->unknown = LOAD(r->retries.unknown);
    figures_of_hist(r->plan, r->retries.first, &out->first);
    figures_of_hist(r->plan, r->retries.last, &out->last);
}
