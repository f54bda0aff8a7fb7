/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See status_thread.h: what is asked for each report.  The counters come first, and are known to a
 * reader that waits no longer; then the sessions of others, a sample of waits, and what options ask
 * for, one after another.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "fiber/sched.h"
#include "report/snapshot.h"
#include "session/answers.h"
#include "session/other_sessions.h"
#include "session/sql_texts.h"
#include "session/status_thread.h"

static const char *ask_others(struct server_status *s, double all,
                              union other_sessions_answer *answer)
{
    bool rows = s->names.rows, told = false;

    sql_sessions_list(sql_connection_server(s->con), &s->others.ids);
    if (!s->others.ids.up)
        return "this program does not know its own sessions";
    *answer = (union other_sessions_answer){.newest = (double)s->others.newest};
    if (rows && s->others.direct && all == (double)s->others.ids.up)
        return NULL; /* there are no others: the list would cost more */
    str_reset(&s->others.query);
    other_sessions_question(&s->others.query, rows, &s->others.ids, s->others.newest,
                            s->others.at ? clock_mono() - s->others.at : 0);
    sql_result *res = status_ask(s, str_cstr(&s->others.query));
    for (sql_row *row; (row = answer_row(res)) != NULL;)
        told = other_sessions_take(answer, row->values, res->nfields);
    if (!told)
        return "the server refused the query for its sessions";
    s->others.direct = answer->own == (double)sql_connection_session(s->con);
    return other_sessions_why(answer, rows, sql_connection_session(s->con), all);
}

static void read_others(struct server_status *s, struct status_reading *r)
{
    struct status_others *sum = &s->others.sum;
    union other_sessions_answer answer = {0};
    double all = 0;

    for (size_t i = 0; i < s->names.n; i++)
        if (strcmp(s->names.name[i].name, "Threads_connected") == 0)
            all = r->v[i];
    sum->why = s->wants.shared
                   ? "the connections of other load hosts cannot be told from those of others"
               : !r->have ? "the server did not answer"
                          : ask_others(s, all, &answer);
    if (!sum->why) {
        mono_ns now = clock_mono();
        dur_ns since = s->others.at ? now - s->others.at : 0;
        sum->connected = (unsigned)answer.connected;
        sum->known += since;
        sum->active += since * (dur_ns)answer.active;
        sum->busy += answer.active > 0 ? since : 0;
        s->others.newest = (uint64_t)answer.newest;
        s->others.at = now;
    } else if (answer.own > 0 && s->others.direct) { /* a mean of the rest would be too low */
        sum->hidden++;
        sum->hides = sum->why;
    }
    r->others = *sum;
}

/* Of what the server has counted: `before` the question and `after` the answer others had done the
 * rest. */
static void note_work(struct server_status *s, const struct status_more *more,
                      struct sql_work before, struct sql_work after)
{
    struct status_others *sum = &s->others.sum;

    sum->background = !s->names.rows;
    sum->no_work = after.several    ? SNAPSHOT_SEVERAL_HOSTS
                   : !more->counted ? "the server does not tell how many statements it executed"
                                    : NULL;
    sum->counted = more->counted;
    sum->greeted = s->others.greets ? after.logins : 0;
    sum->least = more->counted - (double)after.sent;
    sum->most = more->counted - (double)before.answered - s->names.rows; /* the question itself */
}

/* For a reader that waits no longer. */
static void note(struct server_status *s, const struct status_reading *r, uint64_t request)
{
    pthread_mutex_lock(&s->lock);
    s->answer = *r;
    s->counted = request;
    pthread_mutex_unlock(&s->lock);
}

/* Our questions are left out. */
void status_values_join(struct server_status *s, double up, struct status_reading *r)
{
    status_join(&s->lives, s->names.name, s->names.n, up, r);
    for (size_t i = 0; i < s->names.n; i++) { /* in all lives of the server */
        const char *of = s->names.rows ? s->names.ask[i].way : s->names.name[i].name;
        if (s->names.rows ? strcasecmp(of, "Queries") == 0 || strcasecmp(of, "Questions") == 0
                          : strcmp(of, "xact_commit") == 0)
            r->v[i] -= s->waits.counted;
    }
}

/* --- what options ask for --- */

/* `printed`, which becomes its own or is freed. */
static const char *keep_reason(struct server_status *s, char *printed)
{
    size_t i = 0;

    while (i < COUNT(s->reason) && s->reason[i] && strcmp(s->reason[i], printed) != 0)
        i++;
    if (i < COUNT(s->reason) && !s->reason[i])
        return s->reason[i] = printed;
    free(printed);
    return i < COUNT(s->reason) ? s->reason[i] : "the server refused the query";
}

/* The first column of the first row.  NULL, or why it is no number. */
static const char *ask_one(struct server_status *s, const char *sql, double *v)
{
    const char *needs = strstr(sql, " -- "), *why = "the query has no row";
    char *said = NULL;

    const char *mark = strncasecmp(sql, "SELECT ", 7) ? ""
                       : s->names.rows                ? SQL_MARK_MYSQL
                                                      : SQL_MARK_PGSQL;
    str_reset(&s->others.query);
    str_printf(&s->others.query, "%s %s", mark, sql);
    sql_result *res = status_ask(s, str_cstr(&s->others.query));
    if (!res)
        why = s->con->sql_errmsg     ? s->con->sql_errmsg
              : answers_lost(s->con) ? "the server did not answer"
                                     : "the query has no result";
    for (sql_row *row; (row = answer_row(res)) != NULL;) {
        const sql_value *c = row->values;
        if (said || !why || !res->nfields)
            continue;
        if (answer_number(c, v) && isfinite(*v))
            why = NULL;
        else
            why = said = c->ptr ? mem_printf("it is '%.*s', which is no number",
                                             (int)(c->len < 40 ? c->len : 40), c->ptr)
                                : mem_printf("it is NULL");
    }
    if (why)
        why = keep_reason(s, mem_printf("%.*s%s%s", (int)strcspn(why, "\r\n"), why,
                                        needs ? "; " : "", needs ? needs + 4 : ""));
    free(said);
    return why;
}

/* To half of STATUS_ANSWER_LIMIT.  A proxy may leave the setting to a client. */
static void limit_queries(struct server_status *s, bool on)
{
    static const char *const set[][2] = {{SQL_UNLIMIT_PGSQL, SQL_LIMIT_PGSQL},
                                         {SQL_UNLIMIT_MYSQL, SQL_LIMIT_MYSQL}};

    if (s->others.direct && !answers_lost(s->con))
        status_ask(s, set[s->names.rows][on]);
}

/* What is not among the counters, and what the server did not know among them: after each answer
 * `out` is complete, of a server of these `lives`, and known to a reader that waits no longer. */
static void ask_more(struct server_status *s, struct status_reading *r,
                     const struct status_lives *lives, double up, struct status_reading *out,
                     uint64_t request)
{
    const mono_ns until = r->at - r->cost_ns / 2 + STATUS_ANSWER_LIMIT / 2;
    bool limited = false;

    note(s, out, request);
    for (size_t i = s->names.own; i < s->names.n; i++) {
        bool have = r->have >> i & 1, more = !have;
        while (more && !answers_lost(s->con)) {
            const char *sql = status_names_query(&s->names, i);
            if (sql && clock_mono() > until) { /* its reader shall wait for the next request, too */
                r->no[i] = "the questions before it left no time to ask for it";
                break;
            }
            if (sql && !limited)
                limit_queries(s, limited = true);
            r->no[i] = sql ? ask_one(s, sql, &r->v[i]) : "the server has no such variable";
            have = !r->no[i];
            more = !have && status_names_turn(&s->names, i);
        }
        s->names.ask[i].answered |= have;
        r->have |= (uint64_t)have << i;
        s->lives = *lives;
        *out = *r;
        status_values_join(s, up, out);
        note(s, out, request);
    }
    if (limited)
        limit_queries(s, false);
}

/* --- all of it --- */

/* The counters, less what of them is our own. */
static void ask_counters(struct server_status *s, struct status_reading *r, bool first,
                         struct status_more *more)
{
    struct sql_work before = sql_sessions_work();

    if (!s->names.rows) /* else some are counted later, as those of all are */
        sql_settle(s->con);
    double settled = (double)sql_settled();              /* so many are counted already */
    const double asked = s->waits.asked + s->names.rows; /* MySQL counts a question that begins */
    sql_result *res = status_ask(s, str_cstr(&s->query));
    if (!res)
        snprintf(r->why, sizeof r->why, "the server refused the query: %.100s",
                 s->con->sql_errmsg ? s->con->sql_errmsg : "no answer");
    for (sql_row *row; (row = answer_row(res)) != NULL;)
        status_names_take(&s->names, r, row->values, res->nfields, more);
    if (first && s->names.rows && more->counted && ++s->waits.asked)
        s->others.greets = answer_one(s->con, "SELECT LENGTH(@@init_connect)") > 0;
    if (r->have) {
        note_work(s, more, before, sql_sessions_work());
        s->waits.counted = asked;
    }
    for (size_t i = 0; i < s->names.n; i++)
        if (strcmp(s->names.name[i].name, "xact_commit") == 0)
            r->v[i] -= settled;
    for (size_t i = s->names.own; i < s->names.n; i++)
        r->no[i] = r->have >> i & 1 || !r->have ? NULL : "the server did not answer within 0.1 s";
    r->cost_ns = clock_mono() - r->at;
    r->at += r->cost_ns / 2;
}

void status_values_read(struct server_status *s, struct status_reading *r, uint64_t request)
{
    const mono_ns begin = clock_mono();
    struct status_more more = {0};

    *r = (struct status_reading){.at = begin, .others = s->others.sum, .waits = s->waits.sum};
    sched_limit_waits(begin + s->question_limit);
    if (s->wants.counters)
        ask_counters(s, r, !request, &more);
    const struct status_lives lives = s->lives;
    struct status_reading told = *r;
    if (s->wants.counters)
        status_values_join(s, more.up, r);
    if (request && s->wants.counters) {
        r->others.why = "the server did not list its sessions within 0.1 s";
        note(s, r, request);
        read_others(s, r);
    }
    if (request)
        status_waits_read(s, begin, r);
    told.others = r->others;
    told.waits = r->waits;
    if (request && r->have && s->names.own < s->names.n)
        ask_more(s, &told, &lives, more.up, r, request);
    sched_limit_waits(0);
}
