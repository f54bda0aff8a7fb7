/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The columns of the machine, of counted events and of the server's status: name, unit, decimals,
 * limits of the colours; and figures of every size in a column's width.
 */
#include "report/text_columns.h"

#include "base/test.h"
#include "report/text_table.h"

static struct text_screen ask(void *arg)
{
    return *(struct text_screen *)arg;
}

static void expect(struct str *out, const char *want)
{
    CHECK_STR(str_cstr(out), want);
    str_reset(out);
}

static struct host_delta machine(void)
{
    return (struct host_delta){.wall_ns = NS_PER_SEC,
                               .have = HOST_ALL,
                               .running = 3,
                               .blocked = 1,
                               .swpd = 7168,
                               .free = 102400,
                               .buff = 5120,
                               .cache = 204800,
                               .si = 2046,
                               .so = 1023,
                               .bi = 4092,
                               .bo = 8184,
                               .in = 12345,
                               .cs = 54321,
                               .us = 41.5,
                               .sy = 12.5,
                               .id = 35,
                               .wa = 10.5,
                               .st = 0.5,
                               .disk_read = 1048576,
                               .disk_written = 2621440,
                               .net_received = 524288,
                               .net_sent = 786432,
                               .stalled_pct = {21, 61, 1.5},
                               .mhz = 2500,
                               .throttled_pct = 0.5,
                               .watts = {35, 5},
                               .battery_watts = 12.5};
}

/* The machine's columns: vmstat's names in vmstat's order, then the others. */
static void machine_columns(void)
{
    struct text_screen screen = {.width = 300};
    struct text_table *table = text_table_new(ask, &screen);
    struct probe_delta probe = {.how = "", .has_host = true, .host = machine()};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .events = 5,
                         .probe = &probe};
    struct str out = STR_INIT;

    text_table_interval(table, &out, &s, true);
    expect(
        &out,
        "                                                            host    ----- memory, MiB ------  --- paging, KiB/s ----  ------------------ host ------------------  disk, MiB/s   net, MiB/s    ---- psi % -----               ---- host ----  -------- power, W ---------\n"
        " time s     tps err/s      qps      r/s      w/s      o/s    r   b  swpd   free  buff  cache   si   so     bi     bo   in/s   cs/s   us%   sy%   id%   wa%   st%     rd     wr     rx     tx   cpu    io   mem   MHz throt%   in/tx  hcs/tx    pkg   dram    bat    J/tx\n"
        "      1    5.00  0.00      0.0      0.0      0.0      0.0    3   1     7    100     5    200 2046 1023   4092   8184  12345  54321  41.5  12.5  35.0  10.5   0.5   1.00   2.50   0.50   0.75  21.0  61.0   1.5  2500    0.5 2469.00 10864.2   35.0    5.0   12.5  7.0000\n");
    str_free(&out);
    text_table_free(table);
}

/* Events per transaction have names of their own, and as many digits as one needs. */
static void event_columns(void)
{
    static const struct perf_spec event[] = {{.name = "context-switches"},
                                             {.name = "syscalls"},
                                             {.name = "page-faults"},
                                             {.name = "cpu-migrations"},
                                             {.name = "instructions:u"},
                                             {.name = "cycles:u"},
                                             {.name = "branches:u"},
                                             {.name = "branch-misses:u"},
                                             {.name = "L1-icache-load-misses:u"},
                                             {.name = "iTLB-load-misses:u"}};
    struct text_screen screen = {.width = 300};
    struct text_table *table = text_table_new(ask, &screen);
    struct probe_delta probe = {.how = "",
                                .events = 10,
                                .event = event,
                                .derived = PERF_IPC | PERF_ICACHE | PERF_ITLB | PERF_BRANCH};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .events = 1000,
                         .probe = &probe};
    struct str out = STR_INIT;

    probe.perf.d = (struct perf_derived){.ipc = 1.25,
                                         .icache_per_instruction = 0.01234,
                                         .itlb_per_instruction = 0.000123,
                                         .branch_miss_pct = 2.5};
    for (size_t i = 0; i < probe.events; i++)
        probe.perf.f[i] =
            (struct perf_figure){.have = true, .count = 1000.0 * (double)(i + 1), .ratio = 1};
    text_table_interval(table, &out, &s, true);
    expect(
        &out,
        "                                                           ----------------------------------------------------- server events ------------------------------------------------------\n"
        " time s     tps err/s      qps      r/s      w/s      o/s   ipc brmis% icache/ins  itlb/ins csw/tx sysc/tx flt/tx migr/tx ins:u/tx cyc:u/tx  br:u/tx brmis:u/tx icache:u/tx itlb:u/tx\n"
        "      1 1000.00  0.00      0.0      0.0      0.0      0.0  1.25   2.50    0.01234  0.000123   1.00    2.00   3.00   4.000      5.0      6.0      7.0        8.0         9.0      10.0\n");
    str_free(&out);
    text_table_free(table);
}

/* Counters of the server's status are per second, gauges as they are. */
static void status_columns(void)
{
    static const struct status_name status[] = {{"Threads_running", true},
                                                {"Threads_connected", true},
                                                {"Queries", false},
                                                {"Innodb_row_lock_waits", false},
                                                {"Innodb_row_lock_time", false},
                                                {"Innodb_buffer_pool_reads", false},
                                                {"blks_read", false},
                                                {"blks_hit", false},
                                                {"Some_counter", false}};
    struct text_screen screen = {.width = 300};
    struct text_table *table = text_table_new(ask, &screen);
    struct probe_delta probe = {.how = "", .statuses = 9, .status_name = status};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .events = 5,
                         .probe = &probe};
    struct str out = STR_INIT;

    probe.status = (struct status_delta){
        .wall_ns = 2 * NS_PER_SEC, .have = 0x1ff, .v = {10, 20, 30, 41, 50, 60, 70, 80, 90}};
    text_table_interval(table, &out, &s, true);
    expect(
        &out,
        "                                                           ------------------------------ server status ------------------------------\n"
        " time s     tps err/s      qps      r/s      w/s      o/s  run  conn  quer/s lockw/s lockms/s bpread/s blkrd/s blkhit/s Some_counter/s\n"
        "      1    5.00  0.00      0.0      0.0      0.0      0.0   10    20    15.0    20.5     25.0     30.0    35.0     40.0          45.00\n");
    str_free(&out);
    text_table_free(table);
}

/* What colours a figure: above the first limit, above the second. */
static void machine_colours(void)
{
    struct text_screen screen = {.width = 300, .colour = true};
    struct text_table *table = text_table_new(ask, &screen);
    struct probe_delta probe = {.how = "", .has_host = true, .host = machine()};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .probe = &probe};
    struct str out = STR_INIT;

    text_table_interval(table, &out, &s, true);
    str_reset(&out);
    text_table_interval(table, &out, &s, true);
    expect(
        &out,
        "      1    0.00  0.00      0.0      0.0      0.0      0.0    3   1     7    100     5    200 \033[33m2046\033[0m \033[33m1023\033[0m   4092   8184  12345  54321  41.5  12.5  35.0  \033[33m10.5\033[0m   0.5   1.00   2.50   0.50   0.75  \033[33m21.0\033[0m  \033[1;31m61.0\033[0m   \033[33m1.5\033[0m  2500    \033[33m0.5\033[0m     n/a     n/a   35.0    5.0   12.5     n/a\n");
    str_free(&out);
    text_table_free(table);
}

static void numbers(void)
{
    static const struct {
        double v;
        int room, decimals;
        const char *want;
    } t[] = {
        {0, 5, 2, "0.00"},       {1.2345, 5, 3, "1.234"},  {12.345, 5, 3, "12.35"},
        {123.45, 5, 3, "123.5"}, {99999, 5, 2, "99999"},   {99999.6, 5, 2, "100k"},
        {123456, 5, 0, "123k"},  {1234567, 5, 0, "1.23M"}, {123456, 4, 0, "123k"},
        {1e12, 5, 1, "1.00T"},   {1e15, 5, 0, "1.00P"},    {9.9e17, 5, 0, "990P"},
        {123456, 3, 0, "###"},   {1400, 2, 0, "1k"},       {999.4e3, 4, 0, "999k"},
        {1e30, 5, 0, "#####"},   {999999, 4, 0, "1.0M"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char buf[32];
        CHECK_STR(text_fit(buf, t[i].v, t[i].room, t[i].decimals), t[i].want);
    }
}

TEST_MAIN(text_columns_test)
{
    machine_columns();
    event_columns();
    status_columns();
    machine_colours();
    numbers();
    return test_done("text_columns");
}
