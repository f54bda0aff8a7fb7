/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A snapshot through the table: value() turns a row into a struct field.  Percentiles that the user listed follow the
 * rows of their section.
 */
#include "report/fields.h"

#include <math.h>
#include <stdio.h>

#include "report/fields_table.h"

const char *field_section_name(enum field_section section)
{
    static const char *const names[FIELD_SECTIONS] = {
        [FIELD_LOAD] = "", [FIELD_TOTAL] = "total", [FIELD_LATENCY] = "latency", [FIELD_THREADS] = "threads",
        [FIELD_RATE] = "rate", [FIELD_SERVER] = "server", [FIELD_CLIENT] = "client"};

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
        return s->kind == SNAPSHOT_INTERVAL ? field_only_cumulative : NULL;
    case FIELD_LATENCY:
        return s->has_latency ? NULL : "no histogram was kept";
    case FIELD_RATE:
        return s->has_rate ? NULL : "not asked for (--tx-rate, --rate)";
    case FIELD_SERVER:
        return process_missing(&s->server, "not asked for (--server)");
    case FIELD_CLIENT:
        return process_missing(&s->self, "not asked for (--server, --tx-rate, --rate)");
    default:
        return NULL;
    }
}

static const struct snapshot_server *process_of(const struct snapshot *s, enum field_section section)
{
    return section == FIELD_SERVER ? &s->server : section == FIELD_CLIENT ? &s->self : NULL;
}

static const void *base_of(const struct snapshot *s, enum field_section section)
{
    if (section == FIELD_RATE)
        return &s->rate;
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
    set_number(f, ns < 0 ? NAN : dur_sec(ns), why);
}

static void read_row(const struct snapshot *s, const struct field_row *r, struct field *f)
{
    const char *p = (const char *)base_of(s, r->section) + r->at;

    switch (r->how) {
    case U64:
        f->count = *(const uint64_t *)(const void *)p;
        break;
    case BYTES:
        f->count = *(const uint64_t *)(const void *)p;
        if (s->total[CNT_BYTES_READ] + s->total[CNT_BYTES_WRITTEN] == 0)
            f->missing = r->why;
        break;
    case UINT:
        f->count = *(const unsigned *)(const void *)p;
        break;
    case NS:
        set_ns(f, *(const int64_t *)(const void *)p, r->why);
        break;
    case NS_DOUBLE:
        set_number(f, *(const double *)(const void *)p / 1e9, r->why);
        break;
    case REAL:
        set_number(f, *(const double *)(const void *)p, r->why);
        break;
    case MS:
        set_number(f, *(const double *)(const void *)p / 1e3, r->why);
        break;
    case COMPUTED:
    case WHOLE:
        set_number(f, r->get(s, process_of(s, r->section)), r->why);
        break;
    }
}

static void check_process(const struct snapshot *s, const struct field_row *r, struct field *f)
{
    const struct snapshot_server *v = process_of(s, r->section);

    if (!v || !r->bit || f->missing)
        return;
    if (!(v->d.have & r->bit))
        f->missing = *v->d.reason ? v->d.reason : "cannot be read";
    else if (v->d.lower & r->bit)
        f->lower = v->d.reason;
}

static struct field value(const struct snapshot *s, const struct field_row *r, const char *section_missing)
{
    struct field f = {.section = r->section, .name = r->name, .help = r->help, .type = FIELD_COUNT,
                      .grows = r->section == FIELD_TOTAL};

    if (r->how != U64 && r->how != UINT && r->how != BYTES)
        f.type = FIELD_NUMBER;
    f.missing = section_missing;
    /* exact figures of no transaction are not zero */
    if (!f.missing && r->how == MS && s->events == 0)
        f.missing = field_no_sample;
    if (!f.missing)
        read_row(s, r, &f);
    if (r->how == WHOLE) {
        f.type = FIELD_COUNT;
        f.count = f.missing ? 0 : (uint64_t)f.number;
    }
    check_process(s, r, &f);
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

static void one_percentile(enum field_section section, const char *prefix, double p, int64_t ns, const char *missing,
                           field_visit *f, void *arg)
{
    char name[FIELD_NAME_SIZE];
    struct field v = {.section = section, .name = name, .help = "as listed by --percentile", .type = FIELD_NUMBER,
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
                   const struct snapshot_series *series, const char *missing, field_visit *f, void *arg)
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

static void percentiles_of(const struct snapshot *s, enum field_section section, const char *missing, field_visit *f,
                           void *arg)
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
    }
}
