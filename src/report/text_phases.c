/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_phases.h.  The lines depend on the options and on whether there is a server to watch (a
 * server that was not found has no lines).  A figure that one phase lacks is n/a there, one that
 * all lack has no line; the blocks above, or `missing` in the json file, give the reason.  Two
 * phases are followed by the ratio of the second to the first.
 */
#include "report/text_phases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text_figures.h"
#include "report/text_lines.h"
#include "report/text_marks.h"

#define ACROSS 3 /* phases side by side, or two and their ratio: 80 columns */
#define LABEL  TEXT_LABEL
#define CELL   " %12s"

/* A line of the table: one figure of each phase. */
typedef double figure(const struct snapshot *s, size_t which);

/* A small figure has three or six decimals, a large one has none. */
static const char *amount(char buf[40], double v)
{
    int decimals = v >= 10000 ? 0 : v >= 1000 ? 1 : v >= 100 ? 2 : v >= 0.1 || v == 0 ? 3 : 6;

    if (!isfinite(v))
        return strcpy(buf, "n/a");
    snprintf(buf, 40, "%.*f", decimals, v);
    return buf;
}

static void add_line(struct str *out, const struct snapshot_phase *p, size_t n, bool ratio,
                     const char *label, figure *get, size_t which)
{
    bool any = false;
    char buf[40];

    for (size_t i = 0; i < n; i++)
        any = any || isfinite(get(p[i].s, which));
    if (!any)
        return;
    str_printf(out, LABEL, label);
    for (size_t i = 0; i < n; i++)
        str_printf(out, CELL, amount(buf, get(p[i].s, which)));
    if (ratio) {
        double before = get(p[0].s, which), after = get(p[1].s, which);
        str_printf(out, CELL, amount(buf, before > 0 ? after / before : NAN));
    }
    str_adds(out, "\n");
}

static double per_transaction(const struct snapshot *s, double n)
{
    uint64_t events = snapshot_sampled(s);

    return events ? n / (double)events : NAN;
}

static double per_second(const struct snapshot *s, size_t which)
{
    (void)which;
    return text_per_sec(s, (double)s->events);
}

static double ms(int64_t ns)
{
    return ns < 0 ? NAN : dur_ms(ns);
}

static double from_series(const struct snapshot_series *v, size_t which)
{
    const int64_t fixed[] = {v->p50, v->p95, v->p99};

    return ms(which < 3 ? fixed[which] : v->pct[which - 3]);
}

static double latency(const struct snapshot *s, size_t which)
{
    return from_series(&s->latency, which);
}

static double service(const struct snapshot *s, size_t which)
{
    return from_series(&s->rate.service, which);
}

static double lag(const struct snapshot *s, size_t which)
{
    return from_series(&s->rate.lag, which);
}

/* Without our histograms: the figures that the rest of the report shows. */
static double stock_latency(const struct snapshot *s, size_t which)
{
    return s->events ? s->latency_pct_ms[which] : NAN;
}

static double process_cpu(const struct snapshot *s, const struct snapshot_server *v, size_t which)
{
    const struct sample_delta *d = &v->d;
    int ncpu = v->ncpu ? v->ncpu : s->ncpu;
    uint64_t events = snapshot_sampled_by(s, v);

    if (!(d->have & SAMPLE_CPU))
        return NAN;
    return which == 0   ? sample_pct_system(d->user_ns, d->wall_ns, ncpu)
           : which == 1 ? sample_pct_system(d->sys_ns, d->wall_ns, ncpu)
           : events     ? (double)d->cpu_ns / 1e3 / (double)events
                        : NAN;
}

static double server_cpu(const struct snapshot *s, size_t which)
{
    return process_cpu(s, &s->server, which);
}

static double client_cpu(const struct snapshot *s, size_t which)
{
    return process_cpu(s, &s->self, which);
}

static double switches(const struct snapshot *s, size_t which)
{
    const struct sample_delta *d = &s->server.d;

    (void)which;
    return d->have & SAMPLE_SWITCHES
               ? per_transaction(s, (double)(d->vol_switches + d->invol_switches))
               : NAN;
}

static double derived(const struct snapshot *s, size_t which)
{
    const struct perf_derived *d = &s->probe->perf.d;
    const double v[] = {d->ipc, d->icache_per_instruction, d->itlb_per_instruction,
                        d->branch_miss_pct, snapshot_work(s)};

    return v[which];
}

static double event(const struct snapshot *s, size_t which)
{
    const struct perf_figure *f = &s->probe->perf.f[which];

    return f->have ? per_transaction(s, f->count) : NAN;
}

static double host(const struct snapshot *s, size_t which)
{
    const struct host_delta *d = &s->probe->host;
    const double v[] = {d->us, d->sy, d->cs, per_transaction(s, d->cs * dur_sec(d->wall_ns)),
                        per_transaction(s, d->in * dur_sec(d->wall_ns))};

    return d->wall_ns > 0 && d->have & HOST_STAT ? v[which] : NAN;
}

static double energy(const struct snapshot *s, size_t which)
{
    const struct host_delta *d = &s->probe->host;

    return d->wall_ns > 0 && d->have & HOST_POWER
               ? per_transaction(s, d->watts[which] * dur_sec(d->wall_ns))
               : NAN;
}

struct table {
    struct str *out;
    const struct snapshot_phase *p;
    size_t n;
    bool ratio;
    const struct text_phase_lines *more;
};

static void row(const struct table *t, const char *label, figure *get, size_t which)
{
    add_line(t->out, t->p, t->n, t->ratio, label, get, which);
}

static void latencies(const struct table *t, const struct snapshot *s)
{
    static const char *const fixed[] = {"p50", "p95", "p99"};
    char label[80], pct[TEXT_PERCENTILE_SIZE];
    const char *what = s->has_rate ? "response" : "latency";

    if (!s->has_latency) {
        for (size_t i = 0; i < s->percentiles; i++) {
            snprintf(label, sizeof label,
                     "latency p%s, ms:", text_percentile(pct, s->percentile[i]));
            row(t, label, stock_latency, i);
        }
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        snprintf(label, sizeof label, "%s %s, ms:", what, fixed[i]);
        row(t, label, latency, i);
    }
    for (size_t i = 0; i < s->percentiles; i++) {
        if (s->percentile[i] == 50 || s->percentile[i] == 95 || s->percentile[i] == 99)
            continue;
        snprintf(label, sizeof label, "%s p%s, ms:", what, text_percentile(pct, s->percentile[i]));
        row(t, label, latency, 3 + i);
    }
    if (s->has_rate) {
        row(t, "service p99, ms:", service, 2);
        row(t, "lag p99, ms:", lag, 2);
    }
}

static void processes(const struct table *t, const struct snapshot *s)
{
    bool lower = false;

    for (size_t i = 0; i < t->n; i++)
        lower = lower || t->p[i].s->server.d.lower & SAMPLE_SWITCHES;
    if (s->server.on) {
        row(t, "server usr, % of the whole system:", server_cpu, 0);
        row(t, "server sys, % of the whole system:", server_cpu, 1);
        row(t, "server CPU per transaction, us:", server_cpu, 2);
        row(t, lower ? "server context switches/tx, at least:" : "server context switches/tx:",
            switches, 0);
    }
    if (s->self.on)
        row(t, "load generator CPU/tx, us:", client_cpu, 2);
}

static void events(const struct table *t, const struct probe_delta *p)
{
    static const struct {
        unsigned bit;
        const char *label;
    } d[] = {{PERF_IPC, "instructions per cycle:"},
             {PERF_ICACHE, "icache misses per instruction:"},
             {PERF_ITLB, "iTLB misses per instruction:"},
             {PERF_BRANCH, "branch misses, %:"},
             {PERF_WORK, "transactions per billion cycles:"}};
    char label[PERF_NAME_MAX + 5];

    for (size_t i = 0; i < sizeof d / sizeof *d; i++)
        if (p->derived & d[i].bit)
            row(t, d[i].label, derived, i);
    for (size_t i = 0; i < p->events; i++) {
        snprintf(label, sizeof label, "%s/tx:", p->event[i].name);
        row(t, label, event, i);
    }
}

static void table(const struct table *t, size_t first)
{
    const struct snapshot *s = t->p[0].s;

    str_printf(t->out, LABEL, "");
    for (size_t i = 0; i < t->n; i++)
        str_printf(t->out, " %12zu", first + i + 1);
    str_adds(t->out, t->ratio ? "        2 / 1\n" : "\n");
    if (t->more)
        t->more->add(t->more, t->out, first, t->n);
    str_printf(t->out, LABEL, "transactions:");
    for (size_t i = 0; i < t->n; i++)
        str_printf(t->out, " %12llu", (unsigned long long)t->p[i].s->events);
    str_adds(t->out, "\n");
    row(t, "transactions per second:", per_second, 0);
    latencies(t, s);
    processes(t, s);
    if (s->probe && s->probe->events)
        events(t, s->probe);
    if (s->probe && s->probe->has_host) {
        row(t, "host us, %:", host, 0);
        row(t, "host sy, %:", host, 1);
        row(t, "host cs, per second:", host, 2);
        row(t, "host cs/tx:", host, 3);
        row(t, "host in/tx:", host, 4);
        row(t, "CPU energy per transaction, J:", energy, 0);
    }
}

static void title(struct str *out, const struct snapshot_phase *p, size_t number)
{
    struct str text = STR_INIT;
    char label[24];

    snprintf(label, sizeof label, "%zu:", number);
    str_printf(&text, "%.3f to %.3f s", dur_sec(p->s->elapsed_ns - p->s->interval_ns),
               dur_sec(p->s->elapsed_ns));
    for (size_t i = 0; i < p->nmarks; i++)
        str_printf(&text, "%s %s", i ? ";" : ", after", p->marks[i].text);
    text_item(out, label, "%s", str_cstr(&text));
    str_free(&text);
}

void text_phase_tables(struct str *out, const struct snapshot_phase *p, size_t n,
                       const struct text_phase_lines *more)
{
    for (size_t i = 0; i < n; i += ACROSS) {
        struct table t = {.out = out,
                          .p = &p[i],
                          .n = n - i < ACROSS ? n - i : ACROSS,
                          .ratio = n == 2,
                          .more = more};
        table(&t, i);
    }
}

void text_phases(struct str *out, const struct snapshot *s)
{
    if (!s->nphases)
        return;
    str_adds(out, "Between marks, in whole intervals without those in which a mark came:\n");
    for (size_t i = 0; i < s->nphases; i++)
        title(out, &s->phases[i], i + 1);
    text_phase_tables(out, s->phases, s->nphases, NULL);
    if (s->phases_lost)
        str_printf(out, LABEL "%zu\n", "further phases, not kept:", s->phases_lost);
    str_adds(out, "\n");
}
