/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A snapshot through the table: value() turns a row into a struct field.  Percentiles that the user
 * listed follow the rows of their section.
 */
#include "report/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/fields_table.h"

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
        return s->kind == SNAPSHOT_INTERVAL || s->kind == SNAPSHOT_PHASE ? field_only_cumulative
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

static const struct snapshot_server *process_of(const struct snapshot *s,
                                                enum field_section section)
{
    return section == FIELD_SERVER ? &s->server : section == FIELD_CLIENT ? &s->self : NULL;
}

static const void *base_of(const struct snapshot *s, enum field_section section)
{
    if (section == FIELD_RATE)
        return &s->rate;
    if (section == FIELD_HOST)
        return &s->probe->host;
    return process_of(s, section) ? (const void *)process_of(s, section) : (const void *)s;
}

static void set_number(struct field *f, double v, const char *why)
{
    f->type = FIELD_NUMBER;
    f->number = v;
    if (!isfinite(v))
        f->missing = why ? why : field_no_sample;
}

static void set_ns(struct field *f, int64_t ns, const char *why)
{
    set_number(f, ns < 0 ? NAN : dur_sec(ns == HIST_OVER_NS ? HIST_MAX_NS : ns), why);
    if (ns == HIST_OVER_NS)
        f->lower = "longer than an hour, and by how much was not counted";
}

static void read_row(const struct snapshot *s, const struct field_row *r, struct field *f)
{
    const char *p = (const char *)base_of(s, r->section) + r->at;

    switch (r->how) {
    case U64: f->count = *(const uint64_t *)(const void *)p; break;
    case BYTES:
        f->count = *(const uint64_t *)(const void *)p;
        if (s->total[CNT_BYTES_READ] + s->total[CNT_BYTES_WRITTEN] == 0)
            f->missing = r->why;
        break;
    case UINT: f->count = *(const unsigned *)(const void *)p; break;
    case NS: set_ns(f, *(const int64_t *)(const void *)p, r->why); break;
    case NS_DOUBLE: set_number(f, *(const double *)(const void *)p / 1e9, r->why); break;
    case REAL: set_number(f, *(const double *)(const void *)p, r->why); break;
    case MS: set_number(f, *(const double *)(const void *)p / 1e3, r->why); break;
    case KIB: set_number(f, *(const double *)(const void *)p * 1024, r->why); break;
    case MHZ: set_number(f, *(const double *)(const void *)p * 1e6, r->why); break;
    case INT:
        f->count = (uint64_t) * (const int *)(const void *)p;
        if (f->count == 0)
            f->missing = "not known";
        break;
    case COMPUTED:
    case WHOLE: set_number(f, r->get(s, process_of(s, r->section)), r->why); break;
    }
}

static void check_process(const struct snapshot *s, const struct field_row *r, struct field *f)
{
    const struct snapshot_server *v = process_of(s, r->section);

    if (!v || !r->bit || f->missing)
        return;
    if (!(v->d.have & r->bit))
        f->missing = sample_why(&v->d, r->bit);
    else if (v->d.lower & r->bit)
        f->lower = sample_why(&v->d, r->bit);
}

static void check_host(const struct snapshot *s, const struct field_row *r, struct field *f)
{
    const struct host_delta *d = &s->probe->host;

    if (d->wall_ns <= 0)
        f->missing = after_load;
    else if (r->bit && !(d->have & r->bit))
        f->missing = host_why(r->bit);
    else if (r->bit == HOST_POWER && f->missing && snapshot_sampled(s))
        f->missing = field_no_power;
}

static struct field value(const struct snapshot *s, const struct field_row *r,
                          const char *section_missing)
{
    struct field f = {.section = r->section,
                      .name = r->name,
                      .help = r->help,
                      .type = FIELD_COUNT,
                      .grows = r->section == FIELD_TOTAL};

    if (r->how != U64 && r->how != UINT && r->how != BYTES && r->how != INT)
        f.type = FIELD_NUMBER;
    f.missing = section_missing;
    /* exact figures of no transaction are not zero */
    if (!f.missing && r->how == MS && s->events == 0)
        f.missing = field_no_sample;
    if (!f.missing)
        read_row(s, r, &f);
    if (f.missing == field_no_transaction && s->events)
        f.missing = field_read_late;
    if (r->how == WHOLE) {
        f.type = FIELD_COUNT;
        f.count = f.missing ? 0 : (uint64_t)f.number;
    }
    check_process(s, r, &f);
    if (r->section == FIELD_HOST && !section_missing)
        check_host(s, r, &f);
    return f;
}

/* "p99_9": a name has no point in it. */
static void percentile_name(char name[FIELD_NAME_SIZE], const char *prefix, double p)
{
    int n = snprintf(name, FIELD_NAME_SIZE, "%sp%.12g_s", prefix, p);

    for (int i = 0; i < n; i++)
        if (name[i] == '.')
            name[i] = '_';
}

static void one_percentile(enum field_section section, const char *prefix, double p, int64_t ns,
                           const char *missing, field_visit *f, void *arg)
{
    char name[FIELD_NAME_SIZE];
    struct field v = {.section = section,
                      .name = name,
                      .help = "as listed by --percentile",
                      .type = FIELD_NUMBER,
                      .missing = missing};

    percentile_name(name, prefix, p);
    if (!missing)
        set_ns(&v, ns, NULL);
    f(arg, &v);
}

static bool always_there(double p)
{
    return p == 50 || p == 95 || p == 99;
}

static void listed(const struct snapshot *s, enum field_section section, const char *prefix,
                   const struct snapshot_series *series, const char *missing, field_visit *f,
                   void *arg)
{
    for (size_t i = 0; i < s->percentiles; i++)
        if (!always_there(s->percentile[i]))
            one_percentile(section, prefix, s->percentile[i], series->pct[i], missing, f, arg);
}

/* What the text report shows, from stock's coarser buckets. */
static void as_in_text(const struct snapshot *s, const char *missing, field_visit *f, void *arg)
{
    for (size_t i = 0; i < s->percentiles; i++) {
        int64_t ns = s->events ? (int64_t)llround(s->latency_pct_ms[i] * 1e6) : -1;
        one_percentile(FIELD_LATENCY, "text_", s->percentile[i], ns, missing, f, arg);
    }
}

static void percentiles_of(const struct snapshot *s, enum field_section section,
                           const char *missing, field_visit *f, void *arg)
{
    if (section == FIELD_LATENCY) {
        listed(s, section, "", &s->latency, missing, f, arg);
        as_in_text(s, missing, f, arg);
    } else if (section == FIELD_RATE) {
        listed(s, section, "response_", &s->rate.response, missing, f, arg);
        listed(s, section, "service_", &s->rate.service, missing, f, arg);
        listed(s, section, "lag_", &s->rate.lag, missing, f, arg);
    }
}

/* A figure that has only a name and no row. */
static void one_figure(enum field_section section, const char *name, const char *help, double v,
                       const char *missing, field_visit *f, void *arg)
{
    struct field out = {.section = section, .name = name, .help = help, .missing = missing};

    set_number(&out, missing ? NAN : v, missing);
    f(arg, &out);
}

/* A count of events, or their number per transaction. */
static void one_count(const struct snapshot *s, const struct perf_figure *p, struct field *out,
                      field_visit *f, void *arg)
{
    set_number(out, out->missing ? NAN : out->number, out->missing);
    if (p->lower && !out->missing)
        out->lower = sample_why(&s->server.d, SAMPLE_CPU);
    f(arg, out);
}

static void one_event(const struct snapshot *s, const struct perf_spec *spec,
                      const struct perf_figure *p, field_visit *f, void *arg)
{
    const char *why = p->have ? NULL : p->why ? p->why : "not counted";
    uint64_t events = snapshot_sampled(s);
    char name[PERF_NAME_MAX + 32];

    one_count(s, p,
              &(struct field){.section = FIELD_EVENTS,
                              .name = spec->name,
                              .help = "how often, of what --events-of names",
                              .number = p->count,
                              .missing = why},
              f, arg);
    snprintf(name, sizeof name, "%s_per_transaction", spec->name);
    one_count(s, p,
              &(struct field){.section = FIELD_EVENTS,
                              .name = name,
                              .help = "the same of a transaction",
                              .number = events ? p->count / (double)events : NAN,
                              .missing = why         ? why
                                         : events    ? NULL
                                         : s->events ? field_read_late
                                                     : field_no_sample},
              f, arg);
    snprintf(name, sizeof name, "%s_counted_pct", spec->name);
    one_figure(FIELD_EVENTS, name,
               "for what part of the time there was a counter for it; the count is scaled up",
               p->ratio * 100, why, f, arg);
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

static void derived_events(const struct snapshot *s, field_visit *f, void *arg)
{
    const struct probe_delta *p = s->probe;
    const char *why = field_not_derived(p);
    const struct {
        unsigned bit;
        const char *name, *help;
        double v;
    } t[] = {{PERF_IPC, "ipc", "instructions per cycle", p->perf.d.ipc},
             {PERF_ICACHE, "icache_misses_per_instruction", "L1 instruction cache",
              p->perf.d.icache_per_instruction},
             {PERF_ITLB, "itlb_misses_per_instruction", "instruction TLB",
              p->perf.d.itlb_per_instruction},
             {PERF_BRANCH, "branch_miss_pct", "mispredicted branches", p->perf.d.branch_miss_pct},
             {PERF_WORK, "transactions_per_billion_cycles", "work done by a billion cycles",
              snapshot_work(s)}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (p->derived & t[i].bit)
            one_figure(FIELD_EVENTS, t[i].name, t[i].help, t[i].v, isnan(t[i].v) ? why : NULL, f,
                       arg);
}

static void events_of(const struct snapshot *s, field_visit *f, void *arg)
{
    const struct probe_delta *p = s->probe;

    if (field_section_missing(s, FIELD_EVENTS))
        return;
    for (size_t i = 0; i < p->events; i++)
        one_event(s, &p->event[i], &p->perf.f[i], f, arg);
    derived_events(s, f, arg);
}

static void status_of(const struct snapshot *s, field_visit *f, void *arg)
{
    const struct probe_delta *p = s->probe;

    if (field_section_missing(s, FIELD_STATUS))
        return;
    for (size_t i = 0; i < p->statuses; i++) {
        const char *why =
            *p->status.why ? p->status.why : "the server did not tell, or counted backwards";
        bool have = p->status.have & UINT32_C(1) << i, level = p->status_name[i].gauge;
        struct field out = {.section = FIELD_STATUS,
                            .name = p->status_name[i].name,
                            .level = level,
                            .help = level ? "the server's own, at the end"
                                          : "the server's own, growth in the interval"};
        set_number(&out, have ? p->status.v[i] : NAN, why);
        if (have && !level && p->status.lower)
            out.lower = why;
        f(arg, &out);
    }
}

void fields_each(const struct snapshot *s, field_visit *f, void *arg)
{
    size_t i = 0;

    for (int section = 0; section < FIELD_SECTIONS; section++) {
        const char *missing = field_section_missing(s, (enum field_section)section);
        for (; i < field_rows_count && field_rows[i].section == (enum field_section)section; i++) {
            struct field v = value(s, &field_rows[i], missing);
            f(arg, &v);
        }
        percentiles_of(s, (enum field_section)section, missing, f, arg);
        if (section == FIELD_EVENTS)
            events_of(s, f, arg);
        else if (section == FIELD_STATUS)
            status_of(s, f, arg);
    }
}
