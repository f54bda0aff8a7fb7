/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Error messages, and the order in which values are checked, are stock's; messages about values
 * that make stock fail are new (docs/differences.md).
 */
#include "workload/fileio_options.h"

#include <fcntl.h>
#include <string.h>

#include "base/log.h"
#include "opt/generation.h"
#include "workload/fileio_check.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct opt_row rows[] = {
    {.name = "file-num",
     .type = OPT_INT,
     .def = "128",
     .help = "number of files to create",
     .flags = OPT_COUNT},
    {.name = "file-block-size",
     .type = OPT_SIZE,
     .def = "16384",
     .help = "block size to use in all IO operations",
     .flags = OPT_SHOWN_AS_INT},
    {.name = "file-total-size",
     .type = OPT_SIZE,
     .def = "2G",
     .help = "total size of files to create"},
    {.name = "file-test-mode",
     .type = OPT_STRING,
     .help = "test mode",
     .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
     .choices = "seqwr|seqrewr|seqrd|rndrd|rndwr|rndrw"},
#ifdef HAVE_LIBAIO
    {.name = "file-io-mode",
     .type = OPT_STRING,
     .def = "sync",
     .help = "file operations mode {,}",
     .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
     .choices = "sync|async|mmap"},
    {.name = "file-async-backlog",
     .type = OPT_INT,
     .def = "128",
     .help = "number of asynchronous operatons to queue per thread"},
#else
    {.name = "file-io-mode",
     .type = OPT_STRING,
     .def = "sync",
     .help = "file operations mode {,}",
     .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
     .choices = "sync|mmap"},
    /* accepted, so that the error for async names the library, not this value */
    {.name = "file-async-backlog", .type = OPT_INT, .def = "128", .help = "", .flags = OPT_HIDDEN},
#endif
    {.name = "file-extra-flags",
     .type = OPT_LIST,
     .def = "",
     .help = "list of additional flags to use to open files {,}",
     .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
     .choices = "sync|dsync|direct"},
    {.name = "file-fsync-freq",
     .type = OPT_INT,
     .def = "100",
     .help = "do fsync() after this number of requests (0 - don't use fsync())"},
    {.name = "file-fsync-all",
     .type = OPT_BOOL,
     .def = "off",
     .help = "do fsync() after each write operation"},
    {.name = "file-fsync-end",
     .type = OPT_BOOL,
     .def = "on",
     .help = "do fsync() at the end of test"},
    {.name = "file-fsync-mode",
     .type = OPT_STRING,
     .def = "fsync",
     .help = "which method to use for synchronization",
     .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
     .choices = "fsync|fdatasync"},
    {.name = "file-merged-requests",
     .type = OPT_INT,
     .def = "0",
     .help = "merge at most this number of IO requests if possible (0 - don't merge)"},
    {.name = "file-rw-ratio",
     .type = OPT_DOUBLE,
     .def = "1.5",
     .help = "reads/writes ratio for combined test"},
};

static const struct {
    const char *name, *title;
    bool random, writes;
} modes[] = {
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

static const struct {
    enum fileio_io io;
    const char *name, *title;
} engines[] = {
    {FILEIO_IO_SYNC, "sync", "synchronous"},
#ifdef HAVE_LIBAIO
    {FILEIO_IO_ASYNC, "async", "asynchronous"},
#endif
    {FILEIO_IO_MMAP, "mmap", "fast mmaped"},
};

bool fileio_has_async(void)
{
#ifdef HAVE_LIBAIO
    return true;
#else
    return false;
#endif
}

void fileio_options_declare(struct opts *o)
{
    opts_add(o, OPT_GROUP_TEST, rows, COUNT(rows));
}

bool fileio_mode_is_random(enum fileio_mode m)
{
    return modes[m].random;
}

bool fileio_mode_writes(enum fileio_mode m)
{
    return modes[m].writes;
}

static int mode_missing(const struct opts *o, struct err *e)
{
    struct str s = STR_INIT;

    log_fatal("Missing required argument: --file-test-mode\n");
    str_adds(&s, "fileio options:\n");
    opts_help(o, OPT_GROUP_TEST, false, &s);
    str_adds(&s, "\n");
    log_print("%s", str_cstr(&s));
    str_free(&s);
    return err_set(e, ERR_REPORTED, "no --file-test-mode");
}

static int read_mode(struct fileio_options *f, const struct opts *o, struct err *e)
{
    const char *name = opt_str(o, "file-test-mode");

    if (!*name)
        return mode_missing(o, e);
    for (size_t i = 0; i < COUNT(modes); i++) {
        if (strcmp(name, modes[i].name) == 0) {
            f->mode = (enum fileio_mode)i;
            return 0;
        }
    }
    err_set(e, ERR_USAGE, "Invalid IO operations mode: %s.", name);
    return opt_explain(o, "file-test-mode", e);
}

/* 0.4 announced two kinds of mmap. */
static const char *io_mode(const struct opts *o, const char **typed)
{
    *typed = opt_str(o, "file-io-mode");
    return strcmp(*typed, "fastmmap") == 0 || strcmp(*typed, "slowmmap") == 0 ? "mmap" : *typed;
}

const char *fileio_io_mode(const struct opts *o)
{
    const char *typed;

    return io_mode(o, &typed);
}

static int read_engine(struct fileio_options *f, const struct opts *o, struct err *e)
{
    const char *typed, *name = io_mode(o, &typed);
    size_t i = 0;

    while (i < COUNT(engines) && strcmp(name, engines[i].name) != 0)
        i++;
    if (i == COUNT(engines)) {
        err_set(e, ERR_USAGE, "unknown I/O mode: %s", name);
        return opt_explain(o, "file-io-mode", e);
    }
    if (typed != name && !generation_of(o)->old)
        log_stderr("WARNING: --file-io-mode=%s is deprecated, use --file-io-mode=%s instead", typed,
                   name);
    f->io = engines[i].io;
#ifdef HAVE_LIBAIO
    f->backlog = (int)opt_int(o, "file-async-backlog");
#endif
    return 0;
}

/* Sizes of blocks and requests. */
static int read_sizes(struct fileio_options *f, const struct opts *o, struct err *e)
{
    int64_t merged = opt_int(o, "file-merged-requests"), block = opt_int(o, "file-block-size"),
            request;

    if (merged < 0)
        return err_set(e, ERR_USAGE, "Invalid value for file-merged-requests: %lld.",
                       (long long)merged);
    if (block <= 0 || block > INT32_MAX)
        return err_set(e, ERR_USAGE, "Invalid value for file-block-size: %lld.", (long long)block);
    if (f->validate && block < (int64_t)FILEIO_CHECK_SIZE)
        return err_set(
            e, ERR_USAGE,
            "Invalid value for file-block-size: %lld. (--validate needs %zu bytes of it)",
            (long long)block, FILEIO_CHECK_SIZE);
    request = merged ? block * merged : block;
    if (request > INT32_MAX)
        return err_set(
            e, ERR_USAGE,
            "Invalid value for file-merged-requests: %lld. (a request would be of %lld bytes)",
            (long long)merged, (long long)request);
    f->merged = (int)merged;
    f->block = (size_t)block;
    f->request = fileio_mode_is_random(f->mode) ? f->block : (size_t)request;
    return 0;
}

static int read_flags(struct fileio_options *f, const struct opts *o, struct err *e)
{
    size_t n;
    char **item = opt_list(o, "file-extra-flags", &n);

    for (size_t i = 0; i < n; i++) {
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

static int read_fsync(struct fileio_options *f, const struct opts *o, struct err *e)
{
    int64_t freq = opt_int(o, "file-fsync-freq");
    const char *mode = opt_str(o, "file-fsync-mode");

    if (freq < 0)
        return err_set(e, ERR_USAGE, "Invalid value for file-fsync-freq: %lld.", (long long)freq);
    if (!opt_is_choice(o, "file-fsync-mode")) {
        err_set(e, ERR_USAGE, "Invalid fsync mode: %s.", mode);
        return opt_explain(o, "file-fsync-mode", e);
    }
    f->fsync_all = opt_bool(o, "file-fsync-all");
    f->fsync_end = opt_bool(o, "file-fsync-end") && !f->fsync_all;
    f->fsync_freq = f->fsync_all ? 0 : (int)freq;
    f->fdatasync = strcmp(mode, "fdatasync") == 0;
    return 0;
}

/* True when clients may sleep between their requests. */
static bool pauses(const struct opts *o)
{
    struct opt_view v;

    for (size_t i = 0; opts_at(o, i, &v); i++)
        if (v.given && (v.group == OPT_GROUP_RATE || strcmp(v.name, "rate") == 0 ||
                        strcmp(v.name, "tx_rate") == 0 || strcmp(v.name, "think_time") == 0))
            return true;
    return false;
}

/* The end of a sequential run in 0.4. */
static bool is_one_pass(const struct fileio_options *f)
{
    return f->form >= FORM_0_4 && f->form <= FORM_0_4_ORACLE && !fileio_mode_is_random(f->mode);
}

int fileio_options_read(struct fileio_options *f, const struct builtin_env *env,
                        enum fileio_use use, struct err *e)
{
    const struct opts *o = env->opts;
    int64_t files = opt_int(o, "file-num"), total = opt_int(o, "file-total-size");
    double ratio = opt_double(o, "file-rw-ratio");

    memset(f, 0, sizeof *f);
    if (files <= 0)
        return err_set(e, ERR_USAGE, "Invalid value for file-num: %lld", (long long)files);
    if (total <= 0)
        return err_set(e, ERR_USAGE, "Invalid value for file-total-size: %lld", (long long)total);
    if (use != FILEIO_CLEANUP && total < files)
        return err_set(e, ERR_USAGE,
                       "Invalid value for file-num: %lld (--file-total-size=%s is less than a byte "
                       "for each)",
                       (long long)files, opt_str(o, "file-total-size"));
    f->files = (int)files;
    f->file_size = total / files;
    f->form = env->generation->form;
    f->old = env->generation->old;
    f->validate = env->validate;
    f->pauses = pauses(o);
    f->debug = env->debug;
    f->clients = env->clients;
    f->max_events = env->max_events;
    if ((use == FILEIO_RUN && read_mode(f, o, e)) || read_engine(f, o, e) || read_sizes(f, o, e) ||
        read_flags(f, o, e) || read_fsync(f, o, e))
        return -1;
    f->once = is_one_pass(f);
    if (ratio < 0)
        return err_set(e, ERR_USAGE, "Invalid value for --file-rw-ratio: %f.", ratio);
    f->rw_ratio = (float)ratio;
#ifdef HAVE_LIBAIO
    if (use == FILEIO_RUN && f->io == FILEIO_IO_ASYNC && f->backlog <= 0)
        return err_set(e, ERR_USAGE, "Invalid value of file-async-backlog: %d", f->backlog);
#endif
    return 0;
}

const char *fileio_mode_title(enum fileio_mode m)
{
    return modes[m].title;
}

const char *fileio_io_title(enum fileio_io io)
{
    size_t i = 0;

    while (engines[i].io != io)
        i++;
    return engines[i].title;
}

void fileio_flag_names(const struct fileio_options *f, struct str *out)
{
    if (!f->extra)
        str_adds(out, "(none)");
    for (size_t i = 0; i < COUNT(flags); i++)
        if (f->extra & 1u << i)
            str_adds(out, flags[i].shown);
}
