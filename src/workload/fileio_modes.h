/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Chooses the next request.  There is one cursor, one pair of counts and one round of fsyncs for
 * all clients, so that a run's requests depend on the options and not on the number of clients.
 * Private to src/workload
 *
 * - Sequential modes: file 0 from start to end, then file 1, ..., then file 0 again; the last
 * request of a file is as short as it has to be.
 * - Random modes: a byte of all files, uniform, rounded down to a multiple of the block; that is
 * where in the row of files the request lies.  In a file whose size is no multiple of the block,
 * requests are shortened at its end, and the next file's do not begin on its blocks; with
 * --validate they do.
 * - FILEIO_RNDRW reads while (reads + 1) / (writes + 1) < ratio.
 * - After every --file-fsync-freq reads and writes, if anything was written since the last such
 * round, the next requests are fsyncs of file 0, 1, ..., one file each.  In 0.4 and 0.5 these are
 * not requests but come between them (old_fsync_note in fileio.c).
 * - With --validate no request touches a block that another request in flight touches: what is read
 * or left there would be half of one write and half of another.  A random request is drawn again; a
 *   sequential one that has come round to such a block waits, so that the order is kept.
 */
#ifndef SB_WORKLOAD_FILEIO_MODES_H
#define SB_WORKLOAD_FILEIO_MODES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "workload/fileio_options.h"

enum fileio_op { FILEIO_READ = 1, FILEIO_WRITE = 2, FILEIO_FSYNC = 3 };

struct fileio_request {
    enum fileio_op op;
    int file;
    int64_t pos; /* in the file, bytes */
    size_t size; /* bytes; 0 for FILEIO_FSYNC */
};

struct fileio_modes {
    const struct fileio_options *o;
    pthread_mutex_t lock; /* all below */
    int file;             /* the sequential cursor */
    int64_t pos;
    uint64_t requests;      /* reads and writes so far */
    uint64_t reads, writes; /* of FILEIO_RNDRW */
    uint64_t left;          /* once: requests of the pass over all files that nobody claimed */
    bool dirty;             /* something was written since the last round of fsyncs */
    int syncing;            /* next file of the round, -1: none goes on */
    unsigned char *busy;    /* --validate: a bit for each block in flight */
    int64_t blocks;         /* in a file, a part of one counts */
};

/* The options must outlive it. */
void fileio_modes_init(struct fileio_modes *m, const struct fileio_options *o);
void fileio_modes_fini(struct fileio_modes *m);

/* The next request, with one draw of the caller's stream when it is a random one.  False: its
 * block, or each block that was drawn, is in flight; complete some of your own, let others run,
 * ask again. Any thread. */
bool fileio_modes_next(struct fileio_modes *m, struct rng *r, struct fileio_request *q);

/* 0.4 and 0.5: the next fsync, if one is due; with `end` those of the end of the run, which begin
 * if anything was written since the last round.  Any thread. */
bool fileio_modes_next_fsync(struct fileio_modes *m, bool end, struct fileio_request *q);

/* 0.4, sequential: false when the pass over all files has no request left; otherwise the caller
 * must take one.  True in any other run.  Any thread. */
bool fileio_modes_claim(struct fileio_modes *m);

/* The request is complete or has failed.  Call it once for every request: others wait for its
 * blocks. Any thread. */
void fileio_modes_done(struct fileio_modes *m, const struct fileio_request *q);

#endif
