/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The columns of the table on a terminal: the title, width, priority and figure of each, what a
 * narrow terminal gives up, what is coloured.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_golden.h"
#include "report/test_fixture.h"
#include "report/text_table.h"

static const char *const event[] = {
    "context-switches",        "syscalls",           "page-faults",  "cpu-migrations",
    "instructions:u",          "cycles:u",           "branches:u",   "branch-misses:u",
    "L1-icache-load-misses:u", "iTLB-load-misses:u", "page-faults:u"};
/* A level begins with "=". */
static const char *const statuses[][20] = {
    {"=Threads_running", "=Threads_connected", "Queries", "Innodb_row_lock_waits",
     "Innodb_row_lock_time", "Innodb_buffer_pool_reads", "Innodb_buffer_pool_read_requests",
     "Innodb_data_written", "Rows_read", "Handler_write", "Handler_update", "Handler_delete",
     "Bytes_received", "Bytes_sent", "=Some_gauge"},
    {"Innodb_rows_read", "Innodb_rows_inserted", "Innodb_rows_updated", "Innodb_rows_deleted",
     "=active", "=numbackends", "xact_commit", "xact_rollback", "deadlocks", "conflicts",
     "tup_returned", "tup_fetched", "tup_inserted", "tup_updated", "tup_deleted", "temp_bytes",
     "blks_read", "blks_hit", "Some_counter"}};
enum { MYSQL, POSTGRESQL };

/* An interval with a figure for every column that has a row. */
static struct fixture *every(int server)
{
    static struct perf_spec spec[COUNT(event)];
    static struct status_name status[COUNT(*statuses)];
    struct fixture *f = fixture(SNAPSHOT_INTERVAL, 1);
    struct probe_delta *p = &f->probe;

    f->s.percentiles = 3;
    f->s.percentile[0] = 99, f->s.percentile[1] = 75, f->s.percentile[2] = 99.9999;
    f->s.latency.pct[0] = 1, f->s.latency.pct[1] = 950000, f->s.latency.pct[2] = -1;
    p->events = COUNT(event);
    p->event = spec;
    for (size_t i = 0; i < p->events; i++) {
        snprintf(spec[i].name, sizeof spec[i].name, "%s", event[i]);
        p->perf.f[i] =
            (struct perf_figure){.have = true, .count = 1000.0 * (double)(i + 1), .ratio = 1};
    }
    for (p->statuses = 0; statuses[server][p->statuses]; p->statuses++) {
        const char *name = statuses[server][p->statuses];
        status[p->statuses] = (struct status_name){name + (*name == '='), *name == '='};
    }
    p->status_name = status;
    p->status.have = 0xffffff;
    p->status.wall_ns = 4 * NS_PER_SEC;
    for (size_t i = 0; i < STATUS_MAX; i++)
        p->status.v[i] = (double)((i + 1) << 22);
    return f;
}

static void every_cell(void)
{
    struct str out = STR_INIT;

    for (int server = MYSQL; server <= POSTGRESQL; server++) {
        struct text_cell cell[TEXT_COLUMNS_MAX];
        size_t n = text_cells(&every(server)->s, server == MYSQL, cell);
        for (size_t i = 0; i < n; i++)
            str_printf(&out, "%s: %s %d.%d @%d %.7g%s%s%s\n", cell[i].group, cell[i].name,
                       cell[i].width, cell[i].decimals, cell[i].priority, cell[i].v,
                       cell[i].few ? " few" : "", cell[i].missing ? " n/a: " : "",
                       cell[i].missing ? cell[i].missing : "");
        golden(&out, "cells, %s", server == MYSQL ? "MySQL" : "PostgreSQL");
    }
    str_free(&out);
}

static struct text_screen ask(void *arg)
{
    return *(struct text_screen *)arg;
}

/* The columns that a narrower and narrower terminal gives up, those of every 20 characters in a
 * line.  Narrow ones that were left out may come back in the place of a wide one, and go again. */
static void given_up(void)
{
    struct fixture *f = every(MYSQL);
    struct text_screen screen = {.width = 700};
    struct str before = STR_INIT, lost = STR_INIT;
    char *save = NULL;

    f->s.nranks = 0;
    for (; screen.width > 20; screen.width -= 20) {
        struct text_table *table = text_table_new(ask, &screen);
        struct str out = STR_INIT, now = STR_INIT;
        text_table_interval(table, &out, &f->s, true);
        const char *names = strstr(out.s, " time s ");
        str_printf(&now, "%.*s ", (int)strcspn(names, "\n"), names);
        str_printf(&lost, "%zu:", screen.width);
        for (char *w = before.s ? strtok_r(before.s, " ", &save) : NULL; w;
             w = strtok_r(NULL, " ", &save)) {
            char word[40];
            snprintf(word, sizeof word, " %s ", w);
            if (!strstr(now.s, word))
                str_printf(&lost, " %s", w);
        }
        str_adds(&lost, "\n");
        str_free(&before);
        before = now;
        str_free(&out);
        text_table_free(table);
    }
    golden(&lost, "given up");
    str_free(&before);
    str_free(&lost);
}

/* A figure is coloured when it is above its limits, and not when it is equal. */
static void limits(void)
{
    struct fixture *f = every(MYSQL);
    struct snapshot *s = &f->s;
    struct host_delta *h = &f->probe.host;
    const struct {
        const char *name;
        double *real; /* the figure, or ... */
        uint64_t *whole;
        int64_t *ns;
        double warn, bad, above; /* above: by so much */
    } t[] = {
        {"late", NULL, &s->rate.late, NULL, 5, 50, 1},
        {"err/s", NULL, &s->errors, NULL, 0, HUGE_VAL, 1},
        {"fail", NULL, &s->rate.failed, NULL, HUGE_VAL, 0, 1},
        {"drop", NULL, &s->rate.dropped, NULL, HUGE_VAL, 0, 1},
        {"cpu%", NULL, NULL, &s->self.d.user_ns, 1e9, 1.8e9, 1e6},
        {"si", &h->si, NULL, NULL, 0, HUGE_VAL, 1},
        {"so", &h->so, NULL, NULL, 0, HUGE_VAL, 1},
        {"wa%", &h->wa, NULL, NULL, 10, 30, 0.01},
        {"st%", &h->st, NULL, NULL, 1, 5, 0.01},
        {"cpu", &h->stalled_pct[HOST_PSI_CPU], NULL, NULL, 20, 60, 0.01},
        {"io", &h->stalled_pct[HOST_PSI_IO], NULL, NULL, 20, 60, 0.01},
        {"mem", &h->stalled_pct[HOST_PSI_MEMORY], NULL, NULL, 1, 10, 0.01},
        {"throt%", &h->throttled_pct, NULL, NULL, 0, 10, 0.01},
        {"us%", &h->us, NULL, NULL, HUGE_VAL, HUGE_VAL, 0},
        {"r", &h->running, NULL, NULL, HUGE_VAL, HUGE_VAL, 0},
    };

    s->self.d.sys_ns = 0;
    for (size_t i = 0; i < COUNT(t); i++) {
        double limit[] = {t[i].warn, t[i].bad};
        for (int k = 0; k < 4; k++) {
            double v = limit[k / 2] + (k % 2 ? t[i].above : 0);
            struct text_cell cell[TEXT_COLUMNS_MAX], *c = cell;
            if (!isfinite(v))
                v = 1e6;
            if (t[i].real)
                *t[i].real = v;
            else if (t[i].whole)
                *t[i].whole = (uint64_t)v;
            else
                *t[i].ns = (int64_t)v;
            size_t n = text_cells(s, true, cell);
            while (c < cell + n - 1 && strcmp(c->name, t[i].name) != 0)
                c++;
            CHECK_STR(c->name, t[i].name);
            CHECK_INT(c->colour, v > t[i].bad ? TEXT_BAD : v > t[i].warn ? TEXT_WARN : TEXT_PLAIN);
        }
    }
}

TEST_MAIN(text_columns_test)
{
    every_cell();
    given_up();
    limits();
    golden_done("text_columns");
    return test_done("text_columns");
}
