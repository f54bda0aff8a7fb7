/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of fileio: refused values with their messages and their order; the meaning of
 * accepted ones; and the header that repeats them.
 */
#include "workload/fileio.h"

#include <fcntl.h>

#include "base/test.h"
#include "base/test_capture.h"
#include "opt/generation.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/* General options that fileio reads. */
static const struct opt_row general[] = {
    {.name = "events", .type = OPT_INT, .def = "0", .help = NULL},
    {.name = "validate", .type = OPT_BOOL, .def = "off", .help = NULL},
    {.name = "debug", .type = OPT_BOOL, .def = "off", .help = NULL},
};

/* A table from "--a=b --c=d". */
static struct opts *table(const char *line)
{
    struct opts *o = opts_new();
    char copy[512], *save = NULL;
    struct err e;

    opts_add(o, OPT_GROUP_GENERAL, general, sizeof general / sizeof general[0]);
    generation_options(o);
    builtin_options(&builtin_fileio, o);
    snprintf(copy, sizeof copy, "%s", line);
    for (char *arg = strtok_r(copy, " ", &save); arg; arg = strtok_r(NULL, " ", &save))
        CHECK_INT(opts_set_arg(o, arg, &e), 0);
    return o;
}

static enum generation dialect = GENERATION_1_0;

static int read_line(const char *line, enum fileio_use use, struct fileio_options *f, struct err *e)
{
    struct opts *o = table(line);
    int64_t events = opt_int(o, "events");
    struct builtin_env env = {.opts = o,
                              .generation = generation_facts(dialect),
                              .max_events = events > 0 ? (uint64_t)events : 0,
                              .validate = opt_bool(o, "validate"),
                              .debug = opt_bool(o, "debug")};
    int rc = fileio_options_read(f, &env, use, e);

    opts_free(o);
    return rc;
}

#ifdef HAVE_LIBAIO
#define MODES_ALLOWED "(allowed: sync, async, mmap)"
#else
#define MODES_ALLOWED "(allowed: sync, mmap)"
#endif

static void refused(void)
{
    static const struct {
        const char *line, *why;
    } cases[] = {
        {"--file-num=0 --file-total-size=0", "Invalid value for file-num: 0"},
        {"--file-total-size=0 --file-test-mode=x", "Invalid value for file-total-size: 0"},
        {"--file-num=20 --file-total-size=10",
         "Invalid value for file-num: 20 (--file-total-size=10 is less than a "
         "byte for each)"},
        {"--file-test-mode=x --file-io-mode=x",
         "Invalid IO operations mode: x. (allowed: seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw)"},
        {"--file-test-mode=seqrd --file-io-mode=x --file-block-size=0",
         "unknown I/O mode: x " MODES_ALLOWED},
        {"--file-test-mode=seqrd --file-merged-requests=-1 --file-block-size=0",
         "Invalid value for file-merged-requests: -1."},
        {"--file-test-mode=seqrd --file-block-size=0 --file-extra-flags=x",
         "Invalid value for file-block-size: 0."},
        {"--file-test-mode=seqrd --file-block-size=4G",
         "Invalid value for file-block-size: 4294967296."},
        {"--file-test-mode=seqrd --file-block-size=8 --validate",
         "Invalid value for file-block-size: 8. (--validate needs 12 bytes of it)"},
        {"--file-test-mode=seqrd --file-block-size=1M --file-merged-requests=4096",
         "Invalid value for file-merged-requests: 4096. (a request would be of 4294967296 bytes)"},
        {"--file-test-mode=seqrd --file-extra-flags=sync,x --file-fsync-freq=-1",
         "Invalid value for file-extra-flags: x (allowed: sync, dsync, direct)"},
        {"--file-test-mode=seqrd --file-fsync-freq=-1 --file-fsync-mode=x",
         "Invalid value for file-fsync-freq: -1."},
        {"--file-test-mode=seqrd --file-fsync-mode=x --file-rw-ratio=-1",
         "Invalid fsync mode: x. (allowed: fsync, fdatasync)"},
        {"--file-test-mode=seqrd --file-rw-ratio=-1",
         "Invalid value for --file-rw-ratio: -1.000000."},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fileio_options f;
        struct err e = {0};
        CHECK_INT(read_line(cases[i].line, FILEIO_RUN, &f, &e), -1);
        CHECK_INT(e.kind, ERR_USAGE);
        CHECK_STR(e.msg, cases[i].why);
    }
}

static void meaning(void)
{
    struct fileio_options f;
    struct err e = {0};

    CHECK_INT(read_line("--file-test-mode=seqwr --file-num=3 --file-total-size=1000000 "
                        "--file-merged-requests=4 "
                        "--file-fsync-all --file-fsync-mode=fdatasync --events=-1",
                        FILEIO_RUN, &f, &e),
              0);
    CHECK_INT(f.file_size, 333333);
    CHECK_INT(f.request, 65536);
    CHECK(f.fsync_all && !f.fsync_end && f.fsync_freq == 0 && f.fdatasync);
    CHECK_INT(f.max_events, 0);
    CHECK(f.io == FILEIO_IO_SYNC);
    /* random requests are not merged */
    CHECK_INT(read_line("--file-test-mode=rndrw --file-merged-requests=4 --file-block-size=4K "
                        "--file-io-mode=mmap "
                        "--events=77",
                        FILEIO_RUN, &f, &e),
              0);
    CHECK_INT(f.request, 4096);
    CHECK_INT(f.max_events, 77);
    CHECK(f.fsync_end && !f.fsync_all && f.fsync_freq == 100);
    CHECK(f.io == FILEIO_IO_MMAP);
    CHECK_INT(read_line("--compat=0.4 --file-test-mode=seqrd --file-io-mode=fastmmap", FILEIO_RUN,
                        &f, &e),
              0);
    CHECK(f.io == FILEIO_IO_MMAP);
    capture_errors();
    CHECK_INT(read_line("--file-test-mode=seqrd --file-io-mode=slowmmap", FILEIO_RUN, &f, &e), 0);
    CHECK_STR(captured(), "WARNING: --file-io-mode=slowmmap is deprecated, use "
                          "--file-io-mode=mmap instead\n");
    CHECK(f.io == FILEIO_IO_MMAP);
    /* flags combine, whatever their order */
    CHECK_INT(read_line("--file-extra-flags=direct,sync", FILEIO_PREPARE, &f, &e), 0);
    CHECK_INT(f.open_flags, O_SYNC | O_DIRECT);
    /* neither prepare nor cleanup needs a mode, and cleanup removes files that prepare would not
     * make */
    CHECK_INT(read_line("--file-test-mode=x", FILEIO_PREPARE, &f, &e), 0);
    CHECK_INT(
        read_line("--file-test-mode=x --file-num=20 --file-total-size=10", FILEIO_CLEANUP, &f, &e),
        0);
}

static void sizes(void)
{
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {
        {0, "0B"},
        {512, "512B"},
        {1023, "1023B"},
        {1024, "1KiB"},
        {16384, "16KiB"},
        {349525, "341.33KiB"},
        {1048575, "1024KiB"},
        {1048576, "1MiB"},
        {2147483648.0, "2GiB"},
        {107374182400.0, "100GiB"},
        {1099511627776.0, "1TiB"},
        {1125899906842624.0, "1024TiB"},
        {123456789, "117.74MiB"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str s = STR_INIT;
        fileio_size_text(cases[i].bytes, false, &s);
        CHECK_STR(str_cstr(&s), cases[i].text);
        str_free(&s);
    }
}

static void old_sizes(void)
{
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {{0, "0b"},
                 {512, "512b"},
                 {16384, "16Kb"},
                 {1966080, "1.875Mb"},
                 {826854604.8, "788.55Mb"},
                 {2147483648.0, "2Gb"}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str s = STR_INIT;
        fileio_size_text(cases[i].bytes, true, &s);
        CHECK_STR(str_cstr(&s), cases[i].text);
        str_free(&s);
    }
}

static void header(const char *line, const char *want)
{
    struct fileio_options f;
    struct str s = STR_INIT;
    struct err e = {0};

    CHECK_INT(read_line(line, FILEIO_RUN, &f, &e), 0);
    fileio_header_text(&f, &s);
    CHECK_STR(str_cstr(&s), want);
    str_free(&s);
}

static void headers(void)
{
    header("--file-test-mode=rndrw --events=20",
           "Extra file open flags: (none)\n128 files, 16MiB each\n2GiB total file "
           "size\nBlock size 16KiB\n"
           "Number of IO requests: 20\nRead/Write ratio for combined random IO test: 1.50\n"
           "Periodic FSYNC enabled, calling fsync() each 100 requests.\n"
           "Calling fsync() at the end of test, Enabled.\nUsing synchronous I/O "
           "mode\nDoing random r/w test\n");
    header("--file-test-mode=seqwr --file-num=3 --file-total-size=1M "
           "--file-merged-requests=3 --file-fsync-all "
           "--file-io-mode=mmap --validate --file-extra-flags=dsync,sync",
           "Extra file open flags: sync dsync \n3 files, 341.33KiB each\n1024KiB "
           "total file size\nBlock size 16KiB\n"
           "Merging requests up to 48KiB for sequential IO.\nCalling fsync() "
           "after each write operation.\n"
           "Using fast mmaped I/O mode\nUsing checksums validation.\nDoing "
           "sequential write (creation) test\n");
    header("--file-test-mode=seqrd --file-fsync-freq=0 --file-fsync-end=off "
           "--file-extra-flags=direct,sync",
           "Extra file open flags: sync directio\n128 files, 16MiB each\n2GiB "
           "total file size\nBlock size 16KiB\n"
           "Using synchronous I/O mode\nDoing sequential read test\n");
}

/* As public runs of 0.4.12 and 0.5 printed them. */
static void old_headers(void)
{
    dialect = GENERATION_0_4_TX;
    header("--file-test-mode=rndrw --events=10000 --file-total-size=3G",
           "Extra file open flags: 0\n128 files, 24Mb each\n3Gb total file size\nBlock size 16Kb\n"
           "Number of random requests for random IO: 10000\n"
           "Read/Write ratio for combined random IO test: 1.50\n"
           "Periodic FSYNC enabled, calling fsync() each 100 requests.\n"
           "Calling fsync() at the end of test, Enabled.\nUsing synchronous I/O mode\n"
           "Doing random r/w test\n");
    header("--file-test-mode=seqrd --file-merged-requests=3",
           "Extra file open flags: 0\n128 files, 16Mb each\n2Gb total file size\nBlock size 16Kb\n"
           "Merging requests  up to 48Kb for sequential IO.\n"
           "Periodic FSYNC enabled, calling fsync() each 100 requests.\n"
           "Calling fsync() at the end of test, Enabled.\nUsing synchronous I/O mode\n"
           "Doing sequential read test\n");
    dialect = GENERATION_0_5;
    header("--file-test-mode=rndrd --file-extra-flags=sync",
           "Extra file open flags: 101000\n128 files, 16Mb each\n2Gb total file size\n"
           "Block size 16Kb\nNumber of IO requests: 0\n"
           "Read/Write ratio for combined random IO test: 1.50\n"
           "Periodic FSYNC enabled, calling fsync() each 100 requests.\n"
           "Calling fsync() at the end of test, Enabled.\nUsing synchronous I/O mode\n"
           "Doing random read test\n");
    dialect = GENERATION_1_0;
}

/* Where a sequential run ends by itself. */
static void passes(void)
{
    static const struct {
        enum generation g;
        const char *mode;
        bool once;
    } cases[] = {{GENERATION_0_4, "--file-test-mode=seqwr", true},
                 {GENERATION_0_4_TX, "--file-test-mode=seqrd", true},
                 {GENERATION_0_4, "--file-test-mode=rndrd", false},
                 {GENERATION_0_5, "--file-test-mode=seqrd", false},
                 {GENERATION_1_0, "--file-test-mode=seqrd", false}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fileio_options f;
        struct err e = {0};
        dialect = cases[i].g;
        CHECK_INT(read_line(cases[i].mode, FILEIO_RUN, &f, &e), 0);
        CHECK_INT(f.once, cases[i].once);
        CHECK_INT(f.fsync_between, cases[i].g != GENERATION_1_0);
    }
    dialect = GENERATION_1_0;
}

/* --- figures, byte by byte --- */

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

static void figures_today(void)
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
static void unusual_figures(void)
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
static void several_percentiles(void)
{
    struct snapshot s = figures();
    struct str out = STR_INIT;

    s.percentiles = 2;
    s.percentile[1] = 99.9;
    s.latency_pct_ms[1] = 20.5;
    expect_interval(FORM_1_0, &s,
                    "reads: 23.44 MiB/s writes: 15.62 MiB/s fsyncs: 12.50/s latency "
                    "(ms,95%,99.9%): 1.235/20.500");
    fileio_text_cumulative(&out, &s, FORM_1_1);
    CHECK(strstr(str_cstr(&out), "\n         max:                               1234.50\n"
                                 "         95th percentile:                      1.23\n"
                                 "        99.9th percentile:                    20.50\n"
                                 "         sum:                              98765.43\n") != NULL);
    str_free(&out);
}

/* The lines of 0.4 and 0.5.  What is counted in MiB is called MB. */
static void old_figures(void)
{
    static const char *const later =
        "Operations performed:  3000 reads, 2000 writes, 25 Other = 5025 Total\n"
        "Read 46.875Mb  Written 31.25Mb  Total transferred 78.125Mb  (39.062Mb/sec)\n"
        " 2500.00 Requests/sec executed\n";
    struct snapshot s = figures();

    expect_interval(FORM_0_4, &s,
                    "reads: 23.44 MB/s writes: 15.62 MB/s fsyncs: 12.50/s response time: 1.23ms "
                    "(95%)");
    expect_interval(FORM_0_5, &s,
                    "reads: 23.44 MB/s writes: 15.62 MB/s fsyncs: 12.50/s response time: 1.235ms "
                    "(95%)");
    expect(FORM_0_4, &s,
           "Operations performed:  3000 Read, 2000 Write, 25 Other = 5025 Total\n"
           "Read 46.875Mb  Written 31.25Mb  Total transferred 78.125Mb  (39.062Mb/sec)\n"
           " 2500.00 Requests/sec executed\n");
    expect(FORM_0_5, &s, later);
    s.count[CNT_BYTES_READ] = s.reads = 0;
    s.interval_ns = 0;
    expect(FORM_0_4, &s,
           "Operations performed:  0 Read, 2000 Write, 25 Other = 2025 Total\n"
           "Read 0b  Written 31.25Mb  Total transferred 31.25Mb  (0b/sec)\n"
           "    0.00 Requests/sec executed\n");
}

TEST_MAIN(fileio_options_test)
{
    refused();
    meaning();
    sizes();
    headers();
    old_sizes();
    old_headers();
    passes();
    figures_today();
    old_figures();
    several_percentiles();
    unusual_figures();
    return test_done("fileio_options_test");
}
