/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The built-in test `fileio`, in the order in which a request meets its parts:
 *
 *     fileio_options.c  the command line as one constant struct; the lines before and after a run
 *     fileio_files.c    prepare and cleanup; opening what prepare made; contents with a checksum
 *     fileio_modes.c    which request comes next (sequential, random, a round of fsyncs)
 *     fileio.c          the workload: one request is one event, counted when it is complete; the
 *                       engines sync and mmap, which execute requests
 *     fileio_async.c    the engine async
 *
 * A struct fileio is built on the main thread and constant while clients run, except the choice of
 * requests (fileio_modes), which has a lock of its own.  A struct fileio_client belongs to its
 * client's thread.
 */
#ifndef SB_WORKLOAD_FILEIO_H
#define SB_WORKLOAD_FILEIO_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/str.h"
#include "engine/client.h"
#include "engine/workload.h"
#include "opt/opt.h"
#include "report/snapshot.h"
#include "workload/builtin.h"

/* --- options --- */

enum fileio_mode {
    FILEIO_SEQWR,   /* write files that are new */
    FILEIO_SEQREWR, /* write files that exist */
    FILEIO_SEQRD,
    FILEIO_RNDRD,
    FILEIO_RNDWR,
    FILEIO_RNDRW,
};

/* --file-io-mode: how requests are executed. */
enum fileio_io { FILEIO_IO_SYNC, FILEIO_IO_ASYNC, FILEIO_IO_MMAP };

struct fileio_options {
    int files;
    int64_t file_size; /* bytes of each file */
    size_t block;      /* bytes */
    size_t request;    /* bytes of the largest request: merged blocks in the sequential modes */
    int merged;        /* --file-merged-requests, 0 = off */
    enum fileio_mode mode;
    enum fileio_io io;
    int backlog;    /* asynchronous: operations in flight per client */
    int open_flags; /* O_SYNC | O_DSYNC | O_DIRECT, as given ... */
    unsigned extra; /* ... and which names were, one bit each: O_SYNC contains O_DSYNC */
    int fsync_freq; /* requests between rounds of fsyncs, 0 = none */
    bool fsync_all; /* after each write, in the same event */
    bool fsync_end; /* every file, when a client has done its requests */
    bool fdatasync;
    float rw_ratio; /* reads per write of FILEIO_RNDRW; in single precision, which decides whether 3
                       to 10 is less than 0.3 */
    enum report_form form;
    bool fsync_between; /* events, and no event (old_fsync_note in fileio.c) */
    bool once;          /* 0.4, sequential: the run is one pass over all files */
    bool validate, debug;
    bool pauses;         /* clients may sleep between their requests: a rate, think time */
    uint64_t max_events; /* --events, 0 = no limit */
};

enum fileio_use { FILEIO_RUN, FILEIO_PREPARE, FILEIO_CLEANUP };

extern const struct opt_row fileio_rows[];

/* True when --file-io-mode=async is available; it needs libaio. */
bool fileio_has_async(void);

/* The value of --file-io-mode. */
const char *fileio_io_mode(const struct opts *o);

/* The mode is read for FILEIO_RUN only.  -1: one sentence about the first value that cannot be, or
 * ERR_REPORTED when the mode is missing: the message and the help have been printed. */
int fileio_options_read(struct fileio_options *f, const struct builtin_env *env,
                        enum fileio_use use, struct err *e);

/* Of each enum fileio_mode. */
extern const struct fileio_mode_facts {
    const char *name, *title;
    bool random, writes;
} fileio_mode_facts[];

/* "Extra file open flags: ..." of prepare and of the run. */
void fileio_flags_text(const struct fileio_options *f, struct str *out);

/* "1MiB", "341.33KiB", "512B"; in 0.4 and 0.5 "1Mb", "341.33Kb", "512b" */
void fileio_size_text(double bytes, bool old, struct str *out);

/* The lines between the general header and "Initializing worker threads...". */
void fileio_header_text(const struct fileio_options *f, struct str *out);

/* The text between the time stamp and the end of an interval line. */
void fileio_text_interval(struct str *out, const struct snapshot *s, enum report_form form);

/* The lines before the common report.  True: they are the whole report. */
bool fileio_text_cumulative(struct str *out, const struct snapshot *s, enum report_form form);

/* --- contents (--validate) --- */

/*
 * Contents that can be checked.  A block of S bytes holds S -
 * 12 random bytes, their CRC-32 (4 bytes) and the block's offset in its file (8 bytes), both in the
 * byte order of the machine: the layout that prepared files have always had.
 *
 * Only whole blocks on block boundaries have it: a request of several merged blocks has one in
 * each; the rest of a file whose size is no multiple of the block has none.
 */
#define FILEIO_CHECK_SIZE (sizeof(uint32_t) + sizeof(int64_t)) /* bytes at the end of a block */

struct fileio_check {
    struct crc32 crc;
    size_t block;
};

void fileio_check_setup(struct fileio_check *k, size_t block);

/* Fills buf, which will lie at pos in its file. */
void fileio_check_fill(const struct fileio_check *k, struct rng *r, void *buf, size_t size,
                       int64_t pos);

/* The fault of a block. */
struct fileio_mismatch {
    int64_t at;     /* where in the file it lies */
    bool in_offset; /* the checksum is right, but it belongs elsewhere */
    uint32_t computed, stored;
    int64_t stored_offset;
};

/* -1: a block differs from what was written; *m describes the fault. */
int fileio_check_verify(const struct fileio_check *k, const void *buf, size_t size, int64_t pos,
                        struct fileio_mismatch *m);

/* --- the files test_file.0, test_file.1, ... of the current directory; main thread --- */

/* Creates the files, or extends those that are too short, in whole blocks, and prints its
 * progress. */
int fileio_prepare(const struct fileio_options *o, struct err *e);

/* Removes them; a missing one is no error. */
int fileio_cleanup(const struct fileio_options *o, struct err *e);

/* Opens them for a run (FILEIO_SEQWR: anew and empty) into fd[0 .. o->files - 1], which
 * are -1; -1: not there, too short; then none is open. */
int fileio_open_files(const struct fileio_options *o, int *fd, struct err *e);

/* Closes those that are open (fd >= 0). */
void fileio_close_files(const struct fileio_options *o, int *fd);

/* A buffer of that many bytes on a page boundary, as direct I/O requires; zeroed.  The caller frees
 * it with free(). */
void *fileio_buffer(size_t size);

/* --- the next request --- */

/*
 * There is one cursor, one pair of counts and one round of fsyncs for
 * all clients, so that a run's requests depend on the options and not on the number of clients.
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

/* --- the workload and its engines --- */

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
    int (*fsync)(struct fileio *f, int file, struct err *e);
    /* Waits until nothing of this client is in flight. */
    int (*drain)(struct fileio *f, struct fileio_client *c, struct err *e);
};

extern const struct fileio_engine fileio_async;

/* fileio.c, for the engines: what `buf` must hold before a write, and what follows a read or a
 * write that moved `done` bytes (or failed: -1 and the errno). */
void fileio_fill(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                 void *buf);
int fileio_complete(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                    const void *buf, int64_t done, int errnum, struct err *e);

/* fsync or fdatasync of a file, as the options say. */
int fileio_fsync(struct fileio *f, int file, struct err *e);

#endif
