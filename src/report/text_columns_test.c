/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The columns of the table on a terminal: the title, width, priority and figure of each, what a
 * narrow terminal gives up, what is coloured.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/text_table_test.h"

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
                               .mhz = 812.4,
                               .throttled_pct = 0.5,
                               .watts = {35, 5},
                               .battery_watts = 12.5};
}

/* The machine's columns: vmstat's names in vmstat's order, then the others. */
static void machine_columns(void)
{
    struct text_screen screen = {.width = 300};
    struct text_table *table = text_table_new(text_ask, &screen);
    struct probe_delta probe = {.how = "", .has_host = true, .host = machine()};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = 2 * NS_PER_SEC,
                         .events = 10,
                         .probe = &probe};
    struct str out = STR_INIT;

    text_table_interval(table, &out, &s, true);
    text_expect(
        &out,
        "                                                            host    ----- memory, MiB ------  --- paging, KiB/s ----  ------------------ host ------------------  disk, MiB/s   net, MiB/s    ---- psi % -----               ---- host ----  -------- power, W ---------\n"
        " time s     tps err/s      qps      r/s      w/s      o/s    r   b  swpd   free  buff  cache   si   so     bi     bo   in/s   cs/s   us%   sy%   id%   wa%   st%     rd     wr     rx     tx   cpu    io   mem   MHz throt%   in/tx  hcs/tx    pkg   dram    bat    J/tx\n"
        "      1    5.00  0.00      0.0      0.0      0.0      0.0    3   1     7    100     5    200 2046 1023   4092   8184  12345  54321  41.5  12.5  35.0  10.5   0.5   1.00   2.50   0.50   0.75  21.0  61.0   1.5   812    0.5 1234.50 5432.10   35.0    5.0   12.5  3.5000\n");
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
    struct text_table *table = text_table_new(text_ask, &screen);
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
    text_expect(
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
    struct text_table *table = text_table_new(text_ask, &screen);
    struct probe_delta probe = {.how = "", .statuses = 9, .status_name = status};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .events = 5,
                         .probe = &probe};
    struct str out = STR_INIT;

    probe.status = (struct status_delta){.wall_ns = 2 * NS_PER_SEC,
                                         .have = 0x1ff,
                                         .v = {10, 20, 30, 41, 50, 60, 70, 80, 90},
                                         .others.why = "no privilege",
                                         .waits.why = "no privilege"};
    text_table_interval(table, &out, &s, true);
    text_expect(
        &out,
        "n/a: server status others, othact, lockwt/s, lockoth/s (no privilege)\n"
        "                                                           ------------------------------ server status ------------------------------\n"
        " time s     tps err/s      qps      r/s      w/s      o/s  run  conn  quer/s lockw/s lockms/s bpread/s blkrd/s blkhit/s Some_counter/s\n"
        "      1    5.00  0.00      0.0      0.0      0.0      0.0   10    20    15.0    20.5     25.0     30.0    35.0     40.0          45.00\n");
    str_free(&out);
    text_table_free(table);
}

/* The columns that a narrower and narrower terminal gives up, one after the other.  Narrow ones
 * that were left out may come back in the place of a wide one, and go again. */
static void given_up(const struct probe_delta *probe, const char *want)
{
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .events = 5,
                         .probe = probe};
    struct text_screen screen = {.width = 360};
    struct str before = STR_INIT, lost = STR_INIT;
    char *save = NULL;

    for (; screen.width > 20; screen.width--) {
        struct text_table *table = text_table_new(text_ask, &screen);
        struct str out = STR_INIT, now = STR_INIT;
        text_table_interval(table, &out, &s, true);
        const char *names = strstr(out.s, " time s ");
        str_printf(&now, "%.*s ", (int)strcspn(names, "\n"), names);
        for (char *w = before.s ? strtok_r(before.s, " ", &save) : NULL; w;
             w = strtok_r(NULL, " ", &save)) {
            char word[40];
            snprintf(word, sizeof word, " %s ", w);
            if (!strstr(now.s, word))
                str_printf(&lost, "%s ", w);
        }
        str_free(&before);
        before = now;
        str_free(&out);
        text_table_free(table);
    }
    CHECK_STR(str_cstr(&lost), want);
    str_free(&before);
    str_free(&lost);
}

static void columns_given_up(void)
{
    static const struct status_name postgres[] = {
        {"active", true},         {"numbackends", true},  {"xact_commit", false},
        {"xact_rollback", false}, {"deadlocks", false},   {"conflicts", false},
        {"tup_returned", false},  {"tup_fetched", false}, {"tup_inserted", false},
        {"tup_updated", false},   {"tup_deleted", false}, {"temp_bytes", false},
        {"blks_read", false},     {"blks_hit", false}};
    struct probe_delta status = {.how = "", .statuses = 14, .status_name = postgres};
    struct probe_delta host = {.how = "", .has_host = true, .host = machine()};

    status.status = (struct status_delta){.wall_ns = NS_PER_SEC, .have = 0x3fff};
    given_up(
        &status,
        "o/s w/s r/s qps blkhit/s others blkrd/s others tempM/s others tupdel/s tempM/s others "
        "tupupd/s tempM/s others conn tupins/s conn tupfet/s conn tupret/s conn confl/s conn "
        "dead/s conn rollb/s dead/s conn commit/s rollb/s dead/s conn lockoth/s commit/s rollb/s "
        "dead/s conn lockwt/s rollb/s dead/s conn othact conn active conn ");
    given_up(&host,
             "o/s w/s r/s qps hcs/tx in/tx bo bi so si buff si swpd si J/tx swpd si bat swpd si "
             "dram swpd si pkg swpd si throt% swpd si MHz si cache MHz si free MHz si in/s MHz si "
             "tx MHz si rx MHz si b mem b st% b cs/s st% b io b cpu b rd cpu b wr cpu b wa% b r b "
             "id% r b sy% r b us% r b ");
}

/* What colours a figure: above the first limit, above the second. */
static void machine_colours(void)
{
    struct text_screen screen = {.width = 300, .colour = true};
    struct text_table *table = text_table_new(text_ask, &screen);
    struct probe_delta probe = {.how = "", .has_host = true, .host = machine()};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .probe = &probe};
    struct str out = STR_INIT;

    text_table_interval(table, &out, &s, true);
    str_reset(&out);
    text_table_interval(table, &out, &s, true);
    text_expect(
        &out,
        "      1    0.00  0.00      0.0      0.0      0.0      0.0    3   1     7    100     5    200 \033[33m2046\033[0m \033[33m1023\033[0m   4092   8184  12345  54321  41.5  12.5  35.0  \033[33m10.5\033[0m   0.5   1.00   2.50   0.50   0.75  \033[33m21.0\033[0m  \033[1;31m61.0\033[0m   \033[33m1.5\033[0m   812    \033[33m0.5\033[0m     n/a     n/a   35.0    5.0   12.5     n/a\n");
    str_free(&out);
    text_table_free(table);
}

static const struct text_cell *cell_named(const struct text_cell *cell, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(cell[i].name, name) == 0)
            return &cell[i];
    CHECK_STR("no such column", name);
    return cell;
}

/* Title, name, width, decimals, priority and figure of every column that has a row. */
static void every_cell(void)
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
                                             {.name = "iTLB-load-misses:u"},
                                             {.name = "page-faults:u"}};
    static const struct status_name status[][20] = {{{"Threads_running", true},
                                                     {"Threads_connected", true},
                                                     {"Queries", false},
                                                     {"Innodb_row_lock_waits", false},
                                                     {"Innodb_row_lock_time", false},
                                                     {"Innodb_buffer_pool_reads", false},
                                                     {"Innodb_buffer_pool_read_requests", false},
                                                     {"Innodb_data_written", false},
                                                     {"Rows_read", false},
                                                     {"Handler_write", false},
                                                     {"Handler_update", false},
                                                     {"Handler_delete", false},
                                                     {"Bytes_received", false},
                                                     {"Bytes_sent", false},
                                                     {"Some_gauge", true}},
                                                    {{"Innodb_rows_read", false},
                                                     {"Innodb_rows_inserted", false},
                                                     {"Innodb_rows_updated", false},
                                                     {"Innodb_rows_deleted", false},
                                                     {"active", true},
                                                     {"numbackends", true},
                                                     {"xact_commit", false},
                                                     {"xact_rollback", false},
                                                     {"deadlocks", false},
                                                     {"conflicts", false},
                                                     {"tup_returned", false},
                                                     {"tup_fetched", false},
                                                     {"tup_inserted", false},
                                                     {"tup_updated", false},
                                                     {"tup_deleted", false},
                                                     {"temp_bytes", false},
                                                     {"blks_read", false},
                                                     {"blks_hit", false},
                                                     {"Some_counter", false}}};
    static const size_t statuses[] = {15, 19};
    /* clang-format off */
    static const char *const want[] = {
        ": tps 8.2 @0 500 ",
        "response, ms: p50 7.3 @1 0.71 ",
        "response, ms: p75 7.3 @10 0.95 ",
        "response, ms: p95 7.3 @2 1.84 ",
        "response, ms: p99 7.3 @3 3.21 ",
        "response, ms: p99.9999 9.3 @10 -1e-06 no transaction ended in this period",
        ": late 6.0 @5 3 ",
        ": err/s 6.2 @6 1 ",
        ": unfin 6.0 @21 4 ",
        ": fail 6.0 @62 5 ",
        ": drop 6.0 @63 6 ",
        "p99 ms: svc 7.3 @65 3 ",
        "p99 ms: lag 7.3 @64 0.21 ",
        ": qps 9.1 @68 1875 ",
        ": r/s 9.1 @69 1500 ",
        ": w/s 9.1 @70 250 ",
        ": o/s 9.1 @71 125 ",
        ": readM/s 8.2 @4 1.5 ",
        ": writM/s 8.2 @4 3.5 ",
        "server: usr% 6.1 @7 20 ",
        "server: sys% 6.1 @8 10 ",
        "server: cs/tx 6.2 @61 2.5 ",
        "server: thr 5.0 @66 21 ",
        "server: rssM 6.0 @67 512 ",
        "client: cpu% 7.1 @9 5 ",
        "server events: ipc 6.2 @20 1.25 ",
        "server events: brmis% 7.2 @28 2.5 ",
        "server events: icache/ins 11.5 @26 0.01234 ",
        "server events: itlb/ins 10.6 @27 0.000123 ",
        "server events: tx/Gcyc 9.1 @29 200 ",
        "server events: csw/tx 7.2 @21 1 ",
        "server events: sysc/tx 8.2 @22 2 ",
        "server events: flt/tx 7.2 @23 3 ",
        "server events: migr/tx 8.3 @24 4 ",
        "server events: ins:u/tx 9.1 @40 5 ",
        "server events: cyc:u/tx 9.1 @41 6 ",
        "server events: br:u/tx 9.1 @42 7 ",
        "server events: brmis:u/tx 11.1 @43 8 ",
        "server events: icache:u/tx 12.1 @44 9 ",
        "server events: itlb:u/tx 10.1 @45 10 ",
        "host: r 5.0 @23 3 ",
        "host: b 4.0 @32 1 ",
        "memory, MiB: swpd 6.0 @45 7 ",
        "memory, MiB: free 7.0 @36 100 ",
        "memory, MiB: buff 6.0 @46 5 ",
        "memory, MiB: cache 7.0 @37 200 ",
        "paging, KiB/s: si 5.0 @47 2046 ",
        "paging, KiB/s: so 5.0 @48 1023 ",
        "paging, KiB/s: bi 7.0 @49 4092 ",
        "paging, KiB/s: bo 7.0 @50 8184 ",
        "host: in/s 7.0 @35 12345 ",
        "host: cs/s 7.0 @29 54321 ",
        "host: us% 6.1 @20 41.5 ",
        "host: sy% 6.1 @21 12.5 ",
        "host: id% 6.1 @22 35 ",
        "host: wa% 6.1 @24 10.5 ",
        "host: st% 6.1 @30 0.5 ",
        "disk, MiB/s: rd 7.2 @26 1 ",
        "disk, MiB/s: wr 7.2 @25 2.5 ",
        "net, MiB/s: rx 7.2 @33 0.5 ",
        "net, MiB/s: tx 7.2 @34 0.75 ",
        "psi %: cpu 6.1 @27 21 ",
        "psi %: io 6.1 @28 61 ",
        "psi %: mem 6.1 @31 1.5 ",
        ": MHz 6.0 @38 812.4 ",
        ": throt% 7.1 @39 0.5 ",
        "host: in/tx 8.2 @51 12.345 ",
        "host: hcs/tx 8.2 @52 54.321 ",
        "power, W: pkg 7.1 @40 35 ",
        "power, W: dram 7.1 @41 5 ",
        "power, W: bat 7.1 @42 12.5 ",
        "power, W: J/tx 8.4 @43 0.035 ",
        "server status: others 7.0 @33 4 ",
        "server status: othact 7.1 @21 1.5 ",
        "server status: lockwt/s 9.2 @22 2 ",
        "server status: lockoth/s 10.2 @22 0.5 ",
        "server status: run 5.0 @20 4194304 ",
        "server status: conn 6.0 @31 8388608 ",
        "server status: quer/s 8.1 @24 3145728 ",
        "server status: lockw/s 8.1 @23 4194304 ",
        "server status: lockms/s 9.1 @25 5242880 ",
        "server status: bpread/s 9.1 @26 6291456 ",
        "server status: bpreq/s 9.1 @38 7340032 ",
        "server status: datawrM/s 10.1 @32 8 ",
        "server status: rowrd/s 8.1 @27 9437184 ",
        "server status: hwrite/s 9.1 @28 1.048576e+07 ",
        "server status: hupd/s 8.1 @29 1.153434e+07 ",
        "server status: hdel/s 8.1 @30 1.258291e+07 ",
        "server status: recvM/s 8.1 @39 13 ",
        "server status: sentM/s 8.1 @40 14 ",
        "server events: page-faults:u/tx 17.2 @55 11 ",
        "server status: Some_gauge 11.2 @55 6.291456e+07 ",
        ": eps 8.2 @0 500 ",
        "server status: others 7.0 @33 4 ",
        "server status: othact 7.1 @21 1.5 ",
        "server status: lockwt/s 9.2 @22 2 ",
        "server status: lockoth/s 10.2 @22 0.5 ",
        "server status: rowrd/s 8.1 @27 1048576 ",
        "server status: rowins/s 9.1 @28 2097152 ",
        "server status: rowupd/s 9.1 @29 3145728 ",
        "server status: rowdel/s 9.1 @30 4194304 ",
        "server status: active 7.0 @20 2.097152e+07 ",
        "server status: conn 6.0 @31 2.516582e+07 ",
        "server status: commit/s 9.1 @23 7340032 ",
        "server status: rollb/s 8.1 @25 8388608 ",
        "server status: dead/s 7.1 @26 9437184 ",
        "server status: confl/s 8.1 @27 1.048576e+07 ",
        "server status: tupret/s 9.1 @28 1.153434e+07 ",
        "server status: tupfet/s 9.1 @29 1.258291e+07 ",
        "server status: tupins/s 9.1 @30 1.363149e+07 ",
        "server status: tupupd/s 9.1 @31 1.468006e+07 ",
        "server status: tupdel/s 9.1 @31 1.572864e+07 ",
        "server status: tempM/s 8.1 @31 16 ",
        "server status: blkrd/s 8.1 @32 1.782579e+07 ",
        "server status: blkhit/s 9.1 @38 1.887437e+07 ",
        "server status: Some_counter/s 15.2 @55 1.992294e+07 ",
    };
    /* clang-format on */
    struct probe_delta probe = {.how = "",
                                .events = 11,
                                .event = event,
                                .derived =
                                    PERF_IPC | PERF_ICACHE | PERF_ITLB | PERF_BRANCH | PERF_WORK,
                                .has_host = true,
                                .host = machine()};
    struct snapshot s = second(1);
    size_t line = 0;

    s.interval_ns = 2 * NS_PER_SEC;
    s.rate.failed = 5, s.rate.dropped = 6;
    s.writes = 500, s.other = 250;
    s.count[CNT_BYTES_READ] = s.total[CNT_BYTES_READ] = 3 << 20;
    s.count[CNT_BYTES_WRITTEN] = 7 << 20;
    s.percentiles = 3;
    s.percentile[0] = 99, s.percentile[1] = 75, s.percentile[2] = 99.9999;
    s.latency.pct[0] = 1, s.latency.pct[1] = 950000, s.latency.pct[2] = -1;
    s.probe = &probe;
    probe.perf.d = (struct perf_derived){.ipc = 1.25,
                                         .cycles = 5e9,
                                         .icache_per_instruction = 0.01234,
                                         .itlb_per_instruction = 0.000123,
                                         .branch_miss_pct = 2.5};
    for (size_t i = 0; i < probe.events; i++)
        probe.perf.f[i] =
            (struct perf_figure){.have = true, .count = 1000.0 * (double)(i + 1), .ratio = 1};
    for (size_t k = 0; k < 2; k++) {
        struct text_cell cell[TEXT_COLUMNS_MAX];
        probe.statuses = statuses[k];
        probe.status_name = status[k];
        probe.status = (struct status_delta){
            .wall_ns = 4 * NS_PER_SEC,
            .have = 0xffffff,
            .others = {.connected = 4, .known = 2 * NS_PER_SEC, .active = 3 * NS_PER_SEC},
            .waits = {.known = 4 * NS_PER_SEC, .waited = 8 * NS_PER_SEC, .behind = 2 * NS_PER_SEC}};
        for (size_t i = 0; i < STATUS_MAX; i++)
            probe.status.v[i] = (double)((i + 1) << 22);
        size_t n = text_cells(&s, k == 0, cell);
        for (size_t i = 0; i < n; i++) {
            const struct text_cell *c = &cell[i];
            struct str text = STR_INIT;
            if (k == 1 && strcmp(c->group, "server status") != 0 && strcmp(c->name, "eps") != 0)
                continue;
            str_printf(&text, "%s: %s %d.%d @%d %.7g %s", c->group, c->name, c->width, c->decimals,
                       c->priority, c->v, c->missing ? c->missing : "");
            CHECK_STR(text.s, line < sizeof want / sizeof *want ? want[line] : "");
            str_free(&text);
            line++;
        }
    }
    CHECK_INT(line, sizeof want / sizeof *want);
}

/* A figure is coloured when it is above its limits, and not when it is equal. */
static void limits(void)
{
    struct probe_delta probe = {.how = "", .has_host = true, .host = machine()};
    struct snapshot s = second(1);
    const struct {
        const char *name;
        double *real; /* the figure, or ... */
        uint64_t *whole;
        int64_t *ns;
        double warn, bad, above; /* above: by so much */
    } t[] = {
        {"late", NULL, &s.rate.late, NULL, 10, 100, 1},
        {"err/s", NULL, &s.errors, NULL, 0, HUGE_VAL, 1},
        {"fail", NULL, &s.rate.failed, NULL, HUGE_VAL, 0, 1},
        {"drop", NULL, &s.rate.dropped, NULL, HUGE_VAL, 0, 1},
        {"cpu%", NULL, NULL, &s.self.d.user_ns, 1e9, 1.8e9, 1e6},
        {"si", &probe.host.si, NULL, NULL, 0, HUGE_VAL, 1},
        {"so", &probe.host.so, NULL, NULL, 0, HUGE_VAL, 1},
        {"wa%", &probe.host.wa, NULL, NULL, 10, 30, 0.01},
        {"st%", &probe.host.st, NULL, NULL, 1, 5, 0.01},
        {"cpu", &probe.host.stalled_pct[HOST_PSI_CPU], NULL, NULL, 20, 60, 0.01},
        {"io", &probe.host.stalled_pct[HOST_PSI_IO], NULL, NULL, 20, 60, 0.01},
        {"mem", &probe.host.stalled_pct[HOST_PSI_MEMORY], NULL, NULL, 1, 10, 0.01},
        {"throt%", &probe.host.throttled_pct, NULL, NULL, 0, 10, 0.01},
        {"us%", &probe.host.us, NULL, NULL, HUGE_VAL, HUGE_VAL, 0},
        {"r", &probe.host.running, NULL, NULL, HUGE_VAL, HUGE_VAL, 0},
    };

    s.probe = &probe;
    s.self.d.sys_ns = 0;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        double limit[] = {t[i].warn, t[i].bad};
        for (int k = 0; k < 4; k++) {
            double v = limit[k / 2] + (k % 2 ? t[i].above : 0);
            struct text_cell cell[TEXT_COLUMNS_MAX];
            if (!isfinite(v))
                v = 1e6;
            if (t[i].real)
                *t[i].real = v;
            else if (t[i].whole)
                *t[i].whole = (uint64_t)v;
            else
                *t[i].ns = (int64_t)v;
            size_t n = text_cells(&s, true, cell);
            CHECK_INT(cell_named(cell, n, t[i].name)->colour, v > t[i].bad    ? TEXT_BAD
                                                              : v > t[i].warn ? TEXT_WARN
                                                                              : TEXT_PLAIN);
        }
    }
}

TEST_MAIN(text_columns_test)
{
    machine_columns();
    event_columns();
    status_columns();
    every_cell();
    limits();
    machine_colours();
    columns_given_up();
    return test_done("text_columns");
}
