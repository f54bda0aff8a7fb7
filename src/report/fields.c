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

static struct value number(double v, enum figure_as as)
{
    struct value out = {.kind = VALUE_NONE, .number = v};

    if (!isfinite(v))
        return out;
    out.kind = as == AS_TRUTH ? VALUE_TRUTH : as == AS_COUNT ? VALUE_COUNT : VALUE_NUMBER;
    if (as == AS_COUNT)
        out.count = (uint64_t)v;
    return out;
}

static struct value count(uint64_t n)
{
    return (struct value){.kind = VALUE_COUNT, .count = n, .number = (double)n};
}

static struct value text(const char *t)
{
    return (struct value){.kind = t ? VALUE_TEXT : VALUE_NONE, .text = t};
}

static double scaled(enum figure_unit unit, double v)
{
    switch (unit) {
    case NS: return v / 1e9;
    case MS: return v / 1e3;
    case KIB: return v * 1024;
    case MHZ: return v * 1e6;
    default: return v;
    }
}

static struct value member(const struct figure *f, const void *of)
{
    const void *p = at(of, f->offset);
    bool zero = f->unit == OR_NONE;

    switch (f->type) {
    case RECORD_BOOL: return number(*(const bool *)p, AS_TRUTH);
    case RECORD_INT:
        return *(const int *)p > 0 || (!zero && *(const int *)p == 0)
                   ? count((uint64_t) * (const int *)p)
                   : number(zero && !*(const int *)p ? (double)NAN : *(const int *)p, AS_NUMBER);
    case RECORD_UNSIGNED: return count(*(const unsigned *)p);
    case RECORD_I64: { /* ns: an instant, a time, or the time between two instants */
        int64_t v = *(const int64_t *)p;
        if (f->minus ? !v : f->unit == NS && (v < 0 || v == MONO_NEVER))
            return number(NAN, AS_NUMBER);
        return number(dur_sec(f->minus ? v - *(const int64_t *)at(of, f->minus - 1) : v),
                      AS_NUMBER);
    }
    case RECORD_U64:
        if (f->minus)
            return count(*(const uint64_t *)p - *(const uint64_t *)at(of, f->minus - 1));
        return zero && !*(const uint64_t *)p ? number(NAN, AS_NUMBER) : count(*(const uint64_t *)p);
    case RECORD_DOUBLE:
        return number(zero && *(const double *)p == 0 ? (double)NAN
                                                      : scaled(f->unit, *(const double *)p),
                      AS_NUMBER);
    case RECORD_TEXT: return text(zero && !*(const char *)p ? NULL : p);
    default: return text(*(const char *const *)p);
    }
}

struct value figures_value(const struct figure *f, const struct snapshot *s, const void *of,
                           struct str *buf)
{
    struct value v = {.kind = VALUE_NONE};

    if (f->given && !*(const bool *)at(of, f->given - 1))
        return v;
    v.why = f->absent ? f->absent(s, of, buf) : NULL;
    if (v.why)
        return v;
    return f->text  ? text(f->text(s, of, buf))
           : f->get ? number(f->get(s, of), f->as)
                    : member(f, of);
}

const void *figures_inside(const struct figure *f, const struct snapshot *s, const void *of)
{
    if (f->given && !*(const bool *)at(of, f->given - 1))
        return NULL;
    return f->base ? f->base(s, of) : at(of, f->offset);
}

size_t figures_count(const struct figure *f, const void *of)
{
    return f->inside ? f->inside : *(const size_t *)at(of, f->count_at - 1);
}

const void *figures_item(const struct figure *f, const void *of, size_t i)
{
    const void *p = at(of, f->offset);

    return at(f->inside ? p : *(const void *const *)p, i * f->stride);
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
        return s->probe && s->probe->statuses
                   ? NULL
                   : "not asked for, or there is no database (--server-status)";
    default: return NULL;
    }
}

static const char after_load[] = "the load had ended before this interval";

bool field_passing(const char *missing)
{
    const char *const passing[] = {field_no_sample, field_read_late, field_no_transaction,
                                   field_no_time, after_load};

    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (strcmp(missing, passing[i]) == 0)
            return true;
    return false;
}

/* The record of a section's rows. */
static const void *record_of(const struct snapshot *s, enum field_section section)
{
    switch (section) {
    case FIELD_RATE: return &s->rate;
    case FIELD_SERVER: return &s->server;
    case FIELD_CLIENT: return &s->self;
    case FIELD_HOST: return &s->probe->host;
    default: return s;
    }
}

/* What is longer than the longest that a histogram tells apart is at least that. */
static void set(struct field *f, const struct value *v, const char *why)
{
    f->type = v->kind == VALUE_COUNT ? FIELD_COUNT : FIELD_NUMBER;
    f->count = v->count;
    f->number = v->number;
    if (v->kind == VALUE_NONE)
        f->missing = v->why ? v->why : why ? why : field_no_sample;
    if (v->kind == VALUE_NUMBER && v->number == dur_sec(HIST_OVER_NS)) {
        f->number = dur_sec(HIST_MAX_NS);
        f->lower = "longer than an hour, and by how much was not counted";
    }
}

static void one_row(const struct snapshot *s, enum field_section section, const struct figure *r,
                    const char *section_missing, field_visit *visit, void *arg)
{
    struct field f = {.section = section, .name = r->name, .help = r->help, .row = r};
    struct value v;

    if (section_missing) {
        f.missing = section_missing;
    } else {
        v = figures_value(r, s, record_of(s, section), NULL);
        set(&f, &v, r->why);
        if (f.missing == field_no_transaction && s->events)
            f.missing = field_read_late;
        if ((section == FIELD_SERVER || section == FIELD_CLIENT) && r->have && !f.missing) {
            const struct sample_delta *d = section == FIELD_SERVER ? &s->server.d : &s->self.d;
            if (!(d->have & r->have))
                f.missing = sample_why(d, r->have);
            else if (d->lower & r->have)
                f.lower = sample_why(d, r->have);
        }
        if (section == FIELD_HOST) {
            const struct host_delta *d = &s->probe->host;
            if (d->wall_ns <= 0)
                f.missing = after_load;
            else if (r->have && !(d->have & r->have))
                f.missing = host_why(r->have);
            else if (r->have == HOST_POWER && f.missing && snapshot_sampled(s))
                f.missing = field_no_power;
        }
    }
    f.type = (r->get ? r->as == AS_COUNT
                     : r->type == RECORD_U64 || r->type == RECORD_UNSIGNED || r->type == RECORD_INT)
                 ? FIELD_COUNT
                 : FIELD_NUMBER;
    visit(arg, &f);
}

/* A figure by a name that has no row; `why` if it is missing. */
static void by_name(struct field f, double v, const char *why, field_visit *visit, void *arg)
{
    const struct value n = number(f.missing ? (double)NAN : v, AS_NUMBER);

    if (!f.missing)
        set(&f, &n, why);
    visit(arg, &f);
}

/* "p99_9": a name has no point in it. */
static void one_percentile(enum field_section section, const char *prefix, double p, int64_t ns,
                           const char *missing, field_visit *visit, void *arg)
{
    char name[FIELD_NAME_SIZE];
    int n = snprintf(name, sizeof name, "%sp%.12g_s", prefix, p);

    for (int i = 0; i < n; i++)
        if (name[i] == '.')
            name[i] = '_';
    by_name((struct field){.section = section,
                           .name = name,
                           .help = "as listed by --percentile",
                           .type = FIELD_NUMBER,
                           .missing = missing},
            ns < 0 ? (double)NAN : dur_sec(ns), NULL, visit, arg);
}

/* Those of --percentile that have no row. */
static void listed(const struct snapshot *s, enum field_section section, const char *prefix,
                   const struct snapshot_series *series, const char *missing, field_visit *f,
                   void *arg)
{
    for (size_t i = 0; i < s->percentiles; i++) {
        double p = s->percentile[i];
        if (p != 50 && p != 95 && p != 99)
            one_percentile(section, prefix, p, series->pct[i], missing, f, arg);
    }
}

static void percentiles_of(const struct snapshot *s, enum field_section section,
                           const char *missing, field_visit *f, void *arg)
{
    if (section == FIELD_LATENCY) {
        listed(s, section, "", &s->latency, missing, f, arg);
        /* what the text report shows, from stock's coarser buckets */
        for (size_t i = 0; i < s->percentiles; i++)
            one_percentile(section, "text_", s->percentile[i],
                           s->events ? (int64_t)llround(s->latency_pct_ms[i] * 1e6) : -1, missing,
                           f, arg);
    } else if (section == FIELD_RATE) {
        listed(s, section, "response_", &s->rate.response, missing, f, arg);
        listed(s, section, "service_", &s->rate.service, missing, f, arg);
        listed(s, section, "lag_", &s->rate.lag, missing, f, arg);
    }
}

static void one_event(const struct snapshot *s, const struct perf_spec *spec,
                      const struct perf_figure *p, field_visit *visit, void *arg)
{
    const char *why = p->have ? NULL : p->why ? p->why : "not counted";
    const char *lower = p->lower && !why ? sample_why(&s->server.d, SAMPLE_CPU) : NULL;
    uint64_t events = snapshot_sampled(s);
    char name[PERF_NAME_MAX + 32];
    struct field f = {.section = FIELD_EVENTS,
                      .name = spec->name,
                      .help = "how often, of what --events-of names",
                      .type = FIELD_NUMBER,
                      .missing = why,
                      .lower = lower};

    by_name(f, p->count, NULL, visit, arg);
    snprintf(name, sizeof name, "%s_per_transaction", spec->name);
    f.name = name;
    f.help = "the same of a transaction";
    if (!why && !events) {
        f.missing = s->events ? field_read_late : field_no_sample;
        f.lower = NULL;
    }
    by_name(f, events ? p->count / (double)events : (double)NAN, NULL, visit, arg);
    snprintf(name, sizeof name, "%s_counted_pct", spec->name);
    f.help = "for what part of the time there was a counter for it; the count is scaled up";
    f.missing = why;
    f.lower = NULL;
    by_name(f, p->ratio * 100, NULL, visit, arg);
}

const char *field_not_derived(const struct probe_delta *p)
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

static void events_of(const struct snapshot *s, field_visit *visit, void *arg)
{
    const struct probe_delta *p = s->probe;

    for (size_t i = 0; i < p->events; i++)
        one_event(s, &p->event[i], &p->perf.f[i], visit, arg);
    for (size_t i = 0; i < derived_figures.n; i++) {
        const struct figure *r = &derived_figures.row[i];
        double v = figures_value(r, s, &p->perf.d, NULL).number;
        if (p->derived & r->have)
            by_name((struct field){.section = FIELD_EVENTS,
                                   .name = r->name,
                                   .help = r->help,
                                   .row = r,
                                   .type = FIELD_NUMBER},
                    v, isnan(v) ? field_not_derived(p) : NULL, visit, arg);
    }
}

static void status_of(const struct snapshot *s, field_visit *visit, void *arg)
{
    const struct probe_delta *p = s->probe;

    for (size_t i = 0; i < p->statuses; i++) {
        const char *why =
            *p->status.why ? p->status.why : "the server did not tell, or counted backwards";
        bool have = p->status.have & UINT32_C(1) << i, level = p->status_name[i].gauge;
        by_name((struct field){.section = FIELD_STATUS,
                               .name = p->status_name[i].name,
                               .type = FIELD_NUMBER,
                               .level = level,
                               .lower = have && !level && p->status.lower ? why : NULL,
                               .help = level ? "the server's own, at the end"
                                             : "the server's own, growth in the interval"},
                have ? p->status.v[i] : (double)NAN, why, visit, arg);
    }
}

void fields_each(const struct snapshot *s, field_visit *visit, void *arg)
{
    for (int k = 0; k < FIELD_SECTIONS; k++) {
        enum field_section section = (enum field_section)k;
        const char *missing = field_section_missing(s, section);
        for (size_t i = 0; i < section_figures[k].n; i++)
            one_row(s, section, &section_figures[k].row[i], missing, visit, arg);
        percentiles_of(s, section, missing, visit, arg);
        if (section == FIELD_EVENTS && !missing)
            events_of(s, visit, arg);
        else if (section == FIELD_STATUS && !missing)
            status_of(s, visit, arg);
    }
}
