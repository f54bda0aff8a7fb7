/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What server, load generator and machine did, as text: the interval line and the blocks of the
 * cumulative reports are rows that name a figure, its unit and its decimals, so that none of them
 * can disagree with another.
 */
#include "report/text_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/fields.h"
#include "report/text_blocks.h"
#include "report/text_table.h"

typedef unsigned long long ull;

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

double text_per(double v, uint64_t n)
{
    return n ? v / (double)n : NAN;
}

static struct text_process process_of(const struct snapshot *s, const struct snapshot_server *v)
{
    const struct sample_delta *d = &v->d;
    const int64_t ns[TEXT_CPUS] = {d->user_ns, d->sys_ns, d->cpu_ns};
    const uint64_t n = snapshot_sampled_by(s, v);
    const double switches =
        d->have & SAMPLE_SWITCHES ? (double)(d->vol_switches + d->invol_switches) : NAN;
    struct text_process p = {
        .voluntary = (double)d->vol_switches,
        .involuntary = (double)d->invol_switches,
        .switches = switches,
        .switches_tx = text_per(switches, n),
        .threads = d->have & SAMPLE_THREADS ? (double)d->threads : NAN,
        .rss_mib = d->have & SAMPLE_MEMORY ? (double)d->rss_bytes / 1048576 : NAN,
        .minor_faults = (double)d->minor_faults,
        .major_faults = (double)d->major_faults,
        .read = (double)d->read_bytes,
        .written = (double)d->write_bytes,
        .waited_s = dur_sec(d->runq_wait_ns),
        .waited_tx = text_per((double)d->runq_wait_ns / 1e3, n),
        .waited_pct = sample_waited_pct(d),
        .throttled_s = d->throttled_periods ? dur_sec(d->throttled_ns) : NAN,
        .throttled_periods = (double)d->throttled_periods,
    };

    for (int i = 0; i < TEXT_CPUS; i++) {
        bool have = d->have & SAMPLE_CPU;
        p.of_system[i] =
            have ? sample_pct_system(ns[i], d->wall_ns, v->ncpu ? v->ncpu : s->ncpu) : NAN;
        p.of_one[i] = have ? sample_pct_one(ns[i], d->wall_ns) : NAN;
        p.per_tx[i] = have ? text_per((double)ns[i] / 1e3, n) : NAN;
    }
    return p;
}

void text_figures_of(struct text_figures *f, const struct snapshot *s)
{
    const uint64_t n = snapshot_sampled(s);
    const struct snapshot_rate *q = &s->rate;
    struct host_delta *h = &f->host;
    double wall;

    *f = (struct text_figures){.server = process_of(s, &s->server),
                               .client = process_of(s, &s->self),
                               .transactions = (double)s->events,
                               .per_s = text_per_sec(s, (double)s->events),
                               .target = q->target,
                               .planned = (double)q->offered,
                               .failed = (double)q->failed,
                               .dropped = (double)q->dropped,
                               .unfinished = (double)q->unfinished,
                               .late = (double)q->late};
    if (!s->probe)
        return;
    *h = s->probe->host;
    wall = dur_sec(h->wall_ns);
    if (!(h->have & HOST_STAT))
        h->us = h->sy = h->in = h->cs = NAN;
    f->interrupts = text_per(h->in * wall, n);
    f->switches = text_per(h->cs * wall, n);
    for (int i = 0; i < POWER_KINDS; i++)
        f->joules[i] = h->have & HOST_POWER ? text_per(h->watts[i] * wall, n) : NAN;
    f->battery_joules = text_per(h->battery_watts * wall, n);
    f->derived[0] = s->probe->perf.d.ipc;
    f->derived[1] = s->probe->perf.d.icache_per_instruction;
    f->derived[2] = s->probe->perf.d.itlb_per_instruction;
    f->derived[3] = s->probe->perf.d.branch_miss_pct;
    f->derived[4] = snapshot_work(s);
}

double text_figure(const void *figures, size_t offset)
{
    double v = NAN;

    if (figures)
        memcpy(&v, (const char *)figures + offset, sizeof v);
    return v;
}

/* --- rows of them --- */

enum {
    FULL = 1 << 0,   /* in the long form only */
    BRIEF = 1 << 1,  /* in the short form only */
    KNOWN = 1 << 2,  /* not where it is NaN */
    LEAST = 1 << 3,  /* marked where it is a lower bound */
    SERVER = 1 << 4, /* in the short form not of the load generator */
    CLIENT = 1 << 5, /* of the load generator only */
    GAUGE = 1 << 6,  /* never a lower bound */
};

/* "before 12.3unit" */
struct part {
    const char *before;
    size_t offset; /* in struct text_figures or struct text_process */
    int decimals;
    const char *unit;
    unsigned flags;
};

struct line {
    unsigned group; /* SAMPLE_* or HOST_*: what must have been read */
    const char *label;
    unsigned flags;
    const char *interval; /* of the machine, in an interval line: before it; NULL: not there */
    struct part part[6];
};

#define P(member) offsetof(struct text_process, member)
#define H(member) offsetof(struct text_figures, host.member)
#define F(member) offsetof(struct text_figures, member)

/* clang-format off */
#define PART(before, offset, decimals) {before, offset, decimals, "", 0}
#define HOST(name, member, decimals) PART(" " name TEXT_BOUND, H(member), decimals)
#define PER_TX(name, member, decimals) PART(" " name TEXT_BOUND, F(member), decimals)
#define CPU_LINE(of)                                                                               \
    {PART("usr ", P(of[TEXT_USER]), 2), PART(" sys ", P(of[TEXT_SYSTEM]), 2),                        \
     PART(" total ", P(of[TEXT_CPU]), 2)}

static const struct part interval_server[] = {
    {" | srv-usr ", P(of_system[TEXT_USER]), 2, "%", 0},
    {" srv-sys ", P(of_system[TEXT_SYSTEM]), 2, "%", 0},
    {" cs/tx ", P(switches_tx), 2, "", LEAST}, PART(" thr ", P(threads), 0),
    {" rss ", P(rss_mib), 1, "M", 0}, {NULL, 0, 0, NULL, 0},
};

static const struct line process_lines[] = {
    {SAMPLE_CPU, "CPU, % of the whole system", 0, NULL, CPU_LINE(of_system)},
    {SAMPLE_CPU, "CPU, % of one CPU", FULL, NULL, CPU_LINE(of_one)},
    {SAMPLE_CPU, "CPU per transaction, us", 0, NULL, CPU_LINE(per_tx)},
    {SAMPLE_SWITCHES, "context switches", SERVER, NULL,
     {{"voluntary ", P(voluntary), 0, "", FULL}, {" involuntary ", P(involuntary), 0, "", FULL},
      {"", P(switches), 0, "", BRIEF}, {" (", P(switches_tx), 2, " per transaction)", KNOWN}}},
    {SAMPLE_THREADS, "threads", SERVER | GAUGE, NULL, {PART("", P(threads), 0)}},
    {SAMPLE_MEMORY, "RSS", SERVER | GAUGE, NULL, {{"", P(rss_mib), 1, " MiB", 0}}},
    {SAMPLE_FAULTS, "page faults", FULL, NULL,
     {PART("minor ", P(minor_faults), 0), PART(" major ", P(major_faults), 0)}},
    {SAMPLE_IO, "storage, bytes", FULL, NULL,
     {PART("read ", P(read), 0), PART(" written ", P(written), 0)}},
    {SAMPLE_RUNQ, "waited for a CPU", SERVER, NULL, /* of the time that its threads were runnable */
     {{"", P(waited_s), 3, " s", 0}, {", ", P(waited_tx), 2, " us per transaction", FULL | KNOWN},
      {", ", P(waited_pct), 1, "% of runnable time", KNOWN}}},
    {SAMPLE_THROTTLE, "throttled by a CPU quota", FULL | CLIENT | KNOWN, NULL,
     {{"", P(throttled_s), 3, " s", 0}, {", ", P(throttled_periods), 0, " periods", 0}}},
};

static const struct line host_lines[] = {
    {HOST_STAT, "threads at the end", 0, " | host", {HOST("r", running, 0), HOST("b", blocked, 0)}},
    {HOST_STAT, "threads, mean", 0, NULL, {HOST("r", running_mean, 2), HOST("b", blocked_mean, 2)}},
    {HOST_MEMORY, "memory at the end, KiB", 0, "",
     {HOST("swpd", swpd, 0), HOST("free", free, 0), HOST("buff", buff, 0), HOST("cache", cache, 0)}},
    {HOST_MEMORY, "memory, KiB, mean", 0, NULL,
     {HOST("swpd", swpd_mean, 0), HOST("free", free_mean, 0), HOST("buff", buff_mean, 0),
      HOST("cache", cache_mean, 0)}},
    {HOST_PAGING, "paging, KiB per sec.", 0, "",
     {HOST("si", si, 0), HOST("so", so, 0), HOST("bi", bi, 0), HOST("bo", bo, 0)}},
    {HOST_STAT, "per sec.", 0, "", {HOST("in", in, 0), HOST("cs", cs, 0)}},
    {HOST_STAT, "per transaction", 0, NULL, {PER_TX("in", interrupts, 3), PER_TX("cs", switches, 3)}},
    {HOST_STAT, "CPU, %", 0, "",
     {HOST("us", us, 1), HOST("sy", sy, 1), HOST("id", id, 1), HOST("wa", wa, 1), HOST("st", st, 1)}},
    {HOST_DISK, "disks, bytes per sec.", 0, " | disk",
     {HOST("rd", disk_read, 0), HOST("wr", disk_written, 0)}},
    {HOST_NET, "network, bytes per sec.", 0, " | net",
     {HOST("rx", net_received, 0), HOST("tx", net_sent, 0)}},
    {HOST_PRESSURE, "pressure, % of the time", 0, " | psi",
     {HOST("cpu", stalled_pct[HOST_PSI_CPU], 2), HOST("io", stalled_pct[HOST_PSI_IO], 2),
      HOST("mem", stalled_pct[HOST_PSI_MEMORY], 2)}},
    {HOST_FREQUENCY, "CPU frequency at the end", 0, " |", {HOST("mhz", mhz, 0)}},
    {HOST_THROTTLE, "server's quota, % throttled", 0, "", {HOST("throttled", throttled_pct, 2)}},
    {HOST_POWER, "power, W", 0, " | W",
     {HOST("pkg", watts[POWER_CPU], 2), HOST("dram", watts[POWER_MEMORY], 2),
      HOST("bat", battery_watts, 2)}},
    {HOST_POWER, "energy per transaction, J", 0, NULL,
     {PER_TX("pkg", joules[POWER_CPU], 6), PER_TX("dram", joules[POWER_MEMORY], 6),
      PER_TX("bat", battery_joules, 6)}},
};
/* clang-format on */

/* clang-format off */
const struct text_derived text_derived[TEXT_DERIVED] = {
    {PERF_IPC, "ipc", "instructions per cycle", 2, ""},
    {PERF_ICACHE, "icache/ins", "icache misses per instruction", 5, ""},
    {PERF_ITLB, "itlb/ins", "iTLB misses per instruction", 6, ""},
    {PERF_BRANCH, "br-miss", "branch misses", 2, "%"},
    {PERF_WORK, "tx/Gcyc", "transactions per billion cycles", 1, ""},
};
/* clang-format on */

static void add_parts(struct str *out, const struct part *p, const void *figures,
                      enum text_detail detail, const char *least)
{
    for (; p->before; p++) {
        double v = text_figure(figures, p->offset);
        if (p->flags & (detail == TEXT_FULL ? BRIEF : FULL) || (p->flags & KNOWN && isnan(v)))
            continue;
        str_adds(out, p->before);
        if (isnan(v))
            str_adds(out, "n/a");
        else
            str_printf(out, "%s%.*f%s", p->flags & LEAST ? least : "", p->decimals, v, p->unit);
    }
}

/* A line of a block; `text` is freed. */
static void add_line(struct text_lines *l, const char *label, struct str *text, size_t width)
{
    text_label(l->out, label);
    text_wrap(l->out, str_cstr(text), TEXT_INDENT, TEXT_INDENT, width);
    str_adds(l->out, "\n");
    str_free(text);
}

/* --- the end of an interval line: columns depend on the options only, never on what the machine
 * can count --- */

static void interval_events(struct str *out, const struct text_figures *f, const struct snapshot *s)
{
    const struct probe_delta *p = s->probe;
    uint64_t n = snapshot_sampled(s);
    char buf[40];

    if (p->derived)
        str_adds(out, " |");
    for (size_t i = 0; i < TEXT_DERIVED; i++) {
        if (p->derived & text_derived[i].bit && isnan(f->derived[i]))
            str_printf(out, " %s n/a", text_derived[i].brief);
        else if (p->derived & text_derived[i].bit)
            str_printf(out, " %s %.*f%s", text_derived[i].brief, text_derived[i].decimals,
                       f->derived[i], text_derived[i].unit);
    }
    str_adds(out, " |");
    for (size_t i = 0; i < p->events; i++)
        str_printf(out, " %s/tx %s", p->event[i].name,
                   text_digits(buf, p->perf.f[i].have ? text_per(p->perf.f[i].count, n) : NAN, 4));
}

static bool has_status(const struct probe_delta *p, size_t i)
{
    return p->status.have & UINT32_C(1) << i;
}

static void interval_status(struct str *out, const struct probe_delta *p)
{
    str_adds(out, " |");
    for (size_t i = 0; i < p->statuses; i++) {
        const struct status_name *n = &p->status_name[i];
        if (!has_status(p, i))
            str_printf(out, " %s%s n/a", n->name, n->gauge ? "" : "/s");
        else if (n->gauge)
            str_printf(out, " %s %.0f", n->name, p->status.v[i]);
        else
            str_printf(out, " %s/s %.2f", n->name, p->status.v[i] / dur_sec(p->status.wall_ns));
    }
}

void text_interval_figures(struct str *out, const struct snapshot *s)
{
    const struct probe_delta *p = s->probe;
    size_t begin = out->len;
    struct text_figures f;

    text_figures_of(&f, s);
    if (s->server.on) {
        if (!s->events)
            f.server.switches_tx = NAN;
        add_parts(out, interval_server, &f.server, TEXT_BRIEF,
                  s->server.d.lower & SAMPLE_SWITCHES ? ">=" : "");
        if (!s->self.on || isnan(f.client.of_system[TEXT_CPU]))
            str_adds(out, " | cli-cpu n/a");
        else
            str_printf(out, " | cli-cpu %.2f%%", f.client.of_system[TEXT_CPU]);
    }
    if (p && p->events)
        interval_events(out, &f, s);
    for (const struct line *r = host_lines; p && p->has_host && r < host_lines + COUNT(host_lines);
         r++) {
        if (!r->interval)
            continue;
        str_adds(out, r->interval);
        add_parts(out, r->part, p->host.have & r->group ? &f : NULL, TEXT_BRIEF, "");
    }
    if (p && p->statuses)
        interval_status(out, p);
    for (size_t i = begin; i < out->len; i++)
        if (out->s[i] == *TEXT_BOUND)
            out->s[i] = ' ';
}

/* --- the blocks --- */

/* The short form about the load generator: what it took from the server, when there is one. */
static void process_block(struct str *out, const char *title, const struct snapshot_server *v,
                          const struct snapshot *s, enum text_detail detail)
{
    static const char warning[] = "    WARNING: ";
    const struct text_process p = process_of(s, v);
    const struct sample_delta *d = &v->d;
    const bool full = detail == TEXT_FULL, ours = v == &s->self;
    struct text_lines l = {.out = out, .detail = detail};

    str_printf(out, "%s: ", title);
    text_wrap(out, v->describe, strlen(title) + 2, 4, text_lines_width(&l));
    str_adds(out, "\n");
    for (const struct line *r = process_lines; r < process_lines + COUNT(process_lines); r++) {
        struct str text = STR_INIT;
        bool known = d->have & r->group && !isnan(text_figure(&p, r->part->offset));
        if ((r->flags & FULL && !full) || (r->flags & SERVER && ours && !full) ||
            (r->flags & CLIENT && !ours) || (r->flags & KNOWN && !known))
            continue;
        if (known) {
            if (d->lower & r->group && !(r->flags & GAUGE))
                str_adds(&text, "at least: ");
            add_parts(&text, r->part, &p, detail, "");
            add_line(&l, r->label, &text, TEXT_UNBOUND);
        } else if (d->have & r->group) {
            text_missing(&l, r->label, s->events ? field_read_late : "no transaction was done");
        } else if (r->group != SAMPLE_CPU) {
            text_missing(&l, r->label, sample_why(d, r->group));
        } else if (r == process_lines) { /* once for the three lines */
            text_missing(&l, "CPU", sample_why(d, SAMPLE_CPU));
        }
    }
    /* without a server, too: a quota's periods of 100 ms are in all latencies */
    if (ours && d->have & SAMPLE_THROTTLE && d->throttled_periods)
        str_printf(out, "%sa CPU quota stopped the load generator for %.3f s\n", warning,
                   dur_sec(d->throttled_ns));
    /* without a server to serve, using CPU is all there is to do */
    if (ours && s->server.on && s->self_limit) {
        str_adds(out, warning);
        text_wrap(out, s->self_limit, strlen(warning), 4, text_lines_width(&l));
        str_adds(out, "\n");
    } else if (ours && s->server.on && p.waited_pct > 50) {
        str_printf(out, "%slatencies include the load generator's own waiting for a CPU\n",
                   warning);
    }
    if (d->lower && (!ours || full))
        text_item(out, "lower bounds because", "%s", d->reason);
    text_lines_end(&l);
}

static void events_block(struct text_lines *l, const struct text_figures *f,
                         const struct snapshot *s)
{
    const struct probe_delta *p = s->probe;
    const uint64_t n = snapshot_sampled(s);
    char buf[40];

    str_adds(l->out, p->system ? "System events:" : "Server events:");
    if (*p->how) {
        str_adds(l->out, " ");
        text_wrap(l->out, p->how, strlen("Server events: "), 4, text_lines_width(l));
    }
    str_adds(l->out, "\n");
    for (size_t i = 0; i < p->events; i++) {
        const struct perf_figure *e = &p->perf.f[i];
        struct str text = STR_INIT;
        if (!e->have) {
            text_missing(l, p->event[i].name, e->why);
            continue;
        }
        str_printf(&text, "%s%.0f", e->lower ? "at least: " : "", e->count);
        if (n)
            str_printf(&text, " (%s per transaction)", text_digits(buf, text_per(e->count, n), 4));
        if (e->ratio < 0.9995)
            str_printf(&text, ", counted %.1f%% of the time and scaled", 100 * e->ratio);
        add_line(l, p->event[i].name, &text, text_lines_width(l));
    }
    for (size_t i = 0; i < TEXT_DERIVED; i++) {
        if (p->derived & text_derived[i].bit && isnan(f->derived[i]))
            text_missing(l, text_derived[i].label, field_not_derived(p));
        else if (p->derived & text_derived[i].bit)
            text_line(l->out, text_derived[i].label, "%.*f%s", text_derived[i].decimals,
                      f->derived[i], text_derived[i].unit);
    }
    if (*p->how)
        text_line(l->out, "overhead per reading", "%.3f ms", dur_ms(p->events_cost_ns));
    text_lines_end(l);
}

static void syscall_line(struct str *out, const struct snapshot *s, const char *name,
                         const struct syscall_count *c)
{
    static const struct text_column columns[] = {{"count", 12, 0},
                                                 {"per tx", 10, 3},
                                                 {"errors", 10, 0},
                                                 {"mean us", 11, 2},
                                                 {"total s", 10, 3}};

    str_adds(out, " ");
    if (c)
        text_row(out, columns, COUNT(columns),
                 (double[]){(double)c->began, text_per((double)c->began, snapshot_sampled(s)),
                            (double)c->errors, text_per((double)c->ns / 1e3, c->ended),
                            (double)c->ns / 1e9});
    else
        text_heads(out, columns, COUNT(columns));
    str_printf(out, "  %s\n", name);
}

/* A call is counted where it begins; times and errors are those of calls that ended.  The last line
 * has what the others lack, so that the columns add up to the first line. */
static void syscalls_block(struct text_lines *l, const struct snapshot *s)
{
    const struct syscalls_delta *d = &s->probe->syscalls;
    struct syscall_count rest = d->all;
    char name[24];

    str_adds(l->out, "System calls of the server:");
    if (d->why) {
        str_adds(l->out, "\n");
        text_missing(l, "system calls", d->why);
        text_lines_end(l);
        return;
    }
    str_printf(l->out, " %llu of %zu kinds\n", (ull)d->all.began, d->kinds);
    syscall_line(l->out, s, "name", NULL);
    for (size_t i = 0; i < d->n; i++) {
        const struct syscall_count *c = &d->f[i].c;
        syscall_line(l->out, s, syscall_name(d->f[i].number, name), c);
        rest.began -= c->began;
        rest.ended -= c->ended;
        rest.ns -= c->ns;
        rest.errors -= c->errors;
    }
    if (d->kinds > d->n)
        syscall_line(l->out, s, d->kinds - d->n == 1 ? "(1 other)" : "(all others)", &rest);
    text_lines_end(l);
}

static void host_block(struct text_lines *l, const struct text_figures *f, const struct snapshot *s)
{
    const struct host_delta *h = &s->probe->host;
    const char *governor = s->probe->governor;

    str_printf(l->out, "Host: %d CPUs", h->cpus ? h->cpus : s->ncpu);
    if (l->detail == TEXT_FULL || strcmp(governor, "n/a") != 0)
        str_printf(l->out, ", governor %s", governor);
    str_adds(l->out, "\n");
    for (const struct line *r = host_lines; r < host_lines + COUNT(host_lines); r++) {
        struct str text = STR_INIT;
        if (!(h->have & r->group)) {
            text_missing(l, r->label,
                         h->wall_ns > 0 ? host_why(r->group)
                                        : "the load had ended before this interval");
            continue;
        }
        add_parts(&text, r->part, f, l->detail, "");
        add_line(l, r->label, &text, text_lines_width(l));
    }
    text_lines_end(l);
}

static void status_block(struct text_lines *l, const struct snapshot *s)
{
    const struct probe_delta *p = s->probe;
    const uint64_t n = snapshot_sampled(s);
    const char *least = p->status.lower ? "at least: " : "";
    char buf[40];

    str_adds(l->out, "Server status:\n");
    for (size_t i = 0; i < p->statuses; i++) {
        const char *name = p->status_name[i].name;
        double v = p->status.v[i];
        if (!has_status(p, i))
            text_missing(l, name, *p->status.why ? p->status.why : "the server did not report it");
        else if (p->status_name[i].gauge)
            text_line(l->out, name, "%.0f at the end", v);
        else if (n)
            text_line(l->out, name, "%s%.0f (%s per transaction)", least, v,
                      text_digits(buf, text_per(v, n), 4));
        else
            text_line(l->out, name, "%s%.0f", least, v);
    }
    if (p->status.lower)
        text_item(l->out, "lower bounds because", "%s", p->status.why);
    text_lines_end(l);
}

void text_processes(struct str *out, const struct snapshot *s, enum text_detail detail)
{
    const struct probe_delta *p = s->probe;
    struct text_lines l = {.out = out, .detail = detail};
    struct text_figures f;

    if (s->server.on)
        process_block(out, "Server", &s->server, s, detail);
    if (s->self.on && !s->stock_rate && !s->plain_rate)
        process_block(out, "Load generator", &s->self, s, detail);
    if (!p)
        return;
    text_figures_of(&f, s);
    if (p->events)
        events_block(&l, &f, s);
    if (p->has_syscalls)
        syscalls_block(&l, s);
    if (p->has_host)
        host_block(&l, &f, s);
    if (p->statuses)
        status_block(&l, s);
}
