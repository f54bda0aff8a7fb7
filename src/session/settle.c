/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See settle.h.
 */
#include "session/settle.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "fiber/sched.h"
#include "session/answers.h"
#include "session/sql_texts.h"

#define USUAL      (60 * NS_PER_SEC)
#define MOST       (24 * 3600 * NS_PER_SEC)
#define LOOK       (200 * NS_PER_MS)
#define STILL      (5 * NS_PER_SEC)
#define LIMIT_LATE (2 * NS_PER_SEC) /* the server is told a limit, and may need so long to obey */

/* `ask` has a number and, if `act` is NULL, from where on it is low enough: it is asked for again
 * until then.  Else `act` is done, for the tables that `ask` counts and names. */
static const struct step {
    bool pgsql;
    const char *name, *of, *ask, *act;
    dur_ns still;      /* 0: it will fall, however long that takes */
    const char *takes; /* why the answer has no number, or it is not allowed */
} steps[] = {
    {true, "vacuum and analyze", "changed tables", SQL_SETTLE_TABLES, "VACUUM (ANALYZE) ", 0, NULL},
    {true, "autovacuum", "workers", SQL_SETTLE_WORKERS, NULL, 0, NULL},
    {true, "checkpoint", NULL, "SELECT 1", "CHECKPOINT", 0,
     "CHECKPOINT takes pg_checkpoint, or a superuser"},
    /* of others, where our own was not allowed */
    {true, "running checkpoint", "checkpoints", SQL_SETTLE_CHECKPOINTER, NULL, 0,
     "this role may not see it: that takes pg_read_all_stats"},
    {false, "analyze", "tables", SQL_SETTLE_ANALYZE, "ANALYZE NO_WRITE_TO_BINLOG TABLE ", 0, NULL},
    {false, "purge", "history list", SQL_SETTLE_PURGE, NULL, STILL, NULL},
    {false, "change buffer", "pages", SQL_SETTLE_CHANGE_BUFFER, NULL, STILL,
     "change buffering is off (innodb_change_buffering)"},
    {false, "dirty pages", "pages", SQL_SETTLE_DIRTY, NULL, 3 * NS_PER_SEC / 2, NULL},
};

int settle_limit(const char *text, dur_ns *limit, struct err *e)
{
    *limit = strcmp(text, "off") == 0 ? 0 : USUAL;
    if (!*text || strcmp(text, "on") == 0 || *limit == 0)
        return 0;
    if (units_duration(text, NS_PER_SEC, limit, NULL) == 0 && *limit <= MOST)
        return 0;
    return err_set(e, ERR_USAGE,
                   "Invalid value for --settle: '%s' (allowed: on, off, or seconds, up to a day)",
                   text);
}

const char *settle_look(struct settle_watch *w, double value, double enough, mono_ns now,
                        dur_ns still, mono_ns until)
{
    if (isnan(w->before) || value < w->lowest) {
        w->lowest = value;
        w->since = now;
    }
    w->before = isnan(w->before) ? value : w->before;
    w->after = value;
    if (value <= enough)
        return "done";
    if (still && now - w->since >= still)
        return "no longer falling";
    return now >= until ? "limit" : NULL;
}

struct runner {
    sql_connection *con;
    mono_ns until;
    uint64_t place; /* where in the list of servers */
};

static uint64_t place_of(void *arg)
{
    return ((struct runner *)arg)->place;
}

/* The number that an answer begins with, and what stands beside it.  Errors that ANALYZE tells in
 * its rows stand there, too.  False: there is none. */
static bool query(struct runner *r, const char *text, double *v, struct str *more)
{
    str_reset(more);
    sched_limit_waits(r->until + LIMIT_LATE);
    sql_result *res = sql_query(r->con, text, strlen(text));
    sql_row *row = answer_row(res);
    bool told = row && answer_number(&row->values[0], v);
    if (told && res->nfields == 2)
        str_add(more, row->values[1].ptr, row->values[1].len);
    for (; row; row = answer_row(res))
        if (res->nfields == 4 && row->values[2].len == strlen("Error") && !more->len)
            str_add(more, row->values[3].ptr, row->values[3].len);
    sched_limit_waits(0);
    return told;
}

/* The server ends what takes longer than is left. */
static void tell_limit(struct runner *r, bool pgsql, struct str *more)
{
    struct str text = STR_INIT;
    double v;

    str_printf(&text, pgsql ? SQL_SETTLE_LIMIT_PGSQL : SQL_SETTLE_LIMIT_MYSQL,
               1 + (long)((r->until - clock_mono()) / NS_PER_SEC));
    query(r, str_cstr(&text), &v, more);
    str_free(&text);
}

/* NULL: not done. */
static const char *act(struct runner *r, const struct step *step, double n, struct str *more)
{
    struct str text = STR_INIT;
    double v;

    str_printf(&text, "%s%s", step->act, str_cstr(more));
    str_reset(more);
    if (n > 0)
        query(r, str_cstr(&text), &v, more);
    str_free(&text);
    return r->con->error == DB_ERROR_NONE && !more->len ? "done"
           : clock_mono() >= r->until                   ? "limit"
                                                        : NULL;
}

static void run_step(struct runner *r, const struct step *step, struct report_settle *out)
{
    struct settle_watch w = {.before = NAN, .after = NAN};
    struct str more = STR_INIT;
    char line[80];
    double v = 0;

    tell_limit(r, step->pgsql, &more);
    while (query(r, step->ask, &v, &more)) {
        if (step->act)
            w.after = step->of ? v : NAN;
        out->outcome = step->act ? act(r, step, v, &more)
                                 : settle_look(&w, v, strtod(str_cstr(&more), NULL), clock_mono(),
                                               step->still, r->until);
        if (out->outcome || step->act)
            break;
        snprintf(line, sizeof line, "settling: %s, %s %.0f", step->name, step->of, v);
        log_status(line);
        usleep(LOOK / NS_PER_US);
    }
    log_status(NULL);
    out->before = w.before;
    out->after = w.after;
    if (!out->outcome) {
        const sql_connection *c = r->con;
        bool right = c->error == DB_ERROR_NONE || (c->sql_state && !strcmp(c->sql_state, "42501"));
        const char *why = more.len                                     ? str_cstr(&more)
                          : step->takes && right                       ? step->takes
                          : c->sql_errmsg && c->error != DB_ERROR_NONE ? c->sql_errmsg
                                                                       : "there was no answer";
        snprintf(out->why, sizeof out->why, "%.*s", (int)strcspn(why, "\n"), why);
        out->outcome = "not done";
    }
    str_free(&more);
}

static int all_steps(struct runner *r, struct report_settle **list, size_t *n, const char *host,
                     bool pgsql, struct err *e)
{
    for (const struct step *step = steps; step < steps + COUNT(steps); step++) {
        mono_ns began = clock_mono();
        if (step->pgsql != pgsql)
            continue;
        *list = mem_grow(*list, *n + 1, sizeof **list);
        struct report_settle *out = &(*list)[(*n)++];
        *out = (struct report_settle){host, step->name, .of = step->of};
        out->limit_s = dur_sec(r->until > began ? r->until - began : 0);
        out->before = out->after = NAN;
        if (began < r->until) {
            run_step(r, step, out);
        } else {
            out->outcome = "not done";
            snprintf(out->why, sizeof out->why, "no time was left");
        }
        out->took_s = dur_sec(clock_mono() - began);
        if (answers_lost(r->con) && clock_mono() < r->until)
            return err_set(e, ERR_FAILED, "the connection of --settle was lost (%s): %s",
                           step->name, out->why);
    }
    return 0;
}

/* Nothing has begun that would have to end. */
static void on_signal(int sig)
{
    static const char text[] = "sysbench: stopped while the server settled, no run began\n";

    log_status(NULL);
    ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
    (void)n; /* there is no other place to say it */
    _exit(128 + sig);
}

static void catch_signals(void (*from)(int), void (*to)(int))
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction is, wanted = {.sa_handler = to};

    for (size_t i = 0; i < COUNT(ends); i++) /* what the parent process ignores stays ignored */
        if (sigaction(ends[i], NULL, &is) == 0 && is.sa_handler == from)
            sigaction(ends[i], &wanted, NULL);
}

int settle_run(struct report_settle **step, size_t *n, const char *driver,
               const struct sql_servers *servers, dur_ns limit, struct err *e)
{
    struct counters *counters = mem_array_aligned(1, sizeof *counters);
    struct runner r = {.until = clock_mono() + limit};
    struct sql_host host = {.arg = &r, .counters = counters, .auxiliary = true, .place = place_of};
    sql_driver *d = sql_driver_get(driver);
    int rc = d ? 0 : err_set(e, ERR_REPORTED, "no driver");

    catch_signals(SIG_DFL, on_signal);
    for (size_t i = 0; rc == 0 && i < (servers->n ? servers->n : 1); i++) {
        const char *name = servers->n > 1 ? servers->name[i] : NULL;
        while (name && sql_servers_at(servers, r.place) != (int)i)
            r.place++;
        r.con = sql_connect(d, &host);
        if (!r.con || (name && sql_connection_server(r.con) != (int)i))
            rc =
                err_set(e, ERR_FAILED, "--settle cannot connect to %s", name ? name : "the server");
        log_mute_thread(true); /* a refusal is a line of the report */
        if (rc == 0)
            rc = all_steps(&r, step, n, name, strcmp(driver, "pgsql") == 0, e);
        if (r.con)
            sql_connection_free(r.con);
        log_mute_thread(false);
    }
    catch_signals(on_signal, SIG_DFL);
    free(counters);
    return rc;
}
