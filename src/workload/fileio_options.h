/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of `fileio`, checked once and constant afterwards.
 */
#ifndef SB_WORKLOAD_FILEIO_OPTIONS_H
#define SB_WORKLOAD_FILEIO_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "opt/opt.h"
#include "workload/builtin.h"

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
    bool old;  /* 0.4 and 0.5: fsyncs are no events (old_fsync_note in fileio.c) */
    bool once; /* 0.4, sequential: the run is one pass over all files */
    bool validate, debug;
    bool pauses; /* clients may sleep between their requests: a rate, think time */
    int clients;
    uint64_t max_events; /* --events, 0 = no limit */
};

enum fileio_use { FILEIO_RUN, FILEIO_PREPARE, FILEIO_CLEANUP };

void fileio_options_declare(struct opts *o);

/* True when --file-io-mode=async is available; it needs libaio. */
bool fileio_has_async(void);

/* The value of --file-io-mode. */
const char *fileio_io_mode(const struct opts *o);

/* The mode is read for FILEIO_RUN only.  -1: one sentence about the first value that cannot be, or
 * ERR_REPORTED when the mode is missing: the message and the help have been printed. */
int fileio_options_read(struct fileio_options *f, const struct builtin_env *env,
                        enum fileio_use use, struct err *e);

bool fileio_mode_is_random(enum fileio_mode m);
bool fileio_mode_writes(enum fileio_mode m);

/* "random r/w", "synchronous" */
const char *fileio_mode_title(enum fileio_mode m);
const char *fileio_io_title(enum fileio_io io);

/* The names of --file-extra-flags as stock shows them. */
void fileio_flag_names(const struct fileio_options *f, struct str *out);

/* fileio_header.c: "Extra file open flags: ..." of prepare and of the run. */
void fileio_flags_text(const struct fileio_options *f, struct str *out);

/* "1MiB", "341.33KiB", "512B" */
void fileio_size_text(double bytes, struct str *out);

/* The same in 0.4 and 0.5: "1Mb", "341.33Kb", "512b" */
void fileio_old_size_text(double bytes, struct str *out);

/* The lines between the general header and "Initializing worker threads...". */
void fileio_header_text(const struct fileio_options *f, struct str *out);

#endif
