/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of fileio: refused values with their messages and their order; the meaning of
 * accepted ones; and the header that repeats them.
 */
#include "workload/fileio.h"

#include <fcntl.h>

#include "base/test_golden.h"
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

static void refused(const char *line)
{
    struct fileio_options f;
    struct err e = {0};

    CHECK_INT(read_line(line, FILEIO_RUN, &f, &e), -1);
    CHECK_INT(e.kind, ERR_USAGE);
    golden_line("%s: %s", line, e.msg);
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
    /* before the size of a block; async is allowed where libaio is */
    CHECK_INT(read_line("--file-test-mode=seqrd --file-io-mode=x --file-block-size=0", FILEIO_RUN,
                        &f, &e),
              -1);
    CHECK(strncmp(e.msg, "unknown I/O mode: x (allowed: sync, ", 36) == 0);
    /* neither prepare nor cleanup needs a mode, and cleanup removes files that prepare would not
     * make */
    CHECK_INT(read_line("--file-test-mode=x", FILEIO_PREPARE, &f, &e), 0);
    CHECK_INT(
        read_line("--file-test-mode=x --file-num=20 --file-total-size=10", FILEIO_CLEANUP, &f, &e),
        0);
}

static void sizes(void)
{
    static const double bytes[] = {0,
                                   512,
                                   1023,
                                   1024,
                                   16384,
                                   349525,
                                   1048575,
                                   1048576,
                                   1966080,
                                   123456789,
                                   826854604.8,
                                   2147483648.0,
                                   107374182400.0,
                                   1099511627776.0,
                                   1125899906842624.0};

    for (size_t i = 0; i < 2 * sizeof bytes / sizeof *bytes; i++) {
        struct str s = STR_INIT;
        fileio_size_text(bytes[i / 2], i % 2, &s);
        golden_line("%s", str_cstr(&s));
        str_free(&s);
    }
}

/* Those of 0.4 and 0.5 as public runs printed them. */
static void header(const char *line)
{
    struct fileio_options f;
    struct str s = STR_INIT;
    struct err e = {0};

    CHECK_INT(read_line(line, FILEIO_RUN, &f, &e), 0);
    fileio_header_text(&f, &s);
    golden(&s, "%s %s", generation_facts(dialect)->name, line);
    str_free(&s);
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

/* In 0.4 and 0.5 what is counted in MiB is called MB. */
static void texts(const char *what, const struct snapshot *s)
{
    for (enum report_form form = 0; form < FORM_MAX; form++) {
        struct str out = STR_INIT;
        fileio_text_interval(&out, s, form);
        golden(&out, "%s, form %d", what, (int)form);
        CHECK_INT(fileio_text_cumulative(&out, s, form), form == FORM_1_1);
        golden(&out, "%s, form %d, at the end", what, (int)form);
        str_free(&out);
    }
}

static void figure_texts(void)
{
    struct snapshot s = figures();

    texts("figures", &s);
    s.percentiles = 2;
    s.percentile[1] = 99.9;
    s.latency_pct_ms[1] = 20.5;
    texts("two percentiles", &s);
    s.count[CNT_BYTES_READ] = s.reads = 0;
    s.interval_ns = 0;
    s.percentiles = 0;
    s.unfinished_forced = 3;
    texts("no interval, no percentile, some unfinished", &s);
}

TEST_MAIN(fileio_options_test)
{
    golden_each("--file-num=0 --file-total-size=0|"
                "--file-total-size=0 --file-test-mode=x|"
                "--file-num=20 --file-total-size=10|"
                "--file-test-mode=x --file-io-mode=x|"
                "--file-test-mode=seqrd --file-merged-requests=-1 --file-block-size=0|"
                "--file-test-mode=seqrd --file-block-size=0 --file-extra-flags=x|"
                "--file-test-mode=seqrd --file-block-size=4G|"
                "--file-test-mode=seqrd --file-block-size=8 --validate|"
                "--file-test-mode=seqrd --file-block-size=1M --file-merged-requests=4096|"
                "--file-test-mode=seqrd --file-extra-flags=sync,x --file-fsync-freq=-1|"
                "--file-test-mode=seqrd --file-fsync-freq=-1 --file-fsync-mode=x|"
                "--file-test-mode=seqrd --file-fsync-mode=x --file-rw-ratio=-1|"
                "--file-test-mode=seqrd --file-rw-ratio=-1",
                refused);
    meaning();
    sizes();
    golden_each("--file-test-mode=rndrw --events=20|"
                "--file-test-mode=seqwr --file-num=3 --file-total-size=1M --file-merged-requests=3 "
                "--file-fsync-all --file-io-mode=mmap --validate --file-extra-flags=dsync,sync|"
                "--file-test-mode=seqrd --file-fsync-freq=0 --file-fsync-end=off "
                "--file-extra-flags=direct,sync",
                header);
    dialect = GENERATION_0_4_TX;
    golden_each("--file-test-mode=rndrw --events=10000 --file-total-size=3G|"
                "--file-test-mode=seqrd --file-merged-requests=3",
                header);
    dialect = GENERATION_0_5;
    header("--file-test-mode=rndrd --file-extra-flags=sync");
    passes();
    figure_texts();
    golden_done("fileio_options_test");
    return test_done("fileio_options_test");
}
