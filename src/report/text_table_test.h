/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the tests of the table on a terminal share: its screen, an interval.
 */
#ifndef SB_REPORT_TEXT_TABLE_TEST_H
#define SB_REPORT_TEXT_TABLE_TEST_H

#include "base/test.h"
#include "report/text_table.h"

static inline struct text_screen text_ask(void *arg)
{
    return *(struct text_screen *)arg;
}

static inline struct snapshot_series series(int64_t p50, int64_t p95, int64_t p99)
{
    return (struct snapshot_series){.n = 100000,
                                    .p50 = p50 * 1000,
                                    .p95 = p95 * 1000,
                                    .p99 = p99 * 1000,
                                    .max = p99 * 1000,
                                    .mean = 1e6};
}

/* One second with a rate and a server: 2 CPUs, the server 20 % and 10 % of them, we 5 %. */
static inline struct snapshot second(int n)
{
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = n * NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .ncpu = 2,
                         .events = 1000,
                         .reads = 3000,
                         .errors = 2,
                         .has_latency = true,
                         .has_rate = true};

    s.latency = s.rate.response = series(710, 1840, 3210);
    s.rate.service = series(700, 1800, 3000);
    s.rate.lag = series(10, 40, 210);
    s.rate.offered = s.rate.done = 1000;
    s.rate.late = 3;
    s.rate.unfinished = 4;
    s.server.on = s.self.on = true;
    s.server.d = (struct sample_delta){.wall_ns = NS_PER_SEC,
                                       .have = SAMPLE_ALL,
                                       .cpu_ns = 600000000,
                                       .user_ns = 400000000,
                                       .sys_ns = 200000000,
                                       .vol_switches = 2500,
                                       .rss_bytes = 512 << 20,
                                       .threads = 21};
    s.self.d = (struct sample_delta){.wall_ns = NS_PER_SEC,
                                     .have = SAMPLE_ALL,
                                     .cpu_ns = 100000000,
                                     .user_ns = 60000000,
                                     .sys_ns = 40000000};
    return s;
}

static inline void text_expect(struct str *out, const char *want)
{
    CHECK_STR(str_cstr(out), want);
    str_reset(out);
}

#endif
