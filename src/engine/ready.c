/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The main thread from the first client that connects to the last that is ready: handles failures
 * and timeouts, shows progress, and cancels the run.
 */
#include "engine/client_state.h"
#include "engine/executor.h"
#include "engine/ranks.h"
#include "engine/stop.h"

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
    bool terminal;
    mono_ns next;
};

/* Elsewhere than on a terminal the lines are worth it only for many connections: scripts of stock's
 * users read both streams. */
static void draw(struct ready_line *l, const struct run *r, mono_ns now)
{
    unsigned broken = atomic_load(&r->broken), ready = atomic_load(&r->ready);
    unsigned absent = atomic_load(&r->absent);
    int with = atomic_load(&r->refused_with), clients = r->plan->clients;
    char text[80], refused[32] = "", number[16] = "";

    if (now < l->next)
        return;
    l->next = now + REDRAW;
    if (!l->terminal && !(sql_in_use() && clients >= MANY_CLIENTS))
        return;
    ready -= broken < ready ? broken : ready;
    if (absent)
        snprintf(refused, sizeof refused, ", %u refused", absent);
    if (absent && with) /* PostgreSQL's errors have no number */
        snprintf(number, sizeof number, " (%d)", with);
    if (sql_in_use())
        snprintf(text, sizeof text, "connected %u/%d%s%s", ready, clients, refused, number);
    else
        snprintf(text, sizeof text, "%u of %d clients are ready", ready, clients);
    if (l->terminal)
        log_status(text);
    else
        log_stderr("%s", text);
}

int ready_call_off(struct run *r)
{
    run_call_off(r, STOP_ERROR);
    executor_join(r);
    return -1;
}

/* Clients that are not ready yet are left. */
static int ready_leave(struct run *r, enum stop_reason why, struct run_result *res)
{
    res->clients_left = atomic_load(&r->ready) < (uint32_t)r->plan->clients;
    run_call_off(r, why);
    if (!res->clients_left)
        executor_join(r);
    return -1;
}

/* 0.4 and 0.5 had no such line of their own. */
static int init_failed(const struct run *r, struct err *e)
{
    client_errors_print();
    if (r->first.kind != ERR_REPORTED)
        log_fatal("%s", r->first.msg);
    return err_set(e, r->plan->generation->tells_new_lines ? ERR_FAILED : ERR_REPORTED, "%s",
                   r->plan->generation->init_failed);
}

static int wait_for_all(struct run *r, struct ready_line *l, struct run_result *res, struct err *e)
{
    const struct plan *p = r->plan;
    mono_ns limit = r->init_by, failed = 0, grace, wake;
    unsigned all = (unsigned)p->clients, ready, connecting, absent;

    for (;;) {
        uint32_t word = atomic_load(&r->word);
        int sig = atomic_load(&r->signal);
        mono_ns now = run_now(r);
        if (sig) {
            res->signal = sig;
            err_set(e, ERR_REPORTED, "interrupted before the run began");
            return ready_leave(r, STOP_SIGNAL, res);
        }
        if (ranks_are_off(r, e)) /* another rank has called the run off */
            return ready_leave(r, STOP_ERROR, res);
        ready = atomic_load(&r->ready);
        if (ready == all)
            return 0;
        /* once there were too many it stays so: another one may connect while they fail */
        absent = atomic_load(&r->absent);
        if (!run_stopped(r) && !atomic_load(&r->broken) && absent_allowed(r) && absent &&
            ready + absent >= all) {
            if (ready >= (unsigned)p->min_clients)
                return 0;
            run_stop(r, STOP_ERROR); /* they fail now */
        }
        if (now >= limit) {
            const double limit_s = dur_sec(p->init_timeout);
            res->clients_left = true;
            /* behind stock's line, which says neither how many nor what for */
            connecting = atomic_load(&r->connecting);
            connecting = connecting < all - ready ? connecting : all - ready;
            if (sql_in_use())
                log_stderr(
                    "Ready within --thread-init-timeout=%.12g: %u of %u clients; connecting: "
                    "%u; connected, and waiting in thread_init() (PREPARE, for one): %u.",
                    limit_s, ready, all, connecting, all - ready - connecting);
            else
                log_stderr("Ready within --thread-init-timeout=%.12g: %u of %u clients; in "
                           "thread_init(): %u.",
                           limit_s, ready, all, all - ready);
            if (sql_in_use() && connecting && p->server)
                log_stderr("%u of %u clients still wait for an answer of %s.", connecting, all,
                           p->server);
            run_call_off(r, STOP_ERROR);
            return err_set(e, ERR_TIMEOUT,
                           "Worker threads failed to initialize within %.12g seconds!", limit_s);
        }
        /* A client has failed, so there will be no run: the others need not get ready.  Those that
         * do not within the grace are left. */
        if (!failed && atomic_load(&r->broken))
            failed = now;
        grace = failed ? failed + COURSE_GRACE : MONO_NEVER;
        if (now >= grace) {
            res->clients_left = true;
            run_call_off(r, STOP_ERROR);
            return init_failed(r, e);
        }
        draw(l, r, now);
        wake = grace < limit ? grace : limit;
        clock_await(r->clock, l->next < wake ? l->next : wake, &r->word, word);
    }
}

int ready_await(struct run *r, struct run_result *res, struct err *e)
{
    struct ready_line l = {.terminal = isatty(STDERR_FILENO), .next = run_now(r) + FIRST_AFTER};
    int rc = wait_for_all(r, &l, res, e);

    log_status(NULL);
    if (rc)
        return -1;
    if (executor_check(r, e))
        return ready_call_off(r);
    if (atomic_load(&r->broken) == 0)
        return 0;
    ready_call_off(r);
    return init_failed(r, e);
}
