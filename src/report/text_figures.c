/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What server, load generator and machine did, as text.  struct figures has all of it for one
 * report, NaN where there is none; the interval line, the blocks of the cumulative reports and the
 * tables of phases and stages are rows that name a figure, its unit and its decimals, so that none
 * of them can disagree with another.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "report/fields.h"
#include "report/text_blocks.h"
#include "report/text_table.h"

typedef unsigned long long ull;

/* --- the figures --- */

enum { DERIVED = 5 };

struct process {                          /* /tx: per transaction, in us */
    double user, system, cpu;             /* % of the whole system */
    double user_one, system_one, cpu_one; /* % of one CPU */
    double user_tx, system_tx, cpu_tx;
    double voluntary, involuntary, switches, switches_tx;
    double threads, rss_mib, minor_faults, major_faults, read, written;
    double waited_s, waited_tx, waited_pct, throttled_s, throttled_periods;
};

struct figures {
    struct process server, client;
    struct host_delta host; /* as it was read; these are per transaction: */
    double interrupts, switches, joules[POWER_KINDS], battery_joules;
    double derived[DERIVED];
    double transactions, per_s, target, planned, failed, dropped, unfinished, late;
};

static double per(double v, uint64_t n)
{
    return n ? v / (double)n : NAN;
}

static struct process process_of(const struct snapshot *s, const struct snapshot_server *v)
{
    const struct sample_delta *d = &v->d;
    const int ncpu = v->ncpu ? v->ncpu : s->ncpu;
    const uint64_t n = snapshot_sampled_by(s, v), switches = d->vol_switches + d->invol_switches;
    const double cpu = d->have & SAMPLE_CPU ? 1 : NAN; /* times NaN: what was not read */
    const double read = d->have & SAMPLE_SWITCHES ? 1 : NAN;

    return (struct process){
        .user = cpu * sample_pct_system(d->user_ns, d->wall_ns, ncpu),
        .system = cpu * sample_pct_system(d->sys_ns, d->wall_ns, ncpu),
        .cpu = cpu * sample_pct_system(d->cpu_ns, d->wall_ns, ncpu),
        .user_one = cpu * sample_pct_one(d->user_ns, d->wall_ns),
        .system_one = cpu * sample_pct_one(d->sys_ns, d->wall_ns),
        .cpu_one = cpu * sample_pct_one(d->cpu_ns, d->wall_ns),
        .user_tx = cpu * per((double)d->user_ns / 1e3, n),
        .system_tx = cpu * per((double)d->sys_ns / 1e3, n),
        .cpu_tx = cpu * per((double)d->cpu_ns / 1e3, n),
        .voluntary = (double)d->vol_switches,
        .involuntary = (double)d->invol_switches,
        .switches = read * (double)switches,
        .switches_tx = read * per((double)switches, n),
        .threads = d->have & SAMPLE_THREADS ? (double)d->threads : NAN,
        .rss_mib = d->have & SAMPLE_MEMORY ? (double)d->rss_bytes / 1048576 : NAN,
        .minor_faults = (double)d->minor_faults,
        .major_faults = (double)d->major_faults,
        .read = (double)d->read_bytes,
        .written = (double)d->write_bytes,
        .waited_s = dur_sec(d->runq_wait_ns),
        .waited_tx = per((double)d->runq_wait_ns / 1e3, n),
        .waited_pct = sample_waited_pct(d),
        .throttled_s = d->throttled_periods ? dur_sec(d->throttled_ns) : NAN,
        .throttled_periods = (double)d->throttled_periods,
    };
}

static void figures_of(struct figures *f, const struct snapshot *s)
{
    const uint64_t n = snapshot_sampled(s);
    const struct snapshot_rate *q = &s->rate;
    struct host_delta *h = &f->host;
    double wall;

    *f = (struct figures){.server = process_of(s, &s->server),
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
    f->interrupts = per(h->in * wall, n);
    f->switches = per(h->cs * wall, n);
    for (int i = 0; i < POWER_KINDS; i++)
        f->joules[i] = h->have & HOST_POWER ? per(h->watts[i] * wall, n) : NAN;
    f->battery_joules = per(h->battery_watts * wall, n);
    f->derived[0] = s->probe->perf.d.ipc;
    f->derived[1] = s->probe->perf.d.icache_per_instruction;
    f->derived[2] = s->probe->perf.d.itlb_per_instruction;
    f->derived[3] = s->probe->perf.d.branch_miss_pct;
    f->derived[4] = snapshot_work(s);
}

/* NULL: not read */
static double figure(const void *figures, size_t offset)
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

#define B TEXT_BOUND /* a blank that stays with what is around it */

/* "before 12.3unit" */
struct part {
    const char *before;
    size_t offset; /* in struct figures or struct process */
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

#define P(member) offsetof(struct process, member)
#define H(member) offsetof(struct figures, host.member)
#define F(member) offsetof(struct figures, member)

/* clang-format off */
static const struct part interval_server[] = {
    {" | srv-usr ", P(user), 2, "%", 0}, {" srv-sys ", P(system), 2, "%", 0},
    {" cs/tx ", P(switches_tx), 2, "", LEAST}, {" thr ", P(threads), 0, "", 0},
    {" rss ", P(rss_mib), 1, "M", 0}, {NULL, 0, 0, NULL, 0},
};

static const struct line process_lines[] = {
    {SAMPLE_CPU, "CPU, % of the whole system", 0, NULL,
     {{"usr ", P(user), 2, "", 0}, {" sys ", P(system), 2, "", 0}, {" total ", P(cpu), 2, "", 0}}},
    {SAMPLE_CPU, "CPU, % of one CPU", FULL, NULL,
     {{"usr ", P(user_one), 2, "", 0}, {" sys ", P(system_one), 2, "", 0},
      {" total ", P(cpu_one), 2, "", 0}}},
    {SAMPLE_CPU, "CPU per transaction, us", 0, NULL,
     {{"usr ", P(user_tx), 2, "", 0}, {" sys ", P(system_tx), 2, "", 0},
      {" total ", P(cpu_tx), 2, "", 0}}},
    {SAMPLE_SWITCHES, "context switches", SERVER, NULL,
     {{"voluntary ", P(voluntary), 0, "", FULL}, {" involuntary ", P(involuntary), 0, "", FULL},
      {"", P(switches), 0, "", BRIEF}, {" (", P(switches_tx), 2, " per transaction)", KNOWN}}},
    {SAMPLE_THREADS, "threads", SERVER | GAUGE, NULL, {{"", P(threads), 0, "", 0}}},
    {SAMPLE_MEMORY, "RSS", SERVER | GAUGE, NULL, {{"", P(rss_mib), 1, " MiB", 0}}},
    {SAMPLE_FAULTS, "page faults", FULL, NULL,
     {{"minor ", P(minor_faults), 0, "", 0}, {" major ", P(major_faults), 0, "", 0}}},
    {SAMPLE_IO, "storage, bytes", FULL, NULL,
     {{"read ", P(read), 0, "", 0}, {" written ", P(written), 0, "", 0}}},
    {SAMPLE_RUNQ, "waited for a CPU", SERVER, NULL, /* of the time that its threads were runnable */
     {{"", P(waited_s), 3, " s", 0}, {", ", P(waited_tx), 2, " us per transaction", FULL | KNOWN},
      {", ", P(waited_pct), 1, "% of runnable time", KNOWN}}},
    {SAMPLE_THROTTLE, "throttled by a CPU quota", FULL | CLIENT | KNOWN, NULL,
     {{"", P(throttled_s), 3, " s", 0}, {", ", P(throttled_periods), 0, " periods", 0}}},
};

static const struct line host_lines[] = {
    {HOST_STAT, "threads at the end", 0, " | host",
     {{" r" B, H(running), 0, "", 0}, {" b" B, H(blocked), 0, "", 0}}},
    {HOST_STAT, "threads, mean", 0, NULL,
     {{" r" B, H(running_mean), 2, "", 0}, {" b" B, H(blocked_mean), 2, "", 0}}},
    {HOST_MEMORY, "memory at the end, KiB", 0, "",
     {{" swpd" B, H(swpd), 0, "", 0}, {" free" B, H(free), 0, "", 0},
      {" buff" B, H(buff), 0, "", 0}, {" cache" B, H(cache), 0, "", 0}}},
    {HOST_MEMORY, "memory, KiB, mean", 0, NULL,
     {{" swpd" B, H(swpd_mean), 0, "", 0}, {" free" B, H(free_mean), 0, "", 0},
      {" buff" B, H(buff_mean), 0, "", 0}, {" cache" B, H(cache_mean), 0, "", 0}}},
    {HOST_PAGING, "paging, KiB per sec.", 0, "",
     {{" si" B, H(si), 0, "", 0}, {" so" B, H(so), 0, "", 0}, {" bi" B, H(bi), 0, "", 0},
      {" bo" B, H(bo), 0, "", 0}}},
    {HOST_STAT, "per sec.", 0, "", {{" in" B, H(in), 0, "", 0}, {" cs" B, H(cs), 0, "", 0}}},
    {HOST_STAT, "per transaction", 0, NULL,
     {{" in" B, F(interrupts), 3, "", 0}, {" cs" B, F(switches), 3, "", 0}}},
    {HOST_STAT, "CPU, %", 0, "",
     {{" us" B, H(us), 1, "", 0}, {" sy" B, H(sy), 1, "", 0}, {" id" B, H(id), 1, "", 0},
      {" wa" B, H(wa), 1, "", 0}, {" st" B, H(st), 1, "", 0}}},
    {HOST_DISK, "disks, bytes per sec.", 0, " | disk",
     {{" rd" B, H(disk_read), 0, "", 0}, {" wr" B, H(disk_written), 0, "", 0}}},
    {HOST_NET, "network, bytes per sec.", 0, " | net",
     {{" rx" B, H(net_received), 0, "", 0}, {" tx" B, H(net_sent), 0, "", 0}}},
    {HOST_PRESSURE, "pressure, % of the time", 0, " | psi",
     {{" cpu" B, H(stalled_pct[HOST_PSI_CPU]), 2, "", 0},
      {" io" B, H(stalled_pct[HOST_PSI_IO]), 2, "", 0},
      {" mem" B, H(stalled_pct[HOST_PSI_MEMORY]), 2, "", 0}}},
    {HOST_FREQUENCY, "CPU frequency at the end", 0, " |", {{" mhz" B, H(mhz), 0, "", 0}}},
    {HOST_THROTTLE, "server's quota, % throttled", 0, "",
     {{" throttled" B, H(throttled_pct), 2, "", 0}}},
    {HOST_POWER, "power, W", 0, " | W",
     {{" pkg" B, H(watts[POWER_CPU]), 2, "", 0}, {" dram" B, H(watts[POWER_MEMORY]), 2, "", 0},
      {" bat" B, H(battery_watts), 2, "", 0}}},
    {HOST_POWER, "energy per transaction, J", 0, NULL,
     {{" pkg" B, F(joules[POWER_CPU]), 6, "", 0}, {" dram" B, F(joules[POWER_MEMORY]), 6, "", 0},
      {" bat" B, F(battery_joules), 6, "", 0}}},
};

/* What follows from several events. */
static const struct {
    unsigned bit; /* PERF_*: what was requested */
    const char *brief, *label;
    int decimals;
    const char *unit;
} derived[DERIVED] = {
    {PERF_IPC, "ipc", "instructions per cycle", 2, ""},
    {PERF_ICACHE, "icache/ins", "icache misses per instruction", 5, ""},
    {PERF_ITLB, "itlb/ins", "iTLB misses per instruction", 6, ""},
    {PERF_BRANCH, "br-miss", "branch misses", 2, "%"},
    {PERF_WORK, "tx/Gcyc", "transactions per billion cycles", 1, ""},
};

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
    {OF_SERVER, "server usr, % of the whole system", F(server.user), -1, 0},
    {OF_SERVER, "server sys, % of the whole system", F(server.system), -1, 0},
    {OF_SERVER, "server CPU per transaction, us", F(server.cpu_tx), -1, 0},
    {OF_SERVER, "server context switches/tx", F(server.switches_tx), -1, SAMPLE_SWITCHES},
    {OF_CLIENT, "load generator CPU/tx, us", F(client.cpu_tx), -1, 0},
    {OF_HOST, "host us, %", H(us), -1, 0},
    {OF_HOST, "host sy, %", H(sy), -1, 0},
    {OF_HOST, "host cs, per second", H(cs), -1, 0},
    {OF_HOST, "host cs/tx", F(switches), -1, 0},
    {OF_HOST, "host in/tx", F(interrupts), -1, 0},
    {OF_HOST, "CPU energy per transaction, J", F(joules[POWER_CPU]), -1, 0},
};
/* clang-format on */

static void add_parts(struct str *out, const struct part *p, const void *figures,
                      enum text_detail detail, const char *least)
{
    for (; p->before; p++) {
        double v = figure(figures, p->offset);
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

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* --- the end of an interval line: columns depend on the options only, never on what the machine
 * can count --- */

static void interval_events(struct str *out, const struct figures *f, const struct snapshot *s)
{
    const struct probe_delta *p = s->probe;
    uint64_t n = snapshot_sampled(s);
    char buf[40];

    if (p->derived)
        str_adds(out, " |");
    for (size_t i = 0; i < DERIVED; i++) {
        if (p->derived & derived[i].bit && isnan(f->derived[i]))
            str_printf(out, " %s n/a", derived[i].brief);
        else if (p->derived & derived[i].bit)
            str_printf(out, " %s %.*f%s", derived[i].brief, derived[i].decimals, f->derived[i],
                       derived[i].unit);
    }
    str_adds(out, " |");
    for (size_t i = 0; i < p->events; i++)
        str_printf(out, " %s/tx %s", p->event[i].name,
                   text_digits(buf, p->perf.f[i].have ? per(p->perf.f[i].count, n) : NAN, 4));
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
    struct figures f;

    figures_of(&f, s);
    if (s->server.on) {
        if (!s->events)
            f.server.switches_tx = NAN;
        add_parts(out, interval_server, &f.server, TEXT_BRIEF,
                  s->server.d.lower & SAMPLE_SWITCHES ? ">=" : "");
        if (!s->self.on || isnan(f.client.cpu))
            str_adds(out, " | cli-cpu n/a");
        else
            str_printf(out, " | cli-cpu %.2f%%", f.client.cpu);
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
    const struct process p = process_of(s, v);
    const struct sample_delta *d = &v->d;
    const bool full = detail == TEXT_FULL, ours = v == &s->self;
    struct text_lines l = {.out = out, .detail = detail};

    str_printf(out, "%s: ", title);
    text_wrap(out, v->describe, strlen(title) + 2, 4, text_lines_width(&l));
    str_adds(out, "\n");
    for (const struct line *r = process_lines; r < process_lines + COUNT(process_lines); r++) {
        struct str text = STR_INIT;
        bool known = d->have & r->group && !isnan(figure(&p, r->part->offset));
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

static void events_block(struct text_lines *l, const struct figures *f, const struct snapshot *s)
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
            str_printf(&text, " (%s per transaction)", text_digits(buf, per(e->count, n), 4));
        if (e->ratio < 0.9995)
            str_printf(&text, ", counted %.1f%% of the time and scaled", 100 * e->ratio);
        add_line(l, p->event[i].name, &text, text_lines_width(l));
    }
    for (size_t i = 0; i < DERIVED; i++) {
        if (p->derived & derived[i].bit && isnan(f->derived[i]))
            text_missing(l, derived[i].label, field_not_derived(p));
        else if (p->derived & derived[i].bit)
            text_line(l->out, derived[i].label, "%.*f%s", derived[i].decimals, f->derived[i],
                      derived[i].unit);
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
                 (double[]){(double)c->began, per((double)c->began, snapshot_sampled(s)),
                            (double)c->errors, per((double)c->ns / 1e3, c->ended),
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

static void host_block(struct text_lines *l, const struct figures *f, const struct snapshot *s)
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
                      text_digits(buf, per(v, n), 4));
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
    struct figures f;

    if (s->server.on)
        process_block(out, "Server", &s->server, s, detail);
    if (s->self.on && !s->stock_rate && !s->plain_rate)
        process_block(out, "Load generator", &s->self, s, detail);
    if (!p)
        return;
    figures_of(&f, s);
    if (p->events)
        events_block(&l, &f, s);
    if (p->has_syscalls)
        syscalls_block(&l, s);
    if (p->has_host)
        host_block(&l, &f, s);
    if (p->statuses)
        status_block(&l, s);
}

/* --- phases and stages: figures down, phases across, so that before and after can be compared ---
 *
 * A phase lies between marks of the run and is made of whole intervals (engine/phases.c).  The
 * lines depend on the options and on whether there is a server to watch (a server that was not
 * found has no lines).  A figure that one phase lacks is n/a there, one that all lack has no line;
 * the blocks above, or `missing` in the json file, give the reason.  Two phases are followed by the
 * ratio of the second to the first. */

#define ACROSS 3 /* phases side by side, or two and their ratio: 80 columns */
#define CELL   " %12s"

struct table {
    struct str *out;
    const struct snapshot *s[ACROSS];
    struct figures f[ACROSS];
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
            v[i] = figure(&t->f[i], phase_lines[k].offset);
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

    for (size_t k = 0; k < DERIVED; k++) {
        for (size_t i = 0; i < t->n; i++)
            v[i] = t->f[i].derived[k];
        snprintf(label, sizeof label, "%s%s%s", derived[k].label, *derived[k].unit ? ", " : "",
                 derived[k].unit);
        if (p->derived & derived[k].bit)
            phase_line(t, label, v);
    }
    for (size_t k = 0; k < p->events; k++) {
        for (size_t i = 0; i < t->n; i++) {
            const struct perf_figure *e = &t->s[i]->probe->perf.f[k];
            v[i] = e->have ? per(e->count, snapshot_sampled(t->s[i])) : NAN;
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
            figures_of(&t.f[i], t.s[i]);
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
