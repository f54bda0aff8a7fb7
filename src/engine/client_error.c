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
#include "engine/client_state.h"
#include "engine/warmup.h"

/* --- going on --- */

bool client_goes_on(const struct client *c)
{
    return !run_stopped(c->run) && run_now(c->run) < c->run->deadline;
}

/* Ends early with the run: a stop wakes the client, the time limit ends the pause. */
static void backoff_pause(struct client *c, dur_ns d)
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

void client_after_error(struct client *c, bool in_event, bool fails, bool pauses)
{
    /* outside of an event any statement that succeeds counts */
    uint64_t successes = events_done(c) + counters_get(c->counters, CNT_WRITE);

    if (!in_event)
        successes += counters_get(c->counters, CNT_READ) + counters_get(c->counters, CNT_OTHER);
    if (in_event && fails)
        c->troubled = c->retry.fails = true;
    if (pauses)
        backoff_pause(
            c, error_backoff_statement(&c->retry.backoff, successes, c->run->plan->error_backoff));
}

void client_error_backoff(struct client *c)
{
    backoff_pause(
        c, error_backoff_event(&c->retry.backoff, events_done(c), c->run->plan->error_backoff));
}

/* An attempt counts as a retry once it begins: the run may end in the pause before it. */
bool client_retry(struct client *c)
{
    const struct plan *p = c->run->plan;

    if (!client_goes_on(c) || c->retry.fails ||
        (p->limits_retries && c->retry.retries >= p->trx_retries))
        return false;
    c->troubled = true;
    /* one whose connection was lost failed at that moment; the script hears of it when the
     * connection is back */
    mono_ns failed = c->lost.at >= LOAD(c->begun) ? c->lost.at : run_now(c->run);
    client_error_backoff(c);
    if (!client_goes_on(c))
        return false;
    if (c->retry.retries++ == 0)
        c->retry.first_end = failed;
    c->retry.again = run_now(c->run);
    return true;
}

/* --- the record --- */

void client_commit_lost(void *arg)
{
    struct client *c = arg;

    if (!client_warming(c))
        atomic_fetch_add(&c->run->retries.unknown, 1);
}

void client_trouble_over(struct client *c, mono_ns now, bool done)
{
    struct retries *r = &c->run->retries;
    mono_ns from = c->run->plan->old_rate ? LOAD(c->begun) : c->planned;
    uint64_t most = LOAD(r->most), n = c->retry.retries;

    if (n > 0 && !client_warming(c)) {
        STORE(c->retried, LOAD(c->retried) + (c->retry.again - LOAD(c->begun)));
        atomic_fetch_add(&r->transactions, 1);
        atomic_fetch_add(&r->retries, n);
        while (n > most && !atomic_compare_exchange_weak(&r->most, &most, n))
            ;
        if (done) {
            hist_record_shared(r->first, c->retry.first_end - from);
            hist_record_shared(r->last, now - from);
        } else {
            atomic_fetch_add(&r->failed, 1);
        }
    }
    c->troubled = c->retry.fails = false;
    c->retry.retries = 0;
}

/* --- failures: into the table of errors by code, and into the outages ---
 *
 * edge_note: what counts is when the error happened, and not to which transaction.  A client whose
 * connection was lost in the warm-up has a transaction of the warm-up in hand for as long as the
 * server is away, and one that the server refuses has none.
 */

void client_error(struct client *c, const struct client_error *e)
{
    struct run *r = c->run;
    bool begun = atomic_load_explicit(&r->gate, memory_order_acquire) == 1;
    mono_ns now = run_now(r);

    if (e->lost && (!begun || now < r->measure_from)) {
        c->lost.away++;
        outages_lost(r->outages);
    }
    if (begun && now < r->measure_from) /* edge_note */
        return;
    error_table_note(r->errors, e->code, e->sqlstate, e->class, e->text, now);
    if (e->lost && c->lost.at < LOAD(c->begun))
        c->lost.at = now;
    if (e->lost && begun && e->host >= 0 && (size_t)e->host < r->hosts.n)
        atomic_fetch_add_explicit(&r->hosts.row[e->host].lost, 1, memory_order_relaxed);
    if (begun && e->outage) {
        c->lost.away += e->lost;
        outages_error(r->outages, now, e->lost, LOAD(c->last));
    }
}

void client_reconnected(struct client *c)
{
    if (c->lost.away)
        c->lost.away--;
    outages_connected(c->run->outages, run_now(c->run));
}

void client_left(struct client *c)
{
    if (client_goes_on(c))
        while (c->lost.away)
            client_reconnected(c);
}

void run_outage_counts(void *arg, mono_ns now, struct outage_counts *n, dur_ns *in_time)
{
    struct run *r = arg;
    uint64_t count[CNT_MAX] = {0};
    struct hist_counts h;

    for (int i = 0; i < r->plan->clients; i++)
        warmup_counts(r, i, false, count);
    n->done = count[CNT_DONE];
    n->failed = count[CNT_FAILED];
    n->late = count[CNT_LATE];
    if (in_time)
        *in_time = 0;
    if (!r->tickets)
        return;
    n->dropped = tickets_dropped(r->tickets);
    n->offered = tickets_offered(r->tickets, now - r->measure_from);
    if (!in_time)
        return;
    /* How late a start may be that counts as in time after an outage: twice what was usual before.
     * The median: a high percentile would be that of an earlier stall or outage. */
    hist_counts_init(&h, HIST_BUCKETS);
    for (size_t i = 0; i < r->nshards * run_hosts(r); i++)
        hist_counts_add(&h, r->shard[i].lag);
    *in_time = later(h.total ? 2 * hist_percentile(&h, 50) : 0, PLAN_LATE_NS);
    hist_counts_fini(&h);
}

/* --- connections that were lost, for the last report --- */

void client_connected_again(void *arg, dur_ns took, dur_ns away)
{
    struct client *c = arg;
    struct run *r = c->run;

    if (atomic_load_explicit(&r->gate, memory_order_acquire) == 1 && client_warming(c))
        return;
    hist_record_shared(r->reconnects.connect, took);
    hist_record_shared(r->reconnects.away, away);
}
