/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads --at and --do into a list of actions.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "opt/secret.h"
#include "session/actions.h"
#include "session/actions_state.h"

static const struct opt_row rows[] = {
    {.name = "at",
     .type = OPT_LIST,
     .help =
         "time after the start of measuring at which the command of --do runs: 30 or 30s, 500ms, 2m, 50% of --time; may be given several times, each with its own --do",
     .flags = OPT_ADDS | OPT_OWN},
    {.name = "do",
     .type = OPT_STRING,
     .help =
         "shell command for --at; its start is a mark in all reports, which also show its output; may be given several times",
     .flags = OPT_ADDS | OPT_OWN},
};

void actions_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_LOG, rows, sizeof rows / sizeof *rows);
}

static int bad_at(const char *text, const char *why, struct err *e)
{
    return err_set(e, ERR_USAGE, "Invalid value for --at: '%s' (%s)", text, why);
}

static int read_share(const char *text, const struct plan *p, dur_ns *at, struct err *e)
{
    double pct;

    if (units_percent(text, 0, 1e6, &pct, NULL))
        return bad_at(text, "not a percentage of --time", e);
    if (!p->time_limit)
        return bad_at(text, "a percentage needs a time limit: --time=N", e);
    *at = pct < 100 ? (dur_ns)(pct / 100 * (double)p->time_limit + 0.5) : p->time_limit;
    return 0;
}

static int read_at(const char *text, const struct plan *p, dur_ns *at, struct err *e)
{
    char why[80];

    if (strchr(text, '%')) {
        if (read_share(text, p, at, e))
            return -1;
    } else if (units_duration(text, NS_PER_SEC, at, NULL)) {
        return bad_at(text,
                      "a time after the start of measuring, such as 30, 1.5s, 500ms, 2m or 50%", e);
    }
    if (p->time_limit && *at >= p->time_limit) {
        snprintf(why, sizeof why, "the run is over by then: --time=%.12g", dur_sec(p->time_limit));
        return bad_at(text, why, e);
    }
    return 0;
}

static int read_pair(struct action *v, const char *at, const char *command, const struct plan *p,
                     struct err *e)
{
    if (!command[strspn(command, " \t\n")])
        return err_set(e, ERR_USAGE, "Invalid value for --do: '%s' (no command)", command);
    if (read_at(at, p, &v->at, e))
        return -1;
    v->text = at;
    v->child = (struct child){.out = -1, .pidfd = -1};
    v->command = command;
    v->shown = secret_shown_text(command);
    v->r = (struct report_action){.at_s = dur_sec(v->at), .command = v->shown, .exit_status = -1};
    return 0;
}

static struct actions *make(size_t n, const struct plan *p, struct marks *marks)
{
    struct actions *a = mem_alloc(sizeof *a);

    a->action = mem_array(n, sizeof *a->action);
    a->record = mem_array(n, sizeof *a->record);
    a->n = n;
    a->time = p->time_limit;
    a->interval = p->report_interval;
    a->marks = marks;
    a->servers = mem_strdup("");
    a->wake = a->timer = -1;
    pthread_mutex_init(&a->lock, NULL);
    return a;
}

int actions_new(struct actions **out, const struct opts *o, const struct plan *p,
                struct marks *marks, struct err *e)
{
    size_t n, commands;
    char **at = opt_list(o, "at", &n), **command = opt_list(o, "do", &commands);

    *out = NULL;
    if (n > commands)
        return err_set(e, ERR_USAGE, "--at=%s has no --do=COMMAND", at[commands]);
    if (commands > n)
        return err_set(e, ERR_USAGE, "--do='%s' has no --at=TIME", command[n]);
    if (n == 0)
        return 0;
    *out = make(n, p, marks);
    for (size_t i = 0; i < n; i++)
        if (read_pair(&(*out)->action[i], at[i], command[i], p, e))
            return -1;
    return 0;
}
