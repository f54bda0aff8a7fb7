/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors by code and the outages of a run, as JSON.  Times are in seconds since measuring began;
 * what did not happen is null.
 */
#include "report/json.h"
#include "report/json_doc.h"

static void number(struct str *out, bool *first, const char *name, double v)
{
    json_name(out, first, name);
    json_number(out, v);
}

static void count(struct str *out, bool *first, const char *name, uint64_t v)
{
    json_name(out, first, name);
    str_printf(out, "%llu", (unsigned long long)v);
}

static void string(struct str *out, bool *first, const char *name, const char *v)
{
    json_name(out, first, name);
    json_string(out, v);
}

static void null(struct str *out, bool *first, const char *name)
{
    json_name(out, first, name);
    str_adds(out, "null");
}

static void one_error(struct str *out, const struct snapshot_error *e)
{
    bool first = true;

    str_adds(out, "{");
    if (e->row->code)
        number(out, &first, "code", e->row->code);
    else
        null(out, &first, "code");
    string(out, &first, "sqlstate", *e->row->sqlstate ? e->row->sqlstate : NULL);
    string(out, &first, "class", e->row->class);
    count(out, &first, "count", e->count);
    number(out, &first, "first_s", dur_sec(e->first_ns));
    number(out, &first, "last_s", dur_sec(e->last_ns));
    string(out, &first, "text", e->row->text);
    str_adds(out, "}");
}

void json_doc_errors(struct str *out, bool *first, const struct snapshot *s)
{
    bool any = false;

    json_name(out, first, "errors_by_code");
    str_adds(out, "[");
    for (size_t i = 0; i < s->nby_code; i++) {
        if (s->by_code[i].count == 0)
            continue;
        str_adds(out, any ? "," : "");
        one_error(out, &s->by_code[i]);
        any = true;
    }
    str_adds(out, "]");
}

/* An instant of the outage, as the time since its first error. */
static void delay(struct str *out, bool *first, const char *name, const struct outage *o,
                  mono_ns at)
{
    if (at)
        number(out, first, name, dur_sec(at - o->first_error));
    else
        null(out, first, name);
}

static void meanwhile(struct str *out, bool *first, const struct snapshot *s,
                      const struct outage *o)
{
    const struct outage_counts *a = &o->before, *b = &o->after;

    if (s->has_rate) {
        count(out, first, "offered", b->offered - a->offered);
        count(out, first, "dropped", b->dropped - a->dropped);
        count(out, first, "late", b->late - a->late);
    } else {
        null(out, first, "offered");
        null(out, first, "dropped");
        null(out, first, "late");
    }
    count(out, first, "done", b->done - a->done);
    count(out, first, "failed", b->failed - a->failed);
}

static void one_outage(struct str *out, const struct snapshot *s, const struct outage *o)
{
    bool first = true;

    str_adds(out, "{");
    number(out, &first, "first_error_s", dur_sec(o->first_error - s->outages->zero));
    number(out, &first, "last_error_s", dur_sec(o->last_error - s->outages->zero));
    delay(out, &first, "over_after_s", o, o->over);
    delay(out, &first, "success_after_s", o, o->success);
    number(out, &first, "without_success_s", dur_sec(snapshot_silence(s, o)));
    delay(out, &first, "connected_after_s", o, o->connected);
    delay(out, &first, "in_time_after_s", o, s->has_rate ? o->drained : 0);
    count(out, &first, "errors", o->errors);
    count(out, &first, "connections_lost", o->lost);
    meanwhile(out, &first, s, o);
    str_adds(out, "}");
}

static void latency(struct str *out, bool *first, const char *name, const struct snapshot_series *v)
{
    bool inner = true;
    const struct {
        const char *name;
        int64_t ns;
    } at[] = {{"p50_s", v->p50}, {"p95_s", v->p95}, {"p99_s", v->p99}, {"max_s", v->max}};

    json_name(out, first, name);
    str_adds(out, "{");
    count(out, &inner, "count", v->n);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        if (at[i].ns >= 0)
            number(out, &inner, at[i].name, dur_sec(at[i].ns));
        else
            null(out, &inner, at[i].name);
    }
    str_adds(out, "}");
}

void json_doc_outages(struct str *out, const struct snapshot *s)
{
    const struct snapshot_outages *v = s->outages;
    bool first = true;

    if (!v) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "{");
    json_name(out, &first, "list");
    str_adds(out, "[");
    for (size_t i = 0; i < v->n; i++) {
        str_adds(out, i ? "," : "");
        one_outage(out, s, &v->row[i]);
    }
    str_adds(out, "]");
    count(out, &first, "more", v->more);
    count(out, &first, "connections_missing", v->away);
    if (v->has_before)
        latency(out, &first, "latency_before", &v->before);
    else
        null(out, &first, "latency_before");
    latency(out, &first, "latency_during", &v->during);
    latency(out, &first, "latency_after", &v->after);
    str_adds(out, "}");
}
