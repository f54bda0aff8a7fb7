/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_columns.h.  A column's figure is found by its name among those of fields.h, so that a
 * table, a csv file and a scraper cannot disagree.
 */
#include "report/text_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/fields.h"
#include "report/text_figures.h"

enum {
    PER_SECOND = 1 << 0, /* the figure is a count of the interval */
    OF_STARTS = 1 << 1,  /* the thresholds are % of the transactions */
};

#define MIB   (1.0 / 1048576)
#define NEVER HUGE_VAL

struct row {
    enum field_section section;
    const char *field;
    const char *plus; /* is added to it */
    const char *group, *name;
    double scale;
    int width, decimals, priority;
    unsigned flags;
    double warn, bad; /* coloured when the value is above */
};

/* Common parts of the rows; `decimals` and `priority` of STATUS come from its flags and the
 * group. */
#define LOAD(field, name, scale, width, decimals, priority, flags, warn, bad)                      \
    {                                                                                              \
        FIELD_LOAD, field, NULL, "", name, scale, width, decimals, priority, flags, warn, bad      \
    }
#define LATENCY(field, name, priority)                                                             \
    {                                                                                              \
        FIELD_LATENCY, field, NULL, "latency, ms", name, 1e3, 7, 3, priority, 0, NEVER, NEVER      \
    }
#define RATE(field, group, name, scale, width, decimals, priority, flags, warn, bad)               \
    {                                                                                              \
        FIELD_RATE, field, NULL, group, name, scale, width, decimals, priority, flags, warn, bad   \
    }
#define SERVER(field, name, scale, width, decimals, priority)                                      \
    {                                                                                              \
        FIELD_SERVER, field, NULL, "server", name, scale, width, decimals, priority, 0, NEVER,     \
            NEVER                                                                                  \
    }
#define HOST(field, group, name, scale, width, decimals, priority, warn, bad)                      \
    {                                                                                              \
        FIELD_HOST, field, NULL, group, name, scale, width, decimals, TEXT_ASKED + priority, 0,    \
            warn, bad                                                                              \
    }
#define EVENT(field, name, scale, width, decimals, priority)                                       \
    {                                                                                              \
        FIELD_EVENTS, field, NULL, "server events", name, scale, width, decimals,                  \
            TEXT_ASKED + priority, 0, NEVER, NEVER                                                 \
    }
#define STATUS(field, name, scale, width, flags, priority)                                         \
    {                                                                                              \
        FIELD_STATUS, field, NULL, "server status", name, scale, width,                            \
            (flags)&PER_SECOND ? 1 : 0, TEXT_ASKED + priority, flags, NEVER, NEVER                 \
    }

/* From left to right.  The machine's columns have vmstat's names, and begin with vmstat's, in its
 * order. */
static const struct row rows[] = {
    LOAD("transactions_per_s", "tps", 1, 8, 2, 0, 0, NEVER, NEVER),
    LATENCY("p50_s", "p50", 1),
    LATENCY("p95_s", "p95", 2),
    LATENCY("p99_s", "p99", 3),
    RATE("late", "", "late", 1, 6, 0, 5, OF_STARTS, 1, 10),
    LOAD("errors", "err/s", 1, 6, 2, 6, PER_SECOND, 0, NEVER),
    RATE("unfinished", "", "unfin", 1, 6, 0, TEXT_EXTRA, 0, NEVER, NEVER),
    RATE("failed", "", "fail", 1, 6, 0, TEXT_EXTRA + 2, 0, NEVER, 0),
    RATE("dropped", "", "drop", 1, 6, 0, TEXT_EXTRA + 3, 0, NEVER, 0),
    RATE("service_p99_s", "p99 ms", "svc", 1e3, 7, 3, TEXT_EXTRA + 5, 0, NEVER, NEVER),
    RATE("lag_p99_s", "p99 ms", "lag", 1e3, 7, 3, TEXT_EXTRA + 4, 0, NEVER, NEVER),
    LOAD("queries_per_s", "qps", 1, 9, 1, TEXT_EXTRA + 8, 0, NEVER, NEVER),
    LOAD("reads", "r/s", 1, 9, 1, TEXT_EXTRA + 9, PER_SECOND, NEVER, NEVER),
    LOAD("writes", "w/s", 1, 9, 1, TEXT_EXTRA + 10, PER_SECOND, NEVER, NEVER),
    LOAD("other", "o/s", 1, 9, 1, TEXT_EXTRA + 11, PER_SECOND, NEVER, NEVER),
    LOAD("read_bytes", "readM/s", MIB, 8, 2, 4, PER_SECOND, NEVER, NEVER),
    LOAD("written_bytes", "writM/s", MIB, 8, 2, 4, PER_SECOND, NEVER, NEVER),
    SERVER("cpu_user_pct", "usr%", 1, 6, 1, 7),
    SERVER("cpu_system_pct", "sys%", 1, 6, 1, 8),
    SERVER("switches_per_transaction", "cs/tx", 1, 6, 2, TEXT_EXTRA + 1),
    SERVER("threads", "thr", 1, 5, 0, TEXT_EXTRA + 6),
    SERVER("rss_bytes", "rssM", MIB, 6, 0, TEXT_EXTRA + 7),
    {FIELD_CLIENT, "cpu_user_pct", "cpu_system_pct", "client", "cpu%", 1, 7, 1, 9, 0, 50, 90},
    EVENT("ipc", "ipc", 1, 6, 2, 0),
    EVENT("branch_miss_pct", "brmis%", 1, 7, 2, 8),
    EVENT("icache_misses_per_instruction", "icache/ins", 1, 11, 5, 6),
    EVENT("itlb_misses_per_instruction", "itlb/ins", 1, 10, 6, 7),
    EVENT("transactions_per_billion_cycles", "tx/Gcyc", 1, 9, 1, 9),
    EVENT("context-switches_per_transaction", "csw/tx", 1, 7, 2, 1),
    EVENT("syscalls_per_transaction", "sysc/tx", 1, 8, 2, 2),
    EVENT("page-faults_per_transaction", "flt/tx", 1, 7, 2, 3),
    EVENT("cpu-migrations_per_transaction", "migr/tx", 1, 8, 3, 4),
    EVENT("instructions:u_per_transaction", "ins:u/tx", 1, 9, 1, 20),
    EVENT("cycles:u_per_transaction", "cyc:u/tx", 1, 9, 1, 21),
    EVENT("branches:u_per_transaction", "br:u/tx", 1, 9, 1, 22),
    EVENT("branch-misses:u_per_transaction", "brmis:u/tx", 1, 11, 1, 23),
    EVENT("L1-icache-load-misses:u_per_transaction", "icache:u/tx", 1, 12, 1, 24),
    EVENT("iTLB-load-misses:u_per_transaction", "itlb:u/tx", 1, 10, 1, 25),
    HOST("threads_runnable", "host", "r", 1, 5, 0, 3, NEVER, NEVER),
    HOST("threads_blocked", "host", "b", 1, 4, 0, 12, NEVER, NEVER),
    HOST("swap_used_bytes", "memory, MiB", "swpd", MIB, 6, 0, 25, NEVER, NEVER),
    HOST("memory_free_bytes", "memory, MiB", "free", MIB, 7, 0, 16, NEVER, NEVER),
    HOST("memory_buffers_bytes", "memory, MiB", "buff", MIB, 6, 0, 26, NEVER, NEVER),
    HOST("memory_cache_bytes", "memory, MiB", "cache", MIB, 7, 0, 17, NEVER, NEVER),
    HOST("swapped_in_bytes_per_s", "paging, KiB/s", "si", 1.0 / 1024, 5, 0, 27, 0, NEVER),
    HOST("swapped_out_bytes_per_s", "paging, KiB/s", "so", 1.0 / 1024, 5, 0, 28, 0, NEVER),
    HOST("blocks_in_bytes_per_s", "paging, KiB/s", "bi", 1.0 / 1024, 7, 0, 29, NEVER, NEVER),
    HOST("blocks_out_bytes_per_s", "paging, KiB/s", "bo", 1.0 / 1024, 7, 0, 30, NEVER, NEVER),
    HOST("interrupts_per_s", "host", "in/s", 1, 7, 0, 15, NEVER, NEVER),
    HOST("context_switches_per_s", "host", "cs/s", 1, 7, 0, 9, NEVER, NEVER),
    HOST("cpu_user_pct", "host", "us%", 1, 6, 1, 0, NEVER, NEVER),
    HOST("cpu_system_pct", "host", "sy%", 1, 6, 1, 1, NEVER, NEVER),
    HOST("cpu_idle_pct", "host", "id%", 1, 6, 1, 2, NEVER, NEVER),
    HOST("cpu_iowait_pct", "host", "wa%", 1, 6, 1, 4, 10, 30),
    HOST("cpu_stolen_pct", "host", "st%", 1, 6, 1, 10, 1, 5),
    HOST("disk_read_bytes_per_s", "disk, MiB/s", "rd", MIB, 7, 2, 6, NEVER, NEVER),
    HOST("disk_written_bytes_per_s", "disk, MiB/s", "wr", MIB, 7, 2, 5, NEVER, NEVER),
    HOST("network_received_bytes_per_s", "net, MiB/s", "rx", MIB, 7, 2, 13, NEVER, NEVER),
    HOST("network_sent_bytes_per_s", "net, MiB/s", "tx", MIB, 7, 2, 14, NEVER, NEVER),
    HOST("stalled_cpu_pct", "psi %", "cpu", 1, 6, 1, 7, 20, 60),
    HOST("stalled_io_pct", "psi %", "io", 1, 6, 1, 8, 20, 60),
    HOST("stalled_memory_pct", "psi %", "mem", 1, 6, 1, 11, 1, 10),
    HOST("cpu_frequency_hz", "", "MHz", 1e-6, 6, 0, 18, NEVER, NEVER),
    HOST("server_throttled_pct", "", "throt%", 1, 7, 1, 19, 0, 10),
    HOST("interrupts_per_transaction", "host", "in/tx", 1, 8, 2, 31, NEVER, NEVER),
    HOST("context_switches_per_transaction", "host", "hcs/tx", 1, 8, 2, 32, NEVER, NEVER),
    HOST("power_cpu_w", "power, W", "pkg", 1, 7, 1, 20, NEVER, NEVER),
    HOST("power_memory_w", "power, W", "dram", 1, 7, 1, 21, NEVER, NEVER),
    HOST("power_battery_w", "power, W", "bat", 1, 7, 1, 22, NEVER, NEVER),
    HOST("energy_cpu_j_per_transaction", "power, W", "J/tx", 1, 8, 4, 23, NEVER, NEVER),
    STATUS("Threads_running", "run", 1, 5, 0, 0),
    STATUS("Threads_connected", "conn", 1, 6, 0, 2),
    STATUS("Queries", "quer/s", 1, 8, PER_SECOND, 4),
    STATUS("Innodb_row_lock_waits", "lockw/s", 1, 8, PER_SECOND, 3),
    STATUS("Innodb_row_lock_time", "lockms/s", 1, 9, PER_SECOND, 5),
    STATUS("Innodb_buffer_pool_reads", "bpread/s", 1, 9, PER_SECOND, 6),
    STATUS("Innodb_buffer_pool_read_requests", "bpreq/s", 1, 9, PER_SECOND, 18),
    STATUS("Innodb_data_written", "datawrM/s", MIB, 10, PER_SECOND, 12),
    STATUS("Rows_read", "rowrd/s", 1, 8, PER_SECOND, 7),
    STATUS("Handler_write", "hwrite/s", 1, 9, PER_SECOND, 8),
    STATUS("Handler_update", "hupd/s", 1, 8, PER_SECOND, 9),
    STATUS("Handler_delete", "hdel/s", 1, 8, PER_SECOND, 10),
    STATUS("Innodb_rows_read", "rowrd/s", 1, 8, PER_SECOND, 7),
    STATUS("Innodb_rows_inserted", "rowins/s", 1, 9, PER_SECOND, 8),
    STATUS("Innodb_rows_updated", "rowupd/s", 1, 9, PER_SECOND, 9),
    STATUS("Innodb_rows_deleted", "rowdel/s", 1, 9, PER_SECOND, 10),
    STATUS("Bytes_received", "recvM/s", MIB, 8, PER_SECOND, 19),
    STATUS("Bytes_sent", "sentM/s", MIB, 8, PER_SECOND, 20),
    STATUS("active", "active", 1, 7, 0, 0),
    STATUS("numbackends", "conn", 1, 6, 0, 2),
    STATUS("xact_commit", "commit/s", 1, 9, PER_SECOND, 3),
    STATUS("xact_rollback", "rollb/s", 1, 8, PER_SECOND, 5),
    STATUS("deadlocks", "dead/s", 1, 7, PER_SECOND, 6),
    STATUS("conflicts", "confl/s", 1, 8, PER_SECOND, 7),
    STATUS("tup_returned", "tupret/s", 1, 9, PER_SECOND, 8),
    STATUS("tup_fetched", "tupfet/s", 1, 9, PER_SECOND, 9),
    STATUS("tup_inserted", "tupins/s", 1, 9, PER_SECOND, 10),
    STATUS("tup_updated", "tupupd/s", 1, 9, PER_SECOND, 11),
    STATUS("tup_deleted", "tupdel/s", 1, 9, PER_SECOND, 11),
    STATUS("temp_bytes", "tempM/s", MIB, 8, PER_SECOND, 11),
    STATUS("blks_read", "blkrd/s", 1, 8, PER_SECOND, 12),
    STATUS("blks_hit", "blkhit/s", 1, 9, PER_SECOND, 18),
};

#define ROWS (sizeof rows / sizeof *rows)

const char *text_fit(char buf[32], double v, int width, int decimals)
{
    static const char suffix[] = "kMGTPE";

    for (int d = decimals; d >= 0; d--)
        if (snprintf(buf, 32, "%.*f", d, v) <= width)
            return buf;
    for (const char *c = suffix; *c; c++) {
        v /= 1000;
        for (int d = 2; d >= 0; d--)
            if (fabs(v) < 999.5 && (d || fabs(v) >= 1) &&
                snprintf(buf, 32, "%.*f%c", d, v, *c) <= width)
                return buf;
    }
    snprintf(buf, 32, "%.*s", width < 31 ? width : 31, "########");
    return buf;
}

struct collector {
    const struct snapshot *s;
    struct text_cell *cells;
    size_t n;
    bool sql;
};

static struct text_cell *add(struct collector *c, double order)
{
    struct text_cell *cell;

    if (c->n == TEXT_COLUMNS_MAX)
        return NULL;
    cell = &c->cells[c->n++];
    *cell = (struct text_cell){.order = order};
    return cell;
}

/* What PER_SECOND divides by: the time between the readings that the figure came from. */
static double seconds_of(const struct snapshot *s, enum field_section section)
{
    return dur_sec(section == FIELD_STATUS ? s->probe->status.wall_ns : s->interval_ns);
}

static void set_missing(struct text_cell *cell, const char *missing)
{
    cell->missing = missing;
    cell->passing = field_passing(missing);
}

static enum text_colour colour_of(const struct snapshot *s, const struct row *r, double v)
{
    if (r->flags & OF_STARTS)
        v = s->events ? 100 * v / (double)s->events : v > 0 ? 100 : 0;
    return v > r->bad ? TEXT_BAD : v > r->warn ? TEXT_WARN : TEXT_PLAIN;
}

static const char *group_of(const struct snapshot *s, const struct row *r)
{
    return r->section == FIELD_LATENCY && s->has_rate ? "response, ms" : r->group;
}

static double number_of(const struct field *f)
{
    return f->type == FIELD_COUNT ? (double)f->count : f->number;
}

static void take_field(struct collector *c, const struct row *r, const struct field *f,
                       struct text_cell *cell)
{
    snprintf(cell->name, sizeof cell->name, "%s",
             !c->sql && strcmp(r->name, "tps") == 0 ? "eps" : r->name);
    cell->group = group_of(c->s, r);
    cell->width = r->width;
    cell->decimals = r->decimals;
    cell->priority = r->priority;
    if (f->missing) {
        set_missing(cell, f->missing);
        return;
    }
    cell->lower = f->lower != NULL;
    cell->v += number_of(f) * r->scale / (r->flags & PER_SECOND ? seconds_of(c->s, r->section) : 1);
    cell->colour = colour_of(c->s, r, cell->v);
    if (!isfinite(cell->v)) { /* an interval without length */
        cell->missing = "the interval has no length";
        cell->passing = true;
    }
}

static bool is_gauge(const struct snapshot *s, const char *name)
{
    const struct probe_delta *p = s->probe;

    for (size_t i = 0; i < p->statuses; i++)
        if (strcmp(p->status_name[i].name, name) == 0)
            return p->status_name[i].gauge;
    return false;
}

/* A figure that has no row, under its own name. */
static void take_unnamed(struct collector *c, const struct field *f)
{
    static const char per[] = "_per_transaction";
    size_t len = strlen(f->name), tail = len > sizeof per - 1 ? len - (sizeof per - 1) : 0;
    bool event = f->section == FIELD_EVENTS, count = !event && !is_gauge(c->s, f->name);
    struct text_cell *cell;

    if (event && strcmp(f->name + tail, per) != 0) /* the sum, and for how long it was counted */
        return;
    cell = add(c, (double)(ROWS + c->n));
    if (!cell)
        return;
    snprintf(cell->name, sizeof cell->name, "%.*s%s", (int)(event ? tail : len), f->name,
             event   ? "/tx"
             : count ? "/s"
                     : "");
    cell->group = event ? "server events" : "server status";
    cell->decimals = 2;
    cell->width = (int)strlen(cell->name) + 1;
    cell->priority = TEXT_ASKED + 35;
    if (f->missing)
        set_missing(cell, f->missing);
    else
        cell->v = number_of(f) / (count ? seconds_of(c->s, f->section) : 1);
}

static bool is_bytes(const struct row *r)
{
    return r->section == FIELD_LOAD &&
           (strcmp(r->field, "read_bytes") == 0 || strcmp(r->field, "written_bytes") == 0);
}

/* Percentiles are in ascending order, those that the user listed among the others. */
static double percentile_order(double p)
{
    const struct row *r = rows;

    while (r->section != FIELD_LATENCY)
        r++;
    return (double)(r - rows) + p / 100;
}

static double order_of(const struct row *r)
{
    return r->section == FIELD_LATENCY ? percentile_order(atof(r->name + 1)) : (double)(r - rows);
}

static struct text_cell *cell_of(struct collector *c, const struct row *r)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->cells[i].order == order_of(r))
            return &c->cells[i];
    return add(c, order_of(r));
}

static void visit(void *arg, const struct field *f)
{
    struct collector *c = arg;
    bool named = false;

    if (field_section_missing(c->s, f->section))
        return;
    for (const struct row *r = rows; r < rows + ROWS; r++) {
        struct text_cell *cell;
        if (r->section != f->section ||
            (strcmp(r->field, f->name) != 0 && (!r->plus || strcmp(r->plus, f->name) != 0)))
            continue;
        named = true;
        if (is_bytes(r) && f->missing) /* another kind of test */
            continue;
        cell = cell_of(c, r);
        if (cell)
            take_field(c, r, f, cell);
    }
    if (!named && (f->section == FIELD_EVENTS || f->section == FIELD_STATUS))
        take_unnamed(c, f);
}

static void listed_percentiles(struct collector *c)
{
    const struct snapshot *s = c->s;
    char label[TEXT_PERCENTILE_SIZE];

    for (size_t i = 0; s->has_latency && i < s->percentiles; i++) {
        double p = s->percentile[i];
        struct text_cell *cell = p == 50 || p == 95 || p == 99 ? NULL : add(c, percentile_order(p));
        if (!cell)
            continue;
        snprintf(cell->name, sizeof cell->name, "p%s", text_percentile(label, p));
        cell->group = s->has_rate ? "response, ms" : "latency, ms";
        cell->decimals = 3;
        cell->width = strlen(cell->name) > 6 ? (int)strlen(cell->name) + 1 : 7;
        cell->priority = 10;
        cell->v = dur_ms(s->latency.pct[i]);
        if (s->latency.pct[i] < 0)
            set_missing(cell, field_no_sample);
    }
}

static int by_order(const void *a, const void *b)
{
    double x = ((const struct text_cell *)a)->order, y = ((const struct text_cell *)b)->order;

    return (x > y) - (x < y);
}

size_t text_cells(const struct snapshot *s, bool sql, struct text_cell cells[TEXT_COLUMNS_MAX])
{
    struct collector c = {.s = s, .cells = cells, .sql = sql};

    fields_each(s, visit, &c);
    listed_percentiles(&c);
    qsort(cells, c.n, sizeof *cells, by_order);
    return c.n;
}
