/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of fileio, and the lines before and after a run, in the words of each generation.
 * Reads are CNT_READ, writes CNT_WRITE, fsyncs CNT_OTHER; MiB = 2^20, MB = 10^6 bytes.
 *
 * Error messages, and the order in which values are checked, are stock's; messages about values
 * that make stock fail are new (docs/differences.md).
 */
#include "workload/fileio.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "opt/generation.h"
#include "report/text.h"

#ifdef HAVE_CONFIG_H /* sysbench_minimal has none */
#include "config.h"
#endif

#ifdef HAVE_LIBAIO
#define MODES "sync|async|mmap"
#else
#define MODES "sync|mmap"
#endif

const struct opt_row fileio_rows[] = {
    {OPT_ROW("file-num", INT, "128", OPT_COUNT, "number of files to create")},
    {OPT_ROW("file-block-size", SIZE, "16384", OPT_SHOWN_AS_INT,
             "block size to use in all IO operations")},
    {OPT_ROW("file-total-size", SIZE, "2G", 0, "total size of files to create")},
    {OPT_ROW("file-test-mode", STRING, NULL, OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER, "test mode"),
     .choices = "seqwr|seqrewr|seqrd|rndrd|rndwr|rndrw"},
    {OPT_ROW("file-io-mode", STRING, "sync", OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
             "file operations mode {,}"),
     .choices = MODES},
#ifdef HAVE_LIBAIO
    {OPT_ROW("file-async-backlog", INT, "128", 0,
             "number of asynchronous operatons to queue per thread")},
#else
    /* accepted, so that the error for async names the library, not this value */
    {OPT_ROW("file-async-backlog", INT, "128", OPT_HIDDEN, "")},
#endif
    {OPT_ROW("file-extra-flags", LIST, "", OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
             "list of additional flags to use to open files {,}"),
     .choices = "sync|dsync|direct"},
    {OPT_ROW("file-fsync-freq", INT, "100", 0,
             "do fsync() after this number of requests (0 - don't use fsync())")},
    {OPT_ROW("file-fsync-all", BOOL, "off", 0, "do fsync() after each write operation")},
    {OPT_ROW("file-fsync-end", BOOL, "on", 0, "do fsync() at the end of test")},
    {OPT_ROW("file-fsync-mode", STRING, "fsync", OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
             "which method to use for synchronization"),
     .choices = "fsync|fdatasync"},
    {OPT_ROW("file-merged-requests", INT, "0", 0,
             "merge at most this number of IO requests if possible (0 - don't merge)")},
    {OPT_ROW("file-rw-ratio", DOUBLE, "1.5", 0, "reads/writes ratio for combined test")},
    {.name = NULL},
};

const struct fileio_mode_facts fileio_mode_facts[] = {
    [FILEIO_SEQWR] = {"seqwr", "sequential write (creation)", false, true},
    [FILEIO_SEQREWR] = {"seqrewr", "sequential rewrite", false, true},
    [FILEIO_SEQRD] = {"seqrd", "sequential read", false, false},
    [FILEIO_RNDRD] = {"rndrd", "random read", true, false},
    [FILEIO_RNDWR] = {"rndwr", "random write", true, true},
    [FILEIO_RNDRW] = {"rndrw", "random r/w", true, true},
};

static const struct {
    const char *name, *shown;
    int flag;
} flags[] = {
    {"sync", "sync ", O_SYNC},
    {"dsync", "dsync ", O_DSYNC},
    {"direct", "directio", O_DIRECT},
};

/* By enum fileio_io. */
static const struct {
    const char *name, *title;
} engines[] = {
    [FILEIO_IO_SYNC] = {"sync", "synchronous"},
#ifdef HAVE_LIBAIO
    [FILEIO_IO_ASYNC] = {"async", "asynchronous"},
#endif
    [FILEIO_IO_MMAP] = {"mmap", "fast mmaped"},
};

bool fileio_has_async(void)
{
#ifdef HAVE_LIBAIO
    return true;
#else
    return false;
#endif
}

static const char *typed_io_mode(const struct opts *o)
{
    return opt_str(o, "file-io-mode");
}

const char *fileio_io_mode(const struct opts *o)
{
    const char *typed = typed_io_mode(o);

    /* 0.4 announced two kinds of mmap */
    return strcmp(typed, "fastmmap") == 0 || strcmp(typed, "slowmmap") == 0 ? "mmap" : typed;
}

static int invalid(struct err *e, const char *option, int64_t v, const char *after)
{
    return err_set(e, ERR_USAGE, "Invalid value for %s: %lld%s", option, (long long)v, after);
}

static int read_mode(struct fileio_options *f, const struct opts *o, struct err *e)
{
    const char *name = opt_str(o, "file-test-mode");
    struct str s = STR_INIT;

    if (!*name) {
        log_fatal("Missing required argument: --file-test-mode\n");
        str_adds(&s, "fileio options:\n");
        opts_help(o, OPT_GROUP_TEST, false, NULL, &s);
        log_print("%s\n", str_cstr(&s));
        str_free(&s);
        return err_set(e, ERR_REPORTED, "no --file-test-mode");
    }
    if (!opt_is_choice(o, "file-test-mode")) {
        err_set(e, ERR_USAGE, "Invalid IO operations mode: %s.", name);
        return opt_explain(o, "file-test-mode", e);
    }
    while (strcmp(name, fileio_mode_facts[f->mode].name) != 0)
        f->mode++;
    return 0;
}

/* How requests are executed, of which size, and on files that are opened how. */
static int read_engine(struct fileio_options *f, const struct opts *o, struct err *e)
{
    const char *name = fileio_io_mode(o), *typed = typed_io_mode(o);
    int64_t merged = opt_int(o, "file-merged-requests"), block = opt_int(o, "file-block-size");
    size_t i = 0, n;
    char **item = opt_list(o, "file-extra-flags", &n), text[64];

    while (i < COUNT(engines) && (!engines[i].name || strcmp(name, engines[i].name) != 0))
        i++;
    if (i == COUNT(engines)) {
        err_set(e, ERR_USAGE, "unknown I/O mode: %s", name);
        return opt_explain(o, "file-io-mode", e);
    }
    if (strcmp(name, typed) != 0 && !generation_of(o)->old_names_are_current)
        log_stderr("WARNING: --file-io-mode=%s is deprecated, use --file-io-mode=%s instead", typed,
                   name);
    f->io = (enum fileio_io)i;
#ifdef HAVE_LIBAIO
    f->backlog = (int)opt_int(o, "file-async-backlog");
#endif
    if (merged < 0)
        return invalid(e, "file-merged-requests", merged, ".");
    if (block <= 0 || block > INT32_MAX)
        return invalid(e, "file-block-size", block, ".");
    snprintf(text, sizeof text, ". (--validate needs %zu bytes of it)", FILEIO_CHECK_SIZE);
    if (f->validate && block < (int64_t)FILEIO_CHECK_SIZE)
        return invalid(e, "file-block-size", block, text);
    int64_t request = merged ? block * merged : block;
    snprintf(text, sizeof text, ". (a request would be of %lld bytes)", (long long)request);
    if (request > INT32_MAX)
        return invalid(e, "file-merged-requests", merged, text);
    f->merged = (int)merged;
    f->block = (size_t)block;
    f->request = (size_t)(fileio_mode_facts[f->mode].random ? block : request);
    for (i = 0; i < n; i++) {
        size_t k = 0;
        while (k < COUNT(flags) && strcmp(item[i], flags[k].name) != 0)
            k++;
        if (k == COUNT(flags)) {
            err_set(e, ERR_USAGE, "Invalid value for file-extra-flags: %s", item[i]);
            return opt_explain(o, "file-extra-flags", e);
        }
        f->open_flags |= flags[k].flag;
        f->extra |= 1u << k;
    }
    return 0;
}

int fileio_options_read(struct fileio_options *f, const struct builtin_env *env,
                        enum fileio_use use, struct err *e)
{
    const struct opts *o = env->opts;
    int64_t files = opt_int(o, "file-num"), total = opt_int(o, "file-total-size");
    int64_t freq = opt_int(o, "file-fsync-freq");
    const char *sync = opt_str(o, "file-fsync-mode");
    double ratio = opt_double(o, "file-rw-ratio");
    struct opt_view v;

    memset(f, 0, sizeof *f);
    if (files <= 0)
        return invalid(e, "file-num", files, "");
    if (total <= 0)
        return invalid(e, "file-total-size", total, "");
    if (use != FILEIO_CLEANUP && total < files)
        return err_set(e, ERR_USAGE,
                       "Invalid value for file-num: %lld (--file-total-size=%s is less than a byte "
                       "for each)",
                       (long long)files, opt_str(o, "file-total-size"));
    f->files = (int)files;
    f->file_size = total / files;
    f->form = env->generation->form;
    f->fsync_between = env->generation->fsync_between_events;
    f->validate = env->validate;
    for (size_t i = 0; opts_at(o, i, &v); i++)
        if (v.given && (v.group == OPT_GROUP_RATE || strcmp(v.name, "rate") == 0 ||
                        strcmp(v.name, "tx_rate") == 0 || strcmp(v.name, "think_time") == 0))
            f->pauses = true;
    f->debug = env->debug;
    f->max_events = env->max_events;
    if ((use == FILEIO_RUN && read_mode(f, o, e)) || read_engine(f, o, e))
        return -1;
    if (freq < 0)
        return invalid(e, "file-fsync-freq", freq, ".");
    if (!opt_is_choice(o, "file-fsync-mode")) {
        err_set(e, ERR_USAGE, "Invalid fsync mode: %s.", sync);
        return opt_explain(o, "file-fsync-mode", e);
    }
    f->fsync_all = opt_bool(o, "file-fsync-all");
    f->fsync_end = opt_bool(o, "file-fsync-end") && !f->fsync_all;
    f->fsync_freq = f->fsync_all ? 0 : (int)freq;
    f->fdatasync = strcmp(sync, "fdatasync") == 0;
    f->once = f->form == FORM_0_4 && !fileio_mode_facts[f->mode].random;
    if (ratio < 0)
        return err_set(e, ERR_USAGE, "Invalid value for --file-rw-ratio: %f.", ratio);
    f->rw_ratio = (float)ratio;
#ifdef HAVE_LIBAIO
    if (use == FILEIO_RUN && f->io == FILEIO_IO_ASYNC && f->backlog <= 0)
        return err_set(e, ERR_USAGE, "Invalid value of file-async-backlog: %d", f->backlog);
#endif
    return 0;
}

/* --- the lines before a run --- */

/* How the generations differ. */
static const struct words {
    bool old_units;       /* Kb for KiB */
    char flags;           /* of the open flags: names, decimal or hexadecimal */
    const char *merging;  /* after "Merging requests " */
    const char *requests; /* the limit of random requests */
} words[FORM_MAX] = {
    [FORM_1_0] = {false, 'n', "up to ", "Number of IO requests"},
    [FORM_1_1] = {false, 'n', "up to ", "Number of IO requests"},
    [FORM_0_4] = {true, 'd', " up to ", "Number of random requests for random IO"},
    [FORM_0_5] = {true, 'x', " up to ", "Number of IO requests"},
};

void fileio_size_text(double bytes, bool old, struct str *out)
{
    static const char *const unit[2][5] = {{"B", "KiB", "MiB", "GiB", "TiB"},
                                           {"b", "Kb", "Mb", "Gb", "Tb"}};
    size_t i = 0;

    for (; bytes >= 1024 && i < 4; i++)
        bytes /= 1024;
    str_printf(out, "%.5g%s", bytes, unit[old][i]);
}

void fileio_flags_text(const struct fileio_options *f, struct str *out)
{
    char form = words[f->form].flags;

    str_adds(out, "Extra file open flags: ");
    if (form == 'd')
        str_printf(out, "%d", f->open_flags);
    else if (form == 'x')
        str_printf(out, "%x", (unsigned)f->open_flags);
    else if (!f->extra)
        str_adds(out, "(none)");
    for (size_t i = 0; form == 'n' && i < COUNT(flags); i++)
        if (f->extra & 1u << i)
            str_adds(out, flags[i].shown);
    str_adds(out, "\n");
}

void fileio_header_text(const struct fileio_options *f, struct str *out)
{
    const struct words *w = &words[f->form];
    bool old = w->old_units;

    fileio_flags_text(f, out);
    str_printf(out, "%d files, ", f->files);
    fileio_size_text((double)f->file_size, old, out);
    str_adds(out, " each\n");
    fileio_size_text((double)f->file_size * f->files, old, out);
    str_adds(out, " total file size\nBlock size ");
    fileio_size_text((double)f->block, old, out);
    str_adds(out, "\n");
    if (f->merged > 0) {
        str_printf(out, "Merging requests %s", w->merging);
        fileio_size_text((double)f->block * f->merged, old, out);
        str_adds(out, " for sequential IO.\n");
    }
    if (fileio_mode_facts[f->mode].random) {
        str_printf(out, "%s: %llu\n", w->requests, (unsigned long long)f->max_events);
        str_printf(out, "Read/Write ratio for combined random IO test: %2.2f\n",
                   (double)f->rw_ratio);
    }
    if (f->fsync_freq > 0)
        str_printf(out, "Periodic FSYNC enabled, calling fsync() each %d requests.\n",
                   f->fsync_freq);
    if (f->fsync_end)
        str_adds(out, "Calling fsync() at the end of test, Enabled.\n");
    if (f->fsync_all)
        str_adds(out, "Calling fsync() after each write operation.\n");
    str_printf(out, "Using %s I/O mode\n", engines[f->io].title);
    if (f->validate)
        str_adds(out, "Using checksums validation.\n");
    str_printf(out, "Doing %s test\n", fileio_mode_facts[f->mode].title);
}

/* --- figures --- */

#define MIB 1048576.0
#define MB  1e6

/* 0.4 and 0.5 write "MB" for MiB, and of several percentiles the first one. */
void fileio_text_interval(struct str *out, const struct snapshot *s, enum report_form form)
{
    const char *unit = form <= FORM_1_1 ? "MiB" : "MB";

    str_printf(out, "reads: %4.2f %s/s writes: %4.2f %s/s fsyncs: %4.2f/s ",
               text_per_sec(s, (double)s->count[CNT_BYTES_READ]) / MIB, unit,
               text_per_sec(s, (double)s->count[CNT_BYTES_WRITTEN]) / MIB, unit,
               text_per_sec(s, (double)s->other));
    if (form <= FORM_1_1)
        text_latency(out, s, "latency", 3);
    else
        str_printf(out, "response time: %4.*fms (%.12g%%)", form == FORM_0_5 ? 3 : 2,
                   s->percentiles ? s->latency_pct_ms[0] : 0,
                   s->percentiles ? s->percentile[0] : 0);
}

bool fileio_text_cumulative(struct str *out, const struct snapshot *s, enum report_form form)
{
    double read = (double)s->count[CNT_BYTES_READ], written = (double)s->count[CNT_BYTES_WRITTEN];
    double reads = text_per_sec(s, (double)s->reads), writes = text_per_sec(s, (double)s->writes);
    double fsyncs = text_per_sec(s, (double)s->other);
    double in = text_per_sec(s, read), wrote = text_per_sec(s, written);

    if (form == FORM_1_0) {
        str_printf(out,
                   "\nFile operations:\n"
                   "    reads/s:                      %4.2f\n"
                   "    writes/s:                     %4.2f\n"
                   "    fsyncs/s:                     %4.2f\n"
                   "\nThroughput:\n"
                   "    read, MiB/s:                  %4.2f\n"
                   "    written, MiB/s:               %4.2f\n",
                   reads, writes, fsyncs, in / MIB, wrote / MIB);
        return false;
    }
    if (form == FORM_1_1) {
        text_unfinished(out, s);
        str_printf(out,
                   "\nThroughput:\n"
                   "         read:  IOPS=%4.2f %4.2f MiB/s (%4.2f MB/s)\n"
                   "         write: IOPS=%4.2f %4.2f MiB/s (%4.2f MB/s)\n"
                   "         fsync: IOPS=%4.2f\n"
                   "\nLatency (ms):\n"
                   "         min:                            %10.2f\n"
                   "         avg:                            %10.2f\n"
                   "         max:                            %10.2f\n",
                   reads, in / MIB, in / MB, writes, wrote / MIB, wrote / MB, fsyncs,
                   s->latency_min_ms, s->latency_avg_ms, s->latency_max_ms);
        text_percentile_lines(out, s, 51);
        str_printf(out, "         sum:                            %10.2f\n\n", s->latency_sum_ms);
        return true;
    }
    /* 0.4 and 0.5: what was read, written and transferred, and how fast */
    str_printf(out, "Operations performed:  %llu %s, %llu %s, %llu Other = %llu Total\nRead ",
               (unsigned long long)s->reads, form == FORM_0_4 ? "Read" : "reads",
               (unsigned long long)s->writes, form == FORM_0_4 ? "Write" : "writes",
               (unsigned long long)s->other, (unsigned long long)(s->reads + s->writes + s->other));
    fileio_size_text(read, true, out);
    str_adds(out, "  Written ");
    fileio_size_text(written, true, out);
    str_adds(out, "  Total transferred ");
    fileio_size_text(read + written, true, out);
    str_adds(out, "  (");
    fileio_size_text(text_per_sec(s, read + written), true, out);
    str_printf(out, "/sec)\n%8.2f Requests/sec executed\n",
               text_per_sec(s, (double)(s->reads + s->writes)));
    return false;
}
