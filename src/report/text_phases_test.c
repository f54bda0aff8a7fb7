/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Phases side by side: the lines do not depend on the figures that could be read, missing ones are
 * n/a, two phases are compared.
 */
#include "report/text_phases.h"

#include <math.h>
#include <string.h>

#include "base/test.h"

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

    b.server.d.lower = SAMPLE_SWITCHES;
    text_phases(&out, &s);
    CHECK_STR(str_cstr(&out),
              "Between marks, in whole intervals without those in which a mark came:\n"
              "    1:                                   0.000 to 10.000 s\n"
              "    2:                                   11.000 to 15.000 s, after pool 64M;\n"
              "                                         twice\n"
              "                                                     1            2        2 / 1\n"
              "    transactions:                               100000        80000\n"
              "    transactions per second:                     10000        20000        2.000\n"
              "    latency p95, ms:                             2.500        2.500        1.000\n"
              "    server usr, % of the whole system:           0.750        1.500        2.000\n"
              "    server sys, % of the whole system:           0.250        0.500        2.000\n"
              "    server CPU per transaction, us:              2.000        2.000        1.000\n"
              "    server context switches/tx, at least:        2.000        1.000        0.500\n"
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
    text_phases(&out, &s);
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

    text_phases(&out, &(struct snapshot){0});
    CHECK_INT(out.len, 0);
    for (int i = 0; i < 7; i++)
        p[i] = (struct snapshot_phase){.s = &a, .marks = mark, .nmarks = i > 0};
    text_phases(&out, &s);
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
        text_phases(&out, &s);
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
    text_phases(&out, &s);
    CHECK(strstr(str_cstr(&out),
                 "    host cs, per second:                         30000\n"
                 "    host cs/tx:                                  3.000\n"
                 "    host in/tx:                                  0.500\n"
                 "    CPU energy per transaction, J:            0.002000\n") != NULL);
    str_reset(&out);
    probe.host.have = HOST_STAT;
    text_phases(&out, &s);
    CHECK(strstr(str_cstr(&out), "host in/tx") && !strstr(str_cstr(&out), "energy"));
    str_free(&out);
}

TEST_MAIN(text_phases_test)
{
    machine();
    sizes();
    two();
    missing();
    many();
    return test_done("text_phases");
}
