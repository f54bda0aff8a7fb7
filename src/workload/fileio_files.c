/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files of fileio (fileio.h): contents with a checksum; made, extended, removed; opened for a
 * run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "workload/fileio.h"

#define NAME_SIZE   32
#define CREATE_MODE 0600

/* --- contents --- */

void fileio_check_setup(struct fileio_check *k, size_t block)
{
    crc32_setup(&k->crc);
    k->block = block;
}

/* The first block boundary in a piece of a file, relative to its begin. */
static size_t first_block(const struct fileio_check *k, int64_t pos)
{
    int64_t into = pos % (int64_t)k->block;
    return into ? k->block - (size_t)into : 0;
}

void fileio_check_fill(const struct fileio_check *k, struct rng *r, void *buf, size_t size,
                       int64_t pos)
{
    size_t data = k->block - FILEIO_CHECK_SIZE;

    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t word = rng_next(r);
        memcpy((unsigned char *)buf + at, &word, size - at < sizeof word ? size - at : sizeof word);
    }
    for (size_t from = first_block(k, pos); from + k->block <= size; from += k->block) {
        unsigned char *p = (unsigned char *)buf + from;
        int64_t offset = pos + (int64_t)from;
        uint32_t crc = crc32_of(&k->crc, p, data);
        memcpy(p + data, &crc, sizeof crc);
        memcpy(p + data + sizeof crc, &offset, sizeof offset);
    }
}

int fileio_check_verify(const struct fileio_check *k, const void *buf, size_t size, int64_t pos,
                        struct fileio_mismatch *m)
{
    size_t data = k->block - FILEIO_CHECK_SIZE;

    for (size_t from = first_block(k, pos); from + k->block <= size; from += k->block) {
        const unsigned char *p = (const unsigned char *)buf + from;
        m->at = pos + (int64_t)from;
        m->computed = crc32_of(&k->crc, p, data);
        memcpy(&m->stored, p + data, sizeof m->stored);
        memcpy(&m->stored_offset, p + data + sizeof m->stored, sizeof m->stored_offset);
        m->in_offset = m->computed == m->stored;
        if (!m->in_offset || m->stored_offset != m->at)
            return -1;
    }
    return 0;
}

/* --- prepare and cleanup --- */

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
        if (f->o->form != FORM_0_4)
            log_notice("%s file %s",
                       size >= f->o->file_size ? "Reusing existing"
                       : size > 0              ? "Extending existing"
                                               : "Creating",
                       name);
        rc = extend_file(f, fd, size, e);
    }
    if (close(fd) && rc == 0)
        rc =
            err_set(e, ERR_FAILED, "Failed to close file! errno = %d (%s)", errno, strerror(errno));
    return rc;
}

int fileio_prepare(const struct fileio_options *o, struct err *e)
{
    struct filler f = {.o = o};
    struct str s = STR_INIT;
    mono_ns begun;
    double took;
    int rc = 0;

    log_notice("%d files, %lldKb each, %lldMb total", o->files, (long long)(o->file_size / 1024),
               (long long)(o->file_size * o->files / 1048576));
    log_notice("Creating files for the test...");
    if (o->form != FORM_0_4) { /* the first release of 0.4 says no more */
        fileio_flags_text(o, &s);
        log_block(str_cstr(&s), s.len);
        str_free(&s);
    }
    f.buf = fileio_buffer(o->block);
    fileio_check_setup(&f.check, o->block);
    begun = clock_mono();
    rng_seed_pair(&f.rng, (uint64_t)begun, (uint64_t)getpid());
    for (int i = 0; i < o->files && rc == 0; i++)
        rc = prepare_file(&f, i, e);
    took = dur_sec(clock_mono() - begun);
    if (rc == 0 && o->form != FORM_0_4 && f.written)
        log_notice("%llu bytes written in %.2f seconds (%.2f %s/sec).",
                   (unsigned long long)f.written, took, (double)f.written / 1048576 / took,
                   o->old ? "MB" : "MiB");
    else if (rc == 0 && o->form != FORM_0_4)
        log_notice("No bytes written.");
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

static int open_file(const struct fileio_options *o, int i, int *fd, struct err *e)
{
    char name[NAME_SIZE];
    struct str s = STR_INIT;
    struct stat st;

    file_name(name, i);
    log_debug("Opening file: %s", name);
    if (o->mode == FILEIO_SEQWR) {
        if (unlink(name) == 0 || errno == ENOENT)
            *fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | o->open_flags, CREATE_MODE);
        return *fd < 0 ? cannot_open(name, errno, e) : 0;
    }
    *fd = open(name, O_RDWR | O_CLOEXEC | o->open_flags);
    if (*fd < 0 || fstat(*fd, &st))
        return cannot_open(name, errno, e);
    if (st.st_size >= o->file_size)
        return 0;
    str_printf(&s, "Size of file '%s' is ", name);
    fileio_size_text((double)st.st_size, &s);
    str_adds(&s, ", but at least ");
    fileio_size_text((double)o->file_size, &s);
    log_fatal("%s is expected.", str_cstr(&s));
    log_warn("Did you run 'prepare' with different --file-total-size or --file-num values?");
    str_free(&s);
    return err_set(e, ERR_REPORTED, "%s is too short", name);
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
