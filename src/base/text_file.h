/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Text files that a user writes by hand: config files, option files.  They are read as a whole and
 * taken line by line, within limits, so that a wrong path ends with a sentence and not with a hang:
 * a device other than /dev/null, a FIFO that nobody writes to, endless text, a NUL byte.
 *
 *     if (text_file_read(&t, path, TEXT_FILE_WAIT_MS, e))
 *         return err_add(e, "%s", path);
 *     while ((line = text_file_line(&t)) != NULL)
 *         ... t.line is its number
 *     text_file_free(&t);
 */
#ifndef SB_BASE_TEXT_FILE_H
#define SB_BASE_TEXT_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

#define TEXT_FILE_MOST    ((size_t)1 << 20) /* bytes */
#define TEXT_FILE_WAIT_MS 10000             /* for the first byte of a FIFO */

struct text_file {
    char *text; /* NUL-terminated */
    size_t len, next;
    mode_t mode; /* of the file: type and permissions */
    int line;    /* of the line that was returned last, from 1 */
};

/* 0; -1 with ERR_USAGE and a reason that does not name the file.  The caller frees *t in both
 * cases. */
int text_file_read(struct text_file *t, const char *path, int wait_ms, struct err *e);

/* The same with another limit of bytes, for files that a program wrote. */
int text_file_read_long(struct text_file *t, const char *path, size_t most, int wait_ms,
                        struct err *e);

/* The same of standard input, to its end; it may be a socket, as under sshd. */
int text_file_read_input(struct text_file *t, int wait_ms, struct err *e);

/* The next line, without its newline; the caller may write into it.  NULL: there are no more. */
char *text_file_line(struct text_file *t);

/* Text of such files may be a password: it is overwritten. */
void text_file_free(struct text_file *t);

#endif
