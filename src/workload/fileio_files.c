/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See fileio_files.h.
 */
#include "workload/fileio_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/rng.h"
#include "workload/fileio_check.h"

#define NAME_SIZE   32
#define CREATE_MODE 0600

static const char *file_name(char name[NAME_SIZE], int i)
{
    snprintf(name, NAME_SIZE, "test_file.%d", i);
    return name;
}

/* The state of prepare. */
struct filler {
    const struct fileio_options *o;
    struct fileio_check check;
    struct rng rng;
    unsigned char *buf; /* one block */
    uint64_t written;
};

static int write_block(int fd, const unsigned char *p, size_t n, struct err *e)
{
    while (n > 0) {
        ssize_t w = write(fd, p, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            return err_set(e, ERR_FAILED, "Failed to write file! errno = %d (%s)",
                           w ? errno : ENOSPC, strerror(w ? errno : ENOSPC));
        p += w;
        n -= (size_t)w;
    }
    return 0;
}

/* From its present end, in whole blocks, at least up to its size. */
static int extend_file(struct filler *f, int fd, int64_t from, struct err *e)
{
    const struct fileio_options *o = f->o;

    for (int64_t at = from; at < o->file_size; at += (int64_t)o->block) {
        if (o->validate)
            fileio_check_fill(&f->check, &f->rng, f->buf, o->block, at);
        if (write_block(fd, f->buf, o->block, e))
            return -1;
        f->written += o->block;
    }
    if (fsync(fd))
        return err_set(e, ERR_FAILED, "Failed to fsync file! errno = %d (%s)", errno,
                       strerror(errno));
    return 0;
}

static void say_file(const struct fileio_options *o, const char *name, int64_t size)
{
    const char *what = size >= o->file_size ? "Reusing existing"
                       : size > 0           ? "Extending existing"
                                            : "Creating";

    if (o->form != FORM_0_4)
        log_notice("%s file %s", what, name);
}

static int prepare_file(struct filler *f, int i, struct err *e)
{
    char name[NAME_SIZE];
    int fd = open(file_name(name, i), O_WRONLY | O_CREAT | O_CLOEXEC | f->o->open_flags,
                  CREATE_MODE),
        rc;
    off_t size;

    if (fd < 0)
        return err_set(e, ERR_FAILED, "Can't open file errno = %d (%s)", errno, strerror(errno));
    size = lseek(fd, 0, SEEK_END);
    if (size < 0) {
        rc = err_set(e, ERR_FAILED, "Can't seek in file '%s' errno = %d (%s)", name, errno,
                     strerror(errno));
    } else {
        say_file(f->o, name, size);
        rc = extend_file(f, fd, size, e);
    }
    if (close(fd) && rc == 0)
        rc =
            err_set(e, ERR_FAILED, "Failed to close file! errno = %d (%s)", errno, strerror(errno));
    return rc;
}

/* The first release of 0.4 says no more than the first two lines. */
static void say_prepare(const struct fileio_options *o)
{
    struct str s = STR_INIT;

    log_notice("%d files, %lldKb each, %lldMb total", o->files, (long long)(o->file_size / 1024),
               (long long)(o->file_size * o->files / 1048576));
    log_notice("Creating files for the test...");
    if (o->form == FORM_0_4)
        return;
    fileio_flags_text(o, &s);
    log_block(str_cstr(&s), s.len);
    str_free(&s);
}

static void say_written(const struct fileio_options *o, uint64_t written, double took)
{
    if (o->form == FORM_0_4)
        return;
    if (written)
        log_notice("%llu bytes written in %.2f seconds (%.2f %s/sec).", (unsigned long long)written,
                   took, (double)written / 1048576 / took, o->old ? "MB" : "MiB");
    else
        log_notice("No bytes written.");
}

int fileio_prepare(const struct fileio_options *o, struct err *e)
{
    struct filler f = {.o = o};
    mono_ns begun;
    int rc = 0;

    say_prepare(o);
    f.buf = fileio_buffer(o->block);
    fileio_check_setup(&f.check, o->block);
    begun = clock_mono();
    rng_seed_pair(&f.rng, (uint64_t)begun, (uint64_t)getpid());
    for (int i = 0; i < o->files && rc == 0; i++)
        rc = prepare_file(&f, i, e);
    if (rc == 0)
        say_written(o, f.written, dur_sec(clock_mono() - begun));
    free(f.buf);
    return rc;
}

int fileio_cleanup(const struct fileio_options *o, struct err *e)
{
    char name[NAME_SIZE];

    log_notice("Removing test files...");
    for (int i = 0; i < o->files; i++)
        if (unlink(file_name(name, i)) && errno != ENOENT)
            return err_set(e, ERR_FAILED, "Can't remove file '%s' errno = %d (%s)", name, errno,
                           strerror(errno));
    return 0;
}

/* Two lines, so it prints them itself. */
static int cannot_open(const char *name, int errnum, struct err *e)
{
    log_fatal("Cannot open file '%s' errno = %d (%s)", name, errnum, strerror(errnum));
    if (errnum == ENOENT)
        log_warn("Did you forget to run the prepare step?");
    return err_set(e, ERR_REPORTED, "cannot open %s", name);
}

static int too_short(const char *name, int64_t size, int64_t expected, struct err *e)
{
    struct str s = STR_INIT;

    str_printf(&s, "Size of file '%s' is ", name);
    fileio_size_text((double)size, &s);
    str_adds(&s, ", but at least ");
    fileio_size_text((double)expected, &s);
    log_fatal("%s is expected.", str_cstr(&s));
    log_warn("Did you run 'prepare' with different --file-total-size or --file-num values?");
    str_free(&s);
    return err_set(e, ERR_REPORTED, "%s is too short", name);
}

static int open_new(const char *name, const struct fileio_options *o)
{
    if (unlink(name) && errno != ENOENT)
        return -1;
    return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | o->open_flags, CREATE_MODE);
}

static int open_file(const struct fileio_options *o, int i, int *fd, struct err *e)
{
    char name[NAME_SIZE];
    struct stat st;

    file_name(name, i);
    log_debug("Opening file: %s", name);
    if (o->mode == FILEIO_SEQWR) {
        *fd = open_new(name, o);
        return *fd < 0 ? cannot_open(name, errno, e) : 0;
    }
    *fd = open(name, O_RDWR | O_CLOEXEC | o->open_flags);
    if (*fd < 0 || fstat(*fd, &st))
        return cannot_open(name, errno, e);
    return st.st_size < o->file_size ? too_short(name, st.st_size, o->file_size, e) : 0;
}

int fileio_open_files(const struct fileio_options *o, int *fd, struct err *e)
{
    for (int i = 0; i < o->files; i++)
        fd[i] = -1;
    for (int i = 0; i < o->files; i++) {
        if (open_file(o, i, &fd[i], e)) {
            fileio_close_files(o, fd);
            return -1;
        }
    }
    return 0;
}

void fileio_close_files(const struct fileio_options *o, int *fd)
{
    for (int i = 0; i < o->files; i++) {
        if (fd[i] >= 0)
            close(fd[i]);
        fd[i] = -1;
    }
}

void *fileio_buffer(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    void *p = NULL;

    if (posix_memalign(&p, page, whole)) {
        log_fatal("cannot allocate a buffer of %zu bytes", size);
        abort();
    }
    return memset(p, 0, whole);
}
