/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The main thread from the first client that connects to the last that is ready: handles failures
 * and timeouts, shows progress, and cancels the run.
 */
#include "engine/ranks.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/client_errors.h"
#include "base/log.h"
#include "sql/sql.h"

/* Progress, on stderr: a line that is redrawn on a terminal, else a new one each time. */
#define FIRST_AFTER  (2 * NS_PER_SEC)
#define REDRAW       NS_PER_SEC
#define MANY_CLIENTS 100

struct ready_line {
    bool terminal, visible;
    mono_ns next;
};

static void line_write(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* a terminal that was closed must not stop the work */
}

static uint32_t load(const _Atomic uint32_t *v)
{
    return atomic_load((_Atomic uint32_t *)(uintptr_t)v);
}

static void describe(const struct run *r, char *out, size_t size)
{
    uint32_t broken = load(&r->broken), ready = load(&r->ready), absent = load(&r->absent);
    int n, with = atomic_load((_Atomic int *)(uintptr_t)&r->refused_with);

    ready -= broken < ready ? broken : ready;
    if (!sql_in_use()) {
        snprintf(out, size, "%u of %d clients are ready", (unsigned)ready, r->plan->clients);
        return;
    }
    n = snprintf(out, size, "connected %u/%d", (unsigned)ready, r->plan->clients);
    if (absent && n > 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, ", %u refused", (unsigned)absent);
    if (absent && with && n > 0 && (size_t)n < size) /* PostgreSQL's errors have no number */
        snprintf(out + n, size - (size_t)n, " (%d)", with);
}

/* Elsewhere than on a terminal the lines are worth it only for many connections: scripts of stock's
 * users read both streams. */
static bool is_long_ramp(const struct run *r)
{
    return sql_in_use() && r->plan->clients >= MANY_CLIENTS;
}

static void draw(struct ready_line *l, const struct run *r, mono_ns now)
{
    char text[80], line[96];

    if (now < l->next)
        return;
    l->next = now + REDRAW;
    if (!l->terminal && !is_long_ramp(r))
        return;
    describe(r, text, sizeof text);
    snprintf(line, sizeof line, l->terminal ? "\r%s\033[K" : "%s\n", text);
    line_write(line);
    l->visible = l->terminal;
}

static void wipe(struct ready_line *l)
{
    if (l->visible)
        line_write("\r\033[K");
    l->visible = false;
}

int ready_call_off(struct run *r)
{
    run_call_off(r, STOP_ERROR);
    carrier_join(r);
    return -1;
}

static int interrupted(struct run *r, struct run_result *res, int sig, struct err *e)
{
    res->signal = sig;
    res->clients_left = atomic_load(&r->ready) < (uint32_t)r->plan->clients;
    run_call_off(r, STOP_SIGNAL);
    if (!res->clients_left)
        carrier_join(r);
    return err_set(e, ERR_REPORTED, "interrupted before the run began");
}

/* Another rank has called the run off. */
static int called_off(struct run *r, struct run_result *res)
{
    res->clients_left = atomic_load(&r->ready) < (uint32_t)r->plan->clients;
    run_call_off(r, STOP_ERROR);
    if (!res->clients_left)
        carrier_join(r);
    return -1;
}

/* 0.4 and 0.5 had no such line of their own. */
static int init_failed(const struct run *r, struct err *e)
{
    return err_set(e, r->plan->generation->old ? ERR_REPORTED : ERR_FAILED, "%s",
                   r->plan->generation->init_failed);
}

/* A client has failed, so there will be no run: the others need not get ready.  Those that do not
 * within the grace are left. */
static int give_up(struct run *r, struct run_result *res, struct err *e)
{
    res->clients_left = true;
    run_call_off(r, STOP_ERROR);
    client_errors_print();
    if (r->first.kind != ERR_REPORTED)
        log_fatal("%s", r->first.msg);
    return init_failed(r, e);
}

/* Behind stock's line, which says neither how many nor what for. */
static void say_who_waits(const struct run *r)
{
    unsigned ready = load(&r->ready), connecting = load(&r->connecting), all;

    all = (unsigned)r->plan->clients;
    connecting = connecting < all - ready ? connecting : all - ready;
    if (sql_in_use())
        log_stderr("Ready: %u of %u clients; connecting: %u; connected, and waiting in "
                   "thread_init() (PREPARE, for one): %u.",
                   ready, all, connecting, all - ready - connecting);
    else
        log_stderr("Ready: %u of %u clients; in thread_init(): %u.", ready, all, all - ready);
}

/* When the grace that follows the first failure ends; *failed: when it was noticed, 0 if not. */
static mono_ns grace_end(struct run *r, mono_ns *failed, mono_ns now)
{
    if (!*failed && atomic_load(&r->broken))
        *failed = now;
    return *failed ? *failed + COURSE_GRACE : MONO_NEVER;
}

static int wait_for_all(struct run *r, struct ready_line *l, struct run_result *res, struct err *e)
{
    const struct plan *p = r->plan;
    mono_ns limit = r->init_by, failed = 0, grace, wake;

    for (;;) {
        uint32_t word = atomic_load(&r->word);
        int sig = atomic_load(&r->signal);
        mono_ns now = run_now(r);
        if (sig)
            return interrupted(r, res, sig, e);
        if (ranks_are_off(r, e))
            return called_off(r, res);
        if (atomic_load(&r->ready) == (uint32_t)p->clients)
            return 0;
        /* once there were too many it stays so: another one may connect while they fail */
        switch (run_stopped(r) || atomic_load(&r->broken) ? ABSENT_WAIT : absent_look(r)) {
        case ABSENT_BEGIN: return 0;
        case ABSENT_TOO_MANY: run_stop(r, STOP_ERROR); break; /* they fail now */
        case ABSENT_WAIT: break;
        }
        if (now >= limit) {
            res->clients_left = true;
            wipe(l);
            say_who_waits(r);
            run_call_off(r, STOP_ERROR);
            return err_set(e, ERR_TIMEOUT,
                           "Worker threads failed to initialize within %lld seconds!",
                           (long long)(p->init_timeout / NS_PER_SEC));
        }
        grace = grace_end(r, &failed, now);
        if (now >= grace)
            return give_up(r, res, e);
        draw(l, r, now);
        wake = grace < limit ? grace : limit;
        clock_await(r->clock, l->next < wake ? l->next : wake, &r->word, word);
    }
}

int ready_await(struct run *r, struct run_result *res, struct err *e)
{
    struct ready_line l = {.terminal = isatty(STDERR_FILENO), .next = run_now(r) + FIRST_AFTER};
    int rc = wait_for_all(r, &l, res, e);

    wipe(&l);
    if (rc)
        return -1;
    if (carrier_check(r, e))
        return ready_call_off(r);
    if (atomic_load(&r->broken) == 0)
        return 0;
    ready_call_off(r);
    client_errors_print();
    if (r->first.kind != ERR_REPORTED)
        log_fatal("%s", r->first.msg);
    return init_failed(r, e);
}
