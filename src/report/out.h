/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes one result file.  Each call writes a whole piece (a line, a document's new end) with as
 * few system calls as possible, so that the file holds whole pieces however the program ends.  When
 * the disk is full, the incomplete piece is removed, the failure is reported once, and later calls
 * do nothing: the run goes on.
 *
 * A FIFO or device whose reader takes nothing for OUT_STALL, or not all of a piece within OUT_LAST,
 * fails likewise; stderr says that somebody waits for it.  out_give_up() ends all these waits;
 * after out_hurry() there is one at most.
 *
 * One thread at a time.
 */
#ifndef SB_REPORT_OUT_H
#define SB_REPORT_OUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"

struct out {
    const char *path; /* borrowed; "-" is standard output */
    int fd;           /* -1: not open */
    bool regular;     /* can be written at an offset, and be truncated */
    off_t end;        /* length of the complete content */
    int failed;       /* errno of the first failure */
    bool closed;
    bool told;             /* that it is waited for */
    _Atomic int64_t until; /* out_patient(), out_ending() */
};

/* Checks whether out_open would work; touches nothing.  `replaced`: the file will be replaced by
 * rename, which needs a regular file in a writable directory.  -1: one sentence. */
int out_check(const char *path, bool replaced, struct err *e);

#define OUT_FIFO_WAIT (10 * NS_PER_SEC) /* for somebody who reads a FIFO */
#define OUT_STALL     (10 * NS_PER_SEC)
#define OUT_LAST      (60 * NS_PER_SEC)

/* Creates the file with mode 0640 (and umask), or empties it, and locks it against other runs.  In
 * a directory where everybody may create files (/tmp), another user's link is not followed and
 * another user's file not written to.
 */
int out_open(struct out *o, const char *path, struct err *e);

/* The writer has nothing else to do: it waits for the reader as long as the run lasts.  From
 * out_ending() on, which any thread may call, the limits hold, and OUT_LAST for all that is left.
 */
void out_patient(struct out *o);
void out_ending(struct out *o);

/* A signal ends the run: when a reader has not taken all in time, no other one is waited for.  For
 * signal handlers. */
void out_hurry(void);

/* After a signal: no reader is waited for any more, here or later, and what it has not taken is
 * lost.  False: nothing is being written to one, and all stays as it is.  For signal handlers. */
bool out_give_up(void);

/* Appends.  0, or -1 when it failed now or before. */
int out_append(struct out *o, const char *text, size_t n);

/* Writes at `at`, over an older end of `keep` bytes.  When the new end does not fit, `fallback`,
 * of that length, goes there.  Regular files only. */
int out_replace_end(struct out *o, off_t at, const char *text, size_t n, const char *fallback,
                    size_t keep);

/* Replaces the whole content by rename, so that a reader never sees half of it.  The mode of an
 * older file stays. */
int out_replace_all(struct out *o, const char *text, size_t n);

/* -1 when anything was lost: not all was written, which is said again on stderr, or the file was
 * removed meanwhile. */
int out_close(struct out *o);

bool out_is_stdout(const char *path);

/* Do two paths lead to the same file?  Of files that do not exist yet: in the same directory by the
 * same name.  Devices may be shared. */
bool out_same(const char *a, const char *b);

/*
 * All the paths that a run will write to, and the options that name them: two that lead to the same
 * file would destroy each other's content, so the second is refused before anything is opened.
 */

struct outs_path {
    char *option, *path;
};

/* {0} is an empty list. */
struct outs {
    struct outs_path *list;
    size_t n;
};

/* Adds a path ("": none).  -1: one that was added before is the same file, or standard output is
 * redirected into it. */
int outs_add(struct outs *o, const char *option, const char *path, struct err *e);
void outs_free(struct outs *o);

#endif
