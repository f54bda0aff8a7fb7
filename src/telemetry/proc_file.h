/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the small text files of /proc and extracts numbers from them.  Every path is relative to a
 * directory descriptor, so that a captured tree can stand in for /proc.  Every failure is an errno
 * value, and callers distinguish three: the process is gone (ENOENT, ESRCH), this user may not read
 * it (EACCES, EPERM), or the text is not what the kernel documents (EBADMSG).  No state; any thread
 * may call.
 */
#ifndef SB_TELEMETRY_PROC_FILE_H
#define SB_TELEMETRY_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Reads root_fd/path, a file of one line, up to cap - 1 bytes, and appends a NUL.  Returns 0, or an
 * errno value (EBADMSG if the file is empty).  Text that does not fit is dropped; *len is the
 * length in buf.
 */
int proc_read(int root_fd, const char *path, char *buf, size_t cap, size_t *len);

/*
 * The same without a limit; *b is emptied first and keeps its memory.  An empty file is no error.
 */
int proc_read_all(int root_fd, const char *path, struct str *b);

/*
 * Passes each line, without its newline, to fn until fn returns false or the file ends.  A line
 * longer than half a page is passed truncated.  A last line without a newline is dropped: the
 * kernel always writes one, so the line is incomplete.  Returns 0 or an errno value.
 */
int proc_each_line(int root_fd, const char *path, bool (*fn)(char *line, void *arg), void *arg);

/*
 * Reads the decimal number at *p after blanks and moves *p past it.  A negative number reads as 0
 * (a few columns that we skip are signed).  False: no digit, or more than 64 bits.
 */
bool proc_number(const char **p, uint64_t *value);

/* As proc_number, and more text must follow: a number that ends with the text may have been cut. */
bool proc_whole_number(const char **p, uint64_t *value);

/* True for the errno values that mean "this process no longer exists". */
bool proc_is_gone(int errnum);

#endif
