/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The failures that clients meet: into the table of errors by code, and into the outages.  Errors
 * of a warm-up are in neither; those before all clients begin are in the table only.
 *
 * edge_note: what counts is when the error happened, and not to which transaction.  A client whose
 * connection was lost in the warm-up has a transaction of the warm-up in hand for as long as the
 * server is away, and one that the server refuses has none.
 */
#include "engine/client.h"
#include "engine/hosts.h"
#include "engine/run_state.h"

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
