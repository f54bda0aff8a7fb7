/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One result file on its way to the disk.  Each call writes a whole piece (a line, a document's new
 * end) with as few system calls as the kernel needs, so that whatever ends the program leaves whole
 * pieces.  When the disk is full, what was written of the piece is taken back, it is said once, and
 * later calls do nothing: the run goes on.
 *
 * One thread at a time.
 */
#ifndef SB_REPORT_OUT_H
#define SB_REPORT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct out {
    const char *path; /* borrowed; "-" is standard output */
    int fd;           /* -1: not open */
    bool regular;     /* can be written at a place, and be cut */
    off_t end;        /* length of what is whole */
    int failed;       /* errno of the first failure */
};

/* Would out_open work?  Touches nothing.  `replaced`: the file will be made anew by rename, which
 * needs a regular file and a folder that can be written.  -1: one sentence. */
int out_check(const char *path, bool replaced, struct err *e);

/* Creates or empties the file. */
int out_open(struct out *o, const char *path, struct err *e);

/* Appends.  0, or -1 when it failed now or before. */
int out_append(struct out *o, const char *text, size_t n);

/* Writes at `at`, over an older end of `keep` bytes.  When the new end does not fit, `fallback`, of
 * that length, goes there.  Regular files only. */
int out_replace_end(struct out *o, off_t at, const char *text, size_t n, const char *fallback,
                    size_t keep);

/* The whole content anew, by rename, so that a reader never sees half of it. */
int out_replace_all(struct out *o, const char *text, size_t n);

/* -1 when anything was lost. */
int out_close(struct out *o);

/* Says once that writing failed with `errnum`. */
void out_fail(struct out *o, int errnum);

bool out_is_stdout(const char *path);

#endif
