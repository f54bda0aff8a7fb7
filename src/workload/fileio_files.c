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
#include "base/mem.h"
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

static int failed(struct err *e, int errnum, const char *what)
{
    return err_set(e, ERR_FAILED, "%s errno = %d (%s)", what, errnum, strerror(errnum));
}

/* Writes a file from its present end, in whole blocks, at least up to its size.  `buf`: a block. */
static int prepare_file(const struct fileio_options *o, int i, const struct fileio_check *check,
                        struct rng *r, unsigned char *buf, uint64_t *written, struct err *e)
{
    char name[NAME_SIZE];
    int fd = open(file_name(name, i), O_WRONLY | O_CREAT | O_CLOEXEC | o->open_flags, CREATE_MODE);
    int rc = 0;

    if (fd < 0)
        return failed(e, errno, "Can't open file");
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < 0)
        rc = err_set(e, ERR_FAILED, "Can't seek in file '%s' errno = %d (%s)", name, errno,
                     strerror(errno));
    else if (o->form != FORM_0_4)
        log_notice("%s file %s",
                   size >= o->file_size ? "Reusing existing"
                   : size > 0           ? "Extending existing"
                                        : "Creating",
                   name);
    for (int64_t at = size; rc == 0 && at < o->file_size; at += (int64_t)o->block) {
        if (o->validate)
            fileio_check_fill(check, r, buf, o->block, at);
        for (size_t n = 0; n < o->block && rc == 0;) {
            ssize_t w = write(fd, buf + n, o->block - n);
            if (w <= 0 && !(w < 0 && errno == EINTR))
                rc = failed(e, w ? errno : ENOSPC, "Failed to write file!");
            n += w > 0 ? (size_t)w : 0;
        }
        *written += o->block;
    }
    if (rc == 0 && fsync(fd))
        rc = failed(e, errno, "Failed to fsync file!");
    if (close(fd) && rc == 0)
        rc = failed(e, errno, "Failed to close file!");
    return rc;
}

int fileio_prepare(const struct fileio_options *o, struct err *e)
{
    unsigned char *buf = fileio_buffer(o->block);
    struct fileio_check check;
    struct str s = STR_INIT;
    mono_ns begun = clock_mono();
    uint64_t written = 0;
    struct rng rng;
    int rc = 0;

    log_notice("%d files, %lldKb each, %lldMb total", o->files, (long long)(o->file_size / 1024),
               (long long)(o->file_size * o->files / 1048576));
    log_notice("Creating files for the test...");
    if (o->form != FORM_0_4) { /* the first release of 0.4 says no more */
        fileio_flags_text(o, &s);
        log_block(str_cstr(&s), s.len, false);
        str_free(&s);
    }
    fileio_check_setup(&check, o->block);
    rng_seed_pair(&rng, (uint64_t)begun, (uint64_t)getpid());
    for (int i = 0; i < o->files && rc == 0; i++)
        rc = prepare_file(o, i, &check, &rng, buf, &written, e);
    double took = dur_sec(clock_mono() - begun);
    if (rc == 0 && o->form != FORM_0_4 && written)
        log_notice("%llu bytes written in %.2f seconds (%.2f %s/sec).", (unsigned long long)written,
                   took, (double)written / 1048576 / took, o->form == FORM_0_5 ? "MB" : "MiB");
    else if (rc == 0 && o->form != FORM_0_4)
        log_notice("No bytes written.");
    free(buf);
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

int fileio_open_files(const struct fileio_options *o, int *fd, struct err *e)
{
    bool anew = o->mode == FILEIO_SEQWR;
    char name[NAME_SIZE];
    struct str s = STR_INIT;
    struct stat st = {0};
    int rc = 0;

    for (int i = 0; i < o->files && rc == 0; i++) {
        log_debug("Opening file: %s", file_name(name, i));
        if (!anew || unlink(name) == 0 || errno == ENOENT)
            fd[i] = open(name, O_RDWR | O_CLOEXEC | o->open_flags | (anew ? O_CREAT | O_EXCL : 0),
                         CREATE_MODE);
        if (fd[i] < 0 || (!anew && fstat(fd[i], &st))) {
            int errnum = errno;
            log_fatal("Cannot open file '%s' errno = %d (%s)", name, errnum, strerror(errnum));
            if (errnum == ENOENT)
                log_warn("Did you forget to run the prepare step?");
            rc = err_set(e, ERR_REPORTED, "cannot open %s", name);
        } else if (!anew && st.st_size < o->file_size) {
            str_printf(&s, "Size of file '%s' is ", name);
            fileio_size_text((double)st.st_size, false, &s);
            str_adds(&s, ", but at least ");
            fileio_size_text((double)o->file_size, false, &s);
            log_fatal("%s is expected.", str_cstr(&s));
            log_warn("Did you run 'prepare' with different --file-total-size or --file-num "
                     "values?");
            str_free(&s);
            rc = err_set(e, ERR_REPORTED, "%s is too short", name);
        }
    }
    if (rc)
        fileio_close_files(o, fd);
    return rc;
}

void fileio_close_files(const struct fileio_options *o, int *fd)
{
    for (int i = 0; i < o->files; i++) {
        fd_close(fd[i]);
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
