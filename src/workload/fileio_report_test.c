/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The texts of fileio on fixed figures, byte by byte: an interval, and the final report of each
 * form.
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

static void expect_interval(enum report_form form, const struct snapshot *s, const char *want)
{
    struct str out = STR_INIT;

    fileio_text_interval(&out, s, form);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

static void expect(enum report_form form, const struct snapshot *s, const char *want)
{
    struct str out = STR_INIT;

    CHECK_INT(fileio_text_cumulative(&out, s, form), form == FORM_1_1);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

static void normal(void)
{
    struct snapshot s = figures();

    expect_interval(
        FORM_1_0, &s,
        "reads: 23.44 MiB/s writes: 15.62 MiB/s fsyncs: 12.50/s latency (ms,95%): 1.235");
    expect(FORM_1_0, &s,
           "\n"
           "File operations:\n"
           "    reads/s:                      1500.00\n"
           "    writes/s:                     1000.00\n"
           "    fsyncs/s:                     12.50\n"
           "\n"
           "Throughput:\n"
           "    read, MiB/s:                  23.44\n"
           "    written, MiB/s:               15.62\n");
    expect(FORM_1_1, &s,
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
    expect_interval(FORM_1_0, &s,
                    "reads: 0.00 MiB/s writes: 0.00 MiB/s fsyncs: 0.00/s latency (ms,0%): 0.000");
    fileio_text_cumulative(&out, &s, FORM_1_1);
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
    expect_interval(
        FORM_1_0, &s,
        "reads: 23.44 MiB/s writes: 15.62 MiB/s fsyncs: 12.50/s latency (ms,95%,99.9%): 1.235/20.500");
    fileio_text_cumulative(&out, &s, FORM_1_1);
    CHECK(strstr(str_cstr(&out), "\n         max:                               1234.50\n"
                                 "         95th percentile:                      1.23\n"
                                 "        99.9th percentile:                    20.50\n"
                                 "         sum:                              98765.43\n") != NULL);
    str_free(&out);
}

/* The lines of 0.4 and 0.5.  What is counted in MiB is called MB. */
static void old(void)
{
    static const char *const later =
        "Operations performed:  3000 reads, 2000 writes, 25 Other = 5025 Total\n"
        "Read 46.875Mb  Written 31.25Mb  Total transferred 78.125Mb  (39.062Mb/sec)\n"
        " 2500.00 Requests/sec executed\n";
    struct snapshot s = figures();

    expect_interval(FORM_0_4_HEAD, &s,
                    "reads: 23.44 MB/s writes: 15.62 MB/s fsyncs: 12.50/s response time: 1.23ms "
                    "(95%)");
    expect_interval(FORM_0_5, &s,
                    "reads: 23.44 MB/s writes: 15.62 MB/s fsyncs: 12.50/s response time: 1.235ms "
                    "(95%)");
    expect(FORM_0_4, &s,
           "Operations performed:  3000 Read, 2000 Write, 25 Other = 5025 Total\n"
           "Read 46.875Mb  Written 31.25Mb  Total transferred 78.125Mb  (39.062Mb/sec)\n"
           " 2500.00 Requests/sec executed\n");
    expect(FORM_0_4_HEAD, &s, later);
    expect(FORM_0_4_ORACLE, &s, later);
    expect(FORM_0_5_2011, &s, later);
    expect(FORM_0_5, &s, later);
    s.count[CNT_BYTES_READ] = s.reads = 0;
    s.interval_ns = 0;
    expect(FORM_0_4, &s,
           "Operations performed:  0 Read, 2000 Write, 25 Other = 2025 Total\n"
           "Read 0b  Written 31.25Mb  Total transferred 31.25Mb  (0b/sec)\n"
           "    0.00 Requests/sec executed\n");
}

TEST_MAIN(fileio_report_test)
{
    normal();
    old();
    several();
    unusual();
    return test_done("fileio_report_test");
}
