/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_waits.h.  Turns are given in the order of asking: `next` is the instant of the turn after
 * the last one.  A tenth of a second's worth of turns that nobody took may be taken at once.
 */
#include "sql/sql_waits.h"

#include <stdio.h>

#define BURST (NS_PER_SEC / 10)

static dur_ns limit_of(const struct sql_conn *c, enum sql_waiting what)
{
    const struct sql_limits *l = c->limits;

    switch (what) {
    case WAIT_STATEMENT: return l->statement;
    case WAIT_CONNECT: return l->connect;
    case WAIT_RECONNECT: return l->connect ? l->connect : RECONNECT_LIMIT;
    case WAIT_NONE: break;
    }
    return 0;
}

/* libpq tries the hosts of a list one after the other, each for whole seconds, at least two: a
 * shorter time for all of them would end while it tries the first. */
static dur_ns of_list(dur_ns each, int hosts)
{
    dur_ns seconds = (each + NS_PER_SEC - 1) / NS_PER_SEC;

    return hosts > 1 ? hosts * (seconds > 2 ? seconds : 2) * NS_PER_SEC : each;
}

void sql_wait_begin(struct sql_conn *c, enum sql_waiting what)
{
    dur_ns d = limit_of(c, what);

    if (d == 0 || !c->host->limit)
        return;
    if (what != WAIT_STATEMENT)
        d = of_list(d, c->limits->hosts);
    c->waiting = what;
    c->host->limit(c->host->arg, d);
}

void sql_wait_end(struct sql_conn *c)
{
    c->waiting = WAIT_NONE;
    if (c->host->limit)
        c->host->limit(c->host->arg, 0);
}

const char *sql_wait_failed(const struct sql_conn *c, char *out, size_t size)
{
    bool statement = c->waiting == WAIT_STATEMENT;
    dur_ns d = limit_of(c, c->waiting);

    if (c->waiting == WAIT_NONE || !c->host->waits_over(c->host->arg))
        return NULL;
    if (!statement && c->limits->connect == 0)
        snprintf(out, size, "the server did not answer an attempt to reconnect within %g s",
                 dur_sec(d));
    else
        snprintf(out, size,
                 statement ? "no answer within --query-timeout=%g s, the connection was closed"
                           : "the server did not answer within --connect-timeout=%g s",
                 dur_sec(d));
    return out;
}

void sql_wait_for_turn(struct sql_conn *c)
{
    struct sql_limits *l = c->limits;
    mono_ns now = sql_now(c), turn, next;
    dur_ns step;

    if (l->reconnects <= 0 || c->host->auxiliary || !c->host->pause)
        return;
    step = (dur_ns)(1e9 / l->reconnects);
    turn = atomic_load(&l->next_turn);
    do {
        next = (turn > now - BURST ? turn : now - BURST) + step;
    } while (!atomic_compare_exchange_weak(&l->next_turn, &turn, next));
    if (next > now + step) /* jitter, so that turns of several processes do not coincide */
        c->host->pause(c->host->arg, next - now + (dur_ns)(rng_double(&c->rng) * (double)step));
}
