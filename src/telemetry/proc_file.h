/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the small text files of /proc and extracts numbers from them.  Every path is relative to a
 * directory descriptor, so that a captured tree can stand in for /proc, and every failure is an
 * errno value: the process may be gone (ENOENT, ESRCH), closed to this user (EACCES, EPERM) or the
 * text not what the kernel documents (EBADMSG), and the callers treat these three differently.  No
 * state; any thread may call.
 */
#ifndef SB_TELEMETRY_PROC_FILE_H
#define SB_TELEMETRY_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Reads root_fd/path, a file of one line, up to cap - 1 bytes, and ends it with NUL.  0, or an
 * errno value (EBADMSG when the file is empty).  Text that does not fit is left out; *len is the
 * length in buf.
 */
int proc_read(int root_fd, const char *path, char *buf, size_t cap, size_t *len);

/*
 * The same without a limit; *b is emptied first and keeps its memory.  An empty file is no error.
 */
int proc_read_all(int root_fd, const char *path, struct str *b);

/*
 * Hands each line (without its newline) to fn until fn returns false or the file ends; lines longer
 * than half a page are passed on cut, a last line without newline is left out (the kernel writes
 * none: it has been cut).  0 or an errno value.
 */
int proc_each_line(int root_fd, const char *path, bool (*fn)(char *line, void *arg), void *arg);

/*
 * The decimal number at *p after blanks; *p moves past it.  A leading minus is accepted and gives 0
 * (the kernel prints a few of the skipped columns signed).  False: no digit there, or more than 64
 * bits.
 */
bool proc_number(const char **p, uint64_t *value);

/* As proc_number, and more text must follow: a number that ends with the text may have been cut. */
bool proc_whole_number(const char **p, uint64_t *value);

/* True for the errno values that mean "this process no longer exists". */
bool proc_is_gone(int errnum);

#endif
