/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The last report of a run, when its clients have ended or were abandoned, and what the run comes
 * to.  A member of several ranks reports to the leader.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "engine/collect.h"
#include "engine/ranks.h"

static mono_ns end_of_run(const struct run *r, const struct ticker *t, const struct run_result *res)
{
    mono_ns end = t->collect.origin.at + 1;

    if (res->clients_left)
        return run_now(r);
    for (int i = 0; i < r->plan->clients; i++)
        if (r->client[i].loop_end > end)
            end = r->client[i].loop_end;
    return ranks_run_end(r, end);
}

/* False: it failed before a transaction was done, and stock prints no report. */
static bool has_result(const struct run *r, const struct ticker *t, const struct run_result *res)
{
    return t->collect.now.count[CNT_DONE] > 0 || res->clients_left || res->signal ||
           run_stopped(r) == STOP_TIME || run_stopped(r) == STOP_NONE;
}

/* A member's.  A warm-up that did not end has measured nothing. */
static void tell_end(struct run *r, struct ticker *t, struct run_result *res)
{
    mono_ns end;

    res->sustained = res->accounts_balance = true;
    if (atomic_load(&t->origin) != ORIGIN_MEASURING)
        collect_origin(&t->collect, run_now(r));
    end = end_of_run(r, t, res);
    collect_own(&t->collect, SNAPSHOT_FINAL, end);
    ranks_tell_end(&t->collect, res, end);
}

/* Clients that another rank has abandoned. */
static void note_forced(const struct run *r, struct run_result *res)
{
    const struct rank_end *all = ranks_end(r);

    if (res->forced || !all || !all->forced)
        return;
    log_fatal("The --max-time limit has expired, another rank was forced to shut down...");
    res->forced = true;
}

/* "SIGINT after 2.9 s of 600 s", "SIGTERM after 2.9 s", "SIGHUP in the warm-up".  A terminal shows
 * it at the head of the report, if there is one. */
static void say_interrupted(const struct run *r, struct run_result *res, bool measuring,
                            dur_ns after)
{
    const char *name = res->signal == SIGINT    ? "SIGINT"
                       : res->signal == SIGTERM ? "SIGTERM"
                       : res->signal == SIGHUP  ? "SIGHUP"
                                                : "a signal";
    char limit[32] = "";

    if (after < r->plan->time_limit)
        snprintf(limit, sizeof limit, " of %.6g s", dur_sec(r->plan->time_limit));
    if (measuring)
        snprintf(res->interrupted, sizeof res->interrupted, "%s after %.1f s%s", name,
                 dur_sec(after), limit);
    else
        snprintf(res->interrupted, sizeof res->interrupted, "%s in the warm-up", name);
    if (!measuring || !isatty(STDOUT_FILENO))
        log_stderr("Interrupted (%s)", res->interrupted);
}

static void final_report(struct run *r, struct ticker *t, struct run_result *res)
{
    struct snapshot *s = &res->final;
    bool measuring = atomic_load(&t->origin) == ORIGIN_MEASURING;
    mono_ns end;

    ranks_await_ends(r);
    if (!measuring) {
        log_notice("The run ended during the warm-up: nothing was measured.");
        collect_origin(&t->collect, run_now(r));
    }
    end = end_of_run(r, t, res);
    collect_own(&t->collect, SNAPSHOT_FINAL, end);
    ranks_ends(&t->collect, res);
    note_forced(r, res);
    collect_snapshot(&t->collect, SNAPSHOT_FINAL, end, s);
    if (res->signal)
        say_interrupted(r, res, measuring, s->elapsed_ns);
    s->threads_running = 0;
    if (res->forced)
        s->unfinished_forced = baseline_in_flight(&t->collect.now);
    res->measured = measuring;
    s->untold = !has_result(r, t, res) && !snapshot_tells_rate(s) && !s->server.on;
    judge(&t->collect, s, res);
}

void run_report(struct run *r, struct ticker *t, struct run_result *res)
{
    if (ranks_follow(r))
        tell_end(r, t, res);
    else
        final_report(r, t, res);
}

int run_outcome(struct run *r, const struct run_result *res, struct err *e)
{
    char why[200];

    if (r->first.kind != ERR_NONE) {
        *e = r->first;
        return -1;
    }
    if (ranks_told(r))
        return 0; /* the leader says why */
    if (run_stopped(r) == STOP_OVERLOAD || res->overloaded)
        return err_set(e, ERR_FAILED, "%s",
                       r->plan->stock_rate
                           ? r->plan->generation->queue_full
                           : "the rate could not be held: more transactions were overdue than "
                             "--tx-burst or --tx-max-lag allow");
    if (res->forced)
        return err_set(e, ERR_REPORTED, "forced shutdown");
    if (ranks_failed(r, why, sizeof why))
        return err_set(e, ERR_FAILED, "%s", why);
    return 0;
}
