/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See actions.h.  The thread sleeps in poll until the next instant, or until a command prints or
 * ends.  A timer descriptor announces the instant: a timeout would be late by the time that the
 * program was stopped meanwhile (SIGSTOP).
 */
#include "session/actions.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "session/actions_state.h"

#define GRACE       (2 * NS_PER_SEC) /* for commands that still run when the run is over */
#define CHECK_EVERY (20 * NS_PER_MS) /* for an end that no descriptor announces */

/* --- the thread --- */

static bool runs(const struct actions *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->action[i].r.state == ACTION_RUNNING)
            return true;
    return false;
}

/* The instant at which it is due; MONO_NEVER if the clock cannot reach it. */
static mono_ns due(const struct action *v, mono_ns from)
{
    return v->at < MONO_NEVER - from ? from + v->at : MONO_NEVER;
}

/* Starts the actions that are due; returns the next instant. */
static mono_ns start_due(struct actions *a)
{
    mono_ns from = atomic_load(&a->from), next = MONO_NEVER;

    if (!from || atomic_load(&a->over) || atomic_load(&a->final_reading))
        return next;
    for (size_t i = 0; i < a->n; i++) {
        struct action *v = &a->action[i];
        if (v->r.state != ACTION_WAITING)
            continue;
        if (due(v, from) <= clock_mono())
            action_start(a, v);
        else if (due(v, from) < next)
            next = due(v, from);
    }
    return next;
}

/* Ends commands that run longer than they may; returns when to check again. */
static mono_ns end_late(struct actions *a, mono_ns now)
{
    mono_ns over = atomic_load(&a->over);
    mono_ns until = over + (atomic_load(&a->no_grace) ? 0 : GRACE);
    int sig = a->sent ? SIGKILL : SIGTERM;

    if (!over)
        return MONO_NEVER;
    if (a->sent)
        until = a->sent + GRACE;
    if (now < until)
        return until;
    for (size_t i = 0; i < a->n; i++)
        if (a->action[i].r.state == ACTION_RUNNING)
            child_signal(&a->action[i].child, sig);
    a->sent = now;
    return now + GRACE;
}

/* Also clears its expiry. */
static void set_timer(int fd, mono_ns until)
{
    struct itimerspec t = {.it_value = {.tv_sec = (time_t)(until / NS_PER_SEC),
                                        .tv_nsec = (long)(until % NS_PER_SEC)}};

    if (until == MONO_NEVER)
        t.it_value = (struct timespec){0};
    timerfd_settime(fd, TFD_TIMER_ABSTIME, &t, NULL);
}

static void wait_for_news(struct actions *a, struct pollfd *p, mono_ns until)
{
    mono_ns check = clock_mono() + CHECK_EVERY;
    nfds_t n = 0;
    uint64_t news;

    p[n++] = (struct pollfd){.fd = a->wake, .events = POLLIN};
    p[n++] = (struct pollfd){.fd = a->timer, .events = POLLIN};
    for (size_t i = 0; i < a->n; i++) {
        const struct action *v = &a->action[i];
        bool running = v->r.state == ACTION_RUNNING;
        p[n++] = (struct pollfd){.fd = v->child.out, .events = POLLIN};
        p[n++] = (struct pollfd){.fd = running ? v->child.pidfd : -1, .events = POLLIN};
        if (running && v->child.pidfd < 0 && check < until)
            until = check;
    }
    set_timer(a->timer, until);
    poll(p, n, -1);
    if (p[0].revents && read(a->wake, &news, sizeof news) < 0)
        return; /* its value does not matter */
}

static void *actions_thread(void *arg)
{
    struct actions *a = arg;
    struct pollfd *p = mem_array(2 * a->n + 2, sizeof *p);

    for (;;) {
        mono_ns next = start_due(a), late;
        if (atomic_load(&a->over) && !runs(a))
            break;
        late = end_late(a, clock_mono());
        wait_for_news(a, p, late < next ? late : next);
        for (size_t i = 0; i < a->n; i++) {
            action_read_output(&a->action[i]);
            action_check(a, &a->action[i]);
        }
    }
    for (size_t i = 0; i < a->n; i++)
        action_finish(a, &a->action[i]);
    free(p);
    return NULL;
}

/* --- from outside --- */

static void action_free(struct action *v)
{
    str_free(&v->output);
    free(v->shown);
}

void actions_free(struct actions *a)
{
    if (!a)
        return;
    actions_end(a, true);
    for (size_t i = 0; i < a->n; i++)
        action_free(&a->action[i]);
    free(a->action);
    free(a->record);
    free(a->servers);
    if (a->wake >= 0)
        close(a->wake);
    if (a->timer >= 0)
        close(a->timer);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

int actions_open(struct actions *a, struct err *e)
{
    sigset_t all, before;
    int rc;

    if (!a)
        return 0;
    a->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (a->wake < 0)
        return err_sys(e, errno, "--at: cannot create an eventfd");
    a->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (a->timer < 0)
        return err_sys(e, errno, "--at: cannot create a timer");
    signal(SIGCHLD, SIG_DFL); /* some parents leave it ignored: then waitid never reports an end */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&a->thread, NULL, actions_thread, a);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc)
        return err_sys(e, rc, "--at: cannot create its thread");
    a->running = true;
    return 0;
}

void actions_server(struct actions *a, const pid_t *pids, size_t n)
{
    struct str s = STR_INIT;

    if (!a)
        return;
    for (size_t i = 0; i < n; i++)
        str_printf(&s, "%s%ld", i ? " " : "", (long)pids[i]);
    pthread_mutex_lock(&a->lock);
    free(a->servers);
    a->servers = mem_strdup(str_cstr(&s));
    pthread_mutex_unlock(&a->lock);
    str_free(&s);
}

static void wake(struct actions *a)
{
    const uint64_t one = 1;

    if (write(a->wake, &one, sizeof one) < 0)
        return; /* the counter is full: it is awake */
}

void actions_begin(struct actions *a, mono_ns from)
{
    if (!a)
        return;
    atomic_store(&a->from, from);
    wake(a);
}

void actions_interval(struct actions *a, mono_ns at)
{
    if (a)
        atomic_store(&a->read_at, at);
}

void actions_final_reading(struct actions *a)
{
    if (a)
        atomic_store(&a->final_reading, true);
}

void actions_end(struct actions *a, bool no_grace)
{
    if (!a || !a->running)
        return;
    atomic_store(&a->no_grace, no_grace);
    atomic_store(&a->over, clock_mono());
    wake(a);
    pthread_join(a->thread, NULL);
    a->running = false;
}

const struct report_action *actions_record(struct actions *a, size_t *n)
{
    *n = 0;
    if (!a)
        return NULL;
    pthread_mutex_lock(&a->lock);
    for (size_t i = 0; i < a->n; i++)
        a->record[i] = a->action[i].r;
    pthread_mutex_unlock(&a->lock);
    *n = a->n;
    return a->record;
}
