/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The connections of a run, for its last report: how long it took to replace those that were lost,
 * how many clients got one (--min-clients), and how many send plain queries because the server
 * accepts no more prepared statements.  Clients share the two histograms: a loss is rare.
 */
#include "engine/client.h"
#include "engine/figures.h"
#include "engine/run_state.h"

#include <stdlib.h>

#include "base/mem.h"
#include "sql/sql.h"

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
