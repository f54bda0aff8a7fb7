/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The outcome of a --do command, as members of a JSON object.  Missing values are null.
 */
#include "report/json.h"
#include "report/json_doc.h"

static void number(struct str *out, bool *first, const char *name, bool there, double v)
{
    json_name(out, first, name);
    if (there)
        json_number(out, v);
    else
        str_adds(out, "null");
}

static void flag(struct str *out, bool *first, const char *name, bool v)
{
    json_name(out, first, name);
    str_adds(out, v ? "true" : "false");
}

void json_doc_action(struct str *out, bool *first, const struct report_action *a)
{
    static const char *const state[] = {[ACTION_WAITING] = "waiting",
                                        [ACTION_RUNNING] = "running",
                                        [ACTION_ENDED] = "ended",
                                        [ACTION_FAILED] = "not started",
                                        [ACTION_NOT_RUN] = "not run"};
    bool ended = a->state == ACTION_ENDED;

    number(out, first, "at_s", true, a->at_s);
    json_name(out, first, "command");
    json_string(out, a->command);
    json_name(out, first, "state");
    json_string(out, state[a->state]);
    number(out, first, "begin_s", ended || a->state == ACTION_RUNNING, a->begin_s);
    number(out, first, "duration_s", ended, a->duration_s);
    number(out, first, "exit_status", ended && a->exit_status >= 0, a->exit_status);
    number(out, first, "signal", ended && a->signal, a->signal);
    flag(out, first, "terminated_with_run", a->stopped);
    flag(out, first, "left_processes", a->left);
    json_name(out, first, "output");
    json_string(out, ended ? a->output : NULL);
    number(out, first, "output_bytes", ended, (double)a->output_bytes);
    json_name(out, first, "error");
    json_string(out, a->why);
}
