/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/workload: shared by the engines of the built-in test `fileio` and its workload.
 * The parts of fileio, in the order in which a request meets them:
 *
 *     fileio_options   the command line as one constant struct
 *     fileio_header    the same as the lines before a run
 *     fileio_files     prepare and cleanup; opening what prepare made
 *     fileio_modes     which request comes next (sequential, random, a round of fsyncs)
 *     fileio_sync, fileio_mmap, fileio_async    the engines, which execute requests
 *     fileio_check     contents with a checksum (--validate)
 *     fileio           the workload: one request is one event, counted when it is complete
 *     fileio_report    the counts as text
 *
 * A struct fileio is built on the main thread and constant while clients run, except the choice of
 * requests (fileio_modes), which has a lock of its own.  A struct fileio_client belongs to its
 * client's thread.
 */
#ifndef SB_WORKLOAD_FILEIO_H
#define SB_WORKLOAD_FILEIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"
#include "engine/client.h"
#include "workload/fileio_check.h"
#include "workload/fileio_modes.h"
#include "workload/fileio_options.h"
#include "engine/workload.h"

struct fileio {
    struct workload w;
    struct fileio_options o;
    const struct fileio_engine *engine; /* of o.io */
    struct fileio_check check;
    struct fileio_modes modes;
    int *fd;    /* of each file; -1: not open */
    void **map; /* mmap only */
};

struct fileio_client {
    struct client *client;
    struct rng *rng;
    unsigned char *buf; /* of one request, on a page boundary */
    void *engine;       /* the engine's state for this client */
};

/*
 * One way to read and write.  Functions run on the client's thread, except open and close; all but
 * transfer and fsync may be NULL.
 */
struct fileio_engine {
    int (*open)(struct fileio *f, struct err *e); /* main thread; the files are open */
    void (*close)(struct fileio *f);
    int (*client_open)(struct fileio *f, struct fileio_client *c, struct err *e);
    void (*client_close)(struct fileio *f, struct fileio_client *c);
    /* A read or a write.  It reports completion, now or later, by fileio_complete. */
    int (*transfer)(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                    struct err *e);
    /* Flushes all that was written to this file to the device. */
    int (*fsync)(struct fileio *f, struct fileio_client *c, int file, struct err *e);
    /* Waits until nothing of this client is in flight. */
    int (*drain)(struct fileio *f, struct fileio_client *c, struct err *e);
};

extern const struct fileio_engine fileio_sync, fileio_mmap, fileio_async;

/* fileio.c, for the engines: what `buf` must hold before a write, and what follows a read or a
 * write that moved `done` bytes (or failed: -1 and the errno). */
void fileio_fill(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                 void *buf);
int fileio_complete(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                    const void *buf, int64_t done, int errnum, struct err *e);

/* fsync or fdatasync of a file, as the options say. */
int fileio_fsync(struct fileio *f, int file, struct err *e);

#endif
