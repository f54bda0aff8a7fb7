/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What server, load generator and machine did, as text: the interval line and the blocks of the
 * cumulative reports are rows that name a figure, its unit and its decimals, so that none of them
 * can disagree with another.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/fields.h"
#include "report/text_blocks.h"
#include "report/text_table.h"

#define OTHERS 0.33 /* of the server's CPU time: so much of its other threads is told */

/* Of a transaction: NaN if there was none. */
static double per(double v, uint64_t n)
{
    return n ? v / (double)n : NAN;
}

/* Where it counts. */
static double of_server(double v, double share, const struct snapshot *s, const void *of)
{
    bool counts = of == &s->server && v > 0 && v >= share * dur_sec(s->server.d.cpu_ns);

    return counts ? per_transaction(v, s, of) : NAN;
}

static double per_watching(double v, const struct snapshot *s, const void *of)
{
    return of_server(v, TEXT_WATCHING, s, of);
}

static double per_others(double v, const struct snapshot *s, const void *of)
{
    return of_server(v, OTHERS, s, of);
}

/* --- lines of figures --- */

enum {
    FULL = 1 << 0,   /* in the long form only */
    BRIEF = 1 << 1,  /* in the short form only */
    KNOWN = 1 << 2,  /* not where it is missing, or below `least` */
    LEAST = 1 << 3,  /* marked where it is a lower bound; n/a where nothing was done */
    SERVER = 1 << 4, /* in the short form not of the load generator */
    CLIENT = 1 << 5, /* of the load generator only */
    GAUGE = 1 << 6,  /* never a lower bound */
    DISK = 1 << 7,   /* of a disk whose name another line has */
};

/* "before 12.3unit": a figure of the line's section by its name, or what is made of it */
struct part {
    const char *before; /* NULL: the name that the row has for hooks, which is vmstat's */
    const char *row;
    int decimals;
    const char *unit;
    double unit_is; /* in that of the row; 0: 1 */
    figure_per *per;
    unsigned flags;
    double least;
};

struct line {
    const char *label;
    unsigned flags;
    const char *interval; /* of the machine, in an interval line: before it; NULL: not there */
    struct part part[6];
};

#define PART(before_, row_, decimals_, ...)                                                        \
    {                                                                                              \
        .before = before_, .row = row_, .decimals = decimals_, __VA_ARGS__                         \
    }
#define LINE(label_, flags_, ...)                                                                  \
    {                                                                                              \
        .label = label_, .flags = flags_, .part = { __VA_ARGS__ }                                  \
    }
#define TOLD(label_, flags_, interval_, ...)                                                       \
    {                                                                                              \
        .label = label_, .flags = flags_, .interval = interval_, .part = { __VA_ARGS__ }           \
    }
#define BOTH(label_, interval_, ...) TOLD(label_, 0, interval_, __VA_ARGS__)
#define OF_SYSTEM                    .per = per_system
#define OF_ONE                       .per = per_cpu
#define US_EACH                      .per = per_transaction, .unit_is = 1e-6
#define VMSTAT(...)                  PART(NULL, __VA_ARGS__)
#define IN_KIB(row)                  PART(NULL, row, 0, .unit_is = 1024)
#define HOST(name, ...)              PART(" " name TEXT_BOUND, __VA_ARGS__)
#define IN_MIB                       .unit_is = 1048576
#define IN_MS(way, row)              HOST(way "_await", row, 2, .unit_is = 1e-3)
/* of the disk that holds the server's data or its log */
#define DISK_LINES(role)                                                                           \
    LINE(role "'s disk", 0, PART("", role "_disk", 0)),                                            \
        TOLD(role "'s disk, per sec.", DISK, " | " role, HOST("r/s", role "_disk_reads_per_s", 1), \
             HOST("w/s", role "_disk_writes_per_s", 1),                                            \
             HOST("f/s", role "_disk_flushes_per_s", 1)),                                          \
        TOLD(role "'s disk, wait, ms", DISK, "", IN_MS("r", role "_disk_read_wait_s"),             \
             IN_MS("w", role "_disk_write_wait_s"), IN_MS("f", role "_disk_flush_wait_s")),        \
        TOLD(role "'s disk, % busy, queue", DISK, "", HOST("util", role "_disk_busy_pct", 1),      \
             HOST("aqu-sz", role "_disk_queue", 2))

static const struct part interval_server[] = {
    PART(LINE_GROUP " |" LINE_SERVER " srv-usr ", "cpu_user_pct", 2, .unit = "%"),
    PART(LINE_SERVER " srv-sys ", "cpu_system_pct", 2, .unit = "%"),
    PART(LINE_NEXT " cs/tx ", "switches_per_transaction", 2, .flags = LEAST),
    PART(LINE_REST " thr ", "threads", 0),
    PART(LINE_REST " rss ", "rss_bytes", 1, IN_MIB, .unit = "M"),
    {.row = NULL},
};
static const struct part interval_client[] = {
    PART(LINE_GROUP " |" LINE_CLIENT " cli-cpu ", "cpu_s", 2, OF_SYSTEM, .unit = "%"),
    {.row = NULL},
};

static const struct line process_lines[] = {
    LINE("CPU, % of the whole system", 0, PART("usr ", "cpu_user_s", 2, OF_SYSTEM),
         PART(" sys ", "cpu_system_s", 2, OF_SYSTEM), PART(" total ", "cpu_s", 2, OF_SYSTEM)),
    LINE("CPU, % of one CPU", FULL, PART("usr ", "cpu_user_s", 2, OF_ONE),
         PART(" sys ", "cpu_system_s", 2, OF_ONE), PART(" total ", "cpu_s", 2, OF_ONE)),
    LINE("CPU per transaction, us", 0, PART("usr ", "cpu_user_s", 2, US_EACH),
         PART(" sys ", "cpu_system_s", 2, US_EACH), PART(" total ", "cpu_s", 2, US_EACH)),
    LINE("of it to watch the server, us", KNOWN,
         PART("", "own_cpu_s_per_transaction", 2, .per = per_watching, .unit_is = 1e-6)),
    LINE("of it by other threads, us", KNOWN,
         PART("", "other_cpu_s_per_transaction", 2, .per = per_others, .unit_is = 1e-6)),
    LINE("context switches", SERVER, PART("voluntary ", "voluntary_switches", 0, .flags = FULL),
         PART(" involuntary ", "involuntary_switches", 0, .flags = FULL),
         PART("", "switches_per_transaction", 0, .per = per_nothing, .flags = BRIEF),
         PART(" (", "switches_per_transaction", 2, .unit = " per transaction)", .flags = KNOWN)),
    LINE("threads", SERVER | GAUGE,
         PART("", "threads", 0), /* PostgreSQL has a process for each client */
         PART(" in ", "processes", 0, .unit = " processes", .flags = KNOWN, .least = 2)),
    LINE("RSS", SERVER | GAUGE, PART("", "rss_bytes", 1, IN_MIB, .unit = " MiB")),
    LINE("page faults", FULL, PART("minor ", "minor_faults", 0),
         PART(" major ", "major_faults", 0)),
    LINE("storage, bytes", FULL, PART("read ", "storage_read_bytes", 0),
         PART(" written ", "storage_written_bytes", 0)),
    LINE("waited for a CPU", SERVER, PART("", "run_queue_wait_s", 3, .unit = " s"),
         PART(", ", "run_queue_wait_s", 2, US_EACH, .unit = " us per transaction",
              .flags = FULL | KNOWN),
         PART(", ", "run_queue_wait_s", 1, .per = per_runnable, .unit = "% of runnable time",
              .flags = KNOWN)),
    LINE("throttled by a CPU quota", FULL | CLIENT | KNOWN,
         PART("", "throttled_pct", 3, .per = per_nothing, .unit = " s", .least = 1e-9),
         PART(", ", "throttled_periods", 0, .unit = " periods")),
};

static const struct line host_lines[] = {
    BOTH("threads at the end", " | host", VMSTAT("threads_runnable", 0),
         VMSTAT("threads_blocked", 0)),
    LINE("threads, mean", 0, VMSTAT("threads_runnable_mean", 2), VMSTAT("threads_blocked_mean", 2)),
    BOTH("memory at the end, KiB", "", IN_KIB("swap_used_bytes"), IN_KIB("memory_free_bytes"),
         IN_KIB("memory_buffers_bytes"), IN_KIB("memory_cache_bytes")),
    LINE("memory, KiB, mean", 0, IN_KIB("swap_used_mean_bytes"), IN_KIB("memory_free_mean_bytes"),
         IN_KIB("memory_buffers_mean_bytes"), IN_KIB("memory_cache_mean_bytes")),
    BOTH("paging, KiB per sec.", "", IN_KIB("swapped_in_bytes_per_s"),
         IN_KIB("swapped_out_bytes_per_s"), IN_KIB("blocks_in_bytes_per_s"),
         IN_KIB("blocks_out_bytes_per_s")),
    BOTH("per sec.", "", HOST("in", "interrupts_per_s", 0), VMSTAT("context_switches_per_s", 0)),
    LINE("per transaction", 0, HOST("in", "interrupts_per_transaction", 3),
         VMSTAT("context_switches_per_transaction", 3)),
    BOTH("CPU, %", "", VMSTAT("cpu_user_pct", 1), VMSTAT("cpu_system_pct", 1),
         VMSTAT("cpu_idle_pct", 1), VMSTAT("cpu_iowait_pct", 1), VMSTAT("cpu_stolen_pct", 1)),
    BOTH("disks, bytes per sec.", " | disk", HOST("rd", "disk_read_bytes_per_s", 0),
         HOST("wr", "disk_written_bytes_per_s", 0)),
    BOTH("network, bytes per sec.", " | net", HOST("rx", "network_received_bytes_per_s", 0),
         HOST("tx", "network_sent_bytes_per_s", 0)),
    BOTH("pressure, % of the time", " | psi", HOST("cpu", "stalled_cpu_pct", 2),
         HOST("io", "stalled_io_pct", 2), HOST("mem", "stalled_memory_pct", 2)),
    BOTH("CPU frequency at the end", " |", VMSTAT("cpu_frequency_hz", 0, .unit_is = 1e6)),
    BOTH("server's quota, % of one CPU", "", VMSTAT("server_throttled_pct", 2)),
    BOTH("power, W", " | W", HOST("pkg", "power_cpu_w", 2), HOST("dram", "power_memory_w", 2),
         HOST("bat", "power_battery_w", 2)),
    LINE("energy per transaction, J", 0, HOST("pkg", "energy_cpu_j_per_transaction", 6),
         HOST("dram", "energy_memory_j_per_transaction", 6),
         HOST("bat", "energy_battery_j_per_transaction", 6)),
    DISK_LINES("data"),
    DISK_LINES("log"),
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

static struct field part_field(const struct part *p, const struct snapshot *s,
                               enum field_section section)
{
    const struct figure *row = figures_named(section_figures[section], p->row);
    struct figure made = *row;

    if (p->per) {
        made.value.per = p->per;
        made.gap.why = field_no_transaction;
    }
    struct field f = fields_row(s, section, &made);
    f.row = row;
    return f;
}

/* `mark`: before each. */
static void add_parts(struct str *out, const struct part *p, const struct snapshot *s,
                      enum field_section section, enum text_detail detail, const char *mark)
{
    for (; p->row; p++) {
        const struct field f = part_field(p, s, section);
        const double v = f.missing || (p->flags & LEAST && !s->events) ? NAN : f.value.number;
        if (p->flags & (detail == TEXT_FULL ? BRIEF : FULL) ||
            (p->flags & KNOWN && !(v >= p->least)))
            continue;
        str_adds(out, mark);
        if (p->before)
            str_adds(out, p->before);
        else /* of means, too */
            str_printf(out, " %.*s" TEXT_BOUND, (int)strcspn(f.row->lua, "_"), f.row->lua);
        if (!f.missing && f.value.kind == VALUE_TEXT)
            str_adds(out, f.value.text);
        else if (isnan(v))
            str_adds(out, "n/a");
        else
            str_printf(out, "%s%.*f%s", p->flags & LEAST && f.lower ? ">=" : "", p->decimals,
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

/* A level of the server's: most are whole numbers. */
static const char *level(char buf[40], double v)
{
    snprintf(buf, 40, v == floor(v) || fabs(v) >= 1e4 ? "%.0f" : "%.4g", v);
    return buf;
}

/* Nobody asked for it. */
static bool not_asked(const struct field *f)
{
    return f->missing && strncmp(f->missing, "not asked for", 13) == 0;
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
        add_parts(out, interval_server, s, FIELD_SERVER, TEXT_BRIEF, "");
        add_parts(out, interval_client, s, FIELD_CLIENT, TEXT_BRIEF, "");
    }
    if (p && p->events) {
        str_adds(out, p->derived ? LINE_GROUP " |" : "");
        for (size_t i = 0; i < COUNT(derived); i++) {
            const struct field f = fields_row(s, FIELD_EVENTS, &derived_figures[i]);
            if (p->derived & f.row->gap.have)
                str_printf(out, f.missing ? LINE_EVENT " %s n/a" : LINE_EVENT " %s %.*f%s",
                           derived[i].brief, derived[i].decimals, f.value.number, derived[i].unit);
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
        add_parts(out, r->part, s, FIELD_HOST, TEXT_BRIEF, LINE_HOST);
    }
    if (p && p->has_waits && !p->quiet_waits)
        str_printf(out, LINE_GROUP " |" LINE_CLIENT " waits %s",
                   *p->status.waits.most ? p->status.waits.most : "n/a");
    if (p && p->statuses)
        str_adds(out, LINE_GROUP " |");
    for (size_t i = 0; p && i < p->statuses; i++) {
        const struct status_name *name = &p->status_name[i];
        str_adds(out, LINE_STATUS);
        if (!status_has(&p->status, i))
            str_printf(out, " %s%s n/a", name->name, name->gauge ? "" : "/s");
        else if (name->gauge)
            str_printf(out, " %s %s", name->name, level(buf, p->status.v[i]));
        else
            str_printf(out, " %s/s %.2f", name->name, p->status.v[i] / dur_sec(p->status.wall_ns));
    }
    for (const struct figure *r = status_figures; p && p->statuses && !figure_ends(r); r++) {
        const struct field f = fields_row(s, FIELD_STATUS, r);
        if (!not_asked(&f) && r->metric.how != METRIC_NONE &&
            strcmp(r->name, "other_statements") != 0 && strncmp(r->name, "sessions_", 9) != 0)
            str_printf(out, f.missing ? LINE_STATUS " %s n/a" : LINE_STATUS " %s %.4g", r->name,
                       f.value.number);
    }
    for (size_t i = begin; i < out->len; i++)
        if (out->s[i] == *TEXT_BOUND)
            out->s[i] = ' ';
}

/* --- the blocks --- */

#define BUSY_BEFORE_PCT 5 /* of one CPU: more than a server without work uses */

#define OTHERS_SHARE 0.01 /* of what the server executed: less is a monitor's */

static const char warning[] = "    WARNING: ";

/* What others executed, if they may have done anything. */
static void add_work(struct text_lines *l, const struct snapshot *s)
{
    const struct status_others *v = &s->probe->status.others;
    struct field f = fields_find(s, "server_status.other_statements");
    const char *label =
        v->background ? "other sessions, transactions" : "other sessions, statements";

    if (f.missing && (v->busy > 0 || v->least > OTHERS_SHARE * v->counted))
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

    bool counters = s->probe && s->probe->statuses;

    for (size_t i = 0; s->probe && i < COUNT(row); i++) {
        if (row[i].waited && counters)
            add_work(l, s);
        struct field f = fields_find(s, row[i].path);
        if (not_asked(&f) || (!counters && (f.missing || f.value.number <= 0)))
            continue; /* the time of a transaction says the rest */
        if (row[i].waited && f.lower && f.value.number < 0.05)
            break; /* at least nothing */
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

/* NULL: none. */
static void add_warning(const struct text_lines *l, const char *text)
{
    if (!text)
        return;
    str_adds(l->out, warning);
    text_wrap(l->out, text, strlen(warning), 4, text_lines_width(l));
    str_adds(l->out, "\n");
}

static void add_sentence(const struct text_lines *l, const struct snapshot *s)
{
    struct str text = STR_INIT;

    add_warning(l, others_sentence(&text, s));
    str_free(&text);
}

/* The short form about the load generator: what it took from the server, when there is one. */
static void process_block(struct str *out, const char *title, const struct snapshot_server *v,
                          const struct snapshot *s, enum text_detail detail)
{
    const struct sample_delta *d = &v->d;
    const bool full = detail == TEXT_FULL, ours = v == &s->self;
    char lower[SAMPLE_REASON_MAX];
    struct text_lines l = {.out = out, .detail = detail};

    str_printf(out, "%s: ", title);
    text_wrap(out, v->describe, strlen(title) + 2, 4, text_lines_width(&l));
    str_adds(out, "\n");
    for (const struct line *r = process_lines; r < process_lines + COUNT(process_lines); r++) {
        struct field f = part_field(r->part, s, ours ? FIELD_CLIENT : FIELD_SERVER);
        const unsigned have = f.row->gap.have;
        const char *why = !have || d->have & have ? f.missing : sample_why(d, have);
        struct str text = STR_INIT;
        if ((r->flags & FULL && !full) || (r->flags & SERVER && ours && !full) ||
            (r->flags & CLIENT && !ours) ||
            (r->flags & KNOWN && (f.missing || f.value.number < r->part->least)))
            continue;
        if (!f.missing) {
            if (f.lower && !(r->flags & GAUGE))
                str_adds(&text, "at least ");
            add_parts(&text, r->part, s, f.section, detail, "");
            add_line(&l, r->label, &text, TEXT_UNBOUND);
        } else if (d->have & have || have != SAMPLE_CPU) {
            text_missing(&l, r->label, why);
        } else if (r == process_lines) { /* once for the three lines */
            text_missing(&l, "CPU", why);
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
    if (ours && s->server.on)
        add_warning(&l, s->self_limit ? s->self_limit
                        : sample_waited_pct(d) > 50
                            ? "latencies include the load generator's own waiting for a CPU"
                            : NULL);
    sample_why_lower(d, lower);
    if (*lower && (!ours || full))
        text_item(out, "lower bounds because", "%s", lower);
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
        const struct field f = fields_row(s, FIELD_EVENTS, &derived_figures[i]);
        if (p->derived & f.row->gap.have && f.missing)
            text_missing(l, derived[i].label, f.missing);
        else if (p->derived & f.row->gap.have)
            text_line(l->out, derived[i].label, "%.*f%s", derived[i].decimals, f.value.number,
                      derived[i].unit);
    }
    if (*p->how)
        text_line(l->out, "overhead per reading", "%.3f ms", dur_ms(p->events_cost_ns));
    text_lines_end(l);
}

static void syscall_line(struct str *out, const struct snapshot *s, const char *name,
                         const struct syscall_count *c)
{
    static const struct text_column columns[] = {{"count", 12, 0, "count", 1},
                                                 {"per tx", 10, 3, "count_per_transaction", 1},
                                                 {"errors", 10, 0, "errors", 1},
                                                 {"mean us", 11, 2, "mean_s", 1e6},
                                                 {"total s", 10, 3, "sum_s", 1}};

    str_adds(out, " ");
    if (c)
        text_row(out, columns, COUNT(columns), calls_figures, s, c);
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
        syscall_line(l->out, s, syscall_name(d->f[i].number, name), &d->f[i].c);
        syscall_count_add(&rest, d->f[i].c, -1);
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
        bool same_disk = strcmp(h->disk[DISK_DATA].text, h->disk[DISK_LOG].text) == 0;
        str_printf(out, "Host: %d CPUs", h->cpus ? h->cpus : s->ncpu);
        if (detail == TEXT_FULL || strcmp(p->governor, "n/a") != 0)
            str_printf(out, ", governor %s", p->governor);
        str_adds(out, "\n");
        for (const struct line *r = host_lines; r < host_lines + COUNT(host_lines); r++) {
            struct str text = STR_INIT;
            const struct field f = part_field(r->part, s, FIELD_HOST);
            /* the name, or why there is none, is told once */
            if (r->flags & DISK && (f.missing || (*r->label == 'l' && same_disk)))
                continue;
            if (f.row->gap.absent ? f.missing != NULL : !(h->have & f.row->gap.have)) {
                text_missing(&l, r->label, f.missing);
                continue;
            }
            add_parts(&text, r->part, s, FIELD_HOST, detail, "");
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
        if (!status_has(&p->status, i))
            text_missing(&l, name, status_why(&p->status, i));
        else if (p->status_name[i].gauge == STATUS_LEVEL)
            text_line(out, name, "%s at the end", level(buf, v));
        else if (p->status_name[i].gauge)
            text_line(out, name, "%s%s", least, level(buf, v));
        else if (n)
            text_value(out, name, text_lines_width(&l), "%s%.0f (%s per transaction)", least, v,
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
