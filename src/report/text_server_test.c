/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The probe's figures as text: columns that stay in their places when a figure is missing, the
 * scaling ratio, and the warning of a load generator that was the limit.
 */
#include "report/text_server.h"

#include <math.h>

#include "base/test.h"

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

    text_interval_probe(&out, &s);
    CHECK_STR(
        str_cstr(&out),
        " | ipc 2.00 br-miss n/a tx/Gcyc 1620010.4 | instructions:u/tx 1235 cycles:u/tx 617.3 syscalls/tx n/a");
    str_reset(&out);
    text_probe(&out, &s, TEXT_FULL);
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
    text_probe(&out, &s, TEXT_BRIEF);
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
    text_probe(&out, &s, TEXT_BRIEF);
    CHECK(strncmp(str_cstr(&out), "System events: of the whole system, 2 CPUs\n", 43) == 0);
    str_reset(&out);
    s.events = 0; /* nothing to divide by */
    text_interval_probe(&out, &s);
    CHECK_STR(
        str_cstr(&out),
        " | ipc 2.00 br-miss n/a tx/Gcyc 0.0 | instructions:u/tx n/a cycles:u/tx n/a syscalls/tx n/a");
    str_reset(&out);
    s.probe = NULL;
    text_interval_probe(&out, &s);
    text_probe(&out, &s, TEXT_FULL);
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
    text_interval_probe(&out, &s);
    CHECK_STR(
        str_cstr(&out),
        " | host r 3 b 0 swpd 0 free 0 buff 0 cache 0 si 0 so 0 bi 0 bo 0 in 500 cs 2000 us 12.3 sy 0.0 "
        "id 0.0 wa 0.0 st 0.0 | disk rd n/a wr 4096 | net rx 0 tx 0 | psi cpu 1.50 io 0.00 mem "
        "0.00 | mhz n/a "
        "throttled 0.00 | W pkg 41.50 dram n/a bat n/a");
    str_reset(&out);
    text_probe(&out, &s, TEXT_FULL);
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
    text_probe(&out, &s, TEXT_BRIEF);
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
    text_probe(&out, &s, TEXT_BRIEF);
    CHECK(strstr(str_cstr(&out), "per transaction:                     in n/a cs n/a\n") != NULL);
    CHECK(strstr(str_cstr(&out), "power, W, energy per transaction, J") != NULL);
    str_free(&out);
}

/* 8 CPUs, one second. */
static const char *process(struct str *out, int64_t cpu_ns, int64_t wait_ns, bool server)
{
    struct snapshot s = {.ncpu = 8, .events = 1000, .server = {.on = server}};

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
    text_process_more(&(struct text_lines){.out = out, .detail = TEXT_FULL}, &s.self, &s);
    return str_cstr(out);
}

static void check_process(void)
{
    struct str out = STR_INIT;

    CHECK_STR(process(&out, NS_PER_SEC, NS_PER_SEC / 4, true),
              "    page faults:                         minor 7 major 1\n"
              "    storage, bytes:                      read 4096 written 0\n"
              "    waited for a CPU:                    0.250 s, 250.00 us per transaction, 20.0% "
              "of runnable time\n");
    CHECK(strstr(process(&out, NS_PER_SEC, 2 * NS_PER_SEC, true),
                 "include the load generator's own waiting") != NULL);
    CHECK(strstr(process(&out, 7500 * NS_PER_MS, 0, true), "    WARNING: it used them\n") != NULL);
    CHECK(strstr(process(&out, 7000 * NS_PER_MS, 0, true), "WARNING") == NULL);
    CHECK(strstr(process(&out, 8 * NS_PER_SEC, 0, false), "WARNING") == NULL);
    str_free(&out);
}

TEST_MAIN(text_server_test)
{
    check_events();
    check_host();
    check_process();
    return test_done("text_server");
}
