/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How a run ends.  Every cause (time, a signal, an error, an overload) sets one flag and wakes all
 * threads once.  The signal handler formats nothing: it stores the signal's number and time, wakes
 * the main thread, and at the second signal ends the process at once.
 *
 * Once a run is over, a signal ends the process as if nobody had caught it, unless a result file
 * waits for its reader: then that wait ends, and all files are finished.
 *
 * A reader of standard output that goes away ends the run like a signal, SIGPIPE.  Signals that
 * are typos or leftovers of other programs (`kill -USR1` without --mark-on) would end the process
 * without a report: they are ignored, with a line on stderr.
 *
 * `current` and `late` are some of the few file-scope variables: a handler gets no argument.
 */
#include "engine/client_state.h"
#include "engine/stop.h"
#include "engine/this_run.h"
#include "engine/warmup.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "fiber/sched.h"
#include "report/out.h"

static _Atomic(struct run *) current;
static struct {
    _Atomic int sig; /* after the run: what ended the wait for a reader */
    _Atomic int64_t at;
} late;

void run_poke(struct run *r)
{
    atomic_fetch_add(&r->word, 1);
    clock_notify(r->clock, &r->word);
}

/* `text`: for other ranks, why; or "" */
static void stop(struct run *r, enum stop_reason why, const char *text)
{
    uint32_t was = STOP_NONE;

    if (why == STOP_FORCED)
        atomic_store(&r->stop, why);
    else if (!atomic_compare_exchange_strong(&r->stop, &was, why) &&
             !(was == STOP_TIME && run_keeps_pauses(r)))
        return; /* an earlier cause has ended everything */
    if (why != STOP_TIME) {
        /* the clock after the flag, the words after the schedule is closed: cut_off_note */
        atomic_store(&r->cut, 1);
        mono_ns now = run_now(r);
        if (now < atomic_load(&r->end))
            atomic_store(&r->end, now);
        warmup_close(r, now);
    }
    if (r->others)
        r->others->stopped(r, why, text);
    if (why != STOP_TIME || !run_keeps_pauses(r)) {
        for (int i = 0; i < r->plan->clients; i++) {
            atomic_store(&r->client[i].word, WORD_STOPPED);
            if (!r->sched)
                clock_notify(r->clock, &r->client[i].word);
        }
        sched_poke(r->sched);
    }
    run_poke(r);
}

void run_stop(struct run *r, enum stop_reason why)
{
    stop(r, why, "");
}

void run_note_error(struct run *r, const struct err *e)
{
    pthread_mutex_lock(&r->err_lock);
    if (r->first.kind == ERR_NONE)
        r->first = *e;
    pthread_mutex_unlock(&r->err_lock);
}

void run_fail(struct run *r, const struct err *e)
{
    run_note_error(r, e);
    atomic_store(&r->failed, 1);
    stop(r, STOP_ERROR, e->msg);
    run_poke(r); /* after the time limit run_stop() has nothing to do */
}

/* One request may arrive twice: timeout(1) signals its child and then its group, a terminal signals
 * the group and a wrapper passes it on.  No user presses a key twice in this time. */
#define SAME_REQUEST (NS_PER_SEC / 5)

bool run_signal(struct run *r, int sig, mono_ns now)
{
    int none = 0;

    if (!atomic_compare_exchange_strong(&r->signal, &none, sig))
        return false;
    atomic_store(&r->signal_at, now);
    out_hurry();
    run_poke(r);
    return true;
}

static void on_signal(int sig)
{
    static const char msg[] = "sysbench: second signal, ending at once\n";
    struct run *r = atomic_load(&current);
    int saved = errno;

    if (!r)
        return;
    mono_ns now = run_now(r);
    if (!run_signal(r, sig, now)) {
        mono_ns first = atomic_load(&r->signal_at);
        if (first != 0 && now - first >= SAME_REQUEST) {
            ssize_t n = write(STDERR_FILENO, msg, sizeof msg - 1);
            (void)n; /* there is no other place to say it */
            _exit(128 + sig);
        }
    }
    errno = saved; /* of whatever this thread was doing */
}

bool run_is_signalled(void)
{
    struct run *r = atomic_load(&current);

    return r && atomic_load(&r->signal);
}

/* On the thread that wrote, with the log's lock held. */
static void on_closed_pipe(void)
{
    struct run *r = atomic_load(&current);

    if (r)
        run_signal(r, SIGPIPE, run_now(r));
}

/* --- signals that would end the process without a report --- */

static struct {
    int sig;
    const char *text;
    _Atomic bool ours, told;
} stray[] = {
    {.sig = SIGUSR1,
     .text = "sysbench: SIGUSR1 is ignored; with --mark-on=SIGUSR1 it would set a mark\n"},
    {.sig = SIGUSR2, .text = "sysbench: SIGUSR2 is ignored\n"},
    {.sig = SIGALRM, .text = "sysbench: SIGALRM is ignored\n"},
};
#define STRAYS (sizeof stray / sizeof *stray)

static void on_stray(int sig)
{
    int saved = errno;

    for (size_t i = 0; i < STRAYS; i++) {
        if (stray[i].sig != sig || atomic_exchange(&stray[i].told, true))
            continue;
        if (write(STDERR_FILENO, stray[i].text, strlen(stray[i].text)) < 0)
            continue; /* there is no other place to say it */
    }
    errno = saved;
}

static void handle(int sig, void (*f)(int))
{
    struct sigaction sa;

    memset(&sa, 0, sizeof sa);
    sa.sa_handler = f;
    sa.sa_flags = SA_RESTART;
    sigaction(sig, &sa, NULL);
}

static bool has_handler(int sig, void (*f)(int))
{
    struct sigaction sa;

    return sigaction(sig, NULL, &sa) == 0 && sa.sa_handler == f;
}

static void on_late_signal(int sig)
{
    int saved = errno, none = 0;
    mono_ns now = clock_mono();

    if (!atomic_load(&late.sig) && out_give_up()) {
        atomic_store(&late.at, now);
        atomic_compare_exchange_strong(&late.sig, &none, sig);
    } else if (!atomic_load(&late.sig) || now - atomic_load(&late.at) >= SAME_REQUEST) {
        handle(sig, SIG_DFL);
        raise(sig); /* when this handler returns */
    }
    errno = saved;
}

int run_late_signal(void)
{
    return atomic_load(&late.sig);
}

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
#define ENDS (sizeof ends / sizeof *ends)

void stop_catch_signals(struct run *r)
{
    atomic_store(&current, r);
    /* what the parent process ignores stays ignored: nohup(1), trap '' INT, a script's background
     * command */
    for (size_t i = 0; i < ENDS; i++)
        if (!has_handler(ends[i], SIG_IGN))
            handle(ends[i], on_signal);
    /* not those that a script, --mark-on or the parent process (nohup) has decided about */
    for (size_t i = 0; i < STRAYS; i++) {
        stray[i].ours = stray[i].ours || has_handler(stray[i].sig, SIG_DFL);
        atomic_store(&stray[i].told, false);
        if (stray[i].ours)
            handle(stray[i].sig, on_stray);
    }
    r->closed_before = log_on_closed_pipe(on_closed_pipe);
    if (log_pipe_closed()) /* while the header was printed */
        on_closed_pipe();
}

void stop_release_signals(const struct run *r)
{
    for (size_t i = 0; i < ENDS; i++)
        if (has_handler(ends[i], on_signal))
            handle(ends[i], on_late_signal);
    /* these stay ignored: the result files are still to be finished */
    for (size_t i = 0; i < STRAYS; i++)
        if (stray[i].ours)
            handle(stray[i].sig, SIG_IGN);
    log_on_closed_pipe(r->closed_before);
    atomic_store(&current, NULL);
}

/* --- changes of the rate ---
 *
 * While a run lasts (stop.h).  `here` is one of the few file-scope variables: the thread that
 * reads the marks knows no run, which begins after it and ends before it.
 */

#define AHEAD            NS_PER_MS
#define AHEAD_PER_CLIENT (10 * NS_PER_US)
#define AHEAD_MOST       (50 * NS_PER_MS)

static struct {
    pthread_mutex_t lock;
    struct run *run;
} here = {PTHREAD_MUTEX_INITIALIZER, NULL};

void clients_look_again(struct run *r)
{
    for (int i = 0; i < r->plan->clients; i++) {
        uint32_t none = WORD_NONE;
        if (atomic_compare_exchange_strong(&r->client[i].word, &none, WORD_LOOK) && !r->sched)
            clock_notify(r->clock, &r->client[i].word);
    }
    sched_poke(r->sched);
}

int run_set_rate(struct run *r, double rate, mono_ns *at, struct err *e)
{
    dur_ns ahead = AHEAD + r->plan->clients * AHEAD_PER_CLIENT,
           far = r->others ? r->others->ahead(r) : 0;

    if (!r->tickets)
        return err_set(e, ERR_USAGE, "the run has no rate: --tx-rate=N gives it one");
    if (run_stopped(r) != STOP_NONE)
        return err_set(e, ERR_USAGE, "the run is ending");
    if (plan_check_change(r->plan, rate, e))
        return -1;
    tickets_hold(r->tickets);
    mono_ns from =
        run_now(r) + far + (ahead < AHEAD_MOST ? ahead : AHEAD_MOST); /* after the hold */
    mono_ns zero = r->measure_from; /* once: the end of the warm-up may move meanwhile */
    from = from > zero ? from : zero;
    tickets_set_rate(r->tickets, from - zero, rate);
    if (r->others)
        r->others->set_rate(r, from, rate);
    clients_look_again(r);
    if (at)
        *at = from;
    return 0;
}

void run_rate_from(struct run *r, mono_ns at, double rate)
{
    if (!r->tickets || run_stopped(r) != STOP_NONE)
        return;
    tickets_hold(r->tickets);
    mono_ns now = run_now(r);
    tickets_set_rate(r->tickets, (at > now ? at : now) - r->measure_from, rate);
    clients_look_again(r);
    if (now > at)
        log_warn("The change of the rate to %.12g came %.3f ms late to this rank: its share of the "
                 "schedule changes so much later than that of the others",
                 rate, dur_ms(now - at));
}

int run_set_rate_here(double rate, mono_ns *at, struct err *e)
{
    int rc;

    pthread_mutex_lock(&here.lock);
    if (!here.run)
        rc = err_set(e, ERR_USAGE, "no run is going on");
    else if (plan_finds(here.run->plan))
        rc = err_set(e, ERR_USAGE, "--tx-find changes the rate");
    else
        rc = run_set_rate(here.run, rate, at, e);
    pthread_mutex_unlock(&here.lock);
    return rc;
}

void run_rate_open(struct run *r)
{
    pthread_mutex_lock(&here.lock);
    here.run = r;
    pthread_mutex_unlock(&here.lock);
}
