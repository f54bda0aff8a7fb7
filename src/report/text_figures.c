/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What server, load generator and machine did, as text: the interval line and the blocks of the
 * cumulative reports are rows that name a figure, its unit and its decimals, so that none of them
 * can disagree with another.
 */
#include <math.h>
#include <string.h>

#include "report/rows.h"
#include "report/text_blocks.h"
#include "report/text_table.h"

/* Of a transaction: NaN if there was none. */
static double per(double v, uint64_t n)
{
    return n ? v / (double)n : NAN;
}

/* --- of a process, what the sections have in another unit or not at all --- */

#define V                  struct snapshot_server
#define HAVE(group, value) (v->d.have & (group) ? (double)(value) : (double)NAN)
#define EACH(value)        per((double)(value), snapshot_sampled_by(s, v))
#define SYSTEM(ns)                                                                                 \
    HAVE(SAMPLE_CPU, sample_pct_system(ns, v->d.wall_ns, v->ncpu ? v->ncpu : s->ncpu))
#define ONE(ns)  HAVE(SAMPLE_CPU, sample_pct_one(ns, v->d.wall_ns))
#define SWITCHES (double)(v->d.vol_switches + v->d.invol_switches)
/* clang-format off */
GET(user, V, SYSTEM(v->d.user_ns))
GET(sys, V, SYSTEM(v->d.sys_ns))
GET(cpu, V, SYSTEM(v->d.cpu_ns))
GET(user_of_one, V, ONE(v->d.user_ns))
GET(sys_of_one, V, ONE(v->d.sys_ns))
GET(cpu_of_one, V, ONE(v->d.cpu_ns))
GET(user_each, V, EACH((double)v->d.user_ns / 1e3))
GET(sys_each, V, EACH((double)v->d.sys_ns / 1e3))
GET(cpu_each, V, EACH((double)v->d.cpu_ns / 1e3))
GET(voluntary, V, v->d.vol_switches)
GET(involuntary, V, v->d.invol_switches)
GET(switches, V, SWITCHES)
GET(switches_each, V, EACH(HAVE(SAMPLE_SWITCHES, SWITCHES)))
GET(threads, V, HAVE(SAMPLE_THREADS, v->d.threads))
GET(processes, V, v->d.processes > 1 ? v->d.processes : NAN) /* PostgreSQL's: one for each client */
GET(rss_mib, V, HAVE(SAMPLE_MEMORY, (double)v->d.rss_bytes / 1048576))
GET(minor_faults, V, v->d.minor_faults)
GET(major_faults, V, v->d.major_faults)
GET(bytes_read, V, v->d.read_bytes)
GET(bytes_written, V, v->d.write_bytes)
GET(waited_s, V, dur_sec(v->d.runq_wait_ns))
GET(waited_each, V, EACH((double)v->d.runq_wait_ns / 1e3))
GET(waited_pct, V, sample_waited_pct(&v->d))
GET(throttled_s, V, v->d.throttled_periods ? dur_sec(v->d.throttled_ns) : NAN)
GET(throttled_periods, V, v->d.throttled_periods)

/* --- lines of them --- */

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
    const char *before; /* NULL: the name that the row has for hooks, which is vmstat's */
    figure_get *get;
    const char *row; /* of the machine's section */
    double unit_is;  /* in that of the row; 0: 1 */
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

#define PART(before_, get_, decimals_, ...)                                                        \
    {.before = before_, .get = get_, .decimals = decimals_, __VA_ARGS__}
#define HOST(name, row, decimals) {" " name TEXT_BOUND, NULL, row, 0, decimals, "", 0}
#define VMSTAT(row, decimals) {NULL, NULL, row, 0, decimals, "", 0}
#define IN_KIB(row) {NULL, NULL, row, 1024, 0, "", 0}
#define CPU_LINE(of)                                                                               \
    {PART("usr ", user##of, 2), PART(" sys ", sys##of, 2), PART(" total ", cpu##of, 2)}

static const struct part interval_server[] = {
    PART(LINE_GROUP " |" LINE_SERVER " srv-usr ", user, 2, .unit = "%"),
    PART(LINE_SERVER " srv-sys ", sys, 2, .unit = "%"),
    PART(LINE_NEXT " cs/tx ", switches_each, 2, .flags = LEAST),
    PART(LINE_REST " thr ", threads, 0),
    PART(LINE_REST " rss ", rss_mib, 1, .unit = "M"), {.row = NULL},
};

static const struct line process_lines[] = {
    {SAMPLE_CPU, "CPU, % of the whole system", 0, NULL, CPU_LINE()},
    {SAMPLE_CPU, "CPU, % of one CPU", FULL, NULL, CPU_LINE(_of_one)},
    {SAMPLE_CPU, "CPU per transaction, us", 0, NULL, CPU_LINE(_each)},
    {SAMPLE_SWITCHES, "context switches", SERVER, NULL,
     {PART("voluntary ", voluntary, 0, .flags = FULL),
      PART(" involuntary ", involuntary, 0, .flags = FULL),
      PART("", switches, 0, .flags = BRIEF),
      PART(" (", switches_each, 2, .unit = " per transaction)", .flags = KNOWN)}},
    {SAMPLE_THREADS, "threads", SERVER | GAUGE, NULL,
     {PART("", threads, 0), PART(" in ", processes, 0, .unit = " processes", .flags = KNOWN)}},
    {SAMPLE_MEMORY, "RSS", SERVER | GAUGE, NULL, {PART("", rss_mib, 1, .unit = " MiB")}},
    {SAMPLE_FAULTS, "page faults", FULL, NULL,
     {PART("minor ", minor_faults, 0), PART(" major ", major_faults, 0)}},
    {SAMPLE_IO, "storage, bytes", FULL, NULL,
     {PART("read ", bytes_read, 0), PART(" written ", bytes_written, 0)}},
    {SAMPLE_RUNQ, "waited for a CPU", SERVER, NULL, /* of the time that its threads were runnable */
     {PART("", waited_s, 3, .unit = " s"),
      PART(", ", waited_each, 2, .unit = " us per transaction", .flags = FULL | KNOWN),
      PART(", ", waited_pct, 1, .unit = "% of runnable time", .flags = KNOWN)}},
    {SAMPLE_THROTTLE, "throttled by a CPU quota", FULL | CLIENT | KNOWN, NULL,
     {PART("", throttled_s, 3, .unit = " s"),
      PART(", ", throttled_periods, 0, .unit = " periods")}},
};

static const struct line host_lines[] = {
    {HOST_STAT, "threads at the end", 0, " | host",
     {VMSTAT("threads_runnable", 0), VMSTAT("threads_blocked", 0)}},
    {HOST_STAT, "threads, mean", 0, NULL,
     {VMSTAT("threads_runnable_mean", 2), VMSTAT("threads_blocked_mean", 2)}},
    {HOST_MEMORY, "memory at the end, KiB", 0, "",
     {IN_KIB("swap_used_bytes"), IN_KIB("memory_free_bytes"), IN_KIB("memory_buffers_bytes"),
      IN_KIB("memory_cache_bytes")}},
    {HOST_MEMORY, "memory, KiB, mean", 0, NULL,
     {IN_KIB("swap_used_mean_bytes"), IN_KIB("memory_free_mean_bytes"),
      IN_KIB("memory_buffers_mean_bytes"), IN_KIB("memory_cache_mean_bytes")}},
    {HOST_PAGING, "paging, KiB per sec.", 0, "",
     {IN_KIB("swapped_in_bytes_per_s"), IN_KIB("swapped_out_bytes_per_s"),
      IN_KIB("blocks_in_bytes_per_s"), IN_KIB("blocks_out_bytes_per_s")}},
    {HOST_STAT, "per sec.", 0, "",
     {HOST("in", "interrupts_per_s", 0), VMSTAT("context_switches_per_s", 0)}},
    {HOST_STAT, "per transaction", 0, NULL,
     {HOST("in", "interrupts_per_transaction", 3), VMSTAT("context_switches_per_transaction", 3)}},
    {HOST_STAT, "CPU, %", 0, "",
     {VMSTAT("cpu_user_pct", 1), VMSTAT("cpu_system_pct", 1), VMSTAT("cpu_idle_pct", 1),
      VMSTAT("cpu_iowait_pct", 1), VMSTAT("cpu_stolen_pct", 1)}},
    {HOST_DISK, "disks, bytes per sec.", 0, " | disk",
     {HOST("rd", "disk_read_bytes_per_s", 0), HOST("wr", "disk_written_bytes_per_s", 0)}},
    {HOST_NET, "network, bytes per sec.", 0, " | net",
     {HOST("rx", "network_received_bytes_per_s", 0), HOST("tx", "network_sent_bytes_per_s", 0)}},
    {HOST_PRESSURE, "pressure, % of the time", 0, " | psi",
     {HOST("cpu", "stalled_cpu_pct", 2), HOST("io", "stalled_io_pct", 2),
      HOST("mem", "stalled_memory_pct", 2)}},
    {HOST_FREQUENCY, "CPU frequency at the end", 0, " |",
     {{NULL, NULL, "cpu_frequency_hz", 1e6, 0, "", 0}}},
    {HOST_THROTTLE, "server's quota, % throttled", 0, "", {VMSTAT("server_throttled_pct", 2)}},
    {HOST_POWER, "power, W", 0, " | W",
     {HOST("pkg", "power_cpu_w", 2), HOST("dram", "power_memory_w", 2),
      HOST("bat", "power_battery_w", 2)}},
    {HOST_POWER, "energy per transaction, J", 0, NULL,
     {HOST("pkg", "energy_cpu_j_per_transaction", 6),
      HOST("dram", "energy_memory_j_per_transaction", 6),
      HOST("bat", "energy_battery_j_per_transaction", 6)}},
};

/* What follows from several events: in the order of derived_figures. */
static const struct {
    const char *brief, *label;
    int decimals;
    const char *unit;
} derived[] = {
    {"ipc", "instructions per cycle", 2, ""},
    {"icache/ins", "icache misses per instruction", 5, ""},
    {"itlb/ins", "iTLB misses per instruction", 6, ""},
    {"br-miss", "branch misses", 2, "%"},
    {"tx/Gcyc", "transactions per billion cycles", 1, ""},
};
/* clang-format on */

/* `of` NULL: no figure was read.  `mark`: before each. */
static void add_parts(struct str *out, const struct part *p, const struct snapshot *s,
                      const void *of, enum text_detail detail, const char *least, const char *mark)
{
    for (; p->get || p->row; p++) {
        const struct figure *f = p->row ? figures_named(section_figures[FIELD_HOST], p->row) : NULL;
        double v = !of ? NAN : f ? figures_value(f, s, of, NULL).number : p->get(s, of);
        if (p->flags & (detail == TEXT_FULL ? BRIEF : FULL) || (p->flags & KNOWN && isnan(v)))
            continue;
        str_adds(out, mark);
        if (p->before)
            str_adds(out, p->before);
        else /* of means, too */
            str_printf(out, " %.*s" TEXT_BOUND, (int)strcspn(f->lua, "_"), f->lua);
        if (isnan(v))
            str_adds(out, "n/a");
        else
            str_printf(out, "%s%.*f%s", p->flags & LEAST ? least : "", p->decimals,
                       p->unit_is > 0 ? v / p->unit_is : v, p->unit ? p->unit : "");
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

void text_interval_figures(struct str *out, const struct snapshot *s)
{
    const struct probe_delta *p = s->probe;
    const uint64_t n = snapshot_sampled(s);
    size_t begin = out->len;
    char buf[40];

    if (s->server.on) {
        struct snapshot_server v = s->server;
        double own = s->self.on ? cpu(s, &s->self) : NAN;
        if (!s->events)
            v.d.have &= ~(unsigned)SAMPLE_SWITCHES;
        add_parts(out, interval_server, s, &v, TEXT_BRIEF, v.d.lower & SAMPLE_SWITCHES ? ">=" : "",
                  "");
        str_adds(out, LINE_GROUP " |" LINE_CLIENT);
        str_printf(out, isnan(own) ? " cli-cpu n/a" : " cli-cpu %.2f%%", own);
    }
    if (p && p->events) {
        str_adds(out, p->derived ? LINE_GROUP " |" : "");
        for (size_t i = 0; i < COUNT(derived); i++) {
            double v = figures_value(&derived_figures[i], s, &p->perf.d, NULL).number;
            if (!(p->derived & derived_figures[i].have))
                continue;
            str_printf(out, isnan(v) ? LINE_EVENT " %s n/a" : LINE_EVENT " %s %.*f%s",
                       derived[i].brief, derived[i].decimals, v, derived[i].unit);
        }
        str_adds(out, LINE_GROUP " |");
        for (size_t i = 0; i < p->events; i++)
            str_printf(out, LINE_EVENT " %s/tx %s", p->event[i].name,
                       text_digits(buf, p->perf.f[i].have ? per(p->perf.f[i].count, n) : NAN, 4));
    }
    for (const struct line *r = host_lines; p && p->has_host && r < host_lines + COUNT(host_lines);
         r++) {
        if (!r->interval)
            continue;
        if (*r->interval)
            str_printf(out, LINE_GROUP "%s", r->interval);
        add_parts(out, r->part, s, p->host.have & r->group ? &p->host : NULL, TEXT_BRIEF, "",
                  LINE_HOST);
    }
    str_adds(out, p && p->statuses ? LINE_GROUP " |" : "");
    for (size_t i = 0; p && i < p->statuses; i++) {
        const struct status_name *name = &p->status_name[i];
        str_adds(out, LINE_STATUS);
        if (!(p->status.have & UINT32_C(1) << i))
            str_printf(out, " %s%s n/a", name->name, name->gauge ? "" : "/s");
        else if (name->gauge)
            str_printf(out, " %s %.0f", name->name, p->status.v[i]);
        else
            str_printf(out, " %s/s %.2f", name->name, p->status.v[i] / dur_sec(p->status.wall_ns));
    }
    for (const struct figure *r = status_figures; p && p->statuses && !figure_ends(r); r++) {
        struct value v = figures_value(r, s, &p->status, NULL);
        if (r->metric != METRIC_NONE && strcmp(r->name, "other_statements") != 0)
            str_printf(out, v.kind == VALUE_NONE ? LINE_STATUS " %s n/a" : LINE_STATUS " %s %.4g",
                       r->name, v.number);
    }
    for (size_t i = begin; i < out->len; i++)
        if (out->s[i] == *TEXT_BOUND)
            out->s[i] = ' ';
}

/* --- the blocks --- */

#define BUSY_BEFORE_PCT 5 /* of one CPU: more than a server without work uses */

#define OTHERS_SHARE 0.01 /* of what the server executed: less is a monitor's */

static const char warning[] = "    WARNING: ";

/* What others executed, if they did anything. */
static void add_work(struct text_lines *l, const struct snapshot *s)
{
    const struct status_others *v = &s->probe->status.others;
    struct field f = fields_find(s, "server_status.other_statements");
    const char *label =
        v->background ? "other sessions, transactions" : "other sessions, statements";

    if (f.missing && v->busy > 0)
        text_missing(l, label, f.missing);
    else if (!f.missing && f.value.number > 0)
        text_line(l->out, label, "%s%.0f (%.3g%% of all)", f.lower ? "at least " : "",
                  f.value.number, 100 * f.value.number / v->counted);
}

/* What others did at the server and what was locked, of a report that has the server's own figures
 * or its counters. */
static void add_others(struct text_lines *l, const struct snapshot *s)
{
    static const struct {
        const char *path, *label;
        int decimals;
        const char *unit;
        bool waited;
    } row[] = {
        {"server_status.other_sessions", "other sessions at the end", 0, "", false},
        {"server_status.other_sessions_active", "other sessions, active", -1, " (mean)", false},
        {"server_status.lock_waited_s", "waited for locks", 1, " s", true},
        {"server_status.lock_waited_for_others_s", "of it for other sessions", 1, " s", false},
        {"server_status.lock_blockers", "other sessions that blocked", 0, "", false},
        {"server_status.lock_blocker", "the last of them", 0, "", false},
    };

    for (size_t i = 0; s->probe && s->probe->statuses && i < COUNT(row); i++) {
        if (row[i].waited)
            add_work(l, s);
        struct field f = fields_find(s, row[i].path);
        if (f.missing && f.missing != field_no_blocker)
            text_missing(l, row[i].label, f.missing);
        else if (f.value.kind == VALUE_TEXT)
            text_line(l->out, row[i].label, "%s", f.value.text);
        else if (!f.missing && row[i].decimals < 0)
            text_line(l->out, row[i].label, "%.4g%s", f.value.number, row[i].unit);
        else if (!f.missing)
            text_line(l->out, row[i].label, "%s%.*f%s", f.lower ? "at least " : "", row[i].decimals,
                      f.value.number, row[i].unit);
        if (row[i].waited && !(f.value.number > 0))
            break; /* the others are parts of it */
    }
}

/* NULL: nobody else did anything that is known of. */
static const char *others_sentence(struct str *out, const struct snapshot *s)
{
    const struct status_others *v =
        s->probe && s->probe->statuses ? &s->probe->status.others : NULL;
    const struct sample_delta *d = &s->server.d;

    if (v && v->busy > 0) { /* how many, when there were any */
        unsigned n = (unsigned)ceil((double)v->active / (double)v->busy - 0.05);
        str_printf(out,
                   n == 1 ? "1 other session was active on this server"
                          : "%u other sessions were active on this server",
                   n);
        if ((double)v->busy < 0.95 * (double)v->known)
            str_printf(out, " for %.1f of %.1f s", dur_sec(v->busy), dur_sec(v->known));
        str_adds(out, s->server.on ? "; CPU per transaction includes " : "; its counters include ");
        str_adds(out, n == 1 && s->server.on ? "its work"
                      : n == 1               ? "that session's work"
                                             : "their work");
    } else if (v && !v->no_work && v->least > OTHERS_SHARE * v->counted) { /* came and went */
        str_printf(out, "other sessions worked on this server; %s include%s their work",
                   s->server.on ? "CPU per transaction" : "its counters", s->server.on ? "s" : "");
    } else if (s->server.has_before && s->server.before_pct >= BUSY_BEFORE_PCT &&
               !(v && v->known > 0) &&
               s->server.before_pct >= sample_pct_one(d->cpu_ns, d->wall_ns) / 4) {
        str_adds(out, "the server was busy before the load; CPU per transaction may include that "
                      "work");
    }
    return out->len ? str_cstr(out) : NULL;
}

static void add_sentence(struct text_lines *l, const struct snapshot *s)
{
    struct str text = STR_INIT;

    if (others_sentence(&text, s)) {
        str_adds(l->out, warning);
        text_wrap(l->out, str_cstr(&text), strlen(warning), 4, text_lines_width(l));
        str_adds(l->out, "\n");
    }
    str_free(&text);
}

/* The short form about the load generator: what it took from the server, when there is one. */
static void process_block(struct str *out, const char *title, const struct snapshot_server *v,
                          const struct snapshot *s, enum text_detail detail)
{
    const struct sample_delta *d = &v->d;
    const bool full = detail == TEXT_FULL, ours = v == &s->self;
    struct text_lines l = {.out = out, .detail = detail};

    str_printf(out, "%s: ", title);
    text_wrap(out, v->describe, strlen(title) + 2, 4, text_lines_width(&l));
    str_adds(out, "\n");
    for (const struct line *r = process_lines; r < process_lines + COUNT(process_lines); r++) {
        struct str text = STR_INIT;
        bool known = d->have & r->group && !isnan(r->part->get(s, v));
        if ((r->flags & FULL && !full) || (r->flags & SERVER && ours && !full) ||
            (r->flags & CLIENT && !ours) || (r->flags & KNOWN && !known))
            continue;
        if (known) {
            if (d->lower & r->group && !(r->flags & GAUGE))
                str_adds(&text, "at least ");
            add_parts(&text, r->part, s, v, detail, "", "");
            add_line(&l, r->label, &text, TEXT_UNBOUND);
        } else if (d->have & r->group) {
            text_missing(&l, r->label, s->events ? field_read_late : "no transaction was done");
        } else if (r->group != SAMPLE_CPU) {
            text_missing(&l, r->label, sample_why(d, r->group));
        } else if (r == process_lines) { /* once for the three lines */
            text_missing(&l, "CPU", sample_why(d, SAMPLE_CPU));
        }
    }
    if (!ours && v->has_before)
        text_line(out, "CPU before the load", "%.2f%% of one CPU", v->before_pct);
    else if (!ours)
        text_missing(&l, "CPU before the load",
                     d->have & SAMPLE_CPU ? "it could not be read then"
                                          : sample_why(d, SAMPLE_CPU));
    if (!ours)
        add_others(&l, s);
    /* without a server, too: a quota's periods of 100 ms are in all latencies */
    if (ours && d->have & SAMPLE_THROTTLE && d->throttled_periods)
        str_printf(out, "%sa CPU quota stopped the load generator for %.3f s\n", warning,
                   dur_sec(d->throttled_ns));
    /* without a server to serve, using CPU is all there is to do */
    if (ours && s->server.on && s->self_limit) {
        str_adds(out, warning);
        text_wrap(out, s->self_limit, strlen(warning), 4, text_lines_width(&l));
        str_adds(out, "\n");
    } else if (ours && s->server.on && sample_waited_pct(d) > 50) {
        str_printf(out, "%slatencies include the load generator's own waiting for a CPU\n",
                   warning);
    }
    if (d->lower && (!ours || full))
        text_item(out, "lower bounds because", "%s", d->reason);
    if (!ours)
        add_sentence(&l, s);
    text_lines_end(&l);
}

static void events_block(struct text_lines *l, const struct snapshot *s)
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
        str_printf(&text, "%s%.0f", e->lower ? "at least " : "", e->count);
        if (n)
            str_printf(&text, " (%s per transaction)", text_digits(buf, per(e->count, n), 4));
        if (e->ratio < 0.9995)
            str_printf(&text, ", counted %.1f%% of the time and scaled", 100 * e->ratio);
        add_line(l, p->event[i].name, &text, text_lines_width(l));
    }
    for (size_t i = 0; i < COUNT(derived); i++) {
        double v = figures_value(&derived_figures[i], s, &p->perf.d, NULL).number;
        if (p->derived & derived_figures[i].have && isnan(v))
            text_missing(l, derived[i].label, field_not_derived(p));
        else if (p->derived & derived_figures[i].have)
            text_line(l->out, derived[i].label, "%.*f%s", derived[i].decimals, v, derived[i].unit);
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

void text_processes(struct str *out, const struct snapshot *s, enum text_detail detail)
{
    const struct probe_delta *p = s->probe;
    const uint64_t n = snapshot_sampled(s);
    struct text_lines l = {.out = out, .detail = detail};
    char buf[40];

    if (s->server.on)
        process_block(out, "Server", &s->server, s, detail);
    if (s->self.on && !s->stock_rate && !s->plain_rate)
        process_block(out, "Load generator", &s->self, s, detail);
    if (p && p->events)
        events_block(&l, s);
    if (p && p->has_syscalls)
        syscalls_block(&l, s);
    if (p && p->has_host) {
        const struct host_delta *h = &p->host;
        str_printf(out, "Host: %d CPUs", h->cpus ? h->cpus : s->ncpu);
        if (detail == TEXT_FULL || strcmp(p->governor, "n/a") != 0)
            str_printf(out, ", governor %s", p->governor);
        str_adds(out, "\n");
        for (const struct line *r = host_lines; r < host_lines + COUNT(host_lines); r++) {
            struct str text = STR_INIT;
            if (!(h->have & r->group)) {
                text_missing(&l, r->label,
                             h->wall_ns > 0 ? host_why(r->group)
                                            : "the load had ended before this interval");
                continue;
            }
            add_parts(&text, r->part, s, h, detail, "", "");
            add_line(&l, r->label, &text, text_lines_width(&l));
        }
        text_lines_end(&l);
    }
    if (!p || !p->statuses)
        return;
    str_adds(out, "Server status:\n");
    for (size_t i = 0; i < p->statuses; i++) {
        const char *name = p->status_name[i].name, *least = p->status.lower ? "at least " : "";
        double v = p->status.v[i];
        if (!(p->status.have & UINT32_C(1) << i))
            text_missing(&l, name, *p->status.why ? p->status.why : "the server did not report it");
        else if (p->status_name[i].gauge)
            text_line(out, name, "%.0f at the end", v);
        else if (n)
            text_line(out, name, "%s%.0f (%s per transaction)", least, v,
                      text_digits(buf, per(v, n), 4));
        else
            text_line(out, name, "%s%.0f", least, v);
    }
    if (p->status.lower)
        text_item(out, "lower bounds because", "%s", p->status.why);
    if (!s->server.on) {
        add_others(&l, s);
        add_sentence(&l, s);
    }
    text_lines_end(&l);
}
