/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How a run ends.  Everything that can end it (time, a signal, an error, an overload) becomes one
 * flag and one round of wake-ups.  The signal handler formats nothing: it stores the signal's
 * number, wakes the main thread, and at the second signal ends the process at once.
 *
 * `current` is one of the few file-scope variables: a handler gets no argument.
 */
#include "engine/run_state.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static _Atomic(struct run *) current;

void run_poke(struct run *r)
{
    atomic_fetch_add(&r->word, 1);
    clock_wake(&r->word);
}

void run_stop(struct run *r, enum stop_reason why)
{
    uint32_t none = STOP_NONE;

    if (why == STOP_FORCED)
        atomic_store(&r->stop, why);
    else if (!atomic_compare_exchange_strong(&r->stop, &none, why))
        return;
    /* before anybody is woken: what was planned for later is not offered any more, and sleepers
     * who are told so must find the schedule cut already */
    if (why != STOP_TIME) {
        mono_ns now = clock_mono();
        if (now < atomic_load(&r->end))
            atomic_store(&r->end, now);
        if (r->tickets)
            tickets_close(r->tickets, now - r->t0);
    }
    for (int i = 0; i < r->plan->clients; i++) {
        atomic_store(&r->client[i].word, 1);
        clock_wake(&r->client[i].word);
    }
    run_poke(r);
}

void run_fail(struct run *r, const struct err *e)
{
    pthread_mutex_lock(&r->err_lock);
    if (r->first.kind == ERR_NONE)
        r->first = *e;
    pthread_mutex_unlock(&r->err_lock);
    run_stop(r, STOP_ERROR);
}

static void on_signal(int sig)
{
    struct run *r = atomic_load(&current);
    int none = 0;

    if (!r)
        return;
    if (!atomic_compare_exchange_strong(&r->signal, &none, sig)) {
        static const char msg[] = "sysbench: second signal, ending at once\n";
        if (write(STDERR_FILENO, msg, sizeof msg - 1) < 0)
            _exit(128 + sig);
        _exit(128 + sig);
    }
    run_poke(r);
}

static void handle(int sig, void (*f)(int))
{
    struct sigaction sa;

    memset(&sa, 0, sizeof sa);
    sa.sa_handler = f;
    sa.sa_flags = SA_RESTART;
    sigaction(sig, &sa, NULL);
}

void stop_catch_signals(struct run *r)
{
    atomic_store(&current, r);
    handle(SIGINT, on_signal);
    handle(SIGTERM, on_signal);
}

void stop_release_signals(void)
{
    handle(SIGINT, SIG_DFL);
    handle(SIGTERM, SIG_DFL);
    atomic_store(&current, NULL);
}
