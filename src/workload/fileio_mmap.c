/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --file-io-mode=mmap: every file is mapped whole, once, for all clients; reading and writing are
 * copies from and to the mapping, and msync() replaces fsync().  A page that the kernel cannot read
 * or write raises SIGBUS, as with any mapping.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "workload/fileio.h"

static void unmap(struct fileio *f)
{
    for (int i = 0; f->map && i < f->o.files; i++)
        if (f->map[i])
            munmap(f->map[i], (size_t)f->o.file_size);
    free(f->map);
    f->map = NULL;
}

static int map_file(struct fileio *f, int i, struct err *e)
{
    void *p;

    /* a new file is empty, and beyond its end there is nothing to copy to */
    if (f->o.mode == FILEIO_SEQWR && ftruncate(f->fd[i], f->o.file_size))
        return err_sys(e, errno, "Cannot extend file 'test_file.%d'", i);
    p = mmap(NULL, (size_t)f->o.file_size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd[i], 0);
    if (p == MAP_FAILED)
        return err_sys(e, errno, "Cannot map file 'test_file.%d' (%lld bytes)", i,
                       (long long)f->o.file_size);
    f->map[i] = p;
    return 0;
}

static int map_all(struct fileio *f, struct err *e)
{
    f->map = mem_array((size_t)f->o.files, sizeof *f->map);
    for (int i = 0; i < f->o.files; i++) {
        if (map_file(f, i, e)) {
            unmap(f);
            return -1;
        }
    }
    return 0;
}

/* Clients may copy from and to the same bytes at once: the test intends that, so it is hidden from
 * the thread sanitizer. */
#ifndef __has_feature /* clang's way to ask */
#define __has_feature(x) 0
#endif
#if defined __SANITIZE_THREAD__ || __has_feature(thread_sanitizer)
__attribute__((no_sanitize_thread)) static void copy(void *to, const void *from, size_t n)
{
    volatile unsigned char *t = to;
    const volatile unsigned char *s = from;

    while (n-- > 0)
        *t++ = *s++;
}
#else
static void copy(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
}
#endif

static int transfer(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                    struct err *e)
{
    unsigned char *at = (unsigned char *)f->map[q->file] + q->pos;

    if (q->op == FILEIO_WRITE) {
        fileio_fill(f, c, q, c->buf);
        copy(at, c->buf, q->size);
    } else {
        copy(c->buf, at, q->size);
    }
    return fileio_complete(f, c, q, c->buf, (int64_t)q->size, 0, e);
}

static int sync_file(struct fileio *f, struct fileio_client *c, int file, struct err *e)
{
    (void)c;
    if (msync(f->map[file], (size_t)f->o.file_size, MS_SYNC | MS_INVALIDATE))
        return err_sys(e, errno, "Failed to msync file! file: %d", file);
    return 0;
}

const struct fileio_engine fileio_mmap = {
    .open = map_all,
    .close = unmap,
    .transfer = transfer,
    .fsync = sync_file,
};
