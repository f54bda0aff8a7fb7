/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The services of a client for the SQL floor, as a struct sql_host: whether it may retry, the wait
 * before a retry, and whether it may connect now.
 */
#include "fiber/sched.h"
#include "engine/client.h"
#include "engine/run_state.h"

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

/* Waits for its turn; that the rate changes meanwhile does not matter to a client that connects. */
static bool await_turn(struct client *c)
{
    while (!sched_connect_begin(&c->word, WORD_NONE))
        if (!client_look_again(c))
            return false;
    return true;
}

bool client_connecting(void *arg, bool begins, int fd)
{
    struct client *c = arg;

    if (begins) {
        atomic_fetch_add(&c->run->connecting, 1);
        if (absent_take_place(c) && await_turn(c))
            return true;
    } else {
        sched_connect_end(fd);
    }
    atomic_fetch_sub(&c->run->connecting, 1);
    return !begins;
}
