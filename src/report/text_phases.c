/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Phases between marks, and stages of the rate: figures down, phases across, so that before and
 * after can be compared.
 *
 * A phase is made of whole intervals (engine/windows.c).  The lines depend on the options and on
 * whether there is a server to watch (a server that was not found has no lines).  A figure that one
 * phase lacks is n/a there, one that all lack has no line; the blocks above, or `missing` in the
 * json file, give the reason.  Two phases are followed by the ratio of the second to the first.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text_blocks.h"
#include "report/text_figures.h"
#include "report/text_table.h"

#define H(member) offsetof(struct text_figures, host.member)
#define F(member) offsetof(struct text_figures, member)

/* clang-format off */
/* The lines of phases and stages.  Decimals < 0: as many as its size needs, and a ratio. */
enum phase_line { OF_TARGET, OF_STAGE, OF_ALL, OF_SERVER, OF_CLIENT, OF_HOST };
static const struct {
    enum phase_line when;
    const char *label;
    size_t offset;
    int decimals;
    unsigned lower; /* SAMPLE_*: marked where this is a lower bound */
} phase_lines[] = {
    {OF_TARGET, "target, per second", F(target), 2, 0},
    {OF_STAGE, "planned starts", F(planned), 0, 0},
    {OF_STAGE, "failed transactions", F(failed), 0, 0},
    {OF_STAGE, "dropped transactions", F(dropped), 0, 0},
    {OF_STAGE, "unfinished at the end", F(unfinished), 0, 0},
    {OF_STAGE, "starts over 1 ms late", F(late), 0, 0},
    {OF_ALL, "transactions", F(transactions), 0, 0},
    {OF_ALL, "transactions per second", F(per_s), -1, 0},
    {OF_SERVER, "server usr, % of the whole system", F(server.of_system[TEXT_USER]), -1, 0},
    {OF_SERVER, "server sys, % of the whole system", F(server.of_system[TEXT_SYSTEM]), -1, 0},
    {OF_SERVER, "server CPU per transaction, us", F(server.per_tx[TEXT_CPU]), -1, 0},
    {OF_SERVER, "server context switches/tx", F(server.switches_tx), -1, SAMPLE_SWITCHES},
    {OF_CLIENT, "load generator CPU/tx, us", F(client.per_tx[TEXT_CPU]), -1, 0},
    {OF_HOST, "host us, %", H(us), -1, 0},
    {OF_HOST, "host sy, %", H(sy), -1, 0},
    {OF_HOST, "host cs, per second", H(cs), -1, 0},
    {OF_HOST, "host cs/tx", F(switches), -1, 0},
    {OF_HOST, "host in/tx", F(interrupts), -1, 0},
    {OF_HOST, "CPU energy per transaction, J", F(joules[POWER_CPU]), -1, 0},
};
/* clang-format on */

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))
#define ACROSS      3 /* phases side by side, or two and their ratio: 80 columns */
#define CELL        " %12s"

struct table {
    struct str *out;
    const struct snapshot *s[ACROSS];
    struct text_figures f[ACROSS];
    size_t n;
    bool ratio;
};

/* A small figure has three or six decimals, a large one has none. */
static void add_amount(struct str *out, double v)
{
    char buf[40];

    if (isfinite(v) && v < 0.1 && v != 0)
        str_printf(out, " %12.6f", v);
    else
        str_printf(out, CELL, text_digits(buf, v, 5));
}

static void phase_line(const struct table *t, const char *label, const double *v)
{
    bool any = false;

    for (size_t i = 0; i < t->n; i++)
        any = any || isfinite(v[i]);
    if (!any)
        return;
    text_label(t->out, label);
    for (size_t i = 0; i < t->n; i++)
        add_amount(t->out, v[i]);
    if (t->ratio)
        add_amount(t->out, v[0] > 0 ? v[1] / v[0] : NAN);
    str_adds(t->out, "\n");
}

static void add_phase_lines(const struct table *t, enum phase_line when)
{
    for (size_t k = 0; k < COUNT(phase_lines); k++) {
        double v[ACROSS];
        char label[64];
        bool lower = false;
        if (phase_lines[k].when != when)
            continue;
        for (size_t i = 0; i < t->n; i++) {
            v[i] = text_figure(&t->f[i], phase_lines[k].offset);
            lower = lower || t->s[i]->server.d.lower & phase_lines[k].lower;
        }
        snprintf(label, sizeof label, "%s%s", phase_lines[k].label, lower ? ", at least" : "");
        if (phase_lines[k].decimals < 0) {
            phase_line(t, label, v);
            continue;
        }
        text_label(t->out, label);
        for (size_t i = 0; i < t->n; i++)
            str_printf(t->out, " %12.*f", phase_lines[k].decimals, v[i]);
        str_adds(t->out, "\n");
    }
}

/* A percentile of the phases, which is at this offset of a snapshot. */
static void latency_line(const struct table *t, const char *what, double percentile, size_t offset)
{
    double v[ACROSS];
    char label[80], number[TEXT_PERCENTILE_SIZE];

    for (size_t i = 0; i < t->n; i++) {
        int64_t ns;
        memcpy(&ns, (const char *)t->s[i] + offset, sizeof ns);
        v[i] = ns < 0 ? NAN : dur_ms(ns);
    }
    snprintf(label, sizeof label, "%s p%s, ms", what, text_percentile(number, percentile));
    phase_line(t, label, v);
}

static void add_latencies(const struct table *t, const struct snapshot *s)
{
    const char *what = s->has_rate ? "response" : "latency";
    char label[80], number[TEXT_PERCENTILE_SIZE];
    double v[ACROSS];

    for (size_t k = 0; !s->has_latency && k < s->percentiles; k++) {
        /* without our histograms: the figures that the rest of the report shows */
        for (size_t i = 0; i < t->n; i++)
            v[i] = t->s[i]->events ? t->s[i]->latency_pct_ms[k] : NAN;
        snprintf(label, sizeof label, "latency p%s, ms", text_percentile(number, s->percentile[k]));
        phase_line(t, label, v);
    }
    if (!s->has_latency)
        return;
    latency_line(t, what, 50, offsetof(struct snapshot, latency.p50));
    latency_line(t, what, 95, offsetof(struct snapshot, latency.p95));
    latency_line(t, what, 99, offsetof(struct snapshot, latency.p99));
    for (size_t k = 0; k < s->percentiles; k++) {
        double p = s->percentile[k];
        if (p != 50 && p != 95 && p != 99)
            latency_line(t, what, p, offsetof(struct snapshot, latency.pct) + k * sizeof(int64_t));
    }
    if (s->has_rate) {
        latency_line(t, "service", 99, offsetof(struct snapshot, rate.service.p99));
        latency_line(t, "lag", 99, offsetof(struct snapshot, rate.lag.p99));
    }
}

static void add_events(const struct table *t, const struct probe_delta *p)
{
    double v[ACROSS];
    char label[PERF_NAME_MAX + 5];

    for (size_t k = 0; k < TEXT_DERIVED; k++) {
        for (size_t i = 0; i < t->n; i++)
            v[i] = t->f[i].derived[k];
        snprintf(label, sizeof label, "%s%s%s", text_derived[k].label,
                 *text_derived[k].unit ? ", " : "", text_derived[k].unit);
        if (p->derived & text_derived[k].bit)
            phase_line(t, label, v);
    }
    for (size_t k = 0; k < p->events; k++) {
        for (size_t i = 0; i < t->n; i++) {
            const struct perf_figure *e = &t->s[i]->probe->perf.f[k];
            v[i] = e->have ? text_per(e->count, snapshot_sampled(t->s[i])) : NAN;
        }
        snprintf(label, sizeof label, "%s/tx", p->event[k].name);
        phase_line(t, label, v);
    }
}

/* Phases, or stages with the accounts of their planned starts; the other one is NULL. */
static void add_tables(struct str *out, const struct snapshot_phase *phase,
                       const struct snapshot_stage *stage, size_t n)
{
    for (size_t first = 0; first < n; first += ACROSS) {
        struct table t = {
            .out = out, .n = n - first < ACROSS ? n - first : ACROSS, .ratio = n == 2};
        const struct snapshot *s;
        text_label(out, "");
        for (size_t i = 0; i < t.n; i++) {
            t.s[i] = phase ? phase[first + i].s : stage[first + i].s;
            text_figures_of(&t.f[i], t.s[i]);
            str_printf(out, " %12zu", first + i + 1);
        }
        s = t.s[0];
        str_adds(out, t.ratio ? "        2 / 1\n" : "\n");
        if (stage) {
            add_phase_lines(&t, OF_TARGET);
            text_label(out, "rate held");
            for (const struct snapshot_stage *g = stage + first; g < stage + first + t.n; g++)
                str_printf(out, CELL,
                           !g->judged     ? "n/a"
                           : g->unknown   ? "not known"
                           : g->sustained ? "yes"
                                          : "no");
            str_adds(out, "\n");
            add_phase_lines(&t, OF_STAGE);
        }
        add_phase_lines(&t, OF_ALL);
        add_latencies(&t, s);
        if (s->server.on)
            add_phase_lines(&t, OF_SERVER);
        if (s->self.on)
            add_phase_lines(&t, OF_CLIENT);
        if (s->probe && s->probe->events)
            add_events(&t, s->probe);
        if (s->probe && s->probe->has_host)
            add_phase_lines(&t, OF_HOST);
    }
}

static double begin_s(const struct snapshot *s)
{
    return dur_sec(s->elapsed_ns - s->interval_ns);
}

void text_phases(struct str *out, const struct snapshot *s)
{
    char label[24];

    if (!s->nphases)
        return;
    str_adds(out, "Between marks, in whole intervals without those in which a mark came:\n");
    for (size_t i = 0; i < s->nphases; i++) {
        const struct snapshot_phase *p = &s->phases[i];
        struct str text = STR_INIT;
        for (size_t k = 0; k < p->nmarks; k++)
            str_printf(&text, "%s %s", k ? ";" : ", after", p->marks[k].text);
        snprintf(label, sizeof label, "%zu", i + 1);
        text_item(out, label, "%.3f to %.3f s%s", begin_s(p->s), dur_sec(p->s->elapsed_ns),
                  str_cstr(&text));
        str_free(&text);
    }
    add_tables(out, s->phases, NULL, s->nphases);
    if (s->phases_lost)
        text_line(out, "further phases, not kept", "%zu", s->phases_lost);
    str_adds(out, "\n");
}

/* No label is one of the Rate block: programs look for "offered:" or "sustained:" and mean the
 * run. */
void text_stages(struct str *out, const struct snapshot *s)
{
    char label[24];

    if (s->nstages < 2)
        return;
    str_adds(out, "Stages of the rate:\n");
    for (size_t i = 0; i < s->nstages; i++) {
        const struct snapshot_stage *v = &s->stages[i];
        snprintf(label, sizeof label, "%zu", i + 1);
        text_item(out, label, "%s, %.3f to %.3f s%s%s%s", v->text, begin_s(v->s),
                  dur_sec(v->s->elapsed_ns),
                  !*v->why       ? ""
                  : v->unknown   ? "; not known"
                  : v->sustained ? "; held"
                                 : "; not held",
                  text_verdict_join(v->sustained, v->why), v->why);
    }
    add_tables(out, NULL, s->stages, s->nstages);
    if (s->stages_lost)
        text_line(out, "further stages, not kept", "%zu", s->stages_lost);
    str_adds(out, "\n");
}
