/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_server.h.  Columns depend on the options only, never on what the machine can count: a
 * figure that does not exist is n/a in its place.
 */
#include "report/text_server.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text_host.h"

#define LABEL "    %-37s"

static const struct {
    unsigned bit;
    const char *brief, *label;
    int decimals;
    const char *unit;
} derived[] = {
    {PERF_IPC, "ipc", "instructions per cycle:", 2, ""},
    {PERF_ICACHE, "icache/ins", "icache misses per instruction:", 5, ""},
    {PERF_ITLB, "itlb/ins", "iTLB misses per instruction:", 6, ""},
    {PERF_BRANCH, "br-miss", "branch misses:", 2, "%"},
};

enum { DERIVED = sizeof derived / sizeof *derived };

static double derived_value(const struct perf_derived *d, size_t i)
{
    const double v[DERIVED] = {d->ipc, d->icache_per_instruction, d->itlb_per_instruction,
                               d->branch_miss_pct};
    return v[i];
}

/* About four digits, never an exponent. */
static const char *amount(char buf[40], double v)
{
    if (isnan(v))
        return strcpy(buf, "n/a");
    snprintf(buf, 40, "%.*f", v >= 1000 ? 0 : v >= 100 ? 1 : v >= 10 ? 2 : 3, v);
    return buf;
}

static void interval_events(struct str *out, const struct snapshot *s, const struct probe_delta *p)
{
    char buf[40];

    if (p->derived)
        str_adds(out, " |");
    for (size_t i = 0; i < DERIVED; i++) {
        double v = derived_value(&p->perf.d, i);
        if (!(p->derived & derived[i].bit))
            continue;
        if (isnan(v))
            str_printf(out, " %s n/a", derived[i].brief);
        else
            str_printf(out, " %s %.*f%s", derived[i].brief, derived[i].decimals, v,
                       derived[i].unit);
    }
    str_adds(out, " |");
    for (size_t i = 0; i < p->events; i++) {
        const struct perf_figure *f = &p->perf.f[i];
        str_printf(out, " %s/tx %s", p->event[i].name,
                   amount(buf, f->have && s->events ? f->count / (double)s->events : NAN));
    }
}

static bool has_status(const struct probe_delta *p, size_t i)
{
    return p->status.have & UINT32_C(1) << i;
}

static void interval_status(struct str *out, const struct probe_delta *p)
{
    const struct status_delta *d = &p->status;

    str_adds(out, " |");
    for (size_t i = 0; i < p->statuses; i++) {
        const struct status_name *n = &p->status_name[i];
        if (!has_status(p, i))
            str_printf(out, " %s%s n/a", n->name, n->gauge ? "" : "/s");
        else if (n->gauge)
            str_printf(out, " %s %.0f", n->name, d->v[i]);
        else
            str_printf(out, " %s/s %.2f", n->name, d->v[i] / dur_sec(d->wall_ns));
    }
}

void text_interval_probe(struct str *out, const struct snapshot *s)
{
    if (!s->probe)
        return;
    if (s->probe->events)
        interval_events(out, s, s->probe);
    if (s->probe->has_host)
        text_interval_host(out, &s->probe->host);
    if (s->probe->statuses)
        interval_status(out, s->probe);
}

static void event_line(struct str *out, const struct snapshot *s, const char *name,
                       const struct perf_figure *f)
{
    char label[PERF_NAME_MAX + 2], buf[40];

    snprintf(label, sizeof label, "%s:", name);
    str_printf(out, LABEL, label);
    if (!f->have) {
        str_printf(out, "n/a (%s)\n", f->why);
        return;
    }
    str_printf(out, "%.0f", f->count);
    if (s->events)
        str_printf(out, " (%s per transaction)", amount(buf, f->count / (double)s->events));
    if (f->ratio < 0.9995)
        str_printf(out, ", counted %.1f%% of the time and scaled", 100 * f->ratio);
    str_adds(out, "\n");
}

static void events_block(struct str *out, const struct snapshot *s, const struct probe_delta *p)
{
    str_printf(out, "Server events:%s%s\n", *p->how ? " " : "", p->how);
    for (size_t i = 0; i < p->events; i++)
        event_line(out, s, p->event[i].name, &p->perf.f[i]);
    for (size_t i = 0; i < DERIVED; i++) {
        double v = derived_value(&p->perf.d, i);
        if (!(p->derived & derived[i].bit))
            continue;
        if (isnan(v))
            str_printf(out, LABEL "n/a\n", derived[i].label);
        else
            str_printf(out, LABEL "%.*f%s\n", derived[i].label, derived[i].decimals, v,
                       derived[i].unit);
    }
    if (*p->how)
        str_printf(out, LABEL "%.3f ms\n", "cost of a reading:", dur_ms(p->events_cost_ns));
    str_adds(out, "\n");
}

static void status_block(struct str *out, const struct snapshot *s, const struct probe_delta *p)
{
    char label[80], buf[40];

    str_adds(out, "Server status:\n");
    for (size_t i = 0; i < p->statuses; i++) {
        snprintf(label, sizeof label, "%s:", p->status_name[i].name);
        str_printf(out, LABEL, label);
        if (!has_status(p, i))
            str_printf(out, "n/a (%s)\n", p->status.why);
        else if (p->status_name[i].gauge)
            str_printf(out, "%.0f at the end\n", p->status.v[i]);
        else if (s->events)
            str_printf(out, "%.0f (%s per transaction)\n", p->status.v[i],
                       amount(buf, p->status.v[i] / (double)s->events));
        else
            str_printf(out, "%.0f\n", p->status.v[i]);
    }
    str_adds(out, "\n");
}

void text_probe(struct str *out, const struct snapshot *s)
{
    if (!s->probe)
        return;
    if (s->probe->events)
        events_block(out, s, s->probe);
    if (s->probe->has_host)
        text_host(out, &s->probe->host, s->ncpu, s->probe->governor);
    if (s->probe->statuses)
        status_block(out, s, s->probe);
}

static void faults_line(struct str *out, const struct sample_delta *d)
{
    if (d->have & SAMPLE_FAULTS)
        str_printf(out, LABEL "minor %llu major %llu\n",
                   "page faults:", (unsigned long long)d->minor_faults,
                   (unsigned long long)d->major_faults);
    else
        str_printf(out, LABEL "n/a (%s)\n", "page faults:", sample_why(d, SAMPLE_FAULTS));
}

static void storage_line(struct str *out, const struct sample_delta *d)
{
    if (d->have & SAMPLE_IO)
        str_printf(out, LABEL "read %llu written %llu\n",
                   "storage, bytes:", (unsigned long long)d->read_bytes,
                   (unsigned long long)d->write_bytes);
    else
        str_printf(out, LABEL "n/a (%s)\n", "storage, bytes:", sample_why(d, SAMPLE_IO));
}

/* Of the time that its threads wanted a CPU, which part they waited for one. */
static double waited_pct(const struct sample_delta *d)
{
    double wanted = (double)d->runq_wait_ns + (double)d->cpu_ns;

    return (d->have & (SAMPLE_RUNQ | SAMPLE_CPU)) == (SAMPLE_RUNQ | SAMPLE_CPU) && wanted > 0
               ? 100 * (double)d->runq_wait_ns / wanted
               : NAN;
}

static void wait_line(struct str *out, const struct sample_delta *d, uint64_t events)
{
    const char *label = "waited for a CPU:";
    double pct = waited_pct(d);

    if (!(d->have & SAMPLE_RUNQ)) {
        str_printf(out, LABEL "n/a (%s)\n", label, sample_why(d, SAMPLE_RUNQ));
        return;
    }
    str_printf(out, LABEL "%s%.3f s", label, d->lower & SAMPLE_RUNQ ? "at least: " : "",
               dur_sec(d->runq_wait_ns));
    if (events)
        str_printf(out, ", %.2f us per transaction",
                   (double)d->runq_wait_ns / 1e3 / (double)events);
    if (!isnan(pct))
        str_printf(out, ", %.1f%% of the time it wanted one", pct);
    str_adds(out, "\n");
}

void text_process_more(struct str *out, const struct snapshot_server *v, const struct snapshot *s)
{
    const struct sample_delta *d = &v->d;
    double cpu = sample_pct_system(d->cpu_ns, d->wall_ns, s->ncpu), waited = waited_pct(d);

    faults_line(out, d);
    storage_line(out, d);
    wait_line(out, d, s->events);
    if (v != &s->self ||
        !s->server.on) /* without a server to serve, using CPU is all there is to do */
        return;
    if ((d->have & SAMPLE_CPU) && cpu > 90)
        str_adds(out, "    WARNING: the load generator used nearly all CPUs, it was the limit and "
                      "not the server\n");
    else if (waited > 50)
        str_adds(out, "    WARNING: the load generator waited for a CPU longer than it ran, "
                      "latencies include that\n");
}
