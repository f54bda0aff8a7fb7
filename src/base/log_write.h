/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The last step of every line of log.h: bytes into a stream.  Private to src/base
 */
#ifndef SB_BASE_LOG_WRITE_H
#define SB_BASE_LOG_WRITE_H

#include <stddef.h>

/* Writes all of it; on stdout each line begins with the time if log_stamp_lines() says so. */
void log_write(int fd, const char *s, size_t n);

#endif
