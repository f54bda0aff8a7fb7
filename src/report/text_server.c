/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_server.h.  Columns depend on the options only, never on what the machine can count: a
 * figure that does not exist is n/a in its place.
 */
#include "report/text_server.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/fields.h"
#include "report/text_host.h"
#include "report/text_syscalls.h"

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
    {PERF_WORK, "tx/Gcyc", "transactions per billion cycles:", 1, ""},
};

enum { DERIVED = sizeof derived / sizeof *derived };

static double derived_value(const struct snapshot *s, size_t i)
{
    const struct perf_derived *d = &s->probe->perf.d;
    const double v[DERIVED] = {d->ipc, d->icache_per_instruction, d->itlb_per_instruction,
                               d->branch_miss_pct, snapshot_work(s)};
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
    uint64_t events = snapshot_sampled(s);
    char buf[40];

    if (p->derived)
        str_adds(out, " |");
    for (size_t i = 0; i < DERIVED; i++) {
        double v = derived_value(s, i);
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
                   amount(buf, f->have && events ? f->count / (double)events : NAN));
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
        text_interval_host(out, s);
    if (s->probe->statuses)
        interval_status(out, s->probe);
}

static void event_line(struct text_lines *l, const struct snapshot *s, const char *name,
                       const struct perf_figure *f)
{
    uint64_t events = snapshot_sampled(s);
    char label[PERF_NAME_MAX + 2], buf[40];
    struct str text = STR_INIT;

    snprintf(label, sizeof label, "%s:", name);
    if (!f->have) {
        text_missing(l, label, f->why);
        return;
    }
    str_printf(&text, "%s%.0f", f->lower ? "at least: " : "", f->count);
    if (events)
        str_printf(&text, " (%s per transaction)", amount(buf, f->count / (double)events));
    if (f->ratio < 0.9995)
        str_printf(&text, ", counted %.1f%% of the time and scaled", 100 * f->ratio);
    if (l->detail == TEXT_FULL)
        str_printf(l->out, LABEL "%s\n", label, str_cstr(&text));
    else
        text_item(l->out, label, "%s", str_cstr(&text));
    str_free(&text);
}

static void events_block(struct text_lines *l, const struct snapshot *s,
                         const struct probe_delta *p)
{
    str_adds(l->out, p->system ? "System events:" : "Server events:");
    if (*p->how) {
        str_adds(l->out, " ");
        text_wrap(l->out, p->how, strlen("Server events: "), 4, text_lines_width(l));
    }
    str_adds(l->out, "\n");
    for (size_t i = 0; i < p->events; i++)
        event_line(l, s, p->event[i].name, &p->perf.f[i]);
    for (size_t i = 0; i < DERIVED; i++) {
        double v = derived_value(s, i);
        if (!(p->derived & derived[i].bit))
            continue;
        if (isnan(v))
            text_missing(l, derived[i].label, field_not_derived(p));
        else
            str_printf(l->out, LABEL "%.*f%s\n", derived[i].label, derived[i].decimals, v,
                       derived[i].unit);
    }
    if (*p->how)
        str_printf(l->out, LABEL "%.3f ms\n", "overhead per reading:", dur_ms(p->events_cost_ns));
    text_lines_end(l);
}

static void status_block(struct text_lines *l, const struct snapshot *s,
                         const struct probe_delta *p)
{
    uint64_t events = snapshot_sampled(s);
    const char *least = p->status.lower ? "at least: " : "";
    char label[80], buf[40];

    str_adds(l->out, "Server status:\n");
    for (size_t i = 0; i < p->statuses; i++) {
        snprintf(label, sizeof label, "%s:", p->status_name[i].name);
        if (!has_status(p, i))
            text_missing(l, label, *p->status.why ? p->status.why : "the server did not report it");
        else if (p->status_name[i].gauge)
            str_printf(l->out, LABEL "%.0f at the end\n", label, p->status.v[i]);
        else if (events)
            str_printf(l->out, LABEL "%s%.0f (%s per transaction)\n", label, least, p->status.v[i],
                       amount(buf, p->status.v[i] / (double)events));
        else
            str_printf(l->out, LABEL "%s%.0f\n", label, least, p->status.v[i]);
    }
    if (p->status.lower)
        text_item(l->out, "lower bounds because:", "%s", p->status.why);
    text_lines_end(l);
}

void text_probe(struct str *out, const struct snapshot *s, enum text_detail detail)
{
    struct text_lines l = {.out = out, .detail = detail};

    if (!s->probe)
        return;
    if (s->probe->events)
        events_block(&l, s, s->probe);
    if (s->probe->has_syscalls)
        text_syscalls(out, s, detail);
    if (s->probe->has_host)
        text_host(out, s, detail);
    if (s->probe->statuses)
        status_block(&l, s, s->probe);
}

static void faults_line(struct text_lines *l, const struct sample_delta *d)
{
    if (d->have & SAMPLE_FAULTS)
        str_printf(l->out, LABEL "%sminor %llu major %llu\n",
                   "page faults:", d->lower & SAMPLE_FAULTS ? "at least: " : "",
                   (unsigned long long)d->minor_faults, (unsigned long long)d->major_faults);
    else
        text_missing(l, "page faults:", sample_why(d, SAMPLE_FAULTS));
}

static void storage_line(struct text_lines *l, const struct sample_delta *d)
{
    if (d->have & SAMPLE_IO)
        str_printf(l->out, LABEL "%sread %llu written %llu\n",
                   "storage, bytes:", d->lower & SAMPLE_IO ? "at least: " : "",
                   (unsigned long long)d->read_bytes, (unsigned long long)d->write_bytes);
    else
        text_missing(l, "storage, bytes:", sample_why(d, SAMPLE_IO));
}

/* Of the time that its threads were runnable, the percentage without a CPU. */
static void wait_line(struct text_lines *l, const struct sample_delta *d, uint64_t events)
{
    static const char label[] = "waited for a CPU:";
    double pct = sample_waited_pct(d);

    if (!(d->have & SAMPLE_RUNQ)) {
        text_missing(l, label, sample_why(d, SAMPLE_RUNQ));
        return;
    }
    str_printf(l->out, LABEL "%s%.3f s", label, d->lower & SAMPLE_RUNQ ? "at least: " : "",
               dur_sec(d->runq_wait_ns));
    if (events && l->detail == TEXT_FULL)
        str_printf(l->out, ", %.2f us per transaction",
                   (double)d->runq_wait_ns / 1e3 / (double)events);
    if (!isnan(pct))
        str_printf(l->out, ", %.1f%% of runnable time", pct);
    str_adds(l->out, "\n");
}

static void throttle_line(struct text_lines *l, const struct sample_delta *d)
{
    if ((d->have & SAMPLE_THROTTLE) && d->throttled_periods)
        str_printf(l->out, LABEL "%.3f s, %llu periods\n",
                   "throttled by a CPU quota:", dur_sec(d->throttled_ns),
                   (unsigned long long)d->throttled_periods);
}

/* Said without a server, too: a quota's periods of 100 ms are in all latencies. */
static void throttle_warning(struct str *out, const struct sample_delta *d)
{
    if ((d->have & SAMPLE_THROTTLE) && d->throttled_periods)
        str_printf(out, "    WARNING: a CPU quota stopped the load generator for %.3f s\n",
                   dur_sec(d->throttled_ns));
}

static void warnings(struct text_lines *l, const struct snapshot *s, const struct sample_delta *d)
{
    static const char word[] = "    WARNING: ";

    if (s->self_limit) {
        str_adds(l->out, word);
        text_wrap(l->out, s->self_limit, strlen(word), 4, text_lines_width(l));
        str_adds(l->out, "\n");
    } else if (sample_waited_pct(d) > 50) {
        str_printf(l->out, "%slatencies include the load generator's own waiting for a CPU\n",
                   word);
    }
}

void text_process_more(struct text_lines *l, const struct snapshot_server *v,
                       const struct snapshot *s)
{
    bool ours = v == &s->self;

    if (l->detail == TEXT_FULL) {
        faults_line(l, &v->d);
        storage_line(l, &v->d);
    }
    if (!ours || l->detail == TEXT_FULL)
        wait_line(l, &v->d, snapshot_sampled_by(s, v));
    if (ours && l->detail == TEXT_FULL)
        throttle_line(l, &v->d);
    if (ours)
        throttle_warning(l->out, &v->d);
    if (ours && s->server.on) /* without a server to serve, using CPU is all there is to do */
        warnings(l, s, &v->d);
}
