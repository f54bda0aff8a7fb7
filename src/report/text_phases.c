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

#include "report/fields.h"
#include "report/text_blocks.h"
#include "report/text_table.h"

/* The lines of phases and stages.  Decimals < 0: as many as its size needs, and a ratio. */
enum phase_line { OF_TARGET, OF_STAGE, OF_ALL, OF_SERVER, OF_CLIENT, OF_EVENTS, OF_HOST };
static const struct {
    enum phase_line when;
    const char *label;
    const char *figure;
    double scale;
    int decimals;
    bool lower; /* marked where this is a lower bound */
} phase_lines[] = {
    {OF_TARGET, "target, per second", "rate.target_per_s", 1, 2, false},
    {OF_STAGE, "planned starts", "rate.offered", 1, 0, false},
    {OF_STAGE, "failed transactions", "rate.failed", 1, 0, false},
    {OF_STAGE, "dropped transactions", "rate.dropped", 1, 0, false},
    {OF_STAGE, "unfinished at the end", "rate.unfinished", 1, 0, false},
    {OF_STAGE, "starts over 1 ms late", "rate.late", 1, 0, false},
    {OF_ALL, "transactions", "transactions", 1, 0, false},
    {OF_ALL, "transactions per second", "transactions_per_s", 1, -1, false},
    {OF_SERVER, "server usr, % of the whole system", "server.cpu_user_pct", 1, -1, false},
    {OF_SERVER, "server sys, % of the whole system", "server.cpu_system_pct", 1, -1, false},
    {OF_SERVER, "server CPU per transaction, us", "server.cpu_s_per_transaction", 1e6, -1, false},
    {OF_SERVER, "of it to watch the server, us", "server.own_cpu_s_per_transaction", 1e6, -1,
     false},
    {OF_SERVER, "server context switches/tx", "server.switches_per_transaction", 1, -1, true},
    {OF_CLIENT, "load generator CPU/tx, us", "client.cpu_s_per_transaction", 1e6, -1, false},
    {OF_EVENTS, "instructions per cycle", "server_events.ipc", 1, -1, false},
    {OF_EVENTS, "icache misses per instruction", "server_events.icache_misses_per_instruction", 1,
     -1, false},
    {OF_EVENTS, "iTLB misses per instruction", "server_events.itlb_misses_per_instruction", 1, -1,
     false},
    {OF_EVENTS, "branch misses, %", "server_events.branch_miss_pct", 1, -1, false},
    {OF_EVENTS, "transactions per billion cycles", "server_events.transactions_per_billion_cycles",
     1, -1, false},
    {OF_HOST, "host us, %", "host.cpu_user_pct", 1, -1, false},
    {OF_HOST, "host sy, %", "host.cpu_system_pct", 1, -1, false},
    {OF_HOST, "host cs, per second", "host.context_switches_per_s", 1, -1, false},
    {OF_HOST, "host cs/tx", "host.context_switches_per_transaction", 1, -1, false},
    {OF_HOST, "host in/tx", "host.interrupts_per_transaction", 1, -1, false},
    {OF_HOST, "CPU energy per transaction, J", "host.energy_cpu_j_per_transaction", 1, -1, false},
};

#define ACROSS 3 /* phases side by side, or two and their ratio: 80 columns */
#define CELL   " %12s"

struct table {
    struct str *out;
    const struct snapshot *s[ACROSS];
    size_t n;
    bool ratio;
    bool few; /* a percentile of it is marked */
};

/* A small figure has three or six decimals, a large one has none. */
static void add_amount(struct str *out, double v, bool few)
{
    char buf[40];

    if (isfinite(v) && v < 0.1 && v != 0)
        snprintf(buf, sizeof buf, "%.6f", v);
    else
        text_digits(buf, v, 5);
    if (few)
        strcat(buf, TEXT_FEW_MARK);
    str_printf(out, CELL, buf);
}

/* `few`: which are marked; NULL: none. */
static void phase_line(const struct table *t, const char *label, const double *v, const bool *few)
{
    const double ratio = v[0] > 0 ? v[1] / v[0] : NAN;
    bool any = false;
    char text[40];

    for (size_t i = 0; i < t->n; i++)
        any = any || isfinite(v[i]);
    if (!any)
        return;
    text_label(t->out, label);
    for (size_t i = 0; i < t->n; i++)
        add_amount(t->out, v[i], few && few[i]);
    snprintf(text, sizeof text, ratio < 10 ? "%+.1f%%" : "x %.4g", /* so many times as much */
             ratio < 10 ? (ratio - 1) * 100 : ratio);
    if (t->ratio)
        str_printf(t->out, CELL, isfinite(ratio) ? text : "n/a");
    str_adds(t->out, "\n");
}

static void add_phase_lines(const struct table *t, enum phase_line when)
{
    double v[ACROSS] = {0}, of[ACROSS];

    for (size_t k = 0; k < COUNT(phase_lines); k++) {
        bool lower = false, counts = strncmp(phase_lines[k].label, "of it ", 6) != 0;
        char label[64];
        if (phase_lines[k].when != when)
            continue;
        for (size_t i = 0; i < t->n; i++) {
            const struct field f = fields_find(t->s[i], phase_lines[k].figure);
            of[i] = v[i];
            v[i] = f.missing ? NAN : f.value.number * phase_lines[k].scale;
            counts |= v[i] > 0 && v[i] >= TEXT_WATCHING * of[i];
            lower = lower || (phase_lines[k].lower && f.lower);
        }
        snprintf(label, sizeof label, "%s%s", phase_lines[k].label, lower ? ", at least" : "");
        if (phase_lines[k].decimals < 0) {
            if (counts)
                phase_line(t, label, v, NULL);
            continue;
        }
        text_label(t->out, label);
        for (size_t i = 0; i < t->n; i++)
            str_printf(t->out, " %12.*f", phase_lines[k].decimals, v[i]);
        str_adds(t->out, "\n");
    }
}

/* A percentile of the phases, at this offset of a snapshot, in ns; so many samples are at the other
 * one.  `in_ms`: it is in ms, and n/a without an event. */
static void latency_line(struct table *t, const char *what, double percentile, size_t offset,
                         size_t samples, bool in_ms)
{
    double v[ACROSS], ms;
    bool few[ACROSS];
    char label[80];

    for (size_t i = 0; i < t->n; i++) {
        int64_t ns;
        uint64_t n;
        memcpy(&ns, (const char *)t->s[i] + offset, sizeof ns);
        memcpy(&ms, &ns, sizeof ms);
        memcpy(&n, (const char *)t->s[i] + samples, sizeof n);
        v[i] = in_ms ? (t->s[i]->events ? ms : NAN) : ns < 0 ? NAN : dur_ms(ns);
        few[i] = isfinite(v[i]) && text_few(percentile, n);
        t->few = t->few || few[i];
    }
    snprintf(label, sizeof label, "%s p%.12g, ms", what, percentile);
    phase_line(t, label, v, few);
}

#define OF(member) offsetof(struct snapshot, member)

static void add_latencies(struct table *t, const struct snapshot *s)
{
    const char *what = s->has_rate ? "response" : "latency";

    for (size_t k = 0; !s->has_latency && k < s->percentiles; k++)
        /* without our histograms: the figures that the rest of the report shows */
        latency_line(t, "latency", s->percentile[k], OF(latency_pct_ms) + k * sizeof(double),
                     OF(events), true);
    if (!s->has_latency)
        return;
    latency_line(t, what, 50, OF(latency.p50), OF(latency.n), false);
    latency_line(t, what, 95, OF(latency.p95), OF(latency.n), false);
    latency_line(t, what, 99, OF(latency.p99), OF(latency.n), false);
    for (size_t k = 0; k < s->percentiles; k++) {
        double p = s->percentile[k];
        if (p != 50 && p != 95 && p != 99)
            latency_line(t, what, p, OF(latency.pct) + k * sizeof(int64_t), OF(latency.n), false);
    }
    if (s->has_rate) {
        latency_line(t, "service", 99, OF(rate.service.p99), OF(rate.service.n), false);
        latency_line(t, "lag", 99, OF(rate.lag.p99), OF(rate.lag.n), false);
    }
}

/* Phases, or stages with the accounts of their planned starts; the other one is NULL. */
static void add_tables(struct str *out, const struct snapshot_phase *phase,
                       const struct snapshot_stage *stage, size_t n)
{
    for (size_t first = 0; first < n; first += ACROSS) {
        struct table t = {
            .out = out, .n = n - first < ACROSS ? n - first : ACROSS, .ratio = n == 2};
        text_label(out, "");
        for (size_t i = 0; i < t.n; i++) {
            t.s[i] = phase ? phase[first + i].s : stage[first + i].s;
            str_printf(out, " %12zu", first + i + 1);
        }
        const struct snapshot *s = t.s[0];
        str_adds(out, t.ratio ? "       change\n" : "\n");
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
            add_phase_lines(&t, OF_EVENTS);
        for (size_t k = 0; s->probe && k < s->probe->events; k++) {
            double v[ACROSS];
            char label[PERF_NAME_MAX + 5];
            for (size_t i = 0; i < t.n; i++) {
                const struct perf_figure *e = &t.s[i]->probe->perf.f[k];
                uint64_t events = snapshot_sampled(t.s[i]);
                v[i] = e->have && events ? e->count / (double)events : NAN;
            }
            snprintf(label, sizeof label, "%s/tx", s->probe->event[k].name);
            phase_line(&t, label, v, NULL);
        }
        if (s->probe && s->probe->has_host)
            add_phase_lines(&t, OF_HOST);
        text_few_line(out, t.few);
    }
}

static double begin_s(const struct snapshot *s)
{
    return dur_sec(s->elapsed_ns - s->interval_ns);
}

void text_phases(struct str *out, const struct snapshot *s, const struct report_info *info,
                 size_t width)
{
    char label[24];
    size_t failed = 0;

    if (!s->nphases)
        return;
    str_adds(out, "Between marks, in whole intervals without those in which a mark came:\n");
    for (size_t i = 0; i < info->actions; i++) {
        const struct report_action *a = &info->action[i];
        failed += a->state == ACTION_FAILED ||
                  (a->state == ACTION_ENDED && !a->stopped && a->exit_status != 0);
    }
    if (failed)
        str_printf(out, "    %zu command%s FAILED: what %s to change may be as it was before\n",
                   failed, failed > 1 ? "s" : "", failed > 1 ? "they were" : "it was");
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
    text_server_table(out, s, false, width, s->phases, sizeof *s->phases, s->nphases);
    if (s->phases_lost)
        text_line(out, "further phases, not kept", "%zu", s->phases_lost);
    str_adds(out, "\n");
}

/* No label is one of the Rate block: programs look for "offered:" or "sustained:" and mean the
 * run. */
void text_stages(struct str *out, const struct snapshot *s, size_t width)
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
    text_server_table(out, s, false, width, s->stages, sizeof *s->stages, s->nstages);
    if (s->stages_lost)
        text_line(out, "further stages, not kept", "%zu", s->stages_lost);
    str_adds(out, "\n");
}
