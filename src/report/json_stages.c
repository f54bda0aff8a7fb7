/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A stage of a rate that changes as JSON: what was planned, what came of it, and its verdict.
 */
#include <math.h>

#include "report/json.h"
#include "report/json_doc.h"

static double seconds(dur_ns at)
{
    return at == MONO_NEVER ? (double)NAN : dur_sec(at);
}

void json_doc_stage(struct str *out, bool *first, const struct snapshot_stage *v, size_t number)
{
    bool inner = true;

    json_count_member(out, first, "number", number);
    json_string_member(out, first, "text", v->text);
    json_number_member(out, first, "planned_begin_s", seconds(v->from));
    json_number_member(out, first, "planned_end_s", seconds(v->until));
    json_number_member(out, first, "begin_s", dur_sec(v->s->elapsed_ns - v->s->interval_ns));
    json_number_member(out, first, "end_s", dur_sec(v->s->elapsed_ns));
    json_number_member(out, first, "first_per_s", v->first);
    json_number_member(out, first, "last_per_s", v->last);
    json_name(out, first, "sustained");
    str_adds(out, !v->judged || v->unknown ? "null" : v->sustained ? "true" : "false");
    json_string_member(out, first, "why", !v->judged ? "nothing was due" : *v->why ? v->why : NULL);
    json_name(out, first, "figures");
    str_adds(out, "{");
    json_doc_snapshot(out, &inner, v->s);
    str_adds(out, "}");
}
