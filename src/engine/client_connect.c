/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How a client connects: what the SQL floor asks of it (struct sql_host), and clients that the
 * server refuses while they begin (--min-clients).
 *
 * A client that is refused is absent: it stays in its thread_init(), where it tries to connect
 * again and again (sql_conn.c), and the run begins without it.  When it is connected it passes the
 * start line and takes its share.  It has taken no ticket and no event before, so the accounts need
 * to know nothing about it.
 *
 *     refused -> absent -> (pause, attempt)* -> connected -> runs
 *                            '-> the run is over: ends without a word
 *
 * place_note: only --min-clients of them need a descriptor.  The others take what is left of
 * `ulimit -n`, but for some that reports, telemetry and scrapes open meanwhile.  Without a place a
 * client is absent as one that the server refuses.
 *
 * What else its thread_init() fails at after that ends the run, as it would have prevented it.
 */
#include "engine/client.h"
#include "engine/client_state.h"

#include <stdio.h>

#include "base/client_errors.h"
#include "base/log.h"
#include "engine/stop.h"
#include "fiber/sched.h"

bool absent_allowed(const struct run *r)
{
    return r->plan->min_clients && r->plan->min_clients < r->plan->clients;
}

/* Before an attempt to connect; false: none is left. */
static bool take_place(struct client *c)
{
    struct run *r = c->run;

    if (c->placed || c->begun_loop || !absent_allowed(r) || r->descriptors_left < 0)
        return true;
    if (atomic_fetch_sub(&r->places, 1) > 0)
        c->placed = true;
    else
        atomic_fetch_add(&r->places, 1);
    return c->placed;
}

bool client_refused(void *arg, int errnum)
{
    struct client *c = arg;
    struct run *r = c->run;

    if (!absent_allowed(r) || c->begun_loop)
        return false;
    if (c->placed)
        atomic_fetch_add(&c->run->places, 1);
    c->placed = false;
    if (atomic_load(&r->gate) == 1 && !client_keep_trying(c)) {
        client_errors_hush(c->number);
        c->never = true;
        return false;
    }
    if (run_stopped(r))
        return false;
    if (!c->absent) {
        c->absent = true;
        if (errnum)
            atomic_store(&r->refused_with, errnum);
        atomic_fetch_add(&r->refused, 1);
        atomic_fetch_add(&r->absent, 1);
        run_poke(r);
    }
    return true;
}

void absent_say_begin(const struct run *r)
{
    uint32_t absent = atomic_load(&r->absent);
    int errnum = atomic_load(&r->refused_with);
    char error[32] = "";

    if (!absent)
        return;
    if (errnum)
        snprintf(error, sizeof error, " (error %d)", errnum);
    else if (r->descriptors_left >= 0 && atomic_load(&r->places) <= 0)
        snprintf(error, sizeof error, " (by ulimit -n)");
    log_warn("%u of %d clients are connected, %u were refused%s: the run begins without them, and "
             "they keep trying.",
             (unsigned)r->plan->clients - (unsigned)absent, r->plan->clients, (unsigned)absent,
             error);
}

bool client_keep_trying(void *arg)
{
    struct client *c = arg;

    /* before the start line there is no deadline yet; the stop flag is what counts then */
    if (atomic_load_explicit(&c->run->gate, memory_order_acquire) == 0)
        return !run_stopped(c->run);
    return client_goes_on(c);
}

void client_pause(void *arg, dur_ns d)
{
    struct client *c = arg;

    client_await(c, run_now(c->run) + d, &c->word);
}

bool client_connecting(void *arg, bool begins, int fd)
{
    struct client *c = arg;

    if (begins) {
        atomic_fetch_add(&c->run->connecting, 1);
        /* it waits for its turn; that the rate changes meanwhile does not matter to it */
        bool goes_on = take_place(c);
        while (goes_on && !sched_connect_begin(&c->word, WORD_NONE))
            goes_on = client_look_again(c);
        if (goes_on)
            return true;
    } else {
        sched_connect_end(fd);
    }
    atomic_fetch_sub(&c->run->connecting, 1);
    return !begins;
}
