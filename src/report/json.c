/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See json.h.
 */
#include "report/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "telemetry/environment.h"

void json_string(struct str *out, const char *text)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *p = text, *c;

    if (!text) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "\"");
    while (*p) {
        size_t n = str_utf8(p);
        if (n == 0)
            str_adds(out, "\\ufffd");
        else if ((c = strchr(plain, *p)))
            str_printf(out, "\\%c", letter[c - plain]);
        else if ((unsigned char)*p < 0x20 || *p == 0x7f)
            str_printf(out, "\\u%04x", (unsigned)*p);
        else
            str_add(out, p, n);
        p += n ? n : 1;
    }
    str_adds(out, "\"");
}

void json_list(struct str *out, const char *const *text, size_t n)
{
    str_adds(out, "[");
    for (size_t i = 0; i < n; i++) {
        str_adds(out, i ? "," : "");
        json_string(out, text[i]);
    }
    str_adds(out, "]");
}

void json_number(struct str *out, double v)
{
    char text[40];

    if (!isfinite(v)) {
        str_adds(out, "null");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    str_adds(out, text);
}

void json_value(struct str *out, const struct value *v)
{
    switch (v->kind) {
    case VALUE_NONE: str_adds(out, "null"); break;
    case VALUE_COUNT: str_printf(out, "%llu", (ull)v->count); break;
    case VALUE_NUMBER: json_number(out, v->number); break;
    case VALUE_TRUTH: str_adds(out, v->number != 0 ? "true" : "false"); break;
    case VALUE_TEXT: json_string(out, v->text); break;
    }
}

static void comma(struct str *out)
{
    if (out->len && !strchr("{[,", out->s[out->len - 1]))
        str_adds(out, ",");
}

void json_name(struct str *out, const char *name)
{
    comma(out);
    json_string(out, name);
    str_adds(out, ":");
}

void json_string_member(struct str *out, const char *name, const char *value)
{
    json_name(out, name);
    json_string(out, value);
}

void json_number_member(struct str *out, const char *name, double value)
{
    json_name(out, name);
    json_number(out, value);
}

/* --- records --- */

/* `"path.name": "why"`, ... */
static void add_reason(struct str *reasons, const char *path, const char *name, const char *why)
{
    struct str whole = STR_INIT;

    if (!why || !*why)
        return;
    str_printf(&whole, "%s%s%s", path, *path ? "." : "", name);
    json_string_member(reasons, str_cstr(&whole), why);
    str_free(&whole);
}

static void members(struct str *out, const struct figure *t, const struct snapshot *s,
                    const void *of, struct str *r, const char *path);

static void one(struct str *out, const struct figure *f, const struct snapshot *s, const void *of,
                struct str *r, const char *path)
{
    const struct figure *within = f->inside.of;
    const void *inside = within && !f->inside.stride ? figures_inside(f, s, of) : NULL;
    struct str buf = STR_INIT;
    const char *why = (within || f->json) && f->gap.absent ? f->gap.absent(s, of, &buf) : NULL;

    json_name(out, f->name);
    if (why || (within && !f->inside.stride && !inside)) {
        str_adds(out, "null");
    } else if (f->json) {
        f->json(out, s, of);
    } else if (f->inside.stride) {
        str_adds(out, "[");
        for (size_t i = 0; (inside = figures_item(f, of, i)) != NULL; i++) {
            if (f->inside.keep && !f->inside.keep(s, inside))
                continue;
            comma(out);
            json_object(out, within, s, inside);
        }
        str_adds(out, "]");
    } else if (within) {
        str_adds(out, "{");
        members(out, within, s, inside, r, f->name);
        str_adds(out, "}");
    } else {
        const struct value v = figures_value(f, s, of, &buf);
        json_value(out, &v);
        why = v.why;
    }
    if (r)
        add_reason(r, path, f->name, why);
    str_free(&buf);
}

/* `r` NULL: reasons are not told. */
static void members(struct str *out, const struct figure *t, const struct snapshot *s,
                    const void *of, struct str *r, const char *path)
{
    for (const struct figure *f = t; !figure_ends(f); f++) {
        if (f->csv.kept >= NOT_IN_JSON || (f->gap.when && !f->gap.when(s, of)))
            continue;
        if (f->name)
            one(out, f, s, of, r, path);
        else if (f->inside.of)
            members(out, f->inside.of, s, figures_inside(f, s, of), r, path);
    }
}

void json_members(struct str *out, const struct figure *t, const struct snapshot *s, const void *of)
{
    members(out, t, s, of, NULL, "");
}

void json_object(struct str *out, const struct figure *t, const struct snapshot *s, const void *of)
{
    str_adds(out, "{");
    json_members(out, t, s, of);
    str_adds(out, "}");
}

/* --- a snapshot --- */

struct walk {
    struct str *out;
    struct str missing, lower;
    const struct snapshot *s;
    int section;
    bool skip; /* the section as a whole is null */
};

static void leave_section(struct walk *w)
{
    if (w->section != FIELD_LOAD && !w->skip)
        str_adds(w->out, "}");
}

static void enter_section(struct walk *w, int section)
{
    const char *name = field_section_name((enum field_section)section);
    const char *why = field_section_missing(w->s, (enum field_section)section);

    leave_section(w);
    w->section = section;
    w->skip = why != NULL;
    json_name(w->out, name);
    str_adds(w->out, why ? "null" : "{");
    add_reason(&w->missing, "", name, why);
    if (!why && section == FIELD_SERVER && w->s->server.describe)
        json_string_member(w->out, "name", w->s->server.describe);
    if (!why && section == FIELD_CLIENT && w->s->self.describe)
        json_string_member(w->out, "name", w->s->self.describe);
    if (!why && section == FIELD_EVENTS)
        json_string_member(w->out, "how", w->s->probe->how);
}

static void one_field(void *arg, const struct field *f)
{
    struct walk *w = arg;
    const char *path = field_section_name(f->section);

    while ((int)f->section != w->section)
        enter_section(w, w->section + 1);
    if (w->skip)
        return;
    json_name(w->out, f->name);
    if (f->missing)
        str_adds(w->out, "null");
    else
        json_value(w->out, &f->value);
    add_reason(&w->missing, path, f->name, f->missing);
    add_reason(&w->lower, path, f->name, f->missing ? NULL : f->lower);
}

void json_doc_snapshot(struct str *out, const struct snapshot *s)
{
    static const char *const kind[] = {[SNAPSHOT_INTERVAL] = "interval",
                                       [SNAPSHOT_CHECKPOINT] = "checkpoint",
                                       [SNAPSHOT_FINAL] = "summary",
                                       [SNAPSHOT_PHASE] = "phase"};
    struct walk w = {.out = out, .s = s, .section = FIELD_LOAD};

    json_string_member(out, "kind", kind[s->kind]);
    fields_each(s, one_field, &w);
    for (int section = w.section + 1; section < FIELD_SECTIONS; section++)
        enter_section(&w, section); /* those without a figure */
    leave_section(&w);
    members(out, snapshot_figures, s, s, &w.missing, "");
    json_name(out, "missing");
    str_printf(out, "{%s}", str_cstr(&w.missing));
    json_name(out, "at_least");
    str_printf(out, "{%s}", str_cstr(&w.lower));
    str_free(&w.missing);
    str_free(&w.lower);
}

void json_doc_report(struct str *out, const struct snapshot *s)
{
    str_adds(out, "{");
    json_doc_snapshot(out, s);
    str_adds(out, "}");
}

/* --- beside the snapshots --- */

void json_doc_profile(struct str *out, const struct report_profile *p)
{
    struct str r = STR_INIT;
    if (!p || !p->ended) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "{");
    members(out, profile_figures, NULL, p, &r, "");
    json_name(out, "missing");
    str_printf(out, "{%s}}", str_cstr(&r));
    str_free(&r);
}

void json_doc_verdict(struct str *out, const struct report_end *end)
{
    if (end->has_rate && end->measured)
        json_object(out, verdict_figures, NULL, end);
    else
        str_adds(out, "null");
}

static void histogram(struct str *out, const char *name, const struct hist_counts *h)
{
    if (!h)
        return;
    json_name(out, name);
    str_printf(out, "{\"unit\":\"ns\",\"samples\":%llu,\"over_one_hour\":%llu,\"buckets\":[",
               (ull)h->total, (ull)h->clamped);
    for (size_t i = 0; i < h->size; i++) {
        if (!h->count[i])
            continue;
        comma(out);
        str_printf(out, "[%lld,%lld,%llu]", (long long)hist_bucket_low(i),
                   (long long)hist_bucket_high(i), (ull)h->count[i]);
    }
    str_adds(out, "]}");
}

void json_doc_histograms(struct str *out, const struct snapshot_hists *h)
{
    if (!h->response) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "{");
    histogram(out, h->service ? "response" : "latency", h->response);
    histogram(out, "service", h->service);
    histogram(out, "lag", h->lag);
    str_adds(out, "}");
}

static size_t same_key(const struct environment *e, size_t i, size_t until)
{
    size_t n = 0;

    for (size_t k = 0; k < until; k++)
        n += strcmp(e->item[k].key, e->item[i].key) == 0;
    return n;
}

void json_doc_environment(struct str *out, const struct environment *e)
{
    struct str missing = STR_INIT;
    if (!e || e->n == 0) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "{");
    for (size_t i = 0; i < e->n; i++) {
        size_t n = same_key(e, i, e->n), m = 0;
        const char *why = NULL;
        if (same_key(e, i, i))
            continue;
        json_name(out, e->item[i].key);
        str_adds(out, n > 1 ? "[" : "");
        for (size_t k = i; m < n; k++) {
            if (strcmp(e->item[k].key, e->item[i].key) != 0)
                continue;
            str_adds(out, m++ ? "," : "");
            json_string(out, e->item[k].value);
            why = e->item[k].missing ? e->item[k].missing : why;
        }
        str_adds(out, n > 1 ? "]" : "");
        add_reason(&missing, "", e->item[i].key, why);
    }
    json_name(out, "missing");
    str_printf(out, "{%s}}", str_cstr(&missing));
    str_free(&missing);
}

void json_doc_labels(struct str *out, const struct report_info *info)
{
    str_adds(out, "{");
    for (size_t i = 0; i < info->labels; i++)
        json_string_member(out, info->label[i].name, info->label[i].value);
    str_adds(out, "}");
}

/* "a,b,,c" */
static void text_list(struct str *out, const char *text)
{
    char *copy = mem_strdup(text), *rest = copy, *word;

    str_adds(out, "[");
    while ((word = strsep(&rest, ",")))
        if (*word) {
            comma(out);
            json_string(out, word);
        }
    str_adds(out, "]");
    free(copy);
}

void json_doc_run(struct str *out, const struct report_info *info)
{
    struct str missing = STR_INIT;
    str_adds(out, "{");
    json_string_member(out, "program", "sysbench-tx");
    json_string_member(out, "version", info->version);
    json_string_member(out, "test", info->test);
    json_string_member(out, "command", info->command);
    json_name(out, "labels");
    json_doc_labels(out, info);
    json_name(out, "command_line");
    json_list(out, (const char *const *)info->argv, (size_t)info->argc);
    json_number_member(out, "wall_time_unix_s", (double)info->wall / 1e9);
    for (size_t i = 0; i < info->settles; i++) {
        str_adds(out, i ? "," : ",\"settled\":[");
        json_object(out, settle_figures, NULL, &info->settle[i]);
        str_adds(out, i + 1 == info->settles ? "]" : "");
    }
    /* those that were given, as they were given, and all with their values in effect */
    str_adds(out, ",\"options\":{\"given\":{");
    for (size_t i = 0; i < info->options; i++)
        if (info->option[i].given)
            json_string_member(out, info->option[i].name, info->option[i].given);
    str_adds(out, "},\"effective\":{");
    for (size_t i = 0; i < info->options; i++) {
        const struct report_option *o = &info->option[i];
        json_name(out, o->name);
        switch (o->type) {
        case REPORT_NUMBER: json_number(out, o->number); break;
        case REPORT_FLAG: str_adds(out, o->number != 0 ? "true" : "false"); break;
        case REPORT_LIST: text_list(out, o->value); break;
        default: json_string(out, o->value);
        }
    }
    str_adds(out, "}},\"environment\":{");
    for (const struct report_fact *f = info->fact; f < info->fact + info->facts; f++) {
        json_name(out, f->name);
        if (f->value && f->number)
            str_adds(out, f->value);
        else
            json_string(out, f->value);
        add_reason(&missing, "", f->name, f->value ? NULL : f->missing);
    }
    json_name(out, "missing");
    str_printf(out, "{%s}}}", str_cstr(&missing));
    str_free(&missing);
}
