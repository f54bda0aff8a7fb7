/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The load hosts in the text report: columns, figures that do not exist, clocks, ranks that are
 * lost or differ, and nothing with one host.
 */
#include "report/text_ranks.h"

#include <math.h>

#include "base/test.h"

#define MS NS_PER_MS

static const struct snapshot_rank hosts[] = {
    {.rank = 0,
     .host = "load1",
     .why = "",
     .clients = 1024,
     .done = 72012,
     .per_s = 600.1,
     .response = {.n = 72012, .p99 = 1234000},
     .starts_late = 12,
     .cpu_pct = 34.56},
    {.rank = 1,
     .host = "load2.example.com",
     .why = "",
     .clients = 1024,
     .done = 72000,
     .per_s = 600,
     .response = {.n = 72000, .p99 = 3 * MS},
     .cpu_pct = NAN,
     .has_clock = true,
     .clock_offset = 123400,
     .clock_uncertainty = 5000,
     .clock_drift_ppm = -1.25,
     .throttled = 300 * MS,
     .throttled_periods = 3,
     .waited_pct = 52.4,
     .workers_busy = 1,
     .workers = 2,
     .worker_pct = 99.4,
     .apart = "latency p99 3.000 ms, the other rank's 1.234 ms"},
    {.rank = 2,
     .host = "load3",
     .clients = 1024,
     .lost = true,
     .lost_after = 12345 * MS,
     .why = "the connection was closed",
     .given_up = 3604,
     .per_s = NAN,
     .response = {.n = 0, .p99 = -1},
     .cpu_pct = 1,
     .has_clock = true,
     .same_clock = true},
};

TEST_MAIN(text_ranks_test)
{
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .has_rate = true};
    struct str out = STR_INIT;

    text_ranks(&out, &s);
    text_interval_ranks(&out, &s);
    CHECK_STR(str_cstr(&out), "");
    s.rank = hosts;
    s.nranks = 3;
    text_ranks(&out, &s);
    CHECK_STR(str_cstr(&out),
              "Load hosts:\n"
              "    rank host             clients       done  per sec.   p99, ms    late CPU, %\n"
              "       0 load1               1024      72012    600.10     1.234      12   34.6\n"
              "       1 load2.example.com\n"
              "                             1024      72000    600.00     3.000       0    n/a\n"
              "       2 load3               1024          0       n/a       n/a       0    1.0\n"
              "    clock of rank 1:                     123 us behind the leader's, +- 5.00 us,\n"
              "                                         and 1.25 ppm faster\n"
              "    clock of rank 2:                     the leader's\n"
              "    rank 1 differs:                      latency p99 3.000 ms, the other rank's\n"
              "                                         1.234 ms\n"
              "    rank 1 was throttled:                a CPU quota stopped it for 0.300 s, 3\n"
              "                                         periods\n"
              "    rank 1 waited for a CPU:             52 % of the time that it needed one;\n"
              "                                         latencies include it\n"
              "    rank 1, workers:                     1 of 2 nearly saturated (99 % of a CPU\n"
              "                                         at most)\n"
              "    rank 2 is lost:                      after 12.345 s (the connection was\n"
              "                                         closed); 3604 transactions of its share\n"
              "                                         were not done\n"
              "                                         its statements by kind, retries,\n"
              "                                         connection times and outages are\n"
              "                                         unknown\n"
              "    rank 2, per thread:                  n/a (it is lost): \"Threads fairness\" is\n"
              "                                         without its 1024 clients\n"
              "\n");
    str_reset(&out);
    text_interval_ranks(&out, &s);
    CHECK_STR(str_cstr(&out), " | without rank 2 (lost)");
    str_free(&out);
    return test_done("text_ranks");
}
