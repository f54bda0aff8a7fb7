/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How a run ends.  Every cause (time, a signal, an error, an overload) sets one flag and wakes all
 * threads once.  The signal handler formats nothing: it stores the signal's number and time, wakes
 * the main thread, and at the second signal ends the process at once.
 *
 * `current` is one of the few file-scope variables: a handler gets no argument.
 */
#include "engine/run.h"
#include "engine/run_state.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "fiber/sched.h"

static _Atomic(struct run *) current;

void run_poke(struct run *r)
{
    atomic_fetch_add(&r->word, 1);
    clock_notify(r->clock, &r->word);
}

/* The clock after the flag, the words after the schedule is closed: cut_off_note. */
static void close_schedule(struct run *r)
{
    mono_ns now;

    atomic_store(&r->cut, 1);
    now = run_now(r);
    if (now < atomic_load(&r->end))
        atomic_store(&r->end, now);
    warmup_close(r, now);
}

static void wake_clients(struct run *r)
{
    for (int i = 0; i < r->plan->clients; i++) {
        atomic_store(&r->client[i].word, 1);
        if (!r->sched)
            clock_notify(r->clock, &r->client[i].word);
    }
    sched_poke(r->sched);
}

/* Sets the flag.  False: nothing changes, because an earlier cause has ended everything. */
static bool set_stop(struct run *r, enum stop_reason why)
{
    uint32_t was = STOP_NONE;

    if (why == STOP_FORCED) {
        atomic_store(&r->stop, why);
        return true;
    }
    return atomic_compare_exchange_strong(&r->stop, &was, why) ||
           (was == STOP_TIME && run_keeps_pauses(r));
}

void run_stop(struct run *r, enum stop_reason why)
{
    if (!set_stop(r, why))
        return;
    if (why != STOP_TIME)
        close_schedule(r);
    if (why != STOP_TIME || !run_keeps_pauses(r))
        wake_clients(r);
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

/* One request may arrive twice: timeout(1) signals its child and then its group, a terminal signals
 * the group and a wrapper passes it on.  No user presses a key twice in this time. */
#define SAME_REQUEST (NS_PER_SEC / 5)

static void on_signal(int sig)
{
    struct run *r = atomic_load(&current);
    int none = 0, saved = errno;
    mono_ns now;

    if (!r)
        return;
    now = run_now(r);
    if (!atomic_compare_exchange_strong(&r->signal, &none, sig)) {
        static const char msg[] = "sysbench: second signal, ending at once\n";
        mono_ns first = atomic_load(&r->signal_at);
        if (first == 0 || now - first < SAME_REQUEST)
            return;
        if (write(STDERR_FILENO, msg, sizeof msg - 1) < 0)
            _exit(128 + sig);
        _exit(128 + sig);
    }
    atomic_store(&r->signal_at, now);
    run_poke(r);
    errno = saved; /* of whatever this thread was doing */
}

bool run_is_signalled(void)
{
    struct run *r = atomic_load(&current);

    return r && atomic_load(&r->signal);
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
