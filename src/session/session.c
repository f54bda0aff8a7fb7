/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See session.h.
 */
#include "session/session.h"

#include <string.h>

#include "base/log.h"
#include "session/run_record.h"
#include "session/process.h"
#include "sql/sql.h"

struct report_end session_end(const struct run_result *r)
{
    return (struct report_end){.status = "completed",
                               .signal = r->signal,
                               .measured = r->measured,
                               .searched = r->final.find != NULL,
                               .sustained = r->sustained,
                               .unknown = r->unknown,
                               .achieved = r->final.rate.achieved,
                               .accounts_balance = r->accounts_balance,
                               .why = r->why,
                               .since_stage = r->since_stage,
                               .since = r->since,
                               .interrupted = r->interrupted,
                               .offered = r->final.rate.total_offered,
                               .wall = clock_wall()};
}

static void read_actions(struct session *s)
{
    s->record.info.action = actions_record(s->actions, &s->record.info.actions);
}

/* Commands that begin from now on are told. */
static void tell_actions(void *arg, const pid_t *pids, size_t n)
{
    struct session *s = arg;

    actions_server(s->actions, pids, n);
}

static void complete_server(const struct attach *a, struct snapshot_server *v)
{
    if (*a->why)
        v->why_off = a->why;
    v->has_before = a->has_before;
    v->before_pct = a->before_pct;
}

/* Adds the facts about an interval that the engine does not know. */
static void complete(struct session *s, struct snapshot *v)
{
    int host = s->status ? server_status_host(s->status) : -1;

    if (v->kind == SNAPSHOT_FINAL) {
        actions_end(s->actions, s->result->signal != 0);
        marking_last(s->marking, v);
    }
    read_actions(s);
    v->host_asked = host >= 0 && (size_t)host < s->hosts ? s->host_name[host] : NULL;
    complete_server(&s->attach, &v->server);
    for (size_t i = 0; i < v->nphases; i++)
        complete_server(&s->attach, &v->phases[i].s->server);
    for (size_t i = 0; i < v->nstages; i++)
        complete_server(&s->attach, &v->stages[i].s->server);
}

static void on(void *self, struct run_event *event)
{
    struct session *s = self;
    struct str text = STR_INIT;

    actions_on(s->actions, event);
    switch (event->kind) {
    case RUN_READY: /* all connections are up */
        s->attach.on_change = tell_actions;
        s->attach.arg = s;
        if (s->status && sql_in_use())
            server_status_connect(s->status);
        event->server = attach_find(&s->attach, sql_in_use());
        attach_read_before(&s->attach);
        event->no_server = *s->attach.why ? s->attach.why : NULL;
        actions_server(s->actions, s->attach.pids, s->attach.npids);
        if (s->record_environment) {
            run_environment_add_server(&s->environment, s->attach.pids, s->attach.npids, s->remote,
                                       sql_in_use() ? s->driver : NULL);
            s->record.info.record = &s->environment;
        }
        break;
    case RUN_STARTED:
        slow_clock_warning(&text, slow_clock_cost(), "/sys");
        if (text.len)
            log_warn("%s", text.s);
        str_free(&text);
        break;
    case RUN_SNAPSHOT: complete(s, event->s); break;
    default: break;
    }
}

const struct observer_ops session_observer = {.name = "session", .on = on};

int session_open(struct session *s, struct err *e)
{
    /* marks first: threads that are started from here on must not be interrupted by SIGUSR1 */
    if (marking_open(s->marking, s->mark_on, e) || actions_open(s->actions, e))
        return -1;
    read_actions(s);
    return observers_open(&s->run.list, e);
}

int session_close(struct session *s, int rc, struct err *e)
{
    const struct run_result *r = s->result;

    actions_end(s->actions, true);
    read_actions(s);
    marking_close(s->marking);
    struct err before = *e;
    if (r->began && !r->measured)
        observers_say(&s->run.list, RUN_CLOSING);
    struct report_end end = session_end(r);

    end.has_rate = s->has_rate;
    if (r->forced)
        end.status = "forced";
    else if (r->signal)
        end.status = "interrupted";
    else if (rc && before.kind != ERR_UNMET)
        end.status = "failed";
    if (rc && *before.msg)
        end.error = before.msg;
    return observers_close(&s->run.list, &end, rc, e);
}

void session_free(struct session *s)
{
    attach_close(&s->attach);
    probe_free(s->probe);
    server_status_free(s->status);
    remote_close(s->remote);
    environment_free(&s->environment);
    actions_free(s->actions);
    marking_free(s->marking);
    run_record_free(&s->record);
    memset(s, 0, sizeof *s);
}
