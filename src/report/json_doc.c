/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See json_doc.h.
 */
#include "report/json_doc.h"

#include <math.h>
#include <string.h>

#include "report/fields.h"
#include "report/json.h"
#include "report/text.h"

static void flag_member(struct str *out, bool *first, const char *name, bool value)
{
    json_name(out, first, name);
    str_adds(out, value ? "true" : "false");
}

struct walk {
    struct str *out, missing, lower;
    bool *first; /* of the level that is being written */
    bool inner, first_missing, first_lower;
    const struct snapshot *s;
    int section;
    bool skip; /* the section as a whole is null */
};

static void leave_section(struct walk *w)
{
    if (w->section != FIELD_LOAD && !w->skip)
        str_adds(w->out, "}");
}

static const char *process_name(const struct snapshot *s, int section)
{
    return section == FIELD_SERVER   ? s->server.describe
           : section == FIELD_CLIENT ? s->self.describe
                                     : NULL;
}

static void enter_section(struct walk *w, int section)
{
    const char *name = field_section_name((enum field_section)section);
    const char *why = field_section_missing(w->s, (enum field_section)section);

    leave_section(w);
    w->section = section;
    w->skip = why != NULL;
    json_name(w->out, w->first, name);
    str_adds(w->out, why ? "null" : "{");
    if (why)
        json_string_member(&w->missing, &w->first_missing, name, why);
    w->inner = true;
    if (!why && process_name(w->s, section))
        json_string_member(w->out, &w->inner, "name", process_name(w->s, section));
    if (!why && section == FIELD_EVENTS)
        json_string_member(w->out, &w->inner, "how", w->s->probe->how);
}

/* `"section.name": "why"` */
static void add_missing(struct str *out, bool *first, const struct field *f, const char *why)
{
    struct str path = STR_INIT;
    const char *section = field_section_name(f->section);

    str_printf(&path, "%s%s%s", section, *section ? "." : "", f->name);
    json_string_member(out, first, path.s, why);
    str_free(&path);
}

static void one_field(void *arg, const struct field *f)
{
    struct walk *w = arg;

    while ((int)f->section != w->section)
        enter_section(w, w->section + 1);
    if (w->skip)
        return;
    json_name(w->out, f->section == FIELD_LOAD ? w->first : &w->inner, f->name);
    if (f->missing) {
        str_adds(w->out, "null");
        add_missing(&w->missing, &w->first_missing, f, f->missing);
        return;
    }
    if (f->type == FIELD_COUNT)
        str_printf(w->out, "%llu", (unsigned long long)f->count);
    else
        json_number(w->out, f->number);
    if (f->lower)
        add_missing(&w->lower, &w->first_lower, f, f->lower);
}

static void one_statement(struct str *out, const struct snapshot *s, const struct stmt_figures *f)
{
    bool first = true;

    str_adds(out, "{");
    json_string_member(out, &first, "kind", statement_name(f));
    json_string_member(out, &first, "class", stmt_class_name(f->class));
    json_string_member(out, &first, "text", f->text);
    json_count_member(out, &first, "count", f->count);
    json_count_member(out, &first, "errors", f->errors);
    json_count_member(out, &first, "rows", f->rows);
    json_number_member(out, &first, "sum_s", dur_sec(f->sum_ns));
    json_number_member(out, &first, "mean_s", dur_sec(f->sum_ns) / (double)f->count);
    json_number_member(out, &first, "min_s", dur_sec(f->min));
    json_number_member(out, &first, "p50_s", dur_sec(f->p50));
    json_number_member(out, &first, "p95_s", dur_sec(f->p95));
    json_number_member(out, &first, "p99_s", dur_sec(f->p99));
    json_number_member(out, &first, "max_s", dur_sec(f->max));
    json_number_member(out, &first, "share_pct", statement_share(s, f));
    str_adds(out, "}");
}

/* --report-statements, over the whole run. */
static void statements(struct walk *w)
{
    const struct snapshot *s = w->s;

    json_name(w->out, w->first, "statements");
    if (!s->statements) {
        str_adds(w->out, "null");
        json_string_member(&w->missing, &w->first_missing, "statements",
                           "not asked for (--report-statements)");
        return;
    }
    str_adds(w->out, "[");
    for (size_t i = 0; i < s->nstatements; i++) {
        str_adds(w->out, i ? "," : "");
        one_statement(w->out, s, &s->statements[i]);
    }
    str_adds(w->out, "]");
}

static void syscalls(struct walk *w)
{
    const struct probe_delta *p = w->s->probe;
    const char *why = p && p->has_syscalls ? p->syscalls.why : "not asked for (--server-syscalls)";

    json_name(w->out, w->first, "server_syscalls");
    if (!why) {
        json_doc_syscalls(w->out, w->s);
        return;
    }
    str_adds(w->out, "null");
    json_string_member(&w->missing, &w->first_missing, "server_syscalls", why);
}

void json_doc_mark(struct str *out, bool *first, const struct snapshot *s, const struct mark *m)
{
    json_number_member(out, first, "elapsed_s", dur_sec(mark_elapsed(s, m)));
    json_number_member(out, first, "wall_time_unix_s", (double)m->wall / 1e9);
    json_string_member(out, first, "source", mark_source_name(m->source));
    json_string_member(out, first, "text", m->text);
}

void json_doc_incidents(struct str *out, const struct snapshot *s, size_t from)
{
    str_adds(out, "[");
    for (size_t i = from; i < s->incidents; i++) {
        const struct snapshot_incident *v = &s->incident[i];
        struct str text = STR_INIT;
        bool inner = true;
        incident_text(&text, v);
        str_adds(out, i > from ? ",{" : "{");
        json_string_member(out, &inner, "kind", incident_name(v->kind));
        json_number_member(out, &inner, "elapsed_s", incident_elapsed_s(s, v));
        if (v->host) {
            json_count_member(out, &inner, "rank", (uint64_t)v->rank);
            json_string_member(out, &inner, "host", v->host);
        }
        json_string_member(out, &inner, "text", str_cstr(&text));
        str_adds(out, "}");
        str_free(&text);
    }
    str_adds(out, "]");
}

void json_doc_snapshot(struct str *out, bool *first, const struct snapshot *s)
{
    static const char *const kind[] = {[SNAPSHOT_INTERVAL] = "interval",
                                       [SNAPSHOT_CHECKPOINT] = "checkpoint",
                                       [SNAPSHOT_FINAL] = "summary",
                                       [SNAPSHOT_PHASE] = "phase"};
    struct walk w = {.out = out,
                     .first = first,
                     .s = s,
                     .section = FIELD_LOAD,
                     .first_missing = true,
                     .first_lower = true};
    size_t from = s->kind == SNAPSHOT_FINAL ? 0 : s->incidents_told;

    json_string_member(out, first, "kind", kind[s->kind]);
    fields_each(s, one_field, &w);
    for (int section = w.section + 1; section < FIELD_SECTIONS; section++)
        enter_section(&w, section); /* those without a figure */
    leave_section(&w);
    syscalls(&w);
    if (s->kind != SNAPSHOT_PHASE)
        json_doc_errors(out, first, s);
    json_doc_hosts(out, first, s);
    if (s->hosts_many)
        json_string_member(&w.missing, &w.first_missing, "hosts", SNAPSHOT_HOSTS_MANY);
    if (s->incidents > from) {
        json_name(out, first, "incidents");
        json_doc_incidents(out, s, from);
    }
    json_doc_ranks(out, first, s);
    if (s->kind == SNAPSHOT_FINAL) {
        statements(&w);
        json_name(out, first, "outages");
        json_doc_outages(out, s);
        json_name(out, first, "retries");
        json_doc_retries(out, &s->retries);
        json_name(out, first, "connections");
        json_doc_connections(out, &s->connections);
        json_doc_warmup(out, first, &s->warmed);
        json_doc_batches(out, first, &s->batches, &w.missing, &w.first_missing);
    }
    if (s->kind == SNAPSHOT_FINAL && s->find) {
        json_name(out, first, "find");
        json_doc_find(out, s->find);
    }
    json_name(out, first, "missing");
    str_printf(out, "{%s}", str_cstr(&w.missing));
    json_name(out, first, "at_least");
    str_printf(out, "{%s}", str_cstr(&w.lower));
    str_free(&w.missing);
    str_free(&w.lower);
}

void json_doc_phase(struct str *out, bool *first, const struct snapshot_phase *p)
{
    bool inner = true;

    json_number_member(out, first, "begin_s", dur_sec(p->s->elapsed_ns - p->s->interval_ns));
    json_number_member(out, first, "end_s", dur_sec(p->s->elapsed_ns));
    json_name(out, first, "marks");
    str_adds(out, "[");
    for (size_t i = 0; i < p->nmarks; i++) {
        bool mark = true;
        str_adds(out, i ? ",{" : "{");
        json_doc_mark(out, &mark, p->s, &p->marks[i]);
        str_adds(out, "}");
    }
    str_adds(out, "]");
    json_name(out, first, "figures");
    str_adds(out, "{");
    json_doc_snapshot(out, &inner, p->s);
    str_adds(out, "}");
}

void json_doc_verdict(struct str *out, const struct report_end *end)
{
    bool first = true;

    if (!end->has_rate || !end->measured) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "{");
    if (end->offered && !end->unknown) {
        flag_member(out, &first, "sustained", end->sustained);
    } else {
        json_name(out, &first, "sustained");
        str_adds(out, "null");
    }
    json_string_member(out, &first, "why",
                       !end->offered ? "nothing was due"
                       : *end->why   ? end->why
                                     : NULL);
    json_number_member(out, &first, "achieved_per_s", end->offered ? end->achieved : (double)NAN);
    if (end->since_stage)
        json_count_member(out, &first, "since_stage", (uint64_t)end->since_stage);
    if (end->interrupted && *end->interrupted)
        json_string_member(out, &first, "interrupted", end->interrupted);
    flag_member(out, &first, "accounts_balance", end->accounts_balance);
    str_adds(out, "}");
}

void json_doc_end(struct str *out, const struct report_end *end)
{
    bool first = true;

    str_adds(out, "{");
    json_string_member(out, &first, "status", end->status);
    if (end->signal)
        json_count_member(out, &first, "signal", (uint64_t)end->signal);
    else
        json_name(out, &first, "signal"), str_adds(out, "null");
    json_string_member(out, &first, "error", end->error);
    if (end->wall)
        json_number_member(out, &first, "wall_time_unix_s", (double)end->wall / 1e9);
    else
        json_name(out, &first, "wall_time_unix_s"), str_adds(out, "null");
    str_adds(out, "}");
}
