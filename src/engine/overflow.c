/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A client whose C stack is used up (base/overflow.h) ends the run as a fatal error does.  Its
 * thread stays in the signal handler, with whatever locks it held; so the handler only notes who
 * it was and wakes the main thread, which reports the error and leaves the client behind after the
 * grace.
 *
 * `current` is one of the few file-scope variables: a handler gets no argument.
 */
#include "base/overflow.h"
#include "engine/run_state.h"

#include <stdio.h>

static _Atomic(struct run *) current;

/* On the client's thread, in a signal handler. */
static void on_overflow(const char *who)
{
    struct run *r = atomic_load(&current);
    uint32_t none = OVERFLOW_NONE;

    if (!r || !atomic_compare_exchange_strong(&r->overflow, &none, OVERFLOW_WRITING))
        return;
    snprintf(r->overflow_who, sizeof r->overflow_who, "%s", who);
    atomic_store(&r->overflow, OVERFLOW_NEW);
    run_poke(r);
}

void overflow_watch(struct run *r)
{
    atomic_store(&current, r);
    overflow_set_report(r ? on_overflow : NULL);
}

bool overflow_take(struct run *r, struct err *e)
{
    uint32_t new = OVERFLOW_NEW;

    if (!atomic_compare_exchange_strong(&r->overflow, &new, OVERFLOW_TAKEN))
        return false;
    err_set(
        e, ERR_FAILED,
        "%s used up the C stack of %zu KiB: calls of C functions and callbacks are nested too deeply",
        *r->overflow_who ? r->overflow_who : "a client", carrier_stack_size(r) / 1024);
    return true;
}
