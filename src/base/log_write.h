/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The last step of every line of log.h, which includes this: bytes into a stream, and what is known
 * of the stream.
 */
#ifndef SB_BASE_LOG_WRITE_H
#define SB_BASE_LOG_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all of it.  For log.c; others use what is in log.h. */
void log_write(int fd, const char *s, size_t n);

/* From now on each line on stdout begins with the time: "[<seconds since 1970>] ". */
void log_stamp_lines(bool stamp);

/* errno of the first write to stdout that failed, 0 if none did. */
int log_write_error(void);

/*
 * The reader of our output has gone away (`| head -1`).  Without a function here that ends the
 * process by SIGPIPE, as it ends any filter.  With one, it is called once, on the thread that
 * noticed, and what is written later is dropped: a run still has files to finish.  Returns the
 * function before; NULL: none.
 */
typedef void log_closed_fn(void);
log_closed_fn *log_on_closed_pipe(log_closed_fn *f);
bool log_pipe_closed(void);

#endif
