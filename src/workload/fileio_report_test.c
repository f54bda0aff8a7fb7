/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The texts of fileio on fixed figures, byte by byte: an interval, and the final report of both
 * generations.
 */
#include "workload/fileio_report.h"

#include "base/test.h"

static struct snapshot figures(void)
{
    struct snapshot s = {.interval_ns = 2 * NS_PER_SEC,
                         .percentiles = 1,
                         .percentile = {95},
                         .latency_pct_ms = {1.23456},
                         .latency_min_ms = 0.001,
                         .latency_avg_ms = 0.25,
                         .latency_max_ms = 1234.5,
                         .latency_sum_ms = 98765.432};

    s.reads = s.count[CNT_READ] = 3000;
    s.writes = s.count[CNT_WRITE] = 2000;
    s.other = s.count[CNT_OTHER] = 25;
    s.count[CNT_BYTES_READ] = UINT64_C(3000) * 16384;
    s.count[CNT_BYTES_WRITTEN] = UINT64_C(2000) * 16384;
    return s;
}

static void expect(void (*render)(struct str *, const struct snapshot *), const struct snapshot *s,
                   const char *want)
{
    struct str out = STR_INIT;

    render(&out, s);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

static void normal(void)
{
    struct snapshot s = figures();

    expect(fileio_text_interval, &s,
           "reads: 23.44 MiB/s writes: 15.62 MiB/s fsyncs: 12.50/s latency (ms,95%): 1.235");
    expect(fileio_text_1_0, &s,
           "\n"
           "File operations:\n"
           "    reads/s:                      1500.00\n"
           "    writes/s:                     1000.00\n"
           "    fsyncs/s:                     12.50\n"
           "\n"
           "Throughput:\n"
           "    read, MiB/s:                  23.44\n"
           "    written, MiB/s:               15.62\n");
    expect(fileio_text_1_1, &s,
           "\n"
           "Throughput:\n"
           "         read:  IOPS=1500.00 23.44 MiB/s (24.58 MB/s)\n"
           "         write: IOPS=1000.00 15.62 MiB/s (16.38 MB/s)\n"
           "         fsync: IOPS=12.50\n"
           "\n"
           "Latency (ms):\n"
           "         min:                                  0.00\n"
           "         avg:                                  0.25\n"
           "         max:                               1234.50\n"
           "         95th percentile:                      1.23\n"
           "         sum:                              98765.43\n"
           "\n");
}

/* No percentile, an interval without length, and transactions that a forced shutdown abandoned. */
static void unusual(void)
{
    struct snapshot s = figures();
    struct str out = STR_INIT;

    s.interval_ns = 0;
    s.percentiles = 0;
    s.unfinished_forced = 3;
    expect(fileio_text_interval, &s,
           "reads: 0.00 MiB/s writes: 0.00 MiB/s fsyncs: 0.00/s latency (ms,0%): 0.000");
    fileio_text_1_1(&out, &s);
    CHECK(strncmp(str_cstr(&out),
                  "\nNumber of unfinished transactions on forced shutdown: 3\n\nThroughput:\n",
                  69) == 0);
    CHECK(strstr(str_cstr(&out),
                 "\n         percentile stats:               disabled\n         sum: ") != NULL);
    CHECK(strstr(str_cstr(&out), "\n         read:  IOPS=0.00 0.00 MiB/s (0.00 MB/s)\n") != NULL);
    str_free(&out);
}

/* Several percentiles in both places. */
static void several(void)
{
    struct snapshot s = figures();
    struct str out = STR_INIT;

    s.percentiles = 2;
    s.percentile[1] = 99.9;
    s.latency_pct_ms[1] = 20.5;
    expect(
        fileio_text_interval, &s,
        "reads: 23.44 MiB/s writes: 15.62 MiB/s fsyncs: 12.50/s latency (ms,95%,99.9%): 1.235/20.500");
    fileio_text_1_1(&out, &s);
    CHECK(strstr(str_cstr(&out), "\n         max:                               1234.50\n"
                                 "         95th percentile:                      1.23\n"
                                 "        99.9th percentile:                    20.50\n"
                                 "         sum:                              98765.43\n") != NULL);
    str_free(&out);
}

int main(void)
{
    normal();
    several();
    unusual();
    return test_done("fileio_report_test");
}
