/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the SQL floor may ask of the client it works for, in the form of struct sql_host: may it go
 * on trying, wait before it tries again, make a connection now?
 */
#include "carry/carry.h"
#include "engine/run_state.h"

bool client_keep_trying(void *arg)
{
    struct client *c = arg;

    /* before the start line there is no deadline yet; the stop flag is what counts then */
    if (atomic_load_explicit(&c->run->gate, memory_order_acquire) == 0)
        return !run_stopped(c->run);
    return client_retry(c);
}

void client_pause(void *arg, dur_ns d)
{
    struct client *c = arg;

    carry_sleep_until(clock_mono() + d, &c->word, 0);
}

bool client_connecting(void *arg, bool begins, int fd)
{
    struct client *c = arg;

    if (begins)
        return carry_connect_begin(&c->word, 0);
    carry_connect_end(fd);
    return true;
}
