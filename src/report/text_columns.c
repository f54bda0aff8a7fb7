/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The columns that an interval can have in a table on a terminal: one row for each, with the figure
 * that it shows, its title, width and priority when there is little room.  A new column is one row.
 * Events and counters of the server that have no row, and percentiles that the user listed, become
 * columns under their own names.
 *
 * A figure is found by its name among those of fields.h, so that a table, a csv file and a scraper
 * cannot disagree.
 */
#include "report/text_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/fields.h"

enum {
    PER_SECOND = 1 << 0,  /* the figure is a count of the interval */
    OF_STARTS = 1 << 1,   /* the thresholds are % of the transactions */
    IF_ANY = 1 << 2,      /* no column while it is missing: another kind of test */
    TO_PREVIOUS = 1 << 3, /* added to the row before */
};

#define MIB     (1.0 / 1048576)
#define KIB     (1.0 / 1024)
#define NEVER   HUGE_VAL
#define NO_TINT NEVER, NEVER
#define LOAD    FIELD_LOAD, ""
#define LATENCY FIELD_LATENCY, "latency, ms"
#define SERVER  FIELD_SERVER, "server"
#define EVENTS  FIELD_EVENTS, "server events"
#define STATUS  FIELD_STATUS, "server status"
#define HOST    FIELD_HOST, "host"

/* From left to right.  The machine's columns have vmstat's names, and begin with vmstat's, in its
 * order.  Sections from FIELD_HOST on were requested. */
static const struct row {
    enum field_section section;
    const char *group, *field, *name; /* NULL: what hooks call it */
    double scale;
    int width, decimals, priority;
    unsigned flags;
    double warn, bad; /* coloured when the value is above */
} rows[] = {
    {LOAD, "transactions_per_s", "tps", 1, 8, 2, 0, 0, NO_TINT},
    {LATENCY, "p50_s", "p50", 1e3, 7, 3, 1, 0, NO_TINT},
    {LATENCY, "p95_s", "p95", 1e3, 7, 3, 2, 0, NO_TINT},
    {LATENCY, "p99_s", "p99", 1e3, 7, 3, 3, 0, NO_TINT},
    {FIELD_RATE, "", "late", "late", 1, 6, 0, 5, OF_STARTS, 1, 10},
    {LOAD, "errors", "err/s", 1, 6, 2, 6, PER_SECOND, 0, NEVER},
    {FIELD_RATE, "", "unfinished", "unfin", 1, 6, 0, TEXT_ASKED + 1, 0, NO_TINT},
    {FIELD_RATE, "", "failed", "fail", 1, 6, 0, TEXT_EXTRA + 2, 0, NEVER, 0},
    {FIELD_RATE, "", "dropped", "drop", 1, 6, 0, TEXT_EXTRA + 3, 0, NEVER, 0},
    {FIELD_RATE, "p99 ms", "service_p99_s", "svc", 1e3, 7, 3, TEXT_EXTRA + 5, 0, NO_TINT},
    {FIELD_RATE, "p99 ms", "lag_p99_s", "lag", 1e3, 7, 3, TEXT_EXTRA + 4, 0, NO_TINT},
    {LOAD, "queries_per_s", "qps", 1, 9, 1, TEXT_EXTRA + 8, 0, NO_TINT},
    {LOAD, "reads", "r/s", 1, 9, 1, TEXT_EXTRA + 9, PER_SECOND, NO_TINT},
    {LOAD, "writes", "w/s", 1, 9, 1, TEXT_EXTRA + 10, PER_SECOND, NO_TINT},
    {LOAD, "other", "o/s", 1, 9, 1, TEXT_EXTRA + 11, PER_SECOND, NO_TINT},
    {LOAD, "read_bytes", "readM/s", MIB, 8, 2, 4, PER_SECOND | IF_ANY, NO_TINT},
    {LOAD, "written_bytes", "writM/s", MIB, 8, 2, 4, PER_SECOND | IF_ANY, NO_TINT},
    {SERVER, "cpu_user_pct", "usr%", 1, 6, 1, 7, 0, NO_TINT},
    {SERVER, "cpu_system_pct", "sys%", 1, 6, 1, 8, 0, NO_TINT},
    {SERVER, "switches_per_transaction", "cs/tx", 1, 6, 2, TEXT_EXTRA + 1, 0, NO_TINT},
    {SERVER, "threads", "thr", 1, 5, 0, TEXT_EXTRA + 6, 0, NO_TINT},
    {SERVER, "rss_bytes", "rssM", MIB, 6, 0, TEXT_EXTRA + 7, 0, NO_TINT},
    {FIELD_CLIENT, "client", "cpu_user_pct", "cpu%", 1, 7, 1, 9, 0, 50, 90},
    {FIELD_CLIENT, "client", "cpu_system_pct", "cpu%", 1, 7, 1, 9, TO_PREVIOUS, 50, 90},
    {EVENTS, "ipc", "ipc", 1, 6, 2, 0, 0, NO_TINT},
    {EVENTS, "branch_miss_pct", "brmis%", 1, 7, 2, 8, 0, NO_TINT},
    {EVENTS, "icache_misses_per_instruction", "icache/ins", 1, 11, 5, 6, 0, NO_TINT},
    {EVENTS, "itlb_misses_per_instruction", "itlb/ins", 1, 10, 6, 7, 0, NO_TINT},
    {EVENTS, "transactions_per_billion_cycles", "tx/Gcyc", 1, 9, 1, 9, 0, NO_TINT},
    {EVENTS, "context-switches_per_transaction", "csw/tx", 1, 7, 2, 1, 0, NO_TINT},
    {EVENTS, "syscalls_per_transaction", "sysc/tx", 1, 8, 2, 2, 0, NO_TINT},
    {EVENTS, "page-faults_per_transaction", "flt/tx", 1, 7, 2, 3, 0, NO_TINT},
    {EVENTS, "cpu-migrations_per_transaction", "migr/tx", 1, 8, 3, 4, 0, NO_TINT},
    {EVENTS, "instructions:u_per_transaction", "ins:u/tx", 1, 9, 1, 20, 0, NO_TINT},
    {EVENTS, "cycles:u_per_transaction", "cyc:u/tx", 1, 9, 1, 21, 0, NO_TINT},
    {EVENTS, "branches:u_per_transaction", "br:u/tx", 1, 9, 1, 22, 0, NO_TINT},
    {EVENTS, "branch-misses:u_per_transaction", "brmis:u/tx", 1, 11, 1, 23, 0, NO_TINT},
    {EVENTS, "L1-icache-load-misses:u_per_transaction", "icache:u/tx", 1, 12, 1, 24, 0, NO_TINT},
    {EVENTS, "iTLB-load-misses:u_per_transaction", "itlb:u/tx", 1, 10, 1, 25, 0, NO_TINT},
    {HOST, "threads_runnable", "r", 1, 5, 0, 3, 0, NO_TINT},
    {HOST, "threads_blocked", "b", 1, 4, 0, 12, 0, NO_TINT},
    {FIELD_HOST, "memory, MiB", "swap_used_bytes", NULL, MIB, 6, 0, 25, 0, NO_TINT},
    {FIELD_HOST, "memory, MiB", "memory_free_bytes", "free", MIB, 7, 0, 16, 0, NO_TINT},
    {FIELD_HOST, "memory, MiB", "memory_buffers_bytes", "buff", MIB, 6, 0, 26, 0, NO_TINT},
    {FIELD_HOST, "memory, MiB", "memory_cache_bytes", "cache", MIB, 7, 0, 17, 0, NO_TINT},
    {FIELD_HOST, "paging, KiB/s", "swapped_in_bytes_per_s", "si", KIB, 5, 0, 27, 0, 0, NEVER},
    {FIELD_HOST, "paging, KiB/s", "swapped_out_bytes_per_s", "so", KIB, 5, 0, 28, 0, 0, NEVER},
    {FIELD_HOST, "paging, KiB/s", "blocks_in_bytes_per_s", "bi", KIB, 7, 0, 29, 0, NO_TINT},
    {FIELD_HOST, "paging, KiB/s", "blocks_out_bytes_per_s", "bo", KIB, 7, 0, 30, 0, NO_TINT},
    {HOST, "interrupts_per_s", "in/s", 1, 7, 0, 15, 0, NO_TINT},
    {HOST, "context_switches_per_s", "cs/s", 1, 7, 0, 9, 0, NO_TINT},
    {HOST, "cpu_user_pct", "us%", 1, 6, 1, 0, 0, NO_TINT},
    {HOST, "cpu_system_pct", "sy%", 1, 6, 1, 1, 0, NO_TINT},
    {HOST, "cpu_idle_pct", "id%", 1, 6, 1, 2, 0, NO_TINT},
    {HOST, "cpu_iowait_pct", "wa%", 1, 6, 1, 4, 0, 10, 30},
    {HOST, "cpu_stolen_pct", "st%", 1, 6, 1, 10, 0, 1, 5},
    {FIELD_HOST, "disk, MiB/s", "disk_read_bytes_per_s", "rd", MIB, 7, 2, 6, 0, NO_TINT},
    {FIELD_HOST, "disk, MiB/s", "disk_written_bytes_per_s", "wr", MIB, 7, 2, 5, 0, NO_TINT},
    {FIELD_HOST, "net, MiB/s", "network_received_bytes_per_s", "rx", MIB, 7, 2, 13, 0, NO_TINT},
    {FIELD_HOST, "net, MiB/s", "network_sent_bytes_per_s", "tx", MIB, 7, 2, 14, 0, NO_TINT},
    {FIELD_HOST, "psi %", "stalled_cpu_pct", "cpu", 1, 6, 1, 7, 0, 20, 60},
    {FIELD_HOST, "psi %", "stalled_io_pct", "io", 1, 6, 1, 8, 0, 20, 60},
    {FIELD_HOST, "psi %", "stalled_memory_pct", "mem", 1, 6, 1, 11, 0, 1, 10},
    {FIELD_HOST, "", "cpu_frequency_hz", "MHz", 1e-6, 6, 0, 18, 0, NO_TINT},
    {FIELD_HOST, "", "server_throttled_pct", "throt%", 1, 7, 1, 19, 0, 0, 10},
    {HOST, "interrupts_per_transaction", "in/tx", 1, 8, 2, 31, 0, NO_TINT},
    {HOST, "context_switches_per_transaction", "hcs/tx", 1, 8, 2, 32, 0, NO_TINT},
    {FIELD_HOST, "power, W", "power_cpu_w", "pkg", 1, 7, 1, 20, 0, NO_TINT},
    {FIELD_HOST, "power, W", "power_memory_w", "dram", 1, 7, 1, 21, 0, NO_TINT},
    {FIELD_HOST, "power, W", "power_battery_w", "bat", 1, 7, 1, 22, 0, NO_TINT},
    {FIELD_HOST, "power, W", "energy_cpu_j_per_transaction", "J/tx", 1, 8, 4, 23, 0, NO_TINT},
    {STATUS, "other_sessions", "others", 1, 7, 0, 13, 0, NO_TINT},
    {STATUS, "other_sessions_active", "othact", 1, 7, 1, 1, 0, 0, NEVER},
    {STATUS, "lock_waited_s", "lockwt/s", 1, 9, 2, 2, PER_SECOND, NO_TINT},
    {STATUS, "lock_waited_for_others_s", "lockoth/s", 1, 10, 2, 2, PER_SECOND, 0, NEVER},
    {STATUS, "Threads_running", "run", 1, 5, 0, 0, 0, NO_TINT},
    {STATUS, "Threads_connected", "conn", 1, 6, 0, 11, 0, NO_TINT},
    {STATUS, "Queries", "quer/s", 1, 8, 1, 4, PER_SECOND, NO_TINT},
    {STATUS, "Innodb_row_lock_waits", "lockw/s", 1, 8, 1, 3, PER_SECOND, NO_TINT},
    {STATUS, "Innodb_row_lock_time", "lockms/s", 1, 9, 1, 5, PER_SECOND, NO_TINT},
    {STATUS, "Innodb_buffer_pool_reads", "bpread/s", 1, 9, 1, 6, PER_SECOND, NO_TINT},
    {STATUS, "Innodb_buffer_pool_read_requests", "bpreq/s", 1, 9, 1, 18, PER_SECOND, NO_TINT},
    {STATUS, "Innodb_data_written", "datawrM/s", MIB, 10, 1, 12, PER_SECOND, NO_TINT},
    {STATUS, "Rows_read", "rowrd/s", 1, 8, 1, 7, PER_SECOND, NO_TINT},
    {STATUS, "Handler_write", "hwrite/s", 1, 9, 1, 8, PER_SECOND, NO_TINT},
    {STATUS, "Handler_update", "hupd/s", 1, 8, 1, 9, PER_SECOND, NO_TINT},
    {STATUS, "Handler_delete", "hdel/s", 1, 8, 1, 10, PER_SECOND, NO_TINT},
    {STATUS, "Innodb_rows_read", "rowrd/s", 1, 8, 1, 7, PER_SECOND, NO_TINT},
    {STATUS, "Innodb_rows_inserted", "rowins/s", 1, 9, 1, 8, PER_SECOND, NO_TINT},
    {STATUS, "Innodb_rows_updated", "rowupd/s", 1, 9, 1, 9, PER_SECOND, NO_TINT},
    {STATUS, "Innodb_rows_deleted", "rowdel/s", 1, 9, 1, 10, PER_SECOND, NO_TINT},
    {STATUS, "Bytes_received", "recvM/s", MIB, 8, 1, 19, PER_SECOND, NO_TINT},
    {STATUS, "Bytes_sent", "sentM/s", MIB, 8, 1, 20, PER_SECOND, NO_TINT},
    {STATUS, "active", "active", 1, 7, 0, 0, 0, NO_TINT},
    {STATUS, "numbackends", "conn", 1, 6, 0, 11, 0, NO_TINT},
    {STATUS, "xact_commit", "commit/s", 1, 9, 1, 3, PER_SECOND, NO_TINT},
    {STATUS, "xact_rollback", "rollb/s", 1, 8, 1, 5, PER_SECOND, NO_TINT},
    {STATUS, "deadlocks", "dead/s", 1, 7, 1, 6, PER_SECOND, NO_TINT},
    {STATUS, "conflicts", "confl/s", 1, 8, 1, 7, PER_SECOND, NO_TINT},
    {STATUS, "tup_returned", "tupret/s", 1, 9, 1, 8, PER_SECOND, NO_TINT},
    {STATUS, "tup_fetched", "tupfet/s", 1, 9, 1, 9, PER_SECOND, NO_TINT},
    {STATUS, "tup_inserted", "tupins/s", 1, 9, 1, 10, PER_SECOND, NO_TINT},
    {STATUS, "tup_updated", "tupupd/s", 1, 9, 1, 11, PER_SECOND, NO_TINT},
    {STATUS, "tup_deleted", "tupdel/s", 1, 9, 1, 11, PER_SECOND, NO_TINT},
    {STATUS, "temp_bytes", "tempM/s", MIB, 8, 1, 11, PER_SECOND, NO_TINT},
    {STATUS, "blks_read", "blkrd/s", 1, 8, 1, 12, PER_SECOND, NO_TINT},
    {STATUS, "blks_hit", "blkhit/s", 1, 9, 1, 18, PER_SECOND, NO_TINT},
};

#define ROWS     (sizeof rows / sizeof *rows)
#define UNLISTED 35 /* priority */

struct collector {
    const struct snapshot *s;
    struct text_cell *cells;
    size_t n;
    bool sql;
};

/* Percentiles are in ascending order, those that the user listed among the others. */
static double percentile_order(double p)
{
    const struct row *r = rows;

    while (r->section != FIELD_LATENCY)
        r++;
    return (double)(r - rows) + p / 100;
}

/* The cell of this order, which may be there; NULL: there is no room. */
static struct text_cell *cell_of(struct collector *c, double order)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->cells[i].order == order)
            return &c->cells[i];
    if (c->n == TEXT_COLUMNS_MAX)
        return NULL;
    c->cells[c->n] = (struct text_cell){.order = order};
    return &c->cells[c->n++];
}

/* The figure, of a count what it is in a second of the time between the readings that it came from;
 * NaN, and why, if there is none. */
static double value_of(const struct snapshot *s, struct text_cell *cell, const struct field *f,
                       bool per_second)
{
    double seconds =
        dur_sec(f->section == FIELD_STATUS ? s->probe->status.wall_ns : s->interval_ns);

    if (!f->missing)
        return per_second ? f->value.number / seconds : f->value.number;
    cell->missing = f->missing;
    cell->passing = field_passing(f->missing);
    return NAN;
}

/* "p99_s", "service_p99_s" */
static bool is_of_few(const struct snapshot *s, const struct field *f)
{
    const char *p = strstr(f->name, "_p");

    if (f->section == FIELD_LATENCY && *f->name == 'p')
        return text_few(atof(f->name + 1), s->latency.n);
    return f->section == FIELD_RATE && p &&
           text_few(atof(p + 2), *f->name == 's' ? s->rate.service.n : s->rate.lag.n);
}

static void show_row(struct collector *c, const struct row *r, const struct field *f,
                     struct text_cell *cell)
{
    const struct snapshot *s = c->s;

    snprintf(cell->name, sizeof cell->name, "%s",
             !r->name                                 ? f->row->lua
             : !c->sql && strcmp(r->name, "tps") == 0 ? "eps"
                                                      : r->name);
    cell->group = r->section == FIELD_LATENCY && s->has_rate ? "response, ms" : r->group;
    cell->width = r->width;
    cell->decimals = r->decimals;
    cell->priority = r->priority + (r->section >= FIELD_HOST ? TEXT_ASKED : 0);
    double v = value_of(s, cell, f, r->flags & PER_SECOND) * r->scale;
    if (f->missing)
        return;
    cell->lower = f->lower != NULL;
    cell->few = is_of_few(s, f);
    v = cell->v += v;
    if (r->flags & OF_STARTS)
        v = s->events ? 100 * v / (double)s->events : v > 0 ? 100 : 0;
    cell->colour = v > r->bad ? TEXT_BAD : v > r->warn ? TEXT_WARN : TEXT_PLAIN;
    if (!isfinite(cell->v)) { /* an interval without length */
        cell->missing = "the interval has no length";
        cell->passing = true;
    }
}

/* A figure of the server that has no row, under its own name. */
static void show_unlisted(struct collector *c, const struct field *f)
{
    static const char per[] = "_per_transaction";
    size_t len = strlen(f->name), tail = len > sizeof per - 1 ? len - (sizeof per - 1) : 0;
    bool event = f->section == FIELD_EVENTS, count = !event && !f->level;

    if (event && strcmp(f->name + tail, per) != 0) /* the sum, and for how long it was counted */
        return;
    struct text_cell *cell = cell_of(c, (double)(ROWS + c->n));
    if (!cell)
        return;
    snprintf(cell->name, sizeof cell->name, "%.*s%s", (int)(event ? tail : len), f->name,
             event   ? "/tx"
             : count ? "/s"
                     : "");
    cell->group = event ? "server events" : "server status";
    cell->decimals = 2;
    cell->width = (int)strlen(cell->name) + 1;
    cell->priority = TEXT_ASKED + UNLISTED;
    cell->v = value_of(c->s, cell, f, count);
}

static void visit(void *arg, const struct field *f)
{
    struct collector *c = arg;
    bool listed = false;

    if (field_section_missing(c->s, f->section) ||
        (f->section == FIELD_STATUS && !c->s->probe->statuses)) /* nobody asked for waits */
        return;
    for (const struct row *r = rows; r < rows + ROWS; r++) {
        if (r->section != f->section || strcmp(r->field, f->name) != 0)
            continue;
        listed = true;
        if (r->flags & IF_ANY && f->missing)
            continue;
        struct text_cell *cell = cell_of(
            c, r->section == FIELD_LATENCY ? percentile_order(atof(r->name + 1))
                                           : (double)(r - rows - (r->flags & TO_PREVIOUS ? 1 : 0)));
        if (cell)
            show_row(c, r, f, cell);
    }
    if (!listed && !f->row && (f->section == FIELD_EVENTS || f->section == FIELD_STATUS))
        show_unlisted(c, f);
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
    for (size_t i = 0; s->has_latency && i < s->percentiles; i++) { /* what the user listed */
        double p = s->percentile[i];
        struct text_cell *cell =
            p == 50 || p == 95 || p == 99 ? NULL : cell_of(&c, percentile_order(p));
        if (!cell)
            continue;
        snprintf(cell->name, sizeof cell->name, "p%.12g", p);
        cell->group = s->has_rate ? "response, ms" : "latency, ms";
        cell->decimals = 3;
        cell->width = strlen(cell->name) > 6 ? (int)strlen(cell->name) + 1 : 7;
        cell->priority = 10;
        cell->v = dur_ms(s->latency.pct[i]);
        cell->few = text_few(p, s->latency.n);
        if (s->latency.pct[i] < 0) {
            cell->missing = field_no_sample;
            cell->passing = field_passing(field_no_sample);
        }
    }
    qsort(cells, c.n, sizeof *cells, by_order);
    return c.n;
}
