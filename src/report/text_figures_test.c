/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Server, load generator, counters, system calls and machine as text: columns that stay in their
 * places when a figure is missing, what a block says of missing ones, warnings; phases side by
 * side.
 */
#include "report/text_blocks.h"

#include <math.h>
#include <string.h>

#include "base/test.h"

/* --- server --- */

static struct perf_spec spec[3] = {
    {.name = "instructions:u"}, {.name = "cycles:u"}, {.name = "syscalls"}};

static struct probe_delta events(void)
{
    struct probe_delta p = {.events = 3,
                            .event = spec,
                            .derived = PERF_IPC | PERF_BRANCH | PERF_WORK,
                            .how = "by thread, 5 threads"};

    p.events_cost_ns = 12345;
    p.perf.f[0] = (struct perf_figure){.have = true, .count = 123456, .ratio = 0.4};
    p.perf.f[1] = (struct perf_figure){.have = true, .count = 61728, .ratio = 1};
    p.perf.f[2].why = "tracepoints need root";
    p.perf.d = (struct perf_derived){.ipc = 2,
                                     .icache_per_instruction = NAN,
                                     .itlb_per_instruction = NAN,
                                     .branch_miss_pct = NAN,
                                     .cycles = 61728};
    return p;
}

static void check_events(void)
{
    struct probe_delta p = events();
    struct snapshot s = {.events = 100, .probe = &p};
    struct str out = STR_INIT;

    text_interval_additions(&out, &s, 0, NULL);
    CHECK_STR(
        str_cstr(&out),
        " | ipc 2.00 br-miss n/a tx/Gcyc 1620010.4 | instructions:u/tx 1235 cycles:u/tx 617.3 syscalls/tx n/a");
    str_reset(&out);
    text_processes(&out, &s, TEXT_FULL);
    CHECK_STR(str_cstr(&out),
              "Server events: by thread, 5 threads\n"
              "    instructions:u:                      123456 (1235 per transaction), counted "
              "40.0% of the time and scaled\n"
              "    cycles:u:                            61728 (617.3 per transaction)\n"
              "    syscalls:                            n/a (tracepoints need root)\n"
              "    instructions per cycle:              2.00\n"
              "    branch misses:                       n/a (tracepoints need root)\n"
              "    transactions per billion cycles:     1620010.4\n"
              "    overhead per reading:                0.012 ms\n\n");
    str_reset(&out);
    text_processes(&out, &s, TEXT_BRIEF);
    CHECK_STR(str_cstr(&out),
              "Server events: by thread, 5 threads\n"
              "    instructions:u:                      123456 (1235 per transaction), counted\n"
              "                                         40.0% of the time and scaled\n"
              "    cycles:u:                            61728 (617.3 per transaction)\n"
              "    instructions per cycle:              2.00\n"
              "    transactions per billion cycles:     1620010.4\n"
              "    overhead per reading:                0.012 ms\n"
              "    n/a:                                 syscalls, branch misses (tracepoints\n"
              "                                         need root)\n\n");
    str_reset(&out);
    p.system = true;
    p.how = "of the whole system, 2 CPUs";
    text_processes(&out, &s, TEXT_BRIEF);
    CHECK(strncmp(str_cstr(&out), "System events: of the whole system, 2 CPUs\n", 43) == 0);
    str_reset(&out);
    s.events = 0; /* nothing to divide by */
    text_interval_additions(&out, &s, 0, NULL);
    CHECK_STR(
        str_cstr(&out),
        " | ipc 2.00 br-miss n/a tx/Gcyc 0.0 | instructions:u/tx n/a cycles:u/tx n/a syscalls/tx n/a");
    str_reset(&out);
    s.probe = NULL;
    text_interval_additions(&out, &s, 0, NULL);
    text_processes(&out, &s, TEXT_FULL);
    CHECK_STR(str_cstr(&out), "");
    str_free(&out);
}

static void check_host(void)
{
    struct probe_delta p = {.how = "", .has_host = true, .governor = "performance"};
    struct snapshot s = {.probe = &p, .ncpu = 8, .events = 100};
    struct str out = STR_INIT;

    p.host = (struct host_delta){.wall_ns = NS_PER_SEC,
                                 .have = HOST_ALL & ~HOST_FREQUENCY,
                                 .running = 3,
                                 .running_mean = 2.5,
                                 .free_mean = 4096,
                                 .in = 500,
                                 .cs = 2000,
                                 .watts = {41.5, NAN},
                                 .battery_watts = NAN,
                                 .us = 12.34,
                                 .disk_read = NAN,
                                 .disk_written = 4096,
                                 .stalled_pct = {1.5, 0, 0}};
    text_interval_additions(&out, &s, 0, NULL);
    CHECK_STR(
        str_cstr(&out),
        " | host r 3 b 0 swpd 0 free 0 buff 0 cache 0 si 0 so 0 bi 0 bo 0 in 500 cs 2000 us 12.3 sy 0.0 "
        "id 0.0 wa 0.0 st 0.0 | disk rd n/a wr 4096 | net rx 0 tx 0 | psi cpu 1.50 io 0.00 mem "
        "0.00 | mhz n/a "
        "throttled 0.00 | W pkg 41.50 dram n/a bat n/a");
    str_reset(&out);
    text_processes(&out, &s, TEXT_FULL);
    CHECK(strncmp(str_cstr(&out), "Host: 8 CPUs, governor performance\n", 35) == 0);
    CHECK(strstr(str_cstr(&out), "CPU frequency at the end:            n/a (no cpufreq") != NULL);
    CHECK(strstr(str_cstr(&out), "threads, mean:                       r 2.50 b 0.00\n") != NULL);
    CHECK(strstr(str_cstr(&out), "memory, KiB, mean:                   swpd 0 free 4096 buff 0") !=
          NULL);
    CHECK(strstr(str_cstr(&out), "per transaction:                     in 5.000 cs 20.000\n") !=
          NULL);
    CHECK(strstr(str_cstr(&out),
                 "power, W:                            pkg 41.50 dram n/a bat n/a\n") != NULL);
    CHECK(strstr(str_cstr(&out),
                 "energy per transaction, J:           pkg 0.415000 dram n/a bat n/a\n") != NULL);
    str_reset(&out);
    p.governor = "n/a";
    p.host.free = p.host.cache = 123456789;
    text_processes(&out, &s, TEXT_BRIEF);
    CHECK(strncmp(str_cstr(&out), "Host: 8 CPUs\n", 13) == 0);
    CHECK(strstr(str_cstr(&out),
                 "    memory at the end, KiB:              swpd 0 free 123456789 buff 0\n"
                 "                                         cache 123456789\n") != NULL);
    CHECK(strstr(str_cstr(&out),
                 "    n/a:                                 CPU frequency at the end (no cpufreq") !=
          NULL);
    str_reset(&out);
    s.events = 0; /* nothing to divide by */
    p.host.have &= ~HOST_POWER;
    text_processes(&out, &s, TEXT_BRIEF);
    CHECK(strstr(str_cstr(&out), "per transaction:                     in n/a cs n/a\n") != NULL);
    CHECK(strstr(str_cstr(&out), "power, W, energy per transaction, J") != NULL);
    str_free(&out);
}

/* 8 CPUs, one second. */
static const char *process(struct str *out, int64_t cpu_ns, int64_t wait_ns, bool server)
{
    struct snapshot s = {.ncpu = 8,
                         .events = 1000,
                         .server = {.on = server, .describe = "db"},
                         .self = {.on = true, .describe = "us"}};

    if (cpu_ns > 7 * NS_PER_SEC)
        s.self_limit = "it used them";

    s.self.d = (struct sample_delta){.wall_ns = NS_PER_SEC,
                                     .have = SAMPLE_ALL,
                                     .cpu_ns = cpu_ns,
                                     .runq_wait_ns = wait_ns,
                                     .minor_faults = 7,
                                     .major_faults = 1,
                                     .read_bytes = 4096,
                                     .write_bytes = 0};
    str_reset(out);
    text_processes(out, &s, TEXT_FULL);
    return strstr(str_cstr(out), "Load generator: ");
}

static void check_process(void)
{
    struct str out = STR_INIT;

    CHECK_STR(process(&out, NS_PER_SEC, NS_PER_SEC / 4, true),
              "Load generator: us\n"
              "    CPU, % of the whole system:          usr 0.00 sys 0.00 total 12.50\n"
              "    CPU, % of one CPU:                   usr 0.00 sys 0.00 total 100.00\n"
              "    CPU per transaction, us:             usr 0.00 sys 0.00 total 1000.00\n"
              "    context switches:                    voluntary 0 involuntary 0 (0.00 per "
              "transaction)\n"
              "    threads:                             0\n"
              "    RSS:                                 0.0 MiB\n"
              "    page faults:                         minor 7 major 1\n"
              "    storage, bytes:                      read 4096 written 0\n"
              "    waited for a CPU:                    0.250 s, 250.00 us per transaction, 20.0% "
              "of runnable time\n\n");
    CHECK(strstr(process(&out, NS_PER_SEC, 2 * NS_PER_SEC, true),
                 "include the load generator's own waiting") != NULL);
    CHECK(strstr(process(&out, 7500 * NS_PER_MS, 0, true), "    WARNING: it used them\n") != NULL);
    CHECK(strstr(process(&out, 7000 * NS_PER_MS, 0, true), "WARNING") == NULL);
    CHECK(strstr(process(&out, 8 * NS_PER_SEC, 0, false), "WARNING") == NULL);
    str_free(&out);
}

/* A server of 22 processes, of which one has ended. */
static void check_tree(void)
{
    struct snapshot s = {.ncpu = 8, .events = 100, .server = {.on = true, .describe = "db"}};
    struct str out = STR_INIT;

    s.server.d = (struct sample_delta){.wall_ns = NS_PER_SEC,
                                       .have = SAMPLE_SWITCHES | SAMPLE_THREADS,
                                       .lower = SAMPLE_SWITCHES,
                                       .vol_switches = 4198,
                                       .processes = 22,
                                       .threads = 22};
    text_processes(&out, &s, TEXT_BRIEF);
    CHECK(strstr(str_cstr(&out), "context switches:                    at least 4198 (41.98 per"));
    CHECK(strstr(str_cstr(&out), "threads:                             22 in 22 processes\n"));
    str_free(&out);
}

static void all_server(void)
{
    check_events();
    check_host();
    check_process();
    check_tree();
}

/* --- syscalls --- */

static struct probe_delta some(void)
{
    return (struct probe_delta){
        .has_syscalls = true,
        .syscalls = {.n = 2,
                     .kinds = 4,
                     .f = {{511, {2000, 2000, 3000000, 7}}, {510, {500, 0, 0, 0}}},
                     .all = {2600, 2100, 4000000, 9}}};
}

static void check(struct snapshot s, const char *want)
{
    struct str out = STR_INIT;

    text_processes(&out, &s, TEXT_BRIEF);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

static void all_syscalls(void)
{
    struct probe_delta p = some();

    check((struct snapshot){.events = 1000, .probe = &p},
          "System calls of the server: 2600 of 4 kinds\n"
          "         count     per tx     errors     mean us    total s  name\n"
          "          2000      2.000          7        1.50      0.003  syscall_511\n"
          "           500      0.500          0         n/a      0.000  syscall_510\n"
          "           100      0.100          2       10.00      0.001  (all others)\n\n");
    p.syscalls.kinds = 3;
    check((struct snapshot){.probe = &p},
          "System calls of the server: 2600 of 3 kinds\n"
          "         count     per tx     errors     mean us    total s  name\n"
          "          2000        n/a          7        1.50      0.003  syscall_511\n"
          "           500        n/a          0         n/a      0.000  syscall_510\n"
          "           100        n/a          2       10.00      0.001  (1 other)\n\n");
    p.syscalls = (struct syscalls_delta){.why = "it needs root"};
    check((struct snapshot){.probe = &p},
          "System calls of the server:\n"
          "    n/a:                                 system calls (it needs root)\n\n");
}

/* --- phases --- */

static const struct mark mark[] = {{.at = 1, .text = "pool 64M"}, {.at = 2, .text = "twice"}};

/* From `begin` to `end` s; each transaction took 2 us of the server's CPU and `cs` switches. */
static struct snapshot phase(int begin, int end, uint64_t events, uint64_t cs)
{
    struct snapshot s = {.kind = SNAPSHOT_PHASE,
                         .elapsed_ns = end * NS_PER_SEC,
                         .interval_ns = (end - begin) * NS_PER_SEC,
                         .events = events,
                         .ncpu = 2,
                         .percentiles = 1,
                         .percentile = {95},
                         .latency_pct_ms = {2.5}};

    s.server.on = true;
    s.server.d = (struct sample_delta){.wall_ns = s.interval_ns,
                                       .have = SAMPLE_CPU | SAMPLE_SWITCHES,
                                       .cpu_ns = (int64_t)events * 2000,
                                       .user_ns = (int64_t)events * 1500,
                                       .sys_ns = (int64_t)events * 500,
                                       .vol_switches = events * cs};
    return s;
}

static void two(void)
{
    struct snapshot a = phase(0, 10, 100000, 2), b = phase(11, 15, 80000, 1);
    struct snapshot_phase p[] = {{.s = &a}, {.s = &b, .marks = mark, .nmarks = 2}};
    struct snapshot s = {.phases = p, .nphases = 2};
    struct str out = STR_INIT;
    /* one that worked, one that did not, one that the end of the run stopped */
    struct report_action did[] = {
        {.state = ACTION_ENDED},
        {.state = ACTION_ENDED, .exit_status = 1},
        {.state = ACTION_ENDED, .exit_status = -1, .signal = 15, .stopped = true}};

    b.server.d.lower = SAMPLE_SWITCHES;
    text_phases(&out, &s, &(struct report_info){.action = did, .actions = 3});
    CHECK_STR(str_cstr(&out),
              "Between marks, in whole intervals without those in which a mark came:\n"
              "    1 command FAILED: what it was to change may be as it was before\n"
              "    1:                                   0.000 to 10.000 s\n"
              "    2:                                   11.000 to 15.000 s, after pool 64M;\n"
              "                                         twice\n"
              "                                                     1            2       change\n"
              "    transactions:                               100000        80000\n"
              "    transactions per second:                     10000        20000      +100.0%\n"
              "    latency p95, ms:                             2.500        2.500        +0.0%\n"
              "    server usr, % of the whole system:           0.750        1.500      +100.0%\n"
              "    server sys, % of the whole system:           0.250        0.500      +100.0%\n"
              "    server CPU per transaction, us:              2.000        2.000        +0.0%\n"
              "    server context switches/tx, at least:        2.000        1.000       -50.0%\n"
              "\n");
    str_free(&out);
}

/* With a rate and counters; the second phase had no transaction and no counter. */
static void missing(void)
{
    static const struct perf_spec event[] = {{.name = "cycles:u"}};
    struct probe_delta probe[2] = {
        {.events = 1, .event = event, .derived = PERF_IPC | PERF_BRANCH},
        {.events = 1, .event = event, .derived = PERF_IPC | PERF_BRANCH}};
    struct snapshot a = phase(0, 10, 1000, 2), b = phase(11, 12, 0, 0);
    struct snapshot_phase p[] = {{.s = &a}, {.s = &b, .marks = mark, .nmarks = 1}};
    struct snapshot s = {.phases = p, .nphases = 2};
    struct str out = STR_INIT;

    a.has_rate = b.has_rate = a.has_latency = b.has_latency = true;
    a.latency = (struct snapshot_series){
        .n = 1000, .p50 = 1000000, .p95 = 2000000, .p99 = 123456789, .pct = {2000000}};
    a.rate.service = a.rate.lag = a.latency;
    b.latency = (struct snapshot_series){.p50 = -1, .p95 = -1, .p99 = -1, .pct = {-1}};
    b.rate.service = b.rate.lag = b.latency;
    b.server.d.have = 0;
    probe[0].perf.f[0] = (struct perf_figure){.have = true, .count = 12000, .ratio = 1};
    probe[0].perf.d.ipc = 1.25;
    probe[1].perf.d.ipc = probe[0].perf.d.branch_miss_pct = probe[1].perf.d.branch_miss_pct = NAN;
    a.probe = &probe[0];
    b.probe = &probe[1];
    text_phases(&out, &s, &(struct report_info){0});
    CHECK(strstr(out.s, "branch") == NULL); /* no phase has it */
    CHECK(
        strstr(
            out.s,
            "    response p99, ms:                           123.46          n/a          n/a\n") !=
        NULL);
    CHECK(
        strstr(
            out.s,
            "    lag p99, ms:                                123.46          n/a          n/a\n") !=
        NULL);
    CHECK(strstr(out.s, "    transactions:                                 1000            0\n") !=
          NULL);
    CHECK(
        strstr(
            out.s,
            "    server CPU per transaction, us:              2.000          n/a          n/a\n") !=
        NULL);
    CHECK(
        strstr(
            out.s,
            "    instructions per cycle:                      1.250          n/a          n/a\n") !=
        NULL);
    CHECK(
        strstr(
            out.s,
            "    cycles:u/tx:                                12.000          n/a          n/a\n") !=
        NULL);
    CHECK(strstr(out.s, "latency") == NULL);
    str_free(&out);
}

static void many(void)
{
    struct snapshot a = phase(0, 1, 10, 1);
    struct snapshot_phase p[7];
    struct snapshot s = {.phases = p, .nphases = 7, .phases_lost = 3};
    struct str out = STR_INIT;

    text_phases(&out, &(struct snapshot){0}, &(struct report_info){0});
    CHECK_INT(out.len, 0);
    for (int i = 0; i < 7; i++)
        p[i] = (struct snapshot_phase){.s = &a, .marks = mark, .nmarks = i > 0};
    text_phases(&out, &s, &(struct report_info){0});
    CHECK(strstr(out.s, "            1            2            3\n") != NULL);
    CHECK(strstr(out.s, "            4            5            6\n") != NULL);
    CHECK(strstr(out.s, "            7\n") != NULL);
    CHECK(strstr(out.s, "    further phases, not kept:            3\n") != NULL);
    str_free(&out);
}

/* As many decimals as the size of a figure needs. */
static void sizes(void)
{
    static const struct {
        int64_t cpu_ns; /* of 1000 transactions */
        const char *want;
    } t[] = {{10000000000, "10000"}, {9999900000, "9999.9"}, {1000000000, "1000.0"},
             {999990000, "999.99"},  {100000000, "100.00"},  {99999000, "99.999"},
             {100000, "0.100"},      {99999, "0.099999"},    {0, "0.000"}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct snapshot a = phase(0, 10, 1000, 2);
        struct snapshot_phase p[] = {{.s = &a}};
        struct snapshot s = {.phases = p, .nphases = 1};
        struct str out = STR_INIT;
        char want[40];

        snprintf(want, sizeof want, " %12s\n", t[i].want);
        a.server.d.cpu_ns = t[i].cpu_ns;
        text_phases(&out, &s, &(struct report_info){0});
        CHECK(strstr(str_cstr(&out), "server CPU per transaction, us: ") != NULL);
        TEST_REPORT(strstr(str_cstr(&out), want) != NULL, "no%s in %s", want, str_cstr(&out));
        str_free(&out);
    }
}

/* The machine's: what a transaction had of it; without a counter of energy there is no line. */
static void machine(void)
{
    struct probe_delta probe = {.how = "", .has_host = true};
    struct snapshot a = phase(0, 10, 100000, 2);
    struct snapshot_phase p[] = {{.s = &a}};
    struct snapshot s = {.phases = p, .nphases = 1};
    struct str out = STR_INIT;

    probe.host = (struct host_delta){.wall_ns = 10 * NS_PER_SEC,
                                     .have = HOST_STAT | HOST_POWER,
                                     .in = 5000,
                                     .cs = 30000,
                                     .watts = {20, NAN}};
    a.probe = &probe;
    text_phases(&out, &s, &(struct report_info){0});
    CHECK(strstr(str_cstr(&out),
                 "    host cs, per second:                         30000\n"
                 "    host cs/tx:                                  3.000\n"
                 "    host in/tx:                                  0.500\n"
                 "    CPU energy per transaction, J:            0.002000\n") != NULL);
    str_reset(&out);
    probe.host.have = HOST_STAT;
    text_phases(&out, &s, &(struct report_info){0});
    CHECK(strstr(str_cstr(&out), "host in/tx") && !strstr(str_cstr(&out), "energy"));
    str_free(&out);
}

static void all_phases(void)
{
    machine();
    sizes();
    two();
    missing();
    many();
}

TEST_MAIN(text_figures_test)
{
    all_server();
    all_syscalls();
    all_phases();
    return test_done("text_figures");
}
