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
#include "engine/hosts.h"
#include "sql/sql.h"

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

/* --- failures: into the table of errors by code, and into the outages ---
 *
 * edge_note: what counts is when the error happened, and not to which transaction.  A client whose
 * connection was lost in the warm-up has a transaction of the warm-up in hand for as long as the
 * server is away, and one that the server refuses has none.
 */

static bool has_begun(const struct run *r)
{
    return atomic_load_explicit(&((struct run *)(uintptr_t)r)->gate, memory_order_acquire) == 1;
}

void client_error(struct client *c, const struct client_error *e)
{
    struct run *r = c->run;
    bool begun = has_begun(r);
    mono_ns now = run_now(r);

    if (e->lost && (!begun || now < r->measure_from)) {
        c->away++;
        outages_lost(r->outages);
    }
    if (begun && now < r->measure_from) /* edge_note */
        return;
    error_table_note(r->errors, e->code, e->sqlstate, e->class, e->text, now);
    if (e->lost)
        client_note_lost(c, now);
    if (e->lost && begun)
        hosts_lost(r, e->host);
    if (begun && e->outage) {
        c->away += e->lost;
        outages_error(r->outages, now, e->lost, LOAD(c->last));
    }
}

void client_reconnected(struct client *c)
{
    if (c->away)
        c->away--;
    outages_connected(c->run->outages, run_now(c->run));
}

void client_left(struct client *c)
{
    if (client_goes_on(c))
        while (c->away)
            client_reconnected(c);
}

/* How late a start may be that counts as in time after an outage: twice what was usual before.  The
 * median: a high percentile would be that of an earlier stall or outage. */
static dur_ns usual_lag(const struct run *r)
{
    struct hist_counts h;
    dur_ns lag;

    hist_counts_init(&h, HIST_BUCKETS);
    for (size_t i = 0; i < r->nshards * run_hosts(r); i++)
        hist_counts_add(&h, r->shard[i].lag);
    lag = h.total ? 2 * hist_percentile(&h, 50) : 0;
    hist_counts_fini(&h);
    return lag > PLAN_LATE_NS ? lag : PLAN_LATE_NS;
}

void run_outage_counts(void *arg, mono_ns now, struct outage_counts *n, dur_ns *in_time)
{
    struct run *r = arg;
    uint64_t count[CNT_MAX] = {0};

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
    if (in_time)
        *in_time = usual_lag(r);
}

/* --- connections that were lost, for the last report --- */

void client_connected_again(struct client *c, dur_ns took, dur_ns away)
{
    struct run *r = c->run;

    if (atomic_load_explicit(&r->gate, memory_order_acquire) == 1 && client_warming(c))
        return;
    hist_record_shared(r->reconnects.connect, took);
    hist_record_shared(r->reconnects.away, away);
}

void reconnects_init(struct reconnects *r)
{
    r->connect = mem_alloc(sizeof *r->connect); /* untouched pages cost nothing */
    r->away = mem_alloc(sizeof *r->away);
}

void reconnects_fini(struct reconnects *r)
{
    free(r->connect);
    free(r->away);
}

static uint32_t load(const _Atomic uint32_t *v)
{
    return atomic_load((_Atomic uint32_t *)(uintptr_t)v);
}

void connections_fill(const struct run *r, struct snapshot_connections *out)
{
    uint32_t refused = load(&r->refused);

    *out = (struct snapshot_connections){
        .asked = r->plan->asks_more,
        .limited = r->plan->min_clients_given,
        .clients = (unsigned)r->plan->clients,
        .connected = (unsigned)r->plan->clients - refused + load(&r->joined),
        .refused = refused,
        .refused_with = atomic_load((_Atomic int *)(uintptr_t)&r->refused_with),
        .plain = sql_plain_connections(),
    };
    figures_of_hist(r->plan, r->reconnects.connect, &out->connect);
    figures_of_hist(r->plan, r->reconnects.away, &out->away);
}
