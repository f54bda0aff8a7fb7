/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows read from a record, and a snapshot through the tables of its sections.  Percentiles that the
 * user listed follow the rows of their section.
 */
#include "report/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- a row --- */

static const void *at(const void *of, size_t offset)
{
    return (const char *)of + offset;
}

struct value figures_number(double v)
{
    return (struct value){.kind = isfinite(v) ? VALUE_NUMBER : VALUE_NONE, .number = v};
}

struct value figures_whole(uint64_t n)
{
    return (struct value){.kind = VALUE_COUNT, .count = n, .number = (double)n};
}

static struct value text(const char *t)
{
    return (struct value){.kind = t ? VALUE_TEXT : VALUE_NONE, .text = t};
}

static struct value member(const struct figure_value *f, const void *of)
{
    const void *p = at(of, f->at.offset), *less = f->minus ? at(of, f->minus - 1) : NULL;
    bool zero = f->unit == OR_NONE;

    switch (f->at.type) {
    case RECORD_BOOL: return (struct value){.kind = VALUE_TRUTH, .number = *(const bool *)p};
    case RECORD_INT: {
        int v = *(const int *)p;
        return v < 0        ? figures_number(v)
               : v || !zero ? figures_whole((uint64_t)v)
                            : figures_number(NAN);
    }
    case RECORD_UNSIGNED: return figures_whole(*(const unsigned *)p);
    case RECORD_I64: { /* ns: an instant, a time, or the time between two instants */
        int64_t v = *(const int64_t *)p;
        if (less ? !v : f->unit == NS && (v < 0 || v == MONO_NEVER))
            return figures_number(NAN);
        return figures_number(dur_sec(less ? v - *(const int64_t *)less : v));
    }
    case RECORD_U64: {
        uint64_t v = *(const uint64_t *)p - (less ? *(const uint64_t *)less : 0);
        return f->unit == NS ? figures_number((double)v / 1e9)
               : zero && !v  ? figures_number(NAN)
                             : figures_whole(v);
    }
    case RECORD_DOUBLE: {
        double v = *(const double *)p;
        return figures_number(f->unit == NS    ? v / 1e9
                              : f->unit == MS  ? v / 1e3
                              : f->unit == KIB ? v * 1024
                              : f->unit == MHZ ? v * 1e6
                              : zero && v == 0 ? (double)NAN
                                               : v);
    }
    default: {
        const char *t = f->at.type == RECORD_TEXT ? p : *(const char *const *)p;
        return text(zero && t && !*t ? NULL : t);
    }
    }
}

struct value figures_value(const struct figure *f, const struct snapshot *s, const void *of,
                           struct str *buf)
{
    const struct figure_value *from = &f->value;
    struct value v = {.kind = VALUE_NONE};

    if (f->gap.given && !*(const bool *)at(of, f->gap.given - 1))
        return v;
    v.why = f->gap.absent ? f->gap.absent(s, of, buf) : NULL;
    if (v.why)
        return v;
    if (from->text)
        return text(from->text(s, of, buf));
    v = from->get ? figures_number(from->get(s, of)) : member(from, of);
    if (from->per && v.kind != VALUE_NONE)
        v = figures_number(from->per(v.number, s, of));
    if (v.kind != VALUE_NONE && from->as != AS_NUMBER)
        v.kind = from->as == AS_TRUTH ? VALUE_TRUTH : VALUE_COUNT;
    if (from->as == AS_COUNT && v.kind != VALUE_NONE)
        v.count = (uint64_t)v.number;
    return v;
}

const struct figure *figures_named(const struct figure *table, const char *name)
{
    while (!table->name || strcmp(table->name, name) != 0)
        table++;
    return table;
}

const void *figures_inside(const struct figure *f, const struct snapshot *s, const void *of)
{
    if (f->gap.given && !*(const bool *)at(of, f->gap.given - 1))
        return NULL;
    return f->inside.base ? f->inside.base(s, of) : at(of, f->value.at.offset);
}

const void *figures_item(const struct figure *f, const void *of, size_t i)
{
    const struct figure_inside *in = &f->inside;
    const void *p = at(of, f->value.at.offset);
    size_t n = in->most ? in->most : *(const size_t *)at(of, in->count_at - 1);

    return i < n ? at(in->most ? p : *(const void *const *)p, i * in->stride) : NULL;
}

/* --- sections --- */

const char *field_section_name(enum field_section section)
{
    static const char *const names[FIELD_SECTIONS] = {[FIELD_LOAD] = "",
                                                      [FIELD_TOTAL] = "total",
                                                      [FIELD_LATENCY] = "latency",
                                                      [FIELD_THREADS] = "threads",
                                                      [FIELD_RATE] = "rate",
                                                      [FIELD_SERVER] = "server",
                                                      [FIELD_CLIENT] = "client",
                                                      [FIELD_HOST] = "host",
                                                      [FIELD_EVENTS] = "server_events",
                                                      [FIELD_STATUS] = "server_status"};

    return names[section];
}

static const char *process_missing(const struct snapshot_server *v, const char *option)
{
    return v->on ? NULL : v->why_off ? v->why_off : option;
}

const char *field_section_missing(const struct snapshot *s, enum field_section section)
{
    switch (section) {
    case FIELD_THREADS:
        return s->kind == SNAPSHOT_INTERVAL || s->kind == SNAPSHOT_PHASE
                   ? "in checkpoints and the summary only"
                   : NULL;
    case FIELD_LATENCY: return s->has_latency ? NULL : "no histogram was kept";
    case FIELD_RATE: return s->has_rate ? NULL : "not asked for (--tx-rate, --rate)";
    case FIELD_SERVER: return process_missing(&s->server, "not asked for (--server)");
    case FIELD_CLIENT:
        return process_missing(&s->self, "not asked for (--server, --tx-rate, --rate)");
    case FIELD_HOST: return s->probe && s->probe->has_host ? NULL : "not asked for (--host-stats)";
    case FIELD_EVENTS:
        return s->probe && s->probe->events ? NULL : "not asked for (--server-events)";
    case FIELD_STATUS:
        return s->probe && (s->probe->statuses || s->probe->has_waits)
                   ? NULL
                   : "not asked for, or there is no database (--server-status, --server-waits)";
    default: return NULL;
    }
}

static const char after_load[] = "the load had ended before this interval";
static const char backwards[] = "a counter of the kernel went backwards"; /* of the machine */

bool field_passing(const char *missing)
{
    const char *const passing[] = {field_no_sample, field_read_late,  field_no_transaction,
                                   field_no_time,   field_no_blocker, field_no_request,
                                   after_load};

    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (strcmp(missing, passing[i]) == 0)
            return true;
    return false;
}

struct walk {
    const struct snapshot *s;
    enum field_section section;
    const char *missing; /* the section */
    field_visit *visit;
    void *arg;
};

/* What is longer than the longest that a histogram tells apart is at least that. */
static void set(struct field *f, struct value v, const char *why)
{
    f->value = v;
    if (v.kind == VALUE_NONE)
        f->missing = v.why ? v.why : why ? why : field_no_sample;
    if (v.kind == VALUE_NUMBER && v.number == dur_sec(HIST_OVER_NS)) {
        f->value.number = dur_sec(HIST_MAX_NS);
        f->lower = "longer than an hour, and by how much was not counted";
    }
}

/* The record that a section's rows are of; NULL: there is none. */
static const void *record_of(const struct snapshot *s, enum field_section section)
{
    switch (section) {
    case FIELD_SERVER: return &s->server;
    case FIELD_CLIENT: return &s->self;
    case FIELD_HOST: return s->probe && s->probe->has_host ? &s->probe->host : NULL;
    case FIELD_RATE: return &s->rate;
    case FIELD_EVENTS: return s->probe ? &s->probe->perf.d : NULL;
    case FIELD_STATUS: return s->probe ? &s->probe->status : NULL;
    default: return s;
    }
}

/* Why a figure that is made of several events is missing: the reason that all missing events
 * have. */
static const char *not_derived(const struct probe_delta *p)
{
    const char *why = NULL;

    for (size_t i = 0; i < p->events; i++) {
        const struct perf_figure *f = &p->perf.f[i];
        if (f->have || !f->why)
            continue;
        if (why && strcmp(why, f->why) != 0)
            return "one of its events was not counted";
        why = f->why;
    }
    return why ? why : "one of its events was not counted";
}

/* What must have been read of the processes or the machine. */
static void need(struct field *f, const struct snapshot *s, const void *of)
{
    const unsigned have = f->row->gap.have;

    if (f->section == FIELD_HOST) {
        const struct host_delta *host = of;
        if (host->wall_ns <= 0)
            f->missing = after_load;
        else if (have & ~host->have)
            f->missing = host_why(have);
        else if (have == HOST_POWER && f->missing && snapshot_sampled(s))
            f->missing = field_no_power;
    } else if (f->section == FIELD_EVENTS) {
        f->missing = f->missing ? not_derived(s->probe) : NULL;
    } else if (have && !f->missing) {
        const struct sample_delta *d = &((const struct snapshot_server *)of)->d;
        if (have & ~d->have)
            f->missing = sample_why(d, have);
        else if (d->lower & have)
            f->lower = sample_why(d, have);
    }
}

/* Sums over samples are lower bounds where the samples do not cover the time. */
static void bound(struct field *f, const struct status_delta *v)
{
    if (f->row->value.unit == NS && !f->missing &&
        (double)v->waits.known < 0.9 * (double)v->wall_ns)
        f->lower = v->waits.why ? v->waits.why : "samples do not cover all of the time";
    if (strcmp(f->name, "lock_waited_for_others_s") == 0 || strcmp(f->name, "lock_blockers") == 0)
        f->lower = f->missing || v->waits.untold <= 0 ? f->lower : field_untold;
    if (strcmp(f->name, "lock_blockers") == 0 && !f->missing && v->waits.more)
        f->lower = "more sessions blocked than are told apart";
    if (strcmp(f->name, "other_statements") == 0 && !f->missing && v->others.most > v->others.least)
        f->lower = "some statements may have been of this run";
}

struct field fields_row(const struct snapshot *s, enum field_section section,
                        const struct figure *r)
{
    const struct figure_value *v = &r->value;
    const void *of = record_of(s, section);
    struct field f = {.section = section,
                      .name = r->name,
                      .help = r->help,
                      .row = r,
                      .whole =
                          v->get ? v->as == AS_COUNT
                                 : !v->per && v->unit == PLAIN &&
                                       (v->at.type == RECORD_U64 || v->at.type == RECORD_UNSIGNED ||
                                        v->at.type == RECORD_INT),
                      .missing = field_section_missing(s, section)};

    if (f.missing)
        return f;
    set(&f, figures_value(r, s, of, NULL),
        r->gap.why              ? r->gap.why
        : section == FIELD_HOST ? backwards
                                : NULL);
    if (f.missing == field_no_transaction && s->events)
        f.missing = field_read_late;
    if (section == FIELD_STATUS)
        bound(&f, of);
    else
        need(&f, s, of);
    return f;
}

static void one_row(const struct walk *w, const struct figure *r)
{
    if (!r->gap.when || r->gap.when(w->s, record_of(w->s, w->section))) {
        struct field f = fields_row(w->s, w->section, r);
        w->visit(w->arg, &f);
    }
}

/* A figure by a name that has no row; `why` if it is missing. */
static void by_name(const struct walk *w, struct field f, double v, const char *why)
{
    f.section = w->section;
    f.missing = w->missing ? w->missing : f.missing;
    if (!f.missing)
        set(&f, figures_number(v), why);
    w->visit(w->arg, &f);
}

/* "p99_9": a name has no point in it. */
static void one_percentile(const struct walk *w, const char *prefix, double p, int64_t ns)
{
    char name[FIELD_NAME_SIZE];
    int n = snprintf(name, sizeof name, "%sp%.12g_s", prefix, p);

    for (int i = 0; i < n; i++)
        if (name[i] == '.')
            name[i] = '_';
    by_name(w, (struct field){.name = name, .help = "as listed by --percentile"},
            ns < 0 ? (double)NAN : dur_sec(ns), NULL);
}

/* Those of --percentile that have no row. */
static void listed(const struct walk *w, const char *prefix, const struct snapshot_series *series)
{
    for (size_t i = 0; i < w->s->percentiles; i++) {
        double p = w->s->percentile[i];
        if (p != 50 && p != 95 && p != 99)
            one_percentile(w, prefix, p, series->pct[i]);
    }
}

static void events_of(const struct walk *w)
{
    const struct probe_delta *p = w->s->probe;
    const uint64_t events = snapshot_sampled(w->s);

    for (size_t i = 0; i < p->events; i++) {
        const struct perf_figure *v = &p->perf.f[i];
        const char *why = v->have ? NULL : v->why ? v->why : "not counted";
        char name[PERF_NAME_MAX + 32];
        struct field f = {.name = p->event[i].name,
                          .help = "how often, of what --events-of names",
                          .missing = why,
                          .lower =
                              v->lower && !why ? sample_why(&w->s->server.d, SAMPLE_CPU) : NULL};
        by_name(w, f, v->count, NULL);
        snprintf(name, sizeof name, "%s_per_transaction", p->event[i].name);
        f.name = name;
        f.help = "the same of a transaction";
        if (!why && !events) {
            f.missing = w->s->events ? field_read_late : field_no_sample;
            f.lower = NULL;
        }
        by_name(w, f, v->count / (double)events, NULL);
        snprintf(name, sizeof name, "%s_counted_pct", p->event[i].name);
        f.help = "for what part of the time there was a counter for it; the count is scaled up";
        f.missing = why;
        f.lower = NULL;
        by_name(w, f, v->ratio * 100, NULL);
    }
    for (const struct figure *r = derived_figures; !figure_ends(r); r++)
        if (p->derived & r->gap.have)
            one_row(w, r);
}

static void each_of(const struct snapshot *s, enum field_section section, field_visit *visit,
                    void *arg)
{
    struct walk w = {s, section, field_section_missing(s, section), visit, arg};

    for (const struct figure *r = section_figures[section]; r && !figure_ends(r); r++)
        one_row(&w, r);
    if (section == FIELD_LATENCY) {
        listed(&w, "", &s->latency);
        /* what the text report shows, from stock's coarser buckets */
        for (size_t i = 0; i < s->percentiles; i++)
            one_percentile(&w, "text_", s->percentile[i],
                           s->events ? (int64_t)llround(s->latency_pct_ms[i] * 1e6) : -1);
    } else if (section == FIELD_RATE) {
        listed(&w, "response_", &s->rate.response);
        listed(&w, "service_", &s->rate.service);
        listed(&w, "lag_", &s->rate.lag);
    } else if (section == FIELD_EVENTS && !w.missing) {
        events_of(&w);
    } else if (section == FIELD_STATUS && !w.missing) {
        for (const struct figure *r = status_figures; !figure_ends(r); r++)
            one_row(&w, r);
    }
    for (size_t i = 0; section == FIELD_STATUS && !w.missing && i < s->probe->statuses; i++) {
        const struct status_delta *d = &s->probe->status;
        const char *why = status_why(d, i);
        const enum status_kind kind = s->probe->status_name[i].gauge;
        bool have = status_has(d, i), level = kind != STATUS_GROWTH;
        by_name(&w,
                (struct field){.name = s->probe->status_name[i].name,
                               .level = level,
                               .lower = have && kind != STATUS_LEVEL && d->lower ? why : NULL,
                               .help = kind == STATUS_LEVEL ? "the server's own, at the end"
                                       : level ? "the server's own, mean over the interval"
                                               : "the server's own, growth in the interval"},
                have ? d->v[i] : (double)NAN, why);
    }
}

void fields_each(const struct snapshot *s, field_visit *visit, void *arg)
{
    for (int k = 0; k < FIELD_SECTIONS; k++)
        each_of(s, (enum field_section)k, visit, arg);
}

static void take(void *arg, const struct field *f)
{
    struct field *out = arg;

    if (strcmp(f->name, out->name) == 0) {
        const char *name = out->name; /* by a name that is not the visit's */
        *out = *f;
        out->name = name;
    }
}

struct field fields_find(const struct snapshot *s, const char *path)
{
    const char *dot = strchr(path, '.');
    struct field f = {.section = FIELD_LOAD, .name = dot ? dot + 1 : path, .missing = ""};

    for (int k = 1; dot && k < FIELD_SECTIONS; k++) {
        const char *name = field_section_name((enum field_section)k);
        if (strlen(name) == (size_t)(dot - path) && strncmp(name, path, strlen(name)) == 0)
            f.section = (enum field_section)k;
    }
    each_of(s, f.section, take, &f);
    return f;
}
