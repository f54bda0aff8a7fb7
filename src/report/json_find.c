/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The search for the highest rate as JSON: the objective, the answer and the steps.  A figure that
 * a step does not have is null; `why` says what kept the rate from holding.
 */
#include "report/json_doc.h"

#include <math.h>

#include "report/json.h"
#include "report/text.h"

/* "found", "none", ...: how the search ended. */
static const char *ending(enum find_end end)
{
    static const char *const names[] = {
        [FIND_GOES_ON] = "running",      [FIND_FOUND] = "found",     [FIND_NONE] = "none",
        [FIND_STEPS] = "steps",          [FIND_STOPPED] = "stopped", [FIND_STUCK] = "stuck",
        [FIND_UNMEASURED] = "unmeasured"};

    return names[end];
}

static void rate(struct str *out, bool *first, const char *name, double v)
{
    json_number_member(out, first, name, v > 0 ? v : (double)NAN);
}

/* Of each bound: its name, its limit and the figure; times in seconds. */
static void bounds(struct str *out, bool *first, const struct find_record *r,
                   const struct find_step *s)
{
    json_name(out, first, "figures");
    str_adds(out, "[");
    for (size_t i = 0; i < r->objective.n; i++) {
        const struct find_bound *b = &r->objective.bound[i];
        double unit = b->what == FIND_TIME ? 1e9 : 1;
        char name[TEXT_FIND_SIZE];
        bool inner = true;
        str_adds(out, i ? ",{" : "{");
        json_string_member(out, &inner, "name", text_find_name(name, b));
        json_string_member(out, &inner, "unit",
                           b->what == FIND_TIME          ? "s"
                           : b->what == FIND_ERRORS_RATE ? "1/s"
                                                         : "%");
        json_number_member(out, &inner, "value", s->value[i] / unit);
        json_number_member(out, &inner, "limit", b->limit / unit);
        str_adds(out, "}");
    }
    str_adds(out, "]");
}

void json_doc_find_step(struct str *out, bool *first, const struct find_record *r, size_t step)
{
    const struct find_step *s = &r->step[step];

    json_count_member(out, first, "step", step + 1);
    json_number_member(out, first, "rate_per_s", s->rate);
    json_name(out, first, "brief");
    str_adds(out, s->brief ? "true" : "false");
    json_number_member(out, first, "begin_s", dur_sec(s->from));
    json_number_member(out, first, "seconds", dur_sec(s->length));
    json_count_member(out, first, "offered", s->offered);
    json_count_member(out, first, "done", s->done);
    json_count_member(out, first, "failed", s->failed);
    json_count_member(out, first, "dropped", s->dropped);
    json_count_member(out, first, "errors", s->errors);
    json_count_member(out, first, "waiting", s->waiting);
    json_number_member(out, first, "lag_p99_s", s->lag_p99 / 1e9);
    json_number_member(out, first, "server_busy_pct", s->server_busy_pct);
    json_number_member(out, first, "client_busy_pct", s->client_busy_pct);
    bounds(out, first, r, s);
    json_name(out, first, "holds");
    str_adds(out, s->unmeasured ? "null" : s->holds ? "true" : "false");
    json_string_member(out, first, "why", s->holds ? NULL : s->why);
    json_string_member(out, first, "limit", s->limit ? text_find_limit(s->limit) : NULL);
}

void json_doc_find(struct str *out, const struct find_record *r)
{
    size_t n = atomic_load_explicit(&r->nsteps, memory_order_acquire);
    bool first = true;

    str_adds(out, "{");
    json_string_member(out, &first, "objective", r->objective.text);
    json_string_member(out, &first, "result", ending(r->end));
    rate(out, &first, "held_per_s", r->held);
    json_count_member(out, &first, "confirmed", r->confirmed);
    rate(out, &first, "not_held_per_s", r->not_held);
    json_string_member(out, &first, "why", r->failed ? r->failed->why : NULL);
    json_string_member(out, &first, "limit", r->failed ? text_find_limit(r->failed->limit) : NULL);
    json_name(out, &first, "steps");
    str_adds(out, "[");
    for (size_t i = 0; i < n; i++) {
        bool inner = true;
        str_adds(out, i ? ",{" : "{");
        json_doc_find_step(out, &inner, r, i);
        str_adds(out, "}");
    }
    str_adds(out, "]}");
}
