/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --file-io-mode=sync: pread, pwrite and fsync, one after the other.
 */
#include <errno.h>
#include <unistd.h>

#include "workload/fileio.h"

static int transfer(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                    struct err *e)
{
    int fd = f->fd[q->file];
    ssize_t n;

    if (q->op == FILEIO_WRITE)
        fileio_fill(f, c, q, c->buf);
    do {
        n = q->op == FILEIO_READ ? pread(fd, c->buf, q->size, q->pos)
                                 : pwrite(fd, c->buf, q->size, q->pos);
    } while (n < 0 && errno == EINTR);
    return fileio_complete(f, c, q, c->buf, n, n < 0 ? errno : 0, e);
}

static int sync_file(struct fileio *f, struct fileio_client *c, int file, struct err *e)
{
    (void)c;
    return fileio_fsync(f, file, e);
}

const struct fileio_engine fileio_sync = {
    .transfer = transfer,
    .fsync = sync_file,
};
